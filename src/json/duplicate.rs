//! Keys that occur twice in one object.

use super::{Span, text, word};
use hashbrown::HashMap;
use std::borrow::Cow;

/// How many keys of one object are compared one by one; beyond it a map takes over, so that an
/// object with a million keys costs no more than its length.
const FEW: usize = 24;

/// The keys of all open objects, innermost last. The caller keeps a set of marks of each object's
/// keys, a bit a mark: a key whose mark is new to its object is only [`push`](Self::push)ed, any
/// other one has to [`meet`](Self::meet) those before it.
#[derive(Default)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// Maps of the objects that have more than [`FEW`] keys, with the depth of each.
    large: Vec<(usize, HashMap<Vec<u8>, Span>)>,
}

/// A key: where it begins behind its quote, and in the lowest bit whether it holds an escape. Where it ends
/// its bytes tell, in the rare case that somebody asks.
#[derive(Clone, Copy)]
pub(super) struct Key(usize);

impl Key {
    /// A key that begins there.
    #[inline(always)]
    pub(super) fn new(start: usize, escaped: bool) -> Self {
        Key(start << 1 | usize::from(escaped))
    }

    /// Where it begins.
    pub(super) fn start(self) -> usize {
        self.0 >> 1
    }

    fn escaped(self) -> bool {
        self.0 & 1 != 0
    }

    fn span(self, bytes: &[u8]) -> Span {
        let start = self.start();
        let mut end = start;
        loop {
            let rest = bytes.get(end..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(at) if rest[at] == b'\\' => end += at + 2,
                Some(at) => return start..end + at,
                None => return start..bytes.len(),
            }
        }
    }

    fn name(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        name(&bytes[self.span(bytes)], self.escaped())
    }

    /// Whether the key, decoded, is `name`.
    fn is(self, bytes: &[u8], other: &[u8]) -> bool {
        if self.escaped() {
            return self.name(bytes).as_ref() == other;
        }
        let rest = bytes.get(self.start()..).unwrap_or_default();
        // without escapes in it, the name ends at the first quote
        rest.get(other.len()) == Some(&b'"') && rest.starts_with(other) && !other.contains(&b'"')
    }
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.large.clear();
    }

    /// How many keys there are: where those of an object that opens now begin.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Forgets the keys from `from` on, those of the object that closes: it has these marks, and so
    /// many containers around it and itself.
    #[inline(always)]
    pub(super) fn leave(&mut self, from: usize, marks: u64, depth: usize) {
        if marks == !0 && self.large.last().is_some_and(|(at, _)| *at == depth) {
            self.large.pop();
        }
        self.keys.truncate(from);
    }

    /// Adds a key that its object cannot have yet.
    #[inline(always)]
    pub(super) fn push(&mut self, key: Key) {
        self.keys.push(key);
    }

    /// Adds a key of the object whose keys begin at `from`. The earlier occurrence if it has one, and
    /// marks to add to the object's.
    pub(super) fn meet(&mut self, bytes: &[u8], from: usize, depth: usize, key: Key) -> (Option<Span>, u64) {
        if let Some((at, map)) = self.large.last_mut()
            && *at == depth
        {
            return (earlier(map, bytes, key), !0);
        }
        let name = key.name(bytes);
        if let Some(found) = self.keys[from..].iter().find(|k| k.is(bytes, &name)) {
            return (Some(found.span(bytes)), 0);
        }
        self.keys.push(key);
        if self.keys.len() - from <= FEW {
            return (None, 0);
        }
        let mut map = HashMap::new();
        for key in self.keys.drain(from..) {
            earlier(&mut map, bytes, key);
        }
        self.large.push((depth, map));
        // with every mark set each further key comes here
        (None, !0)
    }
}

fn earlier(map: &mut HashMap<Vec<u8>, Span>, bytes: &[u8], key: Key) -> Option<Span> {
    let name = key.name(bytes);
    if let Some(first) = map.get(&*name) {
        return Some(first.clone());
    }
    map.insert(name.into_owned(), key.span(bytes));
    None
}

/// A key's name: its bytes, decoded.
pub(super) fn name(raw: &[u8], escaped: bool) -> Cow<'_, [u8]> {
    if escaped { text::decode(raw) } else { Cow::Borrowed(raw) }
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
