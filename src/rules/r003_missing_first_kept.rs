//! `missing-first-kept`: a compaction does not say, or not validly, from where on entries are kept.

use super::check::{Audit, Check, Sink};
use super::first_kept::{self, Kept};
use super::{Finding, Repair, Rule, Severity};

/// R003.
pub static RULE: Rule = Rule {
    code: "R003",
    name: "missing-first-kept",
    severity: Severity::Error,
    also: &[],
    found: "The `firstKeptEntryId` of a compaction is absent, and it has no `retainedTail` either; or \
        it names no entry of the file. In a version 1 file: `firstKeptEntryIndex` is 0, negative, \
        no whole number, or past the end. A compaction that names its own id is lawful: it means \
        keep nothing.",
    why: "A compaction replaces the older part of the conversation by a summary and keeps the newer \
        part as it was. Without a valid starting point the newer part is dropped too, and the \
        model knows it only as far as the summary tells.",
    readers: "Nothing before the compaction is kept in the context: only its summary and what comes \
        after it.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"firstKeptEntryId":"d4d4d4d4",…}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose R003`): names the entry that the order and the token count make \
        plausible. The true one is not in the file, and a wrong one would change what the model \
        sees; so the proposal is shown and not done unasked.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for (reference, kept) in first_kept::all(audit) {
        let Kept::Missing(message) = kept else { continue };
        sink.add_with(&RULE, RULE.severity, || {
            let id = audit.session.id_json(reference.entry);
            Finding::new(&RULE, audit.ref_place(&reference), message).entry(id)
        });
    }
}
