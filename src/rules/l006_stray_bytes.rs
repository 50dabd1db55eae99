//! `stray-bytes`: other bytes stand before or behind a record on its line.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// L006.
pub static RULE: Rule = Rule {
    code: "L006",
    name: "stray-bytes",
    severity: Severity::Error,
    also: &[],
    found: "On the line of a complete object, before or behind it, there are bytes that are neither \
        JSON white space, nor NULs, nor a byte order mark, nor an object or a piece of one: a \
        no-break space U+00A0, a log message, half a word.",
    why: "The record is intact, but the line as a whole is no JSON. Typical causes are an editor \
        that changed a blank, or another program that printed into the file.",
    readers: "pi drops the whole line, record included. Children of the record dangle.",
    example: r#"warning: retrying {"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}} done"#,
    repair: Repair::Safe,
    remedy: "Keeps the record and sets the other bytes aside.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces.filter(|p| p.wholes() > 0) else { return };
    for piece in pieces.list.iter().filter(|p| p.kind == PieceKind::Junk) {
        sink.add_with(&RULE, RULE.severity, || {
            let what = super::quote(&line.bytes[piece.span.clone()]);
            Finding::new(&RULE, line.place(&piece.span), format!("{what} stands beside a complete record"))
        });
    }
}
