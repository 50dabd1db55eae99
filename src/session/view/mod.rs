//! A session as one of its readers sees it: which entries there are, how they hang together, where
//! the leaf is, what the model gets to see.
//!
//! The readers are this program ([`Reader::Sesstool`]), pi 1.6.0 and agent-core 0.83.0. What is said of
//! the latter two was observed by running them.

mod branch;
mod context;
mod find;
mod labels;
mod message;
mod nodes;
mod order;
mod refuse;
mod value;

pub use branch::{Branch, Cut};
pub use context::{Context, Fate, Model, Part, Shown};
pub use find::{Found, NotFound};
pub use labels::plain;
pub use message::{Message, merge_users};
use nodes::NodesById;
pub use nodes::{NONE, Node};
pub use order::{Order, Place, Walk};
pub use value::IdValue;

use super::derived_ids::{self, Derived};
use super::reread::Reread;
use super::{Entry, RefKind, RefValue, Session, flags};
use crate::dialect::pi::EntryType;
use crate::json::text;
use crate::source::Source;
use hashbrown::HashMap;
use std::cell::{OnceCell, RefCell};
use std::fmt;

/// Who reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// This program: every record that the bytes still hold; `leaf` entries obeyed.
    #[default]
    Sesstool,
    /// pi 1.6.0.
    Pi,
    /// agent-core 0.83.0.
    AgentCore,
}

impl Reader {
    /// Its name, as in `--reader`.
    pub fn name(self) -> &'static str {
        match self {
            Reader::Sesstool => "sesstool",
            Reader::Pi => "pi",
            Reader::AgentCore => "agent-core",
        }
    }
}

/// Why a reader does not open a file, or throws on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Who.
    pub reader: Reader,
    /// What is wrong, as a sentence without its reader and full stop.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refuses it: {}", self.reader.name(), self.reason)
    }
}

impl std::error::Error for Refusal {}

/// Where a reader resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Before everything: no branch, no context.
    Start,
    /// At this node.
    Node(u32),
    /// pi, where the last entry's id is absent or falsy: the branch is empty, but the context is that
    /// of this node.
    Nameless(u32),
    /// agent-core, where a `leaf` entry (this node) names nothing: it throws.
    Dangling(u32),
}

impl Leaf {
    /// The node, where there is one to resume at.
    pub fn node(self) -> Option<u32> {
        match self {
            Leaf::Node(n) => Some(n),
            _ => None,
        }
    }
}

/// A session as a reader sees it. Nodes are counted in file order.
pub struct View<'a> {
    /// Where the bytes are.
    pub source: &'a Source,
    /// The index of all entries.
    pub session: &'a Session,
    /// Who reads.
    pub reader: Reader,
    /// Where it resumes.
    pub leaf: Leaf,
    /// The nodes, where they are not the entries of the index, linked as there.
    nodes: Option<Vec<Node>>,
    /// Which node has an id, where the session's own table does not tell.
    ids: Option<NodesById>,
    /// Nodes whose id occurs again later, in order, and the node that stands for each.
    later: Vec<(u32, u32)>,
    /// Whether entries hang on each other as a line (version 1).
    line: bool,
    /// Whether the role `hookMessage` is read as `custom`.
    old_roles: bool,
    /// pi on a file of version 1: what an entry keeps is given by an index over these records.
    records: Option<Vec<Option<u32>>>,
    derived: OnceCell<Vec<Option<Derived>>>,
    labels: OnceCell<HashMap<u32, String>>,
    reread: RefCell<Reread<'a>>,
}

