//! `missing-header`: the file has no header.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// H001.
pub static RULE: Rule = Rule {
    code: "H001",
    name: "missing-header",
    severity: Severity::Error,
    also: &[],
    found: "No record of the file has the type `session`. A first line that is no JSON but can be \
        recognised as a header is `H003`; empty and blank files are `L014` and `L018`; files of \
        other programs are `H010`.",
    why: "The header says what the file is: format version, session id, working folder. The \
        conversation behind it may be whole, but no reader opens the file without it. Often the \
        first line was lost in copying or in filtering the file.",
    readers: "pi refuses the file (\"not a valid pi session\"). pi 0.73 replaced the file by a fresh \
        header, so that the conversation was gone: do not open it there.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Writes a header in front, built from the file name (session id and time), the folder name \
        (working folder) and the first timestamp. The assumption is that these names are still the \
        original ones; the manifest names it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let broken = session.facts.first_line.as_ref().is_some_and(|l| l.broken_header);
    if session.header.is_none() && !broken {
        let message = format!(
            "no line of the file is a header (a record of type `session`); it has {} entries",
            session.entries.len()
        );
        sink.add(Finding::new(&RULE, None, message));
    }
}
