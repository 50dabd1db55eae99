//! The walk over one value. Strings are looked at 64 bytes at a time, and what was seen serves every
//! string of the block; everything that changes with each token stays in registers.

use super::duplicate::{Key, first_key, mark};
use super::kernel::{BLOCK, Bits, Look};
use super::shape::{Guess, Known, TEXT};
use super::{Block, DuplicateKey, Fail, Kind, Member, Reason, Role, Scanner, Value, is_whole, number, text, word};
use std::ops::Range;

/// What the innermost open object or array is, and the key of it that was read last: in few registers, and
/// those that an open one is not asked for are left in [`Open`].
#[derive(Clone, Copy)]
struct Level {
    /// The key, between the quotes.
    key_start: usize,
    key_end: usize,
    state: State,
}

/// An open object or array.
pub(super) struct Open {
    /// Where it begins.
    start: usize,
    /// What is around it.
    outer: Level,
}

/// In one word: a [`Role`], [`State::ODD`], and in the upper half what stands for the key,
/// and with it for all keys of the object up to it; 0 where the object is odd or has none yet. In an array
/// that of the key whose value it is.
#[derive(Clone, Copy)]
struct State(u32);

impl State {
    /// Whether the object left the tree of keys: its keys stand in the scanner's list.
    const ODD: u32 = 8;

    const TOP: u32 = Role::Top as u32;
    const MESSAGE: u32 = Role::Message as u32;
    const CONTENT: u32 = Role::Content as u32;
    const BLOCK: u32 = Role::Block as u32;
    const OUTSIDE: u32 = Role::Outside as u32;
    const OBJECT: u32 = Role::Object as u32;
    const ARRAY: u32 = Role::Array as u32;

    #[inline(always)]
    fn new(role: u32, known: Guess) -> State {
        State(role | u32::from(known) << 16)
    }

    #[inline(always)]
    fn role(self) -> u32 {
        self.0 & 7
    }

    /// Whether it is an object: see [`Role`].
    #[inline(always)]
    fn is_object(self) -> bool {
        self.0 & 1 != 0
    }

    #[inline(always)]
    fn is_odd(self) -> bool {
        self.0 & State::ODD != 0
    }

    #[inline(always)]
    fn known(self) -> Guess {
        (self.0 >> 16) as Guess
    }
}

impl Level {
    const OUTSIDE: Level = Level { key_start: 0, key_end: 0, state: State(State::OUTSIDE) };

    fn key(self) -> Range<usize> {
        self.key_start..self.key_end
    }

    /// See [`Member::word`].
    #[inline(always)]
    fn word(self, scanner: &Scanner, bytes: &[u8]) -> u64 {
        match self.state.known() {
            0 => word_at(bytes, self.key()),
            known => scanner.shapes.known(known).word,
        }
    }

    #[inline(always)]
    fn member(self, word: u64, value: Range<usize>, kind: Kind) -> Member {
        Member { key: self.key(), word, value, kind }
    }

    /// Whether the key, decoded, is `name`; `key` is the key's word.
    #[inline(always)]
    fn is(self, bytes: &[u8], key: u64, name: &[u8]) -> bool {
        key == word(name) && is_whole(&bytes[self.key()], name)
    }
}

/// The first eight bytes of a key that is not in the tree.
#[inline(never)]
fn word_at(bytes: &[u8], key: Range<usize>) -> u64 {
    let head = head(bytes, key.clone());
    // what stands behind them does not matter
    if has_backslash(head) { word(&text::decode(&bytes[key])) } else { head }
}

/// The first eight bytes of a key, not decoded.
#[inline(always)]
fn head(bytes: &[u8], Range { start, end }: Range<usize>) -> u64 {
    match chunk::<8>(bytes, start) {
        // of an empty key all bytes are shifted out, in two steps
        Some(head) if end - start < 8 => {
            u64::from_le_bytes(*head) & !(!0 << (4 * (end - start)) << (4 * (end - start)))
        }
        Some(head) => u64::from_le_bytes(*head),
        None => word(&bytes[start..end]),
    }
}

/// Puts a level away, field by field: copied as a whole it would be read from memory in pieces larger
/// than those that have just been written, for which processors have to wait.
#[inline(always)]
fn push(open: &mut Vec<Open>, start: usize, Level { key_start, key_end, state }: Level) {
    open.push(Open { start, outer: Level { key_start, key_end, state } });
}

/// Takes the level back that was put away last: and where the one within it began.
#[inline(always)]
fn pop(open: &mut Vec<Open>) -> Option<(usize, Level)> {
    let &Open { start, outer: Level { key_start, key_end, state } } = open.last()?;
    open.truncate(open.len() - 1);
    Some((start, Level { key_start, key_end, state }))
}

