//! Which tool result answers which call, on every branch at once.
//!
//! The forest is walked once. On the way down the state of each call id is noted (which call stands there,
//! whether it is answered), and on the way back up undone; what a subtree is like is added up on the way
//! back. So each entry is looked at once, however many tips share it.

use super::graph::{Children, Visit, walk};
use super::{Call, Session, flags};
use crate::dialect::pi::{EntryType, Role};
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

/// A forest of entries: that of the file, or as a repair has left it.
pub struct Forest<'a> {
    /// The index.
    pub session: &'a Session,
    /// Children of every entry.
    pub children: &'a Children,
    /// What an entry hangs on; `None` for a root.
    pub parent: &'a dyn Fn(u32) -> Option<u32>,
    /// Whether an entry counts; what hangs on one that does not is walked all the same.
    pub counts: &'a dyn Fn(u32) -> bool,
    /// Where the session resumes.
    pub leaf: Option<u32>,
}

/// A result and a call, each named by its place in [`Session::calls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The result.
    pub result: u32,
    /// The call.
    pub call: u32,
}

/// What is wrong with calls and results, each list in file order.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Calls without a result on some branch, unless they wait at its end.
    pub lost: Vec<u32>,
    /// Results without a call, and the call in a failed message that they answer, if that is there.
    pub stray: Vec<(u32, Option<u32>)>,
    /// Second results for a call.
    pub repeated: Vec<Pair>,
    /// Results before their call, or behind a message that follows it.
    pub misplaced: Vec<Pair>,
    /// Results right behind their call but for a compaction (the last such) between them, where that
    /// compaction is the last of some branch.
    pub parted: Vec<(Pair, u32)>,
    /// Calls that have the id of an earlier one of their message, which is given too.
    pub twice: Vec<(u32, u32)>,
    /// First results on their path, with their call.
    pub answers: Vec<Pair>,
    /// Calls that some branch leaves open, with a result that stands before them.
    pub early: Vec<Pair>,
}

/// What is known of a call id on the way from the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    /// A result that no call stands before.
    Early(u32),
    /// A call of a failed message.
    Failed(u32),
    /// A call that waits for its result.
    Open(u32),
    /// An answered call.
    Answered(u32),
}

/// A compaction of the path, and how many messages that end a run of results stand before it.
struct Compaction {
    entry: u32,
    breaks: u32,
}

/// What the walk asks of an entry, as bits: a byte each, so that they are at hand on the way down and back.
mod class {
    /// It counts.
    pub const COUNTS: u8 = 1 << 0;
    /// See [`ends_run`](super::ends_run).
    pub const ENDS_RUN: u8 = 1 << 1;
    pub const COMPACTION: u8 = 1 << 2;
    pub const ASSISTANT: u8 = 1 << 3;
    pub const RESULT: u8 = 1 << 4;
    pub const FAILED: u8 = 1 << 5;
    /// It stopped for the results of its calls.
    pub const WAITS: u8 = 1 << 6;
    /// The model sees a message.
    pub const SEEN: u8 = 1 << 7;
}

fn class_of(forest: &Forest<'_>, n: u32) -> u8 {
    if !(forest.counts)(n) {
        return 0;
    }
    let entry = &forest.session.entries[n as usize];
    let kind = match (entry.kind, entry.role) {
        (EntryType::Compaction, _) => class::COMPACTION,
        (EntryType::Message, Role::Assistant) => class::ASSISTANT,
        (EntryType::Message, Role::ToolResult) => class::RESULT,
        _ => 0,
    };
    let set = |on: bool, bit: u8| if on { bit } else { 0 };
    class::COUNTS
        | kind
        | set(ends_run(forest.session, n), class::ENDS_RUN)
        | set(entry.has(flags::FAILED), class::FAILED)
        | set(entry.has(flags::TOOL_USE), class::WAITS)
        // a summary of a branch that was left is a message to the model
        | set(entry.is_message() || entry.kind == EntryType::BranchSummary, class::SEEN)
}

/// Which way the walk goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Back,
}

/// What a subtree is like.
#[derive(Clone, Copy, Default)]
struct Below {
    /// How many branches end in it.
    tips: u32,
    /// How many of them have nothing behind the entry that the model sees as a message.
    quiet: u32,
    /// Whether one of them has no compaction in it.
    plain: bool,
}

/// Whether an entry gives a message behind which a result no longer stands right behind its call.
pub fn ends_run(session: &Session, n: u32) -> bool {
    let entry = &session.entries[n as usize];
    match entry.kind {
        EntryType::Message if entry.has(flags::FAILED) => false,
        EntryType::Message => !matches!(entry.role, Role::ToolResult | Role::System | Role::Unknown | Role::None),
        EntryType::CustomMessage | EntryType::BranchSummary => true,
        _ => false,
    }
}

