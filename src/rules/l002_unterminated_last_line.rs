//! `unterminated-last-line`: the last line is whole, but its line feed is missing.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// L002.
pub static RULE: Rule = Rule {
    code: "L002",
    name: "unterminated-last-line",
    severity: Severity::Warning,
    also: &[],
    found: "The last line of the file ends with a complete object and no line feed follows it.",
    why: "Nothing is lost yet. But the format promises a line feed after each record, and a program \
        that appends without looking puts the next record on the same line.",
    readers: "pi up to 0.84 fuses its next append with this line; neither of the two entries can be read \
        afterwards. agent-core 0.85 drops the line. pi 0.85.1 and later add the missing line feed \
        when they open the file.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…",…}⏎
{"type":"session_info","id":"b7e4a910","parentId":"5c1d0e2f",…,"name":"parser"}<end of file>"#,
    repair: Repair::Safe,
    remedy: "Adds the line feed. No other byte changes.",
    checks: &[Check::Line(line_facts::UNTERMINATED, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let whole = match (line.pieces, line.joined) {
        (None, _) | (_, Some(_)) => true,
        (Some(pieces), None) => pieces.list.last().is_some_and(|p| p.kind == PieceKind::Whole),
    };
    if whole {
        let end = line.bytes.len();
        sink.add(Finding::new(&RULE, line.place(&(end..end)), "the last line is complete, but no line feed ends it"));
    }
}
