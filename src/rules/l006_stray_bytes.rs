//! `stray-bytes`: other bytes stand before or behind a record on its line.

use super::{Repair, Rule, Severity};

/// L006.
pub static RULE: Rule = Rule {
    code: "L006",
    name: "stray-bytes",
    severity: Severity::Error,
    also: &[],
    found: "On the line of a complete object, before or behind it, there are bytes that are neither \
        JSON white space, nor NULs, nor a byte order mark, nor an object or a piece of one: a \
        no-break space U+00A0, a log message, half a word.",
    why: "The record is intact, but the line as a whole is no JSON. Typical causes are an editor \
        that changed a blank, or another program that printed into the file.",
    readers: "pi drops the whole line, record included. Children of the record dangle.",
    example: r#"warning: retrying {"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}} done"#,
    repair: Repair::Safe,
    remedy: "Keeps the record and sets the other bytes aside.",
};