impl Pairs {
    /// Walks a forest.
    pub fn of(forest: &Forest<'_>) -> Pairs {
        if forest.session.calls.is_empty() {
            return Pairs::default();
        }
        let mut pairing = Walk::new(forest);
        walk(forest.session.entries.len(), forest.children, forest.parent, &mut pairing);
        pairing.finish()
    }
}

struct Walk<'a> {
    forest: &'a Forest<'a>,
    classes: Vec<u8>,
    /// Of each call id.
    states: Vec<State>,
    /// Of each call and result, while the entries below it are walked: what the state of its id was before;
    /// `None` where it was left as it was.
    before: Vec<Option<State>>,
    /// Of each call: on how many branches it is answered, and a result that stands before it.
    answered: Vec<u32>,
    early: HashMap<u32, u32>,
    /// The messages of the path that end a run of results.
    breaks: Vec<u32>,
    compactions: Vec<Compaction>,
    /// Results with the compaction that parts them from their call.
    parted: Vec<(Pair, u32)>,
    /// Where in the list of calls the walk is: behind those of the entry entered last, or before those of the
    /// one left last.
    cursor: usize,
    pairs: Pairs,
}

impl Visit for Walk<'_> {
    type Below = Below;

    fn enter(&mut self, n: u32) {
        let class = self.classes[n as usize];
        if class & class::ENDS_RUN != 0 {
            self.breaks.push(n);
        }
        match class & (class::COMPACTION | class::ASSISTANT | class::RESULT) {
            class::COMPACTION => {
                self.compactions.push(Compaction { entry: n, breaks: self.breaks.len() as u32 });
            }
            class::ASSISTANT => self.calls(n, class & class::FAILED != 0),
            class::RESULT => self.results(n),
            _ => {}
        }
    }

    fn leave(&mut self, n: u32, below: Below) -> Below {
        let class = self.classes[n as usize];
        if class & class::COUNTS == 0 { below } else { self.settle(n, class, below) }
    }

    fn add(below: &mut Below, child: Below) {
        below.tips += child.tips;
        below.quiet += child.quiet;
        below.plain |= child.plain;
    }
}

impl<'a> Walk<'a> {
    fn new(forest: &'a Forest<'a>) -> Self {
        let count = forest.session.calls.len();
        Walk {
            forest,
            classes: (0..forest.session.entries.len() as u32).map(|n| class_of(forest, n)).collect(),
            states: vec![State::Unseen; forest.session.call_ids.count()],
            before: vec![None; count],
            answered: vec![0; count],
            early: HashMap::new(),
            breaks: Vec::new(),
            compactions: Vec::new(),
            parted: Vec::new(),
            cursor: 0,
            pairs: Pairs::default(),
        }
    }

    /// The places of an entry's calls in the list. On the way down the walk comes from before them, on the way
    /// back from behind them.
    fn places(&mut self, n: u32, way: Way) -> Range<usize> {
        let calls: &[Call] = &self.forest.session.calls;
        let passed = |call: &Call| call.entry < n || way == Way::Back && call.entry == n;
        // the walk mostly goes along the file
        let before = self.cursor.checked_sub(1).is_none_or(|at| passed(&calls[at]));
        let behind = calls.get(self.cursor).is_none_or(|call| !passed(call));
        if !before || !behind {
            self.cursor = calls.partition_point(passed);
        }
        let (front, back) = calls.split_at(self.cursor);
        let own = |call: &&Call| call.entry == n;
        let end = self.cursor + back.iter().take_while(own).count();
        let start = self.cursor - front.iter().rev().take_while(own).count();
        self.cursor = if way == Way::Back { start } else { end };
        start..end
    }

    /// Whether a call is one of an entry's.
    fn is_in(&self, n: u32, call: u32) -> bool {
        self.forest.session.calls[call as usize].entry == n
    }

    /// The state of the id of a call or result.
    fn state(&self, at: usize) -> State {
        self.states[self.forest.session.calls[at].id as usize]
    }

    /// A call or result changes the state of its id.
    fn set(&mut self, at: usize, state: State) {
        let id = self.forest.session.calls[at].id as usize;
        self.before[at] = Some(std::mem::replace(&mut self.states[id], state));
    }

    fn calls(&mut self, n: u32, failed: bool) {
        for at in self.places(n, Way::Down) {
            let call = at as u32;
            match self.state(at) {
                State::Open(first) if self.is_in(n, first) => {
                    self.pairs.twice.push((call, first));
                    continue;
                }
                _ if failed => {
                    self.set(at, State::Failed(call));
                    continue;
                }
                State::Early(result) => {
                    self.early.insert(call, result);
                }
                _ => {}
            }
            self.set(at, State::Open(call));
        }
    }

