//! `wrong-field-type`: a known field has a value of the wrong JSON type.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::{EntryType, FieldSpec, MESSAGE_FIELDS, Role, TOOL_RESULT_FIELDS};
use crate::json::Member;
use crate::session::envelope::facts;
use crate::session::envelope::{FieldState, field_state};
use crate::session::scan::RecordView;

/// E005.
pub static RULE: Rule = Rule {
    code: "E005",
    name: "wrong-field-type",
    severity: Severity::Warning,
    also: &[],
    found: "A known field of an entry holds another JSON type than the format gives it: a `name` that \
        is no string, a `label` that is an object. Not meant here: a `parentId` that is neither \
        string nor null (`G003`), and content that is neither string nor array (`M007`).",
    why: "Readers rely on the type without looking. Often the file opens, and a later step that uses \
        the field fails.",
    readers: "pi may throw later, or hide the session from its list.",
    example: r#"{"type":"session_info","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","name":42}"#,
    repair: Repair::None,
    remedy: "None: the right value is not in the file. Correct the field in a copy if you know it; a \
        later entry of the same kind may already have replaced it.",
    checks: &[Check::Record(facts::FIELD_TYPE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let envelope = seen.envelope;
    tell(seen, seen.record.top, envelope.entry.spec().map_or(&[], |s| s.fields), "", sink);
    if envelope.entry == EntryType::Message {
        let fields = if envelope.role == Role::ToolResult { TOOL_RESULT_FIELDS } else { MESSAGE_FIELDS };
        tell(seen, seen.record.inner, fields, "message.", sink);
    }
}

fn tell(seen: &RecordView<'_>, members: &[Member], fields: &[FieldSpec], prefix: &str, sink: &mut Sink) {
    for field in fields {
        let FieldState::Wrong(member) = field_state(seen.record.bytes, members, field) else { continue };
        sink.add_with(&RULE, RULE.severity, || {
            let name = String::from_utf8_lossy(field.name);
            let message = format!("`{prefix}{name}` of a `{}` is {}", seen.envelope.entry.name(), member.kind.name());
            Finding::new(&RULE, seen.at(&member.value), message).entry(seen.id_json())
        });
    }
}
