//! `repeated-tool-result`: a second result for one call.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::{Repair, Rule, Severity};

/// M004.
pub static RULE: Rule = Rule {
    code: "M004",
    name: "repeated-tool-result",
    severity: Severity::Warning,
    also: &[],
    found: "A path holds a second result for one and the same call.",
    why: "A call has one result. A second one is written when a turn is taken up again after a crash, \
        or when a file was put together from copies.",
    readers: "Providers answer status 400 to every later request on that branch.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M004`): the later result is set aside, and what hangs on it is \
        linked to its parent.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for pair in &audit.pairs().repeated {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, pair.result);
            let message = format!("the call {} has a result already", told.id);
            told.finding(audit, &RULE, message).related(Told::of(audit, pair.call).place, "the call")
        });
    }
}
