//! Compactions that part a result from its call, on request: they keep the message with the call, too.
//!
//! Where they do is looked for in the file as it would be otherwise, read through the plan.

use super::model::{Change, why};
use super::touch::Bytes;
use super::{Options, RepairError};
use crate::edit::{Edit, Kind, Plan};
use crate::rules::check::Audit;
use crate::rules::first_kept::{breaks, index_of};
use crate::session::scan::{Options as ScanOptions, scan};
use crate::session::{RefKind, Session, Shape};
use crate::source::Source;

/// The plan with kept ranges that hold together what belongs together.
pub(super) fn keep_pairs(
    source: &Source,
    session: Session,
    plan: Plan,
    options: &Options,
) -> Result<Plan, RepairError> {
    let wants = |code: &str| options.wants(code, Kind::Choice);
    let compactions = session.refs.iter().any(|r| matches!(r.kind, RefKind::FirstKept | RefKind::FirstKeptIndex));
    if !compactions || !wants("R005") && !wants("M013") {
        return Ok(plan);
    }
    // never two of them
    drop(session);
    let output = plan.view(source)?;
    let (session, ()) = scan(&output, &ScanOptions::default())?;
    let audit = Audit::new(&output, &session, None);
    let mut edits: Vec<Edit> = Vec::new();
    for found in breaks(&audit) {
        // whoever asks for what the context breaks means this as well
        let wanted = wants(found.code) || found.code == "R005" && wants("M013");
        if !wanted {
            continue;
        }
        let entry = &session.entries[found.reference.entry as usize];
        let bytes = Bytes::of(output.read_range(entry.offset, entry.length)?, entry.offset);
        let (member, json, name) = match session.shape {
            Shape::Tree => {
                let id = session.id_json(found.call).unwrap_or_else(|| "null".to_string());
                ("firstKeptEntryId", id, audit.name(found.call))
            }
            Shape::Line => {
                let line = session.entries[found.call as usize].line;
                ("firstKeptEntryIndex", index_of(&session, found.call).to_string(), format!("line {line}"))
            }
        };
        let reason = format!("{name} is kept, too: it has the call of a result that is in the context");
        edits.extend(bytes.change(&[Change { member, json, why: why(found.code, Kind::Choice, reason) }]));
    }
    if edits.is_empty() {
        return Ok(plan);
    }
    let next = Plan::new(output.size().unwrap_or(0), edits).map_err(RepairError::Plan)?;
    // what was half changed already stays as it is
    Ok(plan.then(&next).unwrap_or(plan))
}
