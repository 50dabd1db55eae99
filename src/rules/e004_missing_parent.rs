//! `missing-parent`: an entry has no key `parentId`.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{Shape, flags};

/// E004.
pub static RULE: Rule = Rule {
    code: "E004",
    name: "missing-parent",
    severity: Severity::Error,
    also: &[],
    found: "In a version 2 or 3 file an entry lacks the key `parentId`. `null` is lawful and means a \
        root; an absent key means that the writer did not know the tree. Not told of lines that \
        have no id either (`E003`), nor under `H008`.",
    why: "The entry becomes the start of a new tree. The conversation before it is still in the \
        file, but the model no longer sees it.",
    readers: "pi takes the entry for a root: everything before it leaves the context.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"custom_message","id":"b7e4a910","timestamp":"…","customType":"note",…}"#,
    repair: Repair::Assumed,
    remedy: "Inserts `parentId`, naming the entry written just before. The assumption is that the entry \
        continued what was written last; the manifest names it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let none = !session.traits.any(flags::PARENT_ABSENT);
    if none || session.shape == Shape::Line || super::h008_version_shape_mismatch::applies(session) {
        return;
    }
    for (n, entry) in (0u32..).zip(&session.entries) {
        // a line with neither is a marker line, told by E003
        if entry.has(flags::PARENT_ABSENT) && !entry.has(flags::ID_ABSENT) {
            sink.add_with(&RULE, RULE.severity, || {
                let place = audit.place_of(entry, entry.offset, 1);
                Finding::new(&RULE, place, "the entry has no `parentId`").entry(session.id_json(n))
            });
        }
    }
}
