//! `dangling-edit-target`: a context edit has no target it can change.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::{EntryType, Role};
use crate::session::{RefKind, RefValue};

/// R007.
pub static RULE: Rule = Rule {
    code: "R007",
    name: "dangling-edit-target",
    severity: Severity::Warning,
    also: &[],
    found: "The `targetId` of a `context_edit` names no entry of the file, one that is not on its \
        path, or one that cannot be edited.",
    why: "Somebody removed or replaced a message for the model, and the model still sees the \
        original. That matters when the edit was to take out a secret or a huge output.",
    readers: "The edit has no effect (pi 1.6). agent-core 0.83 does not know context edits at all.",
    example: r#"{"type":"context_edit","id":"b7e4a910",…,"targetId":"d4d4d4d4","replacement":null}"#,
    repair: Repair::None,
    remedy: "None: which message was meant is not in the file. Make the edit again in the agent; \
        `sesstool context` shows what the model sees now.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::EditTarget) {
        let RefValue::Id(key) = reference.value else { continue };
        let name = || super::quote(&session.arena.get(key));
        let problem = match reference.target {
            None => format!("the edit's target {} is not in this file", name()),
            Some(target) if !audit.is_on_path(target, reference.entry) => {
                format!("the edit's target {} is not on its path", name())
            }
            Some(target) if !is_editable(audit, target) => format!("the edit's target {} cannot be edited", name()),
            Some(_) => continue,
        };
        sink.add_with(&RULE, RULE.severity, || {
            let message = problem;
            Finding::new(&RULE, audit.ref_place(reference), message).entry(session.id_json(reference.entry))
        });
    }
}

/// Whether an entry gives a message whose content an edit can change.
fn is_editable(audit: &Audit<'_>, n: u32) -> bool {
    let entry = &audit.session.entries[n as usize];
    match entry.kind {
        EntryType::CustomMessage => true,
        EntryType::Message => !matches!(entry.role, Role::None),
        _ => false,
    }
}
