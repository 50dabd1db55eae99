//! The one pass over a file: blocks in parallel, joined in order.

use super::call_ids::{self, CallIds};
use super::envelope::{Envelope, Id, facts};
use super::facts::{FileFacts, FirstLine, Lost};
use super::graph;
use super::ids::{Arena, Key, Marks, Table};
use super::set::EntrySet;
use super::traits::Traits;
use super::{
    Call, Entry, Header, HeaderField, MOST_ENTRIES, NO_TIME, Parent, Ref, RefKind, RefValue, Session, Shape, flags,
};
use crate::dialect::pi::{EntryType, Role};
use crate::dialect::{self, pi};
use crate::json::{Kind, Member, Scanner, Span, text};
use crate::line::{self, Line};
use crate::record::join::{self, Joined};
use crate::record::{Piece, PieceKind, Pieces, Record, take_apart};
use crate::source::slots::{self, Block, SourceTail, StreamBlocks, Tail};
use crate::source::{Source, shrunk};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::io;

/// Bits about lines, beside those of [`facts`].
pub mod line_facts {
    /// The line is not one record and nothing else.
    pub const ODD: u32 = 1 << 16;
    /// No LF ends the line.
    pub const UNTERMINATED: u32 = 1 << 17;
    /// The line is longer than a JavaScript string may be.
    pub const OVERSIZED: u32 = 1 << 18;
    /// The line begins a record that was joined from several lines.
    pub const JOINED: u32 = 1 << 19;
}

/// How many UTF-16 units a JavaScript string holds in V8 of 64 bits.
pub const LONGEST_STRING: u64 = 536_870_888;

/// What a scan can be told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of UTF-16 units beyond which a line is oversized.
    pub longest_line: u64,
    /// Whether [`Session::calls`] is filled; statistics do without.
    pub calls: bool,
    /// The seed with which entries are hashed, so that they can be compared with those of other files; what
    /// cannot be read again is always hashed.
    pub hash: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options { longest_line: LONGEST_STRING, calls: true, hash: None }
    }
}

/// A physical line as the scan sees it.
pub struct LineView<'a> {
    /// The line's number, from 1, counted from the block's first line.
    pub number: u64,
    /// Its offset in the file.
    pub offset: u64,
    /// Its bytes, without the LF.
    pub bytes: &'a [u8],
    /// Whether an LF ends it.
    pub ended: bool,
    /// Bits of [`facts`] and [`line_facts`].
    pub facts: u32,
    /// Its pieces; `None` for a line that is one record and nothing else.
    pub pieces: Option<&'a Pieces>,
    /// The record that its last piece begins, if that was joined from several lines.
    pub joined: Option<&'a Joined>,
    /// Where the first byte stands that is no UTF-8, counted from the line's start.
    pub bad_utf8: Option<usize>,
}

/// What a record is in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its header, or a further one.
    Header,
    /// An entry.
    Entry,
    /// A line of another storage.
    Foreign,
    /// The title that oh-my-pi writes before the header.
    Title,
}

/// A record as the scan sees it.
pub struct RecordView<'a> {
    /// Its line.
    pub line: &'a LineView<'a>,
    /// Its members.
    pub record: Record<'a>,
    /// What it says about itself.
    pub envelope: &'a Envelope<'a>,
    /// What it is in the session.
    pub part: Part,
    /// Where the record's bytes begin, counted from the line's start.
    start: usize,
    joined: Option<&'a Joined>,
}

impl RecordView<'_> {
    /// Where a span of the record stands: offset in the file and length.
    pub fn place(&self, span: &Span) -> (u64, u64) {
        let base = self.line.offset + self.start as u64;
        match self.joined {
            Some(joined) => {
                let (from, to) = (joined.place(span.start), joined.place(span.end));
                (base + from as u64, (to - from) as u64)
            }
            None => (self.line.offset + span.start as u64, (span.end - span.start) as u64),
        }
    }

    /// The line on which a span of the record begins: its number and its offset in the file.
    pub fn line_of(&self, span: &Span) -> (u64, u64) {
        let before =
            self.joined.map_or(&[][..], |j| &j.joints[..j.joints.partition_point(|joint| *joint < span.start)]);
        match before.last() {
            // the escape in the joined bytes is one line feed in the file
            Some(joint) => {
                let line_feed = self.line.offset as usize + self.start + joint - (before.len() - 1);
                (self.line.number + before.len() as u64, line_feed as u64 + 1)
            }
            None => (self.line.number, self.line.offset),
        }
    }

    /// The whole record's span in [`Record::bytes`].
    pub fn span(&self) -> Span {
        match self.joined {
            Some(joined) => 0..joined.bytes.len(),
            None => self.start..self.record.bytes.len(),
        }
    }
}

