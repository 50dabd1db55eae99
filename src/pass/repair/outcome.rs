//! What a repair would come to, without making it.

use super::Options;
use super::lines::Damage;
use super::model::{Model, Purpose};
use crate::edit::Kind;
use crate::rules::kind::FileKind;
use crate::session::Session;
use crate::session::mend::Mending;
use crate::session::view::{Reader, View};
use crate::source::Source;
use std::collections::BTreeSet;

/// How many messages pi 1.6 would show the model after a repair by default; `None` where it would refuse
/// the file, and where nothing can be repaired. The index becomes that of the repaired file, whose bytes
/// are nowhere: what is needed beside the index is a few bytes an entry.
pub fn messages_after(source: &Source, mut session: Session) -> Option<u64> {
    if !matches!(FileKind::of(source, &session), FileKind::Session) {
        return None;
    }
    let (damage, options) = (Damage::default(), Options::default());
    let mut model = Model::new(source, &session, &damage, None, &options, Purpose::Outcome);
    super::settle(&mut model, &BTreeSet::new()).ok()?;
    let version = model.version_change();
    let renames_roles = model.version_after() < 3 || model.wants("E009", Kind::Assumed);
    let (links, gone, renamed, copies) = model.into_outcome();
    // what is no object is set aside, and so are the titles of oh-my-pi; records of other storages stay
    let titles: Vec<u64> = session.facts.titles.iter().map(|(offset, _)| *offset).collect();
    let extras: Vec<bool> = session
        .facts
        .extras
        .iter()
        .map(|row| {
            source.read_range(row.offset, 1).is_ok_and(|byte| byte == b"{")
                && titles.binary_search(&row.offset).is_err()
        })
        .collect();
    let stays = |n: u32| !gone.contains(n);
    session.mend(&Mending {
        parent: &|n| links.get(n),
        stays: &stays,
        renamed: &|n| renamed.contains(n),
        meant: &|n, target| copies.meant(n, target),
        version,
        extra_stays: &|n| extras[n],
        renames_roles,
    });
    drop((links, gone, renamed, copies));
    View::new(source, &session, Reader::Pi).and_then(|view| view.count_messages()).ok()
}
