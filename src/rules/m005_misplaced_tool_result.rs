//! `misplaced-tool-result`: a tool result does not stand right behind its call.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::{Repair, Rule, Severity};

/// M005.
pub static RULE: Rule = Rule {
    code: "M005",
    name: "misplaced-tool-result",
    severity: Severity::Warning,
    also: &[],
    found: "A tool result stands before its call, or behind a user, assistant or custom message that \
        follows the call. Entries that give no message do not count, and results of one message may \
        stand in any order. Told in place of M001 and M002 for that call and result.",
    why: "A result must follow its call at once. Two programs that write one session, or a prompt that \
        is sent while a tool still runs, put something between them.",
    readers: "Providers answer status 400 to every later request on that branch.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[{"type":"toolCall","id":"call_7",…}],…}}
{"type":"message","id":"9a8b7c6d","parentId":"5c1d0e2f",…,"message":{"role":"user","content":"and?"}}
{"type":"message","id":"b7e4a910","parentId":"9a8b7c6d",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M005`): the result moves right behind its call, and what hung on it \
        hangs on what it hung on; a further result for the same call is set aside. That changes the order \
        of what was said. A branch that begins before the message in between (`sesstool fork --leaf`) goes \
        on without it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for pair in &audit.pairs().misplaced {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, pair.result);
            let place = if pair.result < pair.call { "before the call" } else { "not right behind the call" };
            let message = format!("the result stands {place} {} of {}", told.id, told.tool);
            told.finding(audit, &RULE, message).related(Told::of(audit, pair.call).place, "the call")
        });
    }
}