/// The block of a string that is looked at, and serves the strings that begin behind it in the block.
pub(super) struct Window {
    /// Where it begins.
    base: usize,
    /// See [`Bits`].
    stop: u64,
    escape: u64,
    carry: u64,
    /// Bits for non-ASCII bytes of the blocks up to it.
    high: u32,
}

impl Window {
    /// Looks at the block at `at`, which nothing in front of it escapes.
    #[inline(always)]
    fn look<K: Look>(&mut self, kernel: K, bytes: &[u8], at: usize) {
        let padded;
        let block = match chunk(bytes, at) {
            Some(block) => block,
            None => {
                padded = last_block(bytes, at);
                &padded
            }
        };
        self.set(at, kernel.look(block, 0));
    }

    #[inline(always)]
    fn set(&mut self, at: usize, Bits { stop, escape, high, carry }: Bits) {
        self.base = at;
        self.stop = stop;
        self.escape = escape;
        self.carry = carry;
        self.high |= high;
    }

    /// The offset behind the string that the live bits of the block begin with: if it ends there, and nothing has
    /// to be looked at closer.
    #[inline(always)]
    fn end(&self, bytes: &[u8], live: u64) -> Option<usize> {
        let stops = self.stop & live;
        if stops == 0 {
            return None;
        }
        let at = self.base + stops.trailing_zeros() as usize;
        (byte_at(bytes, at) == b'"').then_some(at + 1)
    }

    /// Looks at the blocks behind this one, up to the first with a stop.
    #[inline(always)]
    fn next<K: Look>(&mut self, kernel: K, bytes: &[u8]) {
        let mut high = 0;
        let mut carry = self.carry;
        let from = self.base + BLOCK;
        let mut blocks = bytes.get(from..).unwrap_or_default().as_chunks::<BLOCK>().0;
        let all = blocks.len();
        let stop = loop {
            let [block, rest @ ..] = blocks else { break None };
            let bits = kernel.look(block, carry);
            if bits.stop != 0 {
                break Some(bits);
            }
            blocks = rest;
            carry = bits.carry;
            high |= bits.high;
            // where nothing is escaped, hardly anything will be: that text is passed in long strides
            if bits.escape | carry == 0 {
                while let [block, rest @ ..] = blocks {
                    let (is_text, bits) = kernel.is_text(block);
                    if !is_text {
                        break;
                    }
                    high |= bits;
                    blocks = rest;
                }
            }
        };
        let at = from + (all - blocks.len()) * BLOCK;
        // what fills up the last block stops every string
        let stop = stop.unwrap_or_else(|| kernel.look(&last_block(bytes, at), carry));
        self.high |= high;
        self.set(at, stop);
    }
}

/// So many bytes at `at`.
#[inline(always)]
pub(super) fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    match bytes.get(at..) {
        Some(rest) => rest.first_chunk(),
        None => never(),
    }
}

/// Keeps apart two checks of which one is always passed: made one of, they cost more.
#[cold]
#[inline(never)]
pub(super) fn never<T>() -> Option<T> {
    None
}

