//! From inputs to the forest of forks.

use super::opened;
use crate::dialect;
use crate::report::ReadError;
use crate::report::family::{Forest, Node, Stated, Tie};
use crate::report::list::Skipped;
use crate::rules::check::has_manifest;
use crate::rules::kind::FileKind;
use crate::session::graph;
use crate::session::kin::copies::{Copies, How};
use crate::session::kin::heads::Head;
use crate::session::kin::links::{By, Links, Origin};
use crate::session::kin::shared::Prints;
use crate::session::kin::{Trace, compare_names};
use crate::session::picker::Picker;
use crate::session::scan::{self, random_seed, scan};
use crate::source::Source;
use crate::source::inputs::Input;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// What comes out of one input.
enum Found {
    Session(Box<(Node, Head, Trace)>),
    Skipped(Skipped),
    Error(ReadError),
}

/// The forest of the sessions among the inputs. With `asked`, the tree of that input alone. `step` is called
/// once for each input.
pub fn forest(inputs: Vec<Input>, asked: Option<usize>, step: &(dyn Fn() + Sync)) -> Forest {
    let inputs: Arc<[Input]> = inputs.into();
    let seed = random_seed();
    let one = |(n, input): (usize, &Input)| {
        let found = read(n as u32, input, seed);
        step();
        found
    };
    let found: Vec<Found> = inputs.par_iter().enumerate().map(one).collect();
    let mut forest = Forest::default();
    let (mut nodes, mut traces) = (Vec::new(), Vec::new());
    let mut heads = vec![Head::default(); inputs.len()];
    for found in found {
        match found {
            Found::Session(session) => {
                let (mut node, head, trace) = *session;
                node.asked = asked == Some(trace.input as usize);
                heads[trace.input as usize] = head;
                nodes.push(node);
                traces.push(trace);
            }
            Found::Skipped(skipped) => forest.skipped.push(skipped),
            Found::Error(error) => forest.errors.push(error),
        }
    }
    let mut grove = Grove { links: Links::new(&inputs, heads), nodes, traces };
    grove.follow_headers();
    grove.join_copies(&inputs, seed);
    grove.join_shared();
    grove.cut_loops();
    grove.count_shared();
    forest.nodes = grove.in_order();
    if asked.is_some() {
        only_asked(&mut forest.nodes);
        forest.skipped.clear();
    }
    forest
}

fn read(n: u32, input: &Input, seed: u64) -> Found {
    let look = |name: &str, path: Option<&Path>, source: Source| {
        let options = scan::Options { hash: Some(seed), ..Default::default() };
        let (session, picker) = scan::<Picker>(&source, &options)?;
        let unknown = session.header.is_none() && session.facts.native == 0;
        let dialect = match FileKind::of(&source, &session) {
            FileKind::Foreign(dialect) => Some(dialect.name),
            _ if unknown => Some(dialect::UNKNOWN.name),
            _ => None,
        };
        if let Some(dialect) = dialect {
            return Ok(Found::Skipped(Skipped { path: name.to_string(), dialect }));
        }
        let listed = picker.list(&session);
        let head = session.header.as_ref().map(|header| Head::of_fields(&header.fields)).unwrap_or_default();
        let node = Node {
            path: name.to_string(),
            id: head.id.clone(),
            name: listed.name,
            first: listed.words,
            created: super::list::begun(&session, path),
            modified: listed.modified,
            bytes: session.facts.bytes,
            entries: session.entries.len() as u64,
            parent_session: head.parent.clone(),
            output: path.is_some_and(has_manifest),
            ..Node::default()
        };
        let trace = Trace::of(&source, &session, n, seed)?;
        Ok(Found::Session(Box::new((node, head, trace))))
    };
    opened(input, look).unwrap_or_else(Found::Error)
}

/// Sessions that are being joined to a forest: those and their traces have the same places.
struct Grove {
    links: Links,
    nodes: Vec<Node>,
    traces: Vec<Trace>,
}

impl Grove {
    /// Hangs each session on what its header says it was forked from.
    fn follow_headers(&mut self) {
        let place_of: HashMap<u32, u32> = (0..).zip(&self.traces).map(|(at, trace)| (trace.input, at)).collect();
        for (node, trace) in self.nodes.iter_mut().zip(&self.traces) {
            node.stated = match self.links.origin(trace.input) {
                Origin::None => Stated::Here,
                Origin::Elsewhere => Stated::Elsewhere,
                Origin::Missing => Stated::Missing,
                Origin::Input(parent, by) => match place_of.get(&parent) {
                    Some(at) => {
                        node.parent = Some(*at);
                        node.tie = match by {
                            By::Path => Tie::Path,
                            By::Name => Tie::Name,
                            By::Id => Tie::Id,
                        };
                        Stated::Here
                    }
                    None => Stated::Elsewhere,
                },
            };
        }
    }

    /// Hangs files of one session on the one of them that holds most. What hung on one of the others stays
    /// there: it may have been forked behind the point where they part.
    fn join_copies(&mut self, inputs: &[Input], seed: u64) {
        let place_of: HashMap<u32, u32> = (0..).zip(&self.traces).map(|(at, trace)| (trace.input, at)).collect();
        let compared = compare_names(inputs, &self.traces, seed, |_| false);
        let at = |input: &u32| place_of[input];
        for (_, copies) in &compared.copies {
            match copies {
                Copies::Part { file, of, how, entries, .. } => {
                    let tie = if *how == How::Same { Tie::Same } else { Tie::Older };
                    self.hang(at(file), at(of), (tie, *entries));
                }
                Copies::Diverged { files, common, .. } => {
                    let files: Vec<u32> = files.iter().map(at).collect();
                    // of equals the first
                    let most = files.iter().rev().max_by_key(|n| self.nodes[**n as usize].entries);
                    let Some(most) = most.copied() else { continue };
                    files.iter().filter(|n| **n != most).for_each(|n| self.hang(*n, most, (Tie::Diverged, *common)));
                }
            }
        }
    }

