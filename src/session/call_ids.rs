//! The ids of tool calls and results, numbered: they are only compared with each other.

use foldhash::fast::{FixedState, RandomState};
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A hash of an id. It is the id from there on: no two are expected to have the same.
pub fn hash(id: &[u8]) -> u64 {
    FixedState::default().hash_one(id)
}

/// Gives each id a number.
#[derive(Default)]
pub struct CallIds {
    /// The hash of each number's id.
    hashes: Vec<u64>,
    /// The numbers by those; may be empty between two blocks.
    table: HashTable<u32>,
    /// Hashes are what a file says: hashed anew they cannot be made to collide.
    state: RandomState,
    /// The numbers that were asked for last: a result mostly stands behind its call.
    last: [u32; LAST],
}

/// So many calls a message seldom has.
const LAST: usize = 4;

impl CallIds {
    /// The number of the id with that hash.
    pub fn number(&mut self, hash: u64, is_result: bool) -> u32 {
        let is_it = |number: &&u32| self.hashes.get(**number as usize) == Some(&hash);
        if is_result && let Some(number) = self.last.iter().rev().find(is_it) {
            return *number;
        }
        let CallIds { hashes, table, state, last } = self;
        let spread = |hash: u64| state.hash_one(hash);
        let again = |number: &u32| spread(hashes[*number as usize]);
        if table.len() < hashes.len() {
            table.reserve(hashes.len(), again);
            for number in 0..hashes.len() as u32 {
                table.insert_unique(again(&number), number, again);
            }
        }
        let entry = table.entry(spread(hash), |number| hashes[*number as usize] == hash, again);
        let number = *entry.or_insert(hashes.len() as u32).get();
        if number as usize == hashes.len() {
            hashes.push(hash);
        }
        last.rotate_left(1);
        last[LAST - 1] = number;
        number
    }

    /// The hash of a number's id.
    pub fn hash_of(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    /// How many ids there are: numbers are below it.
    pub fn count(&self) -> usize {
        self.hashes.len()
    }

    /// Gives memory back that is only of use while ids are numbered; it is made again when it is needed.
    pub fn rest(&mut self) {
        self.table = HashTable::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_number() {
        let mut ids = CallIds::default();
        let texts: Vec<String> = (0..100).map(|n| format!("call_{}", n % 37)).collect();
        let mut numbers = Vec::new();
        for (n, text) in texts.iter().enumerate() {
            numbers.push(ids.number(hash(text.as_bytes()), n % 3 == 1));
            if n == 50 {
                ids.rest();
            }
        }
        assert_eq!(ids.count(), 37);
        for (a, x) in texts.iter().zip(&numbers) {
            assert_eq!(ids.hash_of(*x), hash(a.as_bytes()));
            for (b, y) in texts.iter().zip(&numbers) {
                assert_eq!(a == b, x == y, "{a} {b}");
            }
        }
        // a number is given before any is known
        assert_eq!(CallIds::default().number(0, true), 0);
    }
}
