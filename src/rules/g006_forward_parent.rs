//! `forward-parent`: a parent stands further down in the file than its child.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::Shape;

/// G006.
pub static RULE: Rule = Rule {
    code: "G006",
    name: "forward-parent",
    severity: Severity::Warning,
    also: &[],
    found: "The entry that `parentId` names stands later in the file, and no loop arises from it. \
        Where an id used twice is the cause, it is part of `G002`.",
    why: "A program that only appends cannot produce this: lines were sorted, merged or moved. The \
        tree is still whole, but the order of the lines no longer is the order of writing, and the \
        last line may not be the last entry.",
    readers: "pi reads it correctly. agent-core 0.85 refuses the file.",
    example: r#"{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"2026-02-03T10:15:09Z",…}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"2026-02-03T10:15:02Z",…}"#,
    repair: Repair::None,
    remedy: "None: no link is missing or wrong, and changing the order of lines would change which \
        entry is the leaf. If you still have the file from before it was sorted or merged, use \
        that.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    for n in 0..session.entries.len() as u32 {
        let Some(parent) = audit.near_parent(n).filter(|p| *p > n) else { continue };
        if audit.is_in_real_loop(n) {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let id = super::quote(session.id_text(parent).as_bytes());
            let line = session.entries[parent as usize].line;
            Finding::new(
                &RULE,
                audit.parent_place(n),
                format!("the parent {id} stands later in the file, on line {line}"),
            )
            .entry(session.id_json(n))
            .related(audit.id_place(parent), "the parent")
        });
    }
}
