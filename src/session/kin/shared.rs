//! Entries that stand in several files: the same id and the same bytes.

use super::Trace;
use rayon::prelude::*;

/// How many fingerprints are sorted at once: so much memory it takes, 16 bytes each.
const AT_ONCE: usize = 1 << 22;

/// Files that share entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The files: each shares some with another one of them.
    pub files: Vec<u32>,
    /// How many entries stand in more than one of them.
    pub entries: u64,
    /// How often these stand there in all.
    pub places: u64,
}

/// The fingerprints of the entries of several files.
pub struct Prints<'a> {
    traces: &'a [Trace],
    count: usize,
}

impl<'a> Prints<'a> {
    /// Those of these traces.
    pub fn new(traces: &'a [Trace]) -> Self {
        Prints { traces, count: traces.iter().map(|trace| trace.prints.len()).sum() }
    }

    /// Hands the files of each entry that stands in several to `see`, ascending, each once.
    pub fn each_shared(&self, mut see: impl FnMut(&[u32])) {
        if self.traces.len() < 2 {
            return;
        }
        let parts = self.count.div_ceil(AT_ONCE).next_power_of_two() as u64;
        let mut pairs: Vec<(u64, u32)> = Vec::with_capacity(self.count.min(AT_ONCE));
        let mut files: Vec<u32> = Vec::new();
        for part in 0..parts {
            pairs.clear();
            for (n, trace) in (0..).zip(self.traces) {
                pairs.extend(trace.prints.iter().filter(|print| *print & (parts - 1) == part).map(|print| (*print, n)));
            }
            pairs.par_sort_unstable();
            for run in pairs.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].1 != run[run.len() - 1].1) {
                files.clear();
                files.extend(run.iter().map(|(_, n)| *n));
                files.dedup();
                see(&files);
            }
        }
    }

    /// The files that hang together by entries that they share. Files of one session, by `session_of`, count
    /// as one; those that are `ignored` do not count.
    pub(super) fn components(&self, session_of: &[u32], ignored: impl Fn(u32) -> bool) -> Vec<Shared> {
        let mut groups = Groups::new(self.traces.len());
        let mut counts: Vec<(u64, u64)> = vec![(0, 0); self.traces.len()];
        let mut known = Vec::new();
        self.each_shared(|files| {
            known.clear();
            known.extend(files.iter().copied().filter(|n| !ignored(*n)));
            let session = |n: &u32| session_of[*n as usize];
            let Some(first) = known.first().copied() else { return };
            if known.iter().all(|n| session(n) == session(&first)) {
                return;
            }
            known.iter().for_each(|n| groups.join(first, *n));
            counts[first as usize].0 += 1;
            counts[first as usize].1 += known.len() as u64;
        });
        let mut at = vec![usize::MAX; self.traces.len()];
        let mut found: Vec<Shared> = Vec::new();
        for n in 0..self.traces.len() as u32 {
            let root = groups.root(n);
            if groups.is_alone(root) {
                continue;
            }
            if at[root as usize] == usize::MAX {
                at[root as usize] = found.len();
                found.push(Shared { files: Vec::new(), entries: 0, places: 0 });
            }
            let shared = &mut found[at[root as usize]];
            shared.files.push(n);
            shared.entries += counts[n as usize].0;
            shared.places += counts[n as usize].1;
        }
        found
    }
}

/// Numbers that are joined into groups.
struct Groups {
    /// The number that stands for each, step by step.
    up: Vec<u32>,
    size: Vec<u32>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Groups { up: (0..count as u32).collect(), size: vec![1; count] }
    }

    fn root(&mut self, mut n: u32) -> u32 {
        while self.up[n as usize] != n {
            self.up[n as usize] = self.up[self.up[n as usize] as usize];
            n = self.up[n as usize];
        }
        n
    }

    fn join(&mut self, a: u32, b: u32) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        if self.size[a as usize] < self.size[b as usize] {
            std::mem::swap(&mut a, &mut b);
        }
        self.up[b as usize] = a;
        self.size[a as usize] += self.size[b as usize];
    }

    fn is_alone(&self, root: u32) -> bool {
        self.size[root as usize] == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Shape;

    fn traces(prints: &[&[u64]]) -> Vec<Trace> {
        let trace = |(input, prints): (u32, &&[u64])| Trace {
            input,
            id: None,
            shape: Shape::Tree,
            version: Some(3),
            prints: prints.to_vec(),
            identity: None,
            again: false,
            records: None,
        };
        (0..).zip(prints).map(trace).collect()
    }

    fn found(prints: &[&[u64]], session_of: &[u32]) -> Vec<(Vec<u32>, u64, u64)> {
        let traces = traces(prints);
        let all = Prints::new(&traces).components(session_of, |_| false);
        all.into_iter().map(|shared| (shared.files, shared.entries, shared.places)).collect()
    }

    #[test]
    fn files_hang_together_by_what_they_share() {
        let prints: [&[u64]; 6] = [&[1, 2, 3, 3], &[4, 5], &[2, 3, 6], &[6, 7], &[5, 5], &[8, 8]];
        assert_eq!(found(&prints, &[0, 1, 2, 3, 4, 5]), [(vec![0, 2, 3], 3, 6), (vec![1, 4], 1, 2)]);
        assert_eq!(
            found(&prints, &[0, 1, 0, 3, 4, 5]),
            [(vec![1, 4], 1, 2), (vec![2, 3], 1, 2)],
            "one session is no news"
        );
    }

    #[test]
    fn a_root_and_its_forks() {
        let root: Vec<u64> = (0..1000).collect();
        let forks = vec![&root[..600]; 36];
        let all: Vec<&[u64]> = std::iter::once(&root[..]).chain(forks).collect();
        let sessions: Vec<u32> = (0..37).collect();
        assert_eq!(found(&all, &sessions), [((0..37).collect(), 600, 600 * 37)]);
    }
}
