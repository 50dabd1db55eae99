//! Files of one session, compared record by record.
//!
//! Records are the same if they say the same: white space, the order of members, escapes and the
//! spelling of numbers do not count.

use crate::dialect::pi::Role;
use crate::json::print::Printer;
use crate::record::Record;
use crate::session::reread::Reread;
use crate::session::scan::{self, scan};
use crate::session::{Entry, Header, Session, Shape};
use crate::source::Source;
use hashbrown::{HashMap, HashSet};
use std::io;

/// What does not count where files of different versions are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sameness {
    /// Ids, parents and kept ranges: version 1 has none, and each migration makes up its own.
    without_ids: bool,
    /// That `custom` was called `hookMessage` before version 3.
    any_role: bool,
}

impl Sameness {
    /// What it takes to compare sessions of these shapes and versions.
    pub fn of(sessions: impl Iterator<Item = (Shape, Option<i64>)>) -> Self {
        let all: Vec<_> = sessions.collect();
        let pairs = || all.windows(2).map(|pair| (pair[0], pair[1]));
        Sameness {
            without_ids: pairs().any(|((a, _), (b, _))| a != b),
            any_role: pairs().any(|((_, a), (_, b))| a != b),
        }
    }
}

/// The fingerprints of a session's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// That of the header.
    pub header: Option<u64>,
    /// Those of the entries, in file order.
    pub entries: Vec<u64>,
}

impl Records {
    /// Reads them from a source.
    ///
    /// # Errors
    /// What reading says.
    pub fn read(source: &Source, seed: u64, sameness: Sameness) -> io::Result<Records> {
        let (session, ()) = scan(source, &scan::Options::default())?;
        Records::of(source, &session, seed, sameness)
    }

    /// Those of a session that was scanned.
    ///
    /// # Errors
    /// What reading says.
    pub fn of(source: &Source, session: &Session, seed: u64, sameness: Sameness) -> io::Result<Records> {
        let mut printer = Printer::new(seed);
        let mut reread = Reread::new(source);
        let header = session.header.as_ref().map(|header| {
            let bytes = source.read_range(header.offset, header.length)?;
            Ok::<_, io::Error>(printer.print(&header_line(header, bytes), 0, &[]))
        });
        let mut entries = Vec::with_capacity(session.entries.len());
        for entry in &session.entries {
            let print = reread.record(entry, |record| print(&mut printer, record, entry, sameness));
            entries.push(print.ok_or_else(|| io::Error::other("it changed while it was read"))?);
        }
        Ok(Records { header: header.transpose()?, entries })
    }
}

/// A header that may stand on several lines, as one.
fn header_line(header: &Header, mut bytes: Vec<u8>) -> Vec<u8> {
    if header.dropped && bytes.contains(&b'\n') {
        bytes = bytes.split(|b| *b == b'\n').collect::<Vec<_>>().join(&b"\\n"[..]);
    }
    bytes
}

/// Members that only some versions have, or that each migration makes up.
const MADE_UP: &[&[u8]] = &[b"id", b"parentId", b"firstKeptEntryId", b"firstKeptEntryIndex"];

fn print(printer: &mut Printer, record: &Record<'_>, entry: &Entry, sameness: Sameness) -> u64 {
    let without = if sameness.without_ids { MADE_UP } else { &[] };
    if sameness.any_role
        && entry.role == Role::HookMessage
        && let Some(role) = record.get_inner(b"role")
    {
        let bytes = [&record.bytes[..role.value.start], b"\"custom\"", &record.bytes[role.value.end..]].concat();
        return printer.print(&bytes, 0, without);
    }
    printer.print(record.bytes, 0, without)
}

/// How a file stands to another one of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Both hold the same records in the same order.
    Same,
    /// Its records are the first ones of the other.
    Prefix,
    /// Each of its records is in the other.
    Within,
}

/// One session in several files, which are named by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copies {
    /// The other file has everything that this one has.
    Part {
        /// This file.
        file: u32,
        /// The other one.
        of: u32,
        /// In which way.
        how: How,
        /// How many entries this one has.
        entries: u64,
        /// How many the other one has.
        of_entries: u64,
    },
    /// The files begin with the same records, and each goes on with some that others lack.
    Diverged {
        /// The files.
        files: Vec<u32>,
        /// How many entries all of them begin with.
        common: u64,
        /// How many entries each has that stand in none of the others.
        own: Vec<u64>,
    },
}

impl Copies {
    /// With other numbers for the files.
    pub fn renamed(self, name: impl Fn(u32) -> u32) -> Copies {
        match self {
            Copies::Part { file, of, how, entries, of_entries } => {
                Copies::Part { file: name(file), of: name(of), how, entries, of_entries }
            }
            Copies::Diverged { files, common, own } => {
                Copies::Diverged { files: files.into_iter().map(name).collect(), common, own }
            }
        }
    }
}

