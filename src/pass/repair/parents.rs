//! The parents: what hangs on nothing, on itself or in a loop is linked to what was written before it.

use super::model::{Model, why};
use crate::dialect::pi::EntryType;
use crate::edit::{Kind, Why};
use crate::session::{Parent, RefKind, RefValue, Shape, flags, graph};
use hashbrown::HashMap;

/// How far up a path a call is looked for.
const NEAR: usize = 64;

/// How many entries are passed over because they hang on the one that is linked.
const MOST_PASSED: u32 = 1000;

/// Settles the parents.
pub(super) fn settle(model: &mut Model<'_>) {
    if model.session.shape == Shape::Line {
        return;
    }
    follow_copies(model);
    pass_over_chosen(model);
    let loose = loose(model);
    Linker::new(model).link(loose);
}

/// Makes every parent the copy of its id that was meant.
fn follow_copies(model: &mut Model<'_>) {
    for n in 0..model.session.entries.len() as u32 {
        let Some(parent) = model.session.parent(n) else { continue };
        let meant = model.copy_for(n, parent);
        model.parents[n as usize] = Some(meant);
        let renamed = model.ids.contains_key(&meant) || meant != parent && model.ids.contains_key(&parent);
        if model.stays(n) && renamed && model.id_json(meant) != named(model, n) {
            let reason = format!("it follows the entry it means, now {}", model.name(meant));
            model.change(n, "parentId", model.id_json(meant), why("G002", Kind::Assumed, reason));
        }
    }
}

/// Children of what was set aside on request hang on what that hung on.
pub(super) fn pass_over_chosen(model: &mut Model<'_>) {
    for n in 0..model.session.entries.len() as u32 {
        let Some(parent) = model.parents[n as usize] else { continue };
        let Some(why) = model.gone.get(&parent).filter(|w| w.kind == Kind::Choice && model.stays(n)).cloned() else {
            continue;
        };
        let mut at = Some(parent);
        // a chain of those that are set aside ends, since each was written before the one that hangs on it
        for _ in 0..model.gone.len() {
            at = at.filter(|p| !model.stays(*p)).map_or(at, |p| model.parents[p as usize]);
        }
        let json = at.map_or_else(|| "null".to_string(), |p| model.id_json(p));
        model.parents[n as usize] = at;
        let to = at.map_or_else(|| "the root".to_string(), |p| model.name(p));
        model.change(
            n,
            "parentId",
            json,
            Why { reason: format!("its parent was set aside; linked to {to}").into(), ..why },
        );
    }
}

/// The parent that an entry names, as JSON.
fn named(model: &Model<'_>, n: u32) -> String {
    let parent = model.session.parent(n);
    parent.and_then(|p| model.session.id_json(p)).unwrap_or_else(|| "null".to_string())
}

/// Entries that hang on nothing, with the rule and what is wrong.
fn loose(model: &mut Model<'_>) -> Vec<(u32, &'static str, String)> {
    let mut found = Vec::new();
    for n in 0..model.session.entries.len() as u32 {
        if !model.stays(n) {
            continue;
        }
        let entry = &model.session.entries[n as usize];
        let hangs_on = model.parents[n as usize];
        let (code, what) = match entry.parent() {
            _ if hangs_on == Some(n) => ("G004", "it named itself"),
            Parent::Absent if !entry.has(flags::ID_ABSENT) || model.ids.contains_key(&n) => {
                ("E004", "it named no parent")
            }
            Parent::Dangling => ("G003", "the parent it named is not in the file"),
            Parent::Entry(p) if !model.stays(p) && hangs_on == Some(p) => ("G003", "the parent it named was set aside"),
            _ => continue,
        };
        if model.wants(code, Kind::Assumed) {
            found.push((n, code, what.to_string()));
        }
    }
    let loops = graph::loops(model.parents.len(), |n| model.parents[n as usize]);
    for members in loops.iter().filter(|m| m.len() > 1 && model.wants("G005", Kind::Assumed)) {
        found.push((members[0], "G005", format!("it closed a loop of {} entries", members.len())));
    }
    found.sort_unstable();
    found
}

/// Links loose entries to earlier ones, so that no loop arises: each is the root of its tree, and is
/// linked only to an entry of another tree.
struct Linker<'m, 'a> {
    model: &'m mut Model<'a>,
    /// Each entry's root, as a forest with short ways.
    roots: Vec<u32>,
    /// The entries that hold each tool call.
    calls: HashMap<u64, Vec<u32>>,
}

