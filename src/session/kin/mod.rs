//! Sessions beside each other: files that hold the same session, entries that files share, and who was
//! forked from whom.
//!
//! Of each file a fingerprint an entry is kept ([`Trace`]), no text. Where these show that files belong
//! together, their records are read once more and compared ([`copies`]). Nothing compares every file
//! with every other.

pub mod copies;
pub mod heads;
pub mod links;
pub mod shared;

use super::{Session, Shape, flags};
use crate::source::Source;
use crate::source::inputs::Input;
use copies::{Copies, Records};
use hashbrown::HashMap;
use rayon::prelude::*;
use shared::Shared;
use std::cell::OnceCell;
use std::io;

/// What is kept of a session to compare it with others.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its place in the list of inputs.
    pub input: u32,
    /// The header's id.
    pub id: Option<Box<str>>,
    /// How its entries hang together.
    pub shape: Shape,
    /// The version as it counts, see [`Session::version`].
    pub version: Option<i64>,
    /// A fingerprint of the bytes of each entry that has an id, in file order.
    pub prints: Vec<u64>,
    /// What tells its file from every other one.
    identity: Option<(u64, u64)>,
    /// Whether it can be opened again.
    again: bool,
    /// Its records, where it cannot.
    records: Option<Records>,
}

impl Trace {
    /// The trace of the session that `source` holds, which was scanned with this seed.
    ///
    /// # Errors
    /// What reading says.
    pub fn of(source: &Source, session: &Session, input: u32, seed: u64) -> io::Result<Trace> {
        let id = session.header.as_ref().and_then(|h| h.text("id")).filter(|id| !id.is_empty());
        let entries = 0..session.entries.len() as u32;
        let named = entries.filter(|n| session.entries[*n as usize].has(flags::ID));
        let again = source.is_file();
        let held = !again && source.is_seekable();
        let records = || Records::of(source, session, seed, copies::Sameness::default());
        Ok(Trace {
            input,
            id: id.map(Box::from),
            shape: session.shape,
            version: session.version(),
            prints: named.filter_map(|n| session.hash(n)).collect(),
            identity: source.identity(),
            again,
            records: if held { Some(records()?) } else { None },
        })
    }
}

/// Files with one header id that are different sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The id.
    pub id: String,
    /// The files, by their place in the list of inputs; of files that are copies of each other all.
    pub files: Vec<u32>,
    /// How many different sessions they hold.
    pub sessions: u64,
}

/// What the comparison of sessions gives. Each list is in the order of the first file concerned.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Different sessions under one id.
    pub clashes: Vec<Clash>,
    /// One session in several files.
    pub copies: Vec<(String, Copies)>,
    /// Entries that stand in several sessions.
    pub shared: Vec<Shared>,
}

impl Compared {
    /// Leaves what concerns at least one of the files that are `wanted`.
    pub fn keep(&mut self, wanted: impl Fn(u32) -> bool) {
        self.clashes.retain(|clash| clash.files.iter().any(|n| wanted(*n)));
        self.copies.retain(|(_, copies)| match copies {
            Copies::Part { file, of, .. } => wanted(*file) || wanted(*of),
            Copies::Diverged { files, .. } => files.iter().any(|n| wanted(*n)),
        });
        self.shared.retain(|shared| shared.files.iter().any(|n| wanted(*n)));
    }
}

/// Compares sessions. Those for which `ignored` is true do not count; it is asked only about files that
/// have something in common with others.
///
/// A file under two names is compared once, under the first of them; see [`compare_names`].
pub fn compare(inputs: &[Input], traces: &[Trace], seed: u64, ignored: impl Fn(u32) -> bool) -> Compared {
    let double = doubles(traces);
    compare_names(inputs, traces, seed, |n| double[n as usize] || ignored(traces[n as usize].input))
}

/// The same with each name of a file as a copy of its own; `ignored` is asked by the place of a trace.
pub fn compare_names(inputs: &[Input], traces: &[Trace], seed: u64, ignored: impl Fn(u32) -> bool) -> Compared {
    let shared = shared::Prints::new(traces);
    let once = vec![OnceCell::new(); traces.len()];
    let ignored = |n: u32| *once[n as usize].get_or_init(|| ignored(n));
    let mut same = same_ids(traces);
    same.iter_mut().for_each(|group| group.retain(|n| !ignored(*n)));
    same.retain(|group| group.len() > 1);
    let told: Vec<copies::Told> = same.par_iter().map(|group| tell(inputs, traces, group, seed)).collect();
    let mut compared = Compared::default();
    // files of one session count as one where entries are shared: that they share them is said already
    let mut session_of: Vec<u32> = (0..traces.len() as u32).collect();
    for (group, told) in same.iter().zip(told) {
        let id = || traces[group[0] as usize].id.as_deref().unwrap_or_default().to_string();
        let input = |at: &u32| traces[group[*at as usize] as usize].input;
        for members in &told.sessions {
            for at in members {
                session_of[group[*at as usize] as usize] = group[members[0] as usize];
            }
        }
        if told.sessions.len() > 1 {
            let files = told.sessions.iter().flatten().map(input).collect();
            compared.clashes.push(Clash { id: id(), files, sessions: told.sessions.len() as u64 });
        }
        compared.copies.extend(told.copies.into_iter().map(|copies| (id(), copies.renamed(|at| input(&at)))));
    }
    compared.shared = shared.components(&session_of, ignored);
    for shared in &mut compared.shared {
        shared.files.iter_mut().for_each(|n| *n = traces[*n as usize].input);
    }
    compared
}

/// The traces that have an id in common, in the order of the first of each group.
fn same_ids(traces: &[Trace]) -> Vec<Vec<u32>> {
    let mut first: HashMap<&str, u32> = HashMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut group_of: HashMap<u32, usize> = HashMap::new();
    for (n, trace) in (0..).zip(traces) {
        let Some(id) = trace.id.as_deref() else { continue };
        let Some(before) = first.get(id) else {
            first.insert(id, n);
            continue;
        };
        let group = *group_of.entry(*before).or_insert_with(|| {
            groups.push(vec![*before]);
            groups.len() - 1
        });
        groups[group].push(n);
    }
    groups.sort_by_key(|group| group[0]);
    groups
}

/// Which traces are those of a file that another one is of already, under another name.
fn doubles(traces: &[Trace]) -> Vec<bool> {
    let mut seen = hashbrown::HashSet::new();
    traces.iter().map(|trace| trace.identity.is_some_and(|identity| !seen.insert(identity))).collect()
}

/// Compares the files of one id; members are named by their place in the group.
fn tell(inputs: &[Input], traces: &[Trace], group: &[u32], seed: u64) -> copies::Told {
    let members = || group.iter().map(|n| &traces[*n as usize]);
    let sameness = copies::Sameness::of(members().map(|trace| (trace.shape, trace.version)));
    let read = |trace: &Trace| match inputs[trace.input as usize].path() {
        Some(path) if trace.again => Records::read(&Source::reopen(path).ok()?, seed, sameness).ok(),
        _ => trace.records.clone(),
    };
    let records: Vec<Option<Records>> = members().map(read).collect();
    copies::tell(&records)
}
