//! Which entries a reader sees, and how they hang together.

use super::super::{Entry, Parent, RefKind, RefValue, flags};
use super::value::IdValue;
use super::{Reader, View};
use crate::session::{Session, Shape};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use std::hash::BuildHasher;

/// No parent.
pub const NONE: u32 = u32::MAX;

/// Which node has an id, whatever that is in JSON: the last one with it. The ids themselves are looked at
/// where they stand.
#[derive(Default)]
pub(super) struct NodesById {
    /// Half a hash of the id, and the node.
    table: HashTable<(u32, u32)>,
    state: RandomState,
}

impl NodesById {
    fn hash(&self, id: &IdValue) -> u32 {
        (self.state.hash_one(id) >> 32) as u32
    }

    /// Makes a node the one with its id; whether another one was.
    fn insert(&mut self, view: &View<'_>, n: u32) -> bool {
        let id = view.own_id(n);
        if id == IdValue::Unique {
            return false;
        }
        let hash = self.hash(&id);
        let is_same = |&(other, m): &(u32, u32)| other == hash && view.own_id(m) == id;
        match self.table.entry(spread(hash), is_same, |(hash, _)| spread(*hash)) {
            Slot::Occupied(mut slot) => {
                slot.get_mut().1 = n;
                true
            }
            Slot::Vacant(slot) => {
                slot.insert((hash, n));
                false
            }
        }
    }

    /// The node that has an id.
    pub(super) fn find(&self, view: &View<'_>, id: &IdValue) -> Option<u32> {
        let hash = self.hash(id);
        let is_same = |&(other, n): &(u32, u32)| other == hash && view.own_id(n) == *id;
        self.table.find(spread(hash), is_same).map(|(_, n)| *n)
    }
}

/// A hash with good bits at both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// An entry as a reader has it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The entry of the index; behind its end, the values that only other readers take for entries.
    pub(super) item: u32,
    /// The node it hangs on in the tree, [`NONE`] for a root.
    pub(super) tree: u32,
    /// The node where the way to the root goes on, [`NONE`] where it ends.
    pub(super) walk: u32,
}

/// As a line: each on the one before.
fn line_up(nodes: &mut [Node]) {
    for (n, node) in (0u32..).zip(nodes).skip(1) {
        node.tree = n - 1;
        node.walk = n - 1;
    }
}

