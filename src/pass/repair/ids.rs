//! The ids: copies of a line are set aside, a reused id and a missing one are replaced.

use super::model::{Model, why};
use crate::edit::Kind;
use crate::rules::check::Audit;
use crate::session::flags;
use crate::session::reread::Reread;

/// Settles the ids.
pub(super) fn settle(model: &mut Model<'_>) {
    if model.is_line() {
        return;
    }
    let mut reread = Reread::new(model.source);
    copies(model, &mut reread);
    missing(model, &mut reread);
}

fn copies(model: &mut Model<'_>, reread: &mut Reread<'_>) {
    let audit = Audit::new(model.source, model.session, model.path);
    for &(before, later) in &model.session.copies {
        if audit.is_same_record(before, later) {
            if model.wants("G001", Kind::Safe) {
                let reason = format!("the same bytes stand on line {}", model.session.entries[before as usize].line);
                model.set_aside(later, why("G001", Kind::Safe, reason));
            }
        } else if model.wants("G002", Kind::Assumed) {
            let json = model.rename(reread, later);
            let line = model.session.entries[before as usize].line;
            let reason = format!(
                "the id is taken by the entry on line {line}; what was written after this one and names the id \
                 means this one, so it follows"
            );
            model.change(later, "id", json, why("G002", Kind::Assumed, reason));
        }
    }
}

fn missing(model: &mut Model<'_>, reread: &mut Reread<'_>) {
    if !model.wants("E003", Kind::Assumed) {
        return;
    }
    for n in 0..model.len() {
        let entry = &model.session.entries[n as usize];
        if entry.has(flags::ID) {
            continue;
        }
        if entry.is_marker() {
            model.set_aside(n, why("E003", Kind::Assumed, "a marker line with neither id nor parent"));
            continue;
        }
        let json = model.rename(reread, n);
        model.change(n, "id", json, why("E003", Kind::Assumed, "an id derived from the entry's content"));
    }
}
