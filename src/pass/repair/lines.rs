//! The lines: pieces that are no records are set aside, records get lines of their own.

use super::RepairError;
use super::model::{Model, why};
use crate::edit::{Edit, Kind, Why};
use crate::json::Kind as JsonKind;
use crate::record::{PieceKind, Pieces};
use crate::session::envelope::facts;
use crate::session::scan::{LineView, Observer, RecordView, line_facts};
use crate::source::Source;
use std::io;
use std::ops::Range;

/// A line that is not one record and nothing else, or lacks its line feed.
pub(super) struct OddLine {
    /// The offset of its first byte.
    pub(super) offset: u64,
    /// The offset behind its last byte; of a record over several lines behind the last of them.
    pub(super) end: u64,
    /// Whether a line feed follows.
    pub(super) ended: bool,
    /// Its pieces; `None` for a line that is one record and nothing else.
    pub(super) pieces: Option<Pieces>,
    /// Offsets of raw line feeds inside the record that its last piece begins.
    pub(super) feeds: Vec<u64>,
    /// Bytes that are no UTF-8, inside records.
    bad: Vec<Range<u64>>,
}

/// Collects the odd lines of a file.
#[derive(Default)]
pub(super) struct Damage {
    /// In file order.
    pub(super) lines: Vec<OddLine>,
    /// Offsets of records with half a surrogate pair.
    pub(super) surrogates: Vec<u64>,
    /// Offsets of records that lack a field.
    pub(super) incomplete: Vec<u64>,
    /// Offsets of messages without content.
    pub(super) no_content: Vec<u64>,
    /// Offsets of messages with text blocks that say nothing.
    pub(super) empty_text: Vec<u64>,
}

impl Observer for Damage {
    fn line(&mut self, line: &LineView<'_>) {
        let odd = line_facts::ODD | line_facts::UNTERMINATED | facts::BAD_UTF8;
        if line.facts & odd == 0 {
            return;
        }
        let start = line.pieces.and_then(|p| p.list.last()).map_or(0, |p| p.span.start) as u64;
        let (mut feeds, mut end, mut ended) = (Vec::new(), line.offset + line.bytes.len() as u64, line.ended);
        let mut bad = bad_bytes(line);
        if let Some(joined) = line.joined {
            let base = line.offset + start;
            feeds = joined.joints.iter().map(|at| base + joined.place(*at) as u64).collect();
            end = base + joined.length as u64;
            ended = joined.ended;
            let place = |at: usize| base + joined.place(at) as u64;
            bad.extend(invalid(&joined.bytes, 0).into_iter().map(|span| place(span.start)..place(span.end)));
        }
        let pieces = line.pieces.cloned();
        self.lines.push(OddLine { offset: line.offset, end, ended, pieces, feeds, bad });
    }

    fn record(&mut self, record: &RecordView<'_>) {
        let (offset, _) = record.place(&record.span());
        if record.envelope.facts & facts::LONE_SURROGATE != 0 {
            self.surrogates.push(offset);
        }
        if record.envelope.facts & facts::FIELD_MISSING != 0 {
            self.incomplete.push(offset);
        }
        if record.envelope.facts & facts::NO_CONTENT != 0 {
            self.no_content.push(offset);
        }
        if record.envelope.facts & facts::EMPTY_TEXT != 0 {
            self.empty_text.push(offset);
        }
    }

    fn append(&mut self, later: Self, _: u64) {
        self.lines.extend(later.lines);
        self.surrogates.extend(later.surrogates);
        self.incomplete.extend(later.incomplete);
        self.no_content.extend(later.no_content);
        self.empty_text.extend(later.empty_text);
    }
}

/// The bytes of a line's records that are no UTF-8.
fn bad_bytes(line: &LineView<'_>) -> Vec<Range<u64>> {
    if line.facts & facts::BAD_UTF8 == 0 {
        return Vec::new();
    }
    let whole = 0..line.bytes.len();
    let spans = match line.pieces {
        None => vec![whole],
        Some(pieces) => pieces.list.iter().filter(|p| p.kind == PieceKind::Whole).map(|p| p.span.clone()).collect(),
    };
    let found = spans.into_iter().flat_map(|span| invalid(&line.bytes[span.clone()], span.start));
    found.map(|span| line.offset + span.start as u64..line.offset + span.end as u64).collect()
}

/// Each run of bytes that decodes to one U+FFFD.
fn invalid(bytes: &[u8], base: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = base;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            found.push(at..at + chunk.invalid().len());
        }
        at += chunk.invalid().len();
    }
    found
}

