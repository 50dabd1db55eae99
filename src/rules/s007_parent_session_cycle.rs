//! `parent-session-cycle`: sessions name each other as parents.

use super::beside::file_name;
use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};

/// S007.
pub static RULE: Rule = Rule {
    code: "S007",
    name: "parent-session-cycle",
    severity: Severity::Warning,
    also: &[],
    found: "By their `parentSession`, sessions are each other's parents, or one is its own. Told in each of \
        them.",
    why: "A fork is younger than what it was forked from, so no program can have made such a loop: a header was \
        edited, or files were renamed.",
    readers: "pi's list of sessions shows forks below what they were forked from, and so none of these, nor any fork \
        of them, until its order is changed. A program that follows the parents to the first session never gets there.",
    example: r#"a.jsonl: {"type":"session","version":3,"id":"019c2b7e-…",…,"parentSession":"/s/b.jsonl"}
b.jsonl: {"type":"session","version":3,"id":"019c3004-…",…,"parentSession":"/s/a.jsonl"}"#,
    repair: Repair::None,
    remedy: "None: which of them came first shows in the times of their entries. Remove the `parentSession` of \
        that one.",
    checks: &[Check::Session(check)],
};

/// How many members of a loop are named.
const MOST: usize = 8;

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let (Some((beside, me)), Some(header)) = (audit.beside, &audit.session.header) else { return };
    let Some(field) = header.get("parentSession").or_else(|| header.get("branchedFrom")) else { return };
    let Some(members) = beside.links().loop_of(me).filter(|_| !audit.is_own_output()) else { return };
    let names: Vec<String> = members.iter().take(MOST).map(|n| file_name(beside.input(*n))).collect();
    let message = match members.len() {
        1 => "the session names itself as its parent".to_string(),
        count => {
            let more = if count > MOST { " → …" } else { "" };
            format!("{count} sessions are each other's parents in a loop: {}{more}", names.join(" → "))
        }
    };
    let (offset, length) = field.place;
    sink.add(Finding::new(&RULE, audit.header_place(header, offset, length), message));
}
