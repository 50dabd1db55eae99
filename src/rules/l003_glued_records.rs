//! `glued-records`: several whole records stand on one line.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// L003.
pub static RULE: Rule = Rule {
    code: "L003",
    name: "glued-records",
    severity: Severity::Error,
    also: &[],
    found: "A line holds two or more complete objects with nothing but JSON white space between them, \
        or nothing at all. Only objects at the top level count, not those inside another object. \
        If a cut piece follows them, it is told beside this as `L005`, or as `L001` on a last line \
        without line feed.",
    why: "A line feed was lost, often because a program appended to a file whose last line had none \
        (see `L002`). Every record on the line is intact, but a reader that parses line by line \
        gets none of them, and the next entries lose their parent.",
    readers: "pi drops the whole line. Entries whose parent stood on it dangle, so that the branch \
        starts anew behind the line and all earlier context is missing.",
    example: r#"{"type":"message","id":"5c1d0e2f",…}{"type":"message","id":"b7e4a910",…}
{"type":"message","id":"e03f6a1c","parentId":"b7e4a910","timestamp":"…",…}"#,
    repair: Repair::Safe,
    remedy: "Gives each record its own line by inserting line feeds. The records themselves do not \
        change.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces else { return };
    let wholes: Vec<_> = pieces.list.iter().filter(|p| p.kind == PieceKind::Whole).collect();
    if wholes.len() < 2 || pieces.first(|k| k == PieceKind::Junk).is_some() || super::has_cut_before_whole(pieces) {
        return;
    }
    sink.add_with(&RULE, RULE.severity, || {
        let message = format!("{} complete records stand on one line", wholes.len());
        Finding::new(&RULE, line.place(&wholes[1].span), message)
            .effect(effect(wholes.len()))
            .related(line.place(&wholes[0].span), "the first record")
    });
}

fn effect(records: usize) -> String {
    let all = if records == 2 { "both".to_string() } else { format!("all {records}") };
    format!("pi drops the whole line: {all} records are gone, and their children dangle")
}
