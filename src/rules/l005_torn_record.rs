//! `torn-record`: a line inside the file breaks off in the middle of a record.

use super::check::{Audit, Check, Sink};
use super::{Finding, Related, Repair, Rule, Severity};
use crate::json::text;
use crate::record::readable;
use crate::session::scan::{LineView, line_facts};

/// L005.
pub static RULE: Rule = Rule {
    code: "L005",
    name: "torn-record",
    severity: Severity::Error,
    also: &[],
    found: "A line that ends in a line feed holds only the beginning of a JSON object. The cut may be \
        at any byte, also inside a UTF-8 character, which is then not told as `L010` as well. \
        Whole records before the cut are recovered. When the line is the header's, `H003` is told \
        instead.",
    why: "One entry is incomplete. Its line looks like a finished one, so nobody notices until the \
        conversation turns out to start at the entry after it.",
    readers: "pi skips the line without a word. The entry that names it as parent dangles: its branch \
        starts there, and what came before leaves the context.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{"ro
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…",…}"#,
    repair: Repair::Safe,
    remedy: "Sets the line aside. If the same record stands whole elsewhere in the file, nothing was \
        lost, and the finding says so. Otherwise the child's `G003` names this line as the place \
        where its parent was lost and has its own repair.",
    checks: &[Check::Line(line_facts::ODD, check), Check::Session(find_whole)],
};

fn check(line: &LineView<'_>, sink: &mut Sink) {
    let Some(cut) = super::tail_cut(line).filter(|_| line.ended) else { return };
    sink.add_with(&RULE, RULE.severity, || {
        let bytes = &line.bytes[cut.clone()];
        Finding::new(
            &RULE,
            line.place(&cut),
            format!("the record is cut after {}; {}", super::counted(bytes.len(), "byte"), readable::describe(bytes)),
        )
        .entry(readable::id(bytes))
    });
}

/// Says of a cut record that stands whole elsewhere that nothing was lost.
fn find_whole(audit: &Audit<'_>, sink: &mut Sink) {
    for finding in sink.findings.iter_mut().filter(|f| matches!(f.rule.code, "L001" | "L005")) {
        let (Some(id), Some(place)) = (finding.entry.as_deref().and_then(unquoted), &finding.place) else { continue };
        // the same id is not enough: it may be taken by another entry
        let whole = audit.session.find(&text::decode(id)).filter(|n| audit.begins_with(*n, place));
        if let Some(n) = whole {
            let line = audit.session.entries[n as usize].line;
            finding.message.push_str(&format!("; nothing was lost, the record stands whole on line {line}"));
            finding.related.push(Related { place: audit.id_place(n), message: "the whole record".to_string() });
        }
    }
}

fn unquoted(json: &str) -> Option<&[u8]> {
    json.as_bytes().strip_prefix(b"\"")?.strip_suffix(b"\"")
}
