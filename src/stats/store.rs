//! Many files added up, with the entries that they share counted once.

use super::by::{By, Calendar};
use super::file::{Base, FileStats, Heavy, Options};
use super::tally::{NO_NAME, Tally};
use crate::session::set::EntrySet;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

/// The files of a store, added up one by one.
#[derive(Debug)]
pub struct Store {
    options: Options,
    by: Option<By>,
    calendar: Calendar,
    /// The keys of the entries that were counted. They are hashes with seeds of their own, so it does not
    /// matter that their places in the table can be foreseen.
    seen: HashSet<u128, FixedState>,
    /// All of it, on the base that was chosen.
    pub totals: Tally,
    /// What was left out because an earlier file has it, too.
    pub shared: Tally,
    /// The files.
    pub files: u64,
    /// Those of them that share entries with an earlier one.
    pub sharing: u64,
    /// The heaviest entries, each with the path of its file.
    pub heaviest: Vec<(String, Heavy)>,
    sessions: BTreeMap<String, Versions>,
    groups: BTreeMap<String, Group>,
}

/// The files of one session that entries were counted of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// How many they are.
    pub files: u64,
    /// The versions they are written in, in ascending order; `None` of a header that tells none.
    pub versions: Vec<Option<i64>>,
}

/// One group.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// What to call it beside its key: of a session its name, or the path of its file.
    pub title: Option<String>,
    /// What its entries come to.
    pub tally: Tally,
    /// How many files have any.
    pub files: u64,
    /// The file that was counted last, from 1.
    last: u64,
}

/// What a file adds to a store, on the base that was chosen.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// What is counted.
    pub own: Tally,
    /// What was counted with an earlier file.
    pub shared: Tally,
}

impl Store {
    /// An empty store, grouped by `by` with days as they are in `zone`.
    pub fn new(options: &Options, by: Option<By>, zone: TimeZone) -> Store {
        Store {
            options: *options,
            by,
            calendar: Calendar::new(by.unwrap_or(By::Day), zone),
            seen: HashSet::default(),
            totals: Tally::default(),
            shared: Tally::default(),
            files: 0,
            sharing: 0,
            heaviest: Vec::new(),
            sessions: BTreeMap::new(),
            groups: BTreeMap::new(),
        }
    }

    /// How many different sessions there are, by the id in the header; a file without one is a session.
    pub fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Sessions of which files in several versions were counted: what a version writes in its own way is not
    /// known again by its bytes, and counts for each.
    pub fn in_several_versions(&self) -> impl Iterator<Item = (&str, &Versions)> {
        let several = self.sessions.iter().filter(|(_, written)| written.versions.len() > 1);
        several.map(|(id, written)| (id.as_str(), written))
    }

    /// The groups by their keys.
    pub fn groups(&self) -> &BTreeMap<String, Group> {
        &self.groups
    }

    /// Adds a file.
    pub fn add(&mut self, file: &mut FileStats) -> Added {
        self.files += 1;
        let session = file.session.clone().unwrap_or_else(|| format!("\0{}", file.path));
        let whole = match self.by {
            Some(By::Project) => Some(file.project.clone().unwrap_or_else(|| NO_NAME.to_string())),
            Some(By::Session) => Some(file.session.clone().unwrap_or_else(|| file.path.clone())),
            _ => None,
        };
        let repeated = self.mark(file);
        let by_row = self.by.is_some_and(|by| !by.is_whole() && by != By::Tool);
        let added = match file.tally(self.options.base) {
            None => Added::default(),
            Some(_) if by_row || repeated.is_some() => self.add_rows(file, repeated.as_ref()),
            Some(tally) => Added { own: tally.clone(), shared: Tally::default() },
        };
        let written = self.sessions.entry(session).or_default();
        if added.own.entries > 0 {
            written.files += 1;
            if let Err(place) = written.versions.binary_search(&file.version) {
                written.versions.insert(place, file.version);
            }
        }
        self.totals.merge(&added.own);
        if let Some(key) = &whole {
            group(&mut self.groups, key, self.files).tally.merge(&added.own);
        }
        if let (Some(By::Session), Some(key)) = (self.by, &whole)
            && let Some(group) = self.groups.get_mut(key)
        {
            group.title.get_or_insert_with(|| file.name.clone().unwrap_or_else(|| file.path.clone()));
        }
        self.sharing += u64::from(added.shared.entries > 0);
        self.shared.merge(&added.shared);
        self.add_heavy(file, repeated.as_ref());
        file.forget_rows();
        added
    }

    /// The entries that were counted with an earlier file; `None` if there are none.
    fn mark(&mut self, file: &FileStats) -> Option<EntrySet> {
        let keys = &file.rows.keys;
        if keys.is_empty() {
            return None;
        }
        let mut repeated = EntrySet::default();
        let mut any = false;
        let mut look = |n: u32| {
            if self.seen.contains(&keys[n as usize]) {
                repeated.insert(n);
                any = true;
            }
        };
        // an entry that stands twice in one file is counted twice: so says the file
        if self.options.base == Base::Lifetime && !self.options.is_window() {
            (0..keys.len() as u32).for_each(&mut look);
            self.seen.extend(keys);
        } else {
            let mut counted = Vec::new();
            file.each(&self.options, |n, _, _, _| counted.extend(Some(n).filter(|n| (*n as usize) < keys.len())));
            counted.iter().copied().for_each(&mut look);
            self.seen.extend(counted.into_iter().map(|n| keys[n as usize]));
        }
        any.then_some(repeated)
    }

    /// Adds up a file row by row, to what was counted before, to its own, and to the groups.
    fn add_rows(&mut self, file: &FileStats, repeated: Option<&EntrySet>) -> Added {
        let Store { options, by, calendar, groups, files, .. } = self;
        let mut added = Added::default();
        let grouped = by.is_some_and(|by| !by.is_whole() && by != By::Tool);
        file.each(options, |n, row, names, level| {
            if repeated.is_some_and(|repeated| repeated.contains(n)) {
                return added.shared.add(row, names, level);
            }
            added.own.add(row, names, level);
            if let Some(key) = grouped.then(|| calendar.group(row, names)).flatten() {
                group(groups, key, *files).tally.add(row, names, level);
            }
        });
        if options.base == Base::Lifetime {
            added.own.add_outside(file.outside);
        }
        added
    }

    /// Keeps the heaviest entries of all. Those of one file that are left out here are as heavy as any of
    /// that file that would move up, and stand in another file's list.
    fn add_heavy(&mut self, file: &FileStats, repeated: Option<&EntrySet>) {
        let own = file.heaviest.iter().filter(|heavy| repeated.is_none_or(|repeated| !repeated.contains(heavy.entry)));
        self.heaviest.extend(own.map(|heavy| (file.path.clone(), heavy.clone())));
        self.heaviest.sort_by_key(|(_, heavy)| std::cmp::Reverse(heavy.bytes));
        self.heaviest.truncate(self.options.heaviest);
    }
}

/// The group of that key, which file number `file` has entries in.
fn group<'g>(groups: &'g mut BTreeMap<String, Group>, key: &str, file: u64) -> &'g mut Group {
    if !groups.contains_key(key) {
        groups.insert(key.to_string(), Group::default());
    }
    let group = groups.entry(key.to_string()).or_default();
    group.files += u64::from(group.last != file);
    group.last = file;
    group
}
