//! The tree as a graph: children, ancestors, loops. Nothing recurses, and every walk ends.

use super::{Parent, Session};

/// Children of every entry, in file order.
pub struct Children {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Children {
    /// The children by the parents that `parent` gives.
    pub fn of(count: usize, parent: impl Fn(u32) -> Option<u32>) -> Children {
        let mut starts = vec![0u32; count + 1];
        for n in 0..count as u32 {
            if let Some(p) = parent(n) {
                starts[p as usize] += 1;
            }
        }
        // how many there are becomes where they end, and, filled from the back, where they start
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut list = vec![0u32; sum as usize];
        for n in (0..count as u32).rev() {
            if let Some(p) = parent(n) {
                let slot = &mut starts[p as usize];
                *slot -= 1;
                list[*slot as usize] = n;
            }
        }
        Children { starts, list }
    }

    /// The children of entry `n`.
    pub fn get(&self, n: u32) -> &[u32] {
        &self.list[self.starts[n as usize] as usize..self.starts[n as usize + 1] as usize]
    }
}

/// What is done on a [`walk`].
pub trait Visit {
    /// What is told of all that is below an entry.
    type Below: Default;
    /// Before anything below the entry.
    fn enter(&mut self, n: u32);
    /// When everything below it is done: what is told of it and all below it.
    fn leave(&mut self, n: u32, below: Self::Below) -> Self::Below;
    /// Adds what is told of one child to what is told of those before it.
    fn add(below: &mut Self::Below, child: Self::Below);
}

/// Walks the trees of `count` entries in file order, children likewise, with memory for forks only. Members of
/// loops, and what hangs on them, are in no tree.
pub fn walk<V: Visit>(count: usize, children: &Children, parent: impl Fn(u32) -> Option<u32>, visit: &mut V) {
    // of each fork that the walk is in, how many of its children are done or being walked, and what is told of
    // those that are done
    let mut forks: Vec<(u32, V::Below)> = Vec::new();
    for root in 0..count as u32 {
        if parent(root).is_some() {
            continue;
        }
        let mut next = Some(root);
        while let Some(mut n) = next {
            visit.enter(n);
            while let [first, others @ ..] = children.get(n) {
                if !others.is_empty() {
                    forks.push((1, V::Below::default()));
                }
                n = *first;
                visit.enter(n);
            }
            let mut below = V::Below::default();
            next = loop {
                below = visit.leave(n, below);
                if n == root {
                    break None;
                }
                let Some(above) = parent(n) else { break None };
                n = above;
                let siblings = children.get(n);
                if siblings.len() > 1
                    && let Some((done, all)) = forks.last_mut()
                {
                    V::add(all, below);
                    if let Some(&sibling) = siblings.get(*done as usize) {
                        *done += 1;
                        break Some(sibling);
                    }
                    below = forks.pop().map(|(_, all)| all).unwrap_or_default();
                }
            };
        }
    }
}

/// When a walk through the forest enters and leaves each entry: tells ancestors at once.
pub struct Intervals {
    times: Vec<(u32, u32)>,
}

impl Intervals {
    /// Walks the forest of a session.
    pub fn of(session: &Session, children: &Children) -> Intervals {
        Intervals::by(session.entries.len(), children, |n| session.parent(n))
    }

    /// Walks the forest of `count` entries by the parents that `parent` gives. Members of loops, and what
    /// hangs on them, are in no tree and related to nothing.
    pub fn by(count: usize, children: &Children, parent: impl Fn(u32) -> Option<u32>) -> Intervals {
        struct Clock {
            times: Vec<(u32, u32)>,
            now: u32,
        }
        impl Visit for Clock {
            type Below = ();

            #[inline]
            fn enter(&mut self, n: u32) {
                self.times[n as usize].0 = self.now;
                self.now += 1;
            }

            #[inline]
            fn leave(&mut self, n: u32, (): ()) {
                self.times[n as usize].1 = self.now;
            }

            fn add((): &mut (), (): ()) {}
        }
        let mut clock = Clock { times: vec![(u32::MAX, 0); count], now: 0 };
        walk(count, children, parent, &mut clock);
        Intervals { times: clock.times }
    }

    /// When the walk enters an entry; `u32::MAX` for what it never comes to.
    pub fn entered(&self, n: u32) -> u32 {
        self.times[n as usize].0
    }

    /// When the walk has left an entry and everything below it.
    pub fn left(&self, n: u32) -> u32 {
        self.times[n as usize].1
    }

    /// Whether `a` is entered after `n`.
    pub fn is_after(&self, a: u32, n: u32) -> bool {
        self.times[a as usize].0 > self.times[n as usize].0
    }

