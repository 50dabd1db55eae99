//! `foreign-format`: the file, or a line of it, belongs to another program or storage.

use super::check::{Audit, Check, Sink};
use super::kind::FileKind;
use super::{Finding, Place, Repair, Rule, Severity};

/// H010.
pub static RULE: Rule = Rule {
    code: "H010",
    name: "foreign-format",
    severity: Severity::Error,
    also: &[],
    found: "The file is a session of another program or storage: agent-core v4 of 0.84 or of 0.85, \
        Claude Code, Codex, an extension's side file and others. Or lines of another storage stand \
        inside a pi file: told once, at the first of them; they count as no entries, and nothing \
        else is said of them. Of a file that is foreign as a whole nothing else is told, except \
        damage to its lines (`L001` to `L005`, `L010`).",
    why: "Such a file is probably sound, but not for this reader. Lines of two storages in one file \
        mean that two programs wrote to it.",
    readers: "pi refuses a file of another format. The finding names the format and what reads it.",
    example: r#"{"kind":"header","version":4,"id":"019c2b7e-…",…}
{"kind":"entry","seq":1,…}"#,
    repair: Repair::None,
    remedy: "None: translating one format into another is no repair. Use the program that the finding \
        names.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let facts = &audit.session.facts;
    if let FileKind::Foreign(dialect) = audit.kind() {
        let Some(first) = &facts.first_line else { return };
        let place = Place { line: first.line, line_start: first.offset, offset: first.offset, length: first.length };
        let message = format!("the file is {}, read by {}", dialect.title, dialect.read_by);
        sink.add(Finding::new(&RULE, place, message).effect("pi refuses it"));
        return;
    }
    let (Some((line, line_start, offset, length)), Some(dialect)) = (facts.foreign.first, facts.foreign_dialect) else {
        return;
    };
    let count = facts.foreign.count;
    let lines = if count == 1 { "a line of".to_string() } else { format!("{count} lines of") };
    let message = format!("{lines} another storage in a session of pi: this is from {}", dialect.title);
    sink.add(
        Finding::new(&RULE, Place { line, line_start, offset, length }, message)
            .effect("pi takes each for an entry of an unknown kind"),
    );
}
