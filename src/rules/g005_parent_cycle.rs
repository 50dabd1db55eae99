//! `parent-cycle`: the parents of some entries form a loop.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::Shape;

/// G005.
pub static RULE: Rule = Rule {
    code: "G005",
    name: "parent-cycle",
    severity: Severity::Error,
    also: &[],
    found: "Following the parents from an entry leads back to it. A loop is told once, on the first \
        edge in the file that points forward, from an entry to a parent further down; the first \
        eight members and the last are listed in order, and the message has their number. An entry \
        that is its own parent is `G004`; a loop that only an id used twice makes is part of \
        `G002`.",
    why: "In a file that is only appended to, a parent always stands before its children, so at \
        least one link of the loop is wrong. Until it is mended, every branch that leads into the \
        loop is out of reach.",
    readers: "pi hangs or uses up all memory when it walks such a branch. Members of the loop are in no \
        tree.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"b7e4a910","timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Re-links the entry whose parent stands further down: it is given the entry written just \
        before it as parent, never itself or one of its own descendants. The assumption is that \
        the link that points forward is the wrong one.",
    checks: &[Check::Session(check)],
};

/// How many members of a loop a finding names, beside the last one.
const NAMED: usize = 8;

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    for members in audit.real_loops() {
        sink.add_with(&RULE, RULE.severity, || {
            // the member that stands first in the file points forward
            let first = members[0];
            let message = match members.len() {
                n if n <= NAMED => {
                    let names: Vec<String> =
                        members.iter().map(|m| super::quote(session.id_text(*m).as_bytes())).collect();
                    format!("{n} entries are each other's parents in a loop: {}", names.join(" → "))
                }
                n => format!("{n} entries are each other's parents in a loop"),
            };
            let mut finding = Finding::new(&RULE, audit.parent_place(first), message).entry(session.id_json(first));
            let last = members.len() - 1;
            for (at, member) in members.iter().enumerate().filter(|(at, _)| *at < NAMED || *at == last) {
                let what =
                    format!("member {} of the loop: {}", at + 1, super::quote(session.id_text(*member).as_bytes()));
                finding = finding.related(audit.id_place(*member), what);
            }
            finding
        });
    }
}
