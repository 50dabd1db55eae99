//! What some entry is like, and what all are: it tells without looking at each of them that there is nothing
//! to be found.

use super::Entry;
use crate::dialect::pi::{EntryType, Role};

/// Sums up entries as they stand in the file. That an entry is an [earlier copy](super::flags::EARLIER_COPY) shows
/// only at the end of the file, and is not among it.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    any: u16,
    all: u16,
    kinds: u32,
    roles: u32,
    longest: u64,
}

impl Default for Traits {
    fn default() -> Self {
        Traits { any: 0, all: u16::MAX, kinds: 0, roles: 0, longest: 0 }
    }
}

impl Traits {
    /// Takes in an entry.
    #[inline]
    pub fn add(&mut self, entry: &Entry) {
        self.any |= entry.flags;
        self.all &= entry.flags;
        self.kinds |= 1 << entry.kind as u32;
        self.roles |= 1 << entry.role as u32;
        self.longest = self.longest.max(entry.length);
    }

    /// Takes in what was summed up elsewhere.
    pub fn append(&mut self, other: Traits) {
        self.any |= other.any;
        self.all &= other.all;
        self.kinds |= other.kinds;
        self.roles |= other.roles;
        self.longest = self.longest.max(other.longest);
    }

    /// Whether an entry has one of these [`flags`](super::flags).
    pub fn any(&self, flags: u16) -> bool {
        self.any & flags != 0
    }

    /// Whether every entry has this flag; so it is where there is no entry.
    pub fn all(&self, flag: u16) -> bool {
        self.all & flag == flag
    }

    /// Whether an entry is of this type.
    pub fn has_kind(&self, kind: EntryType) -> bool {
        self.kinds & 1 << kind as u32 != 0
    }

    /// Whether an entry has this role.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles & 1 << role as u32 != 0
    }

    /// The length of the longest entry in bytes.
    pub fn longest(&self) -> u64 {
        self.longest
    }
}

impl<'a> FromIterator<&'a Entry> for Traits {
    fn from_iter<I: IntoIterator<Item = &'a Entry>>(entries: I) -> Self {
        let mut traits = Traits::default();
        entries.into_iter().for_each(|entry| traits.add(entry));
        traits
    }
}
