//! `nul-bytes`: NUL bytes stand between or beside records.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// L008.
pub static RULE: Rule = Rule {
    code: "L008",
    name: "nul-bytes",
    severity: Severity::Error,
    also: &[],
    found: "NUL bytes stand outside a JSON string, and a record follows later in the file or is on the \
        same line. NULs inside a string make the line `J001`; a file that ends in nothing but NULs \
        is `L009`; a record and NULs together on the last line are this rule.",
    why: "File systems leave runs of NULs when the machine goes down before data reaches the disk. \
        What they replaced is gone; a record on the same line is not, but cannot be read because \
        of them.",
    readers: "pi drops a line that carries NULs, the record on it included.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
<00 00 00 … 4,096 bytes … 00>{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…}"#,
    repair: Repair::Safe,
    remedy: "Sets the NULs aside and keeps the record.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces else { return };
    if pieces.wholes() == 0 && pieces.first(|k| k == PieceKind::Junk).is_some() {
        return;
    }
    for piece in pieces.list.iter().filter(|p| p.kind == PieceKind::Nul) {
        sink.add_with(&RULE, RULE.severity, || {
            let beside = if pieces.wholes() > 0 { " beside a record" } else { "" };
            Finding::new(
                &RULE,
                line.place(&piece.span),
                format!("{}{beside}", super::counted(piece.span.len(), "NUL byte")),
            )
        });
    }
}
