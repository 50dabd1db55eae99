//! `invalid-timestamp`: an entry has no usable timestamp.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::time::{self, Time};
use crate::json::Kind;
use crate::session::envelope::facts;
use crate::session::envelope::read_time;
use crate::session::scan::RecordView;
use crate::session::{Shape, flags};

/// E007.
pub static RULE: Rule = Rule {
    code: "E007",
    name: "invalid-timestamp",
    severity: Severity::Warning,
    also: &[],
    found: "The `timestamp` of an entry is absent, or is not of the form \
        `YYYY-MM-DDTHH:MM[:SS[.fff]](Z|±HH:MM)` with a real date. If JavaScript still understands \
        it, the finding says what it is read as. Also a timestamp inside a message that is there \
        but is no number. Not told of marker lines (`E003`).",
    why: "Times order the branches that start at one entry. An invalid one makes that order \
        arbitrary; it also falsifies durations and statistics by day.",
    readers: "pi: the order of siblings becomes unpredictable. agent-core 0.85 refuses the file; \
        agent-core 0.83 refuses it where the entry has none.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-30T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"yesterday","message":{…}}"#,
    repair: Repair::None,
    remedy: "None: the true time is not known, and an invented one would be worse than none. The place \
        in the file still shows between which entries it was written.",
    checks: &[Check::Record(facts::BAD_TIME, check), Check::Session(absent)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let record = &seen.record;
    if let Some(member) = record.get(b"timestamp") {
        let time = read_time(record, member);
        if member.kind != Kind::String || !matches!(time, Time::Proper(_)) {
            sink.add_with(&RULE, RULE.severity, || {
                let read = match time.millis() {
                    Some(ms) => format!("read by pi as {}", time::show(ms)),
                    None => "it is no time that is known here".to_string(),
                };
                let shown = super::quote(&record.bytes[member.value.clone()]);
                let message = format!("the timestamp {shown} is not as the format has it; {read}");
                Finding::new(&RULE, seen.at(&member.value), message).entry(seen.id_json())
            });
        }
    }
    if let Some(member) = record.get_inner(b"timestamp").filter(|m| m.kind != Kind::Number) {
        sink.add_with(&RULE, RULE.severity, || {
            let message = format!("`message.timestamp` is {}, not a number of milliseconds", member.kind.name());
            Finding::new(&RULE, seen.at(&member.value), message).entry(seen.id_json())
        });
    }
}

/// Entries without a time. Whether a line without ids is a marker line, of which rule E003 tells, or
/// an entry of version 1 shows only at the whole file.
fn absent(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if !session.traits.any(flags::TIME_ABSENT) {
        return;
    }
    for (n, entry) in (0u32..).zip(&session.entries) {
        if entry.has(flags::TIME_ABSENT) && (session.shape == Shape::Line || !entry.is_marker()) {
            sink.add_with(&RULE, RULE.severity, || {
                let place = audit.place_of(entry, entry.offset, 1);
                Finding::new(&RULE, place, "the entry has no `timestamp`").entry(session.id_json(n))
            });
        }
    }
}
