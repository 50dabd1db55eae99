//! Tool calls and results, on request: what stands alone is set aside, what was lost gets a stand-in.

use super::RepairError;
use super::choices::halves;
use super::model::{Model, why};
use super::parents;
use crate::dialect::time;
use crate::edit::{Edit, Kind};
use crate::json::text::to_json;
use crate::session::graph::Children;
use crate::session::pairs::{Forest, Pairs, ends_run};
use crate::session::reread::Reread;
use crate::session::{NO_TIME, RefKind, Shape};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// What a stand-in says.
const LOST: &str = "The result of this tool call was lost. Nothing is known of what the tool did.";

/// Settles calls and results.
pub(super) fn settle(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    // a line of version 1 has no parents to link, and its indices would shift
    if model.session.shape == Shape::Line || !["M001", "M002", "M004"].iter().any(|c| model.wants(c, Kind::Choice)) {
        return Ok(());
    }
    set_aside(model);
    if model.wants("M001", Kind::Choice) {
        StandIns::new(model).insert(edits)?;
    }
    Ok(())
}

/// The pairs as the repair has left the tree so far, and the children of every entry.
fn pairs(model: &Model<'_>) -> (Pairs, Children) {
    let parent = |n: u32| model.parents[n as usize].filter(|_| model.stays(n));
    let children = Children::of(model.parents.len(), parent);
    let leaf = (0..model.parents.len() as u32).rev().find(|n| model.stays(*n));
    let counts = |n| model.stays(n);
    let pairs =
        Pairs::of(&Forest { session: model.session, children: &children, parent: &parent, counts: &counts, leaf });
    (pairs, children)
}

/// Sets results aside that have no call, or whose call has one already.
fn set_aside(model: &mut Model<'_>) {
    let pairs = pairs(model).0;
    let entry = |at: u32| model.session.calls[at as usize].entry;
    let stray = pairs.stray.iter().map(|(result, _)| (entry(*result), "M002", "a result without its call"));
    let repeated = pairs.repeated.iter().map(|pair| (entry(pair.result), "M004", "a second result for one call"));
    let found: Vec<_> = stray.chain(repeated).filter(|(_, code, _)| model.wants(code, Kind::Choice)).collect();
    if found.is_empty() {
        return;
    }
    let before = model.parents.clone();
    for (n, code, reason) in found {
        model.set_aside(n, why(code, Kind::Choice, reason));
    }
    parents::pass_over_chosen(model);
    follow_kept(model, &before);
}

/// A compaction that kept what is now set aside keeps what came after that on its path.
fn follow_kept(model: &mut Model<'_>, before: &[Option<u32>]) {
    let session = model.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::FirstKept) {
        let Some(target) = reference.target.map(|t| model.copy_for(reference.entry, t)).filter(|t| !model.stays(*t))
        else {
            continue;
        };
        let mut next = reference.entry;
        let mut at = before[reference.entry as usize];
        for _ in 0..before.len() {
            let Some(n) = at.filter(|n| *n != target) else { break };
            next = if model.stays(n) { n } else { next };
            at = before[n as usize];
        }
        if at == Some(target)
            && let Some(why) = model.gone.get(&target).filter(|w| w.kind == Kind::Choice)
        {
            let reason = format!("the entry it kept first was set aside; {} follows", model.name(next));
            let why = crate::edit::Why { reason: reason.into(), ..why.clone() };
            model.change(reference.entry, "firstKeptEntryId", model.id_json(next), why);
        }
    }
}

/// Puts results in the place of lost ones.
struct StandIns<'m, 'a> {
    model: &'m mut Model<'a>,
    children: Children,
    pairs: Pairs,
}

/// An entry and those of its children that hang on what is put behind it.
type Gap = (u32, Vec<u32>);

impl<'m, 'a> StandIns<'m, 'a> {
    fn new(model: &'m mut Model<'a>) -> Self {
        let (pairs, children) = pairs(model);
        StandIns { model, children, pairs }
    }

    fn insert(mut self, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
        let mut reread = Reread::new(self.model.source);
        for ((after, heirs), calls) in self.gaps() {
            self.fill(&mut reread, after, &heirs, &calls, edits)?;
        }
        Ok(())
    }

