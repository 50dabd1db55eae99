//! `oversized-line`: a line is longer than a JavaScript string may be.

use super::{Repair, Rule, Severity};

/// L013.
pub static RULE: Rule = Rule {
    code: "L013",
    name: "oversized-line",
    severity: Severity::Warning,
    also: &[],
    found: "A line has more than 536,870,888 characters.",
    why: "The record may be perfectly well-formed, but readers in JavaScript cannot hold it in one \
        string. Mostly it is a tool result with an enormous output.",
    readers: "pi cannot load the line.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"toolResult","content":[…600 MB…]}}"#,
    repair: Repair::None,
    remedy: "None: shortening the record would change what was said, and which part can go is not for a \
        program to decide. The finding gives the line and its size; `sesstool` itself reads the \
        record.",
};
