//! `duplicate-line`: the same entry stands in the file again, byte for byte.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::Shape;

/// G001.
pub static RULE: Rule = Rule {
    code: "G001",
    name: "duplicate-line",
    severity: Severity::Warning,
    also: &[],
    found: "A line repeats an earlier one: the same id and the same bytes. A block of repeated lines, \
        such as a whole file written twice, is one finding, on its first copied line.",
    why: "The copies hold nothing new, so nothing is lost. But they clutter the view of the tree, \
        and counts that go by lines are too high.",
    readers: "Tolerated by pi, but in its tree the subtree of such an entry shows twice.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}"#,
    repair: Repair::Safe,
    remedy: "Sets the later copies aside.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    let mut block: Option<(u32, u32, u32)> = None;
    for &(before, later) in &session.copies {
        if !audit.is_same_record(before, later) {
            continue;
        }
        match &mut block {
            // copied lines that follow each other are one block
            Some((_, _, last)) if *last + 1 == later => *last = later,
            _ => {
                tell(audit, sink, block.take());
                block = Some((before, later, later));
            }
        }
    }
    tell(audit, sink, block);
}

fn tell(audit: &Audit<'_>, sink: &mut Sink, block: Option<(u32, u32, u32)>) {
    let Some((before, first, last)) = block else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let count = last - first + 1;
        let id = super::quote(audit.session.id_text(first).as_bytes());
        let message = match count {
            1 => format!("the entry {id} stands here again, byte for byte"),
            _ => format!("{count} entries stand here again, byte for byte, from {id} on"),
        };
        Finding::new(&RULE, audit.place(first), message)
            .entry(audit.session.id_json(first))
            .related(audit.id_place(before), "the first copy")
    });
}
