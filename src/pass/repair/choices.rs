//! What is done only on request: entries that lack a field are set aside, lost kept ranges found again.

use super::model::{Model, why};
use crate::dialect::pi::{EntryType, Role};
use crate::edit::Kind;
use crate::session::RefKind;
use std::collections::BTreeSet;

/// About how many bytes one token is, and how many tokens pi keeps at a compaction.
const BYTES_PER_TOKEN: u64 = 4;
const KEPT_TOKENS: u64 = 20_000;

/// Sets entries aside that lack a field without which the context cannot be built, and edits that leave
/// half of a pair in the context.
pub(super) fn set_aside(model: &mut Model<'_>, edits: &BTreeSet<u64>) {
    for offset in edits {
        if let Some(n) = model.entry_at(*offset) {
            let reason = "an edit that takes a tool call out of the context, or its result, and leaves the other";
            model.set_aside(n, why("M013", Kind::Choice, reason));
        }
    }
    if !model.wants("E006", Kind::Choice) {
        return;
    }
    for offset in &model.damage.incomplete {
        if let Some(n) = model.entry_at(*offset) {
            model.set_aside(n, why("E006", Kind::Choice, "an entry that lacks a field the context needs"));
        }
    }
}

/// Lets compactions whose kept range is lost keep what pi would keep.
pub(super) fn kept_ranges(model: &mut Model<'_>) {
    if !model.wants("R003", Kind::Choice) || model.is_line() {
        return;
    }
    let session = model.session;
    let mut left = super::MOST_STEPS;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::FirstKept) {
        let is_there = reference.target.is_some_and(|t| model.stays(model.copy_for(reference.entry, t)));
        if is_there || !model.stays(reference.entry) || model.changes(reference.entry, "firstKeptEntryId") {
            continue;
        }
        if let Some((n, reason)) = plausible(model, reference.entry, &mut left) {
            let json = model.id_json(n);
            model.change(reference.entry, "firstKeptEntryId", json, why("R003", Kind::Choice, reason));
        }
    }
}

/// What pi would keep before a compaction: the last messages, about 20,000 tokens, not beginning with a
/// tool result. The first of them, or the compaction itself, which keeps nothing; and the reason.
pub(super) fn plausible(model: &Model<'_>, compaction: u32, left: &mut u32) -> Option<(u32, String)> {
    let mut at = model.parent(compaction);
    let (mut size, mut kept) = (0, None);
    while let Some(n) = at {
        *left = left.checked_sub(1)?;
        let entry = &model.session.entries[n as usize];
        if entry.kind == EntryType::Compaction {
            break;
        }
        if entry.is_message() && entry.role != Role::ToolResult {
            kept = Some(n);
            if size > KEPT_TOKENS * BYTES_PER_TOKEN {
                break;
            }
        }
        size += entry.length;
        at = model.parent(n);
    }
    let tokens = size / BYTES_PER_TOKEN;
    Some(match kept {
        Some(n) => (n, format!("about {tokens} tokens before the compaction are kept, from {} on", model.name(n))),
        None => (compaction, "nothing stands before the compaction that it could keep".to_string()),
    })
}
