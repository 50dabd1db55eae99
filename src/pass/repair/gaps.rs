//! Where, below a message with tool calls, results are missing: the highest edges of the tree below which
//! they are nowhere, or stand in a wrong place. Each call's branches are walked only as far as its results
//! may stand, and the walk divides only where the tree does, so that the cost is one of entries and of
//! what is found.

use super::RepairError;
use super::model::Model;
use crate::dialect::pi::EntryType;
use crate::session::flags;
use crate::session::graph::{Children, Intervals};
use crate::session::pairs::{Pairs, ends_run};
use crate::session::set::EntrySet;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// More results than four times the entries, or than these, are not filled in.
const MOST_FILLED: usize = 100_000;

/// A call for which something is to be put into a gap.
pub(super) struct Filler {
    /// The call.
    pub(super) call: u32,
    /// In a displaced gap: the first of its results below, in file order.
    pub(super) result: Option<u32>,
    /// In a displaced gap: its other results there.
    pub(super) others: Vec<u32>,
}

/// A place behind an entry where results are missing.
pub(super) struct Gap {
    /// The entry.
    pub(super) behind: u32,
    /// Those of its children that will hang on what is put there; none where it has no children.
    pub(super) heirs: Vec<u32>,
    /// The calls, in the order of the message.
    pub(super) calls: Vec<Filler>,
    /// Whether the results stand further down, behind other messages.
    pub(super) displaced: bool,
}

/// The gaps of some calls.
pub(super) struct Gaps {
    /// Those behind one entry follow each other, those for all its children first.
    pub(super) list: Vec<Gap>,
}

impl Gaps {
    /// The gaps that these calls leave in a forest. With `waiting`, branches on which nothing but waits for
    /// the results are left alone.
    ///
    /// # Errors
    /// There are more than a file has that was not made for that: every branch may lose every call.
    pub(super) fn of(
        model: &Model<'_>,
        children: &Children,
        pairs: &Pairs,
        calls: &[u32],
        waiting: bool,
    ) -> Result<Gaps, RepairError> {
        let mut gaps = Gaps { list: Vec::new() };
        if calls.is_empty() {
            return Ok(gaps);
        }
        let count = model.len() as usize;
        let intervals = Intervals::by(count, children, |n| model.parent(n).filter(|_| model.stays(n)));
        let left = (4 * count).max(MOST_FILLED);
        let waiting = if waiting { quiet_tips(model, children, &intervals) } else { EntrySet::default() };
        let (results, own) = (HashMap::new(), HashMap::new());
        let mut walk = Walk { model, children, intervals, results, calls: own, waiting, left };
        walk.note_results(pairs, calls);
        // calls of one message are neighbours
        let mut sorted = calls.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let top = |call: &u32| model.session.calls[*call as usize].entry;
        for own in sorted.chunk_by(|a, b| top(a) == top(b)) {
            walk.below(top(&own[0]), own, &mut gaps.list)?;
        }
        Ok(gaps)
    }
}

/// An entry of which results may stand below.
struct Open {
    n: u32,
    /// The calls that wait for them there.
    live: BTreeSet<u32>,
    /// Whether there may be branches below that only wait: no message stands between.
    waits: bool,
}

struct Walk<'w, 'a> {
    model: &'w Model<'a>,
    children: &'w Children,
    intervals: Intervals,
    /// Of each call its results, in the order in which a walk through the forest comes to their entries.
    results: HashMap<u32, Vec<u32>>,
    /// Of each result its calls.
    calls: HashMap<u32, Vec<u32>>,
    /// Entries from which a branch ends without a message at or behind them.
    waiting: EntrySet,
    /// How many results may still be missed.
    left: usize,
}

/// Entries from which a branch ends without a message at or behind them.
fn quiet_tips(model: &Model<'_>, children: &Children, intervals: &Intervals) -> EntrySet {
    // children before their parents
    let mut order: Vec<u32> = (0..model.len()).filter(|n| intervals.entered(*n) != u32::MAX).collect();
    order.sort_unstable_by_key(|n| std::cmp::Reverse(intervals.entered(*n)));
    let leaf = model.last();
    let mut quiet = EntrySet::default();
    for n in order {
        let entry = &model.session.entries[n as usize];
        let silent = !entry.is_message() && entry.kind != EntryType::BranchSummary;
        let below = children.get(n);
        if silent && (below.is_empty() || leaf == Some(n) || below.iter().any(|child| quiet.contains(*child))) {
            quiet.insert(n);
        }
    }
    quiet
}

impl Walk<'_, '_> {
    fn entry(&self, call: u32) -> u32 {
        self.model.session.calls[call as usize].entry
    }

    fn note_results(&mut self, pairs: &Pairs, calls: &[u32]) {
        self.results.extend(calls.iter().map(|call| (*call, Vec::new())));
        for pair in &pairs.answers {
            if let Some(results) = self.results.get_mut(&pair.call) {
                results.push(pair.result);
                self.calls.entry(pair.result).or_default().push(pair.call);
            }
        }
        let mut results = std::mem::take(&mut self.results);
        results.iter_mut().for_each(|(_, list)| {
            list.sort_unstable_by_key(|result| (self.intervals.entered(self.entry(*result)), *result));
            list.dedup();
        });
        self.results = results;
    }

