//! `byte-order-mark`: a byte order mark stands at the start of the file or of a line.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// L011.
pub static RULE: Rule = Rule {
    code: "L011",
    name: "byte-order-mark",
    severity: Severity::Error,
    also: &[],
    found: "The bytes EF BB BF stand at the start of the file or of a line.",
    why: "An editor or a script saved the file as \"UTF-8 with BOM\", or files with such a mark were \
        joined. Three invisible bytes keep the record behind them from being read.",
    readers: "At the start of the file: pi refuses the file. At the start of another line: pi drops that \
        line.",
    example: r#"<EF BB BF>{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::Safe,
    remedy: "Sets the three bytes aside. The record does not change.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces else { return };
    let alone = pieces.list.iter().all(|p| p.kind == PieceKind::Bom);
    if pieces.wholes() == 0 && !alone && pieces.first(|k| k == PieceKind::Junk).is_some() {
        return;
    }
    for piece in pieces.list.iter().filter(|p| p.kind == PieceKind::Bom) {
        let (place, effect) = match line.offset + piece.span.start as u64 {
            0 => ("the file begins", "pi refuses the file"),
            _ => ("the line is marked", "pi drops the line"),
        };
        sink.add_with(&RULE, RULE.severity, || {
            Finding::new(&RULE, line.place(&piece.span), format!("{place} with a byte order mark")).effect(effect)
        });
    }
}