/// What stands from `at` on, filled up with NULs, which end any string.
#[cold]
#[inline(never)]
fn last_block(bytes: &[u8], at: usize) -> [u8; BLOCK] {
    let rest = bytes.get(at..).unwrap_or_default();
    let mut padded = [0; BLOCK];
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

/// The byte at `at`; behind the end a NUL, which nothing outside a string begins with.
#[inline(always)]
fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Whether `at` is behind the end: of the bytes, or of the line if that is what they hold.
fn is_end(bytes: &[u8], at: usize, line: bool) -> bool {
    bytes.get(at).is_none_or(|&byte| line && byte == b'\n')
}

/// The first byte from `at` on that is no white space, and its offset.
#[inline(always)]
fn skip(bytes: &[u8], at: usize, line: bool) -> (usize, u8) {
    match bytes.get(at) {
        Some(&byte) if byte > b' ' => (at, byte),
        _ => skip_some(bytes, at, line),
    }
}

#[inline(never)]
fn skip_some(bytes: &[u8], mut at: usize, line: bool) -> (usize, u8) {
    while let Some(&byte @ (b' ' | b'\t' | b'\r' | b'\n')) = bytes.get(at) {
        if byte == b'\n' && line {
            break;
        }
        at += 1;
    }
    (at, byte_at(bytes, at))
}

#[cold]
#[inline(never)]
fn fail(bytes: &[u8], at: usize, line: bool, in_string: bool, open: usize) -> Fail {
    let reason = match bytes.get(at) {
        _ if is_end(bytes, at, line) => Reason::Truncated,
        Some(0..=0x1F) if in_string => Reason::ControlCharacter,
        _ => Reason::Unexpected,
    };
    Fail { at: at.min(bytes.len()), reason, in_string, open }
}

/// Walks over the value that begins at `start`. With `line` the bytes begin with a line, and an LF
/// ends it; else an LF is white space like any other.
#[inline(always)]
pub(super) fn walk<K: Look>(
    kernel: K,
    scanner: &mut Scanner,
    bytes: &[u8],
    start: usize,
    line: bool,
) -> Result<Value, Fail> {
    scanner.clear();
    let mut window = Window { base: start.wrapping_sub(BLOCK), stop: 0, escape: 0, carry: 0, high: 0 };
    let mut level = Level::OUTSIDE;
    let (mut at, mut byte) = skip(bytes, start, line);
    // what ends early goes on here: where, and whether in a string
    let (at, in_string) = 'end: {
        // a member whose key has to be read, or an element
        'member: loop {
            if level.state.is_object() {
                if byte != b'"' {
                    break 'end (at, false);
                }
                let key_start = at + 1;
                match string(kernel, &mut window, scanner, bytes, key_start) {
                    Ok(end) => at = end,
                    Err(Stop::Byte(stop)) => break 'end (stop, true),
                    Err(Stop::Escape(letter)) => return Err(scanner.bad_escape(bytes, letter, line)),
                }
                level.key_start = key_start;
                level.key_end = at - 1;
                level.state = note_key(scanner, bytes, level.key(), level.state);
                (at, byte) = skip(bytes, at, line);
                if byte != b':' {
                    break 'end (at, false);
                }
                (at, byte) = skip(bytes, at + 1, line);
            }
            // a value; where a key is guessed, the next one follows at once
            'value: loop {
                let mut from = at;
                let mut kind = if byte == b'"' {
                    match string(kernel, &mut window, scanner, bytes, at + 1) {
                        Ok(end) => at = end,
                        Err(Stop::Byte(stop)) => break 'end (stop, true),
                        Err(Stop::Escape(letter)) => return Err(scanner.bad_escape(bytes, letter, line)),
                    }
                    Kind::String
                } else if let b'-' | b'0'..=b'9' = byte {
                    // one digit is told at once: looking at many has to be waited for
                    if let b',' | b']' | b'}' = byte_at(bytes, at + 1)
                        && byte != b'-'
                    {
                        at += 1;
                    } else {
                        let number = match number::plain(kernel, bytes, at, byte) {
                            Some(number) => number,
                            None => match number::scan(bytes, at) {
                                Ok(number) => number,
                                Err(bad) => break 'end (bad, false),
                            },
                        };
                        if number.doubtful {
                            scanner.doubt(bytes, at, number);
                        }
                        at = number.end;
                    }
                    Kind::Number
                } else {
                    match byte {
                        open @ (b'{' | b'[') => {
                            let object = open == b'{';
                            let role = role(scanner, bytes, level, object);
                            push(&mut scanner.open, at, level);
                            scanner.notes.depth = scanner.notes.depth.max(scanner.open.len());
                            if object {
                                let guesses = scanner.shapes.known(level.state.known()).child;
                                level.state = State::new(role, 0);
                                if let Some(value) = guessed(kernel, scanner, bytes, at, guesses, &mut level) {
                                    (at, byte) = (value, byte_at(bytes, value));
                                    continue 'value;
                                }
                            } else {
                                level.state = State::new(role, level.state.known());
                            }
                            (at, byte) = skip(bytes, at + 1, line);
                            // the closing bracket is two behind the opening one in ASCII
                            if byte != open + 2 {
                                continue 'member;
                            }
                            at += 1;
                            let Some(outer) = pop(&mut scanner.open) else { break 'end (at, false) };
                            (from, level) = outer;
                            if object { Kind::Object } else { Kind::Array }
                        }
                        first @ (b't' | b'f' | b'n') => {
                            let (word, kind): (&[u8], Kind) = match first {
                                b't' => (b"true", Kind::Bool),
                                b'f' => (b"false", Kind::Bool),
                                _ => (b"null", Kind::Null),
                            };
                            match literal(bytes, at, word) {
                                Ok(end) => at = end,
                                Err(bad) => break 'end (bad, false),
                            }
                            kind
                        }
                        _ => {
                            // white space, in front of a value only
                            let next = skip_some(bytes, at, line);
                            if next.0 == at {
                                break 'end (at, false);
                            }
                            (at, byte) = next;
                            continue 'value;
                        }
                    }
                };
                // a value is finished: by it others may be
                loop {
                    match level.state.role() {
                        State::OUTSIDE => {
                            // the block may hold bytes of the next line
                            scanner.notes.non_ascii = window.high != 0 && !bytes[from..at].is_ascii();
                            return Ok(Value { span: from..at, kind });
                        }
                        State::TOP => {
                            let word = level.word(scanner, bytes);
                            if kind != Kind::Object && level.is(bytes, word, b"message") {
                                // the last value of a repeated key counts: an earlier object is gone
                                scanner.clear_message();
                            }
                            scanner.top.push(level.member(word, from..at, kind));
                        }
                        State::MESSAGE => {
                            let word = level.word(scanner, bytes);
                            if kind != Kind::Array && level.is(bytes, word, b"content") {
                                scanner.clear_content();
                            }
                            scanner.inner.push(level.member(word, from..at, kind));
                        }
                        State::CONTENT => {
                            let members_end = scanner.block_members.len();
                            scanner.blocks.push(Block { value: from..at, kind, members_end });
                        }
                        State::BLOCK => {
                            let word = level.word(scanner, bytes);
                            scanner.block_members.push(level.member(word, from..at, kind));
                        }
                        _ => {}
                    }
                    let object = level.state.is_object();
                    byte = byte_at(bytes, at);
                    'after: loop {
                        if byte == b',' {
                            if object {
                                let guesses = scanner.shapes.known(level.state.known()).next;
                                if let Some(value) = guessed(kernel, scanner, bytes, at, guesses, &mut level) {
                                    (at, byte) = (value, byte_at(bytes, value));
                                    continue 'value;
                                }
                            }
                            (at, byte) = skip(bytes, at + 1, line);
                            continue 'member;
                        }
                        if byte == if object { b'}' } else { b']' } {
                            break 'after;
                        }
                        let next = skip_some(bytes, at, line);
                        if next.0 == at {
                            break 'end (at, false);
                        }
                        (at, byte) = next;
                    }
                    at += 1;
                    if level.state.is_odd() {
                        scanner.keys.leave();
                    }
                    kind = if object { Kind::Object } else { Kind::Array };
                    let Some(outer) = pop(&mut scanner.open) else { break 'end (at, false) };
                    (from, level) = outer;
                }
            }
        }
    };
    Err(fail(bytes, at, line, in_string, scanner.open.len()))
}

