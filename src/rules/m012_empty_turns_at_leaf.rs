//! `empty-turns-at-leaf`: the session ends in turns that failed and say nothing.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::{EntryType, Role};
use crate::session::flags;

/// M012.
pub static RULE: Rule = Rule {
    code: "M012",
    name: "empty-turns-at-leaf",
    severity: Severity::Warning,
    also: &[],
    found: "The branch where the session resumes ends in two or more assistant messages that failed or \
        were aborted and say nothing. The finding stands on the last entry of the branch and names \
        the last useful one.",
    why: "A session that cannot go on, for another reason, leaves one such turn each time it is tried.",
    readers: "Each time the session is resumed one more is added.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"assistant","content":[],"stopReason":"aborted",…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"assistant","content":[],"stopReason":"aborted",…}}"#,
    repair: Repair::None,
    remedy: "None: nothing is broken by these turns. Find out what makes the turns fail; `sesstool fork \
        --leaf` begins a session at the last useful entry.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let Some(leaf) = session.leaf() else { return };
    let mut turns = 0;
    let mut useful = None;
    for n in session.path(leaf) {
        let entry = &session.entries[n as usize];
        if entry.has(flags::EMPTY) {
            turns += 1;
        } else if entry.is_message() && !(entry.kind == EntryType::Message && entry.role == Role::System)
            || matches!(entry.kind, EntryType::Compaction | EntryType::BranchSummary)
        {
            useful = Some(n);
            break;
        }
    }
    if turns < 2 {
        return;
    }
    let place = audit.id_place(leaf);
    let message = match useful {
        Some(n) => format!("the branch ends in {turns} empty turns; the last useful entry is {}", audit.name(n)),
        None => format!("the branch holds nothing but {turns} empty turns"),
    };
    let finding = Finding::new(&RULE, place, message).entry(session.id_json(leaf));
    sink.add(match useful {
        Some(n) => finding.related(audit.id_place(n), "the last useful entry"),
        None => finding,
    });
}
