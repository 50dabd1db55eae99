//! One pass over one JSON value: is it valid, where are its members, what is odd about it?
//!
//! The grammar is RFC 8259 as JavaScript's `JSON.parse` applies it: lone surrogates, duplicate keys,
//! any number and any depth are accepted (and told), white space is space, TAB, CR and LF only.
//! Nothing is decoded and nothing recurses; spans point into the bytes that were given. The API is
//! deliberately plain ([`Scanner::scan`]: spans and flags, or where it fails), so that a faster
//! scanner can take this one's place.

mod bits;
mod duplicate;
mod number;
pub mod text;

pub use number::worth;

use bits::{BLOCK, Bits, SIMPLE_ESCAPES};
use duplicate::Keys;
use std::ops::Range;

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
#[derive(Clone, Debug)]
pub struct Member {
    /// The key's bytes between the quotes, not decoded.
    pub key: Span,
    /// Whether the key holds an escape, so that its bytes are not its name.
    pub escaped: bool,
    /// The value, quotes included.
    pub value: Span,
    /// The value's type.
    pub kind: Kind,
    /// Whether the value is a string that holds an escape.
    pub escapes: bool,
}

impl Member {
    /// Whether the member's key, decoded, is `name`.
    pub fn is(&self, bytes: &[u8], name: &[u8]) -> bool {
        let raw = &bytes[self.key.clone()];
        if self.escaped { text::decode(raw).as_ref() == name } else { raw == name }
    }
}

/// A member of one block of `message.content`.
#[derive(Clone, Debug)]
pub struct BlockMember {
    /// The block's place in the array, from 0.
    pub block: u32,
    /// The member.
    pub member: Member,
}

/// One element of `message.content`.
#[derive(Clone, Debug)]
pub struct Block {
    /// The element's bytes.
    pub value: Span,
    /// The element's type; only objects have members.
    pub kind: Kind,
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
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug)]
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

/// What the scanner expects next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    FirstElement,
    FirstKey,
    Key,
    After,
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
    /// Members of those elements.
    pub block_members: Vec<BlockMember>,
    /// What else was seen.
    pub notes: Notes,
    open: Vec<Open>,
    keys: Keys,
    /// The block of bytes that is looked at: where it begins, and which of them matter.
    block: usize,
    bits: Bits,
    /// Where a low surrogate stands whose high one was met.
    paired: usize,
}

/// An open object or array.
#[derive(Clone, Copy)]
struct Open {
    start: usize,
    object: bool,
    role: Role,
    key: (usize, usize, bool),
}

/// What an open container is to the envelope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Top,
    Message,
    Content,
    Block,
    Other,
}

impl Scanner {
    /// A scanner with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    #[cfg(test)]
    fn with_kernel(kernel: bits::Kernel) -> Self {
        Scanner { bits: Bits::new(kernel), ..Self::default() }
    }

