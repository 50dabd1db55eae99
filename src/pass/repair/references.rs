//! References other than parents: they follow what was renamed, and a lost leaf target is replaced.

use super::model::{Model, why};
use crate::dialect::pi::Role;
use crate::edit::Kind;
use crate::session::{RefKind, RefValue};

/// Settles the references.
pub(super) fn settle(model: &mut Model<'_>) {
    if !model.is_line() {
        follow(model);
        leaf_targets(model);
    }
    legacy_roles(model);
}

/// References to an id that occurs twice mean the copy that was written last before them.
fn follow(model: &mut Model<'_>) {
    for reference in &model.session.refs {
        let (Some(target), true) = (reference.target, model.stays(reference.entry)) else { continue };
        let meant = model.copy_for(reference.entry, target);
        let now = model.id_json(meant);
        if model.session.id_json(target).as_ref() != Some(&now) {
            let reason = format!("it follows the entry it means, now {}", model.name(meant));
            model.change(reference.entry, member(reference.kind), now, why("G002", Kind::Assumed, reason));
        }
    }
}

fn member(kind: RefKind) -> &'static str {
    match kind {
        RefKind::LeafTarget | RefKind::LabelTarget | RefKind::EditTarget => "targetId",
        RefKind::FirstKept => "firstKeptEntryId",
        RefKind::FirstKeptIndex => "firstKeptEntryIndex",
        RefKind::SummarySource => "fromId",
    }
}

/// A `leaf` entry whose target is not there points at the last entry before it.
fn leaf_targets(model: &mut Model<'_>) {
    if !model.wants("R001", Kind::Assumed) {
        return;
    }
    for reference in model.session.refs.iter().filter(|r| r.kind == RefKind::LeafTarget) {
        let lost = reference.target.is_none_or(|t| !model.stays(model.copy_for(reference.entry, t)));
        if !lost || matches!(reference.value, RefValue::Null | RefValue::Absent) || !model.stays(reference.entry) {
            continue;
        }
        let before = (0..reference.entry).rev().find(|n| model.stays(*n));
        let json = before.map_or_else(|| "null".to_string(), |n| model.id_json(n));
        let reason = match before {
            Some(n) => format!("its target is not in the file; {} is the last entry before it", model.name(n)),
            None => "its target is not in the file, and no entry stands before it".to_string(),
        };
        model.change(reference.entry, "targetId", json, why("R001", Kind::Assumed, reason));
    }
}

/// The role that version 3 no longer has.
fn legacy_roles(model: &mut Model<'_>) {
    if model.version_after() < 3 || !model.wants("E009", Kind::Assumed) {
        return;
    }
    for n in 0..model.len() {
        if model.session.entries[n as usize].role == Role::HookMessage && model.stays(n) {
            let why = why("E009", Kind::Assumed, "the role became `custom` in version 3");
            model.change(n, "message.role", "\"custom\"".to_string(), why);
        }
    }
}
