//! The pieces of a line.

use crate::json::{Fail, Kind, Reason, Scanner, Span, get, skip_space};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A complete object: a record.
    Whole,
    /// The beginning of an object whose rest is missing.
    Cut {
        /// Whether the cut lies inside a string.
        in_string: bool,
    },
    /// Bytes that are none of the others.
    Junk,
    /// A run of NUL bytes.
    Nul,
    /// A byte order mark.
    Bom,
}

/// A piece and its bytes in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it is.
    pub span: Span,
}

/// The pieces of one line, in order, without the white space between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The pieces.
    pub list: Vec<Piece>,
    /// The type of the JSON value that the whole line is, where it is one but no object.
    pub value: Option<Kind>,
    /// Where and why scanning failed first.
    pub fail: Option<Fail>,
}

impl Pieces {
    /// How many pieces are whole objects.
    pub fn wholes(&self) -> usize {
        self.list.iter().filter(|p| p.kind == PieceKind::Whole).count()
    }

    /// The first piece of a kind that `wanted` accepts.
    pub fn first(&self, wanted: impl Fn(PieceKind) -> bool) -> Option<&Piece> {
        self.list.iter().find(|p| wanted(p.kind))
    }
}

/// Which values of `type` the dialect lists; the argument is the string's raw bytes.
pub type Known = fn(&[u8]) -> bool;

/// How many times its own length the work on one line may cost. Lines that are damaged by accident
/// need two or three; a line made to be slow is junk from where the work runs out.
const WORK: usize = 64;

/// How records begin.
const BEGINNINGS: [&[u8]; 2] = [b"{\"type\":", b"{\"id\":"];

/// Takes a line apart.
pub fn take_apart(scanner: &mut Scanner, line: &[u8], known: Known) -> Pieces {
    let mut work = Work {
        scanner,
        line,
        known,
        left: line.len().saturating_mul(WORK).saturating_add(4096),
        pieces: Pieces::default(),
    };
    if let Some(kind) = work.whole_value() {
        work.pieces.value = Some(kind);
    }
    work.run();
    work.pieces
}

struct Work<'a> {
    scanner: &'a mut Scanner,
    line: &'a [u8],
    known: Known,
    left: usize,
    pieces: Pieces,
}

