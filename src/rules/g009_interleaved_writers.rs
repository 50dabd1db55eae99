//! `interleaved-writers`: two branches grew at the same time.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{NO_TIME, Shape};

/// G009.
pub static RULE: Rule = Rule {
    code: "G009",
    name: "interleaved-writers",
    severity: Severity::Info,
    also: &[],
    found: "Two branches grow in turns, entry by entry, within the same minutes.",
    why: "One person going back and forth does not leave such a pattern: two processes had the \
        session open and both wrote. Neither knew of the other's entries, so each branch holds \
        only one half of what happened.",
    readers: "Nothing fails. A reader resumes the branch of the entry that was written last; the other \
        is a side branch.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:04Z",…}
{"type":"message","id":"e03f6a1c","parentId":"5c1d0e2f","timestamp":"2026-02-03T10:15:07Z",…}
{"type":"message","id":"71c5d9b8","parentId":"b7e4a910","timestamp":"2026-02-03T10:15:09Z",…}"#,
    repair: Repair::None,
    remedy: "None: both branches are whole, and there is no right order in which to merge two \
        conversations. `sesstool fork` makes a session of its own from either.",
    checks: &[Check::Session(check)],
};

/// How often the branches must take turns.
const TURNS: u32 = 4;
/// Within how many milliseconds.
const WITHIN: i64 = 10 * 60 * 1000;

/// Two heads that are appended to in turns, and since when.
struct Pair {
    heads: [u32; 2],
    first: u32,
    turns: u32,
}

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    let mut pair: Option<Pair> = None;
    let mut told = false;
    for n in 1..session.entries.len() as u32 {
        let parent = session.parent(n);
        // heads[1] is the branch that was written to last
        pair = match pair {
            Some(p) if parent == Some(p.heads[1]) => Some(Pair { heads: [p.heads[0], n], ..p }),
            Some(p) if parent == Some(p.heads[0]) => Some(Pair { heads: [p.heads[1], n], turns: p.turns + 1, ..p }),
            _ if parent == Some(n - 1) => None,
            _ => Some(Pair { heads: [n - 1, n], first: n, turns: 0 }),
        };
        let Some(p) = &pair else {
            told = false;
            continue;
        };
        if p.turns == 0 {
            told = false;
        } else if p.turns >= TURNS && !told && is_soon(audit, p.first, n) {
            told = true;
            let message = format!(
                "two branches grow in turns, entry by entry, from line {} on",
                session.entries[p.first as usize].line
            );
            let finding = Finding::new(&RULE, audit.id_place(p.first), message).entry(session.id_json(p.first));
            sink.add(finding.related(audit.id_place(n), "still in turns here"));
        }
    }
}

fn is_soon(audit: &Audit<'_>, first: u32, last: u32) -> bool {
    let time = |n: u32| audit.session.entries[n as usize].time;
    time(first) != NO_TIME && time(last) != NO_TIME && (time(last).saturating_sub(time(first))).abs() <= WITHIN
}
