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
    let mut block: Option<Block> = None;
    for &(before, later) in &session.copies {
        if !audit.is_same_record(before, later) {
            continue;
        }
        match &mut block {
            // lines that follow each other in both places are one block
            Some(Block { before: first, start, count }) if *first + *count == before && *start + *count == later => {
                *count += 1;
            }
            _ => {
                tell(audit, sink, block.take());
                block = Some(Block { before, start: later, count: 1 });
            }
        }
    }
    tell(audit, sink, block);
}

/// Entries that stand again: the first of them, the first copy, and how many.
struct Block {
    before: u32,
    start: u32,
    count: u32,
}

fn tell(audit: &Audit<'_>, sink: &mut Sink, block: Option<Block>) {
    let Some(Block { before, start, count }) = block else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let id = super::quote(audit.session.id_text(start).as_bytes());
        let message = match count {
            1 => format!("the entry {id} stands here again, byte for byte"),
            _ => format!("{count} entries stand here again, byte for byte, from {id} on"),
        };
        Finding::new(&RULE, audit.place(start), message)
            .entry(audit.session.id_json(start))
            .related(audit.id_place(before), "the first copy")
    });
}
