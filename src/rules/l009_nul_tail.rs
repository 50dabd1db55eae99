//! `nul-tail`: the file ends in NUL bytes and nothing else.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// L009.
pub static RULE: Rule = Rule {
    code: "L009",
    name: "nul-tail",
    severity: Severity::Warning,
    also: &[],
    found: "From some point on, the file holds only NULs, blanks and line ends. A last line that has \
        both a record and NULs is `L008`, and a file with nothing else at all is `L018`.",
    why: "The file had already grown when the machine went down, but the data behind its end never \
        reached the disk. Entries may have been lost there; the NULs hold no trace of them.",
    readers: "pi adds a line feed after the NULs, so that they stay in the file as a bad line.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
<00 00 00 … 4,096 bytes … 00><end of file>"#,
    repair: Repair::Safe,
    remedy: "Sets the NULs, and the blanks and line ends among them, aside. The file ends with its last \
        record.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let facts = &audit.session.facts;
    if facts.content_end == 0 {
        return;
    }
    // the NULs behind the last content were taken for L008, since nobody could know that nothing follows
    let torn = sink.findings.iter().find(|f| is_tail(f, facts.content_end)).and_then(|f| f.place.clone());
    let line =
        facts.nul_lines.first.map(|(line, line_start, offset, length)| Place { line, line_start, offset, length });
    let Some(place) = torn.or(line) else { return };
    let length = facts.bytes - place.offset;
    sink.remove(|f| is_tail(f, facts.content_end));
    sink.add(Finding::new(
        &RULE,
        Place { length, ..place },
        format!("from here on the file holds only NULs: {}", super::counted(length as usize, "byte")),
    ));
}

fn is_tail(finding: &Finding, content_end: u64) -> bool {
    finding.rule.code == "L008" && finding.place.as_ref().is_some_and(|p| p.offset >= content_end)
}
