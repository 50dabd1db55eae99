//! What findings are known by in later runs, and their columns in characters.
//!
//! A fingerprint must not change when lines are added above, and should not when the line changes
//! elsewhere. So it is made of the rule's code, of what the finding is about (the entry's id, or else the
//! beginning of the line), and of the bytes at its place; never of line numbers, offsets or messages, which
//! name such. Findings that agree in all of it are numbered.

use crate::edit::Hasher;
use crate::rules::{Anchor, Finding, Place, StoreFinding};
use crate::source::Source;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// How many bytes of a place, and of the beginning of a line without an id, make a fingerprint.
const SPAN: u64 = 256;
const LINE: u64 = 512;

/// The longest place whose end is counted in characters, in bytes.
const LONGEST: u64 = 4096;

/// Gives each finding its anchor. They are in the order of their offsets.
pub(super) fn put(source: &Source, findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut columns = Columns::default();
    for finding in findings {
        let mut hasher = digest(source, finding);
        let first = short(hasher.clone());
        let number = seen.entry(first.clone()).or_default();
        *number += 1;
        let fingerprint = match *number {
            1 => first,
            more => {
                hasher.add(&more.to_le_bytes());
                short(hasher)
            }
        };
        let counted = finding.place.as_ref().and_then(|place| columns.of(source, place));
        let (column, end_column) = counted.map_or((None, None), |(column, end)| (Some(column), end));
        finding.anchor = Some(Anchor { fingerprint, column, end_column });
    }
}

/// The anchor of a finding about several files: by the rule and the files' names.
pub(super) fn of_store(finding: &StoreFinding) -> Anchor {
    let names = finding.files.iter().map(|file| Path::new(file).file_name().map_or(file.as_str(), name_of));
    Anchor { fingerprint: between(finding.rule.code, names), column: None, end_column: None }
}

/// The fingerprint of a finding between files of these names.
pub fn between<'a>(code: &'a str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Hasher::default();
    for part in [code].into_iter().chain(names) {
        hasher.add(&(part.len() as u64).to_le_bytes());
        hasher.add(part.as_bytes());
    }
    short(hasher)
}

fn name_of(name: &OsStr) -> &str {
    name.to_str().unwrap_or_default()
}

fn digest(source: &Source, finding: &Finding) -> Hasher {
    let mut hasher = Hasher::default();
    let mut part = |bytes: &[u8]| {
        hasher.add(&(bytes.len() as u64).to_le_bytes());
        hasher.add(bytes);
    };
    part(b"sesstool fingerprint 1");
    part(finding.rule.code.as_bytes());
    part(finding.entry.as_deref().unwrap_or_default().as_bytes());
    if let Some(place) = &finding.place {
        if finding.entry.is_none() {
            let line = read(source, place.line_start, LINE).unwrap_or_default();
            part(line.split(|b| *b == b'\n').next().unwrap_or_default());
        }
        part(&read(source, place.offset, place.length.min(SPAN)).unwrap_or_default());
    }
    hasher
}

fn short(hasher: Hasher) -> String {
    let mut hex = hasher.finish().sha256;
    hex.truncate(16);
    hex
}

/// Bytes from an offset on, fewer at the end of the file; `None` where they cannot be read again.
fn read(source: &Source, offset: u64, length: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    let n = source.read_at(offset, &mut bytes).ok()?;
    bytes.truncate(n);
    Some(bytes)
}

/// Counts columns from the last place on, so that many findings on one long line are counted once.
#[derive(Default)]
struct Columns {
    line_start: u64,
    offset: u64,
    /// UTF-16 code units between the two.
    units: u64,
}

/// Lines are read in pieces of this size.
const PIECE: u64 = 1 << 16;

