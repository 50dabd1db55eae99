//! Context edits that take a call or its result out of the context and leave the other, for rule M013.

use super::check::Audit;
use crate::dialect::pi::{EntryType, Role};
use crate::json::Scanner;
use crate::record::Record;
use crate::session::view::{Context, Fate, Leaf, Reader, View};
use crate::session::{Call, RefKind, call_ids, flags, pairs};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// How many entries of branches with edits are looked at, in all. Edits are few; a session in which they
/// stand on more branches than this is looked at in part.
const MOST_LOOKED_AT: usize = 10_000_000;

/// A pair of which an edit leaves one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halved {
    /// The edit.
    pub edit: u32,
    /// What is left: a call or a result, by its place in the session's list; `None` for a call that the edit
    /// itself has put there.
    pub left: Option<u32>,
}

/// A call that waits for its result.
#[derive(Clone, Copy)]
enum Open {
    /// By its place in the session's list.
    Call(u32),
    /// One that this edit gives.
    Given(u32),
}

/// The edits that leave half of a pair in the context of a tip or of the leaf, each once, in file order.
pub fn halved(audit: &Audit<'_>) -> Vec<Halved> {
    let session = audit.session;
    if !session.refs.iter().any(|r| r.kind == RefKind::EditTarget) || !audit.source.is_seekable() {
        return Vec::new();
    }
    let Ok(view) = View::new(audit.source, session, Reader::Sesstool) else { return Vec::new() };
    let mut found = BTreeMap::new();
    let mut left = MOST_LOOKED_AT;
    let leaf = session.leaf();
    for n in 0..session.entries.len() as u32 {
        let is_tip = audit.children().get(n).is_empty() && !session.entries[n as usize].has(flags::EARLIER_COPY);
        if !is_tip && leaf != Some(n) {
            continue;
        }
        let mut edited = false;
        for n in session.path(n) {
            edited |= session.entries[n as usize].kind == EntryType::ContextEdit;
            left = left.saturating_sub(1);
        }
        let context = view.node_of(n).filter(|_| edited && left > 0).map(|node| view.context(Leaf::Node(node)));
        if let Some(Ok(context)) = context {
            Branch::of(audit, &view, &context).look(&mut found);
        }
    }
    found.into_iter().map(|(edit, left)| Halved { edit, left }).collect()
}

/// The context of a tip.
struct Branch<'b, 'a> {
    audit: &'b Audit<'a>,
    view: &'b View<'a>,
    context: &'b Context,
    /// The edits of entries that were edited or removed.
    edits: HashMap<u32, u32>,
}

impl<'b, 'a> Branch<'b, 'a> {
    fn of(audit: &'b Audit<'a>, view: &'b View<'a>, context: &'b Context) -> Self {
        let fates = context.branch.nodes.iter().zip(&context.fates);
        let edit = |(node, fate): (&u32, &Fate)| match fate {
            Fate::Edited(edit) | Fate::Removed(edit) => Some((view.entry(*node)?, view.entry(*edit)?)),
            _ => None,
        };
        Branch { audit, view, context, edits: fates.filter_map(edit).collect() }
    }

    /// Looks for results and calls that stand alone because of an edit.
    fn look(&self, found: &mut BTreeMap<u32, Option<u32>>) {
        let session = self.audit.session;
        let mut open: HashMap<u64, Open> = HashMap::new();
        let mut waits = false;
        for shown in &self.context.shown {
            let Some(n) = self.view.entry(shown.node) else { continue };
            let entry = &session.entries[n as usize];
            let first = session.calls.partition_point(|call| call.entry < n) as u32;
            let hash = |call: &Call| session.call_ids.hash_of(call.id);
            let own = || (first..).zip(session.calls_of(n));
            if entry.kind == EntryType::Message && entry.role == Role::ToolResult {
                for (at, result) in own().filter(|(_, call)| call.is_result) {
                    if open.remove(&hash(result)).is_none() {
                        self.blame(at, found);
                    }
                }
            }
            if !pairs::ends_run(session, n) {
                continue;
            }
            self.settle(&mut open, found);
            waits = entry.has(flags::TOOL_USE);
            let calls = own().filter(|(_, call)| !call.is_result).map(|(at, call)| (hash(call), Open::Call(at)));
            let calls: HashMap<u64, Open> = calls.collect();
            open = match shown.edit.filter(|_| entry.role == Role::Assistant) {
                None => calls,
                Some(edit) => {
                    let given = Open::Given(self.view.entry(edit).unwrap_or(n));
                    let ids = self.calls_given(edit).into_iter();
                    ids.map(|id| (id, calls.get(&id).copied().unwrap_or(given))).collect()
                }
            };
        }
        if !waits {
            self.settle(&mut open, found);
        }
    }

    /// Calls that are open where their run ends.
    fn settle(&self, open: &mut HashMap<u64, Open>, found: &mut BTreeMap<u32, Option<u32>>) {
        let mut calls = Vec::new();
        for (_, call) in open.drain() {
            match call {
                Open::Call(call) => calls.push(call),
                Open::Given(edit) => {
                    found.entry(edit).or_insert(None);
                }
            }
        }
        calls.sort_unstable();
        calls.into_iter().for_each(|call| self.blame(call, found));
    }

    /// Notes the edit that took away the other half of a pair, if one did.
    fn blame(&self, left: u32, found: &mut BTreeMap<u32, Option<u32>>) {
        let session = self.audit.session;
        let answers = self.audit.pairs().answers.iter();
        let others = answers.filter_map(|pair| match left {
            _ if pair.result == left => Some(pair.call),
            _ if pair.call == left => Some(pair.result),
            _ => None,
        });
        for other in others {
            if let Some(edit) = self.edits.get(&session.calls[other as usize].entry) {
                found.entry(*edit).or_insert(Some(left));
            }
        }
    }

    /// The ids of the calls in what an edit puts in the place of a message's content.
    fn calls_given(&self, edit: u32) -> Vec<u64> {
        let replaced = self.view.record(edit, |record| {
            let replacement = record.get(b"replacement")?;
            Some([b"{\"message\":", &record.bytes[replacement.value.clone()], b"}"].concat())
        });
        let mut scanner = Scanner::new();
        match replaced.flatten() {
            Some(bytes) if scanner.scan(&bytes, 0).is_ok() => {
                let record = Record::new(&bytes, &scanner);
                let ids = record.blocks().filter_map(|block| record.string(block.call_id()?));
                ids.map(|id| call_ids::hash(&id)).collect()
            }
            _ => Vec::new(),
        }
    }
}