/// Where a string ends that has no closing quote.
pub(super) enum Stop {
    /// At this byte.
    Byte(usize),
    /// In an escape that is none: where its letter, or one of its digits, should be.
    Escape(usize),
}

/// Looks for the end of the string whose content begins at `from`: the offset behind its quote.
#[inline(always)]
fn string<K: Look>(
    kernel: K,
    window: &mut Window,
    scanner: &mut Scanner,
    bytes: &[u8],
    from: usize,
) -> Result<usize, Stop> {
    let behind = from.wrapping_sub(window.base);
    if behind < BLOCK
        && let Some(found) = window.end(bytes, !0 << behind)
    {
        return Ok(found);
    }
    // looked at from its beginning on, a short string is in one block
    window.look(kernel, bytes, from);
    match window.end(bytes, !0) {
        Some(found) => Ok(found),
        None => kernel.string(window, scanner, bytes, from),
    }
}

/// As [`string`], where the string is a long one, holds a rare escape, or has no end. Its first block was
/// looked at.
#[inline(always)]
pub(super) fn long_string<K: Look>(
    kernel: K,
    window: &mut Window,
    scanner: &mut Scanner,
    bytes: &[u8],
    from: usize,
) -> Result<usize, Stop> {
    let mut live = !0 << (from - window.base);
    loop {
        let mut stops = window.stop & live;
        while stops != 0 {
            let at = window.base + stops.trailing_zeros() as usize;
            // up to the stop, which is inside: it may be the letter of an escape
            let inside = stops ^ stops.wrapping_sub(1);
            if byte_at(bytes, at) == b'"' {
                return Ok(at + 1);
            }
            if window.escape & stops & inside == 0 {
                return Err(Stop::Byte(at));
            }
            scanner.rare_escape(bytes, at).map_err(Stop::Escape)?;
            stops &= !inside;
        }
        live = !0;
        window.next(kernel, bytes);
    }
}

