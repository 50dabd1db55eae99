//! `unicode-line-separator`: a string holds a raw Unicode line separator.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// L017.
pub static RULE: Rule = Rule {
    code: "L017",
    name: "unicode-line-separator",
    severity: Severity::Info,
    also: &[],
    found: "A string holds U+2028, U+2029 or U+0085 as it is, not as an escape. Told once a file, on \
        the first place, with the count.",
    why: "It is legal JSON, and in this format a line ends at a line feed only. But scripts that \
        split the file with a function that knows more line ends cut the record in two.",
    readers: "pi reads it correctly. Readers that split at every Unicode line end, such as Python's \
        `splitlines`, break the record.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"one<U+2028>two"}}"#,
    repair: Repair::None,
    remedy: "None needed: the file is right. In scripts of your own, split at byte 0x0A only.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let separators = audit.session.facts.separators;
    let Some((line, line_start, offset, length)) = separators.first else { return };
    let lines =
        if separators.count == 1 { "a line holds".to_string() } else { format!("{} lines hold", separators.count) };
    let message = format!("{lines} a raw U+2028, U+2029 or U+0085{}", super::first_of(separators.count));
    sink.add(Finding::new(&RULE, Place { line, line_start, offset, length }, message));
}
