//! A set of entries.

/// A set of entries by their numbers: a bit for each, up to the last one that was ever in it.
#[derive(Clone, Debug, Default)]
pub struct EntrySet(Vec<u64>);

impl EntrySet {
    /// Puts an entry in; whether it was not in it.
    pub fn insert(&mut self, n: u32) -> bool {
        let at = n as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        let bit = 1 << (n % 64);
        let new = self.0[at] & bit == 0;
        self.0[at] |= bit;
        new
    }

    /// Takes an entry out.
    pub fn remove(&mut self, n: u32) {
        if let Some(bits) = self.0.get_mut(n as usize / 64) {
            *bits &= !(1 << (n % 64));
        }
    }

    /// Whether an entry is in it.
    pub fn contains(&self, n: u32) -> bool {
        self.0.get(n as usize / 64).is_some_and(|bits| bits >> (n % 64) & 1 == 1)
    }
}

impl FromIterator<u32> for EntrySet {
    fn from_iter<I: IntoIterator<Item = u32>>(entries: I) -> Self {
        let mut set = EntrySet::default();
        entries.into_iter().for_each(|n| {
            set.insert(n);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = EntrySet::default();
        assert!(set.insert(70) && !set.insert(70) && set.insert(0));
        assert!(set.contains(70) && set.contains(0) && !set.contains(6) && !set.contains(1 << 20));
        set.remove(70);
        set.remove(1 << 20);
        assert!(!set.contains(70) && set.insert(70));
    }
}
