//! Which tool result answers which call, on every branch at once.
//!
//! The forest is walked once, without recursion, and with no memory for what is in a chain. On the way down the state of each call id is noted (which
//! call stands there, whether it is answered), and on the way back up undone; what a subtree is like is
//! added up on the way back. So each entry is looked at once, however many tips share it.

use super::graph::Children;
use super::{Call, Session, flags};
use crate::dialect::pi::{EntryType, Role};
use hashbrown::{HashMap, HashSet};

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
#[derive(Clone, Copy)]
enum State {
    Unseen,
    /// A result that no call stands before.
    Early(u32),
    /// A call of a failed message.
    Failed(u32),
    Open(Open),
    /// An answered call.
    Answered(u32),
}

/// A call that waits for its result.
#[derive(Clone, Copy)]
struct Open {
    call: u32,
    /// How many messages that end a run stood on the path, the call's included.
    breaks: u32,
    /// How many compactions.
    compactions: u32,
}

/// An entry with several children that the walk is in; one with a single child needs no memory.
struct Fork {
    /// How many of its children are done, or are being walked.
    done: u32,
    /// What is below those that are done.
    below: Below,
}

/// What a state was before an entry changed it.
struct Change {
    slot: u32,
    entry: u32,
    before: State,
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

impl Below {
    /// Together with what is below another child.
    fn add(&mut self, other: Below) {
        self.tips += other.tips;
        self.quiet += other.quiet;
        self.plain |= other.plain;
    }
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
        let mut walk = Walk::new(forest);
        for root in 0..forest.session.entries.len() as u32 {
            if (forest.parent)(root).is_none() {
                walk.tree(root);
            }
        }
        walk.finish()
    }
}

struct Walk<'a> {
    forest: &'a Forest<'a>,
    /// The state of each call id.
    slots: HashMap<u64, u32>,
    states: Vec<State>,
    changes: Vec<Change>,
    forks: Vec<Fork>,
    breaks: u32,
    compactions: Vec<u32>,
    /// Of each call: on how many branches it is answered, and a result that stands before it.
    answered: Vec<u32>,
    early: HashMap<u32, u32>,
    /// Results with the compaction that parts them from their call.
    parted: Vec<(Pair, u32)>,
    /// Where in the list of calls the walk is.
    cursor: usize,
    pairs: Pairs,
}

impl<'a> Walk<'a> {
    fn new(forest: &'a Forest<'a>) -> Self {
        let count = forest.session.calls.len();
        Walk {
            forest,
            slots: HashMap::with_capacity(count / 2),
            states: Vec::with_capacity(count / 2),
            changes: Vec::new(),
            forks: Vec::new(),
            breaks: 0,
            compactions: Vec::new(),
            answered: vec![0; count],
            early: HashMap::new(),
            parted: Vec::new(),
            cursor: 0,
            pairs: Pairs::default(),
        }
    }

    fn tree(&mut self, root: u32) {
        let mut n = root;
        loop {
            self.enter(n);
            let mut children = self.forest.children.get(n);
            while let [first, others @ ..] = children {
                if !others.is_empty() {
                    self.forks.push(Fork { done: 1, below: Below::default() });
                }
                n = *first;
                self.enter(n);
                children = self.forest.children.get(n);
            }
            match self.back(n, root) {
                Some(next) => n = next,
                None => return,
            }
        }
    }

    /// Goes back up from entry `n`, which has no children, to where something is left to walk: that entry.
    fn back(&mut self, mut n: u32, root: u32) -> Option<u32> {
        let mut below = Below::default();
        loop {
            below = self.leave(n, below);
            if n == root {
                return None;
            }
            n = (self.forest.parent)(n)?;
            let children = self.forest.children.get(n);
            if children.len() > 1 {
                let mut fork = self.forks.pop()?;
                fork.below.add(below);
                if let Some(&next) = children.get(fork.done as usize) {
                    fork.done += 1;
                    self.forks.push(fork);
                    return Some(next);
                }
                below = fork.below;
            }
        }
    }

    fn counts(&self, n: u32) -> bool {
        (self.forest.counts)(n)
    }

    fn enter(&mut self, n: u32) {
        if !self.counts(n) {
            return;
        }
        let session = self.forest.session;
        let entry = &session.entries[n as usize];
        self.breaks += u32::from(ends_run(session, n));
        match (entry.kind, entry.role) {
            (EntryType::Compaction, _) => self.compactions.push(n),
            (EntryType::Message, Role::Assistant) => self.calls(n, entry.has(flags::FAILED)),
            (EntryType::Message, Role::ToolResult) => self.results(n),
            _ => {}
        }
    }

    /// The places of an entry's calls in the list.
    fn places(&mut self, n: u32) -> std::ops::Range<usize> {
        let calls: &[Call] = &self.forest.session.calls;
        // the walk mostly goes along the file
        let before = self.cursor.checked_sub(1).is_none_or(|at| calls[at].entry < n);
        let behind = calls.get(self.cursor).is_none_or(|call| call.entry >= n);
        if !before || !behind {
            self.cursor = calls.partition_point(|call| call.entry < n);
        }
        let start = self.cursor;
        self.cursor += calls[start..].iter().take_while(|call| call.entry == n).count();
        start..self.cursor
    }

