//! `clock-went-back`: an entry is older than its parent.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::NO_TIME;

/// E008.
pub static RULE: Rule = Rule {
    code: "E008",
    name: "clock-went-back",
    severity: Severity::Info,
    also: &[],
    found: "The `timestamp` of an entry is earlier than its parent's. Told once a file, on the first \
        place, with the count and the largest jump. A header that is younger than the first entry \
        is normal and never told.",
    why: "The machine's clock was set back, or entries were written by machines whose clocks differ. \
        The conversation is whole; only times and durations mislead.",
    readers: "pi shows siblings in the order of their times, not of the file, so that branches may \
        appear in an unexpected order.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"2026-02-03T09:15:09Z",…}"#,
    repair: Repair::None,
    remedy: "None needed: parents, not times, make the conversation, and the times are what the clock \
        said.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let mut first = None;
    let mut count = 0u64;
    let mut largest = 0i64;
    for (n, entry) in (0u32..).zip(&session.entries) {
        // what hangs on a later entry is told by G002, G005 or G006
        let Some(parent) = session.parent(n).filter(|parent| *parent < n) else { continue };
        let before = session.entries[parent as usize].time;
        if entry.time == NO_TIME || before == NO_TIME || entry.time >= before {
            continue;
        }
        first.get_or_insert(n);
        count += 1;
        largest = largest.max(before.saturating_sub(entry.time));
    }
    let Some(n) = first else { return };
    let entries = if count == 1 { "an entry is".to_string() } else { format!("{count} entries are") };
    let most = if count == 1 { "" } else { "up to " };
    let by = super::duration(largest);
    let message = format!("{entries} older than the parent, by {most}{by}{}", super::first_of(count));
    let place = audit.member_place(n, |r| r.get(b"timestamp").map(|m| m.value.clone()));
    sink.add(Finding::new(&RULE, place, message).entry(session.id_json(n)));
}
