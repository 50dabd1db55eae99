//! What an entry without a proper parent is linked to. In append order the entry written just before was
//! the leaf; that is the rule, unless something says better: a tool result belongs to its call, what
//! follows a `leaf` entry to its target, a branch summary to where the writer went back to, and an entry
//! that is older than what stands before it to the branch that ended just before its time.

use super::model::{Model, why};
use super::parents::{Fault, Loose};
use crate::dialect::pi::EntryType;
use crate::edit::Kind;
use crate::rules::duration;
use crate::session::{NO_TIME, RefKind, RefValue, flags};
use hashbrown::{HashMap, HashSet};

/// How far up a path a call is looked for.
const NEAR: usize = 64;

/// How many entries are passed over because they hang on the one that is linked.
const MOST_PASSED: u32 = 1000;

/// By how many milliseconds an entry must be older than the one before it, for the order of the lines to
/// count as contradicted. Clocks are set by less.
const CONTRADICTED: i64 = 60_000;

/// How far back the branches are looked at that ended before an entry.
const WINDOW: u32 = 1000;

/// What an entry is linked to (`None`: nothing, as a root), and why that.
type Target = (Option<u32>, String);

/// What the `fromId` of a branch summary is, which differs between writers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FromId {
    /// The entry that it hangs on: pi up to 0.83, agent-core 0.83.
    Parent,
    /// The leaf that was left: pi from 0.85 on.
    Left,
    /// No summary of the file tells.
    Unknown,
}

/// Links loose entries to earlier ones, so that no loop arises: each is the root of its tree, and is
/// linked only to an entry of another tree.
pub(super) struct Linker<'m, 'a> {
    model: &'m mut Model<'a>,
    /// Each entry's root, as a forest with short ways.
    roots: Vec<u32>,
    /// The entries that hold the tool calls that loose results answer.
    calls: HashMap<u32, Vec<u32>>,
    from_id: FromId,
    left: u32,
}

impl<'m, 'a> Linker<'m, 'a> {
    /// A linker of these entries, which from now on hang on nothing.
    pub(super) fn new(model: &'m mut Model<'a>, loose: &[Loose]) -> Self {
        let session = model.session;
        let mut calls: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut loose_entries = HashSet::new();
        for Loose { n, .. } in loose {
            model.links.set(*n, None);
            let results = session.calls_of(*n).iter().filter(|c| c.is_result);
            calls.extend(results.map(|c| (c.id, Vec::new())));
            if session.entries[*n as usize].kind == EntryType::BranchSummary {
                loose_entries.insert(*n);
            }
        }
        if !calls.is_empty() {
            for call in session.calls.iter().filter(|c| !c.is_result) {
                if let Some(holders) = calls.get_mut(&call.id) {
                    holders.push(call.entry);
                }
            }
        }
        let from_id = match loose_entries.is_empty() {
            true => FromId::Unknown,
            false => kind_of_from_id(model, &loose_entries),
        };
        let roots = (0..model.len()).map(|n| model.parent(n).unwrap_or(n)).collect();
        Linker { model, roots, calls, from_id, left: super::MOST_STEPS }
    }

    pub(super) fn link(mut self, loose: Vec<Loose>) {
        for Loose { n, fault } in loose {
            let (target, because) = self.target(n, fault);
            self.roots[n as usize] = target.unwrap_or(n);
            let reason = format!("{}; linked to {because}", fault.sentence());
            self.model.hang(n, target, why(fault.code(), Kind::Assumed, reason));
        }
    }

    fn target(&mut self, n: u32, fault: Fault) -> Target {
        let Some(before) = self.before(n) else {
            return (None, "nothing: no entry stands before it".to_string());
        };
        let better = self
            .by_call(n, before)
            .or_else(|| self.by_leaf(n, before))
            .or_else(|| self.by_summary(n, fault, before))
            .or_else(|| self.by_time(n, before));
        better.unwrap_or_else(|| (Some(before), format!("{}, the entry written just before", self.on_line(before))))
    }

    fn on_line(&self, n: u32) -> String {
        format!("{} on line {}", self.model.name(n), self.model.session.entries[n as usize].line)
    }

    /// The entry written just before that does not hang on `n` itself.
    fn before(&mut self, n: u32) -> Option<u32> {
        let from = n.saturating_sub(MOST_PASSED);
        (from..n).rev().find(|m| self.may_hang_on(n, *m))
    }

    /// Whether `n` may hang on an earlier entry: that is there, and does not hang on `n`.
    fn may_hang_on(&mut self, n: u32, m: u32) -> bool {
        m < n && self.model.stays(m) && self.root(m) != n
    }

    /// The root of an entry's tree.
    fn root(&mut self, n: u32) -> u32 {
        let mut at = n;
        let mut steps = 0usize;
        while self.roots[at as usize] != at {
            let next = self.roots[at as usize];
            self.roots[at as usize] = self.roots[next as usize];
            at = next;
            steps += 1;
            if steps > self.roots.len() {
                break; // a loop that is not to be repaired
            }
        }
        at
    }

