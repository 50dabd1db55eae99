//! `emptied-session`: only a header is left, and it is younger than the file.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::time;

/// H011.
pub static RULE: Rule = Rule {
    code: "H011",
    name: "emptied-session",
    severity: Severity::Warning,
    also: &[],
    found: "The file holds nothing but a header, and the time in the header is later than the one in \
        the file name.",
    why: "The file was begun earlier than its header was written, so there was something else in it \
        before. A session that was only started does not look like this: it is not written to disk \
        before there is a message.",
    readers: "Readers open it as an empty session. It is what pi 0.73 left of a session whose header it \
        could not read: it replaced the file by a fresh header.",
    example: r#"2026-02-03T10-14-58-001Z_019c2b7e-51aa-7c3e-9d10-2f6b8c4e7a01.jsonl:
{"type":"session","version":3,"id":"019c3004-…","timestamp":"2026-02-04T08:30:11.520Z",…}"#,
    repair: Repair::None,
    remedy: "None: the old content is no longer in the file. Look for it in a backup, in a file-system \
        snapshot, or in a fork or copy of the session.",
    checks: &[Check::Session(check)],
};

/// How much later than the file name a fresh header's time may be.
const SLACK: i64 = 60_000;

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let facts = &session.facts;
    let Some(header) = &session.header else { return };
    if facts.objects != 1 || !session.entries.is_empty() || facts.dropped > 0 {
        return;
    }
    let Some(born) = audit.file_name().as_deref().and_then(super::file_name::parse).and_then(|n| n.time) else {
        return;
    };
    let Some(written) = header.text("timestamp").and_then(|t| time::read(t.as_bytes()).millis()) else { return };
    if written > born + SLACK {
        let message = format!(
            "the file holds nothing but a header, written {}; its name says {}",
            time::show(written),
            time::show(born)
        );
        sink.add(Finding::new(&RULE, None, message));
    }
}
