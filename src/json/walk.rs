//! The walk over one value. Strings are looked at 64 bytes at a time, and what was seen serves every
//! string of the block; everything that changes with each token stays in registers.

use super::duplicate::{Key, mark};
use super::kernel::{BLOCK, Bits, Look};
use super::shape::{Guess, Known, TEXT};
use super::{Block, BlockMember, DuplicateKey, Fail, Kind, Member, Reason, Role, Scanner, Value, number, word};
use std::ops::Range;

/// The innermost open object or array, and the key of it that was read last.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Where it begins.
    start: usize,
    role: Role,
    object: bool,
    /// Whether the key holds an escape.
    escaped: bool,
    /// Between the quotes.
    key_start: usize,
    key_end: usize,
    /// See [`Member::word`].
    word: u64,
    /// The marks of the object's keys, unless `known` tells them: only where two meet they are compared.
    marks: u64,
    /// Where the object's keys begin in the scanner's list.
    keys_from: usize,
    /// What stands for the key, and with it for all keys of the object up to it; 0 where that is not known,
    /// or there is none. In an array, that of the key whose value it is.
    known: Guess,
}

impl Level {
    const OUTSIDE: Level = Level {
        start: 0,
        role: Role::Outside,
        object: false,
        escaped: false,
        key_start: 0,
        key_end: 0,
        word: 0,
        marks: 0,
        keys_from: 0,
        known: 0,
    };

    fn key(&self) -> Range<usize> {
        self.key_start..self.key_end
    }

    fn member(&self, value: Range<usize>, kind: Kind, escapes: bool) -> Member {
        Member { key: self.key(), escaped: self.escaped, word: self.word, value, kind, escapes }
    }

    /// Whether the key, decoded, is `name`, which is of eight bytes at most.
    #[inline(always)]
    fn is(&self, bytes: &[u8], name: &[u8]) -> bool {
        self.word == word(name)
            && if self.escaped {
                is_escaped(bytes, self.key(), name)
            } else {
                self.key_end - self.key_start == name.len()
            }
    }
}

#[cold]
#[inline(never)]
fn is_escaped(bytes: &[u8], key: Range<usize>, name: &[u8]) -> bool {
    super::text::decode(&bytes[key]).as_ref() == name
}

/// Puts a level away, field by field: copied as a whole it would be read from memory in pieces larger
/// than those that have just been written, for which processors have to wait.
#[inline(always)]
fn push(open: &mut Vec<Level>, level: Level) {
    let Level { start, role, object, escaped, key_start, key_end, word, marks, keys_from, known } = level;
    open.push(Level { start, role, object, escaped, key_start, key_end, word, marks, keys_from, known });
}

/// Takes the level back that was put away last.
#[inline(always)]
fn pop(open: &mut Vec<Level>) -> Option<Level> {
    let last = open.last()?;
    let &Level { start, role, object, escaped, key_start, key_end, word, marks, keys_from, known } = last;
    let level = Level { start, role, object, escaped, key_start, key_end, word, marks, keys_from, known };
    open.truncate(open.len() - 1);
    Some(level)
}

/// The block that is looked at.
struct Window {
    /// Where it begins.
    base: usize,
    bits: Bits,
    /// Non-ASCII bytes of the blocks before it.
    high: u64,
}

