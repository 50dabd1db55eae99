//! How a session branches, how deep it goes, and which thinking level is in force where.

use crate::session::{Parent, Session};

/// The shape of a session's tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Entries that hang on nothing.
    pub roots: u64,
    /// Entries without children: the ends of branches.
    pub tips: u64,
    /// Entries with more than one child.
    pub forks: u64,
    /// Entries on the longest way from a root to a tip.
    pub depth: u64,
    /// Entries on the current branch.
    pub branch: u64,
}

impl Shape {
    /// Looks at the tree; the length of the branch is left to the caller.
    pub fn of(session: &Session) -> Shape {
        let count = session.entries.len();
        // no child, one, or more
        let mut children = vec![0u8; count];
        let mut shape = Shape::default();
        for n in 0..count as u32 {
            match session.hangs_on(n) {
                Parent::Entry(parent) => children[parent as usize] = (children[parent as usize] + 1).min(2),
                _ => shape.roots += 1,
            }
        }
        shape.tips = children.iter().filter(|n| **n == 0).count() as u64;
        shape.forks = children.iter().filter(|n| **n == 2).count() as u64;
        drop(children);
        let mut depths = vec![0u32; count];
        each_below_its_parent(session, |n, parent| {
            let depth = parent.map_or(0, |p| depths[p as usize]) + 1;
            depths[n as usize] = depth;
            shape.depth = shape.depth.max(u64::from(depth));
        });
        shape
    }
}

/// Calls `visit` with each entry and its parent, parents first. A loop is cut at the member that stands
/// first, which is visited without its parent.
fn each_below_its_parent(session: &Session, mut visit: impl FnMut(u32, Option<u32>)) {
    const NEW: u8 = 0;
    const MET: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; session.entries.len()];
    let mut chain = Vec::new();
    for start in 0..session.entries.len() as u32 {
        let mut at = Some(start);
        // nearly always the parent stands before and is done, so that the chain is one entry
        while let Some(n) = at.filter(|n| state[*n as usize] == NEW) {
            state[n as usize] = MET;
            chain.push(n);
            at = session.parent(n);
        }
        if let Some(from) = at.and_then(|n| chain.iter().position(|met| *met == n)) {
            // the walk came round: it begins anew at the member that stands first in the file
            let members = &mut chain[from..];
            let first = (0..members.len()).min_by_key(|k| members[*k]).unwrap_or(0);
            members.rotate_left((first + 1) % members.len());
        }
        while let Some(n) = chain.pop() {
            let parent = session.parent(n).filter(|p| state[*p as usize] == DONE);
            visit(n, parent);
            state[n as usize] = DONE;
        }
    }
}

/// Entries that set the thinking level.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    names: Names,
    /// The entry and the place of the name, in file order.
    list: Vec<(u32, u8)>,
}

impl Changes {
    /// Adds an entry, which stands behind those that were added.
    pub fn add(&mut self, entry: u32, level: &str) {
        let place = self.names.place(level);
        self.list.push((entry, place));
    }

    /// Adds those of the next block, whose entries count from `first`.
    pub fn append(&mut self, later: Changes, first: u32) {
        let places = self.names.places_of(&later.names);
        self.list.extend(later.list.into_iter().map(|(n, place)| (n + first, places[usize::from(place)])));
    }
}

/// A few names, each known by its place.
#[derive(Clone, Debug, Default)]
struct Names(Vec<String>);

impl Names {
    /// The place of a name; all that are too many share the last one.
    fn place(&mut self, name: &str) -> u8 {
        let most = usize::from(u8::MAX);
        let at = self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            if self.0.len() < most {
                self.0.push(name.to_string());
            } else if self.0.len() == most {
                self.0.push(super::tally::OTHERS.to_string());
            }
            self.0.len() - 1
        });
        at as u8
    }

    /// The places that other names have here.
    fn places_of(&mut self, others: &Names) -> Vec<u8> {
        others.0.iter().map(|name| self.place(name)).collect()
    }
}

/// The thinking level in force at each entry.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    names: Names,
    /// Of each entry the place of the name; empty where no level is set.
    places: Vec<u8>,
}

/// The level where none was set.
const DEFAULT_LEVEL: &str = "off";

impl Levels {
    /// Follows the levels that entries set along the branches.
    pub fn of(session: &Session, changes: &Changes) -> Levels {
        if changes.list.is_empty() {
            return Levels::default();
        }
        let mut names = Names(vec![DEFAULT_LEVEL.to_string()]);
        let known = names.places_of(&changes.names);
        let mut places = vec![0; session.entries.len()];
        each_below_its_parent(session, |n, parent| {
            places[n as usize] = match changes.list.binary_search_by_key(&n, |(entry, _)| *entry) {
                Ok(at) => known[usize::from(changes.list[at].1)],
                Err(_) => parent.map_or(0, |p| places[p as usize]),
            };
        });
        Levels { names, places }
    }

    /// The level in force at an entry.
    pub fn at(&self, n: u32) -> &str {
        let place = self.places.get(n as usize).copied().unwrap_or(0);
        self.names.0.get(usize::from(place)).map_or(DEFAULT_LEVEL, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::scan::scan;
    use crate::source::Source;

    fn session(entries: &[(&str, Option<&str>)]) -> Session {
        let entry = |(id, parent): &(&str, Option<&str>)| {
            let parent = parent.map_or("null".to_string(), |p| format!("\"{p}\""));
            format!("{{\"type\":\"label\",\"id\":\"{id}\",\"parentId\":{parent}}}\n")
        };
        let text: String = entries.iter().map(entry).collect();
        scan::<()>(&Source::bytes(text.into_bytes()), &Default::default()).expect("an index").0
    }

    #[test]
    fn depth_and_branches() {
        let tree = session(&[
            ("a", None),
            ("b", Some("a")),
            ("c", Some("b")),
            ("d", Some("a")),
            ("e", Some("d")),
            ("f", Some("e")),
        ]);
        let shape = Shape::of(&tree);
        assert_eq!((shape.roots, shape.tips, shape.forks, shape.depth), (1, 2, 1, 4));
        assert_eq!(Shape::of(&session(&[])), Shape::default());
    }

    #[test]
    fn parents_that_stand_behind_and_loops() {
        let forward = session(&[("c", Some("b")), ("b", Some("a")), ("a", None)]);
        assert_eq!(Shape::of(&forward).depth, 3);
        let looped = session(&[("a", Some("c")), ("b", Some("a")), ("c", Some("b")), ("d", Some("c"))]);
        assert_eq!(Shape::of(&looped).depth, 4);
        assert_eq!(Shape::of(&session(&[("a", Some("a"))])).depth, 1);
    }

    #[test]
    fn levels_follow_the_branch() {
        let tree = session(&[("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("a"))]);
        let mut changes = Changes::default();
        changes.add(1, "high");
        let levels = Levels::of(&tree, &changes);
        assert_eq!([0, 1, 2, 3].map(|n| levels.at(n)), ["off", "high", "high", "off"]);
    }

    #[test]
    fn too_many_levels_share_a_name() {
        let (mut first, mut second) = (Changes::default(), Changes::default());
        (0..300).for_each(|n| first.add(n, &format!("level {n}")));
        second.add(0, "level 7");
        second.add(1, "one more");
        first.append(second, 300);
        let name = |at: usize| first.names.0[usize::from(first.list[at].1)].as_str();
        assert_eq!(
            [0, 254, 255, 299, 300, 301].map(name),
            ["level 0", "level 254", "(others)", "(others)", "level 7", "(others)"]
        );
    }
}
