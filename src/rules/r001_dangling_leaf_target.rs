//! `dangling-leaf-target`: a `leaf` entry points at an entry that is not in the file.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{RefKind, RefValue};

/// R001.
pub static RULE: Rule = Rule {
    code: "R001",
    name: "dangling-leaf-target",
    severity: Severity::Error,
    also: &[],
    found: "The `targetId` of a `leaf` entry names no entry of the file. `null` is lawful and means \
        before everything; an absent key is `E006`.",
    why: "A `leaf` entry says where the conversation goes on. If its target is missing, a reader \
        that obeys it has no place to go on from.",
    readers: "agent-core stops with an error: entry not found. pi does not obey `leaf` entries; for it \
        this is an ordinary entry.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"leaf","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","targetId":"d4d4d4d4"}"#,
    repair: Repair::Assumed,
    remedy: "Points it at the last entry before it. The assumption is that the conversation went on \
        where it stood; the manifest names it, with the old target.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::LeafTarget) {
        // an absent target is E006
        if reference.target.is_some() || matches!(reference.value, RefValue::Null | RefValue::Absent) {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let message = match reference.value {
                RefValue::Id(key) => {
                    format!("the leaf's target {} is not in this file", super::quote(&session.arena.get(key)))
                }
                _ => "the leaf's target is neither an id nor null".to_string(),
            };
            Finding::new(&RULE, audit.ref_place(reference), message).entry(session.id_json(reference.entry))
        });
    }
}
