//! `tool-result-without-call`: a tool result that answers nothing.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::{Repair, Rule, Severity};

/// M002.
pub static RULE: Rule = Rule {
    code: "M002",
    name: "tool-result-without-call",
    severity: Severity::Warning,
    also: &[],
    found: "A tool result stands on a path on which no assistant message makes its call, or the message \
        that makes it ended in an error or was aborted, so that readers leave it out and the result \
        stands alone. What a person ran by hand (`bashExecution`) is no tool result.",
    why: "A result must follow its call. It stands alone after its call was lost with a damaged line, \
        or after a failed turn whose tool ran all the same.",
    readers: "Providers answer status 400 to every later request on that branch.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[{"type":"text",…}],…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M002`): the result is set aside, and what hangs on it is linked \
        to its parent.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for &(result, call) in &audit.pairs().stray {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, result);
            let id = told.id.clone();
            match call.map(|call| Told::of(audit, call)) {
                None => told.finding(audit, &RULE, format!("no message on the path makes the call {id}")),
                Some(call) => told
                    .finding(
                        audit,
                        &RULE,
                        format!("the call {id} is in a message that failed, which readers leave out"),
                    )
                    .related(call.place, "the call"),
            }
        });
    }
}
