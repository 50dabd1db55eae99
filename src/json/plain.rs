//! The scanner's plain twin: byte by byte, in the order of the grammar. It is slow, and easy to see
//! through; tests hold the fast one to it.

use super::number::{self, Number};
use super::{Block, DuplicateKey, Fail, Kind, Member, Reason, Role, Scanner, Span, Value, skip_space, text, word};
use std::collections::HashMap;

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    FirstElement,
    FirstKey,
    Key,
    After,
}

/// An open object or array.
struct Open {
    start: usize,
    object: bool,
    role: Role,
    key: Span,
    /// The keys that it has, decoded, with the first occurrence of each.
    keys: HashMap<Vec<u8>, Span>,
}

/// Scans the value that begins at `start`, and leaves in `out` what [`Scanner::scan`] would.
///
/// # Errors
/// As [`Scanner::scan`].
pub fn scan(out: &mut Scanner, bytes: &[u8], start: usize) -> Result<Value, Fail> {
    out.clear();
    Walk { out, bytes, open: Vec::new() }.run(start)
}

/// How a scanner and this twin differ on the line that `bytes` begin with, if they do: on where and why
/// it fails or what it is, on members, blocks, or notes.
pub fn difference(scanner: &mut Scanner, bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let mut twin = Scanner::new();
    let (fast, plain) = (scanner.scan_line(bytes, 0), scan(&mut twin, &bytes[..end], 0));
    if fast != plain {
        return Some(format!("{fast:?}, but plainly {plain:?}"));
    }
    if scanner.notes != twin.notes {
        return Some(format!("{:?}, but plainly {:?}", scanner.notes, twin.notes));
    }
    let lists = |s: &Scanner| (s.top.clone(), s.inner.clone(), s.blocks.clone(), s.block_members.clone());
    let (fast, plain) = (lists(scanner), lists(&twin));
    (fast != plain).then(|| format!("{fast:?}, but plainly {plain:?}"))
}

struct Walk<'a> {
    out: &'a mut Scanner,
    bytes: &'a [u8],
    open: Vec<Open>,
}