/// What files of one id are to each other.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Which of them are copies, and how.
    pub copies: Vec<Copies>,
    /// The files of each session: there is more than one where files share nothing but the id.
    pub sessions: Vec<Vec<u32>>,
}

/// Compares files of one id, `None` for those that cannot be read. What it costs grows with the number of
/// records, not with the number of pairs.
pub fn tell(files: &[Option<Records>]) -> Told {
    let all: Vec<(u32, &Records)> = (0..).zip(files).filter_map(|(n, file)| Some((n, file.as_ref()?))).collect();
    let mut told = Told::default();
    let mut inside = prefixes(&all);
    let rest = || all.iter().copied();
    // the longest of those that are no one's beginning may hold others in another order
    let outer: Vec<(u32, &Records)> = rest().filter(|(n, _)| !inside.contains_key(n)).collect();
    if outer.len() > 1
        && let Some((of, longest)) = outer.iter().rev().max_by_key(|(_, records)| records.entries.len())
    {
        let held: HashSet<u64> = longest.entries.iter().copied().collect();
        for (n, records) in outer.iter().filter(|(n, _)| n != of) {
            if !records.entries.is_empty() && records.entries.iter().all(|print| held.contains(print)) {
                inside.insert(*n, (*of, How::Within));
            }
        }
    }
    for (n, records) in rest() {
        if let Some((of, how)) = inside.get(&n) {
            let of_entries = files[*of as usize].as_ref().map_or(0, |of| of.entries.len() as u64);
            let entries = records.entries.len() as u64;
            told.copies.push(Copies::Part { file: n, of: *of, how: *how, entries, of_entries });
        }
    }
    let own: Vec<(u32, &Records)> = rest().filter(|(n, _)| !inside.contains_key(n)).collect();
    for members in by_first(&own) {
        if members.len() > 1 {
            told.copies.push(diverged(&members));
        }
        told.sessions.push(members.iter().map(|(n, _)| *n).collect());
    }
    // a part belongs to the session of what holds it, which may be held itself
    let mut session_of: HashMap<u32, usize> = HashMap::new();
    for (at, members) in told.sessions.iter().enumerate() {
        session_of.extend(members.iter().map(|n| (*n, at)));
    }
    for (n, _) in rest() {
        let mut outer = n;
        while let Some((of, _)) = inside.get(&outer) {
            outer = *of;
        }
        if outer != n
            && let Some(at) = session_of.get(&outer)
        {
            told.sessions[*at].push(n);
        }
    }
    told.sessions.iter_mut().for_each(|members| members.sort_unstable());
    told.sessions.sort_unstable();
    told
}

/// Those that are the beginning of another one, and of which.
fn prefixes(all: &[(u32, &Records)]) -> HashMap<u32, (u32, How)> {
    let mut inside: HashMap<u32, (u32, How)> = HashMap::new();
    // the fingerprint of all records up to the last, with their number: who ends there
    let mut ends: HashMap<(usize, u64), u32> = HashMap::new();
    for (n, records) in all {
        // a session without entries is told by its header alone
        let start = if records.entries.is_empty() { records.header.map_or(u64::from(*n), |h| h | 1) } else { 0 };
        let end = records.entries.iter().fold(start, |chain, print| chained(chain, *print));
        match ends.get(&(records.entries.len(), end)) {
            Some(before) => drop(inside.insert(*n, (*before, How::Same))),
            None => drop(ends.insert((records.entries.len(), end), *n)),
        }
    }
    let unlike: Vec<_> =
        all.iter().filter(|(n, records)| !records.entries.is_empty() && !inside.contains_key(n)).collect();
    let mut longest: HashMap<u32, usize> = HashMap::new();
    for (n, records) in unlike {
        let mut held = |other: Option<&u32>| {
            let Some(other) = other.filter(|other| *other != n) else { return };
            let most = longest.entry(*other).or_default();
            if records.entries.len() > *most {
                *most = records.entries.len();
                inside.insert(*other, (*n, How::Prefix));
            }
        };
        held(ends.get(&(0, records.header.map_or(0, |h| h | 1))));
        let mut chain = 0;
        for (at, print) in records.entries.iter().enumerate() {
            chain = chained(chain, *print);
            held(ends.get(&(at + 1, chain)));
        }
    }
    inside
}