    /// Scans the value that begins at `start` (JSON white space before it is skipped).
    ///
    /// # Errors
    /// A [`Fail`] says where and why no value stands there. Bytes behind the value are not looked at.
    pub fn scan(&mut self, bytes: &[u8], start: usize) -> Result<Value, Fail> {
        self.top.clear();
        self.inner.clear();
        self.blocks.clear();
        self.block_members.clear();
        self.notes = Notes::default();
        self.open.clear();
        self.keys.clear();
        self.block = start;
        self.bits.carry = false;
        self.bits.load(bytes, start);
        self.paired = usize::MAX;
        let mut at = start;
        let mut state = State::Value;
        loop {
            at = skip_space(bytes, at);
            let Some(&byte) = bytes.get(at) else {
                return Err(self.fail(bytes.len(), Reason::Truncated, false));
            };
            match state {
                State::Value | State::FirstElement => match byte {
                    b'{' | b'[' => {
                        self.enter(bytes, at, byte == b'{');
                        state = if byte == b'{' { State::FirstKey } else { State::FirstElement };
                        at += 1;
                        continue;
                    }
                    b']' if state == State::FirstElement => {
                        at += 1;
                        if let Some(value) = self.leave(bytes, at) {
                            return Ok(value);
                        }
                    }
                    b'"' => {
                        let (end, escapes) = self.string(bytes, at)?;
                        if let Some(value) = self.scalar(bytes, at..end, Kind::String, escapes) {
                            return Ok(value);
                        }
                        at = end;
                    }
                    b't' | b'f' | b'n' => {
                        let (word, kind): (&[u8], Kind) = match byte {
                            b't' => (b"true", Kind::Bool),
                            b'f' => (b"false", Kind::Bool),
                            _ => (b"null", Kind::Null),
                        };
                        let end = self.literal(bytes, at, word)?;
                        if let Some(value) = self.scalar(bytes, at..end, kind, false) {
                            return Ok(value);
                        }
                        at = end;
                    }
                    b'-' | b'0'..=b'9' => {
                        let end = match number::scan(bytes, at) {
                            Ok(n) => {
                                if n.doubtful && !number::survives(&bytes[at..n.end]) {
                                    self.notes.inexacts += 1;
                                    self.notes.inexact.get_or_insert(at..n.end);
                                }
                                n.end
                            }
                            Err(bad) => {
                                let reason = if bad == bytes.len() { Reason::Truncated } else { Reason::Unexpected };
                                return Err(self.fail(bad, reason, false));
                            }
                        };
                        if let Some(value) = self.scalar(bytes, at..end, Kind::Number, false) {
                            return Ok(value);
                        }
                        at = end;
                    }
                    _ => return Err(self.fail(at, Reason::Unexpected, false)),
                },
                State::FirstKey | State::Key => {
                    if byte == b'}' && state == State::FirstKey {
                        at += 1;
                        if let Some(value) = self.leave(bytes, at) {
                            return Ok(value);
                        }
                    } else if byte == b'"' {
                        let (end, escaped) = self.string(bytes, at)?;
                        let key = (at + 1, end - 1, escaped);
                        if let Some(first) = self.keys.add(bytes, at + 1..end - 1, escaped) {
                            self.notes.duplicates += 1;
                            self.notes.duplicate.get_or_insert(DuplicateKey { first, second: at + 1..end - 1 });
                        }
                        if let Some(open) = self.open.last_mut() {
                            open.key = key;
                        }
                        at = skip_space(bytes, end);
                        match bytes.get(at) {
                            Some(b':') => at += 1,
                            Some(_) => return Err(self.fail(at, Reason::Unexpected, false)),
                            None => return Err(self.fail(bytes.len(), Reason::Truncated, false)),
                        }
                        state = State::Value;
                        continue;
                    } else {
                        return Err(self.fail(at, Reason::Unexpected, false));
                    }
                }
                State::After => {
                    let object = self.open.last().is_some_and(|o| o.object);
                    match byte {
                        b',' => {
                            at += 1;
                            state = if object { State::Key } else { State::Value };
                            continue;
                        }
                        b'}' if object => {
                            at += 1;
                            if let Some(value) = self.leave(bytes, at) {
                                return Ok(value);
                            }
                        }
                        b']' if !object => {
                            at += 1;
                            if let Some(value) = self.leave(bytes, at) {
                                return Ok(value);
                            }
                        }
                        _ => return Err(self.fail(at, Reason::Unexpected, false)),
                    }
                }
            }
            state = State::After;
        }
    }

    fn fail(&self, at: usize, reason: Reason, in_string: bool) -> Fail {
        Fail { at, reason, in_string, open: self.open.len() }
    }

    /// Opens a container at `at`.
    fn enter(&mut self, bytes: &[u8], at: usize, object: bool) {
        let role = match self.open.last() {
            None if object => Role::Top,
            Some(parent) if parent.role == Role::Top && object && key_is(bytes, parent.key, b"message") => {
                self.inner.clear();
                self.blocks.clear();
                self.block_members.clear();
                Role::Message
            }
            Some(parent) if parent.role == Role::Message && !object && key_is(bytes, parent.key, b"content") => {
                self.blocks.clear();
                self.block_members.clear();
                Role::Content
            }
            Some(parent) if parent.role == Role::Content && object => Role::Block,
            _ => Role::Other,
        };
        if object {
            self.keys.enter();
        }
        self.open.push(Open { start: at, object, role, key: (0, 0, false) });
        self.notes.depth = self.notes.depth.max(self.open.len());
    }

    /// Closes the innermost container, whose last byte is before `end`; the value if it was the outermost.
    fn leave(&mut self, bytes: &[u8], end: usize) -> Option<Value> {
        let open = self.open.pop()?;
        if open.object {
            self.keys.leave();
        }
        let kind = if open.object { Kind::Object } else { Kind::Array };
        self.scalar(bytes, open.start..end, kind, false)
    }

    /// Notes a finished value in the container that holds it; the value itself if none does.
    #[inline]
    fn scalar(&mut self, bytes: &[u8], span: Span, kind: Kind, escapes: bool) -> Option<Value> {
        let Some(open) = self.open.last() else {
            return Some(Value { span, kind });
        };
        let (start, end, escaped) = open.key;
        match open.role {
            Role::Other => {}
            Role::Top => {
                if kind != Kind::Object && key_is(bytes, open.key, b"message") {
                    // the last value of a repeated key counts: an earlier object is gone
                    self.inner.clear();
                    self.blocks.clear();
                    self.block_members.clear();
                }
                self.top.push(Member { key: start..end, escaped, value: span, kind, escapes });
            }
            Role::Message => {
                if kind != Kind::Array && key_is(bytes, open.key, b"content") {
                    self.blocks.clear();
                    self.block_members.clear();
                }
                self.inner.push(Member { key: start..end, escaped, value: span, kind, escapes });
            }
            Role::Content => self.blocks.push(Block { value: span, kind }),
            Role::Block => {
                let member = Member { key: start..end, escaped, value: span, kind, escapes };
                self.block_members.push(BlockMember { block: self.blocks.len() as u32, member });
            }
        }
        None
    }