/// What looks on while a file is scanned: the line and record rules.
pub trait Observer: Default + Send {
    /// A line of which any fact is set.
    fn line(&mut self, line: &LineView<'_>);
    /// A record of which any fact is set.
    fn record(&mut self, record: &RecordView<'_>);
    /// Every record, before anything else is done with it. Entries come in the order of the index.
    #[inline]
    fn every(&mut self, _: &RecordView<'_>) {}
    /// Takes over what was seen in the next block; its line numbers grow by `base`.
    fn append(&mut self, later: Self, base: u64);
}

/// Looks at nothing.
impl Observer for () {
    fn line(&mut self, _: &LineView<'_>) {}
    fn record(&mut self, _: &RecordView<'_>) {}
    fn append(&mut self, (): Self, _: u64) {}
}

/// Two that look on together.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn line(&mut self, line: &LineView<'_>) {
        self.0.line(line);
        self.1.line(line);
    }

    fn record(&mut self, record: &RecordView<'_>) {
        self.0.record(record);
        self.1.record(record);
    }

    fn every(&mut self, record: &RecordView<'_>) {
        self.0.every(record);
        self.1.every(record);
    }

    fn append(&mut self, later: Self, base: u64) {
        self.0.append(later.0, base);
        self.1.append(later.1, base);
    }
}

/// Scans a source into an index.
///
/// # Errors
/// What reading says; content never is an error.
pub fn scan<O: Observer>(source: &Source, options: &Options) -> io::Result<(Session, O)> {
    let mut builder = Builder::<O>::new();
    match source.as_stream() {
        Some(stream) => {
            let options = &Options { hash: Some(options.hash.unwrap_or_else(random_seed)), ..*options };
            let mut stream = stream.lock().map_err(|_| io::Error::other("the pipe was given up by another thread"))?;
            let mut blocks = StreamBlocks::new(&mut stream);
            let mut scanner = Scanner::new();
            while let Some(part) = blocks.next(|block, tail| BlockScan::run(&mut scanner, options, &block, 0, tail))? {
                blocks.skip(part.behind);
                builder.append(part)?;
            }
        }
        None => scan_slots(source, options, &mut builder)?,
    }
    Ok(builder.finish())
}

/// A seed that no file can have been made for.
pub fn random_seed() -> u64 {
    foldhash::fast::RandomState::default().hash_one(0)
}

/// How many slots each thread gets between two joins.
const SLOTS_PER_THREAD: u64 = 16;

fn scan_slots<O: Observer>(source: &Source, options: &Options, builder: &mut Builder<O>) -> io::Result<()> {
    let size = source.size().unwrap_or(0);
    let slots = slots::count(size);
    let window = SLOTS_PER_THREAD * rayon::current_num_threads() as u64;
    let scan_window = |from: u64| -> io::Result<Vec<Option<BlockPart<O>>>> {
        let slots = from..(from + window).min(slots);
        if slots.end - slots.start == 1 {
            return Ok(vec![scan_slot(source, options, size, slots.start, 0)?]);
        }
        slots.into_par_iter().map(|slot| scan_slot(source, options, size, slot, 0)).collect()
    };
    let mut parts = if slots > 0 { scan_window(0)? } else { Vec::new() };
    let mut from = 0;
    // bytes at the start of the next slot's lines that belong to a record joined before
    let mut absorbed_to = 0u64;
    while from < slots {
        let next = from + window;
        let mut join = |parts: Vec<Option<BlockPart<O>>>, builder: &mut Builder<O>| -> io::Result<()> {
            for (slot, part) in (from..).zip(parts) {
                let Some(mut part) = part else { continue };
                if absorbed_to > part.offset {
                    let Some(again) = scan_slot(source, options, size, slot, absorbed_to)? else { continue };
                    part = again;
                }
                if part.behind > 0 {
                    absorbed_to = part.end + part.behind as u64;
                }
                builder.append(part)?;
            }
            Ok(())
        };
        // the next window is scanned while this one is joined
        let (joined, scanned) =
            rayon::join(|| join(parts, builder), || if next < slots { scan_window(next) } else { Ok(Vec::new()) });
        joined?;
        parts = scanned?;
        if from == 0 {
            builder.expect(size);
        }
        from = next;
    }
    match source.size() {
        Some(size) if builder.session.facts.bytes < size => Err(shrunk()),
        _ => Ok(()),
    }
}

/// Scans the lines that begin in a slot, those before offset `from` left out.
fn scan_slot<O: Observer>(
    source: &Source,
    options: &Options,
    size: u64,
    slot: u64,
    from: u64,
) -> io::Result<Option<BlockPart<O>>> {
    thread_local! {
        static WORKER: std::cell::RefCell<(Vec<u8>, Scanner)> = std::cell::RefCell::default();
    }
    WORKER.with_borrow_mut(|(buffer, scanner)| {
        let Some(block) = slots::read(source, size, slot, buffer)? else { return Ok(None) };
        let skip = from.saturating_sub(block.offset) as usize;
        if skip >= block.bytes.len() {
            return Ok(None);
        }
        let end = block.offset + block.bytes.len() as u64;
        let mut tail = SourceTail::new(source, size, end);
        BlockScan::run(scanner, options, &block, skip, &mut tail).map(Some)
    })
}

/// What one block gives.
pub(super) struct BlockPart<O> {
    offset: u64,
    end: u64,
    behind: usize,
    pub(super) facts: FileFacts,
    /// The entries, each with what it names as its parent.
    pub(super) entries: Vec<(Entry, Key)>,
    traits: Traits,
    pub(super) arena: Arena,
    headers: Vec<Header>,
    pub(super) refs: Vec<Ref>,
    /// Calls and results, with the hash of their ids.
    calls: Vec<(Call, u64)>,
    hashes: Vec<u64>,
    odd_lines: Vec<(u64, u64)>,
    pub(super) observer: O,
}

/// How many further headers are kept.
const MOST_HEADERS: usize = 1000;

pub(super) struct BlockScan<'a, O> {
    options: &'a Options,
    block: &'a Block<'a>,
    part: BlockPart<O>,
}

impl<O: Observer> BlockScan<'_, O> {
    pub(super) fn run(
        scanner: &mut Scanner,
        options: &Options,
        block: &Block<'_>,
        skip: usize,
        tail: &mut dyn Tail,
    ) -> io::Result<BlockPart<O>> {
        let part = BlockPart {
            offset: block.offset,
            end: block.offset + block.bytes.len() as u64,
            behind: 0,
            facts: FileFacts::default(),
            entries: Vec::new(),
            traits: Traits::default(),
            arena: Arena::default(),
            headers: Vec::new(),
            refs: Vec::new(),
            calls: Vec::new(),
            hashes: Vec::new(),
            odd_lines: Vec::new(),
            observer: O::default(),
        };
        let mut scan = BlockScan { options, block, part };
        let mut at = skip;
        while at < block.bytes.len() {
            scan.part.facts.lines += 1;
            at = match scan.plain(scanner, at) {
                Some(next) => next,
                None => {
                    let line = Line::at(block.bytes, at);
                    scan.part.facts.bytes += (line.next() - at) as u64;
                    scan.odd(scanner, &line, tail)?
                }
            };
        }
        Ok(scan.part)
    }

    /// Takes the line that begins at `from`, if it is one record and nothing else; where the next begins.
    fn plain(&mut self, scanner: &mut Scanner, from: usize) -> Option<usize> {
        let rest = &self.block.bytes[from..];
        let start = skip_blanks(rest, 0);
        if rest.get(start) != Some(&b'{') {
            return None;
        }
        // the end of the line need not be looked for: it is where the value ends
        let value = scanner.scan_line(rest, start).ok()?;
        let length = skip_blanks(rest, value.span.end);
        let ended = match rest.get(length) {
            Some(b'\n') => true,
            Some(_) => return None,
            None => false,
        };
        let bytes = &rest[..length];
        let line = &Line { span: from..from + length, ended };
        self.part.facts.bytes += (line.next() - from) as u64;
        self.count_line(bytes, line, length);
        let bad_utf8 = if scanner.notes.non_ascii { first_bad_utf8(bytes) } else { None };
        let mut facts = if line.ended { 0 } else { line_facts::UNTERMINATED };
        if bad_utf8.is_some() {
            facts |= facts::BAD_UTF8;
        }
        if scanner.notes.non_ascii && has_separator(bytes) {
            facts |= facts::SEPARATOR;
        }
        if bytes.len() as u64 > self.options.longest_line && utf16_units(bytes) > self.options.longest_line {
            facts |= line_facts::OVERSIZED;
        }
        let view = self.view(line, bytes, facts, None, None, bad_utf8);
        if facts != 0 {
            self.part.observer.line(&view);
        }
        let record = Record::new(&bytes[..value.span.end], scanner);
        self.record(&view, record, start, None, bad_utf8.is_none());
        Some(line.next())
    }

    fn view<'v>(
        &self,
        line: &Line,
        bytes: &'v [u8],
        facts: u32,
        pieces: Option<&'v Pieces>,
        joined: Option<&'v Joined>,
        bad_utf8: Option<usize>,
    ) -> LineView<'v> {
        LineView {
            number: self.part.facts.lines - joined.map_or(0, |j| j.lines - 1),
            offset: self.block.offset + line.span.start as u64,
            bytes,
            ended: line.ended,
            facts,
            pieces,
            joined,
            bad_utf8,
        }
    }

    /// Counts what is counted of every line that is not blank; its content ends at `content_end`.
    fn count_line(&mut self, bytes: &[u8], line: &Line, content_end: usize) {
        let offset = self.block.offset + line.span.start as u64;
        let facts = &mut self.part.facts;
        if line.ended {
            match bytes.last() {
                Some(b'\r') => facts.crlf.add(facts.lines, offset, offset + bytes.len() as u64 - 1, 2),
                _ => facts.lf_only += 1,
            }
        }
        if content_end > 0 {
            facts.content_end = offset + content_end as u64;
            facts.nul_lines = super::facts::Tally::default();
        }
        if facts.first_line.is_none() {
            facts.first_line =
                Some(FirstLine { line: facts.lines, offset, length: bytes.len() as u64, broken_header: false });
        }
    }

    /// Takes a line that is anything else; where the next one begins.
    fn odd(&mut self, scanner: &mut Scanner, line: &Line, tail: &mut dyn Tail) -> io::Result<usize> {
        let bytes = &self.block.bytes[line.span.clone()];
        let offset = self.block.offset + line.span.start as u64;
        // a lone byte order mark is blank to JavaScript, but pi refuses a file that begins with one
        if line::is_blank(bytes) && !bytes.starts_with(b"\xEF\xBB\xBF") {
            let facts = &mut self.part.facts;
            facts.blank.add(facts.lines, offset, offset, bytes.len() as u64);
            return Ok(line.next());
        }
        let pieces = take_apart(scanner, bytes, pi::knows);
        let first = self.part.facts.first_line.is_none();
        self.count_line(bytes, line, content_end(bytes, &pieces));
        if pieces.list.iter().all(|p| p.kind == PieceKind::Nul) {
            let facts = &mut self.part.facts;
            facts.nul_lines.add(facts.lines, offset, offset, bytes.len() as u64);
        }
        if pieces.wholes() == 0
            && first
            && shows_header(bytes)
            && let Some(first) = &mut self.part.facts.first_line
        {
            first.broken_header = true;
        }
        self.count_value(&pieces, offset, bytes);
        if pieces.value.is_none() {
            let facts = &mut self.part.facts;
            facts.not_json.add(facts.lines, offset, offset, bytes.len() as u64);
        }
        let joined = self.join(scanner, line, &pieces, tail)?;
        let mut facts = line_facts::ODD;
        if !line.ended && joined.is_none() || joined.as_ref().is_some_and(|j| !j.ended) {
            facts |= line_facts::UNTERMINATED;
        }
        if joined.is_some() {
            facts |= line_facts::JOINED;
        }
        let bad_utf8 = bad_utf8_of_pieces(bytes, &pieces, joined.is_some());
        if bad_utf8.is_some() {
            facts |= facts::BAD_UTF8;
        }
        if has_separator(bytes) && pieces.wholes() > 0 {
            facts |= facts::SEPARATOR;
        }
        if bytes.len() as u64 > self.options.longest_line && utf16_units(bytes) > self.options.longest_line {
            facts |= line_facts::OVERSIZED;
        }
        self.part.facts.dropped += 1;
        let view = self.view(line, bytes, facts, Some(&pieces), joined.as_ref(), bad_utf8);
        self.part.observer.line(&view);
        let last = pieces.list.len().wrapping_sub(1);
        for (n, piece) in pieces.list.iter().enumerate() {
            match piece.kind {
                PieceKind::Whole if scanner.scan(bytes, piece.span.start).is_ok() => {
                    let record = Record::new(&bytes[..piece.span.end], scanner);
                    let valid = simdutf8::basic::from_utf8(&bytes[piece.span.clone()]).is_ok();
                    self.record(&view, record, piece.span.start, None, valid);
                }
                PieceKind::Cut { .. } if joined.is_none() || n != last => self.lose(scanner, &view, piece),
                _ => {}
            }
        }
        let Some(joined) = &joined else { return Ok(line.next()) };
        if scanner.scan(&joined.bytes, 0).is_ok() {
            let record = Record::new(&joined.bytes, scanner);
            let valid = simdutf8::basic::from_utf8(&joined.bytes).is_ok();
            let start = pieces.list.last().map_or(0, |p| p.span.start);
            self.record(&view, record, start, Some(joined), valid);
        }
        Ok((line.span.start + self.join_start(&pieces) + joined.length + usize::from(joined.ended))
            .min(self.block.bytes.len()))
    }

    fn join_start(&self, pieces: &Pieces) -> usize {
        pieces.list.last().map_or(0, |p| p.span.start)
    }

    /// Joins the record that the line's last piece begins with the lines behind it.
    fn join(
        &mut self,
        scanner: &mut Scanner,
        line: &Line,
        pieces: &Pieces,
        tail: &mut dyn Tail,
    ) -> io::Result<Option<Joined>> {
        let Some(Piece { kind: PieceKind::Cut { in_string: true }, span }) = pieces.list.last() else {
            return Ok(None);
        };
        if !line.ended {
            return Ok(None);
        }
        let start = line.span.start + span.start;
        let joined = join::join(scanner, self.block.bytes, start, tail)?;
        if let Some(joined) = &joined {
            let facts = &mut self.part.facts;
            facts.lines += joined.lines - 1;
            facts.bytes += (joined.length + usize::from(joined.ended)) as u64 - (line.next() - start) as u64;
            facts.content_end = self.block.offset + (start + joined.length) as u64;
            facts.lf_only += joined.lines - 1;
            self.part.behind = joined.behind;
        }
        Ok(joined)
    }

    /// Counts a line that is a JSON value but no object.
    fn count_value(&mut self, pieces: &Pieces, offset: u64, bytes: &[u8]) {
        let Some(kind) = pieces.value else { return };
        let truthy = match kind {
            Kind::Null => false,
            Kind::Array | Kind::Object => true,
            Kind::Bool | Kind::Number | Kind::String => is_truthy(bytes.trim_ascii()),
        };
        let facts = &mut self.part.facts;
        if !truthy {
            facts.falsy.add(facts.lines, offset, offset, bytes.len() as u64);
        } else {
            facts.add_extra(Entry::of_value(facts.lines, offset, bytes.len() as u64));
            facts.scalars += u64::from(kind != Kind::Array);
            if self.part.headers.is_empty() {
                facts.truthy.add(facts.lines, offset, offset, bytes.len() as u64);
            }
        }
    }

    /// Remembers what can still be read of a cut record.
    fn lose(&mut self, scanner: &mut Scanner, view: &LineView<'_>, piece: &Piece) {
        let bytes = &view.bytes[..piece.span.end];
        if scanner.scan(bytes, piece.span.start).is_ok() {
            return;
        }
        let record = Record::new(bytes, scanner);
        if let Some(id) = record.get(b"id").and_then(|m| record.raw_string(m)) {
            let place = (view.offset, view.offset + piece.span.start as u64, piece.span.len() as u64);
            self.part.facts.lose(Lost { id: text::decode(id).into_owned(), line: view.number, place });
        }
    }

    /// Takes a record: `start` is where it begins in the line.
    fn record(
        &mut self,
        view: &LineView<'_>,
        record: Record<'_>,
        start: usize,
        joined: Option<&Joined>,
        valid_utf8: bool,
    ) {
        let envelope = Envelope::read(&record, valid_utf8);
        let facts = &mut self.part.facts;
        facts.objects += 1;
        facts.deepest = facts.deepest.max(record.scanner.notes.depth);
        let may_be_foreign = envelope.foreign || matches!(envelope.entry, EntryType::Missing | EntryType::Unknown);
        let owner = if envelope.header || !may_be_foreign { None } else { dialect::owner(&record) };
        let part = match owner {
            _ if envelope.header => Part::Header,
            _ if self.part.headers.is_empty() && self.block.offset == 0 && pi::is_title(&record) => Part::Title,
            Some(_) => Part::Foreign,
            None => Part::Entry,
        };
        let seen = RecordView { line: view, record, envelope: &envelope, part, start, joined };
        let (offset, length) = seen.place(&seen.span());
        if part != Part::Header && self.part.headers.is_empty() {
            facts.truthy.add(view.number, view.offset, offset, length);
        }
        if envelope.facts & facts::INEXACT_NUMBER != 0
            && let Some(span) = &record.scanner.notes.inexact
        {
            let ((at, n), (line, line_start)) = (seen.place(span), seen.line_of(span));
            facts.inexact.add(line, line_start, at, n);
            facts.inexact.count += record.scanner.notes.inexacts - 1;
        }
        if view.facts & facts::SEPARATOR != 0
            && let Some(at) = separator_at(record.bytes, seen.span().start)
        {
            let ((at, n), (line, line_start)) = (seen.place(&at), seen.line_of(&at));
            facts.separators.add(line, line_start, at, n);
        }
        self.part.observer.every(&seen);
        if envelope.facts != 0 && matches!(part, Part::Header | Part::Entry) {
            self.part.observer.record(&seen);
        }
        match part {
            Part::Header => self.header(&seen, offset, length),
            Part::Entry => self.entry(&seen, offset, length),
            Part::Title => {
                facts.titles.push((offset, length));
                self.extra(&seen, offset, length);
            }
            Part::Foreign => {
                self.extra(&seen, offset, length);
                let facts = &mut self.part.facts;
                facts.foreign.add(view.number, view.offset, offset, length);
                if facts.foreign_dialect.is_none() {
                    facts.foreign_dialect = owner;
                }
            }
        }
    }

    /// Remembers a record that pi takes for an entry, and this program does not. Its id and parent are
    /// read again where they are needed.
    fn extra(&mut self, seen: &RecordView<'_>, offset: u64, length: u64) {
        if seen.line.pieces.is_some() {
            return;
        }
        let envelope = seen.envelope;
        let mut row = Entry::of_value(seen.line.number, offset, length);
        row.kind = envelope.entry;
        row.role = envelope.role;
        row.time = envelope.time.millis().unwrap_or(NO_TIME);
        row.flags = 0;
        if matches!(envelope.id, Id::Absent) {
            row.flags |= flags::ID_ABSENT;
        }
        if matches!(envelope.parent, Id::Absent) {
            row.flags |= flags::PARENT_ABSENT;
        }
        if lacks_time_text(&seen.record, envelope) {
            row.flags |= flags::TIME_NO_STRING;
        }
        self.part.facts.add_extra(row);
    }

    fn header(&mut self, seen: &RecordView<'_>, offset: u64, length: u64) {
        if self.part.headers.len() > MOST_HEADERS {
            return;
        }
        let fields = header_fields(&seen.record, |span| seen.place(span));
        self.part.headers.push(Header {
            offset,
            length,
            line: seen.line.number,
            dropped: seen.line.pieces.is_some(),
            fields,
            entries_before: self.part.entries.len() as u64,
        });
    }

    fn entry(&mut self, seen: &RecordView<'_>, offset: u64, length: u64) {
        let envelope = seen.envelope;
        let facts = &mut self.part.facts;
        if matches!(envelope.entry, EntryType::Missing | EntryType::Unknown) {
            facts.strange += u64::from(matches!(envelope.parent, Id::Absent));
        } else {
            facts.native += 1;
        }
        let mut bits = 0;
        let mut set = |on: bool, flag: u16| bits |= if on { flag } else { 0 };
        let mut id = Key::default();
        match &envelope.id {
            Id::Text(text, member) => {
                id = self.part.arena.add(text);
                set(!text.is_empty(), flags::ID);
                set(member.value.len() != text.len() + 2 || member.value.len() > u16::MAX as usize, flags::ID_ODD);
            }
            Id::Absent => set(true, flags::ID_ABSENT),
            Id::Null | Id::Other(_) => {}
        }
        let mut parent = Key::default();
        match &envelope.parent {
            Id::Text(text, _) => parent = self.part.arena.add(text),
            Id::Absent => set(true, flags::PARENT_ABSENT),
            Id::Null => set(true, flags::PARENT_NULL),
            Id::Other(_) => set(true, flags::PARENT_NO_STRING),
        }
        bits |= envelope.turn;
        let mut set = |on: bool, flag: u16| bits |= if on { flag } else { 0 };
        set(!envelope.timed, flags::TIME_ABSENT);
        set(seen.joined.is_some(), flags::JOINED);
        set(envelope.facts & facts::BAD_UTF8 != 0, flags::BAD_UTF8);
        set(seen.line.pieces.is_some(), flags::DROPPED);
        set(lacks_time_text(&seen.record, envelope), flags::TIME_NO_STRING);
        let place = |id: &Id<'_>, name: &[u8]| match id.member().or_else(|| seen.record.get(name)) {
            Some(member) => {
                let (at, n) = seen.place(&member.value);
                (u32::try_from(at - offset).unwrap_or(u32::MAX), n.min(u16::MAX as u64) as u16)
            }
            None => (u32::MAX, 0),
        };
        let (id_at, id_length) = place(&envelope.id, b"id");
        let (parent_at, parent_length) = place(&envelope.parent, b"parentId");
        let row = Entry {
            offset,
            length,
            line: seen.line.number,
            time: envelope.time.millis().unwrap_or(NO_TIME),
            id,
            id_at,
            parent_at,
            id_length,
            parent_length,
            flags: bits,
            kind: envelope.entry,
            role: envelope.role,
        };
        let n = self.part.entries.len() as u32;
        self.part.entries.push((row, parent));
        if let Some(seed) = self.options.hash {
            if seen.line.pieces.is_some() {
                self.part.odd_lines.push((seen.line.number, seen.line.offset));
            }
            self.part.hashes.push(FixedState::with_seed(seed).hash_one(&seen.record.bytes[seen.span()]));
        }
        self.refs(seen, n, offset);
        let silent = self.options.calls && self.calls(seen, n);
        let (row, _) = &mut self.part.entries[n as usize];
        row.flags |= if silent { flags::SILENT } else { 0 };
        self.part.traits.add(row);
    }

    fn refs(&mut self, seen: &RecordView<'_>, entry: u32, offset: u64) {
        let names: &[(&[u8], RefKind)] = match seen.envelope.entry {
            EntryType::Leaf => &[(b"targetId", RefKind::LeafTarget)],
            EntryType::Label => &[(b"targetId", RefKind::LabelTarget)],
            EntryType::Compaction => {
                &[(b"firstKeptEntryId", RefKind::FirstKept), (b"firstKeptEntryIndex", RefKind::FirstKeptIndex)]
            }
            EntryType::BranchSummary => &[(b"fromId", RefKind::SummarySource)],
            EntryType::ContextEdit => &[(b"targetId", RefKind::EditTarget)],
            _ => return,
        };
        let tail = seen.record.get(b"retainedTail").is_some_and(|m| m.kind == Kind::Array);
        for &(name, kind) in names {
            let member = seen.record.get(name);
            let value = match member {
                // agent-core's retained tail stands instead of a kept range
                _ if kind == RefKind::FirstKept && tail && member.is_none_or(|m| m.kind == Kind::Null) => continue,
                None if kind == RefKind::FirstKeptIndex => continue,
                None => RefValue::Absent,
                Some(member) => self.ref_value(&seen.record, member),
            };
            let (at, length) = member.map_or((offset, 1), |m| seen.place(&m.value));
            self.part.refs.push(Ref { entry, kind, value, offset: at, length, target: None });
        }
    }

    fn ref_value(&mut self, record: &Record<'_>, member: &Member) -> RefValue {
        match (member.kind, record.string(member)) {
            (_, Some(id)) => RefValue::Id(self.part.arena.add(&id)),
            (Kind::Null, _) => RefValue::Null,
            (Kind::Number, _) => record.raw(&member.value).parse().map_or(RefValue::Other, RefValue::Number),
            _ => RefValue::Other,
        }
    }

    /// Notes the ids of tool calls and results.
    /// Whether it is an assistant's message without text that ended as usual.
    fn calls(&mut self, seen: &RecordView<'_>, entry: u32) -> bool {
        let record = &seen.record;
        let calls = &mut self.part.calls;
        let mut note = |is_result: bool, member: Option<&Member>| {
            if let Some(id) = member.and_then(|m| record.string(m)) {
                calls.push((Call { entry, id: 0, is_result }, call_ids::hash(&id)));
            }
        };
        match seen.envelope.role {
            Role::ToolResult => note(true, record.get_inner(b"toolCallId")),
            Role::Assistant => {
                let mut speaks = record.scanner.blocks.is_empty();
                for block in record.blocks() {
                    note(false, block.call_id());
                    speaks |= block.name() == Some(b"text");
                }
                return !speaks && ended_as_usual(record);
            }
            _ => {}
        }
        false
    }
}