    /// The results of a call that stand at an entry or below it.
    fn results_below(&self, call: u32, n: u32) -> &[u32] {
        let results = &self.results[&call];
        let entered = |result: &u32| self.intervals.entered(self.entry(*result));
        let from = results.partition_point(|result| entered(result) < self.intervals.entered(n));
        let to = results.partition_point(|result| entered(result) < self.intervals.left(n));
        &results[from..to.max(from)]
    }

    /// The gaps below a message for calls of its own.
    fn below(&mut self, top: u32, calls: &[u32], gaps: &mut Vec<Gap>) -> Result<(), RepairError> {
        // whether there are branches below on which the message only waits for its results
        let waits = self.model.session.entries[top as usize].has(flags::TOOL_USE)
            && self.children.get(top).iter().any(|child| self.waiting.contains(*child));
        let (fresh, live): (Vec<u32>, Vec<u32>) =
            calls.iter().partition(|call| !waits && self.results[*call].is_empty());
        if !fresh.is_empty() {
            self.count(fresh.len())?;
            gaps.push(gap(top, self.children.get(top).to_vec(), fresh));
        }
        let mut open = vec![Open { n: top, live: live.into_iter().collect(), waits }];
        while let Some(next) = open.pop() {
            if !next.live.is_empty() {
                self.divide(next, gaps, &mut open)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, missed: usize) -> Result<(), RepairError> {
        self.left = self.left.checked_sub(missed).ok_or(RepairError::TooMany)?;
        Ok(())
    }

    /// Divides the calls among the children below which they have results; the others are lost there.
    fn divide(&mut self, from: Open, gaps: &mut Vec<Gap>, open: &mut Vec<Open>) -> Result<(), RepairError> {
        let Open { n, live, waits } = from;
        let children = self.children.get(n);
        if let ([child], false) = (children, waits) {
            self.enter(n, *child, live, false, gaps, open);
            return Ok(());
        }
        let mut shares: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &call in &live {
            let mut below = self.results_below(call, n);
            while let Some(first) = below.first() {
                // children are walked in file order, so their intervals ascend
                let entered = self.intervals.entered(self.entry(*first));
                let at = children.partition_point(|child| self.intervals.entered(*child) <= entered);
                let Some(child) = at.checked_sub(1).map(|at| children[at]) else { break };
                shares.entry(child).or_default().insert(call);
                let past = below
                    .partition_point(|result| self.intervals.entered(self.entry(*result)) < self.intervals.left(child));
                below = &below[past.max(1)..];
            }
        }
        if waits {
            for child in children.iter().filter(|child| self.waiting.contains(**child)) {
                shares.insert(*child, live.clone());
            }
        }
        // children below which the same calls are lost hang on the same stand-ins
        let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for child in children {
            let share = shares.get(child).map(|share| share.iter().copied().collect()).unwrap_or_default();
            groups.entry(share).or_default().push(*child);
        }
        for (share, heirs) in groups {
            let lost: Vec<u32> = match share.len() < live.len() {
                true => live.iter().copied().filter(|call| share.binary_search(call).is_err()).collect(),
                false => Vec::new(),
            };
            if !lost.is_empty() {
                self.count(lost.len())?;
                gaps.push(gap(n, heirs, lost));
            }
        }
        for (child, share) in shares {
            self.enter(n, child, share, waits && self.waiting.contains(child), gaps, open);
        }
        Ok(())
    }

    /// Goes on from `n` to a child below which these calls have results.
    fn enter(
        &self,
        n: u32,
        child: u32,
        mut live: BTreeSet<u32>,
        waits: bool,
        gaps: &mut Vec<Gap>,
        open: &mut Vec<Open>,
    ) {
        if live.is_empty() {
            return;
        }
        if self.model.stays(child) && ends_run(self.model.session, child) {
            let filler = |call: u32| {
                let mut results = self.results_below(call, child).to_vec();
                results.sort_unstable();
                let others = results.split_off(1.min(results.len()));
                Filler { call, result: results.first().copied(), others }
            };
            let calls = live.into_iter().map(filler).collect();
            return gaps.push(Gap { behind: n, heirs: vec![child], calls, displaced: true });
        }
        let session = self.model.session;
        let first = session.calls.partition_point(|call| call.entry < child);
        let own = session.calls[first..].iter().take_while(|call| call.entry == child);
        for result in (first as u32..).zip(own).filter(|(_, call)| call.is_result).map(|(at, _)| at) {
            for call in self.calls.get(&result).into_iter().flatten() {
                live.remove(call);
            }
        }
        open.push(Open { n: child, live, waits });
    }
}

fn gap(behind: u32, heirs: Vec<u32>, lost: Vec<u32>) -> Gap {
    let calls = lost.into_iter().map(|call| Filler { call, result: None, others: Vec::new() }).collect();
    Gap { behind, heirs, calls, displaced: false }
}
