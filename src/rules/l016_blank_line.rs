//! `blank-line`: there are blank lines.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// L016.
pub static RULE: Rule = Rule {
    code: "L016",
    name: "blank-line",
    severity: Severity::Info,
    also: &[],
    found: "The file has lines with nothing on them but blanks. Told once a file, on the first one, \
        with the count.",
    why: "Blank lines carry nothing and harm no pi session, but they are not written by pi. A strict \
        reader may stumble.",
    readers: "pi skips them, and agent-core 0.83 ignores them. agent-core 0.85 refuses blank lines in \
        the middle of a file.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}

{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::None,
    remedy: "None needed: nothing is lost and nothing is read differently.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let blank = audit.session.facts.blank;
    let Some((line, line_start, offset, length)) = blank.first else { return };
    let message = if blank.count == 1 {
        "a blank line".to_string()
    } else {
        format!("{} blank lines; this is the first", blank.count)
    };
    sink.add(Finding::new(&RULE, Place { line, line_start, offset, length }, message));
}
