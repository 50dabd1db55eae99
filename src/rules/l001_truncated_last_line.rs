//! `truncated-last-line`: the last line breaks off in the middle of a record.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::record::readable;
use crate::session::scan::{LineView, line_facts};

/// L001.
pub static RULE: Rule = Rule {
    code: "L001",
    name: "truncated-last-line",
    severity: Severity::Error,
    also: &[],
    found: "The last line has no line feed and holds only the beginning of a JSON object. The cut may \
        be at any byte, also inside a UTF-8 character; whole records that stand before the cut on \
        the same line are recovered, and two or more of them are told as `L003` beside it. When \
        the line is the header's, `H003` is told instead.",
    why: "Usually the program was killed, or the disk was full, while it wrote its last entry. That \
        one entry is incomplete and cannot be read back; everything before it is untouched. The \
        danger lies in going on: the next append makes the fragment a permanent bad line, or takes \
        the next entry down with it.",
    readers: "pi 1.6.0 skips the fragment without a word and adds a line feed, so that it stays in the \
        file as a bad line. pi up to 0.84 writes its next entry directly behind the fragment: the \
        line that results is no JSON, and both entries are lost.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…",…}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","mess"#,
    repair: Repair::Safe,
    remedy: "Sets the bytes of the fragment aside, so that the file ends with the last whole entry. The \
        finding lists the fields that can still be read: type, id, parentId, timestamp, tool name. \
        If the file was written to seconds ago, the entry may still be on its way: check again \
        before repairing.",
    checks: &[Check::Line(line_facts::ODD, check)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(cut) = super::tail_cut(line).filter(|_| !line.ended) else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let left = readable::describe(&line.bytes[cut.clone()]);
        Finding::new(
            &RULE,
            line.place(&cut),
            format!("the last line is cut after {}; {left}", super::counted(cut.len(), "byte")),
        )
        .entry(readable::id(&line.bytes[cut.clone()]))
    });
}
