//! `duplicate-id`: two different entries have the same id.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::Shape;

/// G002.
pub static RULE: Rule = Rule {
    code: "G002",
    name: "duplicate-id",
    severity: Severity::Error,
    also: &[],
    found: "An id occurs again with other content; the finding stands on the later entry. A loop, or a \
        parent further down, that would vanish if each child took the nearest earlier entry of \
        that id, is told in this finding and not as `G005` or `G006`. A record that names its own \
        id is always `G004`.",
    why: "An id can mean only one entry. The earlier one is still in the file but cannot be reached, \
        and its children hang on an entry they never followed. Two sessions joined in one file, or \
        a writer that reuses ids, cause it.",
    readers: "pi takes the later entry everywhere; the earlier one is in no tree. If this closes a loop, \
        pi hangs, and the finding says so.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…"one"…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}
{"type":"message","id":"5c1d0e2f","parentId":"b7e4a910",…,"message":{…"two"…}}"#,
    repair: Repair::Assumed,
    remedy: "Gives the later entry a new id, derived from its content. References to the id that were \
        written after it follow it; those written before stay with the earlier entry. The \
        assumption is that a writer means what it wrote last.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    for &(before, later) in &session.copies {
        if audit.is_same_record(before, later) {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let id = super::quote(session.id_text(later).as_bytes());
            let effect = match session.is_in_loop(later) && session.parent(later) != Some(later) {
                true => "the later one wins everywhere and closes a loop: pi hangs on that branch",
                false => "the later one wins everywhere; the earlier one is in no tree",
            };
            Finding::new(
                &RULE,
                audit.id_place(later),
                format!("the id {id} is taken by an earlier entry with other content"),
            )
            .entry(session.id_json(later))
            .effect(effect)
            .related(audit.id_place(before), "the earlier entry")
        });
    }
}
