//! `oversized-line`: a line is longer than a JavaScript string may be.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::scan::{LineView, line_facts};

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
    checks: &[Check::Line(line_facts::OVERSIZED, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let message = format!("the line has {} bytes", line.bytes.len());
    sink.add(Finding::new(&RULE, line.place(&(0..line.bytes.len())), message));
}
