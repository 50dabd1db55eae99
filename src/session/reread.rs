//! Entries read again by offset: the index keeps no text.

use super::{Entry, flags};
use crate::json::{Kind, Scanner};
use crate::record::Record;
use crate::source::Source;

/// How much is read at once where entries are asked for one behind the other.
const WINDOW: u64 = 256 << 10;

/// A gap between two entries up to which they count as one behind the other.
const NEAR: u64 = 64 << 10;

/// Reads entries again. Neighbours come out of one read of the file, so a walk along the file costs
/// few calls; a jump reads what was asked for.
pub struct Reread<'a> {
    source: &'a Source,
    scanner: Scanner,
    /// The bytes of the file from `start` on.
    window: Vec<u8>,
    start: u64,
    /// Where the last entry ended.
    last: u64,
    /// An entry of several lines, as one.
    joined: Vec<u8>,
}

impl<'a> Reread<'a> {
    /// A reader of `source`, which holds nothing yet.
    pub fn new(source: &'a Source) -> Self {
        Reread { source, scanner: Scanner::new(), window: Vec::new(), start: 0, last: 0, joined: Vec::new() }
    }

    /// Reads an entry and hands it to `look`. `None` where the bytes cannot be read again, or are no
    /// longer the object that they were when the file was indexed.
    pub fn record<T>(&mut self, row: &Entry, look: impl FnOnce(&Record<'_>) -> T) -> Option<T> {
        let span = self.load(row.offset, row.length)?;
        let Reread { scanner, window, joined, .. } = self;
        let mut bytes = &window[span];
        if row.has(flags::JOINED) {
            escape_line_feeds(bytes, joined);
            bytes = joined;
        }
        let value = scanner.scan(bytes, 0).ok().filter(|value| value.kind == Kind::Object)?;
        Some(look(&Record::new(&bytes[..value.span.end], scanner)))
    }

    /// The bytes of an entry as they stand in the file.
    pub fn bytes(&mut self, row: &Entry) -> Option<&[u8]> {
        let span = self.load(row.offset, row.length)?;
        Some(&self.window[span])
    }

    /// Where in the window the bytes stand.
    fn load(&mut self, offset: u64, length: u64) -> Option<std::ops::Range<usize>> {
        let end = offset.checked_add(length)?;
        if offset < self.start || end > self.start + self.window.len() as u64 {
            let goes_on = offset >= self.last && offset - self.last <= NEAR;
            let want = if goes_on { length.max(WINDOW) } else { length };
            self.window.resize(usize::try_from(want).ok()?, 0);
            let got = self.source.read_at(offset, &mut self.window).unwrap_or(0);
            self.window.truncate(got);
            self.start = offset;
        }
        self.last = end;
        let from = (offset - self.start) as usize;
        let to = from + length as usize;
        (to <= self.window.len()).then_some(from..to)
    }
}

/// Writes an entry of several lines as one: each line feed as its escape.
fn escape_line_feeds(bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    for &byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            byte => out.push(byte),
        }
    }
}