    /// Whether a call is one of an entry's.
    fn is_in(&self, n: u32, call: u32) -> bool {
        self.forest.session.calls[call as usize].entry == n
    }

    fn slot(&mut self, id: u64) -> u32 {
        let next = self.states.len() as u32;
        let slot = *self.slots.entry(id).or_insert(next);
        if slot == next {
            self.states.push(State::Unseen);
        }
        slot
    }

    /// Entry `entry` changes the state of a slot.
    fn set(&mut self, entry: u32, slot: u32, state: State) {
        let before = std::mem::replace(&mut self.states[slot as usize], state);
        self.changes.push(Change { slot, entry, before });
    }

    fn calls(&mut self, n: u32, failed: bool) {
        let places = self.places(n);
        let (breaks, compactions) = (self.breaks, self.compactions.len() as u32);
        for at in places {
            let call = at as u32;
            let slot = self.slot(self.forest.session.calls[at].id);
            match self.states[slot as usize] {
                State::Open(first) if self.is_in(n, first.call) => {
                    self.pairs.twice.push((call, first.call));
                    continue;
                }
                _ if failed => {
                    self.set(n, slot, State::Failed(call));
                    continue;
                }
                State::Early(result) => {
                    self.early.insert(call, result);
                }
                _ => {}
            }
            self.set(n, slot, State::Open(Open { call, breaks, compactions }));
        }
    }

    fn results(&mut self, n: u32) {
        for at in self.places(n) {
            let result = at as u32;
            let slot = self.slot(self.forest.session.calls[at].id);
            match self.states[slot as usize] {
                State::Unseen => {
                    self.pairs.stray.push((result, None));
                    self.set(n, slot, State::Early(result));
                }
                State::Early(_) => self.pairs.stray.push((result, None)),
                State::Failed(call) => self.pairs.stray.push((result, Some(call))),
                State::Answered(call) => self.pairs.repeated.push(Pair { result, call }),
                State::Open(open) => {
                    self.answer(open, result);
                    self.set(n, slot, State::Answered(open.call));
                }
            }
        }
    }

    fn answer(&mut self, open: Open, result: u32) {
        let pair = Pair { result, call: open.call };
        self.pairs.answers.push(pair);
        if open.breaks != self.breaks {
            self.pairs.misplaced.push(pair);
        } else if self.compactions.len() as u32 > open.compactions
            && let Some(&compaction) = self.compactions.last()
        {
            self.parted.push((pair, compaction));
        }
    }

    /// Leaves an entry below which it is like that; what its subtree is like.
    fn leave(&mut self, n: u32, mut below: Below) -> Below {
        let entry = &self.forest.session.entries[n as usize];
        // the last changes are its own: those of what is below it are undone
        let changes = self.changes.iter().rposition(|change| change.entry != n).map_or(0, |at| at + 1);
        if self.counts(n) {
            let tip = below.tips == 0 || self.forest.leaf == Some(n);
            below.tips += u32::from(tip);
            below.quiet += u32::from(tip);
            below.plain = (below.plain || tip) && entry.kind != EntryType::Compaction;
            self.breaks -= u32::from(ends_run(self.forest.session, n));
            match (entry.kind, entry.role) {
                (EntryType::Compaction, _) => drop(self.compactions.pop()),
                (EntryType::Message, Role::Assistant) => self.settle_calls(n, below, changes),
                (EntryType::Message, Role::ToolResult) => self.settle_results(n, below, changes),
                _ => {}
            }
            // a summary of a branch that was left is a message to the model
            if entry.is_message() || entry.kind == EntryType::BranchSummary {
                below.quiet = 0;
            }
        }
        for change in self.changes.drain(changes..).rev() {
            self.states[change.slot as usize] = change.before;
        }
        below
    }

    /// Below an entry with calls all is known: which of them stay without a result somewhere.
    fn settle_calls(&mut self, n: u32, below: Below, changes: usize) {
        let waiting = self.forest.session.entries[n as usize].has(flags::TOOL_USE);
        for at in changes..self.changes.len() {
            let State::Open(Open { call, .. }) = self.states[self.changes[at].slot as usize] else { continue };
            let open = below.tips - self.answered[call as usize];
            if open == 0 {
                continue;
            }
            if let Some(&result) = self.early.get(&call) {
                self.pairs.early.push(Pair { result, call });
            } else if !waiting || open > below.quiet {
                self.pairs.lost.push(call);
            }
        }
    }

    fn settle_results(&mut self, n: u32, below: Below, changes: usize) {
        for at in changes..self.changes.len() {
            if let State::Answered(call) = self.states[self.changes[at].slot as usize] {
                self.answered[call as usize] += below.tips;
            }
        }
        let calls = &self.forest.session.calls;
        while let Some(parted) = self.parted.pop_if(|(pair, _)| calls[pair.result as usize].entry == n) {
            if below.plain {
                self.pairs.parted.push(parted);
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
