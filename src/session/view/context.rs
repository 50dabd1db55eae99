//! What the model sees: which entries of a branch give which messages, and why.
//!
//! Nothing is read here but what decides: compactions, edits, summaries, and messages that may not be
//! there. The messages themselves are read one by one ([`View::message`]).

use super::branch::Branch;
use super::value::{IdValue, is_truthy};
use super::{Leaf, Reader, Refusal, View};
use crate::dialect::pi::{EntryType, Role};
use crate::json::Kind;
use crate::record::Record;
use hashbrown::HashMap;

/// The context of a leaf.
#[derive(Clone, Debug)]
pub struct Context {
    /// The branch that it was taken from.
    pub branch: Branch,
    /// The entries that were selected, in the order of the context: the compaction first.
    pub entries: Vec<u32>,
    /// The messages, in order.
    pub shown: Vec<Shown>,
    /// The model; `None` where nothing on the branch sets it.
    pub model: Option<Model>,
    /// The thinking level as JSON; `"off"` where nothing on the branch sets it.
    pub thinking: String,
    /// What became of each entry of the branch.
    pub fates: Vec<Fate>,
}

/// The model as JSON values; `null` where they are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its provider.
    pub provider: String,
    /// Its id.
    pub id: String,
}

/// A message of the context, before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The entry that it comes from.
    pub node: u32,
    /// Which of the entry's messages it is.
    pub part: Part,
    /// The edit that changes its content.
    pub edit: Option<u32>,
}

/// Which message of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The only one.
    Whole,
    /// The system message that a compaction carries.
    System,
    /// One of the messages that a compaction carries, from 0.
    Tail(u32),
}

/// Why an entry of the branch is in the context, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is a message, behind the last compaction or without one.
    Message,
    /// It is a message from before the compaction that is kept.
    Kept,
    /// It is a message that this edit changes.
    Edited(u32),
    /// This edit removes it.
    Removed(u32),
    /// It is the summary of the last compaction.
    Compaction,
    /// It is the summary of a branch that was left.
    Summary,
    /// It stands before what the compaction keeps.
    BeforeKept,
    /// A compaction replaces the system messages before it.
    ReplacedSystem,
    /// A compaction before the last one.
    OlderCompaction,
    /// A branch summary that is empty.
    EmptySummary,
    /// A message entry without a message.
    NoMessage,
    /// It changes something, but is no message.
    Bookkeeping,
}

impl Fate {
    /// Whether the model sees it.
    pub fn is_in(self) -> bool {
        matches!(self, Fate::Message | Fate::Kept | Fate::Edited(_) | Fate::Compaction | Fate::Summary)
    }
}

/// The entries of a branch that count.
struct Selection {
    /// The place on the branch of the last compaction.
    compaction: Option<usize>,
    /// The place of the first entry that it keeps; its own if it keeps none.
    kept: usize,
    /// Whether it carries the messages that it kept.
    tail: bool,
}

