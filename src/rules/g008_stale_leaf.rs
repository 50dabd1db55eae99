//! `stale-leaf`: a bookkeeping entry at the end keeps the session on a shorter branch.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{Shape, flags};

/// G008.
pub static RULE: Rule = Rule {
    code: "G008",
    name: "stale-leaf",
    severity: Severity::Warning,
    also: &[],
    found: "The last entry of the file is bookkeeping (anything but message, custom_message, \
        compaction, branch_summary and leaf), and its branch has fewer messages than the branch of \
        the last message in the file. The finding gives both counts.",
    why: "The session resumes where its last line stands. A label, a name or a usage record that was \
        appended to an older entry moves it back there, and the newest messages seem to be gone, \
        although they are in the file.",
    readers: "pi takes the last entry for the leaf, whatever its type, and resumes the shorter branch.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}
{"type":"session_info","id":"e03f6a1c","parentId":"9a8b7c6d","timestamp":"…","name":"parser"}"#,
    repair: Repair::Assumed,
    remedy: "Writes a copy in which the bookkeeping entry hangs on the newest message. The assumption \
        is that the newest message is where the conversation stood; if going back was meant, leave \
        this repair out (`--ignore G008`).",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let Some(last) = (session.entries.len() as u32).checked_sub(1) else { return };
    let entry = &session.entries[last as usize];
    // without an id it is no leaf at all: rule E003 tells of it
    if session.shape == Shape::Line || !entry.kind.is_bookkeeping() || !entry.has(flags::ID) {
        return;
    }
    let Some(newest) = (0..last).rev().find(|n| session.entries[*n as usize].is_message()) else { return };
    let messages = |n: u32| session.path(n).filter(|m| session.entries[*m as usize].is_message()).count();
    let (here, there) = (messages(last), messages(newest));
    if here < there {
        let message = format!(
            "the last entry hangs on a branch of {}; the newest message is on one of {there}",
            super::counted(here, "message")
        );
        sink.add(
            Finding::new(&RULE, audit.id_place(last), message)
                .entry(session.id_json(last))
                .effect(format!("pi resumes with {here} of {there} messages"))
                .related(audit.id_place(newest), "the newest message"),
        );
    }
}
