//! `torn-then-record`: a cut record and a whole one share a line.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::{PieceKind, readable};
use crate::session::scan::{LineView, line_facts};

/// L004.
pub static RULE: Rule = Rule {
    code: "L004",
    name: "torn-then-record",
    severity: Severity::Error,
    also: &[],
    found: "A record breaks off, and on the same line a complete record follows that reaches the \
        line's end. It is told once a line. An object nested in the cut record, or in what remains \
        of one, does not count as a record: what follows must look like a header or an entry.",
    why: "A write was interrupted, and the next one continued on the same line. The first record is \
        damaged, the second is not, but a reader that parses the line as one value sees neither.",
    readers: "pi drops both. Children of either of them dangle.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8{"type":"message","id":"b7e4a910",…}"#,
    repair: Repair::Safe,
    remedy: "Sets the bytes of the cut record aside and keeps the complete one on a line of its own. If \
        the complete record has the id that can be read in the cut one, the record was merely \
        written again: nothing is lost, and the finding says so.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces else { return };
    if !super::has_cut_before_whole(pieces) {
        return;
    }
    let Some(at) = pieces.list.iter().position(|p| matches!(p.kind, PieceKind::Cut { .. })) else { return };
    let cut = &pieces.list[at].span;
    let Some(whole) = pieces.list[at..].iter().find(|p| p.kind == PieceKind::Whole) else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let bytes = &line.bytes[cut.clone()];
        let id = readable::id(bytes);
        let same = id.is_some() && id == readable::id(&line.bytes[whole.span.clone()]);
        let fate = if same {
            "the complete one has the same id, so nothing is lost".to_string()
        } else {
            readable::describe(bytes)
        };
        Finding::new(
            &RULE,
            line.place(cut),
            format!(
                "a record is cut after {} and another one follows on the same line; {fate}",
                super::counted(bytes.len(), "byte")
            ),
        )
        .entry(id)
        .related(line.place(&whole.span), "the complete record behind it")
    });
}
