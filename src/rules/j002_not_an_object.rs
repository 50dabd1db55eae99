//! `not-an-object`: the line is JSON, but not an object.

use super::{Repair, Rule, Severity};

/// J002.
pub static RULE: Rule = Rule {
    code: "J002",
    name: "not-an-object",
    severity: Severity::Error,
    also: &[],
    found: "The line is valid JSON but no object: a number, a string, an array, `true`, `false` or \
        `null`. Before the header, `H002` is told instead where the value hides the header from \
        pi.",
    why: "No such line belongs to the format. As the last line it does real harm: pi takes it for \
        the newest entry, and the session seems to be empty.",
    readers: "pi skips what JavaScript takes for false (`null`, `false`, `0`, `\"\"`). Others, such as \
        `42`, `\"x\"` or `[]`, become entries without an id; as the last line one becomes the leaf \
        and the branch is empty. A v1 or v2 file with a truthy number, string or boolean cannot be \
        opened by pi, because its migration throws. agent-core 0.83 refuses a file with any line \
        that is no object.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
[]"#,
    repair: Repair::Safe,
    remedy: "Sets the line aside.",
};
