//! Results that a repair puts behind an entry: stand-ins for lost ones, and those that move there. Their
//! lines are written behind the line of the entry that they hang on, and what hung on that hangs on them.

use super::RepairError;
use super::content::halves;
use super::model::{Model, why};
use super::touch;
use crate::dialect::time;
use crate::edit::{Edit, Kind, Why};
use crate::json::text::to_json;
use crate::session::NO_TIME;
use crate::session::derived_ids::Derived;
use crate::session::reread::Reread;
use hashbrown::HashMap;
use std::rc::Rc;

/// What a stand-in says.
const LOST: &str = "The result of this tool call was lost. Nothing is known of what the tool did.";

/// How many entries are looked back for a time.
const MOST_TIMELESS: usize = 1000;

/// What is to be put behind an entry.
pub(super) enum Item {
    /// A stand-in for the result of a call.
    StandIn(u32),
    /// An entry that leaves its place.
    Moved(u32),
}

/// What is put behind an entry: results, each hung on the one before.
pub(super) struct Chain {
    hook: Place,
    results: Vec<Placed>,
    why: Why,
}

/// Where something may hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// An entry of the file.
    Entry(u32),
    /// The last of the results of a chain.
    Chain(u32),
}

enum Placed {
    StandIn { id: Derived, call: Rc<Called>, ms: i64 },
    Moved(u32),
}

/// The id of a call, and its tool, as JSON.
pub(super) struct Called {
    id: String,
    tool: String,
}

/// What was added so far.
#[derive(Default)]
pub(super) struct Added {
    chains: Vec<Chain>,
    /// Of entries that hang on a chain: which one.
    hung: HashMap<u32, u32>,
    /// Of entries that have moved: into which chain.
    moved: HashMap<u32, u32>,
    /// What entries hung on before they were linked anew on request.
    before: HashMap<u32, Option<u32>>,
    /// The calls of the message that was asked for last.
    names: Option<(u32, Vec<Rc<Called>>)>,
}

impl Added {
    /// Whether an entry has moved.
    pub(super) fn has_moved(&self, n: u32) -> bool {
        self.moved.contains_key(&n)
    }

    /// What an entry hung on before it was linked anew on request, if it was.
    pub(super) fn parent_before(&self, n: u32) -> Option<Option<u32>> {
        self.before.get(&n).copied()
    }

    /// Remembers what an entry hung on.
    pub(super) fn note_parent(&mut self, n: u32, parent: Option<u32>) {
        self.before.entry(n).or_insert(parent);
    }
}

