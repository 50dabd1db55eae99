//! `lone-surrogate`: an escape for half a character.

use super::{Repair, Rule, Severity};

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
};
