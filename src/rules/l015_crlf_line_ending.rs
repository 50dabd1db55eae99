//! `crlf-line-ending`: lines end in CR LF.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// L015.
pub static RULE: Rule = Rule {
    code: "L015",
    name: "crlf-line-ending",
    severity: Severity::Info,
    also: &[],
    found: "A carriage return stands before the line feed. Told once a file, on the first such line, \
        with the count; that only some lines have it is said too.",
    why: "It does no harm to JSON. It shows that the file went through an editor or a transfer that \
        changes line ends, so that its bytes are no longer those that were written.",
    readers: "Tolerated: a carriage return is JSON white space.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…}}<0D 0A>"#,
    repair: Repair::None,
    remedy: "None needed: the meaning is the same, and bytes that need not change are left alone.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let facts = &audit.session.facts;
    let Some((line, line_start, offset, length)) = facts.crlf.first else { return };
    let mixed = if facts.lf_only > 0 { format!(", {} in LF alone", facts.lf_only) } else { String::new() };
    let count = facts.crlf.count;
    let lines = if count == 1 { "a line ends".to_string() } else { format!("{count} lines end") };
    let message = format!("{lines} in CR LF{mixed}{}", super::first_of(count));
    sink.add(Finding::new(&RULE, Place { line, line_start, offset, length }, message));
}
