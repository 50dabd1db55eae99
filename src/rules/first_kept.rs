//! What a compaction's first kept entry is, for the rules R003, R004, R005 and M013.

use super::check::Audit;
use super::{m013_context_breaks_pair, r005_first_kept_splits_call};
use crate::dialect::pi::EntryType;
use crate::session::{Ref, RefKind, RefValue, Session, Shape};

/// A compaction behind which the context begins with a result without its call.
pub struct Break {
    /// What it keeps.
    pub reference: Ref,
    /// The message with the call.
    pub call: u32,
    /// The rule that tells it.
    pub code: &'static str,
}

/// The compactions that part a result from its call, each once, in file order.
pub fn breaks(audit: &Audit<'_>) -> Vec<Break> {
    let mut found: Vec<Break> = r005_first_kept_splits_call::splits(audit)
        .into_iter()
        .map(|split| Break {
            reference: split.reference,
            call: split.call,
            code: r005_first_kept_splits_call::RULE.code,
        })
        .collect();
    found.extend(m013_context_breaks_pair::parted(audit).into_iter().map(|(pair, reference)| Break {
        reference,
        call: audit.session.calls[pair.call as usize].entry,
        code: m013_context_breaks_pair::RULE.code,
    }));
    found.sort_by_key(|found| (found.reference.entry, found.call));
    found.dedup_by_key(|found| found.reference.entry);
    found
}

/// The place of an entry among the records that the indices of version 1 count, the header at 0.
pub fn index_of(session: &Session, n: u32) -> u32 {
    let offset = session.entries[n as usize].offset;
    session.extra_headers.partition_point(|header| header.offset < offset) as u32 + n + 1
}

/// How far entries are followed that give no message, in all: in any session that was not made to take
/// long that is far enough.
pub(super) struct Steps(u64);

impl Steps {
    /// For one run of a rule.
    pub(super) fn of(session: &Session) -> Steps {
        Steps(8 * session.entries.len() as u64 + 65_536)
    }

    /// Takes one; `None` once there are none left.
    pub(super) fn take(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// What a compaction keeps.
pub(super) enum Kept {
    /// From this entry on; it is on the path before the compaction.
    Entry(u32),
    /// Nothing, and lawfully so.
    Nothing,
    /// Nothing, since no entry is named.
    Missing(String),
    /// Nothing, since this entry is not on the path before it.
    OffPath(u32),
}

/// What each compaction of the session keeps.
pub(super) fn all(audit: &Audit<'_>) -> Vec<(Ref, Kept)> {
    let session = audit.session;
    let by_index = session.version().is_some_and(|v| v < 2) && session.shape == Shape::Line;
    let mut records = None;
    let refs = session.refs.iter().filter(|r| session.entries[r.entry as usize].kind == EntryType::Compaction);
    let mut found: Vec<(Ref, Kept)> = Vec::new();
    for reference in refs {
        let kept = match reference.kind {
            RefKind::FirstKept if by_index => match reference.value {
                RefValue::Absent if !has_index(session, reference.entry) => {
                    Kept::Missing("neither `firstKeptEntryId` nor `firstKeptEntryIndex` is there".to_string())
                }
                _ => continue,
            },
            RefKind::FirstKeptIndex if by_index => {
                by_record(reference, records.get_or_insert_with(|| records_of(audit)))
            }
            RefKind::FirstKept => by_id(audit, reference),
            _ => continue,
        };
        found.push((*reference, kept));
    }
    found
}

fn has_index(session: &crate::session::Session, entry: u32) -> bool {
    let start = session.refs.partition_point(|r| r.entry < entry);
    session.refs[start..].iter().take_while(|r| r.entry == entry).any(|r| r.kind == RefKind::FirstKeptIndex)
}

fn by_id(audit: &Audit<'_>, reference: &Ref) -> Kept {
    let RefValue::Id(key) = reference.value else {
        return Kept::Missing(match reference.value {
            RefValue::Absent => "the compaction has no `firstKeptEntryId`".to_string(),
            RefValue::Null => "the compaction's `firstKeptEntryId` is null".to_string(),
            _ => "the compaction's `firstKeptEntryId` is no string".to_string(),
        });
    };
    let session = audit.session;
    let Some(target) = reference.target else {
        return Kept::Missing(format!(
            "the first kept entry {} is not in this file",
            super::quote(&session.arena.get(key))
        ));
    };
    // its own id means: keep nothing
    if target == reference.entry || session.has_same_id(target, reference.entry) {
        return Kept::Nothing;
    }
    match audit.is_on_path(target, reference.entry) || session.is_in_loop(reference.entry) {
        true => Kept::Entry(target),
        false => Kept::OffPath(target),
    }
}

/// The entries as the records that an index counts, the header at 0; `None` where a record is no
/// entry. Recovered records count: the writer had them when it took the index.
fn records_of(audit: &Audit<'_>) -> Vec<Option<u32>> {
    let session = audit.session;
    let mut extra = session.extra_headers.iter().peekable();
    let mut records = vec![None];
    for (n, entry) in (0u32..).zip(&session.entries) {
        while extra.next_if(|h| h.offset < entry.offset).is_some() {
            records.push(None);
        }
        records.push(Some(n));
    }
    records
}

fn by_record(reference: &Ref, records: &[Option<u32>]) -> Kept {
    let RefValue::Number(number) = reference.value else {
        return Kept::Missing("`firstKeptEntryIndex` is no number".to_string());
    };
    if number.fract() != 0.0 || number < 0.0 {
        return Kept::Missing(format!("`firstKeptEntryIndex` is {number}, no place in the file"));
    }
    if number == 0.0 {
        return Kept::Missing("`firstKeptEntryIndex` is 0, which is the header".to_string());
    }
    match records.get(number as usize) {
        Some(Some(target)) if *target < reference.entry => Kept::Entry(*target),
        Some(Some(target)) if *target == reference.entry => Kept::Nothing,
        Some(Some(target)) => Kept::OffPath(*target),
        Some(None) => Kept::Missing(format!("`firstKeptEntryIndex` {number} is no entry")),
        None => Kept::Missing(format!("`firstKeptEntryIndex` is {number}, past the end of the file")),
    }
}
