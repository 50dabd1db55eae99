//! The kept ranges of version 1, which are places in the file: they follow what is added and set aside.

use super::choices::plausible;
use super::model::{Model, why};
use crate::edit::{Kind, Why};
use crate::session::{RefKind, RefValue};
use hashbrown::HashMap;

/// Settles the indices of a line of version 1.
pub(super) fn settle(model: &mut Model<'_>) {
    let session = model.session;
    let refs = session.refs.iter().filter(|r| matches!(r.kind, RefKind::FirstKeptIndex | RefKind::FirstKept));
    let compactions: Vec<_> = refs.filter(|r| model.stays(r.entry)).copied().collect();
    if !model.is_line() || compactions.is_empty() || model.version_after() >= 2 {
        return;
    }
    let records = Records::of(model);
    let mut left = super::MOST_STEPS;
    for reference in compactions {
        let by_index = reference.kind == RefKind::FirstKeptIndex;
        let found = match reference.value {
            RefValue::Number(index) if by_index => records.at(index),
            // the other member of the two says nothing here, and an index may stand beside it
            RefValue::Absent if !by_index && !has_index(model, reference.entry) => At::Nowhere,
            _ if by_index => At::Nowhere,
            _ => continue,
        };
        let change = match found {
            At::Entry(n) => {
                let (first, why) = follow(model, &records, n, reference.entry);
                Some((records.now(first), why))
            }
            At::Behind(more) => Some((records.total() + more, moved())),
            At::Header | At::Nowhere => None,
        };
        let lost = !matches!(found, At::Entry(_)) && model.wants("R003", Kind::Choice);
        let guess = if lost { plausible(model, reference.entry, &mut left) } else { None };
        let guess = guess.map(|(n, reason)| (records.now(n), why("R003", Kind::Choice, reason)));
        if let Some((index, why)) = guess.or(change)
            && reference.value != RefValue::Number(f64::from(index))
        {
            model.change(reference.entry, "firstKeptEntryIndex", index.to_string(), why);
        }
    }
}

fn moved() -> Why {
    why("M001", Kind::Choice, "the index follows what it counts, with what was added and set aside before it")
}

fn has_index(model: &Model<'_>, entry: u32) -> bool {
    let refs = &model.session.refs;
    let start = refs.partition_point(|r| r.entry < entry);
    refs[start..].iter().take_while(|r| r.entry == entry).any(|r| r.kind == RefKind::FirstKeptIndex)
}

/// The entry that is kept first now: what followed the one that was, if that left its place.
fn follow(model: &Model<'_>, records: &Records, n: u32, compaction: u32) -> (u32, Why) {
    let Some(why) = model.left_by_choice(n) else { return (n, moved()) };
    let next = (n..compaction).find(|m| model.keeps_its_line(*m)).unwrap_or(compaction);
    let reason = format!("the entry it kept first was set aside; record {} follows", records.now(next));
    (next, Why { reason: reason.into(), ..why.clone() })
}

/// What an index names.
enum At {
    Entry(u32),
    /// A header.
    Header,
    /// Past the end of the file, by so many.
    Behind(u32),
    /// Nothing: no place in a file.
    Nowhere,
}

/// The records as an index counts them, the header at 0.
struct Records {
    /// Before the repair: which are entries.
    before: Vec<Option<u32>>,
    /// After it: the place of each entry.
    after: HashMap<u32, u32>,
    total: u32,
}

impl Records {
    fn of(model: &Model<'_>) -> Records {
        let session = model.session;
        let gone: Vec<u64> = model.same_headers().map(|header| header.offset).collect();
        let mut headers = session.extra_headers.iter().map(|header| header.offset).peekable();
        let mut added = model.added_behind().into_iter().peekable();
        let (mut before, mut after, mut place) = (vec![None], HashMap::new(), 1);
        for (n, entry) in (0u32..).zip(&session.entries) {
            while let Some(header) = headers.next_if(|offset| *offset < entry.offset) {
                before.push(None);
                place += u32::from(gone.binary_search(&header).is_err());
            }
            before.push(Some(n));
            if model.keeps_its_line(n) {
                after.insert(n, place);
                place += 1;
            }
            while let Some((_, moved)) = added.next_if(|(anchor, _)| *anchor == n) {
                after.extend(moved.map(|moved| (moved, place)));
                place += 1;
            }
        }
        Records { before, after, total: place }
    }

    fn at(&self, index: f64) -> At {
        if index.fract() != 0.0 || index < 0.0 {
            return At::Nowhere;
        }
        match self.before.get(index as usize) {
            Some(Some(n)) => At::Entry(*n),
            Some(None) => At::Header,
            None => At::Behind((index - self.before.len() as f64).min(1e9) as u32),
        }
    }

    /// The place of an entry after the repair.
    fn now(&self, n: u32) -> u32 {
        self.after.get(&n).copied().unwrap_or(0)
    }

    /// How many records there are after the repair.
    fn total(&self) -> u32 {
        self.total
    }
}