    /// Scans the string whose opening quote is at `at`; the offset behind its closing quote, and
    /// whether it holds an escape.
    #[inline(always)]
    fn string(&mut self, bytes: &[u8], at: usize) -> Result<(usize, bool), Fail> {
        let mut from = at + 1;
        let mut escaped = false;
        loop {
            if from >= self.block + BLOCK {
                self.advance(bytes, from);
            }
            let Bits { stop, escape, rare, high, .. } = self.bits;
            let live = !0 << (from - self.block);
            let stops = stop & live;
            // up to the first stop, which is inside: an escaped control character is a bad escape
            let inside = live & (stops ^ stops.wrapping_sub(1));
            escaped |= escape & inside != 0;
            self.notes.non_ascii |= high & inside != 0;
            if rare & inside != 0 {
                self.escapes(bytes, rare & inside)?;
            }
            if stops != 0 {
                let at = self.block + stops.trailing_zeros() as usize;
                return if bytes.get(at) == Some(&b'"') {
                    Ok((at + 1, escaped))
                } else {
                    Err(self.string_fail(bytes, at))
                };
            }
            from = self.block + BLOCK;
        }
    }

    /// Moves the block on to the one that holds `at`.
    #[inline(always)]
    fn advance(&mut self, bytes: &[u8], at: usize) {
        while at >= self.block + BLOCK {
            self.block += BLOCK;
            self.bits.load(bytes, self.block);
        }
    }

    /// Checks the escapes whose letters are marked.
    #[inline(always)]
    fn escapes(&mut self, bytes: &[u8], mut letters: u64) -> Result<(), Fail> {
        while letters != 0 {
            let letter = self.block + letters.trailing_zeros() as usize;
            self.escape(bytes, letter)?;
            letters &= letters - 1;
        }
        Ok(())
    }

    /// Why a string stops at `at`, where no quote stands.
    #[cold]
    fn string_fail(&self, bytes: &[u8], at: usize) -> Fail {
        match at < bytes.len() {
            true => self.fail(at, Reason::ControlCharacter, true),
            false => self.fail(bytes.len(), Reason::Truncated, true),
        }
    }

    /// Checks the escape whose letter (behind the backslash) is at `letter`.
    #[inline]
    fn escape(&mut self, bytes: &[u8], letter: usize) -> Result<(), Fail> {
        match bytes.get(letter) {
            Some(&byte) if SIMPLE_ESCAPES[byte as usize] => Ok(()),
            Some(b'u') => self.unicode_escape(bytes, letter - 1),
            Some(_) => Err(self.fail(letter, Reason::BadEscape, true)),
            None => Err(self.fail(bytes.len(), Reason::Truncated, true)),
        }
    }

    /// Checks the `\uXXXX` at `at`, and whether it is half of a surrogate pair.
    #[cold]
    fn unicode_escape(&mut self, bytes: &[u8], at: usize) -> Result<(), Fail> {
        match self.hex4(bytes, at)? {
            0xD800..=0xDBFF => {
                let next = at + 6;
                let low =
                    bytes[next.min(bytes.len())..].starts_with(b"\\u").then(|| self.hex4(bytes, next)).transpose()?;
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

    /// The four hex digits of the escape whose backslash is at `at`.
    fn hex4(&self, bytes: &[u8], at: usize) -> Result<u16, Fail> {
        let mut unit = 0u16;
        for i in at + 2..at + 6 {
            let Some(&byte) = bytes.get(i) else {
                return Err(self.fail(bytes.len(), Reason::Truncated, true));
            };
            let Some(digit) = (byte as char).to_digit(16) else {
                return Err(self.fail(i, Reason::BadEscape, true));
            };
            unit = unit << 4 | digit as u16;
        }
        Ok(unit)
    }

    /// Scans `true`, `false` or `null`.
    fn literal(&self, bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Fail> {
        for (k, &want) in word.iter().enumerate() {
            match bytes.get(at + k) {
                None => return Err(self.fail(bytes.len(), Reason::Truncated, false)),
                Some(&byte) if byte != want => return Err(self.fail(at + k, Reason::Unexpected, false)),
                Some(_) => {}
            }
        }
        Ok(at + word.len())
    }
}

#[inline(always)]
fn key_is(bytes: &[u8], key: (usize, usize, bool), name: &[u8]) -> bool {
    let (start, end, escaped) = key;
    if !escaped && end - start != name.len() {
        return false;
    }
    let raw = &bytes[start..end];
    if escaped { text::decode(raw).as_ref() == name } else { raw == name }
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
pub fn get<'m>(members: &'m [Member], bytes: &[u8], name: &[u8]) -> Option<&'m Member> {
    members.iter().rev().find(|m| m.is(bytes, name))
}

#[cfg(test)]
mod tests;