/// Whether a message stopped by itself or for a tool, or does not say.
fn ended_as_usual(record: &Record<'_>) -> bool {
    let reason = record.get_inner(b"stopReason").and_then(|m| record.raw_string(m));
    matches!(reason, None | Some(b"stop" | b"toolUse"))
}

/// Whether the `timestamp` is no string, or an empty one.
fn lacks_time_text(record: &Record<'_>, envelope: &Envelope<'_>) -> bool {
    envelope.facts & facts::BAD_TIME != 0
        && record.get(b"timestamp").and_then(|m| record.raw_string(m)).is_none_or(<[u8]>::is_empty)
}

/// The members of a header that are of interest.
pub fn header_fields(record: &Record<'_>, place: impl Fn(&Span) -> (u64, u64)) -> Vec<HeaderField> {
    const NAMES: &[&str] = &["type", "version", "id", "timestamp", "cwd", "parentSession", "branchedFrom"];
    let mut fields = Vec::new();
    for &name in NAMES {
        if let Some(member) = record.get(name.as_bytes()) {
            let text = match record.raw_string(member) {
                Some(raw) => text::to_text(&raw[..raw.len().min(1 << 16)]),
                None => record.raw(&(member.value.start..member.value.end.min(member.value.start + 4096))),
            };
            fields.push(HeaderField { name, kind: member.kind, text, place: place(&member.value) });
        }
    }
    fields
}