impl<'m, 'a> Linker<'m, 'a> {
    fn new(model: &'m mut Model<'a>) -> Self {
        let mut calls: HashMap<u64, Vec<u32>> = HashMap::new();
        for call in model.session.calls.iter().filter(|c| !c.is_result) {
            calls.entry(call.id).or_default().push(call.entry);
        }
        Linker { model, roots: Vec::new(), calls }
    }

    fn link(mut self, loose: Vec<(u32, &'static str, String)>) {
        if loose.is_empty() {
            return;
        }
        for (n, ..) in &loose {
            self.model.parents[*n as usize] = None;
        }
        let parents = &self.model.parents;
        self.roots = (0..parents.len() as u32).map(|n| parents[n as usize].unwrap_or(n)).collect();
        for (n, code, what) in loose {
            let (target, because) = self.target(n);
            self.model.parents[n as usize] = target;
            self.roots[n as usize] = target.unwrap_or(n);
            let json = target.map_or_else(|| "null".to_string(), |t| self.model.id_json(t));
            let reason = format!("{what}; linked to {because}");
            self.model.change(n, "parentId", json, why(code, Kind::Assumed, reason));
        }
    }

    /// What an entry is linked to, and why that.
    fn target(&mut self, n: u32) -> (Option<u32>, String) {
        let Some(before) = self.before(n) else {
            return (None, "nothing: no entry stands before it".to_string());
        };
        if let Some(found) = self.by_call(n, before).or_else(|| self.by_leaf(n, before)) {
            return found;
        }
        let line = self.model.session.entries[before as usize].line;
        (Some(before), format!("{} on line {line}, the entry written just before", self.model.name(before)))
    }

    /// The entry written just before that does not hang on `n` itself.
    fn before(&mut self, n: u32) -> Option<u32> {
        let from = n.saturating_sub(MOST_PASSED);
        (from..n).rev().find(|m| self.model.stays(*m) && self.root(*m) != n)
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
    fn by_call(&mut self, n: u32, before: u32) -> Option<(Option<u32>, String)> {
        let session = self.model.session;
        let result = session.calls_of(n).iter().find(|c| c.is_result)?;
        let holders = self.calls.get(&result.id)?;
        let call = *holders[..holders.partition_point(|c| *c < n)].last()?;
        let mut at = Some(before);
        for _ in 0..NEAR {
            match at {
                Some(m) if m == call => return None,
                Some(m) => at = self.model.parents[m as usize],
                None => break,
            }
        }
        if !self.model.stays(call) || self.root(call) == n {
            return None;
        }
        let line = session.entries[call as usize].line;
        Some((Some(call), format!("{} on line {line}, whose tool call it answers", self.model.name(call))))
    }

    /// Behind a `leaf` entry the writer stood at its target.
    fn by_leaf(&mut self, n: u32, before: u32) -> Option<(Option<u32>, String)> {
        let session = self.model.session;
        if session.entries[before as usize].kind != EntryType::Leaf {
            return None;
        }
        let leaf = session.refs.iter().find(|r| r.entry == before && r.kind == RefKind::LeafTarget)?;
        match leaf.value {
            RefValue::Null => Some((None, "nothing: the `leaf` entry before says so".to_string())),
            _ => {
                let target = self.model.copy_for(n, leaf.target?);
                (target < n && self.model.stays(target) && self.root(target) != n).then(|| {
                    (Some(target), format!("{}, the target of the `leaf` entry before", self.model.name(target)))
                })
            }
        }
    }
}

/// Hangs bookkeeping that ends the file on the newest message, where it hangs on a shorter branch.
pub(super) fn stale_leaf(model: &mut Model<'_>) {
    if model.session.shape == Shape::Line {
        return;
    }
    let session = model.session;
    let stays = |n: &u32| model.stays(*n);
    let Some(last) = (0..session.entries.len() as u32).rev().find(stays) else { return };
    if !session.entries[last as usize].kind.is_bookkeeping() || !model.wants("G008", Kind::Assumed) {
        return;
    }
    let Some(newest) = (0..last).rev().filter(stays).find(|n| session.entries[*n as usize].is_message()) else {
        return;
    };
    let (here, there) = (messages(model, last), messages(model, newest));
    if here < there && model.parents[newest as usize] != Some(last) {
        let reason =
            format!("the last entry hung on a branch of {here} messages; the newest message is on one of {there}");
        model.parents[last as usize] = Some(newest);
        model.change(last, "parentId", model.id_json(newest), Why::assumed("G008", reason));
    }
}

fn messages(model: &Model<'_>, n: u32) -> usize {
    let mut at = Some(n);
    let mut count = 0;
    for _ in 0..model.parents.len() {
        let Some(n) = at else { break };
        count += usize::from(model.session.entries[n as usize].is_message());
        at = model.parents[n as usize];
    }
    count
}
