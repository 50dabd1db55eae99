//! An index as it would be after a repair, without the repaired file: what is set aside is marked as
//! unseen, everything else as seen, and what was linked or renamed is linked and renamed in place. The
//! bytes stay those of the damaged file, so that entries can still be read again.

use super::ids::{Key, Marks, Table};
use super::set::EntrySet;
use super::{Header, HeaderField, Parent, RefValue, Session, flags};
use crate::json::Kind;

/// What a repair does to a session, as far as readers build their view on it.
pub struct Mending<'a> {
    /// What every entry hangs on.
    pub parent: &'a dyn Fn(u32) -> Option<u32>,
    /// Whether an entry stays.
    pub stays: &'a dyn Fn(u32) -> bool,
    /// Whether an entry gets a new id.
    pub renamed: &'a dyn Fn(u32) -> bool,
    /// The copy of a repeated id that is meant by the entry at the first place where it names the second.
    pub meant: &'a dyn Fn(u32, u32) -> u32,
    /// The version that the header gets, if it gets one.
    pub version: Option<i64>,
    /// Whether a value that only other readers take for an entry stays; by its place in the list.
    pub extra_stays: &'a dyn Fn(usize) -> bool,
    /// Whether the role that version 3 no longer has is renamed.
    pub renames_roles: bool,
}

impl Session {
    /// Makes the index that of the repaired file. Texts of new ids are placeholders, and what is not
    /// needed for a reader's view (loops, copies, places of members) is forgotten.
    pub fn mend(&mut self, mending: &Mending<'_>) {
        self.mend_ids(mending);
        self.mend_entries(mending);
        self.mend_refs(mending);
        self.mend_header(mending.version);
        let mut n = 0;
        self.facts.extras.retain(|_| {
            n += 1;
            (mending.extra_stays)(n - 1)
        });
        self.facts.scalars = 0;
    }

    /// Gives new ids, and makes the id table anew where ids changed or several entries had one.
    fn mend_ids(&mut self, mending: &Mending<'_>) {
        let mut changed = !self.copies.is_empty();
        for n in 0..self.entries.len() as u32 {
            if (mending.renamed)(n) && (mending.stays)(n) {
                // no id of a file has bytes like these: they are no UTF-8, however it is read
                let text = [[0xFF; 4], n.to_le_bytes()].concat();
                let entry = &mut self.entries[n as usize];
                entry.id = self.arena.add(&text);
                entry.flags = entry.flags & !flags::ID_ABSENT | flags::ID;
                changed = true;
            }
        }
        self.copies = Vec::new();
        self.near = Vec::new();
        if changed {
            let mut marks = Marks::default();
            for (n, entry) in (0u32..).zip(&self.entries) {
                let there = entry.has(flags::ID) && (mending.stays)(n);
                marks.push(&self.arena, there.then_some(entry.id));
            }
            self.table = Table::default();
            (self.table, _) = Table::of(&self.entries, &self.arena, marks);
        }
    }

    fn mend_entries(&mut self, mending: &Mending<'_>) {
        let parents = flags::PARENT_ABSENT | flags::PARENT_NULL | flags::PARENT_NO_STRING;
        for n in 0..self.entries.len() as u32 {
            let entry = &mut self.entries[n as usize];
            entry.flags &= !(flags::DROPPED | flags::EARLIER_COPY | parents);
            if !(mending.stays)(n) {
                entry.flags |= flags::DROPPED;
            }
            let parent = (mending.parent)(n).map_or(Parent::Root, Parent::Entry);
            if parent == Parent::Root {
                entry.flags |= flags::PARENT_NULL;
            }
            self.links[n as usize] = parent.link();
            if mending.renames_roles && entry.role == crate::dialect::pi::Role::HookMessage {
                entry.role = crate::dialect::pi::Role::Custom;
            }
        }
        self.traits = self.entries.iter().collect();
        self.pending = Vec::new();
        self.loops = Vec::new();
        self.in_loop = EntrySet::default();
    }

    fn mend_refs(&mut self, mending: &Mending<'_>) {
        for n in 0..self.refs.len() {
            let Some(target) = self.refs[n].target else { continue };
            let meant = (mending.meant)(self.refs[n].entry, target);
            let key: Key = self.entries[meant as usize].id;
            self.refs[n].target = Some(meant);
            self.refs[n].value = RefValue::Id(key);
        }
    }

    /// The header is the first line, it is whole, and has a string as its id.
    fn mend_header(&mut self, version: Option<i64>) {
        let field = |name, kind, text: String| HeaderField { name, kind, text, place: (0, 0) };
        let new = Header { offset: 0, length: 0, line: 1, dropped: false, fields: Vec::new(), entries_before: 0 };
        let header = self.header.get_or_insert(new);
        (header.offset, header.dropped) = (0, false);
        if let Some(version) = version {
            header.fields.push(field("version", Kind::Number, version.to_string()));
        }
        if header.text("id").is_none() {
            header.fields.push(field("id", Kind::String, String::new()));
        }
        let id = header.text("id").map(str::to_string);
        self.extra_headers.retain(|further| further.text("id").map(str::to_string) != id);
        self.extra_headers.iter_mut().for_each(|further| further.dropped = false);
    }
}