impl View<'_> {
    /// Finds the nodes and their parents.
    pub(super) fn build(&mut self) {
        let trusts = !self.line && self.trusts_index();
        if trusts && self.is_index() {
            return;
        }
        let mut nodes = self.collect();
        if self.line {
            line_up(&mut nodes);
        } else if trusts {
            self.copy_links(&mut nodes);
        } else {
            self.nodes = Some(nodes);
            return self.link();
        }
        self.nodes = Some(nodes);
        if self.reader == Reader::Pi && self.line {
            self.records = Some(self.parsed_records());
        }
    }

    /// Whether the reader sees just the entries of the index, and there is no loop, in which the tree is another
    /// one than the way to the root.
    fn is_index(&self) -> bool {
        let session = self.session;
        let sees_all = self.reader != Reader::Pi || !session.traits.any(flags::DROPPED);
        sees_all && session.loops.is_empty()
    }

    /// The entries that the reader sees, in file order.
    fn collect(&self) -> Vec<Node> {
        let session = self.session;
        let all = 0..session.entries.len() as u32;
        let seen = |n: &u32| self.reader != Reader::Pi || !session.entries[*n as usize].has(flags::DROPPED);
        let node = |item| Node { item, tree: NONE, walk: NONE };
        let mut nodes: Vec<Node> = all.clone().filter(seen).map(node).collect();
        if self.reader == Reader::Pi && !session.facts.extras.is_empty() {
            let extras = session.facts.extras.len() as u32;
            nodes.extend((all.end..all.end + extras).map(node));
            nodes.sort_by_key(|node| self.item(node.item).offset);
        }
        nodes
    }

    /// Whether the index links the nodes as the reader does: every id that it sees is a string that is not
    /// empty and occurs once, and every parent is a string or null.
    fn trusts_index(&self) -> bool {
        let Session { entries, traits, facts, shape, copies, .. } = self.session;
        let odd = |e: &Entry| !e.has(flags::ID) || e.has(flags::PARENT_NO_STRING);
        let none = || traits.all(flags::ID) && !traits.any(flags::PARENT_NO_STRING);
        self.reader != Reader::Pi
            || facts.extras.is_empty()
                && *shape == Shape::Tree
                && copies.is_empty()
                && (none() || !entries.iter().any(|e| !e.has(flags::DROPPED) && odd(e)))
    }

    /// As the index has them, but for parents that the reader does not see. An entry that names itself
    /// is a root of the tree.
    fn copy_links(&self, nodes: &mut [Node]) {
        let session = self.session;
        let places = self.places(nodes);
        for (n, node) in (0u32..).zip(&mut *nodes) {
            let parent = session.parent(node.item).unwrap_or(NONE);
            let parent = places.as_ref().map_or(parent, |p| p.get(parent as usize).copied().unwrap_or(NONE));
            node.walk = parent;
            node.tree = if parent == n { NONE } else { parent };
        }
        if self.reader == Reader::Pi {
            return;
        }
        // whoever shows every record shows a loop too, cut where it would come round
        for members in &session.loops {
            nodes[members[0] as usize].tree = NONE;
        }
    }

    /// For each entry of the index its node; `None` where both have the same number.
    fn places(&self, nodes: &[Node]) -> Option<Vec<u32>> {
        let entries = self.session.entries.len();
        if nodes.len() == entries {
            return None;
        }
        let mut places = vec![NONE; entries];
        for (n, node) in (0u32..).zip(nodes) {
            places[node.item as usize] = n;
        }
        Some(places)
    }

    /// By the ids as pi compares them: a later copy takes the place of an earlier one.
    pub(super) fn link(&mut self) {
        if self.nodes.is_none() {
            self.nodes = Some(self.collect());
        }
        let mut ids = NodesById::default();
        let mut repeated = false;
        for n in 0..self.len() {
            repeated |= ids.insert(self, n);
        }
        if repeated {
            let later = |n: u32| ids.find(self, &self.own_id(n)).filter(|node| *node != n);
            self.later = (0..self.len()).filter_map(|n| Some((n, later(n)?))).collect();
        }
        for n in 0..self.len() {
            let parent = self.parent_value(n);
            let found = ids.find(self, &parent).unwrap_or(NONE);
            let is_root = parent == IdValue::Null || found != NONE && parent.is_same(&self.own_id(n));
            let (tree, walk) = (if is_root { NONE } else { found }, if parent.is_truthy() { found } else { NONE });
            if let Some(nodes) = &mut self.nodes {
                nodes[n as usize] = Node { tree, walk, ..nodes[n as usize] };
            }
        }
        self.ids = Some(ids);
    }

    /// The node that stands where `n` stands: the last one with its id.
    pub(super) fn standing(&self, n: u32) -> u32 {
        let at = self.later.binary_search_by_key(&n, |(earlier, _)| *earlier).ok();
        at.map_or(n, |at| self.later[at].1)
    }

    /// The value of `parentId`, as it stands in the file.
    pub(super) fn parent_value(&self, n: u32) -> IdValue {
        let row = self.row(n);
        if row.has(flags::PARENT_ABSENT) {
            return IdValue::Absent;
        }
        if row.has(flags::PARENT_NULL) {
            return IdValue::Null;
        }
        let session = self.session;
        let from_index = self.entry(n).filter(|_| session.shape == Shape::Tree && !row.has(flags::PARENT_NO_STRING));
        if let Some(entry) = from_index {
            if let Parent::Entry(parent) = session.hangs_on(entry) {
                return IdValue::Text(session.arena.get(session.entries[parent as usize].id));
            }
            let at = session.pending.partition_point(|(n, _)| *n < entry);
            return match session.pending.get(at) {
                Some((n, key)) if *n == entry => IdValue::Text(session.arena.get(*key)),
                _ => IdValue::Text(Vec::new()),
            };
        }
        self.record(n, |r| IdValue::of(r, r.get(b"parentId"))).unwrap_or(IdValue::Absent)
    }

    /// What `firstKeptEntryIndex` counts in pi: every value that parses, headers too; `None` for a header.
    fn parsed_records(&self) -> Vec<Option<u32>> {
        let session = self.session;
        let headers = session.header.iter().chain(&session.extra_headers).filter(|h| !h.dropped);
        let mut headers = headers.map(|h| h.offset).peekable();
        let mut records = Vec::with_capacity(self.len() as usize + 1);
        for n in 0..self.len() {
            while headers.next_if(|at| *at < self.row(n).offset).is_some() {
                records.push(None);
            }
            records.push(Some(n));
        }
        records
    }

    /// The value of a compaction's first kept entry: the id that it names.
    pub(super) fn first_kept(&self, n: u32) -> IdValue {
        if let Some(target) = self.kept_by_index(n) {
            return self.id(target);
        }
        let indexed = self.entry(n).and_then(|entry| self.reference(entry, RefKind::FirstKept));
        match indexed {
            Some((RefValue::Id(key), _)) => return IdValue::Text(self.session.arena.get(key)),
            Some((RefValue::Number(number), _)) => return IdValue::number(number),
            Some((RefValue::Absent, _)) => return IdValue::Absent,
            Some((RefValue::Null, _)) => return IdValue::Null,
            _ => {}
        }
        self.record(n, |r| IdValue::of(r, r.get(b"firstKeptEntryId"))).unwrap_or(IdValue::Absent)
    }

    /// The node that `firstKeptEntryIndex` names, in a file of version 1.
    fn kept_by_index(&self, n: u32) -> Option<u32> {
        if !self.line {
            return None;
        }
        let (RefValue::Number(index), _) = self.reference(self.entry(n)?, RefKind::FirstKeptIndex)? else {
            return None;
        };
        if index.fract() != 0.0 || index < 0.0 {
            return None;
        }
        let index = index as usize;
        match &self.records {
            Some(records) => *records.get(index)?,
            // the writer counted the records that are damaged now
            None => index.checked_sub(1 + self.headers_before(index)).and_then(|n| u32::try_from(n).ok()),
        }
        .filter(|n| *n < self.len())
    }

    /// How many further headers stand before the record of that index.
    fn headers_before(&self, index: usize) -> usize {
        let extra = self.session.extra_headers.iter().enumerate();
        extra.take_while(|(k, header)| header.entries_before as usize + k + 1 < index).count()
    }
}
