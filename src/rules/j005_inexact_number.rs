//! `inexact-number`: a number that does not survive a rewrite.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// J005.
pub static RULE: Rule = Rule {
    code: "J005",
    name: "inexact-number",
    severity: Severity::Info,
    also: &[],
    found: "A number cannot be held exactly by a double, as a long integer, or is beyond its range, as \
        `1e400`. Told once a file, on the first place, with the count.",
    why: "The file holds the number exactly, but a program in JavaScript does not. It matters if the \
        number is an identifier, say in the arguments of a tool call.",
    readers: "pi reads the nearest double. When it rewrites the file, it stores that value, or `null` \
        for a number beyond the range.",
    example: r#"{"type":"custom","id":"5c1d0e2f",…,"customType":"trace","data":{"span":9007199254740993}}"#,
    repair: Repair::None,
    remedy: "None needed: the file is right. `sesstool` copies the number as it is written.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let inexact = audit.session.facts.inexact;
    let Some((line, line_start, offset, length)) = inexact.first else { return };
    let numbers = if inexact.count == 1 { "a number is".to_string() } else { format!("{} numbers are", inexact.count) };
    let message = format!("{numbers} more exact or larger than a double can hold{}", super::first_of(inexact.count));
    sink.add(Finding::new(&RULE, Place { line, line_start, offset, length }, message));
}
