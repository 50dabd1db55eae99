//! The content of messages, on request: `null` becomes an empty array, text blocks that say nothing go,
//! half surrogate pairs become U+FFFD.

use super::RepairError;
use super::model::{Model, why};
use super::touch::Bytes;
use crate::dialect::pi::EntryType;
use crate::edit::{Edit, Kind};
use crate::json::Scanner;
use crate::record::Record;
use crate::session::content::is_empty_text;

/// The edits inside records that keep their lines.
pub(super) fn edits(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    let damage = model.damage;
    let mut offsets: Vec<u64> = Vec::new();
    for (code, places) in [("M006", &damage.no_content), ("M008", &damage.empty_text), ("J004", &damage.surrogates)] {
        if model.wants(code, Kind::Choice) {
            offsets.extend_from_slice(places);
        }
    }
    offsets.sort_unstable();
    offsets.dedup();
    for offset in offsets {
        let n = model.session.entries.partition_point(|e| e.offset < offset);
        let entry = model.session.entries.get(n).filter(|e| e.offset == offset);
        let header = model.session.header.as_ref().filter(|h| h.offset == offset).map(|h| h.length);
        let length = match entry {
            Some(entry) if model.keeps_its_line(n as u32) => Some(entry.length),
            Some(_) => None,
            None => header,
        };
        if let Some(length) = length {
            let bytes = Bytes::of(model.source.read_range(offset, length)?, offset);
            inside(model, offset, entry.map(|e| e.kind), &bytes, edits);
        }
    }
    Ok(())
}

/// The edits inside the record that begins at `offset` in the file, on its bytes as they are given.
pub(super) fn inside(model: &Model<'_>, offset: u64, kind: Option<EntryType>, bytes: &Bytes, edits: &mut Vec<Edit>) {
    let wanted = |code: &str, places: &[u64]| model.wants(code, Kind::Choice) && places.binary_search(&offset).is_ok();
    let damage = model.damage;
    let mut scanner = Scanner::new();
    if scanner.scan(bytes.bytes(), 0).is_ok() {
        let record = Record::new(bytes.bytes(), &scanner);
        if let (Some(kind), true) = (kind, wanted("M006", &damage.no_content)) {
            empty_array(bytes, &record, kind, edits);
        }
        if wanted("M008", &damage.empty_text) {
            without_empty(bytes, &record, edits);
        }
    }
    if wanted("J004", &damage.surrogates) {
        for at in halves(bytes.bytes()) {
            let why = why("J004", Kind::Choice, "half a surrogate pair becomes U+FFFD");
            edits.push(Edit::replace(bytes.span(&(at..at + 6)), "\\ufffd", why));
        }
    }
}

fn empty_array(bytes: &Bytes, record: &Record<'_>, kind: EntryType, edits: &mut Vec<Edit>) {
    let why = why("M006", Kind::Choice, "the content that is not there becomes an empty array");
    let message = kind == EntryType::Message;
    let content = if message { record.get_inner(b"content") } else { record.get(b"content") };
    if let Some(member) = content {
        edits.push(Edit::replace(bytes.span(&member.value), "[]", why));
        return;
    }
    // behind the last member of what should hold it; neither is empty, since there is a role or a type
    let members = if message { record.inner } else { record.top };
    if let Some(last) = members.last() {
        let end = bytes.span(&last.value).end;
        edits.push(Edit::insert(end, ",\"content\":[]", why));
    }
}

/// Removes the blocks, each with one comma: those before any that stays with the comma behind them.
fn without_empty(bytes: &Bytes, record: &Record<'_>, edits: &mut Vec<Edit>) {
    let why = why("M008", Kind::Choice, "a text block that says nothing");
    let blocks: Vec<_> = record.blocks().collect();
    let mut stays = false;
    for (n, block) in blocks.iter().enumerate() {
        if !is_empty_text(block) {
            stays = true;
            continue;
        }
        let span = match (stays, blocks.get(n + 1)) {
            (true, _) => blocks[n - 1].value.end..block.value.end,
            (false, Some(next)) => block.value.start..next.value.start,
            (false, None) => block.value.clone(),
        };
        edits.push(Edit::set_aside(bytes.span(&span), why.clone()));
    }
}

/// Where the escapes of half surrogate pairs stand in a valid record.
pub(super) fn halves(bytes: &[u8]) -> Vec<usize> {
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
            Some(0xD800..=0xDFFF) => found.push(here),
            _ => {}
        }
        at = at.min(bytes.len());
    }
    found
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
