//! Ids: packed where they are short, in an arena where they are not, always compared in full.

use super::Entry as Row;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hasher};

/// An id. Up to eight bytes stand in `bits`, longer ones in an [`Arena`] at that offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    bits: u64,
    length: u32,
}

impl Key {
    /// The length in bytes; ids of 4 GiB and more are cut there.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether it is the empty string.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }
}

/// Where long ids stand.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    bytes: Vec<u8>,
}

impl Arena {
    /// Packs an id.
    pub fn add(&mut self, id: &[u8]) -> Key {
        let id = &id[..id.len().min(u32::MAX as usize)];
        if let Some(key) = short(id) {
            return key;
        }
        let bits = self.bytes.len() as u64;
        self.bytes.extend_from_slice(id);
        Key { bits, length: id.len() as u32 }
    }

    /// The id's bytes, if it is a long one.
    fn long(&self, key: Key) -> Option<&[u8]> {
        (key.length > 8).then(|| &self.bytes[key.bits as usize..key.bits as usize + key.length as usize])
    }

    /// The id's bytes.
    pub fn get(&self, key: Key) -> Vec<u8> {
        match self.long(key) {
            Some(bytes) => bytes.to_vec(),
            None => key.bits.to_le_bytes()[..key.length as usize].to_vec(),
        }
    }

    /// Whether two keys are the same id.
    pub fn is_same(&self, a: Key, b: Key) -> bool {
        same(self, a, self, b)
    }

    /// The same id in this arena, taken over from another one.
    pub fn adopt(&mut self, other: &Arena, key: Key) -> Key {
        match other.long(key) {
            Some(bytes) => self.add(bytes),
            None => key,
        }
    }
}

fn short(id: &[u8]) -> Option<Key> {
    if id.len() > 8 {
        return None;
    }
    let mut bits = [0; 8];
    bits[..id.len()].copy_from_slice(id);
    Some(Key { bits: u64::from_le_bytes(bits), length: id.len() as u32 })
}

/// Which entry has an id: the last one with it, as pi has it.
#[derive(Clone, Default)]
pub struct Table {
    table: HashTable<u32>,
    /// Seeded anew for each table, so that no file can be made whose ids all collide.
    state: RandomState,
}

impl Table {
    /// The entry that has the id `key` of `from`.
    pub fn find(&self, entries: &[Row], arena: &Arena, from: &Arena, key: Key) -> Option<u32> {
        self.table.find(hash(&self.state, from, key), |&n| same(arena, entries[n as usize].id, from, key)).copied()
    }

    /// Makes room for `more` entries.
    pub fn reserve(&mut self, entries: &[Row], arena: &Arena, more: usize) {
        let state = &self.state;
        self.table.reserve(more, |&n| hash(state, arena, entries[n as usize].id));
    }

    /// Makes entry `n` the one with its id; the one that was before.
    pub fn insert(&mut self, entries: &[Row], arena: &Arena, n: u32) -> Option<u32> {
        let key_of = |n: u32| entries[n as usize].id;
        let state = self.state.clone();
        let hash_of = |n: &u32| hash(&state, arena, key_of(*n));
        match self.table.entry(hash_of(&n), |&m| same(arena, key_of(m), arena, key_of(n)), hash_of) {
            Entry::Occupied(mut slot) => Some(std::mem::replace(slot.get_mut(), n)),
            Entry::Vacant(slot) => {
                slot.insert(n);
                None
            }
        }
    }
}

fn hash(state: &RandomState, arena: &Arena, key: Key) -> u64 {
    let mut hasher = state.build_hasher();
    match arena.long(key) {
        Some(bytes) => hasher.write(bytes),
        None => hasher.write_u64(key.bits ^ (key.length as u64) << 60),
    }
    hasher.finish()
}

fn same(a: &Arena, x: Key, b: &Arena, y: Key) -> bool {
    x.length == y.length && if x.length <= 8 { x.bits == y.bits } else { a.long(x) == b.long(y) }
}
