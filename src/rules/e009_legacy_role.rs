//! `legacy-role`: a message has a role that version 3 renamed.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::Role;

/// E009.
pub static RULE: Rule = Rule {
    code: "E009",
    name: "legacy-role",
    severity: Severity::Warning,
    also: &[],
    found: "A message in a version 3 file has the role `hookMessage`. In version 1 and 2 files that \
        role is the right one.",
    why: "Version 3 calls this role `custom`. The renaming happens only when an older file is \
        migrated, so a file that already says version 3 keeps the old word for good.",
    readers: "pi never renames it in a version 3 file: the message keeps a role that nothing handles.",
    example: r#"{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,…,"message":{"role":"hookMessage",…}}"#,
    repair: Repair::Assumed,
    remedy: "Replaces the role by `custom`, as the migration would have done. The assumption is that \
        the entry was written in the sense of version 2.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.version().is_some_and(|v| v < 3) || !session.traits.has_role(Role::HookMessage) {
        return;
    }
    for (n, entry) in (0u32..).zip(&session.entries) {
        if entry.role == Role::HookMessage {
            sink.add_with(&RULE, RULE.severity, || {
                let place = audit.member_place(n, |r| r.get_inner(b"role").map(|m| m.value.clone()));
                Finding::new(&RULE, place, "the role is `hookMessage`, which became `custom` in version 3")
                    .entry(session.id_json(n))
            });
        }
    }
}
