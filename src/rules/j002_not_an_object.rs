//! `not-an-object`: the line is JSON, but not an object.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::json::Kind;
use crate::session::scan::{LineView, line_facts};

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
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(kind) = line.pieces.and_then(|p| p.value) else { return };
    let text = line.bytes.trim_ascii();
    let falsy = matches!(text, b"null" | b"false" | b"\"\"") || kind == Kind::Number && is_zero(text);
    let effect = if falsy {
        "pi skips the line"
    } else {
        "pi takes it for an entry without an id; as the last line it makes the branch empty"
    };
    sink.add_with(&RULE, RULE.severity, || {
        let start = line.bytes.len() - line.bytes.trim_ascii_start().len();
        let message = format!("the line is {}, not an object: {}", kind.name(), super::quote(text));
        Finding::new(&RULE, line.place(&(start..start + text.len())), message).effect(effect)
    });
}

fn is_zero(text: &[u8]) -> bool {
    std::str::from_utf8(text).ok().and_then(|t| t.parse::<f64>().ok()) == Some(0.0)
}
