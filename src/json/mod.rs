//! One pass over one JSON value: is it valid, where are its members, what is odd about it?
//!
//! The grammar is RFC 8259 as JavaScript's `JSON.parse` applies it: lone surrogates, duplicate keys,
//! any number and any depth are accepted (and told), white space is space, TAB, CR and LF only.
//! Nothing is decoded and nothing recurses; spans point into the bytes that were given. The API is
//! deliberately plain ([`Scanner::scan`]: spans and flags, or where it fails). Behind it stands a walk
//! that looks at 64 bytes at once; [`plain::scan`] is its twin, byte by byte, which says what is right.

mod duplicate;
mod kernel;
mod number;
pub mod plain;
pub mod print;
mod shape;
pub mod text;
mod walk;

pub(crate) use number::beyond_nine;
pub use number::worth;

use duplicate::Keys;
use kernel::Kernel;
use number::Number;
use shape::Shapes;
use std::cell::Cell;
use std::ops::Range;
use walk::Open;

/// A range of bytes in the scanned slice.
pub type Span = Range<usize>;

/// The JSON type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `null`
    Null = 1,
    /// `true` or `false`
    Bool = 2,
    /// A number.
    Number = 4,
    /// A string; its span includes the quotes.
    String = 8,
    /// An array.
    Array = 16,
    /// An object.
    Object = 32,
}

impl Kind {
    /// The kind as one bit, for tables of what is allowed.
    pub const fn bit(self) -> u8 {
        self as u8
    }

    /// The name of the kind for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The key's bytes between the quotes, not decoded.
    pub key: Span,
    /// The first eight bytes of the key, decoded, as a little-endian number; NULs where it has fewer.
    /// Most names that are not the same differ here.
    pub word: u64,
    /// The value, quotes included.
    pub value: Span,
    /// The value's type.
    pub kind: Kind,
}

impl Member {
    /// Whether the member's key, decoded, is `name`, in which there is no backslash.
    #[inline(always)]
    pub fn is(&self, bytes: &[u8], name: &[u8]) -> bool {
        self.word == word(name) && self.is_whole(bytes, name)
    }

    #[inline(always)]
    fn is_whole(&self, bytes: &[u8], name: &[u8]) -> bool {
        is_whole(&bytes[self.key.clone()], name)
    }
}

/// Whether a key, whose word is that of a name without backslashes, is the name.
#[inline(always)]
fn is_whole(key: &[u8], name: &[u8]) -> bool {
    debug_assert!(!name.contains(&b'\\'));
    // a key of that length that begins so and holds an escape is a shorter name
    key.len() == name.len() && (name.len() <= 8 || key == name) || decodes_to(key, name)
}

/// Whether a key is another spelling of a name.
#[cold]
#[inline(never)]
fn decodes_to(key: &[u8], name: &[u8]) -> bool {
    text::decode(key).as_ref() == name
}

/// One element of `message.content`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The element's bytes.
    pub value: Span,
    /// The element's type; only objects have members.
    pub kind: Kind,
    /// Where its members end in [`Scanner::block_members`]; they begin where those of the one before end.
    pub members_end: usize,
}

/// A key that occurs twice in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The first occurrence (between the quotes).
    pub first: Span,
    /// The second occurrence.
    pub second: Span,
}

/// What a scan found beside the spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Whether any byte is not ASCII: then UTF-8 has to be checked by the caller.
    pub non_ascii: bool,
    /// The deepest nesting; a scalar has 0, `[]` and `{}` have 1.
    pub depth: usize,
    /// The first escape of half a surrogate pair: the offset of its backslash.
    pub lone_surrogate: Option<usize>,
    /// How many there are.
    pub lone_surrogates: u64,
    /// The first key that occurs twice in one object.
    pub duplicate: Option<DuplicateKey>,
    /// How many there are.
    pub duplicates: u64,
    /// The first number that a double does not hold exactly.
    pub inexact: Option<Span>,
    /// How many there are.
    pub inexacts: u64,
}

/// A value that was scanned whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its bytes.
    pub span: Span,
    /// Its type.
    pub kind: Kind,
}

/// Why a scan ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The bytes ended, and more could have made a value of them.
    Truncated,
    /// A byte that cannot stand there.
    Unexpected,
    /// A raw control character inside a string.
    ControlCharacter,
    /// A backslash before a letter that makes no escape.
    BadEscape,
}