impl Work<'_> {
    /// The type of the value that is the whole line, if it is one that is no object.
    fn whole_value(&mut self) -> Option<Kind> {
        let start = skip_space(self.line, 0);
        if self.line.get(start) == Some(&b'{') {
            return None;
        }
        let value = self.scanner.scan(self.line, start).ok()?;
        (skip_space(self.line, value.span.end) == self.line.len()).then_some(value.kind)
    }

    fn run(&mut self) {
        let mut at = 0;
        // behind a cut or junk, an object has to show that it is a record
        let mut doubt = false;
        loop {
            at = skip_space(self.line, at);
            let Some(&byte) = self.line.get(at) else { return };
            if byte == 0 {
                let end = self.line[at..].iter().position(|b| *b != 0).map_or(self.line.len(), |n| at + n);
                self.push(PieceKind::Nul, at..end);
                at = end;
            } else if self.line[at..].starts_with(b"\xEF\xBB\xBF") {
                self.push(PieceKind::Bom, at..at + 3);
                at += 3;
            } else if byte == b'{' {
                at = self.object(at, &mut doubt);
            } else {
                at = self.junk(at, at, &mut doubt);
            }
        }
    }

    fn push(&mut self, kind: PieceKind, span: Span) {
        if let Some(last) = self.pieces.list.last_mut()
            && last.kind == kind
            && kind == PieceKind::Junk
        {
            last.span.end = span.end;
            return;
        }
        self.pieces.list.push(Piece { kind, span });
    }

    /// Takes the object that begins at `at`; where to go on.
    fn object(&mut self, at: usize, doubt: &mut bool) -> usize {
        match self.scan(at) {
            Ok(end) => {
                if *doubt && !(self.is_envelope() && self.reaches(end)) {
                    return self.junk(at, end, doubt);
                }
                *doubt = false;
                self.push(PieceKind::Whole, at..end);
                end
            }
            Err(fail) => {
                self.pieces.fail.get_or_insert(fail);
                self.cut(at, fail, doubt)
            }
        }
    }

    /// An object that begins at `at` is not whole: a cut one, with or without something behind it,
    /// or junk. Where to go on.
    fn cut(&mut self, at: usize, fail: Fail, doubt: &mut bool) -> usize {
        *doubt = true;
        if fail.reason == Reason::Truncated {
            let end = self.line.len();
            if let Some(next) = self.nested_record(at, end) {
                self.push(PieceKind::Cut { in_string: false }, at..next);
                return next;
            }
            self.push(PieceKind::Cut { in_string: fail.in_string }, at..end);
            return end;
        }
        if let Some((next, in_string)) = self.record_inside(at, fail.at) {
            self.push(PieceKind::Cut { in_string }, at..next);
            return next;
        }
        if let Some((next, in_string)) = self.cut_inside(at, fail.at) {
            self.push(PieceKind::Cut { in_string }, at..next);
            return next;
        }
        if self.line[fail.at] == 0 {
            // NULs are a piece of their own; whether they end a cut or tear a string shows behind them
            let behind = self.line[fail.at..].iter().position(|b| *b != 0);
            let next = behind.map(|n| skip_space(self.line, fail.at + n));
            if next.is_none_or(|n| n == self.line.len() || self.line[n] == b'{') {
                self.push(PieceKind::Cut { in_string: fail.in_string }, at..fail.at);
                return fail.at;
            }
        }
        self.junk(at, fail.at.max(at + 1), doubt)
    }

    /// Takes the junk that begins at `from` and holds at least the bytes before `past`; where to go on.
    fn junk(&mut self, from: usize, past: usize, doubt: &mut bool) -> usize {
        *doubt = true;
        let mut at = past;
        let end = loop {
            let Some(found) = memchr::memchr2(b'{', 0, self.line.get(at..).unwrap_or_default()) else {
                break self.line.len();
            };
            let next = at + found;
            if self.line[next] == 0 {
                break next;
            }
            if let Ok(end) = self.scan(next) {
                let structural = matches!(self.before(next), Some(b'[' | b',' | b':'));
                if self.is_envelope() && self.reaches(end) && (!structural || self.is_full_envelope()) {
                    break next;
                }
            }
            at = next + 1;
            if self.left == 0 {
                break self.line.len();
            }
        };
        self.push(PieceKind::Junk, from..self.trim(from, end));
        end
    }

    /// Looks for a whole record at or behind `at + 1` and not behind `bad`, where the object that
    /// begins at `at` stops being one. Only a brace inside a string, or the offending byte itself,
    /// can begin it: any other brace up to there belongs to the object's own structure. Tells
    /// whether the object was cut inside a string.
    fn record_inside(&mut self, at: usize, bad: usize) -> Option<(usize, bool)> {
        let mut next = at + 1;
        while let Some(found) = memchr::memchr(b'{', &self.line[next..(bad + 1).min(self.line.len())]) {
            let brace = next + found;
            next = brace + 1;
            let quote = skip_space(self.line, brace + 1);
            if self.line.get(quote) != Some(&b'"') {
                continue;
            }
            if self.left == 0 {
                return None;
            }
            let Ok(end) = self.scan(brace) else { continue };
            if self.is_envelope() && self.reaches(end) {
                let in_string = self.is_inside_string(at, brace);
                if in_string || brace == bad {
                    return Some((brace, in_string));
                }
            }
        }
        None
    }

    /// Like [`record_inside`](Self::record_inside), where what follows is not whole either: a writer
    /// was stopped twice. Only the way in which records begin counts.
    fn cut_inside(&mut self, at: usize, bad: usize) -> Option<(usize, bool)> {
        let mut from = at + 1;
        while let Some(found) = memchr::memchr(b'{', &self.line[from..(bad + 1).min(self.line.len())]) {
            let brace = from + found;
            from = brace + 1;
            if !BEGINNINGS.iter().any(|beginning| self.line[brace..].starts_with(beginning)) {
                continue;
            }
            if self.left == 0 {
                return None;
            }
            self.left = self.left.saturating_sub(brace - at + 16);
            let in_string = self.is_inside_string(at, brace);
            if in_string || brace == bad {
                return Some((brace, in_string));
            }
        }
        None
    }

    /// A complete record that ends the line as the last value of a cut object: the cut fell where a
    /// value may stand, and the next record was written behind it. Only a record with every mark of
    /// one counts; anything less is a part of the cut object.
    fn nested_record(&mut self, at: usize, end: usize) -> Option<usize> {
        // only objects that close at the line's end come into question: the last few candidates
        let tail = self.line[..end].trim_ascii_end();
        if tail.last() != Some(&b'}') {
            return None;
        }
        for marker in BEGINNINGS {
            let mut from = at + 1;
            while let Some(found) = memchr::memmem::find(&self.line[from..end], marker) {
                let brace = from + found;
                from = brace + 1;
                if self.left == 0 {
                    return None;
                }
                let Ok(stop) = self.scan(brace) else { continue };
                if skip_space(self.line, stop) == self.line.len()
                    && self.is_full_envelope()
                    && !self.is_inside_string(at, brace)
                {
                    return Some(brace);
                }
            }
        }
        None
    }

    /// Scans the object at `at` within the line's budget; the offset behind it.
    fn scan(&mut self, at: usize) -> Result<usize, Fail> {
        let result = self.scanner.scan(self.line, at);
        let end = match &result {
            Ok(value) => value.span.end,
            Err(fail) => fail.at,
        };
        self.left = self.left.saturating_sub(end - at + 16);
        result.map(|value| value.span.end)
    }

    /// Whether what follows an object that ends at `end` lets it stand as a piece.
    fn reaches(&self, end: usize) -> bool {
        let next = skip_space(self.line, end);
        matches!(self.line.get(next), None | Some(0 | b'{')) || self.line[next..].starts_with(b"\xEF\xBB\xBF")
    }

    /// The last byte before `at` that is no white space.
    fn before(&self, at: usize) -> Option<u8> {
        self.line[..at].trim_ascii_end().last().copied()
    }

    /// Whether the byte at `at` is inside a string of the object that begins at `start`.
    fn is_inside_string(&self, start: usize, at: usize) -> bool {
        let mut scanner = Scanner::new();
        matches!(scanner.scan(&self.line[..at], start), Err(fail) if fail.in_string)
    }

    /// Whether the object that was just scanned is recognisably a record: a header, or a type with
    /// an id, a message or a time, or a type that the dialect lists.
    fn is_envelope(&self) -> bool {
        let has = |name: &[u8]| get(&self.scanner.top, self.line, name).is_some();
        match self.kind() {
            Some(kind) => has(b"id") || has(b"message") || has(b"timestamp") || (self.known)(kind),
            None => false,
        }
    }

    /// Whether it has every mark of a record: nothing that stands inside another one has.
    fn is_full_envelope(&self) -> bool {
        let has = |name: &[u8]| get(&self.scanner.top, self.line, name).is_some();
        match self.kind() {
            Some(b"session") => has(b"id") && has(b"timestamp") && has(b"cwd"),
            Some(kind) => (self.known)(kind) && has(b"id") && has(b"parentId") && has(b"timestamp"),
            None => false,
        }
    }

    fn kind(&self) -> Option<&[u8]> {
        let member = get(&self.scanner.top, self.line, b"type")?;
        (member.kind == Kind::String).then(|| &self.line[super::unquoted(&member.value)])
    }

    /// `end` without the white space before it.
    fn trim(&self, from: usize, end: usize) -> usize {
        from + self.line[from..end].trim_ascii_end().len()
    }
}
