//! `split-record`: raw line feeds inside a string spread one record over several lines.

use super::{Repair, Rule, Severity};

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
};
