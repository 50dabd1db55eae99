//! `missing-id`: an entry has no id.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{Shape, flags};

/// E003.
pub static RULE: Rule = Rule {
    code: "E003",
    name: "missing-id",
    severity: Severity::Error,
    also: &[],
    found: "In a version 2 or 3 file the `id` of an entry is absent, empty or not a string. A line \
        with neither `id` nor `parentId` is a marker line of another tool and told here once, \
        without `E004` and `E007`. If no entry of the file has an id, `H008` is told instead.",
    why: "Nothing can point at the entry, so nothing can be its child. As the last line of the file \
        it makes the session look empty, although everything before it is there.",
    readers: "pi: if it is the last entry and its id is absent or empty, the leaf has no id and the \
        branch is empty. The context is still built from that entry upwards; for a marker line, \
        which has no parent, that means from nothing. agent-core 0.83 refuses the file.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"session_end","reason":"exit"}"#,
    repair: Repair::Assumed,
    remedy: "Inserts an id, derived from the content; the assumption is that the entry belongs where \
        its parent says. A marker line with neither `id` nor `parentId` is set aside, on the \
        assumption that it was never an entry.",
    checks: &[Check::Session(check)],
};

/// The longest value that is shown in the place of an id.
const MOST_SHOWN: usize = 4096;

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let none = session.traits.all(flags::ID);
    if none || session.shape == Shape::Line || super::h008_version_shape_mismatch::applies(session) {
        return;
    }
    for (n, entry) in (0u32..).zip(&session.entries) {
        if entry.has(flags::ID) {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let marker = entry.is_marker();
            let message = match entry.id_span() {
                _ if marker => "the line has neither `id` nor `parentId`: a marker that another tool appended",
                None => "the entry has no `id`",
                Some((_, 2)) => "the entry's `id` is empty",
                Some(_) => "the entry's `id` is no string",
            };
            let id = audit
                .reread(n, |r| r.get(b"id").filter(|m| m.value.len() < MOST_SHOWN).map(|m| r.raw(&m.value)))
                .flatten();
            let finding = Finding::new(&RULE, audit.id_place(n), message).entry(id);
            match marker {
                true => finding.effect("pi takes it for an entry; as the last one it leaves an empty branch"),
                false => finding,
            }
        });
    }
}