    /// A tool result belongs to its call: behind the entry before if that has the call above it, else
    /// directly behind the call.
    fn by_call(&mut self, n: u32, before: u32) -> Option<Target> {
        let session = self.model.session;
        let result = session.calls_of(n).iter().find(|c| c.is_result)?;
        let holders = self.calls.get(&result.id)?;
        let call = *holders[..holders.partition_point(|c| *c < n)].last()?;
        let mut at = Some(before);
        for _ in 0..NEAR {
            match at {
                Some(m) if m == call => return None,
                Some(m) => at = self.model.parent(m),
                None => break,
            }
        }
        self.may_hang_on(n, call).then(|| (Some(call), format!("{}, whose tool call it answers", self.on_line(call))))
    }

    /// Behind a `leaf` entry the writer stood at its target.
    fn by_leaf(&mut self, n: u32, before: u32) -> Option<Target> {
        let session = self.model.session;
        if session.entries[before as usize].kind != EntryType::Leaf {
            return None;
        }
        let leaf = reference(self.model, before, RefKind::LeafTarget)?;
        match leaf {
            (RefValue::Null, _) => Some((None, "nothing: the `leaf` entry before says so".to_string())),
            (_, target) => {
                let target = self.model.copy_for(n, target?);
                self.may_hang_on(n, target).then(|| {
                    (Some(target), format!("{}, the target of the `leaf` entry before", self.model.name(target)))
                })
            }
        }
    }

    /// A branch summary hangs on the entry that the writer went back to. Some writers name it in `fromId`,
    /// others name there the leaf that was left, which says nothing of where it hung.
    fn by_summary(&mut self, n: u32, fault: Fault, before: u32) -> Option<Target> {
        let entry = &self.model.session.entries[n as usize];
        if entry.kind != EntryType::BranchSummary || self.from_id == FromId::Left {
            return None;
        }
        // whoever names the parent in both names it in both: a `fromId` that is there is another entry
        let named = entry.parent_span().is_some_and(|(_, length)| length > 2) && !entry.has(flags::PARENT_NO_STRING);
        if matches!(fault, Fault::NotThere | Fault::SetAside) && named {
            return None;
        }
        let (value, target) = reference(self.model, n, RefKind::SummarySource)?;
        let RefValue::Id(key) = value else { return None };
        if self.model.session.arena.get(key) == b"root" {
            return Some((None, "nothing: by its `fromId` the writer went back to the beginning".to_string()));
        }
        let target = self.model.copy_for(n, target?);
        // nobody goes back to where he is: then it is the leaf that was left
        (target != before && self.may_hang_on(n, target)).then(|| {
            let place = self.on_line(target);
            (Some(target), format!("{place}, which its `fromId` names as where the writer went back to"))
        })
    }

    /// An entry that is older by far than the one before it was not written behind that: of the branches
    /// that ended before it, it goes on with the one that ended just before its time.
    fn by_time(&mut self, n: u32, before: u32) -> Option<Target> {
        let time = |m: u32| Some(self.model.session.entries[m as usize].time).filter(|time| *time != NO_TIME);
        let (own, last) = (time(n)?, time(before)?);
        let older_by = last.saturating_sub(own);
        if older_by < CONTRADICTED {
            return None;
        }
        let from = n.saturating_sub(WINDOW);
        self.left = self.left.checked_sub(n - from)?;
        let mut with_child = HashSet::new();
        let mut best: Option<(i64, u32)> = None;
        for m in (from..n).rev() {
            let ends = !with_child.contains(&m);
            with_child.extend(self.model.parent(m));
            let Some(at) = time(m).filter(|at| *at <= own && ends) else { continue };
            if best.is_none_or(|(found, _)| at > found) && self.may_hang_on(n, m) {
                best = Some((at, m));
            }
        }
        // where nothing ended nearer to its time, a clock was set back
        let (_, found) = best.filter(|(at, _)| own.saturating_sub(*at) < older_by)?;
        let because = format!(
            "{}, the end of a branch just before its time (the entry written just before is newer by {})",
            self.on_line(found),
            duration(older_by)
        );
        Some((Some(found), because))
    }
}

/// What an entry's reference of a kind holds, and the entry that it names.
fn reference(model: &Model<'_>, n: u32, kind: RefKind) -> Option<(RefValue, Option<u32>)> {
    let refs = &model.session.refs;
    let start = refs.partition_point(|r| r.entry < n);
    let mut own = refs[start..].iter().take_while(|r| r.entry == n);
    own.find(|r| r.kind == kind).map(|r| (r.value, r.target))
}

/// What the branch summaries of the file whose parents are whole tell of `fromId`.
fn kind_of_from_id(model: &Model<'_>, loose: &HashSet<u32>) -> FromId {
    let mut kind = FromId::Unknown;
    for reference in model.session.refs.iter().filter(|r| r.kind == RefKind::SummarySource) {
        if loose.contains(&reference.entry) {
            continue;
        }
        let parent = model.session.parent(reference.entry);
        match (reference.target, parent) {
            (Some(target), Some(parent)) if target == parent => kind = FromId::Parent,
            // one such is enough: nothing but the leaf that was left is named there
            (Some(_), Some(_)) => return FromId::Left,
            _ => {}
        }
    }
    kind
}
