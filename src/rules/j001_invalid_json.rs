//! `invalid-json`: the line is not JSON.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::PieceKind;
use crate::session::scan::{LineView, line_facts};

/// J001.
pub static RULE: Rule = Rule {
    code: "J001",
    name: "invalid-json",
    severity: Severity::Error,
    also: &[],
    found: "The line is not JSON, and no rule about lines (cut, glued, stray bytes, NULs …) explains \
        it. The finding says the kind: `undefined`, `NaN`, a comment, a trailing comma, single \
        quotes, a raw control character in a string, the end of a record whose beginning is \
        missing (an entry was lost here), and so on. For the header's line `H003` is told.",
    why: "What the line says cannot be read by any JSON reader. Mostly it was written by hand or by \
        a script that built JSON out of text. If it was an entry, its children lose their parent.",
    readers: "pi skips the line without a word.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"hi",}}
{'type': 'label', 'id': 'b7e4a910', 'targetId': '5c1d0e2f', 'label': None}"#,
    repair: Repair::Safe,
    remedy: "Sets the line aside; it is not guessed what it should have been. If you can see what is \
        wrong, correct it in a copy of the file and validate that. A child whose parent stood here \
        gets a `G003` that names this line.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(pieces) = line.pieces else { return };
    if pieces.wholes() > 0 || pieces.value.is_some() || line.joined.is_some() {
        return;
    }
    let Some(junk) = pieces.first(|k| k == PieceKind::Junk) else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let at = pieces.fail.map_or(junk.span.start, |f| f.at).min(line.bytes.len().saturating_sub(1));
        let what = super::junk::describe(line.bytes, pieces.fail);
        Finding::new(&RULE, line.place(&(at..at + 1)), format!("the line is not JSON: {what}"))
    });
}
