//! `invalid-json`: the line is not JSON.

use super::{Repair, Rule, Severity};

/// J001.
pub static RULE: Rule = Rule {
    code: "J001",
    name: "invalid-json",
    severity: Severity::Error,
    also: &[],
    found: "The line is not JSON, and no rule about lines (cut, glued, stray bytes, NULs …) explains \
        it. The finding says the kind: `undefined`, `NaN`, a comment, a trailing comma, single \
        quotes, a raw control character in a string, the end of a record whose beginning is \
        missing (an entry was lost here), and so on. For the header's line `H003` is told.",
    why: "What the line says cannot be read by any JSON reader. Mostly it was written by hand or by \
        a script that built JSON out of text. If it was an entry, its children lose their parent.",
    readers: "pi skips the line without a word.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"user","content":"hi",}}
{'type': 'label', 'id': 'b7e4a910', 'targetId': '5c1d0e2f', 'label': None}"#,
    repair: Repair::Safe,
    remedy: "Sets the line aside; it is not guessed what it should have been. If you can see what is \
        wrong, correct it in a copy of the file and validate that. A child whose parent stood here \
        gets a `G003` that names this line.",
};
