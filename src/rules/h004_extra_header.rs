//! `extra-header`: there is a second header.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// H004.
pub static RULE: Rule = Rule {
    code: "H004",
    name: "extra-header",
    severity: Severity::Warning,
    also: &[],
    found: "After the header another record of type `session` follows. The finding says whether it \
        looks like two sessions that were concatenated, or like the same one written twice.",
    why: "A file is one session. If two were joined, entries of the second stand in the first one's \
        file, and ids may collide. If the same one was written again, the header is merely \
        superfluous.",
    readers: "pi ignores the further header. agent-core refuses the file.",
    example: r#"{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}
{"type":"session","version":3,"id":"019c3004-…","timestamp":"…","cwd":"/project"}"#,
    repair: Repair::Safe,
    remedy: "If its id equals the first header's, the further header is set aside, which changes \
        nothing for pi. If the id is another, the file may hold two sessions: then it is left \
        alone unless you ask for it (`--choose H004`), and split into two files.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let Some(first) = &session.header else { return };
    for header in &session.extra_headers {
        sink.add_with(&RULE, RULE.severity, || {
            let same = first.text("id").is_some() && first.text("id") == header.text("id");
            let (what, repair) = match same {
                true => ("it has the id of the first one: the same session written twice", Repair::Safe),
                false => ("it has another id: two sessions in one file", Repair::Choice),
            };
            let place = audit.header_place(header, header.offset, header.length);
            Finding::new(&RULE, place, format!("a further header; {what}"))
                .repair(repair)
                .related(audit.header_place(first, first.offset, first.length), "the first header")
        });
    }
}