    fn results(&mut self, n: u32) {
        for at in self.places(n, Way::Down) {
            let result = at as u32;
            match self.state(at) {
                State::Unseen => {
                    self.pairs.stray.push((result, None));
                    self.set(at, State::Early(result));
                }
                State::Early(_) => self.pairs.stray.push((result, None)),
                State::Failed(call) => self.pairs.stray.push((result, Some(call))),
                State::Answered(call) => self.pairs.repeated.push(Pair { result, call }),
                State::Open(call) => {
                    self.answer(Pair { result, call });
                    self.set(at, State::Answered(call));
                }
            }
        }
    }

    fn answer(&mut self, pair: Pair) {
        self.pairs.answers.push(pair);
        // the message with the call ends a run itself: it is the last such one, or another followed
        match self.breaks.last() {
            Some(&last) if self.is_in(last, pair.call) => {
                if let Some(compaction) = self.compactions.last()
                    && compaction.breaks as usize == self.breaks.len()
                {
                    self.parted.push((pair, compaction.entry));
                }
            }
            _ => self.pairs.misplaced.push(pair),
        }
    }

    /// Below an entry that counts all is known: what its subtree is like.
    fn settle(&mut self, n: u32, class: u8, mut below: Below) -> Below {
        let tip = below.tips == 0 || self.forest.leaf == Some(n);
        below.tips += u32::from(tip);
        below.quiet += u32::from(tip);
        below.plain = (below.plain || tip) && class & class::COMPACTION == 0;
        if class & class::ENDS_RUN != 0 {
            self.breaks.pop();
        }
        match class & (class::COMPACTION | class::ASSISTANT | class::RESULT) {
            class::COMPACTION => drop(self.compactions.pop()),
            class::ASSISTANT => self.settle_calls(n, below, class & class::WAITS != 0),
            class::RESULT => self.settle_results(n, below),
            _ => {}
        }
        if class & class::SEEN != 0 {
            below.quiet = 0;
        }
        below
    }

    /// Which calls of an entry stay without a result somewhere.
    fn settle_calls(&mut self, n: u32, below: Below, waiting: bool) {
        let places = self.places(n, Way::Back);
        for at in places.clone() {
            let call = at as u32;
            if self.before[at].is_none() || self.state(at) != State::Open(call) {
                continue;
            }
            let open = below.tips - self.answered[at];
            if open == 0 {
                continue;
            }
            if let Some(&result) = self.early.get(&call) {
                self.pairs.early.push(Pair { result, call });
            } else if !waiting || open > below.quiet {
                self.pairs.lost.push(call);
            }
        }
        self.undo(places);
    }

    fn settle_results(&mut self, n: u32, below: Below) {
        let places = self.places(n, Way::Back);
        for at in places.clone() {
            if self.before[at].is_some()
                && let State::Answered(call) = self.state(at)
            {
                self.answered[call as usize] += below.tips;
            }
        }
        self.undo(places);
        let calls = &self.forest.session.calls;
        while let Some(parted) = self.parted.pop_if(|(pair, _)| calls[pair.result as usize].entry == n) {
            if below.plain {
                self.pairs.parted.push(parted);
            }
        }
    }

    /// Makes the states what they were before an entry was entered.
    fn undo(&mut self, places: Range<usize>) {
        for at in places.rev() {
            if let Some(before) = self.before[at].take() {
                self.states[self.forest.session.calls[at].id as usize] = before;
            }
        }
    }

    fn finish(self) -> Pairs {
        let mut pairs = self.pairs;
        if !pairs.early.is_empty() {
            let paired: HashSet<u32> = pairs.early.iter().map(|pair| pair.result).collect();
            pairs.stray.retain(|(result, _)| !paired.contains(result));
            pairs.misplaced.extend_from_slice(&pairs.early);
        }
        pairs.early.sort_unstable_by_key(|pair| (pair.result, pair.call));
        pairs.lost.sort_unstable();
        pairs.stray.sort_unstable();
        pairs.repeated.sort_unstable_by_key(|pair| pair.result);
        pairs.misplaced.sort_unstable_by_key(|pair| (pair.result, pair.call));
        // one that stands before several calls, each on a branch of its own, is one result
        pairs.misplaced.dedup_by_key(|pair| pair.result);
        pairs.parted.sort_unstable_by_key(|(pair, _)| pair.result);
        pairs.twice.sort_unstable();
        pairs
    }
}
