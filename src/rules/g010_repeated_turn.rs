//! `repeated-turn`: sibling branches hold the same messages under different ids.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::EntryType;
use crate::session::Shape;
use std::collections::BTreeMap;

/// G010.
pub static RULE: Rule = Rule {
    code: "G010",
    name: "repeated-turn",
    severity: Severity::Info,
    also: &[],
    found: "Branches that start at the same entry hold the same messages again, under new ids.",
    why: "A rewrite appended a whole stretch of the conversation a second time. Nothing is lost, but \
        the file is larger than need be, and what was used once is counted twice.",
    readers: "Nothing fails: readers see an ordinary branch. Statistics that add up all entries count \
        tokens and cost twice.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…"run the tests"…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"assistant",…}}
{"type":"message","id":"e03f6a1c","parentId":"9a8b7c6d",…,"message":{…"run the tests"…}}
{"type":"message","id":"71c5d9b8","parentId":"e03f6a1c",…,"message":{"role":"assistant",…}}"#,
    repair: Repair::None,
    remedy: "None needed: each branch is sound on its own. `sesstool fork` with the leaf you want \
        writes a session that holds the stretch once.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line || !audit.source.is_seekable() {
        return;
    }
    let children = audit.children();
    for parent in 0..session.entries.len() as u32 {
        let siblings = children.get(parent);
        if siblings.len() < 2 {
            continue;
        }
        // only records of one role and length can hold the same message; ids do not count
        let mut alike: BTreeMap<(u8, u64), Vec<u32>> = BTreeMap::new();
        for &n in siblings {
            let entry = &session.entries[n as usize];
            if entry.kind == EntryType::Message {
                let ids = entry.id_span().map_or(0, |s| s.1) + entry.parent_span().map_or(0, |s| s.1);
                alike.entry((entry.role as u8, entry.length - ids)).or_default().push(n);
            }
        }
        for group in alike.values().filter(|g| g.len() > 1) {
            compare(audit, group, sink);
        }
    }
}

fn compare(audit: &Audit<'_>, group: &[u32], sink: &mut Sink) {
    let mut seen: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for &n in group {
        let Some(turn) = turn(audit, n) else { continue };
        if let Some(&first) = seen.get(&turn) {
            sink.add_with(&RULE, RULE.severity, || {
                Finding::new(
                    &RULE,
                    audit.id_place(n),
                    "the branch that begins here repeats messages of its sibling under new ids",
                )
                .entry(audit.session.id_json(n))
                .related(audit.id_place(first), "the first time")
            });
        } else {
            seen.insert(turn, n);
        }
    }
}

/// The messages of an entry and of its first child: a prompt alone may have been sent again.
fn turn(audit: &Audit<'_>, n: u32) -> Option<Vec<u8>> {
    let reply = audit
        .children()
        .get(n)
        .iter()
        .copied()
        .find(|c| audit.session.entries[*c as usize].kind == EntryType::Message)?;
    let mut both = message(audit, n)?;
    both.push(0);
    both.extend(message(audit, reply)?);
    Some(both)
}

fn message(audit: &Audit<'_>, n: u32) -> Option<Vec<u8>> {
    audit.reread(n, |record| {
        let mut bytes = Vec::new();
        for name in [b"role".as_slice(), b"content"] {
            let member = record.get_inner(name)?;
            bytes.extend_from_slice(&record.bytes[member.value.clone()]);
        }
        Some(bytes)
    })?
}
