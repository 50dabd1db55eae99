//! `missing-type`: an entry has no type.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// E001.
pub static RULE: Rule = Rule {
    code: "E001",
    name: "missing-type",
    severity: Severity::Error,
    also: &[],
    found: "An entry has no `type`, or one that is not a string.",
    why: "The type says what the entry is. Without it the entry holds a place in the tree, but its \
        content is never used; if it was a message, that message is missing from the conversation.",
    readers: "pi keeps it as an entry of no kind: its children find their parent, and nothing of it \
        reaches the context. agent-core 0.83 refuses the file.",
    example: r#"{"id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{"role":"user",…}}"#,
    repair: Repair::None,
    remedy: "None: what the type was is a guess that nothing in the format confirms. If the other \
        fields make it plain, add `\"type\":\"message\"` (or what it was) in a copy of the file.",
    checks: &[Check::Record(facts::NO_TYPE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    sink.add_with(&RULE, RULE.severity, || {
        let (place, message) = match seen.record.get(b"type") {
            None => (seen.start_place(), "the entry has no `type`".to_string()),
            Some(member) => {
                (seen.at(&member.value), format!("the entry's `type` is {}, not a string", member.kind.name()))
            }
        };
        Finding::new(&RULE, place, message).entry(seen.id_json())
    });
}