/// Where and why a scan ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fail {
    /// The offset of the offending byte, or the end for [`Reason::Truncated`].
    pub at: usize,
    /// Why.
    pub reason: Reason,
    /// Whether that is inside a string (a key or a value).
    pub in_string: bool,
    /// How many objects and arrays are open there.
    pub open: usize,
}

/// Reusable buffers for scanning values; one a thread.
///
/// After a scan, [`top`](Self::top) holds the members of the outermost object,
/// [`inner`](Self::inner) those of its last member named `message` if that is an object, and
/// [`blocks`](Self::blocks) and [`block_members`](Self::block_members) the elements of that
/// object's last `content` if that is an array. After a failed scan they hold what was read
/// before the failure.
#[derive(Default)]
pub struct Scanner {
    /// Members of the outermost object.
    pub top: Vec<Member>,
    /// Members of `message`.
    pub inner: Vec<Member>,
    /// Elements of `message.content`.
    pub blocks: Vec<Block>,
    /// Members of those elements, one element's behind the other's.
    pub block_members: Vec<Member>,
    /// What else was seen.
    pub notes: Notes,
    kernel: Kernel,
    /// The open objects and arrays.
    open: Vec<Open>,
    keys: Keys,
    shapes: Shapes,
    /// Where a low surrogate stands whose high one was met.
    paired: usize,
}

/// What an open container is to the envelope. The objects have odd numbers, so that one bit tells.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Role {
    /// An array that is nothing to it.
    Array = 0,
    /// An object that is nothing to it.
    Object = 1,
    /// The array of blocks.
    Content = 2,
    /// The record.
    Top = 3,
    /// There is none: the value stands by itself.
    Outside = 4,
    /// The message.
    Message = 5,
    /// A block.
    Block = 7,
}

impl Scanner {
    /// A scanner with empty buffers, for the best kernel that this processor has.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lends out a scanner of this thread, which knows the keys that it met before, for what is read in passing.
    /// Whoever has one may lend another.
    pub fn lend<T>(work: impl FnOnce(&mut Scanner) -> T) -> T {
        thread_local! {
            static SPARE: Cell<Option<Scanner>> = const { Cell::new(None) };
        }
        let mut scanner = SPARE.take().unwrap_or_default();
        let done = work(&mut scanner);
        SPARE.set(Some(scanner));
        done
    }

    /// A scanner for each kernel that this processor can run, with its name.
    pub fn each_kernel() -> Vec<(&'static str, Scanner)> {
        let scanner = |kernel: Kernel| (kernel.name(), Scanner { kernel, ..Self::default() });
        Kernel::all().into_iter().map(scanner).collect()
    }

    /// Scans the value that begins at `start` (JSON white space before it is skipped).
    ///
    /// # Errors
    /// A [`Fail`] says where and why no value stands there. Bytes behind the value are not looked at.
    pub fn scan(&mut self, bytes: &[u8], start: usize) -> Result<Value, Fail> {
        let kernel = self.kernel;
        kernel.run(self, bytes, start, false)
    }

