//! The session as the repairs so far have left it.

use super::Options;
use super::added::Added;
use super::lines::Damage;
use crate::edit::{Kind, Why};
use crate::json::text::to_json;
use crate::session::derived_ids::{Derived, derive};
use crate::session::reread::Reread;
use crate::session::set::EntrySet;
use crate::session::{Session, Shape};
use crate::source::Source;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// A value that a member gets.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The member's name; `message.role` is a member of the message.
    pub(super) member: &'static str,
    /// The value as JSON.
    pub(super) json: String,
    /// Why.
    pub(super) why: Why,
}

/// What a model is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A plan: what changes, to what, and why.
    Plan,
    /// Only what the session will be like: nothing is kept but links and marks.
    Outcome,
}

/// The session under repair.
pub(super) struct Model<'a> {
    pub(super) source: &'a Source,
    pub(super) session: &'a Session,
    pub(super) damage: &'a Damage,
    pub(super) path: Option<&'a Path>,
    pub(super) options: &'a Options,
    purpose: Purpose,
    /// What every entry hangs on now.
    pub(super) links: Links,
    /// Entries that are set aside.
    gone: EntrySet,
    /// Why they are; of a plan only.
    pub(super) reasons: BTreeMap<u32, Why>,
    /// Entries that get a new id.
    renamed: EntrySet,
    /// The new ids; of a plan only.
    ids: HashMap<u32, Derived>,
    /// Ids that were given, of entries and of what is added.
    given: HashSet<Derived>,
    /// Changes of members; of a plan only.
    pub(super) changes: BTreeMap<u32, Vec<Change>>,
    copies: Copies,
    /// What is put behind entries.
    pub(super) added: Added,
}

impl<'a> Model<'a> {
    pub(super) fn new(
        source: &'a Source,
        session: &'a Session,
        damage: &'a Damage,
        path: Option<&'a Path>,
        options: &'a Options,
        purpose: Purpose,
    ) -> Self {
        let count = session.entries.len();
        Model {
            source,
            session,
            damage,
            path,
            options,
            purpose,
            links: Links::of(count, |n| session.parent(n)),
            gone: EntrySet::default(),
            reasons: BTreeMap::new(),
            renamed: EntrySet::default(),
            ids: HashMap::new(),
            given: HashSet::new(),
            changes: BTreeMap::new(),
            copies: Copies::of(session),
            added: Added::default(),
        }
    }

    /// Whether the repair of a rule, of this kind, is wanted.
    pub(super) fn wants(&self, code: &str, kind: Kind) -> bool {
        self.options.wants(code, kind)
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> u32 {
        self.session.entries.len() as u32
    }

    /// The entry that begins at an offset of the file.
    pub(super) fn entry_at(&self, offset: u64) -> Option<u32> {
        let entries = &self.session.entries;
        let n = entries.partition_point(|entry| entry.offset < offset);
        entries.get(n).filter(|entry| entry.offset == offset).map(|_| n as u32)
    }

    /// Whether entries hang on each other by their order (version 1), not by ids.
    pub(super) fn is_line(&self) -> bool {
        self.session.shape == Shape::Line
    }

    /// What an entry hangs on now; `None` for a root and for what is not there.
    pub(super) fn parent(&self, n: u32) -> Option<u32> {
        self.links.get(n)
    }

    /// The copy of `target`'s id that an entry at place `n` of the file means: the one that was
    /// written last before it, else the first one behind it.
    pub(super) fn copy_for(&self, n: u32, target: u32) -> u32 {
        self.copies.meant(n, target)
    }

    /// Whether an entry gets a new id.
    pub(super) fn is_renamed(&self, n: u32) -> bool {
        self.renamed.contains(n)
    }

    /// Gives an entry a new id, derived from its content; the id as JSON.
    pub(super) fn rename(&mut self, reread: &mut Reread<'_>, n: u32) -> String {
        self.renamed.insert(n);
        if self.purpose == Purpose::Outcome {
            return String::new();
        }
        let bytes = reread.bytes(&self.session.entries[n as usize]).unwrap_or_default();
        let id = self.new_id(self.name_of_session(), n, bytes);
        self.ids.insert(n, id);
        to_json(&id)
    }

    fn name_of_session(&self) -> &'a [u8] {
        self.session.header.as_ref().and_then(|h| h.text("id")).unwrap_or_default().as_bytes()
    }