/// The edits of the lines.
pub(super) fn edits(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    for line in &model.damage.lines {
        LineEdits { model, line, edits }.make();
    }
    for (n, why) in &model.reasons {
        let entry = &model.session.entries[*n as usize];
        let span = entry.offset..entry.offset + entry.length;
        if odd_line_at(model, entry.offset).is_none() {
            edits.push(Edit::set_aside(whole_line(model.source, span)?, why.clone()));
        }
    }
    Ok(())
}

/// The odd line that holds a byte, if it is one with pieces.
pub(super) fn odd_line_at<'m>(model: &'m Model<'_>, offset: u64) -> Option<&'m OddLine> {
    let lines = &model.damage.lines;
    let n = lines.partition_point(|line| line.offset <= offset).checked_sub(1)?;
    Some(&lines[n]).filter(|line| offset < line.end && line.pieces.is_some())
}

/// The line of a record that stands alone on it, with the white space around it and its line feed.
pub(super) fn whole_line(source: &Source, record: Range<u64>) -> io::Result<Range<u64>> {
    let (mut start, mut end) = (record.start, record.end);
    let mut byte = [0];
    while start > 0 && source.read_at(start - 1, &mut byte)? == 1 && byte[0] != b'\n' {
        start -= 1;
    }
    while source.read_at(end, &mut byte)? == 1 {
        end += 1;
        if byte[0] == b'\n' {
            break;
        }
    }
    Ok(start..end)
}

struct LineEdits<'m, 'a, 'e> {
    model: &'m Model<'a>,
    line: &'m OddLine,
    edits: &'e mut Vec<Edit>,
}