impl Model<'_> {
    /// Puts results behind an entry, between it and the heirs.
    pub(super) fn add(&mut self, reread: &mut Reread<'_>, behind: u32, heirs: &[u32], items: Vec<Item>, why: Why) {
        let number = self.added.chains.len() as u32;
        // what stood between them may have left, and other things may have been put there
        let mut link = heirs.first().and_then(|heir| self.links.get(*heir)).unwrap_or(behind);
        let hook = heirs.first().map_or(Place::Entry(link), |heir| self.hook_of(*heir, link));
        let ms = self.time_of(link);
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(match item {
                Item::StandIn(call) => {
                    let called = self.called(reread, call);
                    let top = self.session.calls[call as usize].entry;
                    let content = [called.id.as_bytes(), &number.to_be_bytes()].concat();
                    Placed::StandIn { id: self.new_id_in(top, &content), call: called, ms }
                }
                Item::Moved(n) => {
                    self.added.note_parent(n, self.links.get(n));
                    self.added.moved.insert(n, number);
                    self.bring_back(n);
                    self.links.set(n, Some(link));
                    link = n;
                    Placed::Moved(n)
                }
            });
        }
        self.added.chains.push(Chain { hook, results, why: why.clone() });
        let tail = self.tail_json(number);
        for &heir in heirs {
            self.added.note_parent(heir, self.links.get(heir));
            self.links.set(heir, Some(link));
            match self.added.moved.get(&heir) {
                Some(chain) => self.added.chains[*chain as usize].hook = Place::Chain(number),
                None => {
                    self.added.hung.insert(heir, number);
                    if !self.is_line() {
                        self.change(heir, "parentId", tail.clone(), why.clone());
                    }
                }
            }
        }
    }

    fn hook_of(&self, n: u32, parent: u32) -> Place {
        match self.added.moved.get(&n) {
            Some(chain) => self.added.chains[*chain as usize].hook,
            None => self.added.hung.get(&n).map_or(Place::Entry(parent), |chain| Place::Chain(*chain)),
        }
    }

    /// Hooks chains on what the entries hung on that were set aside.
    pub(super) fn hook_anew(&mut self) {
        for chain in 0..self.added.chains.len() {
            let mut hook = self.added.chains[chain].hook;
            for _ in 0..self.places() {
                match hook {
                    Place::Entry(n) if !self.stays(n) => match self.above(hook) {
                        Some(above) => hook = above,
                        None => break,
                    },
                    _ => break,
                }
            }
            self.added.chains[chain].hook = hook;
        }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.len() as usize + 2 * self.added.chains.len()
    }

    /// The place that a place hangs on.
    pub(super) fn above(&self, place: Place) -> Option<Place> {
        let n = match place {
            Place::Entry(n) => n,
            Place::Chain(chain) => {
                let chain = &self.added.chains[chain as usize];
                return Some(match chain.results.last() {
                    Some(Placed::Moved(n)) => Place::Entry(*n),
                    _ => chain.hook,
                });
            }
        };
        if let Some(chain) = self.added.moved.get(&n) {
            let chain = &self.added.chains[*chain as usize];
            if matches!(chain.results.first(), Some(Placed::Moved(first)) if *first == n) {
                return Some(chain.hook);
            }
        }
        match self.added.hung.get(&n) {
            Some(chain) => Some(Place::Chain(*chain)),
            None => self.parent(n).map(Place::Entry),
        }
    }

    /// How many messages there are at a place; those that have moved are counted as entries.
    pub(super) fn messages_at(&self, place: Place) -> usize {
        match place {
            Place::Entry(n) => usize::from(self.session.entries[n as usize].is_message()),
            Place::Chain(chain) => {
                let results = self.added.chains[chain as usize].results.iter();
                results.filter(|result| matches!(result, Placed::StandIn { .. })).count()
            }
        }
    }

    /// The message that stands last in the file before the line of entry `last`, which stands last itself;
    /// `None` where a message does, or there is none.
    pub(super) fn newest_message(&self, last: u32) -> Option<Place> {
        let is_message = |n: &u32| self.keeps_its_line(*n) && self.session.entries[*n as usize].is_message();
        let newest = (0..last).rev().find(is_message);
        let added = match self.added.chains.is_empty() {
            true => None,
            false => self.chains_in_order().pop(),
        };
        match added {
            Some((anchor, _)) if anchor == last => None,
            Some((anchor, chain)) if newest.is_none_or(|n| n <= anchor) => Some(Place::Chain(chain)),
            _ => newest.map(Place::Entry),
        }
    }

    /// Hangs an entry on a place.
    pub(super) fn hang_on(&mut self, n: u32, place: Place, why: Why) {
        self.added.hung.remove(&n);
        match place {
            Place::Entry(parent) => self.hang(n, Some(parent), why),
            Place::Chain(chain) => {
                let mut at = place;
                while let Place::Chain(_) = at {
                    at = self.above(at).unwrap_or(Place::Entry(n));
                }
                if let Place::Entry(parent) = at {
                    self.links.set(n, Some(parent));
                }
                self.added.hung.insert(n, chain);
                self.change(n, "parentId", self.tail_json(chain), why);
            }
        }
    }

    /// The time of an entry, or of the last one before it that has one.
    fn time_of(&self, n: u32) -> i64 {
        let before = self.session.entries[..=n as usize].iter().rev().take(MOST_TIMELESS);
        before.map(|entry| entry.time).find(|time| *time != NO_TIME).unwrap_or(0)
    }

    /// The id of a chain's last result, as JSON.
    fn tail_json(&self, chain: u32) -> String {
        match self.added.chains[chain as usize].results.last() {
            Some(Placed::StandIn { id, .. }) => to_json(id),
            Some(Placed::Moved(n)) => self.id_json(*n),
            None => "null".to_string(),
        }
    }

    /// The id and the tool of a call as they will stand in the file.
    fn called(&mut self, reread: &mut Reread<'_>, call: u32) -> Rc<Called> {
        let session = self.session;
        let top = session.calls[call as usize].entry;
        let first = session.calls.partition_point(|c| c.entry < top);
        if self.added.names.as_ref().is_none_or(|(entry, _)| *entry != top) {
            let decode = self.wants("J004", Kind::Choice);
            let names = reread.record(&session.entries[top as usize], |record| {
                let blocks = record.blocks().filter(|block| block.call_id().is_some());
                let text = |raw: Option<&[u8]>| as_json(raw.unwrap_or_default(), decode);
                blocks
                    .map(|block| Rc::new(Called { id: text(block.raw(b"id")), tool: text(block.raw(b"name")) }))
                    .collect()
            });
            self.added.names = Some((top, names.unwrap_or_default()));
        }
        let names = self.added.names.as_ref().map(|(_, names)| names);
        let unknown = || Rc::new(Called { id: "\"\"".to_string(), tool: "\"\"".to_string() });
        names.and_then(|names| names.get(call as usize - first).cloned()).unwrap_or_else(unknown)
    }

    /// The edits that write what was added, and that take what has moved from its place.
    pub(super) fn added_edits(&self, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
        for (anchor, chain) in self.chains_in_order() {
            let row = &self.session.entries[anchor as usize];
            let text = self.chain_text(chain)?;
            let moves = self.added.chains[chain as usize].results.iter().any(|r| matches!(r, Placed::Moved(_)));
            let why = match moves {
                true => why("M005", Kind::Choice, "the result stands right behind its call"),
                false => self.added.chains[chain as usize].why.clone(),
            };
            edits.push(Edit::insert(row.offset + row.length, text, why));
        }
        Ok(())
    }

    /// The chains, each with the entry behind whose line it stands, in the order of the entries, and of
    /// those behind one entry those first that others hang on.
    fn chains_in_order(&self) -> Vec<(u32, u32)> {
        let chains = &self.added.chains;
        let mut below: HashMap<Place, Vec<u32>> = HashMap::new();
        let mut anchors: Vec<(u32, u32)> = Vec::new();
        for (number, chain) in (0u32..).zip(chains) {
            match chain.hook {
                Place::Entry(n) if !self.added.has_moved(n) => anchors.push((n, number)),
                Place::Entry(n) => below.entry(Place::Chain(self.added.moved[&n])).or_default().push(number),
                hook => below.entry(hook).or_default().push(number),
            }
        }
        anchors.sort_unstable();
        let mut ordered = Vec::with_capacity(chains.len());
        for (anchor, first) in anchors {
            let mut open = vec![first];
            while let Some(chain) = open.pop() {
                ordered.push((anchor, chain));
                open.extend(below.get(&Place::Chain(chain)).into_iter().flatten().rev());
            }
        }
        ordered
    }

    fn chain_text(&self, number: u32) -> Result<Vec<u8>, RepairError> {
        let chain = &self.added.chains[number as usize];
        let mut parent = match chain.hook {
            Place::Entry(n) => self.id_json(n),
            Place::Chain(above) => self.tail_json(above),
        };
        let mut text = Vec::new();
        for result in &chain.results {
            text.push(b'\n');
            match result {
                Placed::StandIn { id, call, ms } => {
                    let id = to_json(id);
                    let link = match self.is_line() {
                        true => String::new(),
                        false => format!("\"id\":{id},\"parentId\":{parent},"),
                    };
                    text.extend_from_slice(stand_in(&link, call, *ms).as_bytes());
                    parent = id;
                }
                Placed::Moved(n) => {
                    let parent_id = (!self.is_line()).then_some(parent.as_str());
                    text.extend_from_slice(&touch::rewritten(self, *n, parent_id)?);
                    parent = self.id_json(*n);
                }
            }
        }
        Ok(text)
    }

    /// What is written in the file behind the line of each entry, in the order of the entries: those that
    /// have moved there by their number, stand-ins as `None`.
    pub(super) fn added_behind(&self) -> Vec<(u32, Option<u32>)> {
        let mut behind = Vec::new();
        for (anchor, chain) in self.chains_in_order() {
            behind.extend(self.added.chains[chain as usize].results.iter().map(|result| match result {
                Placed::StandIn { .. } => (anchor, None),
                Placed::Moved(n) => (anchor, Some(*n)),
            }));
        }
        behind
    }

    /// Of each entry with something behind its line: the id of what stands last there, as JSON.
    pub(super) fn tails(&self) -> Tails {
        self.chains_in_order().into_iter().map(|(anchor, chain)| (anchor, self.tail_json(chain))).collect()
    }

    /// The id of what stands last in the file before the place of entry `n`, as JSON.
    pub(super) fn last_before(&self, n: u32, tails: &Tails) -> Option<String> {
        let last = (0..n).rev().find(|m| self.keeps_its_line(*m))?;
        Some(tails.get(&last).cloned().unwrap_or_else(|| self.id_json(last)))
    }
}

/// See [`Model::tails`].
pub(super) type Tails = HashMap<u32, String>;

/// A string of the file as JSON, made valid UTF-8; with halves of surrogate pairs replaced on request.
fn as_json(raw: &[u8], decode: bool) -> String {
    let mut json = format!("\"{}\"", String::from_utf8_lossy(raw));
    if decode {
        let found = halves(json.as_bytes());
        found.iter().for_each(|at| json.replace_range(*at..*at + 6, "\\ufffd"));
    }
    json
}

fn stand_in(link: &str, call: &Called, ms: i64) -> String {
    let Called { id, tool } = call;
    format!(
        "{{\"type\":\"message\",{link}\"timestamp\":{},\"message\":{{\"role\":\"toolResult\",\
         \"toolCallId\":{id},\"toolName\":{tool},\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"isError\":true,\"timestamp\":{ms}}}}}",
        to_json(time::show(ms).as_bytes()),
        to_json(LOST.as_bytes()),
    )
}
