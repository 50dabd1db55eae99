//! `tool-call-without-result`: a tool call that nothing answers.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::{Repair, Rule, Severity};

/// M001.
pub static RULE: Rule = Rule {
    code: "M001",
    name: "tool-call-without-result",
    severity: Severity::Warning,
    also: &[],
    found: "An assistant message calls a tool, and on some branch below it no result answers the call. \
        Not told: calls of messages that ended in an error or were aborted, which readers leave out; \
        and calls that still wait at the end of a branch (`stopReason` is `toolUse`, and no message \
        follows).",
    why: "Every call needs its result right behind it. It is lost when the program dies between the \
        two, when a prompt is sent before the tool is done, or when a branch begins in the middle of \
        a turn. The file opens and looks whole; only the next request shows it.",
    readers: "Providers answer status 400 to every later request on that branch.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[{"type":"toolCall","id":"call_7",…}],…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"user","content":"hello?"}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M001`): a result with `isError: true`, whose text says that the \
        result was lost, is inserted behind the message, and what follows hangs on it. Nothing is \
        known of what the tool did, so the model is told just that.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for &call in &audit.pairs().lost {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, call);
            let message = format!("no result answers the call {} of {}", told.id, told.tool);
            told.finding(audit, &RULE, message)
        });
    }
}
