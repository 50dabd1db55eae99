//! `self-parent`: an entry is its own parent.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::Shape;

/// G004.
pub static RULE: Rule = Rule {
    code: "G004",
    name: "self-parent",
    severity: Severity::Error,
    also: &[],
    found: "The `parentId` of an entry equals its own `id`. This is told also where the id occurs \
        twice.",
    why: "The way from the leaf to the root never ends at such an entry. What was written before it \
        is cut off.",
    readers: "pi hangs or uses up all memory when it walks a branch that contains it. In the tree it \
        appears as a root.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":"b7e4a910","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Links the entry to the one written just before it, never to one of its own descendants. \
        The assumption is that the conversation went on where it stood; the manifest names it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    for n in 0..session.entries.len() as u32 {
        if audit.names_itself(n) {
            sink.add_with(&RULE, RULE.severity, || {
                let id = super::quote(session.id_text(n).as_bytes());
                Finding::new(&RULE, audit.parent_place(n), format!("the entry {id} is its own parent"))
                    .entry(session.id_json(n))
            });
        }
    }
}