    /// Hangs a copy on another one, and what only the copy knew of its parent goes with it.
    fn hang(&mut self, copy: u32, on: u32, (tie, shared): (Tie, u64)) {
        let (parent, known) = {
            let node = &mut self.nodes[copy as usize];
            let known = (node.tie, node.stated);
            node.tie = tie;
            node.shared = shared;
            node.stated = Stated::Here;
            (node.parent.replace(on), known)
        };
        let target = &mut self.nodes[on as usize];
        if target.parent.is_none() && parent.is_some_and(|parent| parent != on) {
            target.parent = parent;
            (target.tie, target.stated) = known;
        }
    }

    /// Hangs what is still a root on the session that it shares entries with: the youngest of those that
    /// were the first to have some of them.
    fn join_shared(&mut self) {
        let rank = self.ranks();
        let mut origins: Vec<Option<u32>> = vec![None; self.nodes.len()];
        Prints::new(&self.traces).each_shared(|files| {
            let Some(first) = files.iter().min_by_key(|n| rank[**n as usize]) else { return };
            for n in files.iter().filter(|n| *n != first) {
                let origin = &mut origins[*n as usize];
                if origin.is_none_or(|other| rank[other as usize] < rank[*first as usize]) {
                    *origin = Some(*first);
                }
            }
        });
        for (node, origin) in self.nodes.iter_mut().zip(origins) {
            if node.parent.is_none() && origin.is_some() {
                node.parent = origin;
                node.tie = Tie::Entries;
            }
        }
    }

    /// The place of each session in the order of their beginnings.
    fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by(|a, b| self.before(*a, *b));
        let mut rank = vec![0; order.len()];
        for (place, n) in (0..).zip(order) {
            rank[n as usize] = place;
        }
        rank
    }

    /// The order of beginnings: what tells none comes last.
    fn before(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let key = |n: u32| {
            let node = &self.nodes[n as usize];
            (node.created.is_none(), node.created, node.tie.is_copy(), &node.path)
        };
        key(a).cmp(&key(b))
    }

    /// Each loop of parents is cut at its oldest member.
    fn cut_loops(&mut self) {
        for members in graph::loops(self.nodes.len(), |n| self.nodes[n as usize].parent) {
            let oldest = members.iter().copied().min_by(|a, b| self.before(*a, *b));
            let Some(node) = oldest.map(|n| &mut self.nodes[n as usize]) else { continue };
            node.parent = None;
            // a copy hangs in the loop of the other one's making
            if !node.tie.is_copy() && node.tie != Tie::Entries {
                node.stated = Stated::Loop;
            }
            node.tie = Tie::None;
        }
    }

    /// Counts the entries that each has in common with what it hangs on.
    fn count_shared(&mut self) {
        let parents: Vec<Option<u32>> = self.nodes.iter().map(|node| node.parent).collect();
        let mut shared = vec![0; self.nodes.len()];
        Prints::new(&self.traces).each_shared(|files| {
            for n in files {
                let parent = parents[*n as usize];
                shared[*n as usize] += u64::from(parent.is_some_and(|parent| files.binary_search(&parent).is_ok()));
            }
        });
        let held: Vec<(bool, u64)> = self.nodes.iter().map(|node| (node.id.is_some(), node.entries)).collect();
        for (node, shared) in self.nodes.iter_mut().zip(shared) {
            node.shared = if node.tie.is_copy() { node.shared } else { shared };
            // without ids all that tells a copy from a fork is that nothing else is in it
            let (named, entries) = node.parent.map_or((true, 0), |parent| held[parent as usize]);
            if node.tie == Tie::Entries && node.id.is_none() && !named && node.entries == shared {
                node.tie = if entries == shared { Tie::Same } else { Tie::Older };
            }
        }
    }

    /// The nodes, each behind the one it hangs on.
    fn in_order(mut self) -> Vec<Node> {
        let count = self.nodes.len();
        let parents: Vec<Option<u32>> = self.nodes.iter().map(|node| node.parent).collect();
        let rank = self.ranks();
        let mut by_rank: Vec<u32> = (0..count as u32).collect();
        by_rank.sort_unstable_by_key(|n| rank[*n as usize]);
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
        for n in &by_rank {
            if let Some(parent) = parents[*n as usize] {
                children[parent as usize].push(*n);
            }
        }
        let mut ordered: Vec<Node> = Vec::with_capacity(count);
        for root in by_rank.iter().filter(|n| parents[**n as usize].is_none()) {
            let first = ordered.len();
            let mut open = vec![(*root, None, 0, true)];
            while let Some((n, parent, depth, last)) = open.pop() {
                let place = ordered.len() as u32;
                let node = std::mem::take(&mut self.nodes[n as usize]);
                ordered.push(Node { parent, depth, last, ..node });
                let below = &children[n as usize];
                for (at, child) in below.iter().enumerate().rev() {
                    open.push((*child, Some(place), depth + 1, at + 1 == below.len()));
                }
            }
            ordered[first].family = (ordered.len() - first) as u64;
        }
        ordered
    }
}

/// Leaves the tree of the session that was asked for.
fn only_asked(nodes: &mut Vec<Node>) {
    let Some(asked) = nodes.iter().position(|node| node.asked) else { return nodes.clear() };
    let first = nodes[..=asked].iter().rposition(|node| node.depth == 0).unwrap_or(0);
    let length = nodes[first].family as usize;
    *nodes = nodes.drain(first..first + length).collect();
    for node in nodes {
        node.parent = node.parent.map(|parent| parent - first as u32);
    }
}
