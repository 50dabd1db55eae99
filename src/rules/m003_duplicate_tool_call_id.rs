//! `duplicate-tool-call-id`: two calls of one message share an id.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::{Repair, Rule, Severity};

/// M003.
pub static RULE: Rule = Rule {
    code: "M003",
    name: "duplicate-tool-call-id",
    severity: Severity::Warning,
    also: &[],
    found: "Two calls of one assistant message have the same id. The same id in a later message is \
        lawful: many providers count from one again.",
    why: "A result names its call by the id alone, so it cannot be told which of the two it answers.",
    readers: "Providers answer status 400 to every later request on that branch.",
    example: r#"{…"content":[{"type":"toolCall","id":"call_1","name":"read",…},{"type":"toolCall","id":"call_1","name":"bash",…}]…}"#,
    repair: Repair::None,
    remedy: "None: it cannot be told which result belongs to which call.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for &(second, first) in &audit.pairs().twice {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, second);
            let message = format!("two calls of this message have the id {}", told.id);
            told.finding(audit, &RULE, message).related(Told::of(audit, first).place, "the first of them")
        });
    }
}
