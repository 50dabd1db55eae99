//! `lone-surrogate`: an escape for half a character.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// J004.
pub static RULE: Rule = Rule {
    code: "J004",
    name: "lone-surrogate",
    severity: Severity::Warning,
    also: &[],
    found: "A string or a key holds an escape from `\\ud800` to `\\udfff` without the other half that \
        would make it a character. Any string of the record counts, at any depth.",
    why: "Such a string cannot be written as UTF-8. It arises when text is cut in the middle of an \
        emoji or another character outside the basic plane, often in a shortened tool output. \
        Everything looks well until the next request.",
    readers: "pi reads it and keeps it as it is. Providers answer status 400 to every later request that \
        contains the message, so the session cannot go on.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"cut \ud83d"}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose J004`): each lone half is replaced by the escape `\\ufffd`, the \
        replacement character. It changes the text, if only by half a character, and is therefore \
        not done unasked.",
    checks: &[Check::Record(facts::LONE_SURROGATE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let notes = &seen.record.scanner.notes;
    let Some(at) = notes.lone_surrogate else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let escape = super::quote(&seen.record.bytes[at..at + 6]);
        let more = if notes.lone_surrogates > 1 {
            format!(", and {} more on this line", notes.lone_surrogates - 1)
        } else {
            String::new()
        };
        Finding::new(&RULE, seen.at(&(at..at + 6)), format!("{escape} is half of a surrogate pair{more}"))
            .entry(seen.id_json())
    });
}
