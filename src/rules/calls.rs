//! Tool calls and results in findings: where they stand, and what they are called.

use super::check::Audit;
use super::{Finding, Place, Rule, quote};
use crate::json::Span;
use crate::record::Record;
use crate::session::flags;

/// A call or a result, read again.
pub(super) struct Told {
    /// Its entry.
    pub(super) entry: u32,
    /// Where its id stands; the entry's first byte where that cannot be read again.
    pub(super) place: Place,
    /// The id in back-ticks.
    pub(super) id: String,
    /// The tool in back-ticks.
    pub(super) tool: String,
}

impl Told {
    /// The call or the result at a place of the session's list.
    pub(super) fn of(audit: &Audit<'_>, at: u32) -> Told {
        let session = audit.session;
        let call = session.calls[at as usize];
        let first = session.calls.partition_point(|c| c.entry < call.entry);
        let nth = at as usize - first;
        let read = audit.reread(call.entry, |record| match call.is_result {
            true => Some(result(record)),
            false => called(record, nth),
        });
        let (span, id, tool) = read.flatten().unwrap_or_else(|| (None, "`?`".to_string(), "`?`".to_string()));
        let entry = &session.entries[call.entry as usize];
        let place = match span.filter(|_| !entry.has(flags::JOINED)) {
            Some(span) => audit.place_of(entry, entry.offset + span.start as u64, span.len() as u64),
            None => audit.place_of(entry, entry.offset, 1),
        };
        Told { entry: call.entry, place, id, tool }
    }

    /// A finding on it.
    pub(super) fn finding(self, audit: &Audit<'_>, rule: &'static Rule, message: String) -> Finding {
        Finding::new(rule, self.place, message).entry(audit.session.id_json(self.entry))
    }
}

type Read = (Option<Span>, String, String);

fn result(record: &Record<'_>) -> Read {
    let text =
        |name: &[u8]| record.get_inner(name).and_then(|m| record.raw_string(m)).map_or_else(|| "`?`".into(), quote);
    (record.get_inner(b"toolCallId").map(|m| m.value.clone()), text(b"toolCallId"), text(b"toolName"))
}

/// The message's `nth` call that has an id.
fn called(record: &Record<'_>, nth: usize) -> Option<Read> {
    let block = record.call(nth)?;
    let text = |name: &[u8]| block.raw(name).map_or_else(|| "`?`".to_string(), quote);
    Some((block.call_id().map(|m| m.value.clone()), text(b"id"), text(b"name")))
}