/// The offset of the first byte from `at` on that is no JSON white space, or the end of the line.
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Where the last byte of a line's content ends: NULs and white space are none.
fn content_end(bytes: &[u8], pieces: &Pieces) -> usize {
    match pieces.list.last() {
        // a record and NULs on one line belong together; a cut one and NULs do not
        Some(last) if last.kind == PieceKind::Nul => {
            match pieces.list.iter().rev().find(|p| p.kind != PieceKind::Nul) {
                Some(Piece { kind: PieceKind::Whole, .. }) => bytes.len(),
                Some(piece) => piece.span.end,
                None => 0,
            }
        }
        _ => bytes.len(),
    }
}

/// Whether a line that is no record shows that it was a header.
fn shows_header(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(512)];
    let finder = memchr::memmem::find(head, b"\"type\"");
    finder.is_some_and(|at| {
        let rest = head[at + 6..].trim_ascii_start();
        rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"session\""))
    })
}

/// Whether JavaScript takes a scalar (JSON, without white space around it) for true.
pub(crate) fn is_truthy(text: &[u8]) -> bool {
    match text {
        b"true" => true,
        b"false" | b"null" | b"\"\"" => false,
        [b'"', ..] => true,
        number => std::str::from_utf8(number).ok().and_then(|t| t.parse::<f64>().ok()).is_some_and(|n| n != 0.0),
    }
}