/// Sees whether a member begins at `at` with one of the keys that were guessed; where its value does.
#[inline(always)]
fn guessed<K: Look>(
    kernel: K,
    scanner: &Scanner,
    bytes: &[u8],
    at: usize,
    guesses: [Guess; 2],
    level: &mut Level,
) -> Option<usize> {
    let text = chunk::<TEXT>(bytes, at)?;
    let is = |known: &Known| kernel.same(text, &known.text) | known.beyond == !0;
    let mut guess = guesses[0];
    let mut known = scanner.shapes.known(guess);
    if !is(known) {
        guess = guesses[1];
        known = scanner.shapes.known(guess);
        if !is(known) {
            return None;
        }
    }
    let value = at + usize::from(known.length);
    level.key_start = at + 2;
    level.key_end = value - 2;
    level.state = State(level.state.0 & 7 | u32::from(guess) << 16);
    Some(value)
}

/// Notes a key that was read, of an object of this state: its state now. A call of its own, whose arguments are
/// given one by one: a level whose address leaves the walk would live in memory.
#[inline(never)]
fn note_key(scanner: &mut Scanner, bytes: &[u8], key: Range<usize>, state: State) -> State {
    let Range { start, end } = key.clone();
    let head = head(bytes, key.clone());
    let tail = match chunk::<8>(bytes, end.wrapping_sub(8)) {
        Some(tail) if end - start > 8 => u64::from_le_bytes(*tail),
        _ => 0,
    };
    let between = || memchr::memchr(b'\\', &bytes[start..end]).is_some();
    let escaped = has_backslash(head) || has_backslash(tail) || end - start > 16 && between();
    let (word, hash) = if escaped { odd_mark(bytes, key) } else { (head, mark(head, tail, end - start)) };
    let bit = 1 << (hash >> 58);
    let role = state.role();
    if !state.is_odd() {
        let before = state.known();
        let shapes = &scanner.shapes;
        let marks = shapes.known(before).marks;
        let is_new =
            || marks & bit == 0 || shapes.up_to(before).all(|place| shapes.known(place).key() != &bytes[start..end]);
        if !escaped && shapes.is_learning() && is_new() {
            let parent = scanner.open.last().map_or(0, |open| open.outer.state.known());
            let lead = start.wrapping_sub(2);
            let known = scanner.shapes.learn(bytes, lead, end - start + 4, (word, hash), (before, parent));
            if known != 0 {
                return State::new(role, known);
            }
        }
        scanner.keys.enter(marks, scanner.shapes.up_to(before));
    }
    if !scanner.keys.is_new(bytes, &scanner.shapes, Key::At { start, escaped }, bit) {
        note_duplicate(scanner, bytes, start..end);
    }
    State(role | State::ODD)
}

/// Whether one of eight bytes is a backslash.
#[inline(always)]
fn has_backslash(eight: u64) -> bool {
    let others = eight ^ 0x5C5C_5C5C_5C5C_5C5C;
    others.wrapping_sub(0x0101_0101_0101_0101) & !others & 0x8080_8080_8080_8080 != 0
}

/// Notes a key that its object has already.
#[cold]
#[inline(never)]
fn note_duplicate(scanner: &mut Scanner, bytes: &[u8], key: Range<usize>) {
    scanner.notes.duplicates += 1;
    if scanner.notes.duplicate.is_none() {
        let object = scanner.open.last().map_or(0, |open| open.start);
        let first = first_key(bytes, object, &text::decode(&bytes[key.clone()]));
        scanner.notes.duplicate = first.map(|first| DuplicateKey { first, second: key });
    }
}

/// The word and the mark of a key with escapes.
#[cold]
#[inline(never)]
fn odd_mark(bytes: &[u8], key: Range<usize>) -> (u64, u64) {
    super::duplicate::mark_of(&text::decode(&bytes[key]))
}

/// What the object or array is that begins as the value of a level's last key.
#[inline(always)]
fn role(scanner: &mut Scanner, bytes: &[u8], level: Level, object: bool) -> u32 {
    match level.state.role() {
        State::OUTSIDE if object => State::TOP,
        State::TOP if object && level.is(bytes, level.word(scanner, bytes), b"message") => {
            scanner.clear_message();
            State::MESSAGE
        }
        State::MESSAGE if !object && level.is(bytes, level.word(scanner, bytes), b"content") => {
            scanner.clear_content();
            State::CONTENT
        }
        State::CONTENT if object => State::BLOCK,
        _ if object => State::OBJECT,
        _ => State::ARRAY,
    }
}

/// Scans `true`, `false` or `null`; where it fails.
#[inline(always)]
fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, usize> {
    match bytes.get(at..at + word.len()) {
        Some(there) if there == word => Ok(at + word.len()),
        _ => Err(at + bytes[at..].iter().zip(word).take_while(|(byte, want)| byte == want).count()),
    }
}
