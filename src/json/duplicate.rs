//! Keys that occur twice in one object.

use super::shape::{Guess, Shapes};
use super::{Span, text, word};
use hashbrown::HashSet;
use std::borrow::Cow;

/// How many keys of one object are compared one by one; beyond it a set takes over, so that an
/// object with a million keys costs no more than its length.
const FEW: usize = 24;

/// The keys of the open objects that left the tree of keys, innermost last. Most have keys of their own marks,
/// which need not be compared.
#[derive(Default)]
pub(super) struct Keys {
    keys: Vec<Key>,
    objects: Vec<Object>,
    /// The names of the keys of those that have more than [`FEW`], with the number of each.
    large: Vec<(usize, HashSet<Vec<u8>>)>,
}

struct Object {
    /// Where its keys begin in the list.
    from: usize,
    /// The marks of its keys, a bit a mark.
    marks: u64,
}

/// A key.
#[derive(Clone, Copy)]
pub(super) enum Key {
    /// One that is in the tree.
    Known(Guess),
    /// One that begins there behind its quote. Where it ends its bytes tell, in the rare case that somebody asks.
    At { start: usize, escaped: bool },
}

impl Key {
    fn name<'a>(self, bytes: &'a [u8], shapes: &'a Shapes) -> Cow<'a, [u8]> {
        match self {
            Key::Known(place) => Cow::Borrowed(shapes.known(place).key()),
            Key::At { start, .. } => text::decode(&bytes[start..string_end(bytes, start)]),
        }
    }

    /// Whether the key, decoded, is `other`.
    fn is(self, bytes: &[u8], shapes: &Shapes, other: &[u8]) -> bool {
        match self {
            Key::At { start, escaped: false } => {
                let rest = bytes.get(start..).unwrap_or_default();
                // without escapes in it, the name ends at the first quote
                rest.get(other.len()) == Some(&b'"') && rest.starts_with(other) && !other.contains(&b'"')
            }
            _ => self.name(bytes, shapes).as_ref() == other,
        }
    }
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.objects.clear();
        self.large.clear();
    }

    /// An object leaves the tree: its keys up to there, with their marks.
    #[inline(always)]
    pub(super) fn enter(&mut self, marks: u64, known: impl Iterator<Item = Guess>) {
        self.objects.push(Object { from: self.keys.len(), marks });
        self.keys.extend(known.map(Key::Known));
    }

    /// Forgets the keys of the object that was entered last.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        if let Some(object) = self.objects.pop() {
            self.keys.truncate(object.from);
            if object.marks == !0 {
                self.leave_large();
            }
        }
    }

    #[inline(never)]
    fn leave_large(&mut self) {
        if self.large.last().is_some_and(|(number, _)| *number == self.objects.len() + 1) {
            self.large.pop();
        }
    }

    /// Adds a key to the object that was entered last: whether it is new.
    #[inline(always)]
    pub(super) fn is_new(&mut self, bytes: &[u8], shapes: &Shapes, key: Key, mark: u64) -> bool {
        match self.objects.last_mut() {
            Some(object) if object.marks & mark == 0 => {
                object.marks |= mark;
                self.keys.push(key);
                true
            }
            _ => self.meet(bytes, shapes, key),
        }
    }

    /// Adds a key whose mark another one has.
    #[inline(never)]
    fn meet(&mut self, bytes: &[u8], shapes: &Shapes, key: Key) -> bool {
        let number = self.objects.len();
        let Some(object) = self.objects.last_mut() else { return true };
        let name = key.name(bytes, shapes);
        if let Some((at, names)) = self.large.last_mut()
            && *at == number
        {
            return names.insert(name.into_owned());
        }
        let keys = &self.keys[object.from..];
        if keys.iter().any(|k| k.is(bytes, shapes, &name)) {
            return false;
        }
        self.keys.push(key);
        if self.keys.len() - object.from > FEW {
            let names = self.keys.drain(object.from..).map(|key| key.name(bytes, shapes).into_owned());
            self.large.push((number, names.collect()));
            // so that each further key comes here
            object.marks = !0;
        }
        true
    }
}

/// Where the string ends whose content begins at `start`: at its quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(at) if rest[at] == b'\\' => end += at + 2,
            Some(at) => return end + at,
            None => return bytes.len(),
        }
    }
}

/// The first key of this name in the object that begins at `start`, which was walked over up to some later
/// key of the same name.
#[cold]
pub(super) fn first_key(bytes: &[u8], start: usize, wanted: &[u8]) -> Option<Span> {
    let mut at = start + 1;
    let mut inner = 0;
    let mut is_key = true;
    loop {
        match bytes.get(at)? {
            b'"' => {
                let span = at + 1..string_end(bytes, at + 1);
                if inner == 0 && is_key && text::decode(bytes.get(span.clone())?).as_ref() == wanted {
                    return Some(span);
                }
                is_key = false;
                at = span.end;
            }
            b'{' | b'[' => inner += 1,
            b'}' | b']' => inner -= 1,
            b',' => is_key = true,
            _ => {}
        }
        at += 1;
    }
}

/// A mark that equal names share, by their first and (beyond eight bytes) last eight bytes. The upper
/// bits are the better ones.
#[inline(always)]
pub(super) fn mark(head: u64, tail: u64, length: usize) -> u64 {
    (head ^ tail.rotate_left(29) ^ length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The first eight bytes of a name, and its mark.
pub(super) fn mark_of(name: &[u8]) -> (u64, u64) {
    let head = word(name);
    let tail = if name.len() > 8 { word(&name[name.len() - 8..]) } else { 0 };
    (head, mark(head, tail, name.len()))
}