    /// Scans the value that begins at `start` on the line that `bytes` begin with, just as if they
    /// ended before the line's LF. So the end of a healthy line is where its value ends.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_line(&mut self, bytes: &[u8], start: usize) -> Result<Value, Fail> {
        let kernel = self.kernel;
        kernel.run(self, bytes, start, true)
    }

    fn clear(&mut self) {
        self.top.clear();
        self.clear_message();
        self.notes = Notes::default();
        self.open.clear();
        self.keys.clear();
        self.shapes.begin();
        self.paired = usize::MAX;
    }

    /// The elements of `message.content`, each with its members.
    pub fn blocks_with_members(&self) -> impl Iterator<Item = (&Block, &[Member])> {
        let mut start = 0;
        self.blocks.iter().map(move |block| {
            let members = &self.block_members[start..block.members_end];
            start = block.members_end;
            (block, members)
        })
    }

    fn clear_message(&mut self) {
        self.inner.clear();
        self.clear_content();
    }

    fn clear_content(&mut self) {
        self.blocks.clear();
        self.block_members.clear();
    }

    /// Looks closer at the number at `at`, of many digits or with an exponent.
    #[inline(never)]
    fn doubt(&mut self, bytes: &[u8], at: usize, number: Number) {
        let text = &bytes[at..number.end];
        if number.point.is_some_and(|point| number::is_shortest(text, point - at)) || number::survives(text) {
            return;
        }
        self.notes.inexacts += 1;
        self.notes.inexact.get_or_insert(at..number.end);
    }

    /// Checks the escape whose letter (behind the backslash) is at `letter` and makes no common one.
    #[cold]
    #[inline(never)]
    fn rare_escape(&mut self, bytes: &[u8], letter: usize) -> Result<(), usize> {
        match bytes.get(letter) {
            Some(b'u') => {}
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => return Ok(()),
            _ => return Err(letter),
        }
        let at = letter - 1;
        match hex4(bytes, at)? {
            0xD800..=0xDBFF => {
                let next = at + 6;
                let low = bytes[next.min(bytes.len())..].starts_with(b"\\u").then(|| hex4(bytes, next)).transpose()?;
                if low.is_some_and(|unit| (0xDC00..=0xDFFF).contains(&unit)) {
                    self.paired = next;
                } else {
                    self.lone(at);
                }
            }
            0xDC00..=0xDFFF if self.paired != at => self.lone(at),
            _ => {}
        }
        Ok(())
    }

    fn lone(&mut self, at: usize) {
        self.notes.lone_surrogates += 1;
        self.notes.lone_surrogate.get_or_insert(at);
    }

    /// The failure of an escape at `at`.
    #[cold]
    fn bad_escape(&self, bytes: &[u8], at: usize, line: bool) -> Fail {
        let ended = bytes.get(at).is_none_or(|&byte| line && byte == b'\n');
        let reason = if ended { Reason::Truncated } else { Reason::BadEscape };
        Fail { at, reason, in_string: true, open: self.open.len() }
    }
}

/// The four hex digits of the escape whose backslash is at `at`, or where one is missing.
fn hex4(bytes: &[u8], at: usize) -> Result<u16, usize> {
    let mut unit = 0u16;
    for i in at + 2..at + 6 {
        match bytes.get(i).map_or(NO_DIGIT, |&byte| HEX[byte as usize]) {
            NO_DIGIT => return Err(i),
            digit => unit = unit << 4 | u16::from(digit),
        }
    }
    Ok(unit)
}

const NO_DIGIT: u8 = 0xFF;

/// What a hex digit is worth.
static HEX: [u8; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut n = 0;
    while n < 16 {
        table[b"0123456789abcdef"[n] as usize] = n as u8;
        table[b"0123456789ABCDEF"[n] as usize] = n as u8;
        n += 1;
    }
    table
};

/// The first eight bytes of a name as a little-endian number; NULs where it has fewer.
#[inline(always)]
pub const fn word(name: &[u8]) -> u64 {
    let mut word = 0;
    let mut n = 0;
    while n < 8 && n < name.len() {
        word |= (name[n] as u64) << (8 * n);
        n += 1;
    }
    word
}

/// The offset of the first byte from `at` on that is no JSON white space.
#[inline(always)]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The last member named `name`: the one whose value counts.
#[inline(always)]
pub fn get<'m>(members: &'m [Member], bytes: &[u8], name: &[u8]) -> Option<&'m Member> {
    // where the name stands in the source, its word is made when that is compiled
    get_by_word(members, bytes, word(name), name)
}

/// As [`get`], given the name's [`word`] too.
pub fn get_by_word<'m>(members: &'m [Member], bytes: &[u8], word: u64, name: &[u8]) -> Option<&'m Member> {
    members.iter().rev().find(|m| m.word == word && m.is_whole(bytes, name))
}

/// Names of members that are looked for together, made ready when this is compiled.
pub struct Names<const N: usize>([(u64, &'static [u8]); N]);

impl<const N: usize> Names<N> {
    /// These names, without backslashes.
    pub const fn new(names: [&'static [u8]; N]) -> Self {
        let mut made: [(u64, &[u8]); N] = [(0, b""); N];
        let mut n = 0;
        while n < N {
            made[n] = (word(names[n]), names[n]);
            n += 1;
        }
        Names(made)
    }

    /// The last member of each name: the one whose value counts.
    #[inline(always)]
    pub fn find<'m>(&self, members: &'m [Member], bytes: &[u8]) -> [Option<&'m Member>; N] {
        let mut found = [None; N];
        for member in members {
            for ((word, name), place) in self.0.iter().zip(&mut found) {
                if member.word == *word && member.is_whole(bytes, name) {
                    *place = Some(member);
                    break;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