    /// Whether `a` is `n` or one of its ancestors.
    pub fn is_on_path(&self, a: u32, n: u32) -> bool {
        let (a, n) = (self.times[a as usize], self.times[n as usize]);
        a.0 != u32::MAX && n.0 != u32::MAX && a.0 <= n.0 && n.0 < a.1
    }
}

/// The loops of the graph that `parent` gives, each as its members: the one that stands first in
/// the file first, then from parent to child. Every loop has an edge from an entry to itself or to
/// a later one; only those are walked from, and no entry is walked over twice.
pub fn loops(count: usize, parent: impl Fn(u32) -> Option<u32>) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut found = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for start in 0..count as u32 {
        if parent(start).is_none_or(|p| p < start) {
            continue;
        }
        if seen.is_empty() {
            seen = vec![UNSEEN; count];
        }
        let mut at = Some(start);
        while let Some(n) = at.filter(|n| seen[*n as usize] == UNSEEN) {
            seen[n as usize] = start;
            at = parent(n);
        }
        // only a walk that meets itself has found a loop, and a new one
        let Some(entry) = at.filter(|n| seen[*n as usize] == start) else { continue };
        let mut members = vec![entry];
        let mut next = parent(entry);
        while let Some(p) = next.filter(|p| *p != entry) {
            members.push(p);
            next = parent(p);
        }
        // the walk went from child to parent; people read it the other way round
        members.reverse();
        let first = (0..members.len()).min_by_key(|i| members[*i]).unwrap_or(0);
        members.rotate_left(first);
        found.push(members);
    }
    found
}

impl Session {
    /// What entry `n` hangs on, as the tree has it.
    #[inline]
    pub fn hangs_on(&self, n: u32) -> Parent {
        Parent::of(self.links[n as usize])
    }

    /// The entry that `n` hangs on.
    #[inline]
    pub fn parent(&self, n: u32) -> Option<u32> {
        self.hangs_on(n).entry()
    }

    /// Children of every entry, in file order.
    pub fn children(&self) -> Children {
        Children::of(self.entries.len(), |n| self.parent(n))
    }

    /// The entries from `n` to its root, `n` first. A loop ends the walk where it would repeat.
    pub fn path(&self, n: u32) -> Path<'_> {
        Path { session: self, next: Some(n), entered: None }
    }

    /// How many entries have no children.
    pub fn tips(&self) -> u64 {
        let mut parents = vec![false; self.entries.len()];
        for link in &self.links {
            if let Parent::Entry(p) = Parent::of(*link) {
                parents[p as usize] = true;
            }
        }
        parents.iter().filter(|p| !**p).count() as u64
    }
}

/// A walk from an entry to its root.
pub struct Path<'a> {
    session: &'a Session,
    next: Option<u32>,
    /// The first member of a loop that the walk came to.
    entered: Option<u32>,
}

impl Iterator for Path<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let n = self.next?;
        if self.entered.is_none() && self.session.is_in_loop(n) {
            self.entered = Some(n);
        }
        self.next = self.session.parent(n).filter(|p| Some(*p) != self.entered);
        Some(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parents: &[i64]) -> Vec<Vec<u32>> {
        loops(parents.len(), |n| u32::try_from(parents[n as usize]).ok())
    }

    proptest::proptest! {
        /// Children and ancestors are what a look at every entry says; of members of loops there is nothing to say.
        #[test]
        fn the_forest_is_what_its_parents_say(parents in proptest::collection::vec(-2i64..12, 1..12)) {
            let count = parents.len();
            let parent = |n: u32| u32::try_from(parents[n as usize]).ok().filter(|p| (*p as usize) < count);
            let children = Children::of(count, parent);
            let above = |n: u32| std::iter::successors(Some(n), |n| parent(*n)).take(count + 1).collect::<Vec<_>>();
            let intervals = Intervals::by(count, &children, parent);
            for n in 0..count as u32 {
                let own: Vec<u32> = (0..count as u32).filter(|m| parent(*m) == Some(n)).collect();
                proptest::prop_assert_eq!(children.get(n), own);
                for a in 0..count as u32 {
                    let path = above(n);
                    let is_tree = path.len() <= count;
                    proptest::prop_assert_eq!(intervals.is_on_path(a, n), is_tree && path.contains(&a));
                }
            }
        }
    }

    #[test]
    fn loops_are_found_once_with_their_members_in_order() {
        assert!(of(&[-1, 0, 1]).is_empty());
        assert_eq!(of(&[0]), [[0]]);
        assert_eq!(of(&[-1, 2, 1]), [[1, 2]]);
        assert_eq!(of(&[3, 0, 1, 2]), [[0, 1, 2, 3]]);
        // two tails into one loop, and a second loop
        assert_eq!(of(&[3, 3, 4, 4, 3, 5]), [vec![3, 4], vec![5]]);
        // a forward edge that closes nothing
        assert!(of(&[1, -1]).is_empty());
    }
}
