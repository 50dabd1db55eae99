//! Ids: packed where they are short, in an arena where they are not, always compared in full.

use super::Entry as Row;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;
use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU32;

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

    /// Whether an id of this arena is the same as one of another.
    pub fn is_same_as(&self, key: Key, other: &Arena, key_of_other: Key) -> bool {
        same(self, key, other, key_of_other)
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
///
/// It is made at once, of all entries, in parts that fit the processor's cache: filled entry by entry,
/// a large table would wait for memory at each of them.
#[derive(Clone, Default)]
pub struct Table {
    /// A power of two of them, or none.
    parts: Vec<HashTable<u32>>,
    /// Seeded anew for each table, so that no file can be made whose ids all collide.
    state: RandomState,
}

/// How many entries a part has at most, about.
const PART: usize = 4096;

/// The bits of a mark that tell its part; the others tell the place in it.
const PART_BITS: u32 = 12;

impl Table {
    /// The table of all entries that have an id; and those whose id an earlier entry has too, as
    /// (the one before, the later one) in file order.
    pub fn of(entries: &[Row], arena: &Arena, marks: Marks) -> (Table, Vec<(u32, u32)>) {
        let Marks { marks, state } = marks;
        let count = (entries.len() / PART + 1).next_power_of_two().min(1 << PART_BITS);
        let with_ids = || (0u32..).zip(&marks).filter_map(|(n, mark)| Some((n, (*mark)?.get())));
        // sorted by part: first how many each has, then each to its place
        let mut ends = vec![0usize; count];
        for (_, mark) in with_ids() {
            ends[part_of(mark, count)] += 1;
        }
        let mut sum = 0;
        let mut starts = Vec::with_capacity(count);
        for end in &mut ends {
            starts.push(sum);
            sum += *end;
            *end = sum;
        }
        let mut marked = vec![(0u32, 0u32); sum];
        let mut next = starts.clone();
        for (n, mark) in with_ids() {
            let at = &mut next[part_of(mark, count)];
            marked[*at] = (mark, n);
            *at += 1;
        }
        let id = |n: u32| entries[n as usize].id;
        let hash_again = |&n: &u32| spread(mark(&state, arena, id(n)));
        let fill = |(start, end): (&usize, &usize)| {
            let mut part = HashTable::with_capacity(end - start);
            let mut copies = Vec::new();
            for &(mark, n) in &marked[*start..*end] {
                match part.entry(spread(mark), |&m| same(arena, id(m), arena, id(n)), hash_again) {
                    Entry::Occupied(mut slot) => copies.push((std::mem::replace(slot.get_mut(), n), n)),
                    Entry::Vacant(slot) => {
                        slot.insert(n);
                    }
                }
            }
            (part, copies)
        };
        let (parts, copies): (Vec<_>, Vec<_>) = starts.par_iter().zip(&ends).map(fill).unzip();
        let mut copies = copies.concat();
        copies.sort_unstable_by_key(|&(_, later)| later);
        (Table { parts, state }, copies)
    }

    /// Adds entry `n`, whose id no entry has that is in the table.
    pub fn insert(&mut self, entries: &[Row], arena: &Arena, n: u32) {
        if self.parts.is_empty() {
            self.parts.push(HashTable::new());
        }
        let (state, count) = (&self.state, self.parts.len());
        let mark_of = |n: u32| mark(state, arena, entries[n as usize].id);
        let own = mark_of(n);
        self.parts[part_of(own, count)].insert_unique(spread(own), n, |&n| spread(mark_of(n)));
    }

    /// The entry that has the id `key` of `from`.
    pub fn find(&self, entries: &[Row], arena: &Arena, from: &Arena, key: Key) -> Option<u32> {
        let mark = mark(&self.state, from, key);
        let part = self.parts.get(part_of(mark, self.parts.len().max(1)))?;
        part.find(spread(mark), |&n| same(arena, entries[n as usize].id, from, key)).copied()
    }
}

/// The marks of all entries' ids, from which a [`Table`] is made.
#[derive(Default)]
pub struct Marks {
    marks: Vec<Option<NonZeroU32>>,
    state: RandomState,
}

impl Marks {
    /// Adds the mark of the next entry; `None` where it has no id.
    pub fn push(&mut self, arena: &Arena, id: Option<Key>) {
        self.marks.push(id.and_then(|key| NonZeroU32::new(mark(&self.state, arena, key))));
    }

    /// Makes room for `more` entries.
    pub fn reserve(&mut self, more: usize) {
        self.marks.reserve(more);
    }
}

/// Half a hash: enough to tell nearly all ids apart, and half the memory. Never 0.
fn mark(state: &RandomState, arena: &Arena, key: Key) -> u32 {
    (hash(state, arena, key) >> 32) as u32 | 1
}

fn part_of(mark: u32, parts: usize) -> usize {
    (mark >> (32 - PART_BITS)) as usize & (parts - 1)
}

/// The hash within a part, with good bits at both ends.
fn spread(mark: u32) -> u64 {
    u64::from(mark).wrapping_mul(0x9E37_79B9_7F4A_7C15)
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
