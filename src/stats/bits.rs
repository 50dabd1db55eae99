//! A set of entries, one bit each.

/// A set of entries.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set, for entries below `count`.
    pub fn of(count: usize) -> Bits {
        Bits { words: vec![0; count.div_ceil(64)] }
    }

    /// Adds an entry.
    pub fn set(&mut self, n: u32) {
        if let Some(word) = self.words.get_mut(n as usize / 64) {
            *word |= 1 << (n % 64);
        }
    }

    /// Whether an entry is in it.
    pub fn has(&self, n: u32) -> bool {
        self.words.get(n as usize / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// How many entries are in it.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