fn first_bad_utf8(bytes: &[u8]) -> Option<usize> {
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return None;
    }
    std::str::from_utf8(bytes).err().map(|e| e.valid_up_to())
}

/// The first byte that is no UTF-8 in a record or a cut record; a character that the cut itself
/// tore does not count, nor does what is junk anyway.
fn bad_utf8_of_pieces(bytes: &[u8], pieces: &Pieces, joined: bool) -> Option<usize> {
    pieces.list.iter().find_map(|piece| {
        let tolerant = match piece.kind {
            PieceKind::Whole => false,
            PieceKind::Cut { .. } if !joined => true,
            _ => return None,
        };
        let error = std::str::from_utf8(&bytes[piece.span.clone()]).err()?;
        (!tolerant || error.error_len().is_some()).then(|| piece.span.start + error.valid_up_to())
    })
}

/// How many UTF-16 units the bytes make; bytes that are no UTF-8 count as one each.
fn utf16_units(bytes: &[u8]) -> u64 {
    bytes.iter().map(|b| u64::from(b & 0xC0 != 0x80) + u64::from(*b >= 0xF0)).sum()
}

fn has_separator(bytes: &[u8]) -> bool {
    separator_at(bytes, 0).is_some()
}

/// The first raw U+2028, U+2029 or U+0085 from `from` on. Their last bytes are sought: dashes, quotes and
/// lines of boxes begin like them.
fn separator_at(bytes: &[u8], from: usize) -> Option<Span> {
    memchr::memchr3_iter(0xA8, 0xA9, 0x85, &bytes[from..]).map(|at| from + at + 1).find_map(|end| {
        let start = match &bytes[from..end] {
            [.., 0xE2, 0x80, 0xA8 | 0xA9] => end - 3,
            [.., 0xC2, 0x85] => end - 2,
            _ => return None,
        };
        Some(start..end)
    })
}