impl Walk<'_> {
    fn run(&mut self, start: usize) -> Result<Value, Fail> {
        let bytes = self.bytes;
        let mut at = start;
        let mut state = State::Value;
        loop {
            at = skip_space(bytes, at);
            let Some(&byte) = bytes.get(at) else { return Err(self.fail(at, Reason::Truncated, false)) };
            let finished = match (state, byte) {
                (State::Value | State::FirstElement, b'{' | b'[') => {
                    self.enter(at, byte == b'{');
                    state = if byte == b'{' { State::FirstKey } else { State::FirstElement };
                    at += 1;
                    continue;
                }
                (State::Value | State::FirstElement, b'"') => (at..self.string(at)?, Kind::String),
                (State::Value | State::FirstElement, b't') => (at..self.literal(at, b"true")?, Kind::Bool),
                (State::Value | State::FirstElement, b'f') => (at..self.literal(at, b"false")?, Kind::Bool),
                (State::Value | State::FirstElement, b'n') => (at..self.literal(at, b"null")?, Kind::Null),
                (State::Value | State::FirstElement, b'-' | b'0'..=b'9') => match number::scan(bytes, at) {
                    Ok(number) => {
                        if number.doubtful {
                            self.out.doubt(bytes, at, Number { point: None, ..number });
                        }
                        (at..number.end, Kind::Number)
                    }
                    Err(bad) => return Err(self.unexpected(bad)),
                },
                (State::FirstKey | State::Key, b'"') => {
                    let end = self.string(at)?;
                    self.key(at + 1..end - 1);
                    at = skip_space(bytes, end);
                    if bytes.get(at) != Some(&b':') {
                        return Err(self.unexpected(at));
                    }
                    at += 1;
                    state = State::Value;
                    continue;
                }
                (State::After, b',') => {
                    let object = self.open.last().is_some_and(|open| open.object);
                    state = if object { State::Key } else { State::Value };
                    at += 1;
                    continue;
                }
                (State::FirstKey | State::After, b'}') if self.open.last().is_some_and(|open| open.object) => {
                    (self.leave()..at + 1, Kind::Object)
                }
                (State::FirstElement | State::After, b']') if self.open.last().is_some_and(|open| !open.object) => {
                    (self.leave()..at + 1, Kind::Array)
                }
                _ => return Err(self.unexpected(at)),
            };
            let (span, kind) = finished;
            at = span.end;
            if self.open.is_empty() {
                self.out.notes.non_ascii = !bytes[span.clone()].is_ascii();
                return Ok(Value { span, kind });
            }
            self.note(span, kind);
            state = State::After;
        }
    }

    fn fail(&self, at: usize, reason: Reason, in_string: bool) -> Fail {
        Fail { at, reason, in_string, open: self.open.len() }
    }

    /// The failure of what stands at `at`, or does not.
    fn unexpected(&self, at: usize) -> Fail {
        let reason = if at < self.bytes.len() { Reason::Unexpected } else { Reason::Truncated };
        self.fail(at, reason, false)
    }

    fn enter(&mut self, start: usize, object: bool) {
        let role = match self.open.last() {
            None if object => Role::Top,
            Some(parent) if parent.role == Role::Top && object && self.key_is(parent, b"message") => Role::Message,
            Some(parent) if parent.role == Role::Message && !object && self.key_is(parent, b"content") => Role::Content,
            Some(parent) if parent.role == Role::Content && object => Role::Block,
            _ if object => Role::Object,
            _ => Role::Array,
        };
        match role {
            Role::Message => self.out.clear_message(),
            Role::Content => self.out.clear_content(),
            _ => {}
        }
        self.open.push(Open { start, object, role, key: 0..0, keys: HashMap::new() });
        self.out.notes.depth = self.out.notes.depth.max(self.open.len());
    }

    /// Closes the innermost container; where it began.
    fn leave(&mut self) -> usize {
        self.open.pop().map_or(0, |open| open.start)
    }

    fn key_is(&self, open: &Open, wanted: &[u8]) -> bool {
        *text::decode(&self.bytes[open.key.clone()]) == *wanted
    }

    /// Notes a key of the innermost object.
    fn key(&mut self, span: Span) {
        let Some(open) = self.open.last_mut() else { return };
        open.key = span.clone();
        let name = text::decode(&self.bytes[span.clone()]).into_owned();
        let first = open.keys.entry(name).or_insert_with(|| span.clone()).clone();
        if first != span {
            self.out.notes.duplicates += 1;
            self.out.notes.duplicate.get_or_insert(DuplicateKey { first, second: span });
        }
    }

    /// Notes a finished value in the container that holds it.
    fn note(&mut self, value: Span, kind: Kind) {
        let Some(open) = self.open.last() else { return };
        let member = || {
            let word = word(&text::decode(&self.bytes[open.key.clone()]));
            Member { key: open.key.clone(), word, value: value.clone(), kind }
        };
        match open.role {
            Role::Outside | Role::Object | Role::Array => {}
            Role::Top => {
                // the last value of a repeated key counts: an earlier object is gone
                if kind != Kind::Object && self.key_is(open, b"message") {
                    self.out.clear_message();
                }
                self.out.top.push(member());
            }
            Role::Message => {
                if kind != Kind::Array && self.key_is(open, b"content") {
                    self.out.clear_content();
                }
                self.out.inner.push(member());
            }
            Role::Content => {
                let members_end = self.out.block_members.len();
                self.out.blocks.push(Block { value, kind, members_end });
            }
            Role::Block => self.out.block_members.push(member()),
        }
    }

    /// Scans the string whose opening quote is at `at`: the offset behind its closing quote. Escapes are judged
    /// before the control character that ends the string.
    fn string(&mut self, at: usize) -> Result<usize, Fail> {
        let bytes = self.bytes;
        let mut at = at + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => return Ok(at + 1),
                Some(b'\\') => {
                    match bytes.get(at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                        _ => self
                            .out
                            .rare_escape(bytes, at + 1)
                            .map_err(|bad| self.out.bad_escape(bytes, bad, false))
                            .map_err(|fail| Fail { open: self.open.len(), ..fail })?,
                    }
                    at += 2;
                }
                Some(0x20..) => at += 1,
                Some(_) => return Err(self.fail(at, Reason::ControlCharacter, true)),
                None => return Err(self.fail(at, Reason::Truncated, true)),
            }
        }
    }

    /// Scans a literal.
    fn literal(&self, at: usize, literal: &[u8]) -> Result<usize, Fail> {
        for (n, want) in literal.iter().enumerate() {
            if self.bytes.get(at + n) != Some(want) {
                return Err(self.unexpected(at + n));
            }
        }
        Ok(at + literal.len())
    }
}
