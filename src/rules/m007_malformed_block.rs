//! `malformed-block`: content, or a block of it, has not the shape it should have.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::EntryType;
use crate::json::Kind;
use crate::session::content::{self, Fault};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M007.
pub static RULE: Rule = Rule {
    code: "M007",
    name: "malformed-block",
    severity: Severity::Warning,
    also: &[],
    found: "The content of a message is neither a string nor an array; or a block of it is no object, \
        has no `type`, or lacks what its type needs: `text` a string `text`; `thinking` a string \
        `thinking`; `image` strings `data` and `mimeType`; `toolCall` an `id` that is not empty, a \
        `name` and `arguments`. Types that are not listed are lawful. Told at the first such block \
        of a message.",
    why: "Nothing checks blocks when a session is opened. They are used as they are when the message \
        is shown and when a request is built.",
    readers: "pi opens the session, but showing the message or building a request crashes, and providers \
        answer status 400.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[{"type":"text"}],…}}"#,
    repair: Repair::None,
    remedy: "None: what the block should have held is not in the file.",
    checks: &[Check::Record(facts::BAD_BLOCK, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let record = &seen.record;
    let message = seen.envelope.entry == EntryType::Message;
    let content = if message { record.get_inner(b"content") } else { record.get(b"content") };
    let Some(content) = content else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let first = if message { content::first_fault(record) } else { content::first_custom_fault(record) };
        let (span, what) = match first.filter(|_| content.kind == Kind::Array) {
            Some((span, fault)) => (span, described(fault)),
            None => (content.value.clone(), format!("the content is {}", content.kind.name())),
        };
        Finding::new(&RULE, seen.at(&span), what).entry(seen.id_json())
    });
}

fn described(fault: Fault) -> String {
    match fault {
        Fault::NoObject => "a block of the content is no object".to_string(),
        Fault::NoType => "a block of the content has no type".to_string(),
        Fault::Lacks(name) => format!("a block of the content has no proper `{name}`"),
    }
}
