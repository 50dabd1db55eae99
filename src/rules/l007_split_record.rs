//! `split-record`: raw line feeds inside a string spread one record over several lines.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::scan::{LineView, line_facts};

/// L007.
pub static RULE: Rule = Rule {
    code: "L007",
    name: "split-record",
    severity: Severity::Error,
    also: &[],
    found: "Several lines in a row are no records on their own, but joined with `\\n` escapes in the \
        place of the line feeds they are one object: a string in it holds line feeds that were not \
        escaped.",
    why: "The text of the record is all there. It was written by a program that did not escape line \
        feeds, or was wrapped by an editor. Because a record must be one line, none of the pieces \
        can be read.",
    readers: "pi drops every piece. The whole record is missing, and its children dangle.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"Please fix:
- the parser
- the tests"}}"#,
    repair: Repair::Assumed,
    remedy: "Joins the lines, each line feed written as the escape `\\n`. The assumption is that the \
        line feeds belong to the string; the manifest names it.",
    checks: &[Check::Line(line_facts::JOINED, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let (Some(joined), Some(start)) = (line.joined, line.pieces.and_then(|p| p.list.last())) else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let place = line.place(&(start.span.start..start.span.start + joined.length));
        Finding::new(
            &RULE,
            place,
            format!("one record lies over {} lines: a string holds raw line feeds", joined.lines),
        )
    });
}
