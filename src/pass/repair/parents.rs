//! The parents: what hangs on nothing, on itself or in a loop is linked to what was written before it,
//! or to what something says better.

use super::added::Place;
use super::evidence::Linker;
use super::model::{Model, why};
use crate::edit::{Kind, Why};
use crate::session::{Parent, flags, graph};
use hashbrown::HashMap;

/// Settles the parents.
pub(super) fn settle(model: &mut Model<'_>) {
    if model.is_line() {
        // what hangs on what is the order of the lines
        return pass_over_chosen(model);
    }
    follow_copies(model);
    pass_over_chosen(model);
    let loose = loose(model);
    if !loose.is_empty() {
        Linker::new(model, &loose).link(loose);
    }
}

/// Makes every parent the copy of its id that was meant.
fn follow_copies(model: &mut Model<'_>) {
    if model.session.copies.is_empty() {
        return;
    }
    for n in 0..model.len() {
        let Some(parent) = model.session.parent(n) else { continue };
        let meant = model.copy_for(n, parent);
        model.links.set(n, Some(meant));
        let renamed = model.is_renamed(meant) || meant != parent && model.is_renamed(parent);
        if model.stays(n) && renamed && model.id_json(meant) != named(model, n) {
            let reason = format!("it follows the entry it means, now {}", model.name(meant));
            model.hang(n, Some(meant), why("G002", Kind::Assumed, reason));
        }
    }
}

/// Children of what was set aside on request hang on what that hung on.
pub(super) fn pass_over_chosen(model: &mut Model<'_>) {
    let is_chosen = |model: &Model<'_>, n: u32| {
        !model.stays(n) && model.reasons.get(&n).is_some_and(|why| why.kind == Kind::Choice)
    };
    if !model.reasons.values().any(|why| why.kind == Kind::Choice) {
        return;
    }
    // of what was set aside: the first one above it that stays, so that a chain of them is walked once
    let mut above: HashMap<u32, Option<u32>> = HashMap::new();
    let mut path = Vec::new();
    for n in 0..model.len() {
        let Some(parent) = model.parent(n).filter(|p| model.stays(n) && is_chosen(model, *p)) else { continue };
        let mut at = Some(parent);
        while let Some(p) = at.filter(|p| is_chosen(model, *p)) {
            if let Some(known) = above.get(&p) {
                at = *known;
                break;
            }
            // until it is known: a loop ends here
            above.insert(p, None);
            path.push(p);
            at = model.parent(p);
        }
        for p in path.drain(..) {
            above.insert(p, at);
        }
        let why = model.reasons[&parent].clone();
        let to = at.map_or_else(|| "the root".to_string(), |p| model.name(p));
        model.added.note_parent(n, Some(parent));
        model.hang(n, at, Why { reason: format!("its parent was set aside; linked to {to}").into(), ..why });
    }
    model.hook_anew();
}

/// The parent that an entry names, as JSON.
fn named(model: &Model<'_>, n: u32) -> String {
    let parent = model.session.parent(n);
    parent.and_then(|p| model.session.id_json(p)).unwrap_or_else(|| "null".to_string())
}

/// An entry that hangs on nothing, and why it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Loose {
    /// The entry.
    pub(super) n: u32,
    /// What is wrong.
    pub(super) fault: Fault,
}

/// What is wrong with a parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Itself,
    Absent,
    NotThere,
    SetAside,
    /// A loop of so many entries.
    Loop(u32),
}

impl Fault {
    /// The rule that tells it.
    pub(super) fn code(self) -> &'static str {
        match self {
            Fault::Itself => "G004",
            Fault::Absent => "E004",
            Fault::NotThere | Fault::SetAside => "G003",
            Fault::Loop(_) => "G005",
        }
    }

    /// It as the beginning of a sentence.
    pub(super) fn sentence(self) -> String {
        match self {
            Fault::Itself => "it named itself".to_string(),
            Fault::Absent => "it named no parent".to_string(),
            Fault::NotThere => "the parent it named is not in the file".to_string(),
            Fault::SetAside => "the parent it named was set aside".to_string(),
            Fault::Loop(count) => format!("it closed a loop of {count} entries"),
        }
    }
}

/// Entries that hang on nothing, in file order.
fn loose(model: &Model<'_>) -> Vec<Loose> {
    let mut found = Vec::new();
    for n in (0..model.len()).filter(|n| model.stays(*n)) {
        let entry = &model.session.entries[n as usize];
        let hangs_on = model.parent(n);
        let fault = match model.session.hangs_on(n) {
            _ if hangs_on == Some(n) => Fault::Itself,
            Parent::Absent if !entry.has(flags::ID_ABSENT) || model.is_renamed(n) => Fault::Absent,
            Parent::Dangling => Fault::NotThere,
            Parent::Entry(p) if !model.stays(p) && hangs_on == Some(p) => Fault::SetAside,
            _ => continue,
        };
        if model.wants(fault.code(), Kind::Assumed) {
            found.push(Loose { n, fault });
        }
    }
    if model.wants("G005", Kind::Assumed) {
        let loops = graph::loops(model.len() as usize, |n| model.parent(n));
        let loops = loops.iter().filter(|members| members.len() > 1);
        found.extend(loops.map(|members| Loose { n: members[0], fault: Fault::Loop(members.len() as u32) }));
        found.sort_unstable();
    }
    found
}

/// Hangs bookkeeping that ends the file on the newest message, where it hangs on a shorter branch.
pub(super) fn stale_leaf(model: &mut Model<'_>) {
    if model.is_line() || !model.wants("G008", Kind::Assumed) {
        return;
    }
    let entries = &model.session.entries;
    let Some(last) = model.last().filter(|n| entries[*n as usize].kind.is_bookkeeping()) else { return };
    let Some(newest) = model.newest_message(last) else { return };
    let (here, there) = (messages(model, Place::Entry(last)), messages(model, newest));
    if here < there && model.above(newest) != Some(Place::Entry(last)) {
        let reason =
            format!("the last entry hung on a branch of {here} messages; the newest message is on one of {there}");
        model.hang_on(last, newest, Why::assumed("G008", reason));
    }
}

/// How many messages there are from the root to a place.
fn messages(model: &Model<'_>, place: Place) -> usize {
    let mut at = Some(place);
    let mut count = 0;
    // a loop that is not to be repaired ends, too
    for _ in 0..model.places() {
        let Some(place) = at else { break };
        count += model.messages_at(place);
        at = model.above(place);
    }
    count
}