/// Joins the blocks' parts in file order.
struct Builder<O> {
    session: Session,
    marks: Marks,
    observer: O,
}

impl<O: Observer> Builder<O> {
    fn new() -> Self {
        let session = Session {
            entries: Vec::new(),
            links: Vec::new(),
            traits: Traits::default(),
            arena: Arena::default(),
            table: Table::default(),
            header: None,
            extra_headers: Vec::new(),
            refs: Vec::new(),
            calls: Vec::new(),
            call_ids: CallIds::default(),
            pending: Vec::new(),
            copies: Vec::new(),
            near: Vec::new(),
            hashes: Vec::new(),
            odd_lines: Vec::new(),
            loops: Vec::new(),
            in_loop: EntrySet::default(),
            shape: Shape::Tree,
            facts: FileFacts::default(),
        };
        Builder { session, marks: Marks::default(), observer: O::default() }
    }

    /// Makes room for what the rest of a source of `size` bytes will bring, going by what is there.
    fn expect(&mut self, size: u64) {
        let Session { entries, links, facts, .. } = &mut self.session;
        let rest = size.saturating_sub(facts.bytes) as u128;
        let more = entries.len() as u128 * rest / u128::from(facts.bytes.max(1));
        // a file may change its manners: not more than a GiB of rows ahead of the evidence
        let more = more.min(1 << 24) as usize;
        entries.reserve(more);
        links.reserve(more);
        self.marks.reserve(more);
    }

