//! `header-not-first`: something stands before the header.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// H002.
pub static RULE: Rule = Rule {
    code: "H002",
    name: "header-not-first",
    severity: Severity::Error,
    also: &[],
    found: "The header is there, but before it stands another value that parses and that JavaScript \
        takes for true: a message, oh-my-pi's `title` line, an array such as `[]`. The finding \
        stands on the header's line.",
    why: "The header must be the first record. Nothing is lost, but the file cannot be opened.",
    readers: "pi refuses the file, because the first record that parses is no header. Lines that do not \
        parse, and blank lines, do not matter to it. oh-my-pi, a fork, writes such a `title` line \
        itself.",
    example: r#"{"type":"title","title":"Parser fixes"}
{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}"#,
    repair: Repair::Safe,
    remedy: "Moves the header to the first line. All other lines keep their order and their bytes.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(header) = &audit.session.header else { return };
    let Some((line, line_start, offset, length)) = audit.session.facts.truthy.first else { return };
    let place = audit.header_place(header, header.offset, header.length);
    let count = audit.session.facts.truthy.count;
    let message = if count == 1 {
        "another value stands before the header".to_string()
    } else {
        format!("{count} other values stand before the header")
    };
    sink.add(
        Finding::new(&RULE, place, message)
            .related(Place { line, line_start, offset, length }, "what pi takes for the header"),
    );
}
