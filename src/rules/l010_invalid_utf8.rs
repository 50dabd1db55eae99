//! `invalid-utf8`: a line holds bytes that are not UTF-8.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::LineView;

/// L010.
pub static RULE: Rule = Rule {
    code: "L010",
    name: "invalid-utf8",
    severity: Severity::Error,
    also: &[],
    found: "A line holds bytes that are not valid UTF-8. A character that is cut by the end of a torn \
        record is part of `L001` or `L005` and not told here; on a damaged header's line `H003` is \
        told instead.",
    why: "The characters are lost for a reader, and a rewrite makes the loss permanent. Often the \
        output of a tool in another encoding was stored as it came, or a character was cut in two.",
    readers: "pi shows the replacement character U+FFFD for them and writes it into the file when it \
        rewrites it. Strict readers refuse the whole file.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"Gr<FC><DF>e"}}"#,
    repair: Repair::Assumed,
    remedy: "Writes U+FFFD in the new file, which is what pi reads, and sets the original bytes aside. \
        The assumption is that nothing better is known about them.",
    checks: &[Check::Line(facts::BAD_UTF8, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(at) = line.bad_utf8 else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let message = format!("byte 0x{:02X} is no UTF-8 here", line.bytes[at]);
        Finding::new(&RULE, line.place(&(at..at + 1)), message)
    });
}