impl Columns {
    /// The column of a place, and that behind it.
    fn of(&mut self, source: &Source, place: &Place) -> Option<(u64, Option<u64>)> {
        if place.line_start != self.line_start || place.offset < self.offset {
            *self = Columns { line_start: place.line_start, offset: place.line_start, units: 0 };
        }
        while self.offset < place.offset {
            let bytes = read(source, self.offset, (place.offset - self.offset).min(PIECE))?;
            if bytes.is_empty() {
                return None;
            }
            self.offset += bytes.len() as u64;
            self.units += units(&bytes);
        }
        let column = self.units + 1;
        let span = if place.length <= LONGEST { read(source, place.offset, place.length) } else { None };
        let end = span.filter(|bytes| !bytes.contains(&b'\n')).map(|bytes| column + units(&bytes));
        Some((column, end))
    }
}

/// UTF-16 code units, counted by the first byte of each character, so that a piece may end in one.
fn units(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&b| u64::from(b & 0xC0 != 0x80) + u64::from(b >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RULES;

    fn finding(line_start: u64, offset: u64, length: u64, entry: Option<&str>) -> Finding {
        let place = Place { line: 1, line_start, offset, length };
        let mut finding = Finding::new(RULES[0], place, "message");
        finding.entry = entry.map(String::from);
        finding
    }

    fn anchors(bytes: &[u8], mut findings: Vec<Finding>) -> Vec<Anchor> {
        put(&Source::bytes(bytes.to_vec()), &mut findings);
        findings.into_iter().filter_map(|finding| finding.anchor).collect()
    }

    #[test]
    fn columns_count_utf16_units() {
        let line = "x\naé日👍b\n".as_bytes();
        let at = |offset, length| anchors(line, vec![finding(2, offset, length, None)])[0].clone();
        assert_eq!((at(2, 1).column, at(2, 1).end_column), (Some(1), Some(2)));
        assert_eq!(at(5, 3).column, Some(3), "behind a and é");
        assert_eq!((at(8, 4).column, at(8, 4).end_column), (Some(4), Some(6)), "two units");
        assert_eq!((at(12, 1).column, at(12, 1).end_column), (Some(6), Some(7)));
        assert_eq!(at(12, 2).end_column, None, "over the end of the line");
    }

    #[test]
    fn columns_of_one_line_are_counted_in_one_go() {
        let line = "é".repeat(100_000).into_bytes();
        let findings = (0..1000).map(|n| finding(0, n * 200, 2, Some("1"))).collect();
        for (n, anchor) in anchors(&line, findings).into_iter().enumerate() {
            assert_eq!((anchor.column, anchor.end_column), (Some(n as u64 * 100 + 1), Some(n as u64 * 100 + 2)));
        }
    }

    #[test]
    fn a_fingerprint_is_of_the_damage_and_not_of_its_place() {
        let one = |bytes: &[u8], finding| anchors(bytes, vec![finding]).remove(0).fingerprint;
        let print = one(b"{\"id\":1}\n", finding(0, 6, 1, None));
        assert_eq!(print.len(), 16);
        assert_eq!(one(b"other\n{\"id\":1}\nmore", finding(6, 12, 1, None)), print, "a line above");
        assert_ne!(one(b"{\"id\":2}\n", finding(0, 6, 1, None)), print, "another value");
        assert_ne!(one(b"{\"id\":1}!\n", finding(0, 6, 1, None)), print, "another line");
        let with_id = one(b"{\"id\":1}\n", finding(0, 6, 1, Some("1")));
        assert_eq!(one(b"{\"id\":1}!\n", finding(0, 6, 1, Some("1"))), with_id, "the same entry");
        assert_ne!(one(b"{\"id\":1}\n", finding(0, 6, 1, Some("2"))), with_id, "another entry");
    }

    #[test]
    fn equal_ones_are_numbered() {
        let blank = b"\n\n\n";
        let three = anchors(blank, (0..3).map(|n| finding(n, n, 0, None)).collect());
        let two = anchors(blank, (0..2).map(|n| finding(n, n, 0, None)).collect());
        assert_eq!(three[..2], two[..], "one more changes nothing for the first");
        assert_ne!(three[0].fingerprint, three[1].fingerprint);
        assert_ne!(three[1].fingerprint, three[2].fingerprint);
    }
}
