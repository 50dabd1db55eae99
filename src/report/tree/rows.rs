//! A tree as rows, one below the other: what is shown, what is folded, how far it is indented.
//!
//! The last child of an entry goes on straight below it; the others are side branches, one step
//! further in, and stand before it. So a chain prints straight down, and the indentation counts how
//! many branches one is away from the last.

use super::{Options, Tree};
use crate::dialect::pi::EntryType;
use crate::session::view::{NONE, Order};
use hashbrown::HashSet;

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub what: What,
    /// The row above that it hangs on, [`NONE`] for a root.
    pub parent: u32,
    /// How many side branches it is in.
    pub level: u32,
    /// Whether it begins a side branch.
    pub turns: bool,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An entry.
    Entry(u32),
    /// So many entries of a chain.
    Fold(u64),
    /// A branch that is not shown: its first entry, and how many it has.
    Stub(u32, u64),
}

/// The rows of a tree.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows.
    pub list: Vec<Row>,
    /// How many entries the filter hides.
    pub hidden: u64,
    /// Whether nodes were left out, because repeated ids show subtrees again and again.
    pub was_cut: bool,
    /// Whether a repeated id puts an entry below itself.
    pub hangs: bool,
}

/// A run of more unremarkable entries than this is folded.
const LONGEST_RUN: usize = 7;

/// How many entries of a run stand before and behind the fold.
const AROUND_FOLD: usize = 2;

/// A visible entry before folding.
struct Seen {
    node: u32,
    parent: u32,
    depth: u32,
    children: u32,
    last_child: u32,
    stub: u64,
}

impl Rows {
    /// The rows of `tree`.
    pub fn of(tree: &Tree<'_>, options: &Options) -> Rows {
        let order = Order::of(tree.view);
        let mut rows = Rows::default();
        let mut seen = Vec::new();
        if tree.only_branch {
            rows.branch(tree, options, &order, &mut seen);
        } else {
            rows.whole(tree, options, &order, &mut seen);
        }
        for n in 0..seen.len() {
            let parent = seen[n].parent as usize;
            if let Some(parent) = seen.get_mut(parent) {
                parent.children += 1;
                parent.last_child = n as u32;
            }
        }
        let keep = if options.all { vec![true; seen.len()] } else { kept(tree, &seen) };
        rows.fold(&seen, &keep);
        rows
    }

    /// Every visible entry, each under its nearest visible ancestor.
    fn whole(&mut self, tree: &Tree<'_>, options: &Options, order: &Order, seen: &mut Vec<Seen>) {
        // for each entry that is open, the row that its children hang on
        let mut open: Vec<u32> = Vec::new();
        let mut walk = order.walk();
        for place in walk.by_ref() {
            open.truncate(place.depth as usize);
            let parent = open.last().copied().unwrap_or(NONE);
            if tree.passes(place.node, options.filter) {
                open.push(seen.len() as u32);
                seen.push(Seen::new(place.node, parent, place.depth));
            } else {
                self.hidden += 1;
                open.push(parent);
            }
        }
        (self.was_cut, self.hangs) = (walk.was_cut, walk.hangs);
    }

    /// The branch, and for each branch that leaves it one row.
    fn branch(&mut self, tree: &Tree<'_>, options: &Options, order: &Order, seen: &mut Vec<Seen>) {
        let mut parent = NONE;
        let nodes = &tree.branch.nodes;
        for (depth, &n) in (0u32..).zip(nodes) {
            if tree.passes(n, options.filter) {
                seen.push(Seen::new(n, parent, depth));
                parent = seen.len() as u32 - 1;
            } else {
                self.hidden += 1;
            }
            let next = nodes.get(depth as usize + 1);
            for &other in order.children(n).iter().filter(|child| Some(*child) != next) {
                seen.push(Seen { stub: size_below(order, other), ..Seen::new(other, parent, depth + 1) });
            }
        }
    }

    /// Gives the rows their places, runs of what is not kept as one.
    fn fold(&mut self, seen: &[Seen], keep: &[bool]) {
        let mut place = vec![NONE; seen.len()];
        let mut levels = vec![0u32; seen.len()];
        let mut n = 0;
        while n < seen.len() {
            let Seen { parent, .. } = seen[n];
            let turns = seen.get(parent as usize).is_some_and(|p| p.last_child != n as u32) || seen[n].stub > 0;
            levels[n] = levels.get(parent as usize).copied().unwrap_or(0) + u32::from(turns);
            let row = |what| Row {
                what,
                parent: place.get(parent as usize).copied().unwrap_or(NONE),
                level: levels[n],
                turns,
            };
            let end = n + keep[n..].iter().take_while(|keep| !**keep).count();
            let (row, end) = match end - n {
                0 if seen[n].stub > 0 => (row(What::Stub(seen[n].node, seen[n].stub)), n + 1),
                0 => (row(What::Entry(seen[n].node)), n + 1),
                // what the filter hides in between is folded, too
                _ => (row(What::Fold(u64::from(seen[end - 1].depth - seen[n].depth) + 1)), end),
            };
            for slot in n..end {
                place[slot] = self.list.len() as u32;
                levels[slot] = levels[n];
            }
            self.list.push(row);
            n = end;
        }
    }
}

impl Seen {
    fn new(node: u32, parent: u32, depth: u32) -> Self {
        Seen { node, parent, depth, children: 0, last_child: NONE, stub: 0 }
    }
}

/// Which entries are not folded: ends and forks, what is marked, and some around each fold.
fn kept(tree: &Tree<'_>, seen: &[Seen]) -> Vec<bool> {
    let mut keep: Vec<bool> = (0..seen.len()).map(|n| is_remarkable(tree, seen, n)).collect();
    let mut n = 0;
    while n < keep.len() {
        let run = keep[n..].iter().take_while(|keep| !**keep).count();
        let (from, to) = if run > LONGEST_RUN { (n + AROUND_FOLD, n + run - AROUND_FOLD) } else { (n + run, n + run) };
        keep[n..from].fill(true);
        keep[to..n + run].fill(true);
        n += run.max(1);
    }
    keep
}

fn is_remarkable(tree: &Tree<'_>, seen: &[Seen], n: usize) -> bool {
    let Seen { node, parent, children, stub, .. } = seen[n];
    let only_child = parent as usize == n.wrapping_sub(1) && seen[n - 1].children == 1;
    let kind = tree.view.row(node).kind;
    !only_child
        || children != 1
        || stub > 0
        || matches!(kind, EntryType::Compaction | EntryType::BranchSummary)
        || tree.leaf.node() == Some(node)
        || tree.view.label(node).is_some()
        || !tree.codes(node).is_empty()
}

/// How many entries a branch has, itself included.
fn size_below(order: &Order, n: u32) -> u64 {
    let mut seen = HashSet::new();
    let mut open = vec![n];
    while let Some(n) = open.pop() {
        if seen.insert(n) {
            open.extend_from_slice(order.children(n));
        }
    }
    seen.len() as u64
}
