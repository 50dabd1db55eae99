//! The audit of tool calls: what became of each.

use super::graph::Children;
use super::pairs::{Forest, Pairs};
use super::reread::Reread;
use super::view::{Branch, View};
use super::{NO_TIME, Session, flags};
use crate::json::Kind;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It has a result.
    Ok,
    /// It has a result that says that the tool failed.
    Error,
    /// It has none; on one branch at least.
    Lost,
    /// It has none yet: nothing follows on its branch.
    Waiting,
    /// Its result stands before it, or behind a message that follows it.
    Displaced,
    /// It has more than one result on a path.
    Repeated,
    /// No call: a result that answers none.
    Stray,
}

impl Outcome {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Error => "error",
            Outcome::Lost => "lost",
            Outcome::Waiting => "waiting",
            Outcome::Displaced => "displaced",
            Outcome::Repeated => "repeated",
            Outcome::Stray => "stray",
        }
    }
}

/// A call with what became of it, or a result without a call. Texts are not kept.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The entry that holds it.
    pub entry: u32,
    /// Which of the message's calls it is, from 0; of a stray result `None`.
    pub nth: Option<u32>,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether its message ended in an error or was aborted, so that readers leave it out.
    pub failed_turn: bool,
    /// The entries of its results, in file order; of a stray result itself.
    pub results: Vec<u32>,
    /// How long after its message the first result was written, in milliseconds.
    pub ms: Option<i64>,
    /// How many bytes the content of its results has in the file.
    pub bytes: u64,
}

impl ToolCall {
    /// Whether it is a call that no result answers.
    pub fn is_unanswered(&self) -> bool {
        self.nth.is_some() && (self.results.is_empty() || self.outcome == Outcome::Lost)
    }
}

/// The calls of the branch, or of all branches without one, in file order.
pub fn calls(view: &View<'_>, branch: Option<&Branch>) -> Vec<ToolCall> {
    let session = view.session;
    let (pairs, counts) = match branch {
        Some(branch) => of_branch(view, branch),
        None => of_all(session),
    };
    let mut rows = rows(session, &pairs, &counts);
    let mut reread = Reread::new(view.source);
    for row in &mut rows {
        look_at_results(session, &mut reread, row);
    }
    rows
}

fn of_branch(view: &View<'_>, branch: &Branch) -> (Pairs, Vec<bool>) {
    let session = view.session;
    let entries: Vec<u32> = branch.nodes.iter().filter_map(|n| view.entry(*n)).collect();
    let mut parents = vec![None; session.entries.len()];
    let mut counts = vec![false; session.entries.len()];
    for pair in entries.windows(2) {
        parents[pair[1] as usize] = Some(pair[0]);
    }
    entries.iter().for_each(|n| counts[*n as usize] = true);
    (pairs_of(session, &|n| parents[n as usize], &counts, entries.last().copied()), counts)
}

fn of_all(session: &Session) -> (Pairs, Vec<bool>) {
    let counts: Vec<bool> = session.entries.iter().map(|entry| !entry.has(flags::EARLIER_COPY)).collect();
    (pairs_of(session, &|n| session.parent(n), &counts, session.leaf()), counts)
}

fn pairs_of(session: &Session, parent: &dyn Fn(u32) -> Option<u32>, counts: &[bool], leaf: Option<u32>) -> Pairs {
    let children = Children::of(session.entries.len(), parent);
    Pairs::of(&Forest { session, children: &children, parent, counts: &|n| counts[n as usize], leaf })
}

/// A row for each call and for each result without one; what is said in the results is not looked at.
fn rows(session: &Session, pairs: &Pairs, counts: &[bool]) -> Vec<ToolCall> {
    let mut results: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut outcomes: HashMap<u32, Outcome> = HashMap::new();
    let mut note = |call: u32, result: u32| results.entry(call).or_default().push(session.calls[result as usize].entry);
    pairs.answers.iter().for_each(|pair| note(pair.call, pair.result));
    let strays = pairs.stray.iter().filter(|(_, call)| call.is_none()).map(|(result, _)| *result);
    pairs
        .stray
        .iter()
        .filter_map(|(result, call)| Some(((*call)?, *result)))
        .for_each(|(call, result)| note(call, result));
    for pair in &pairs.repeated {
        note(pair.call, pair.result);
        outcomes.insert(pair.call, Outcome::Repeated);
    }
    for pair in &pairs.misplaced {
        note(pair.call, pair.result);
        outcomes.insert(pair.call, Outcome::Displaced);
    }
    outcomes.extend(pairs.lost.iter().map(|call| (*call, Outcome::Lost)));
    outcomes.extend(pairs.twice.iter().map(|(call, _)| (*call, Outcome::Lost)));
    let mut strays: Vec<u32> = strays.collect();
    strays.sort_unstable();
    let (mut rows, mut strays) = (Vec::new(), strays.into_iter().peekable());
    let (mut entry, mut nth) = (u32::MAX, 0);
    for (at, call) in (0u32..).zip(&session.calls) {
        nth = if call.entry == entry { nth + 1 } else { 0 };
        entry = call.entry;
        let failed_turn = session.entries[entry as usize].has(flags::FAILED);
        let mut row = ToolCall {
            entry,
            nth: Some(nth),
            outcome: Outcome::Ok,
            failed_turn,
            results: Vec::new(),
            ms: None,
            bytes: 0,
        };
        if strays.next_if_eq(&at).is_some() {
            rows.push(ToolCall { nth: None, outcome: Outcome::Stray, results: vec![entry], ..row });
            continue;
        }
        if call.is_result || !counts[entry as usize] {
            continue;
        }
        row.results = results.remove(&at).unwrap_or_default();
        row.results.sort_unstable();
        row.results.dedup();
        let none = if failed_turn { Outcome::Lost } else { Outcome::Waiting };
        let usual = if row.results.is_empty() { none } else { Outcome::Ok };
        row.outcome = outcomes.get(&at).copied().unwrap_or(usual);
        rows.push(row);
    }
    rows
}

/// Adds what only the results themselves say: whether the tool failed, and how much it gave.
fn look_at_results(session: &Session, reread: &mut Reread<'_>, row: &mut ToolCall) {
    let mut failed = false;
    for &result in &row.results {
        let read = reread.record(&session.entries[result as usize], |record| {
            let error = record.get_inner(b"isError").is_some_and(|m| &record.bytes[m.value.clone()] == b"true");
            let content = record.get_inner(b"content").filter(|m| m.kind != Kind::Null);
            (error, content.map_or(0, |m| m.value.len() as u64))
        });
        let (error, bytes) = read.unwrap_or_default();
        failed |= error;
        row.bytes += bytes;
    }
    if failed && row.outcome == Outcome::Ok {
        row.outcome = Outcome::Error;
    }
    let time = |n: u32| Some(session.entries[n as usize].time).filter(|time| *time != NO_TIME);
    if let (Some(&first), true) = (row.results.first(), row.nth.is_some()) {
        row.ms = time(first).zip(time(row.entry)).map(|(end, start)| end.saturating_sub(start)).filter(|ms| *ms >= 0);
    }
}
