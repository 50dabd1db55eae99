//! `missing-field`: an entry lacks a field it cannot do without.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::{EntryType, FieldSpec, MESSAGE_FIELDS, Role, TOOL_RESULT_FIELDS};
use crate::json::{Kind, Member, get};
use crate::session::envelope::facts;
use crate::session::envelope::{FieldState, field_state};
use crate::session::scan::RecordView;

/// E006.
pub static RULE: Rule = Rule {
    code: "E006",
    name: "missing-field",
    severity: Severity::Error,
    also: &[],
    found: "A field is absent or `null`: `message` of a message; `summary` of a compaction or \
        branch_summary; `targetId` of a label, context_edit or leaf (of a leaf only if absent, \
        `null` is lawful); `customType` of custom and custom_message; `provider` and `modelId` of \
        model_change; `thinkingLevel`; the `role` of a message; `toolCallId` of a toolResult. \
        Lawful without: `name`, `label`, `data`, `details`, `usage`, `fromId`.",
    why: "One such entry on the branch can be enough to stop the whole session from being resumed.",
    readers: "Building the context throws.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…"}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"summary":null}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose E006`): the entry is set aside. What it should have held is not \
        in the file, and dropping an entry changes the conversation, so it is not done unasked.",
    checks: &[Check::Record(facts::FIELD_MISSING, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let envelope = seen.envelope;
    tell(seen, seen.record.top, envelope.entry.spec().map_or(&[], |s| s.fields), "", sink);
    let message = seen.record.get(b"message").is_some_and(|m| m.kind == Kind::Object);
    if envelope.entry == EntryType::Message && message {
        let fields = if envelope.role == Role::ToolResult { TOOL_RESULT_FIELDS } else { MESSAGE_FIELDS };
        tell(seen, seen.record.inner, fields, "message.", sink);
    }
}

fn tell(seen: &RecordView<'_>, members: &[Member], fields: &[FieldSpec], prefix: &str, sink: &mut Sink) {
    for field in fields {
        if !matches!(field_state(seen.record.bytes, members, field), FieldState::Missing) {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let name = String::from_utf8_lossy(field.name);
            let null = get(members, seen.record.bytes, field.name);
            let state = if null.is_some() { "null" } else { "absent" };
            let place = null.map_or_else(|| seen.start_place(), |m| seen.at(&m.value));
            let message = format!("`{prefix}{name}` of a `{}` is {state}", seen.envelope.entry.name());
            Finding::new(&RULE, place, message).entry(seen.id_json())
        });
    }
}
