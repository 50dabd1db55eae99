//! `dangling-label-target`: a label belongs to an entry that is not in the file.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{RefKind, RefValue};

/// R002.
pub static RULE: Rule = Rule {
    code: "R002",
    name: "dangling-label-target",
    severity: Severity::Warning,
    also: &[],
    found: "The `targetId` of a `label` entry names no entry of the file.",
    why: "The label is a bookmark whose page is missing. It shows that an entry was there once that \
        is now lost, or that the label was carried over from another session.",
    readers: "Nothing fails on opening. The label is lost at the next fork, which writes only labels \
        whose target survives.",
    example: r#"{"type":"label","id":"b7e4a910","parentId":"5c1d0e2f",…,"targetId":"d4d4","label":"ok"}"#,
    repair: Repair::None,
    remedy: "None: nothing in the file shows which entry was meant. Set the label again on the right \
        one; until then its text stays in the file.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::LabelTarget) {
        let (RefValue::Id(key), None) = (reference.value, reference.target) else { continue };
        sink.add_with(&RULE, RULE.severity, || {
            let message = format!("the label's target {} is not in this file", super::quote(&session.arena.get(key)));
            Finding::new(&RULE, audit.ref_place(reference), message).entry(session.id_json(reference.entry))
        });
    }
}