    fn append(&mut self, part: BlockPart<O>) -> io::Result<()> {
        let base = self.session.facts.lines;
        let marks = &mut self.marks;
        let observer =
            self.session.take_in(part, |arena, row| marks.push(arena, row.has(flags::ID).then_some(row.id)))?;
        self.observer.append(observer, base);
        Ok(())
    }

    fn finish(mut self) -> (Session, O) {
        self.session.settle(self.marks);
        (self.session, self.observer)
    }
}

impl Session {
    /// Takes in what the next block has, and hands back what looked on. `added` is called for each entry
    /// in turn; parents that are not the entry before are pending then.
    pub(super) fn take_in<O>(&mut self, part: BlockPart<O>, mut added: impl FnMut(&Arena, &Entry)) -> io::Result<O> {
        let session = self;
        let base = session.facts.lines;
        let first = session.entries.len() as u32;
        if (session.entries.len() + part.entries.len()) as u64 > MOST_ENTRIES as u64 {
            return Err(io::Error::other("it has more entries than this program can index (4,294,967,279)"));
        }
        let had_header = session.header.is_some();
        for mut header in part.headers {
            header.line += base;
            header.entries_before += first as u64;
            if session.header.is_none() {
                session.header = Some(header);
            } else if session.extra_headers.len() < MOST_HEADERS {
                session.extra_headers.push(header);
            }
        }
        for (mut row, parent) in part.entries {
            row.line += base;
            row.id = session.arena.adopt(&part.arena, row.id);
            let n = session.entries.len() as u32;
            let link = session.link(n, &row, &part.arena, parent).link();
            added(&session.arena, &row);
            session.links.push(link);
            session.entries.push(row);
        }
        for mut reference in part.refs {
            reference.entry += first;
            if let RefValue::Id(key) = reference.value {
                reference.value = RefValue::Id(session.arena.adopt(&part.arena, key));
            }
            session.refs.push(reference);
        }
        session.traits.append(part.traits);
        for (call, hash) in part.calls {
            let id = session.call_ids.number(hash, call.is_result);
            session.calls.push(Call { entry: call.entry + first, id, ..call });
        }
        session.hashes.extend(part.hashes);
        session.odd_lines.extend(part.odd_lines.into_iter().map(|(line, offset)| (line + base, offset)));
        let mut facts = part.facts;
        if had_header {
            facts.truthy = super::facts::Tally::default();
        }
        session.facts.append(facts);
        Ok(part.observer)
    }