    /// Where results are lost, and of which calls: those that are lost for the same children of an entry
    /// are put behind it as one chain.
    fn gaps(&self) -> BTreeMap<Gap, Vec<u32>> {
        let mut answers: HashMap<u32, Vec<u32>> = self.pairs.lost.iter().map(|call| (*call, Vec::new())).collect();
        for pair in &self.pairs.answers {
            if let Some(results) = answers.get_mut(&pair.call) {
                results.push(self.model.session.calls[pair.result as usize].entry);
            }
        }
        // of each edge: the calls that are lost below it; an entry without children has one edge, to nothing
        let mut edges: BTreeMap<(u32, Option<u32>), Vec<u32>> = BTreeMap::new();
        for &call in &self.pairs.lost {
            for edge in self.edges(call, &answers[&call]) {
                edges.entry(edge).or_default().push(call);
            }
        }
        let mut groups: BTreeMap<(u32, Vec<u32>), Vec<u32>> = BTreeMap::new();
        for ((after, child), calls) in edges {
            groups.entry((after, calls)).or_default().extend(child);
        }
        groups.into_iter().map(|((after, calls), heirs)| ((after, heirs), calls)).collect()
    }

    /// The edges below a call on which its result is lost: the highest ones below which it is nowhere.
    fn edges(&self, call: u32, results: &[u32]) -> Vec<(u32, Option<u32>)> {
        let model = &*self.model;
        let top = model.session.calls[call as usize].entry;
        let mut above = HashSet::new();
        for &result in results {
            let mut at = model.parents[result as usize];
            while let Some(n) = at.filter(|n| *n != top && above.insert(*n)) {
                at = model.parents[n as usize];
            }
        }
        let mut edges = Vec::new();
        let mut open = vec![top];
        while let Some(n) = open.pop() {
            let children = self.children.get(n);
            if children.is_empty() {
                edges.push((n, None));
            }
            for &child in children.iter().filter(|child| !results.contains(*child)) {
                match above.contains(&child) {
                    // a displaced result further down: one put here would be a second one there
                    true if ends_run(model.session, child) => {}
                    true => open.push(child),
                    false => edges.push((n, Some(child))),
                }
            }
        }
        edges
    }

    /// Puts a chain of results behind an entry, and hangs `heirs` on it.
    fn fill(
        &mut self,
        reread: &mut Reread<'_>,
        after: u32,
        heirs: &[u32],
        calls: &[u32],
        edits: &mut Vec<Edit>,
    ) -> Result<(), RepairError> {
        let row = self.model.session.entries[after as usize];
        let time = match row.time {
            NO_TIME => {
                self.model.session.entries[..after as usize].iter().rev().map(|e| e.time).find(|t| *t != NO_TIME)
            }
            time => Some(time),
        };
        let (mut parent, mut text) = (self.model.id_json(after), String::new());
        for &call in calls {
            let Some((id, tool)) = self.named(reread, call) else { continue };
            let own = to_json(self.model.new_id(reread, self.model.session.calls[call as usize].entry).as_bytes());
            let ms = time.unwrap_or(0);
            text.push_str(&format!(
                "\n{{\"type\":\"message\",\"id\":{own},\"parentId\":{parent},\"timestamp\":{},\"message\":{{\"role\":\"toolResult\",\
                 \"toolCallId\":{id},\"toolName\":{tool},\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"isError\":true,\"timestamp\":{ms}}}}}",
                to_json(time::show(ms).as_bytes()),
                to_json(LOST.as_bytes()),
            ));
            parent = own;
        }
        let reason = format!("stands in for {} lost behind {}", super::results(calls.len()), self.model.name(after));
        let why = why("M001", Kind::Choice, reason);
        for &heir in heirs {
            self.model.change(heir, "parentId", parent.clone(), why.clone());
        }
        edits.push(Edit::insert(row.offset + row.length, text, why));
        Ok(())
    }

    /// The id and the tool of a call as JSON, as they will stand in the file.
    fn named(&self, reread: &mut Reread<'_>, call: u32) -> Option<(String, String)> {
        let session = self.model.session;
        let place = session.calls[call as usize];
        let nth = call as usize - session.calls.partition_point(|c| c.entry < place.entry);
        let decode = self.model.wants("J004", Kind::Choice);
        reread.record(&session.entries[place.entry as usize], |record| {
            let block = record.call(nth)?;
            let text = |name: &[u8]| {
                let mut json = format!("\"{}\"", String::from_utf8_lossy(block.raw(name).unwrap_or_default()));
                if decode {
                    let found = halves(json.as_bytes());
                    found.iter().for_each(|at| json.replace_range(*at as usize..*at as usize + 6, "\\ufffd"));
                }
                json
            };
            Some((text(b"id"), text(b"name")))
        })?
    }
}
