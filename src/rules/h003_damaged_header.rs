//! `damaged-header`: the first line was a header but is no JSON any more.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Repair, Rule, Severity};

/// H003.
pub static RULE: Rule = Rule {
    code: "H003",
    name: "damaged-header",
    severity: Severity::Error,
    also: &[],
    found: "The first line is not JSON, but can be recognised as a header. For this line it takes the \
        place of `H001`, `J001`, `L001`, `L005` and `L010`. A header that can be recovered whole \
        (from a glued line, or from beside stray bytes, NULs or a byte order mark) is no damaged \
        header.",
    why: "A few wrong bytes in one line lock up the whole session. The entries are usually intact.",
    readers: "As without a header: pi refuses the file (\"not a valid pi session\"), and pi 0.73 \
        replaced it by a fresh header.",
    example: r#"{"type":"session","version":3,"id":"019c2b7e-51aa-7c3e-9d10-2f6b8c4e7a01","timesta
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Writes the header anew. Fields that can still be read are kept; the others come from the \
        file name, the folder name and the first timestamp. The assumption is that those are still \
        the original ones; the damaged line is set aside.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(first) = audit.session.facts.first_line.as_ref().filter(|l| l.broken_header) else { return };
    // with a whole header further down it is a cut line like others
    if audit.session.header.is_some() {
        return;
    }
    // what the lines' own rules say of this line is told here
    let said = |code: &str| matches!(code, "J001" | "L001" | "L005" | "L010");
    sink.remove(|f| said(f.rule.code) && f.place.as_ref().is_some_and(|p| p.line == first.line));
    let bytes = audit.source.read_range(first.offset, first.length.min(1 << 20)).unwrap_or_default();
    let left = crate::record::readable::describe(&bytes);
    let place = Place { line: first.line, line_start: first.offset, offset: first.offset, length: first.length };
    sink.add(Finding::new(&RULE, place, format!("the first line was a header, but it is not JSON; {left}")));
}
