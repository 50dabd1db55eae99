//! `file-name-mismatch`: the file name holds another session id than the header.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// H009.
pub static RULE: Rule = Rule {
    code: "H009",
    name: "file-name-mismatch",
    severity: Severity::Warning,
    also: &[],
    found: "The file name has a session id in it, and the header's `id` is another. Files that \
        `sesstool` wrote, and that have their manifest beside them, are not looked at.",
    why: "One of the two was changed, mostly by copying a file to a new name or by editing a header. \
        It is uncertain which session this is.",
    readers: "Readers open the file. Scripts that find a session by the id in the file name miss it, or \
        take the wrong one.",
    example: r#"2026-02-03T10-14-58-001Z_019c2b7e-51aa-7c3e-9d10-2f6b8c4e7a01.jsonl:
{"type":"session","version":3,"id":"019c3004-77d2-7b15-8e0f-c3a19b5d6e42",…}"#,
    repair: Repair::None,
    remedy: "None: the content is not affected, and which of the two ids is right cannot be told from \
        the file. Rename the file if the header is right.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(id) = audit.session.header.as_ref().and_then(|h| h.text("id")).filter(|id| !id.is_empty()) else { return };
    let Some(named) = audit.file_name().as_deref().and_then(super::file_name::parse) else { return };
    if named.id != id && !audit.is_own_output() {
        let message = format!(
            "the file name has the session id {}, the header {}",
            super::quote(named.id.as_bytes()),
            super::quote(id.as_bytes())
        );
        sink.add(Finding::new(&RULE, None, message));
    }
}
