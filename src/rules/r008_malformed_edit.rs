//! `malformed-edit`: a context edit does not say what to put in place.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// R008.
pub static RULE: Rule = Rule {
    code: "R008",
    name: "malformed-edit",
    severity: Severity::Error,
    also: &[],
    found: "A `context_edit` has no key `replacement`. `null` is lawful and removes the message.",
    why: "The edit says which message to change but not how, and a reader that meets it on the \
        branch fails instead of passing over it. The whole session then cannot be resumed.",
    readers: "Building the context throws (pi 1.6). agent-core 0.83 does not know context edits.",
    example: r#"{"type":"context_edit","id":"b7e4a910","parentId":"5c1d0e2f",…,"targetId":"9a8b7c6d"}"#,
    repair: Repair::None,
    remedy: "None: whether the message was to be removed or replaced, and by what, is not in the file. \
        In a copy of the file add `\"replacement\":null` if the message should be hidden from the \
        model.",
    checks: &[Check::Record(facts::NO_REPLACEMENT, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    sink.add_with(&RULE, RULE.severity, || {
        Finding::new(&RULE, seen.start_place(), "the edit has no `replacement`").entry(seen.id_json())
    });
}