impl Window {
    #[inline(always)]
    fn look<K: Look>(&mut self, kernel: K, bytes: &[u8], at: usize, carry: u64) {
        self.high |= self.bits.high;
        self.base = at;
        let padded;
        let block = match bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
            Some(block) => block,
            None => {
                padded = last_block(bytes, at);
                &padded
            }
        };
        self.bits = kernel.look(block, carry);
    }
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
    let mut window = Window { base: start.wrapping_sub(BLOCK), bits: Bits::default(), high: 0 };
    let mut level = Level::OUTSIDE;
    let (mut at, mut byte) = skip(bytes, start, line);
    // what ends early goes on here: where, and whether in a string
    let (at, in_string) = 'end: {
        // a member whose key has to be read, or an element
        'member: loop {
            if level.object {
                if byte != b'"' {
                    break 'end (at, false);
                }
                let key_start = at + 1;
                let escapes;
                match string(kernel, &mut window, scanner, bytes, key_start) {
                    (end, Ok(escape)) if byte_at(bytes, end) == b'"' => (at, escapes) = (end + 1, escape),
                    (end, Ok(_)) => break 'end (end, true),
                    (_, Err(letter)) => return Err(scanner.bad_escape(bytes, letter, line)),
                }
                level.key_start = key_start;
                level.key_end = at - 1;
                level.escaped = escapes;
                note_key(scanner, bytes, &mut level);
                (at, byte) = skip(bytes, at, line);
                if byte != b':' {
                    break 'end (at, false);
                }
                (at, byte) = skip(bytes, at + 1, line);
            }
            // a value; where a key is guessed, the next one follows at once
            'value: loop {
                let mut from = at;
                let mut escapes = false;
                let mut kind = match byte {
                    b'"' => {
                        match string(kernel, &mut window, scanner, bytes, at + 1) {
                            (end, Ok(escape)) if byte_at(bytes, end) == b'"' => (at, escapes) = (end + 1, escape),
                            (end, Ok(_)) => break 'end (end, true),
                            (_, Err(letter)) => return Err(scanner.bad_escape(bytes, letter, line)),
                        }
                        Kind::String
                    }
                    open @ (b'{' | b'[') => {
                        let object = open == b'{';
                        let role = role(scanner, bytes, &level, object);
                        push(&mut scanner.open, level);
                        level.start = at;
                        level.role = role;
                        level.object = object;
                        level.marks = 0;
                        level.keys_from = scanner.keys.len();
                        scanner.notes.depth = scanner.notes.depth.max(scanner.open.len());
                        if object {
                            let guesses = scanner.shapes.known(level.known).child;
                            if let Some(value) = guessed(kernel, scanner, bytes, at, guesses, &mut level) {
                                (at, byte) = skip(bytes, value, line);
                                continue 'value;
                            }
                            level.known = 0;
                        }
                        (at, byte) = skip(bytes, at + 1, line);
                        // the closing bracket is two behind the opening one in ASCII
                        if byte != open + 2 {
                            continue 'member;
                        }
                        at += 1;
                        from = level.start;
                        let Some(outer) = pop(&mut scanner.open) else { break 'end (at, false) };
                        level = outer;
                        if object { Kind::Object } else { Kind::Array }
                    }
                    b'-' | b'0'..=b'9' => {
                        match number::short(bytes, at) {
                            Some(end) => at = end,
                            None => match number::scan(bytes, at) {
                                Ok(number) => {
                                    if number.doubtful {
                                        scanner.doubt(bytes, at..number.end);
                                    }
                                    at = number.end;
                                }
                                Err(bad) => break 'end (bad, false),
                            },
                        }
                        Kind::Number
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
                    _ => break 'end (at, false),
                };
                // a value is finished: by it others may be
                loop {
                    match level.role {
                        Role::Other => {}
                        Role::Outside => {
                            let behind = at.wrapping_sub(window.base);
                            let own = if behind < BLOCK { (1 << behind) - 1 } else { !0 };
                            scanner.notes.non_ascii = window.high | window.bits.high & own != 0;
                            return Ok(Value { span: from..at, kind });
                        }
                        Role::Top => {
                            if kind != Kind::Object && level.is(bytes, b"message") {
                                // the last value of a repeated key counts: an earlier object is gone
                                scanner.clear_message();
                            }
                            scanner.top.push(level.member(from..at, kind, escapes));
                        }
                        Role::Message => {
                            if kind != Kind::Array && level.is(bytes, b"content") {
                                scanner.clear_content();
                            }
                            scanner.inner.push(level.member(from..at, kind, escapes));
                        }
                        Role::Content => scanner.blocks.push(Block { value: from..at, kind }),
                        Role::Block => {
                            let block = scanner.blocks.len() as u32;
                            scanner
                                .block_members
                                .push(BlockMember { block, member: level.member(from..at, kind, escapes) });
                        }
                    }
                    if level.object {
                        let guesses = scanner.shapes.known(level.known).next;
                        if let Some(value) = guessed(kernel, scanner, bytes, at, guesses, &mut level) {
                            (at, byte) = skip(bytes, value, line);
                            continue 'value;
                        }
                    }
                    (at, byte) = skip(bytes, at, line);
                    if byte == b',' {
                        (at, byte) = skip(bytes, at + 1, line);
                        continue 'member;
                    }
                    if byte != if level.object { b'}' } else { b']' } {
                        break 'end (at, false);
                    }
                    at += 1;
                    if level.object {
                        scanner.keys.leave(level.keys_from, level.marks, scanner.open.len());
                    }
                    (from, kind, escapes) = (level.start, if level.object { Kind::Object } else { Kind::Array }, false);
                    let Some(outer) = pop(&mut scanner.open) else { break 'end (at, false) };
                    level = outer;
                }
            }
        }
    };
    Err(fail(bytes, at, line, in_string, scanner.open.len()))
}

/// A string that goes on for so many blocks is skimmed.
const SHORT: u32 = 3;