    /// The parent of entry `n`, which is about to be added, if that is the one before it, as it mostly
    /// is. Any other one is noted as pending.
    fn link(&mut self, n: u32, row: &Entry, from: &Arena, parent: Key) -> Parent {
        if row.has(flags::PARENT_ABSENT) {
            return Parent::Absent;
        }
        if row.has(flags::PARENT_NULL) {
            return Parent::Root;
        }
        if row.has(flags::PARENT_NO_STRING) || parent.is_empty() {
            return Parent::Dangling;
        }
        if let Some(last) = self.entries.last()
            && last.has(flags::ID)
            && self.arena.is_same_as(last.id, from, parent)
        {
            return Parent::Entry(n - 1);
        }
        let key = self.arena.adopt(from, parent);
        self.pending.push((n, key));
        Parent::Dangling
    }

    /// What can be said only at the end of the file: ids, parents that are not the entry before, copies
    /// of ids, the shape, references.
    fn settle(&mut self, marks: Marks) {
        self.call_ids.rest();
        (self.table, self.copies) = Table::of(&self.entries, &self.arena, marks);
        let copies = self.copies_by_last();
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|&(n, key)| {
            let Some(last) = self.find_key(key) else { return true };
            // the copy that stood nearest before it, if any did
            let before = match copies.get(&last) {
                _ if last < n => Some(last),
                Some(earlier) => earlier[..earlier.partition_point(|m| *m < n)].last().copied(),
                None => None,
            };
            self.links[n as usize] = before.unwrap_or(last);
            before.is_none()
        });
        pending.shrink_to_fit();
        self.pending = pending;
        self.settle_copies();
        self.shape = self.find_shape();
        if self.shape == Shape::Line {
            for (n, link) in (0u32..).zip(&mut self.links) {
                *link = n.checked_sub(1).map_or(Parent::Root, Parent::Entry).link();
            }
        }
        self.loops = graph::loops(self.entries.len(), |n| self.parent(n));
        self.in_loop = self.loops.iter().flatten().copied().collect();
        for n in 0..self.refs.len() {
            if let RefValue::Id(key) = self.refs[n].value {
                self.refs[n].target = self.find_key(key);
            }
        }
    }

    /// The earlier copies of each id that has some, in file order, by the last one.
    fn copies_by_last(&self) -> HashMap<u32, Vec<u32>> {
        let mut by_last: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(before, later) in &self.copies {
            // so far the one before was the last
            let mut earlier = by_last.remove(&before).unwrap_or_default();
            earlier.push(before);
            by_last.insert(later, earlier);
        }
        by_last
    }

    /// Where an id occurs twice the later copy is the node: children of an earlier one move to it.
    fn settle_copies(&mut self) {
        if self.copies.is_empty() {
            return;
        }
        for n in 0..self.copies.len() {
            let (before, _) = self.copies[n];
            self.entries[before as usize].flags |= flags::EARLIER_COPY;
        }
        // from the back, so that each earlier copy already knows the last one
        let mut last = HashMap::new();
        for &(before, later) in self.copies.iter().rev() {
            let end = last.get(&later).copied().unwrap_or(later);
            last.insert(before, end);
        }
        for (n, link) in (0u32..).zip(&mut self.links) {
            let Parent::Entry(parent) = Parent::of(*link) else { continue };
            if let Some(&node) = last.get(&parent) {
                self.near.push((n, parent));
                *link = node;
            }
        }
    }

    fn find_shape(&self) -> Shape {
        if self.entries.is_empty() {
            return Shape::Tree;
        }
        let old = match self.version() {
            Some(version) => version < 2,
            // null, true and "1" count as 1 in pi; what the entries show decides
            None => false,
        };
        if old && self.is_tree_in_old_clothes() {
            Shape::Tree
        } else if old || !self.traits.any(flags::ID) {
            Shape::Line
        } else {
            Shape::Tree
        }
    }

    /// Whether at least half of the entries have a string id and the key parentId.
    pub fn is_tree_in_old_clothes(&self) -> bool {
        let linked = self.entries.iter().filter(|e| e.has(flags::ID) && !e.has(flags::PARENT_ABSENT)).count();
        !self.entries.is_empty() && linked * 2 >= self.entries.len()
    }
}