    /// An id that nothing has: derived from the bytes that it is for, by the recipe of [`derive`].
    pub(super) fn new_id(&mut self, name: &[u8], ordinal: u32, bytes: &[u8]) -> Derived {
        let ids = (0..).map(|attempt| derive(name, ordinal, attempt, bytes));
        let free = |id: &Derived| !self.given.contains(id) && self.session.find(id).is_none();
        // 2^32 attempts outnumber the ids that can be taken
        let id = ids.into_iter().find(free).unwrap_or_default();
        self.given.insert(id);
        id
    }

    /// A new id for something that belongs to entry `n`.
    pub(super) fn new_id_in(&mut self, n: u32, content: &[u8]) -> Derived {
        self.new_id(self.name_of_session(), n, content)
    }

    /// The id of an entry as it will be, as JSON.
    pub(super) fn id_json(&self, n: u32) -> String {
        match self.ids.get(&n) {
            Some(id) => to_json(id),
            None => self.session.id_json(n).unwrap_or_else(|| "null".to_string()),
        }
    }

    /// The id of an entry as it will be, in back-ticks; its line where it has none.
    pub(super) fn name(&self, n: u32) -> String {
        match self.ids.get(&n) {
            Some(id) => format!("`{}`", String::from_utf8_lossy(id)),
            None if self.is_line() => format!("line {}", self.session.entries[n as usize].line),
            None => format!("`{}`", self.session.id_text(n).chars().take(60).collect::<String>()),
        }
    }

    /// Whether an entry is still there.
    pub(super) fn stays(&self, n: u32) -> bool {
        !self.gone.contains(n)
    }

    /// Whether an entry stands where it stood: it is there, and has not moved.
    pub(super) fn keeps_its_line(&self, n: u32) -> bool {
        self.stays(n) && !self.added.has_moved(n)
    }

    /// The last entry in the file that keeps its line.
    pub(super) fn last(&self) -> Option<u32> {
        (0..self.len()).rev().find(|n| self.keeps_its_line(*n))
    }

    /// Why an entry was set aside on request, or has moved.
    pub(super) fn left_by_choice(&self, n: u32) -> Option<&Why> {
        self.reasons.get(&n).filter(|why| why.kind == Kind::Choice && !self.keeps_its_line(n))
    }

    /// What an entry hung on before what was done on request.
    pub(super) fn parent_before(&self, n: u32) -> Option<u32> {
        self.added.parent_before(n).unwrap_or_else(|| self.parent(n))
    }

    /// Lets an entry that was set aside be there again, in another place; the reason is kept.
    pub(super) fn bring_back(&mut self, n: u32) {
        self.gone.remove(n);
    }

    /// To be called once entries were set aside: forgets that they were copies.
    pub(super) fn prune_copies(&mut self) {
        self.copies.prune(&self.gone);
    }

    /// Sets an entry aside.
    pub(super) fn set_aside(&mut self, n: u32, why: Why) {
        self.gone.insert(n);
        if self.purpose == Purpose::Plan {
            self.reasons.insert(n, why);
        }
    }

    /// Hangs an entry on another one, or makes it a root.
    pub(super) fn hang(&mut self, n: u32, parent: Option<u32>, why: Why) {
        self.links.set(n, parent);
        // in a line of version 1 the order of the lines says it
        if !self.is_line() && self.purpose == Purpose::Plan {
            let json = parent.map_or_else(|| "null".to_string(), |p| self.id_json(p));
            self.change(n, "parentId", json, why);
        }
    }

