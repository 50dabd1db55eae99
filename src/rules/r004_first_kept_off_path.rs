//! `first-kept-off-path`: a compaction keeps from an entry that is not before it on its path.

use super::check::{Audit, Check, Sink};
use super::first_kept::{self, Kept};
use super::{Finding, Repair, Rule, Severity};

/// R004.
pub static RULE: Rule = Rule {
    code: "R004",
    name: "first-kept-off-path",
    severity: Severity::Error,
    also: &[],
    found: "The `firstKeptEntryId` of a compaction names an entry of the file, but one that is not on \
        the compaction's own path before it: on another branch, or after it. In a version 1 file: \
        an index that points forward.",
    why: "The place where the kept part should begin is never met on the way to the compaction, so \
        that nothing of the recent conversation stays in the context.",
    readers: "Nothing before the compaction is kept: the context has its summary and what comes after \
        it.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"message","id":"e03f6a1c","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"compaction","id":"b7e4a910","parentId":"e03f6a1c",…,"firstKeptEntryId":"5c1d0e2f",…}"#,
    repair: Repair::None,
    remedy: "None: the entry exists, so it may have been meant, and the damage may as well lie in a \
        parent. The finding proposes an entry on the path, by order and token count; change it in \
        a copy if it is the right one.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for (reference, kept) in first_kept::all(audit) {
        let Kept::OffPath(target) = kept else { continue };
        sink.add_with(&RULE, RULE.severity, || {
            let name = audit.name(target);
            Finding::new(
                &RULE,
                audit.ref_place(&reference),
                format!("the first kept entry {name} is not on the path before the compaction"),
            )
            .entry(audit.session.id_json(reference.entry))
            .related(audit.id_place(target), "the entry that it names")
        });
    }
}
