//! `leftover-temp-file`: what an interrupted rewrite left behind.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// S005.
pub static RULE: Rule = Rule {
    code: "S005",
    name: "leftover-temp-file",
    severity: Severity::Warning,
    also: &[],
    found: "A `*.tmp` or `*.bak` file, hidden or not, lies in a folder that is checked, and belongs to a session: \
        it is named after one, or holds one. The finding compares it with the session and with what else is \
        left of it, record by record, and says which is the best copy. Nothing else is told of such a file.",
    why: "A program that rewrites a session writes a new file first and then renames it, or keeps the old \
        one. Where it was interrupted in between, the file that is left over may hold what the session has \
        lost, or be the only copy.",
    readers: "Readers look at files whose name ends in `.jsonl` only: they never see it.",
    example: "2026-02-03T10-14-58-001Z_019c2b7e-….jsonl
2026-02-03T10-14-58-001Z_019c2b7e-….jsonl.14cf2e87.bak",
    repair: Repair::None,
    remedy: "None: which file is kept is for you to decide. Where this one is the best copy, give it the \
        session's name after the other one was put aside, and validate it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    if let Some(advice) = audit.beside.and_then(|(beside, me)| beside.leftover(me)) {
        sink.add(Finding::new(&RULE, None, advice.message.clone()));
    }
}