fn chained(chain: u64, print: u64) -> u64 {
    (chain.rotate_left(5) ^ print).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Those that begin with the same record together, in the order of the first of each.
fn by_first<'a>(files: &[(u32, &'a Records)]) -> Vec<Vec<(u32, &'a Records)>> {
    let mut groups: Vec<Vec<(u32, &Records)>> = Vec::new();
    let mut group_of: HashMap<u64, usize> = HashMap::new();
    for (n, records) in files {
        let fresh = groups.len();
        let group = records.entries.first().map_or(fresh, |print| *group_of.entry(*print).or_insert(fresh));
        if group == fresh {
            groups.push(Vec::new());
        }
        groups[group].push((*n, records));
    }
    groups
}

fn diverged(members: &[(u32, &Records)]) -> Copies {
    let first = &members[0].1.entries;
    let shared = |other: &[u64]| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    let common = members[1..].iter().map(|(_, records)| shared(&records.entries)).min().unwrap_or(0);
    let mut holders: HashMap<u64, u32> = HashMap::new();
    for (n, records) in members {
        for print in &records.entries[common..] {
            holders
                .entry(*print)
                .and_modify(|holder| *holder = if *holder == *n { *n } else { u32::MAX })
                .or_insert(*n);
        }
    }
    let own = |n: u32, records: &Records| {
        records.entries[common..].iter().filter(|print| holders.get(*print) == Some(&n)).count() as u64
    };
    Copies::Diverged {
        files: members.iter().map(|(n, _)| *n).collect(),
        common: common as u64,
        own: members.iter().map(|(n, records)| own(*n, records)).collect(),
    }
}

/// How many records of two files are the same, and how many only the first and only the second has.
pub fn overlap(a: &Records, b: &Records) -> (u64, u64, u64) {
    let held: HashSet<u64> = a.entries.iter().copied().collect();
    let other: HashSet<u64> = b.entries.iter().copied().collect();
    let common = held.intersection(&other).count();
    (common as u64, (held.len() - common) as u64, (other.len() - common) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(entries: &[u64]) -> Option<Records> {
        Some(Records { header: Some(7), entries: entries.to_vec() })
    }

    fn part(file: u32, of: u32, how: How, entries: u64, of_entries: u64) -> Copies {
        Copies::Part { file, of, how, entries, of_entries }
    }

    #[test]
    fn beginnings_and_equals() {
        let told = tell(&[records(&[1, 2]), records(&[1, 2, 3]), records(&[1, 2]), None, records(&[1, 2, 3, 4])]);
        let expected = [part(0, 4, How::Prefix, 2, 4), part(1, 4, How::Prefix, 3, 4), part(2, 0, How::Same, 2, 2)];
        assert_eq!(told.copies, expected);
        assert_eq!(told.sessions, [vec![0, 1, 2, 4]]);
    }

    #[test]
    fn what_goes_on_differently() {
        let told = tell(&[records(&[1, 2, 3]), records(&[1, 2, 4, 5]), records(&[1, 6]), records(&[1, 5, 4])]);
        let expected =
            [part(3, 1, How::Within, 3, 4), Copies::Diverged { files: vec![0, 1, 2], common: 1, own: vec![1, 2, 1] }];
        assert_eq!(told.copies, expected);
        assert_eq!(told.sessions, [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn nothing_in_common_but_the_id() {
        let told = tell(&[records(&[1, 2]), records(&[3, 4]), records(&[3])]);
        assert_eq!(told.copies, [part(2, 1, How::Prefix, 1, 2)]);
        assert_eq!(told.sessions, [vec![0], vec![1, 2]]);
    }

    #[test]
    fn without_entries_the_header_decides() {
        let told = tell(&[records(&[]), records(&[1]), records(&[])]);
        assert_eq!(told.copies, [part(0, 1, How::Prefix, 0, 1), part(2, 0, How::Same, 0, 0)]);
        let other = Some(Records { header: Some(8), entries: Vec::new() });
        assert_eq!(tell(&[other, records(&[1])]).sessions.len(), 2);
        let none = || Some(Records { header: None, entries: Vec::new() });
        assert_eq!(tell(&[none(), none()]).sessions.len(), 2);
    }

    /// Ten thousand copies that all go on differently take no longer than their records.
    #[test]
    fn many_copies_are_not_compared_in_pairs() {
        let files: Vec<_> = (0..20_000u64).map(|n| records(&[1, 2, 1000 + n])).collect();
        let told = tell(&files);
        let [Copies::Diverged { files, common: 2, .. }] = &told.copies[..] else { panic!("one finding for all") };
        assert_eq!(files.len(), 20_000);
        let files: Vec<_> = (1..2_000).map(|n| records(&(0..n).collect::<Vec<u64>>())).collect();
        assert_eq!(tell(&files).copies.len(), 1998);
    }
}
