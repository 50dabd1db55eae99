//! What is done only on request: half surrogate pairs, entries that lack a field, lost kept ranges.

use super::RepairError;
use super::model::{Model, why};
use crate::dialect::pi::{EntryType, Role};
use crate::edit::{Edit, Kind};
use crate::session::{RefKind, Shape};

/// About how many bytes one token is, and how many tokens pi keeps at a compaction.
const BYTES_PER_TOKEN: u64 = 4;
const KEPT_TOKENS: u64 = 20_000;

/// Sets entries aside that lack a field without which the context cannot be built.
pub(super) fn set_aside(model: &mut Model<'_>) {
    if !model.wants("E006", Kind::Choice) {
        return;
    }
    let entries = &model.session.entries;
    for offset in &model.damage.incomplete {
        let n = entries.partition_point(|e| e.offset < *offset);
        if entries.get(n).is_some_and(|e| e.offset == *offset) {
            model.set_aside(n as u32, why("E006", Kind::Choice, "an entry that lacks a field the context needs"));
        }
    }
}

/// The edits inside lines.
pub(super) fn edits(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    if model.wants("J004", Kind::Choice) {
        surrogates(model, edits)?;
    }
    if model.wants("R003", Kind::Choice) && model.session.shape == Shape::Tree {
        first_kept(model);
    }
    Ok(())
}

fn surrogates(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    let entries = &model.session.entries;
    for offset in &model.damage.surrogates {
        let n = entries.partition_point(|e| e.offset < *offset);
        let header = model.session.header.as_ref().filter(|h| h.offset == *offset).map(|h| h.length);
        let length = entries.get(n).filter(|e| e.offset == *offset).map(|e| e.length).or(header);
        let Some(length) = length else { continue };
        let bytes = model.source.read_range(*offset, length)?;
        for at in halves(&bytes) {
            let why = why("J004", Kind::Choice, "half a surrogate pair becomes U+FFFD");
            edits.push(Edit::replace(offset + at..offset + at + 6, "\\ufffd", why));
        }
    }
    Ok(())
}

/// Where the escapes of half surrogate pairs stand in a valid record.
pub(super) fn halves(bytes: &[u8]) -> Vec<u64> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(slash) = memchr::memchr(b'\\', &bytes[at..]) {
        let here = at + slash;
        at = here + 2;
        match unit(here) {
            Some(0xD800..=0xDBFF) if matches!(unit(here + 6), Some(0xDC00..=0xDFFF)) => at = here + 12,
            Some(0xD800..=0xDFFF) => found.push(here as u64),
            _ => {}
        }
        at = at.min(bytes.len());
    }
    found
}

/// Lets a compaction whose kept range is lost keep what pi would keep: the last messages before it,
/// about 20,000 tokens, not beginning with a tool result.
fn first_kept(model: &mut Model<'_>) {
    let session = model.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::FirstKept) {
        let is_there = reference.target.is_some_and(|t| model.stays(model.copy_for(reference.entry, t)));
        if is_there || !model.stays(reference.entry) {
            continue;
        }
        let mut at = model.parents[reference.entry as usize];
        let (mut size, mut kept) = (0, None);
        for _ in 0..session.entries.len() {
            let Some(n) = at else { break };
            let entry = &session.entries[n as usize];
            if entry.kind == EntryType::Compaction {
                break;
            }
            if entry.is_message() && entry.role != Role::ToolResult {
                kept = Some(n);
                if size > KEPT_TOKENS * BYTES_PER_TOKEN {
                    break;
                }
            }
            size += entry.length;
            at = model.parents[n as usize];
        }
        if let Some(n) = kept {
            let reason = format!(
                "about {} tokens before the compaction are kept, from {} on",
                size / BYTES_PER_TOKEN,
                model.name(n)
            );
            model.change(reference.entry, "firstKeptEntryId", model.id_json(n), why("R003", Kind::Choice, reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found_and_pairs_are_not() {
        assert_eq!(halves(br#""a\ud83db\ude00""#), [2, 9]);
        assert!(halves(br#""\ud83d\ude00 \\ud83d \n""#).is_empty());
        assert_eq!(halves(br#""\udd11\ud83d\ud83d\udd11""#), [1, 7]);
    }
}
