//! What is counted over a whole file while it is scanned.

use super::Entry;
use crate::dialect::Dialect;

/// A place that was met first, and how often its like was met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first: line (from 1), offset of the line's first byte, offset, length.
    pub first: Option<(u64, u64, u64, u64)>,
}

impl Tally {
    /// Counts one.
    pub fn add(&mut self, line: u64, line_start: u64, offset: u64, length: u64) {
        self.count += 1;
        self.first.get_or_insert((line, line_start, offset, length));
    }

    fn append(&mut self, later: Tally, base: u64) {
        self.count += later.count;
        if self.first.is_none() {
            self.first = later.first.map(|(line, a, b, c)| (line + base, a, b, c));
        }
    }
}

/// A cut record of which the id can still be read.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The id.
    pub id: Vec<u8>,
    /// The line.
    pub line: u64,
    /// Offset of the line's first byte, offset and length of the cut bytes.
    pub place: (u64, u64, u64),
}

/// How many cut records are remembered.
const MOST_LOST: usize = 10_000;

/// How many values that only other readers take for entries are remembered.
pub const MOST_EXTRAS: usize = 1 << 20;

/// What is counted over a whole file. Lines count from 1 once blocks are joined, from the block's
/// start before.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Bytes read.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Blank lines.
    pub blank: Tally,
    /// Lines that end in CR LF.
    pub crlf: Tally,
    /// Lines that end in LF alone.
    pub lf_only: u64,
    /// Lines with a raw U+2028, U+2029 or U+0085.
    pub separators: Tally,
    /// Lines with a number that a double does not hold.
    pub inexact: Tally,
    /// The first line that is not blank.
    pub first_line: Option<FirstLine>,
    /// Values that parse and are truthy before any header, as pi reads: the first one's line.
    pub truthy: Tally,
    /// Title lines of oh-my-pi before the header: offset and length of the record.
    pub titles: Vec<(u64, u64)>,
    /// Records of other dialects, and the dialect of the first.
    pub foreign: Tally,
    /// See `foreign`.
    pub foreign_dialect: Option<&'static Dialect>,
    /// The record kinds of the foreign records that have the keys of a header.
    pub native: u64,
    /// Records with an unlisted type and without a parent.
    pub strange: u64,
    /// Whole objects.
    pub objects: u64,
    /// Where the last byte stands that is no blank, line end or NUL; 0 if there is none.
    pub content_end: u64,
    /// Lines of NULs (and blanks) since then.
    pub nul_lines: Tally,
    /// Cut records with a readable id.
    pub lost: Vec<Lost>,
    /// Lines that pi drops although records were recovered from them, or that are set aside.
    pub dropped: u64,
    /// Scalars and arrays that pi takes for entries: truthy values that are no objects.
    pub scalars: u64,
    /// Lines that are not one JSON value and nothing else.
    pub not_json: Tally,
    /// Lines that are `null`, `false`, `0` or `""`: pi skips them, agent-core refuses the file.
    pub falsy: Tally,
    /// What pi and agent-core take for entries and this program does not: scalars, arrays, records of
    /// other dialects. At most [`MOST_EXTRAS`].
    pub extras: Vec<Entry>,
    /// The deepest nesting of any record.
    pub deepest: usize,
}

/// The first line with something on it.
#[derive(Clone, Debug)]
pub struct FirstLine {
    /// The line, from 1.
    pub line: u64,
    /// Its offset.
    pub offset: u64,
    /// Its length.
    pub length: u64,
    /// Whether it is no record but shows that it was a header.
    pub broken_header: bool,
}

impl FileFacts {
    /// Adds what the next block has.
    pub fn append(&mut self, later: FileFacts) {
        let base = self.lines;
        self.bytes += later.bytes;
        self.lines += later.lines;
        self.blank.append(later.blank, base);
        self.crlf.append(later.crlf, base);
        self.lf_only += later.lf_only;
        self.separators.append(later.separators, base);
        self.inexact.append(later.inexact, base);
        if self.first_line.is_none() {
            self.first_line = later.first_line.map(|f| FirstLine { line: f.line + base, ..f });
        }
        self.truthy.append(later.truthy, base);
        self.titles.extend(later.titles);
        if self.foreign.count == 0 {
            self.foreign_dialect = later.foreign_dialect;
        }
        self.foreign.append(later.foreign, base);
        self.native += later.native;
        self.strange += later.strange;
        self.objects += later.objects;
        if later.content_end > 0 {
            self.content_end = later.content_end;
            self.nul_lines = Tally::default();
        }
        self.nul_lines.append(later.nul_lines, base);
        let room = MOST_LOST.saturating_sub(self.lost.len());
        self.lost.extend(later.lost.into_iter().take(room).map(|l| Lost { line: l.line + base, ..l }));
        self.dropped += later.dropped;
        self.scalars += later.scalars;
        self.not_json.append(later.not_json, base);
        self.falsy.append(later.falsy, base);
        let room = MOST_EXTRAS.saturating_sub(self.extras.len());
        self.extras.extend(later.extras.into_iter().take(room).map(|e| Entry { line: e.line + base, ..e }));
        self.deepest = self.deepest.max(later.deepest);
    }

    /// Remembers a value that only other readers take for an entry.
    pub fn add_extra(&mut self, row: Entry) {
        if self.extras.len() < MOST_EXTRAS {
            self.extras.push(row);
        }
    }

    /// Remembers a cut record.
    pub fn lose(&mut self, lost: Lost) {
        if self.lost.len() < MOST_LOST {
            self.lost.push(lost);
        }
    }
}
