//! `null-content`: a message without content.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::EntryType;
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M006.
pub static RULE: Rule = Rule {
    code: "M006",
    name: "null-content",
    severity: Severity::Warning,
    also: &[],
    found: "`content` is `null` or absent in a user, assistant, toolResult or system message, or in a \
        `custom_message`. An empty array or string is lawful.",
    why: "Some programs write `null` where a turn had nothing to say. pi builds the context all the \
        same, but other parts of it expect something.",
    readers: "pi leaves the session out of its list, and `/tree` and the fork selector crash. In the \
        context the content counts as empty.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":null,…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M006`): the content becomes `[]`, as pi reads it.",
    checks: &[Check::Record(facts::NO_CONTENT, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    sink.add_with(&RULE, RULE.severity, || {
        let message = seen.envelope.entry == EntryType::Message;
        let content = if message { seen.record.get_inner(b"content") } else { seen.record.get(b"content") };
        let state = if content.is_some() { "null" } else { "absent" };
        let place = content.map_or_else(|| seen.start_place(), |m| seen.at(&m.value));
        let name = if message { "message.content" } else { "content" };
        Finding::new(&RULE, place, format!("`{name}` is {state}")).entry(seen.id_json())
    });
}
