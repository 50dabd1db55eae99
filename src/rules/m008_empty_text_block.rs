//! `empty-text-block`: a text block that says nothing.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::content;
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M008.
pub static RULE: Rule = Rule {
    code: "M008",
    name: "empty-text-block",
    severity: Severity::Warning,
    also: &[],
    found: "A text block of a user or assistant message is empty, or holds nothing but white space. In a \
        tool result that is lawful. Told at the first such block of a message.",
    why: "A turn that was cut short, or a model that had nothing to say before it called a tool, \
        leaves one.",
    readers: "pi sends it as it is. Some providers answer status 400 to every request that contains such a \
        block.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[{"type":"text","text":""},{"type":"toolCall",…}],…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M008`): the block is removed.",
    checks: &[Check::Record(facts::EMPTY_TEXT, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    sink.add_with(&RULE, RULE.severity, || {
        let blocks: Vec<_> = seen.record.blocks().filter(content::is_empty_text).collect();
        let place = blocks.first().map_or_else(|| seen.start_place(), |block| seen.at(block.value));
        let more = match blocks.len() {
            0 | 1 => String::new(),
            n => format!(", and {} more in this message", n - 1),
        };
        Finding::new(&RULE, place, format!("a text block says nothing{more}")).entry(seen.id_json())
    });
}