    /// Changes a member of an entry; a later change of the same member replaces an earlier one.
    pub(super) fn change(&mut self, n: u32, member: &'static str, json: String, why: Why) {
        if self.purpose == Purpose::Outcome {
            return;
        }
        let changes = self.changes.entry(n).or_default();
        changes.retain(|c| c.member != member);
        changes.push(Change { member, json, why });
    }

    /// Whether a member of an entry changes.
    pub(super) fn changes(&self, n: u32, member: &str) -> bool {
        self.changes.get(&n).is_some_and(|changes| changes.iter().any(|c| c.member == member))
    }

    /// What the session will be like: links, entries that are set aside, entries with new ids.
    pub(super) fn into_outcome(self) -> (Links, EntrySet, EntrySet, Copies) {
        (self.links, self.gone, self.renamed, self.copies)
    }
}

/// A reason with its kind.
pub(super) fn why(code: &'static str, kind: Kind, reason: impl Into<Cow<'static, str>>) -> Why {
    Why { cause: code, kind, reason: reason.into() }
}

/// What every entry hangs on.
pub(super) struct Links(Vec<u32>);

const NOTHING: u32 = u32::MAX;

impl Links {
    fn of(count: usize, parent: impl Fn(u32) -> Option<u32>) -> Links {
        Links((0..count as u32).map(|n| parent(n).unwrap_or(NOTHING)).collect())
    }

    pub(super) fn get(&self, n: u32) -> Option<u32> {
        Some(self.0[n as usize]).filter(|p| *p != NOTHING)
    }

    pub(super) fn set(&mut self, n: u32, parent: Option<u32>) {
        self.0[n as usize] = parent.unwrap_or(NOTHING);
    }
}

/// The copies of each id that occurs more than once, in file order.
#[derive(Default)]
pub(super) struct Copies {
    /// The copies, grouped by id.
    list: Vec<u32>,
    /// Of each group: where it begins and ends in the list.
    groups: Vec<(u32, u32)>,
    /// The group of each copy, in file order.
    members: Vec<(u32, u32)>,
}

impl Copies {
    fn of(session: &Session) -> Copies {
        // which group the last copy so far is in
        let mut open: HashMap<u32, u32> = HashMap::new();
        let mut members: Vec<(u32, u32)> = Vec::with_capacity(session.copies.len());
        let mut sizes: Vec<u32> = Vec::new();
        for &(before, later) in &session.copies {
            let group = open.remove(&before).unwrap_or_else(|| {
                members.push((before, sizes.len() as u32));
                sizes.push(1);
                sizes.len() as u32 - 1
            });
            members.push((later, group));
            sizes[group as usize] += 1;
            open.insert(later, group);
        }
        drop(open);
        members.sort_unstable();
        let mut groups = Vec::with_capacity(sizes.len());
        let mut start = 0;
        for size in sizes {
            groups.push((start, start));
            start += size;
        }
        let mut list = vec![0; members.len()];
        for &(n, group) in &members {
            let end = &mut groups[group as usize].1;
            list[*end as usize] = n;
            *end += 1;
        }
        Copies { list, groups, members }
    }

    /// Forgets the copies that are not there any more.
    fn prune(&mut self, gone: &EntrySet) {
        for (start, end) in &mut self.groups {
            let mut kept = *start;
            for at in *start..*end {
                let n = self.list[at as usize];
                if !gone.contains(n) {
                    self.list[kept as usize] = n;
                    kept += 1;
                }
            }
            *end = kept;
        }
    }

    /// See [`Model::copy_for`].
    pub(super) fn meant(&self, n: u32, target: u32) -> u32 {
        let Ok(at) = self.members.binary_search_by_key(&target, |(n, _)| *n) else { return target };
        let (start, end) = self.groups[self.members[at].1 as usize];
        let copies = &self.list[start as usize..end as usize];
        let behind = copies.partition_point(|m| *m < n);
        let found = behind.checked_sub(1).or((behind < copies.len()).then_some(behind));
        found.map_or(target, |at| copies[at])
    }
}
