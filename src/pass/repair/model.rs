//! The session as the repairs so far have left it.

use super::Options;
use super::lines::Damage;
use crate::edit::{Kind, Why};
use crate::session::derived_ids::derive;
use crate::session::reread::Reread;
use crate::session::{Session, flags};
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

/// The session under repair.
pub(super) struct Model<'a> {
    pub(super) source: &'a Source,
    pub(super) session: &'a Session,
    pub(super) damage: &'a Damage,
    pub(super) path: Option<&'a Path>,
    pub(super) options: &'a Options,
    /// Entries that are set aside, and why.
    pub(super) gone: BTreeMap<u32, Why>,
    /// What every entry hangs on now; `None` for a root and for what is not there.
    pub(super) parents: Vec<Option<u32>>,
    /// New ids.
    pub(super) ids: HashMap<u32, String>,
    /// Changes of members.
    pub(super) changes: BTreeMap<u32, Vec<Change>>,
    /// Ids that are taken.
    taken: HashSet<Vec<u8>>,
    /// For every copy of a repeated id: all copies, in file order.
    copies: HashMap<u32, std::rc::Rc<Vec<u32>>>,
}

impl<'a> Model<'a> {
    pub(super) fn new(
        source: &'a Source,
        session: &'a Session,
        damage: &'a Damage,
        path: Option<&'a Path>,
        options: &'a Options,
    ) -> Self {
        let parents = (0..session.entries.len() as u32).map(|n| session.parent(n)).collect();
        let mut model = Model {
            source,
            session,
            damage,
            path,
            options,
            gone: BTreeMap::new(),
            parents,
            ids: HashMap::new(),
            changes: BTreeMap::new(),
            taken: HashSet::new(),
            copies: HashMap::new(),
        };
        model.collect_copies();
        model
    }

    /// Whether the repair of a rule, of this kind, is wanted.
    pub(super) fn wants(&self, code: &str, kind: Kind) -> bool {
        self.options.wants(code, kind)
    }

    fn collect_copies(&mut self) {
        let mut chains: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(before, later) in &self.session.copies {
            let mut chain = chains.remove(&before).unwrap_or_else(|| vec![before]);
            chain.push(later);
            chains.insert(later, chain);
        }
        for chain in chains.into_values() {
            let chain = std::rc::Rc::new(chain);
            for &n in chain.iter() {
                self.copies.insert(n, chain.clone());
            }
        }
    }

    /// The copy of `target`'s id that an entry at place `n` of the file means: the one that was
    /// written last before it, else the first one behind it.
    pub(super) fn copy_for(&self, n: u32, target: u32) -> u32 {
        let Some(chain) = self.copies.get(&target) else { return target };
        let stays = |m: &&u32| !self.gone.contains_key(*m);
        let before = &chain[..chain.partition_point(|m| *m < n)];
        let found = before.iter().rev().find(stays).or_else(|| chain[before.len()..].iter().find(stays));
        found.copied().unwrap_or(target)
    }

    /// A new id for entry `n`, derived from its content.
    pub(super) fn new_id(&mut self, reread: &mut Reread<'_>, n: u32) -> String {
        if self.taken.is_empty() {
            let session = self.session;
            let with_id = (0..session.entries.len() as u32).filter(|n| session.entries[*n as usize].has(flags::ID));
            self.taken = with_id.filter_map(|n| session.id(n)).collect();
        }
        let name = self.session.header.as_ref().and_then(|h| h.text("id")).unwrap_or_default();
        let bytes = reread.bytes(&self.session.entries[n as usize]).unwrap_or_default();
        let ids = (0..).map(|attempt| derive(name.as_bytes(), n, attempt, bytes));
        let id = ids.map(|id| String::from_utf8_lossy(&id).into_owned()).find(|id| !self.taken.contains(id.as_bytes()));
        // 2^32 attempts outnumber the ids that can be taken
        let id = id.unwrap_or_default();
        self.taken.insert(id.clone().into_bytes());
        id
    }

    /// The id of an entry as it will be, as JSON.
    pub(super) fn id_json(&self, n: u32) -> String {
        match self.ids.get(&n) {
            Some(id) => crate::json::text::to_json(id.as_bytes()),
            None => self.session.id_json(n).unwrap_or_else(|| "null".to_string()),
        }
    }

    /// The id of an entry as it will be, in back-ticks.
    pub(super) fn name(&self, n: u32) -> String {
        match self.ids.get(&n) {
            Some(id) => format!("`{id}`"),
            None => format!("`{}`", self.session.id_text(n).chars().take(60).collect::<String>()),
        }
    }

    /// Whether an entry is still there.
    pub(super) fn stays(&self, n: u32) -> bool {
        !self.gone.contains_key(&n)
    }

    /// Sets an entry aside.
    pub(super) fn set_aside(&mut self, n: u32, why: Why) {
        self.gone.insert(n, why);
    }

    /// Changes a member of an entry; a later change of the same member replaces an earlier one.
    pub(super) fn change(&mut self, n: u32, member: &'static str, json: String, why: Why) {
        let changes = self.changes.entry(n).or_default();
        changes.retain(|c| c.member != member);
        changes.push(Change { member, json, why });
    }
}

/// A reason with its kind.
pub(super) fn why(code: &'static str, kind: Kind, reason: impl Into<Cow<'static, str>>) -> Why {
    Why { cause: code, kind, reason: reason.into() }
}
