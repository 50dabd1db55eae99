//! Keys that occur twice in one object.

use super::{Span, text};
use hashbrown::HashMap;
use std::borrow::Cow;

/// How many keys of one object are compared one by one; beyond it a map takes over, so that an
/// object with a million keys costs no more than its length.
const FEW: usize = 24;

/// The keys of all open objects, innermost last.
#[derive(Default)]
pub(super) struct Keys {
    keys: Vec<Key>,
    frames: Vec<usize>,
    /// Maps of the objects that have more than [`FEW`] keys, with the depth of each.
    large: Vec<(usize, HashMap<Vec<u8>, Span>)>,
}

struct Key {
    tag: u32,
    span: Span,
    escaped: bool,
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.frames.clear();
        self.large.clear();
    }

    pub(super) fn enter(&mut self) {
        self.frames.push(self.keys.len());
    }

    pub(super) fn leave(&mut self) {
        if self.large.last().is_some_and(|(depth, _)| *depth == self.frames.len()) {
            self.large.pop();
        }
        if let Some(start) = self.frames.pop() {
            self.keys.truncate(start);
        }
    }

    /// Adds a key of the innermost object; the earlier occurrence if it has one.
    pub(super) fn add(&mut self, bytes: &[u8], span: Span, escaped: bool) -> Option<Span> {
        let start = *self.frames.last()?;
        let depth = self.frames.len();
        if let Some((at, map)) = self.large.last_mut()
            && *at == depth
        {
            return earlier(map, bytes, span, escaped);
        }
        let raw = &bytes[span.clone()];
        let name = name(raw, escaped);
        let tag = tag(&name);
        let found =
            self.keys[start..].iter().find(|k| k.tag == tag && *self::name(&bytes[k.span.clone()], k.escaped) == *name);
        if let Some(found) = found {
            return Some(found.span.clone());
        }
        self.keys.push(Key { tag, span, escaped });
        if self.keys.len() - start > FEW {
            let mut map = HashMap::new();
            for key in self.keys.drain(start..) {
                earlier(&mut map, bytes, key.span, key.escaped);
            }
            self.large.push((depth, map));
        }
        None
    }
}

fn earlier(map: &mut HashMap<Vec<u8>, Span>, bytes: &[u8], span: Span, escaped: bool) -> Option<Span> {
    let name = name(&bytes[span.clone()], escaped);
    if let Some(first) = map.get(&*name) {
        return Some(first.clone());
    }
    map.insert(name.into_owned(), span);
    None
}

fn name(raw: &[u8], escaped: bool) -> Cow<'_, [u8]> {
    if escaped { text::decode(raw) } else { Cow::Borrowed(raw) }
}

/// A cheap mark that equal names share; names that share it are compared.
fn tag(name: &[u8]) -> u32 {
    let n = name.len();
    match name {
        [] => 0,
        [first, .., last] => n as u32 ^ (*first as u32) << 8 ^ (*last as u32) << 16 ^ (name[n / 2] as u32) << 24,
        [only] => 1 ^ (*only as u32) << 8,
    }
}
