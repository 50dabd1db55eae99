//! The way from the root to an entry.

use super::value::IdValue;
use super::{Leaf, Reader, Refusal, View};
use crate::dialect::pi::EntryType;
use crate::session::set::EntrySet;

/// A branch, root first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Its nodes.
    pub nodes: Vec<u32>,
    /// Why it begins where it does, if not at a root.
    pub cut: Option<Cut>,
}

/// Why a branch does not begin at a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The parents form a loop: the walk ends where it would repeat.
    Loop,
    /// agent-core stops at what a compaction keeps.
    Kept,
}

impl View<'_> {
    /// The branch of the leaf.
    ///
    /// # Errors
    /// agent-core throws: a parent or the leaf is not there.
    pub fn branch(&self, leaf: Leaf) -> Result<Branch, Refusal> {
        let Leaf::Node(leaf) = leaf else {
            return match leaf {
                Leaf::Dangling(_) => Err(self.throws("the leaf names an entry that is not in the file")),
                _ => Ok(Branch::default()),
            };
        };
        let mut branch = self.walk(leaf)?;
        branch.nodes.reverse();
        Ok(branch)
    }

    /// From a node to its root, or as far as the reader goes.
    fn walk(&self, from: u32) -> Result<Branch, Refusal> {
        let mut branch = Branch::default();
        let mut stop = None;
        let mut steps = Steps::default();
        let mut next = Some(from);
        while let Some(n) = next {
            branch.nodes.push(n);
            if self.reader == Reader::AgentCore && self.is_kept_end(n, &mut stop) {
                branch.cut = Some(Cut::Kept);
                return Ok(branch);
            }
            next = self.walk_parent(n);
            if next.is_none() && self.reader == Reader::AgentCore && self.names_a_parent(n) {
                return Err(self.throws("a parent on the branch is not in the file"));
            }
            if next.is_some_and(|p| steps.comes_round(p)) {
                branch.cut = Some(Cut::Loop);
                branch.nodes = self.once(from);
                return Ok(branch);
            }
        }
        Ok(branch)
    }

    /// The walk from a node up to where it would repeat.
    fn once(&self, from: u32) -> Vec<u32> {
        let mut seen = EntrySet::default();
        let mut nodes = Vec::new();
        let mut next = Some(from);
        while let Some(n) = next.filter(|n| seen.insert(*n)) {
            nodes.push(n);
            next = self.walk_parent(n);
        }
        nodes
    }

    /// Whether agent-core's walk ends at a node: it is what the compaction below keeps, or a compaction
    /// that carries what it kept.
    fn is_kept_end(&self, n: u32, stop: &mut Option<IdValue>) -> bool {
        if stop.as_ref().is_some_and(|stop| stop.is_same(&self.id(n))) {
            return true;
        }
        if self.row(n).kind != EntryType::Compaction {
            return false;
        }
        *stop = Some(self.first_kept(n));
        self.has_tail(n)
    }

    /// Whether a compaction carries the messages that it kept.
    pub(super) fn has_tail(&self, n: u32) -> bool {
        let tail = self.record(n, |r| r.get(b"retainedTail").is_some_and(|m| m.kind != crate::json::Kind::Null));
        tail == Some(true)
    }

    fn names_a_parent(&self, n: u32) -> bool {
        self.parent_value(n).is_truthy()
    }

    pub(super) fn throws(&self, reason: &str) -> Refusal {
        Refusal { reader: self.reader, reason: reason.to_string() }
    }
}

/// Notices that a walk has come round, in constant memory: a marker waits at ever greater distances.
#[derive(Default)]
struct Steps {
    marker: Option<u32>,
    taken: u64,
    limit: u64,
}

impl Steps {
    fn comes_round(&mut self, n: u32) -> bool {
        if self.marker == Some(n) {
            return true;
        }
        self.taken += 1;
        if self.taken > self.limit {
            self.marker = Some(n);
            self.taken = 0;
            self.limit = self.limit * 2 + 1;
        }
        false
    }
}
