//! `duplicate-key`: a key occurs twice in one object.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// J003.
pub static RULE: Rule = Rule {
    code: "J003",
    name: "duplicate-key",
    severity: Severity::Warning,
    also: &[],
    found: "The same key occurs twice or more in one object. Keys are compared after decoding, so that \
        an escaped spelling is the same key. The finding says which value pi uses.",
    why: "The record has two values for one thing, and readers may disagree about which counts. When \
        pi rewrites the file, the value that does not count is gone.",
    readers: "pi takes the last value. Strict readers reject the line.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","parentId":null,…}"#,
    repair: Repair::None,
    remedy: "None: nobody but the author of the record knows which value was meant, so the bytes are \
        kept as they are. To settle it, remove one of the two in a copy of the file.",
    checks: &[Check::Record(facts::DUPLICATE_KEY, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let notes = &seen.record.scanner.notes;
    let Some(duplicate) = &notes.duplicate else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let key = super::quote(&seen.record.bytes[duplicate.second.clone()]);
        let more = if notes.duplicates > 1 {
            format!(", and {} more on this line", notes.duplicates - 1)
        } else {
            String::new()
        };
        let message = format!("the key {key} stands twice in one object; pi uses the last value{more}");
        Finding::new(&RULE, seen.at(&duplicate.second), message)
            .entry(seen.id_json())
            .related(seen.at(&duplicate.first), "the first one")
    });
}
