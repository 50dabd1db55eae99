//! `old-version`: the session is in format version 1 or 2.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// H007.
pub static RULE: Rule = Rule {
    code: "H007",
    name: "old-version",
    severity: Severity::Info,
    also: &[],
    found: "The header's `version` is absent, 1 or 2. Version 1 is a line of entries without ids; \
        version 2 has ids and parents; version 3 renamed one role.",
    why: "The file is not broken. But an agent that merely opens it rewrites it, and what the \
        rewrite drops is gone.",
    readers: "pi rewrites the file in place when it opens it, without a backup: new entry ids are \
        random, and bad lines are not written again. agent-core 0.83 refuses it.",
    example: r#"{"type":"session","id":"6f0d3c1e-…","timestamp":"2025-11-20T09:12:44.310Z","cwd":"/project"}
{"type":"message","timestamp":"2025-11-20T09:12:51Z","message":{"role":"user","content":"hello"}}"#,
    repair: Repair::None,
    remedy: "Not a matter of repair. `sesstool migrate` writes a version 3 file beside the old one, \
        with ids derived from the content; the original stays, and `sesstool restore` gives it \
        back from the new file.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(header) = &audit.session.header else { return };
    if super::h006_unsupported_version::applies(header) || super::h008_version_shape_mismatch::applies(audit.session) {
        return;
    }
    let (place, message) = match header.get("version") {
        None => (
            audit.header_place(header, header.offset, header.length),
            "the header has no version: it counts as 1".to_string(),
        ),
        Some(field) if audit.session.version().is_some_and(|v| v < 3) => {
            (audit.header_place(header, field.place.0, field.place.1), format!("the file is of version {}", field.text))
        }
        Some(_) => return,
    };
    sink.add(Finding::new(&RULE, place, message));
}