impl LineEdits<'_, '_, '_> {
    fn make(mut self) {
        self.decode();
        let Some(pieces) = &self.line.pieces else {
            return self.plain();
        };
        let joined = !self.line.feeds.is_empty();
        let kept: Vec<bool> =
            pieces.list.iter().enumerate().map(|(n, p)| self.keeps(n, p.kind, &p.span, joined)).collect();
        if !kept.contains(&true) {
            return self.nothing_left(pieces);
        }
        let last_kept = kept.iter().rposition(|k| *k).unwrap_or(0);
        let mut first = true;
        for (n, piece) in pieces.list.iter().enumerate() {
            let mut span = self.at(&piece.span);
            if joined && n == pieces.list.len() - 1 {
                span.end = self.line.end;
            }
            if kept[n] {
                if !first {
                    self.push(Edit::insert(span.start, "\n", self.split(pieces, n)));
                }
                first = false;
            } else if let Some(why) = self.debris(pieces, n, last_kept) {
                self.push(Edit::set_aside(span, why));
            }
        }
        for feed in &self.line.feeds {
            let why = why("L007", Kind::Assumed, "a raw line feed inside a string becomes its escape");
            self.push(Edit::replace(*feed..feed + 1, "\\n", why));
        }
        self.end_line(pieces.list.last().is_some_and(|p| matches!(p.kind, PieceKind::Cut { .. })) && !joined);
    }

    fn push(&mut self, edit: Edit) {
        if self.model.wants(edit.why.cause, edit.why.kind) {
            self.edits.push(edit);
        }
    }

    fn at(&self, span: &Range<usize>) -> Range<u64> {
        self.line.offset + span.start as u64..self.line.offset + span.end as u64
    }

    /// A record alone on its line, of which only the end or some bytes are odd.
    fn plain(&mut self) {
        if !self.is_gone(self.line.offset..self.line.end) {
            self.end_line(false);
        }
    }

    /// Whether the record in a span is set aside.
    fn is_gone(&self, span: Range<u64>) -> bool {
        let entries = &self.model.session.entries;
        let from = entries.partition_point(|e| e.offset < span.start);
        entries[from..]
            .iter()
            .take_while(|e| e.offset < span.end)
            .zip(from as u32..)
            .any(|(_, n)| !self.model.keeps_its_line(n))
            || self.model.moved_records().any(|moved| moved.start >= span.start && moved.start < span.end)
    }

    /// Whether a piece stays on the line (as a record).
    fn keeps(&self, n: usize, kind: PieceKind, span: &Range<usize>, joined: bool) -> bool {
        let last = self.line.pieces.as_ref().map_or(0, |p| p.list.len() - 1);
        match kind {
            PieceKind::Whole => !self.is_gone(self.at(span)),
            PieceKind::Cut { .. } => {
                joined && n == last && !self.is_gone(self.line.offset + span.start as u64..self.line.end)
            }
            _ => false,
        }
    }

    fn decode(&mut self) {
        for span in self.line.bad.clone() {
            let why = why("L010", Kind::Assumed, "bytes that are no UTF-8 become U+FFFD, as pi shows them");
            self.push(Edit::replace(span, "\u{FFFD}", why));
        }
    }

    /// Ends the line where it has no line feed.
    fn end_line(&mut self, cut: bool) {
        if !self.line.ended {
            let (code, reason) = match cut {
                true => ("L001", "the record before the cut one gets its line feed"),
                false => ("L002", "the last line gets its line feed"),
            };
            self.push(Edit::insert(self.line.end, "\n", why(code, Kind::Safe, reason)));
        }
    }

    /// Sets aside a line on which no record is left.
    fn nothing_left(&mut self, pieces: &Pieces) {
        let only = |kind: PieceKind| pieces.list.iter().all(|p| p.kind == kind);
        if only(PieceKind::Bom) {
            for piece in &pieces.list {
                self.push(Edit::set_aside(self.at(&piece.span), self.mark()));
            }
            return;
        }
        let why = self.line_why(pieces);
        let end = self.line.end + u64::from(self.line.ended);
        self.push(Edit::set_aside(self.line.offset..end, why));
    }

    fn line_why(&self, pieces: &Pieces) -> Why {
        let facts = &self.model.session.facts;
        let junk = pieces.first(|k| k == PieceKind::Junk).is_some();
        let broken_header = facts.first_line.as_ref().is_some_and(|l| l.broken_header && l.offset == self.line.offset);
        if broken_header && self.model.session.header.is_none() {
            return why("H003", Kind::Assumed, "the damaged header is set aside; another takes its place");
        }
        if let Some(kind) = pieces.value.filter(|k| *k != JsonKind::Object) {
            return why("J002", Kind::Safe, format!("the line is {}, no record", kind.name()));
        }
        if pieces.wholes() > 0 || !self.line.feeds.is_empty() {
            return self.gone_why(pieces);
        }
        if pieces.list.iter().all(|p| p.kind == PieceKind::Nul) {
            return match self.line.offset >= facts.content_end {
                true => why("L009", Kind::Safe, "NULs at the end of the file"),
                false => why("L008", Kind::Safe, "a line of NULs"),
            };
        }
        match junk {
            true => why("J001", Kind::Safe, "the line is no JSON"),
            false => self.cut(),
        }
    }

    /// Why the records of a line are set aside.
    fn gone_why(&self, pieces: &Pieces) -> Why {
        let first = pieces.first(|k| k == PieceKind::Whole).or(pieces.list.last());
        let why = first.and_then(|p| self.entry_why(self.at(&p.span).start));
        why.unwrap_or_else(why_moved)
    }

    /// Why the entry that begins there is set aside.
    fn entry_why(&self, start: u64) -> Option<Why> {
        let entries = &self.model.session.entries;
        let n = entries.partition_point(|e| e.offset < start);
        let here = entries.get(n).is_some_and(|e| e.offset == start);
        here.then(|| self.model.reasons.get(&(n as u32)).cloned()).flatten()
    }

    fn cut(&self) -> Why {
        match self.line.ended {
            true => why("L005", Kind::Safe, "a record that was cut; its bytes are set aside"),
            false => why("L001", Kind::Safe, "the last record was cut; its bytes are set aside"),
        }
    }

    fn mark(&self) -> Why {
        why("L011", Kind::Safe, "a byte order mark")
    }

    /// Why a piece that is no record is set aside; `None` for a record that is set aside with another reason.
    fn debris(&self, pieces: &Pieces, n: usize, last_kept: usize) -> Option<Why> {
        Some(match pieces.list[n].kind {
            PieceKind::Whole => self.entry_why(self.at(&pieces.list[n].span).start)?,
            PieceKind::Cut { .. } if !self.line.feeds.is_empty() && n == pieces.list.len() - 1 => {
                self.entry_why(self.at(&pieces.list[n].span).start)?
            }
            PieceKind::Cut { .. } if n < last_kept => {
                why("L004", Kind::Safe, "a record that was cut before the next one was written behind it")
            }
            PieceKind::Cut { .. } => self.cut(),
            PieceKind::Junk => why("L006", Kind::Safe, "bytes beside a complete record"),
            PieceKind::Nul => why("L008", Kind::Safe, "NULs beside a record"),
            PieceKind::Bom => self.mark(),
        })
    }

    /// Why a record begins a line of its own.
    fn split(&self, pieces: &Pieces, n: usize) -> Why {
        let cut = pieces.list[..n].iter().any(|p| matches!(p.kind, PieceKind::Cut { .. }));
        let junk = pieces.list[..n].iter().any(|p| p.kind == PieceKind::Junk);
        let code = if cut {
            "L004"
        } else if junk {
            "L006"
        } else {
            "L003"
        };
        why(code, Kind::Safe, "the record gets a line of its own")
    }
}

fn why_moved() -> Why {
    why("H002", Kind::Safe, "the header moves to the first line")
}
