//! Changes of members as edits of the bytes they stand in.

use super::RepairError;
use super::model::{Change, Model, why};
use crate::edit::{Edit, Kind, Put, Why};
use crate::json::{Member, Scanner, Span, skip_space};
use crate::record::Record;
use crate::rules::check::escape_line_feeds;
use std::ops::Range;

/// The edits of the entries' members.
pub(super) fn edits(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    for (n, changes) in std::mem::take(&mut model.changes) {
        if !model.keeps_its_line(n) {
            continue;
        }
        let entry = &model.session.entries[n as usize];
        let bytes = model.source.read_range(entry.offset, entry.length)?;
        edits.extend(Bytes::of(bytes, entry.offset).change(&changes));
    }
    Ok(())
}

/// An entry with all its changes, for another place: one line of UTF-8, without a line feed.
pub(super) fn rewritten(model: &Model<'_>, n: u32, parent: Option<&str>) -> Result<Vec<u8>, RepairError> {
    let entry = &model.session.entries[n as usize];
    let bytes = Bytes::as_text(&model.source.read_range(entry.offset, entry.length)?);
    let mut changes: Vec<Change> = model.changes.get(&n).cloned().unwrap_or_default();
    if let Some(parent) = parent {
        changes.retain(|change| change.member != "parentId");
        let why = why("M005", Kind::Choice, "it hangs on its call");
        changes.push(Change { member: "parentId", json: parent.to_string(), why });
    }
    let mut edits = bytes.change(&changes);
    super::content::inside(model, entry.offset, Some(entry.kind), &bytes, &mut edits);
    Ok(bytes.with(&super::disjoint(edits)))
}

/// A record that is read again, and where its bytes stand in the file.
pub(super) struct Bytes {
    bytes: Vec<u8>,
    base: u64,
    /// Offsets in `bytes` of escapes that are raw line feeds in the file.
    feeds: Vec<usize>,
}

impl Bytes {
    /// A record as it stands in the file from `base` on; one of several lines is put together.
    pub(super) fn of(raw: Vec<u8>, base: u64) -> Bytes {
        // a record of one line holds no line feed
        let feeds: Vec<usize> = memchr::memchr_iter(b'\n', &raw).enumerate().map(|(n, at)| at + n).collect();
        match feeds.is_empty() {
            true => Bytes { bytes: raw, base, feeds },
            false => Bytes { bytes: escape_line_feeds(&raw), base, feeds },
        }
    }

    /// The record as one line of UTF-8, at offset 0 of a text of its own.
    pub(super) fn as_text(raw: &[u8]) -> Bytes {
        let decoded = String::from_utf8_lossy(raw).into_owned();
        Bytes { bytes: escape_line_feeds(decoded.as_bytes()), base: 0, feeds: Vec::new() }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes with edits that lie inside them; only of a text of its own.
    pub(super) fn with(&self, edits: &[Edit]) -> Vec<u8> {
        let mut sorted: Vec<&Edit> = edits.iter().collect();
        sorted.sort_by_key(|e| (e.span.start, e.span.end));
        let (mut out, mut at) = (Vec::new(), 0);
        for edit in sorted {
            out.extend_from_slice(&self.bytes[at..edit.span.start as usize]);
            if let Put::Bytes(new) = &edit.put {
                out.extend_from_slice(new);
            }
            at = edit.span.end as usize;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }

    fn place(&self, at: usize) -> u64 {
        self.base + (at - self.feeds.partition_point(|feed| *feed < at)) as u64
    }

    /// A span of the record as it stands in the file.
    pub(super) fn span(&self, span: &Span) -> Range<u64> {
        self.place(span.start)..self.place(span.end)
    }

    /// Edits that give members new values; those that are not there are put first.
    pub(super) fn change(&self, changes: &[Change]) -> Vec<Edit> {
        let mut scanner = Scanner::new();
        if scanner.scan(&self.bytes, 0).is_err() {
            return Vec::new();
        }
        let record = Record::new(&self.bytes, &scanner);
        let mut edits = Vec::new();
        let mut added: Option<(String, Why)> = None;
        for change in changes {
            match find(&record, change.member) {
                Some(member) if self.bytes[member.value.clone()] == *change.json.as_bytes() => {}
                Some(member) => {
                    edits.push(Edit::replace(self.span(&member.value), change.json.as_str(), change.why.clone()));
                }
                None => {
                    let text = format!("\"{}\":{}", change.member, change.json);
                    added = Some(match added {
                        Some((before, why)) => (format!("{before},{text}"), why),
                        None => (text, change.why.clone()),
                    });
                }
            }
        }
        if let Some((text, why)) = added {
            // behind the opening brace; an empty object needs no comma
            let brace = skip_space(&self.bytes, 0);
            let comma = if record.top.is_empty() { "" } else { "," };
            edits.push(Edit::insert(self.place(brace + 1), format!("{text}{comma}"), why));
        }
        edits
    }
}

fn find<'r>(record: &Record<'r>, member: &str) -> Option<&'r Member> {
    match member.strip_prefix("message.") {
        Some(inner) => record.get_inner(inner.as_bytes()),
        None => record.get(member.as_bytes()),
    }
}