/// Looks for the end of the string whose content begins at `from`: where it stops, and whether it
/// holds an escape, or the letter of an escape that may be none.
#[inline(always)]
fn string<K: Look>(
    kernel: K,
    window: &mut Window,
    scanner: &mut Scanner,
    bytes: &[u8],
    from: usize,
) -> (usize, Result<bool, usize>) {
    if from.wrapping_sub(window.base) >= BLOCK {
        window.look(kernel, bytes, from, 0);
    }
    let mut live = !0 << (from - window.base);
    let mut escapes = 0;
    let mut blocks = 0;
    loop {
        let Bits { stop, escape, rare, .. } = window.bits;
        let stops = stop & live;
        // up to the first stop, which is inside: an escaped control character is a bad escape
        let inside = live & (stops ^ stops.wrapping_sub(1));
        escapes |= escape & inside;
        if rare & inside != 0
            && let Err(letter) = scanner.rare_escapes(bytes, window.base, rare & inside)
        {
            return (letter, Err(letter));
        }
        if stops != 0 {
            return (window.base + stops.trailing_zeros() as usize, Ok(escapes != 0));
        }
        blocks += 1;
        if blocks == SHORT {
            let skimmed = kernel.skim(bytes, window.base + BLOCK, window.bits.carry);
            escapes |= u64::from(skimmed.escapes);
            window.high |= window.bits.high | u64::from(skimmed.high);
            window.bits.high = 0;
            window.bits.carry = skimmed.carry;
            window.base = skimmed.end - BLOCK;
        }
        window.look(kernel, bytes, window.base + BLOCK, window.bits.carry);
        live = !0;
    }
}

/// Notes the key that was just read.
#[inline(always)]
fn note_key(scanner: &mut Scanner, bytes: &[u8], level: &mut Level) {
    let Range { start, end } = level.key();
    let length = end - start;
    let head = bytes.get(start..).and_then(<[u8]>::first_chunk::<8>);
    let (head, hash) = match head {
        Some(head) if !level.escaped => {
            let head = u64::from_le_bytes(*head);
            if length <= 8 {
                // of an empty key all bytes are shifted out, in two steps
                let head = head & !(!0 << (4 * length) << (4 * length));
                (head, mark(head, 0, length))
            } else {
                let tail =
                    bytes.get(end - 8..).and_then(<[u8]>::first_chunk::<8>).map_or(0, |t| u64::from_le_bytes(*t));
                (head, mark(head, tail, length))
            }
        }
        _ => odd_mark(bytes, level.key(), level.escaped),
    };
    level.word = head;
    let before = level.known;
    if before != 0 {
        level.marks = scanner.shapes.known(before).marks;
    }
    let bit = 1 << (hash >> 58);
    let key = Key::new(start, level.escaped);
    let is_new = if level.marks & bit == 0 {
        scanner.keys.push(key);
        level.marks |= bit;
        true
    } else {
        let (is_new, marks) = meet(scanner, bytes, level.keys_from, key, end);
        level.marks = level.marks | bit | marks;
        is_new
    };
    level.known = 0;
    if is_new && !level.escaped && level.marks != !0 {
        let parent = scanner.open.last().map_or(0, |parent| parent.known);
        level.known = scanner.shapes.learn(bytes, start.wrapping_sub(2), length + 4, (head, hash), (before, parent));
    }
}

/// Sees whether a member begins at `at` with one of the keys that were guessed; where its value does.
#[inline(always)]
fn guessed<K: Look>(
    kernel: K,
    scanner: &mut Scanner,
    bytes: &[u8],
    at: usize,
    guesses: [Guess; 2],
    level: &mut Level,
) -> Option<usize> {
    let text = bytes.get(at..).and_then(<[u8]>::first_chunk::<TEXT>)?;
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
    if guess == 0 {
        return None;
    }
    let value = at + usize::from(known.length);
    level.key_start = at + 2;
    level.key_end = value - 2;
    level.escaped = false;
    level.word = known.word;
    level.known = guess;
    scanner.keys.push(Key::new(at + 2, false));
    Some(value)
}

/// The word and the mark of a key with escapes, or near the end of the bytes.
#[cold]
#[inline(never)]
fn odd_mark(bytes: &[u8], key: Range<usize>, escaped: bool) -> (u64, u64) {
    super::duplicate::mark_of(&super::duplicate::name(&bytes[key], escaped))
}

/// A key of a mark that another one of its object may have: whether it is new, and marks to add. It is given
/// its arguments one by one: a level whose address leaves the walk would live in memory.
#[inline(never)]
fn meet(scanner: &mut Scanner, bytes: &[u8], keys_from: usize, key: Key, end: usize) -> (bool, u64) {
    let (found, marks) = scanner.keys.meet(bytes, keys_from, scanner.open.len(), key);
    let is_new = found.is_none();
    if let Some(first) = found {
        scanner.notes.duplicates += 1;
        scanner.notes.duplicate.get_or_insert(DuplicateKey { first, second: key.start()..end });
    }
    (is_new, marks)
}

/// What the object or array is that begins as the value of a level's last key.
#[inline(always)]
fn role(scanner: &mut Scanner, bytes: &[u8], level: &Level, object: bool) -> Role {
    match level.role {
        Role::Outside if object => Role::Top,
        Role::Top if object && level.is(bytes, b"message") => {
            scanner.clear_message();
            Role::Message
        }
        Role::Message if !object && level.is(bytes, b"content") => {
            scanner.clear_content();
            Role::Content
        }
        Role::Content if object => Role::Block,
        _ => Role::Other,
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
