//! `dangling-summary-source`: a branch summary came from an entry that is not in the file.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{RefKind, RefValue};

/// R006.
pub static RULE: Rule = Rule {
    code: "R006",
    name: "dangling-summary-source",
    severity: Severity::Warning,
    also: &[],
    found: "The `fromId` of a `branch_summary` names no entry of the file. The words `root` and \
        `unknown` are lawful, and so is its absence.",
    why: "The summary tells what happened on a branch that was left; `fromId` says which. The text \
        is still there, but what it summarises can no longer be looked up.",
    readers: "Nothing fails: the summary is in the context as it should be. Where it came from is lost.",
    example: r#"{"type":"branch_summary","id":"b7e4a910","parentId":"9a8b7c6d",…,"fromId":"d4d4d4d4",…}"#,
    repair: Repair::None,
    remedy: "None: the branch is not in this file. If the session is a fork, its source may still have \
        it; see `parentSession` in the header.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::SummarySource) {
        let (RefValue::Id(key), None) = (reference.value, reference.target) else { continue };
        // words that pi writes where there was no entry
        if matches!(session.arena.get(key).as_slice(), b"root" | b"unknown") {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let message =
                format!("the branch that was left, {}, is not in this file", super::quote(&session.arena.get(key)));
            Finding::new(&RULE, audit.ref_place(reference), message).entry(session.id_json(reference.entry))
        });
    }
}
