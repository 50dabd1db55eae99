//! What parts results from their calls in the context, on request: compactions keep the message with the
//! call, too; edits that leave half of a pair are set aside.
//!
//! Where they do is looked for in the file as it would be otherwise, read through the plan.

use super::model::{Change, why};
use super::touch::Bytes;
use super::{Options, RepairError};
use crate::edit::{Edit, Kind, Plan};
use crate::rules::check::Audit;
use crate::rules::edited::halved;
use crate::rules::first_kept::{breaks, index_of};
use crate::session::scan::{Options as ScanOptions, scan};
use crate::session::{RefKind, Session, Shape};
use crate::source::Source;

/// What breaks pairs in a repaired file.
pub(super) struct Broken {
    /// The offsets of edits, in the input.
    pub(super) edits: Vec<u64>,
    /// What lets compactions keep the calls, as a plan for the repaired file.
    pub(super) kept: Option<Plan>,
}

/// Whether a session has what may break pairs, and that is to be mended.
pub(super) fn are_wanted(session: &Session, options: &Options) -> bool {
    let may_break = |kind| matches!(kind, RefKind::FirstKept | RefKind::FirstKeptIndex | RefKind::EditTarget);
    ["R005", "M013"].iter().any(|code| options.wants(code, Kind::Choice))
        && session.refs.iter().any(|r| may_break(r.kind))
}

/// Looks for what breaks pairs once the plan is carried out.
pub(super) fn look(source: &Source, plan: &Plan, options: &Options) -> Result<Broken, RepairError> {
    let wants = |code: &str| options.wants(code, Kind::Choice);
    let output = plan.view(source)?;
    let (session, ()) = scan(&output, &ScanOptions::default())?;
    let audit = Audit::new(&output, &session, None);
    let mut broken = Broken { edits: Vec::new(), kept: None };
    if wants("M013") {
        let offsets = halved(&audit).into_iter().map(|halved| session.entries[halved.edit as usize].offset);
        broken.edits = plan.input_of(&offsets.collect::<Vec<_>>());
    }
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
    if !edits.is_empty() {
        broken.kept = Some(Plan::new(output.size().unwrap_or(0), edits).map_err(RepairError::Plan)?);
    }
    Ok(broken)
}