impl<'a> View<'a> {
    /// The session as `reader` sees it.
    ///
    /// # Errors
    /// The reader refuses the file; never for [`Reader::Sesstool`].
    pub fn new(source: &'a Source, session: &'a Session, reader: Reader) -> Result<View<'a>, Refusal> {
        refuse::check(source, session, reader)?;
        let version = refuse::js_version(session);
        let mut view = View {
            source,
            session,
            reader,
            leaf: Leaf::Start,
            nodes: None,
            ids: None,
            later: Vec::new(),
            line: false,
            old_roles: version < 3.0 && reader != Reader::AgentCore,
            records: None,
            derived: OnceCell::new(),
            labels: OnceCell::new(),
            reread: RefCell::new(Reread::new(source)),
        };
        view.line = match reader {
            Reader::Pi => version < 2.0,
            _ => session.shape == super::Shape::Line,
        };
        view.build();
        view.leaf = view.find_leaf();
        Ok(view)
    }

    /// How many nodes there are.
    pub fn len(&self) -> u32 {
        self.nodes.as_ref().map_or(self.session.entries.len(), Vec::len) as u32
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of a node.
    pub fn row(&self, n: u32) -> &'a Entry {
        self.item(self.item_of(n))
    }

    /// The entry of the index, or what stands behind its end, that a node is.
    fn item_of(&self, n: u32) -> u32 {
        self.nodes.as_ref().map_or(n, |nodes| nodes[n as usize].item)
    }

    fn item(&self, item: u32) -> &'a Entry {
        let session = self.session;
        match session.entries.get(item as usize) {
            Some(row) => row,
            None => &session.facts.extras[item as usize - session.entries.len()],
        }
    }

    /// The entry of the index that a node is; `None` for what only this reader takes for an entry.
    pub fn entry(&self, n: u32) -> Option<u32> {
        let item = self.item_of(n);
        ((item as usize) < self.session.entries.len()).then_some(item)
    }

    /// The node that an entry of the index is, if this reader sees it.
    pub fn node_of(&self, entry: u32) -> Option<u32> {
        let Some(nodes) = &self.nodes else { return Some(entry) };
        if nodes.len() == self.session.entries.len() && self.session.facts.extras.is_empty() {
            return Some(entry);
        }
        // extras stand between the entries, by their place in the file
        let offset = self.session.entries[entry as usize].offset;
        let at = nodes.partition_point(|node| self.item(node.item).offset < offset);
        (nodes.get(at)?.item == entry).then_some(at as u32)
    }

    /// What a node hangs on in the tree.
    pub fn tree_parent(&self, n: u32) -> Option<u32> {
        let Some(nodes) = &self.nodes else { return self.session.parent(n) };
        Some(nodes[n as usize].tree).filter(|p| *p != NONE)
    }

    /// Where the way from a node to its root goes on.
    pub fn walk_parent(&self, n: u32) -> Option<u32> {
        let Some(nodes) = &self.nodes else { return self.session.parent(n) };
        Some(nodes[n as usize].walk).filter(|p| *p != NONE)
    }

    /// Whether the node's record is dropped by pi, since its line is not one JSON value.
    pub fn is_dropped_by_pi(&self, n: u32) -> bool {
        self.row(n).has(flags::DROPPED)
    }

    /// Reads a node's record again; `None` where it is no record, or cannot be read again.
    pub fn record<T>(&self, n: u32, look: impl FnOnce(&crate::record::Record<'_>) -> T) -> Option<T> {
        self.reread.borrow_mut().record(self.row(n), look)
    }

    /// The id as JavaScript compares it.
    pub fn id(&self, n: u32) -> IdValue {
        match self.derived(n) {
            Some(id) => IdValue::Text(id.to_vec()),
            None => self.own_id(n),
        }
    }

    /// The id that the record itself has.
    fn own_id(&self, n: u32) -> IdValue {
        let row = self.row(n);
        if row.has(flags::ID) {
            return IdValue::Text(self.session.arena.get(row.id));
        }
        if row.has(flags::ID_ABSENT) {
            return IdValue::Absent;
        }
        self.record(n, |r| IdValue::of(r, r.get(b"id"))).unwrap_or(IdValue::Absent)
    }

    /// The id as JSON: what it is in the file, or what `migrate` would give. `None` where it is absent.
    pub fn id_json(&self, n: u32) -> Option<String> {
        match self.id(n) {
            IdValue::Text(id) => Some(text::to_json(&id)),
            IdValue::Absent => None,
            _ => self.record(n, |r| r.get(b"id").map(|m| r.raw(&m.value))).flatten(),
        }
    }

    /// The id as text for people; `None` where there is none.
    pub fn id_text(&self, n: u32) -> Option<String> {
        match self.id(n) {
            IdValue::Text(id) => Some(String::from_utf8_lossy(&id).into_owned()),
            IdValue::Absent => None,
            _ => self.id_json(n),
        }
    }

    /// The id that `migrate` gives the node.
    fn derived(&self, n: u32) -> Option<Derived> {
        if !self.line {
            return None;
        }
        let derived = self.derived.get_or_init(|| derived_ids::of_session(self.source, self.session));
        derived[self.item_of(n) as usize]
    }

    /// The parent as JSON, as it stands in the file or as `migrate` sets it; `None` for an absent one.
    pub fn parent_json(&self, n: u32) -> Option<String> {
        if self.line {
            return self.tree_parent(n).and_then(|p| self.id_json(p)).or_else(|| Some("null".to_string()));
        }
        match self.parent_value(n) {
            IdValue::Text(id) => Some(text::to_json(&id)),
            IdValue::Null => Some("null".to_string()),
            IdValue::Absent => None,
            _ => self.record(n, |r| r.get(b"parentId").map(|m| r.raw(&m.value))).flatten(),
        }
    }

    /// The node that has an id.
    pub fn find_value(&self, id: &IdValue) -> Option<u32> {
        match (&self.ids, id) {
            (_, IdValue::Unique) => None,
            (Some(ids), id) => ids.find(self, id),
            (None, IdValue::Text(text)) => self.session.find(text).and_then(|entry| self.node_of(entry)),
            (None, _) => None,
        }
    }

    /// Where the reader resumes.
    fn find_leaf(&self) -> Leaf {
        let Some(last) = self.len().checked_sub(1) else { return Leaf::Start };
        match self.reader {
            Reader::Sesstool => match self.session.leaf() {
                Some(entry) => self.node_of(entry).map_or(Leaf::Start, Leaf::Node),
                None => Leaf::Start,
            },
            Reader::Pi if self.line => Leaf::Node(last),
            Reader::Pi => match self.own_id(last) {
                IdValue::Null => Leaf::Start,
                id if id.is_truthy() => Leaf::Node(last),
                _ => Leaf::Nameless(last),
            },
            Reader::AgentCore if self.row(last).kind == EntryType::Leaf => self.leaf_target(last),
            Reader::AgentCore => Leaf::Node(last),
        }
    }

    /// Where a `leaf` entry of agent-core moves the leaf.
    fn leaf_target(&self, n: u32) -> Leaf {
        let reference = self.entry(n).and_then(|entry| self.reference(entry, RefKind::LeafTarget));
        match reference {
            Some((RefValue::Null, _)) => Leaf::Start,
            Some((_, Some(target))) => self.node_of(target).map_or(Leaf::Dangling(n), Leaf::Node),
            _ => Leaf::Dangling(n),
        }
    }

    /// What an entry's reference holds, and the entry that it names.
    fn reference(&self, entry: u32, kind: RefKind) -> Option<(RefValue, Option<u32>)> {
        self.session.reference(entry, kind).map(|r| (r.value, r.target))
    }
}

#[cfg(test)]
mod tests;