/// The last edit of an entry.
#[derive(Clone, Copy)]
struct Edit {
    node: u32,
    replacement: Replacement,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Replacement {
    Absent,
    Null,
    Given,
}

impl View<'_> {
    /// The context at a leaf.
    ///
    /// # Errors
    /// The reader throws.
    pub fn context(&self, leaf: Leaf) -> Result<Context, Refusal> {
        let branch = self.context_branch(leaf)?;
        self.check_messages(&branch.nodes)?;
        let selection = self.select(&branch.nodes);
        let (mut entries, mut known, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        self.each_selected(&branch.nodes, &selection, &mut |n, fate, messages| {
            entries.push(n);
            known.push(fate);
            shown.extend_from_slice(messages);
        })?;
        let fates = fates_of(&branch.nodes, &selection, &entries, &known);
        let (model, thinking) = self.settings(&branch.nodes);
        Ok(Context { branch, entries, shown, model, thinking, fates })
    }

    /// The branch that the context of a leaf is taken from.
    ///
    /// # Errors
    /// The reader throws.
    pub fn context_branch(&self, leaf: Leaf) -> Result<Branch, Refusal> {
        self.branch(match leaf {
            Leaf::Nameless(n) => Leaf::Node(n),
            leaf => leaf,
        })
    }

    /// Hands the messages of the context at the end of a branch to `see`, in order, and keeps none of them.
    ///
    /// # Errors
    /// The reader throws.
    pub fn each_message(&self, branch: &Branch, see: &mut dyn FnMut(&Shown)) -> Result<(), Refusal> {
        self.check_messages(&branch.nodes)?;
        let selection = self.select(&branch.nodes);
        self.each_selected(&branch.nodes, &selection, &mut |_, _, messages| messages.iter().for_each(&mut *see))
    }

    /// Hands every selected entry to `see`, with what becomes of it and its messages.
    fn each_selected(
        &self,
        branch: &[u32],
        selection: &Selection,
        see: &mut dyn FnMut(u32, Fate, &[Shown]),
    ) -> Result<(), Refusal> {
        let edits = self.edits(self.selected(branch, selection));
        let mut messages = Vec::new();
        for n in self.selected(branch, selection) {
            let last = selection.compaction.is_some_and(|at| branch[at] == n);
            let fate = self.fate(n, last, edits.as_ref())?;
            messages.clear();
            if fate.is_in() {
                self.add_messages(n, fate, last && selection.tail, last, &mut messages);
            }
            see(n, fate, &messages);
        }
        Ok(())
    }

    /// How many messages the reader shows the model at its leaf.
    ///
    /// # Errors
    /// The reader throws, or hangs.
    pub fn count_messages(&self) -> Result<u64, Refusal> {
        let branch = self.context_branch(self.leaf)?;
        let mut count = 0;
        self.each_message(&branch, &mut |_| count += 1)?;
        match branch.cut {
            Some(super::Cut::Loop) if self.reader != Reader::Sesstool => Err(self.throws("the parents form a loop")),
            _ => Ok(count),
        }
    }

    fn select(&self, branch: &[u32]) -> Selection {
        let Some(at) = branch.iter().rposition(|n| self.row(*n).kind == EntryType::Compaction) else {
            return Selection { compaction: None, kept: 0, tail: false };
        };
        let compaction = branch[at];
        let first = self.first_kept_node(compaction);
        let tail = match self.reader {
            Reader::Pi => false,
            Reader::AgentCore => self.has_tail(compaction),
            Reader::Sesstool => first.is_none() && self.has_tail(compaction),
        };
        let found = first.filter(|_| !tail).and_then(|first| branch[..at].iter().position(|n| *n == first));
        Selection { compaction: Some(at), kept: found.unwrap_or(at), tail }
    }

    /// The entry from which on a compaction keeps what stands before it.
    fn first_kept_node(&self, compaction: u32) -> Option<u32> {
        let id = self.first_kept(compaction);
        if !id.is_truthy() {
            return None;
        }
        if self.line {
            let by_place = (0..compaction).find(|n| self.derived_is(*n, &id));
            return by_place.or_else(|| self.target(&id));
        }
        self.target(&id)
    }

    fn derived_is(&self, n: u32, id: &IdValue) -> bool {
        matches!(id, IdValue::Text(text) if self.derived(n).is_some_and(|derived| derived[..] == text[..]))
    }

    /// The compaction first, then what it keeps, then what follows it.
    fn selected<'b>(&'b self, branch: &'b [u32], selection: &Selection) -> impl Iterator<Item = u32> + 'b {
        let (first, kept, rest) = match selection.compaction {
            None => (None, 0..0, 0),
            Some(at) => (Some(branch[at]), selection.kept..at, at + 1),
        };
        let kept = branch[kept].iter().copied().filter(|n| !self.is_replaced_system(*n));
        first.into_iter().chain(kept).chain(branch[rest..].iter().copied())
    }

    /// A system message before a compaction: pi 1.6 leaves it out, agent-core does not know it.
    fn is_replaced_system(&self, n: u32) -> bool {
        self.reader != Reader::AgentCore && self.row(n).kind == EntryType::Message && self.row(n).role == Role::System
    }

    /// The last edit of each id among the selected entries; agent-core knows none.
    fn edits(&self, entries: impl Iterator<Item = u32>) -> Option<HashMap<IdValue, Edit>> {
        if self.reader == Reader::AgentCore {
            return None;
        }
        let mut edits: Option<HashMap<IdValue, Edit>> = None;
        for node in entries.filter(|n| self.row(*n).kind == EntryType::ContextEdit) {
            let Some((target, replacement)) = self.record(node, |r| {
                let replacement = match r.get(b"replacement").map(|m| m.kind) {
                    None => Replacement::Absent,
                    Some(Kind::Null) => Replacement::Null,
                    Some(_) => Replacement::Given,
                };
                (IdValue::of(r, r.get(b"targetId")), replacement)
            }) else {
                continue;
            };
            if target != IdValue::Unique {
                edits.get_or_insert_default().insert(target, Edit { node, replacement });
            }
        }
        edits
    }

    /// What a selected entry is to the context.
    fn fate(&self, n: u32, last: bool, edits: Option<&HashMap<IdValue, Edit>>) -> Result<Fate, Refusal> {
        let fate = match self.row(n).kind {
            EntryType::Message if self.lacks_message(n) => Fate::NoMessage,
            EntryType::Message | EntryType::CustomMessage => Fate::Message,
            EntryType::BranchSummary if self.has_summary(n) => Fate::Summary,
            EntryType::BranchSummary => Fate::EmptySummary,
            // agent-core shows an older summary once more
            EntryType::Compaction if last || self.reader == Reader::AgentCore => Fate::Compaction,
            EntryType::Compaction => Fate::OlderCompaction,
            _ => Fate::Bookkeeping,
        };
        let Some(edits) = edits.filter(|_| fate.is_in()) else { return Ok(fate) };
        let Some(edit) = edits.get(&self.id(n)) else { return Ok(fate) };
        match edit.replacement {
            Replacement::Null => Ok(Fate::Removed(edit.node)),
            _ if !self.is_editable(n) => Ok(fate),
            Replacement::Given => Ok(Fate::Edited(edit.node)),
            Replacement::Absent if self.reader == Reader::Sesstool => Ok(fate),
            Replacement::Absent => {
                Err(self.throws(&format!("line {} is an edit without a replacement", self.row(edit.node).line)))
            }
        }
    }

    /// Whether an edit changes the message: pi 1.6 leaves the content of all others as it is.
    fn is_editable(&self, n: u32) -> bool {
        let row = self.row(n);
        match (row.kind, row.role) {
            (EntryType::CustomMessage, _) => true,
            (EntryType::Message, Role::User | Role::Assistant | Role::ToolResult | Role::Custom) => true,
            (EntryType::Message, Role::HookMessage) => self.old_roles,
            _ => false,
        }
    }

    /// Whether a message entry has no message, or null.
    fn lacks_message(&self, n: u32) -> bool {
        let absent = |r: &Record<'_>| r.get(b"message").is_none_or(|m| m.kind == Kind::Null);
        self.row(n).role == Role::None && self.record(n, absent) == Some(true)
    }

    /// The readers look for the model in every message of the branch, selected or not, and throw where
    /// an entry has none.
    fn check_messages(&self, branch: &[u32]) -> Result<(), Refusal> {
        if self.reader == Reader::Sesstool {
            return Ok(());
        }
        let is_bad = |n: &&u32| self.row(**n).kind == EntryType::Message && self.lacks_message(**n);
        match branch.iter().find(is_bad) {
            Some(n) => Err(self.throws(&format!("line {} is a message entry without a message", self.row(*n).line))),
            None => Ok(()),
        }
    }

    fn has_summary(&self, n: u32) -> bool {
        self.record(n, |r| r.get(b"summary").is_some_and(|m| is_truthy(r, m))) == Some(true)
    }

    fn add_messages(&self, node: u32, fate: Fate, tail: bool, last: bool, shown: &mut Vec<Shown>) {
        let edit = if let Fate::Edited(edit) = fate { Some(edit) } else { None };
        if last && self.reader != Reader::AgentCore {
            let system = self.record(node, |r| r.get(b"systemMessage").is_some_and(|m| is_truthy(r, m)));
            if system == Some(true) {
                shown.push(Shown { node, part: Part::System, edit: None });
            }
        }
        shown.push(Shown { node, part: Part::Whole, edit });
        if tail {
            let count = self.record(node, |r| super::message::tail_of(r).len()).unwrap_or(0);
            shown.extend((0..count as u32).map(|k| Shown { node, part: Part::Tail(k), edit: None }));
        }
    }

    /// The last model and thinking level of a branch.
    fn settings(&self, branch: &[u32]) -> (Option<Model>, String) {
        let sets_model = |n: &&u32| {
            let row = self.row(**n);
            row.kind == EntryType::ModelChange || row.kind == EntryType::Message && row.role == Role::Assistant
        };
        let model = branch.iter().rev().find(sets_model).and_then(|n| {
            self.record(*n, |r| {
                let raw = |member: Option<&crate::json::Member>| member.map_or("null".into(), |m| r.raw(&m.value));
                match self.row(*n).kind {
                    EntryType::ModelChange => Model { provider: raw(r.get(b"provider")), id: raw(r.get(b"modelId")) },
                    _ => Model { provider: raw(r.get_inner(b"provider")), id: raw(r.get_inner(b"model")) },
                }
            })
        });
        let level = branch.iter().rev().find(|n| self.row(**n).kind == EntryType::ThinkingLevelChange);
        let thinking = level
            .and_then(|n| self.record(*n, |r| r.get(b"thinkingLevel").map_or("null".to_string(), |m| r.raw(&m.value))));
        (model, thinking.unwrap_or_else(|| "\"off\"".to_string()))
    }
}

/// What became of each entry of the branch, where `known` is what became of those that were selected.
fn fates_of(branch: &[u32], selection: &Selection, entries: &[u32], known: &[Fate]) -> Vec<Fate> {
    let selected = entries.iter().copied().zip(known.iter().copied());
    let Some(compaction) = selection.compaction else { return known.to_vec() };
    // but for the compaction itself, they come as they stand on the branch
    let last = selected.clone().next().map_or(Fate::Compaction, |(_, fate)| fate);
    let mut rest = selected.skip(1).peekable();
    let mut fate = |(at, n): (usize, &u32)| {
        let fate = if at == compaction { Some(last) } else { rest.next_if(|(m, _)| m == n).map(|(_, fate)| fate) };
        match fate {
            Some(Fate::Message) if at < compaction => Fate::Kept,
            Some(fate) => fate,
            None if at >= selection.kept => Fate::ReplacedSystem,
            None => Fate::BeforeKept,
        }
    };
    branch.iter().enumerate().map(&mut fate).collect()
}
