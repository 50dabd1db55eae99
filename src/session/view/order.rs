//! The order of the tree: roots in file order, children by time.

use super::{NONE, View};
use crate::session::NO_TIME;
use crate::session::graph::Children;
use std::cmp::Ordering;

/// How many nodes a tree shows for each entry at most. A repeated id makes pi show the later copy with
/// its whole subtree under each copy's parent, which grows without bound where copies are nested.
const MOST_PER_ENTRY: u64 = 4;

/// The tree's edges in the reader's order.
pub struct Order {
    roots: Vec<u32>,
    children: Children,
    /// The children of the nodes whose children are not in file order.
    sorted: hashbrown::HashMap<u32, Vec<u32>>,
    /// Whether a node can be met twice.
    repeats: bool,
    count: u64,
}

impl Order {
    /// The order of a view's tree.
    pub fn of(view: &View<'_>) -> Order {
        let count = view.len();
        let children = Children::of(count as usize, |n| view.tree_parent(n));
        let roots = (0..count).filter(|n| view.tree_parent(*n).is_none()).map(|n| view.standing(n)).collect();
        let repeats = !view.later.is_empty();
        let mut order = Order { roots, children, sorted: hashbrown::HashMap::new(), repeats, count: u64::from(count) };
        for n in 0..count {
            let listed = order.children.get(n);
            if listed.len() < 2 && !repeats {
                continue;
            }
            let mut own: Vec<u32> = listed.iter().map(|c| view.standing(*c)).collect();
            sort_by_time(&mut own, |n| view.row(n).time);
            if own != listed {
                order.sorted.insert(n, own);
            }
        }
        order
    }

    /// The roots.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The children of a node.
    pub fn children(&self, n: u32) -> &[u32] {
        match self.sorted.get(&n) {
            Some(list) => list,
            None => self.children.get(n),
        }
    }

    /// Walks the tree, each parent before its children.
    pub fn walk(&self) -> Walk<'_> {
        let on_path = if self.repeats { vec![false; self.count as usize] } else { Vec::new() };
        Walk { order: self, stack: Vec::new(), next_root: 0, on_path, shown: 0, was_cut: false, hangs: false }
    }
}

/// A node as the walk meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The node.
    pub node: u32,
    /// How deep it stands; a root has 0.
    pub depth: u32,
    /// The node that it is shown under, [`NONE`] for a root.
    pub under: u32,
}

/// A walk through the tree, without recursion.
pub struct Walk<'a> {
    order: &'a Order,
    /// The nodes that are open, and how many of their children are done.
    stack: Vec<(u32, u32)>,
    next_root: usize,
    on_path: Vec<bool>,
    shown: u64,
    /// Whether nodes are left out, since there are too many.
    pub was_cut: bool,
    /// Whether a node was met below itself: pi hangs there.
    pub hangs: bool,
}

impl Walk<'_> {
    fn enter(&mut self, node: u32, depth: u32, under: u32) -> Option<Place> {
        if self.order.repeats {
            if self.on_path[node as usize] {
                self.hangs = true;
                return None;
            }
            if self.shown >= MOST_PER_ENTRY * self.order.count {
                self.was_cut = true;
                return None;
            }
            self.on_path[node as usize] = true;
        }
        self.shown += 1;
        self.stack.push((node, 0));
        Some(Place { node, depth, under })
    }

    fn leave(&mut self) {
        if let (Some((node, _)), true) = (self.stack.pop(), self.order.repeats) {
            self.on_path[node as usize] = false;
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        loop {
            if self.was_cut {
                return None;
            }
            let depth = self.stack.len() as u32;
            let Some((node, done)) = self.stack.last_mut() else {
                let root = *self.order.roots.get(self.next_root)?;
                self.next_root += 1;
                match self.enter(root, 0, NONE) {
                    Some(place) => return Some(place),
                    None => continue,
                }
            };
            let node = *node;
            match self.order.children(node).get(*done as usize) {
                Some(&child) => {
                    *done += 1;
                    if let Some(place) = self.enter(child, depth, node) {
                        return Some(place);
                    }
                }
                None => self.leave(),
            }
        }
    }
}

/// Sorts as V8 does with a comparison that finds an invalid time equal to every other: a run from the
/// start, then binary insertion. V8 merges several runs beyond 64 elements; this does not, so there an
/// order that involves invalid times may differ. Valid times leave no choice.
fn sort_by_time(nodes: &mut [u32], time: impl Fn(u32) -> i64) {
    if nodes.iter().all(|n| time(*n) != NO_TIME) {
        return nodes.sort_by_key(|n| time(*n));
    }
    let compare = |a: u32, b: u32| match (time(a), time(b)) {
        (NO_TIME, _) | (_, NO_TIME) => Ordering::Equal,
        (a, b) => a.cmp(&b),
    };
    for start in first_run(nodes, compare)..nodes.len() {
        let pivot = nodes[start];
        let (mut left, mut right) = (0, start);
        while left < right {
            let middle = left + (right - left) / 2;
            if compare(pivot, nodes[middle]) == Ordering::Less {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        nodes[left..=start].rotate_right(1);
    }
}

/// The length of the run at the start, turned round if it falls.
fn first_run(nodes: &mut [u32], compare: impl Fn(u32, u32) -> Ordering) -> usize {
    if nodes.len() < 2 {
        return nodes.len();
    }
    let falls = compare(nodes[1], nodes[0]) == Ordering::Less;
    let goes_on = |pair: &[u32]| (compare(pair[1], pair[0]) == Ordering::Less) == falls;
    let length = 1 + nodes.windows(2).take_while(|pair| goes_on(pair)).count();
    if falls {
        nodes[..length].reverse();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(times: &[i64]) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..times.len() as u32).collect();
        sort_by_time(&mut nodes, |n| times[n as usize]);
        nodes
    }

    #[test]
    fn valid_times_sort_stably() {
        assert_eq!(sorted(&[3, 1, 2, 1]), [1, 3, 2, 0]);
        assert_eq!(sorted(&[]), [0u32; 0]);
    }

    #[test]
    fn an_invalid_time_equals_every_other() {
        assert_eq!(sorted(&[9, NO_TIME, 3]), [0, 1, 2], "the run goes on over it");
        assert_eq!(sorted(&[9, 3, NO_TIME, 1]), [3, 1, 0, 2]);
        // what pi 1.6.0 made of eleven children, some of them without a time
        let seconds = [9, NO_TIME, 3, 0, 1, 0, NO_TIME, -7195, 2, NO_TIME];
        let times = seconds.map(|s| if s == NO_TIME { s } else { s * 1000 });
        let mut with_null = times;
        with_null[3] = -1_735_689_600_000;
        assert_eq!(sorted(&with_null), [0, 1, 3, 7, 5, 4, 8, 2, 6, 9]);
    }
}
