//! `incomplete-assistant`: an assistant message lacks what statistics need.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::content::Message;
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M010.
pub static RULE: Rule = Rule {
    code: "M010",
    name: "incomplete-assistant",
    severity: Severity::Warning,
    also: &[],
    found: "An assistant message has no `provider`, `model` or `stopReason`, or no `usage` in which \
        `input`, `output`, `cacheRead`, `cacheWrite` and `cost.total` are numbers. `totalTokens` \
        came later and may be absent.",
    why: "Converters and extensions that write messages by themselves leave these out. The \
        conversation is whole; what counts and shows it is not prepared for it.",
    readers: "pi's footer and statistics crash or count nothing.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":"hi","usage":{"input":12}}}"#,
    repair: Repair::None,
    remedy: "None: what was used is not in the file, and a zero would be a lie.",
    checks: &[Check::Record(facts::INCOMPLETE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    sink.add_with(&RULE, RULE.severity, || {
        let missing = Message::read(&seen.record).missing(&seen.record).unwrap_or_default();
        let place = match missing.split('.').next().and_then(|name| seen.record.get_inner(name.as_bytes())) {
            Some(member) => seen.at(&member.value),
            None => seen.start_place(),
        };
        let message = format!("the assistant message has no proper `{missing}`");
        Finding::new(&RULE, place, message).entry(seen.id_json())
    });
}
