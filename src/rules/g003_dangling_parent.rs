//! `dangling-parent`: an entry names a parent that is not in the file.

use super::check::{Audit, Check, Sink};
use super::{Finding, Place, Related, Repair, Rule, Severity};
use crate::session::{Parent, Shape, flags};
use std::collections::BTreeMap;

/// G003.
pub static RULE: Rule = Rule {
    code: "G003",
    name: "dangling-parent",
    severity: Severity::Error,
    also: &[],
    found: "The `parentId` of an entry names no entry of the file (the empty string included), or is \
        neither a string nor `null`. It is judged after the safe repairs, so a parent that is \
        recovered from a glued or torn line is there. If the parent was lost on a damaged line, \
        the finding names that line. An absent key is `E004`.",
    why: "The conversation is cut in two at this entry. Everything before it still stands in the \
        file, but the model no longer sees it, and no reader says so. It is the commonest reason \
        for a session that resumes \"without memory\".",
    readers: "pi starts the branch at this entry: all earlier context is gone without a word. agent-core \
        0.83 stops with an error when it meets such a parent on the way from the leaf to the root, \
        and refuses a file in which a parent is neither string nor `null`.",
    example: r#"{"type":"message","id":"9a8b7c6d","parentId":"31f0c2aa","timestamp":"…","message":{…}}
{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","mess
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Links the entry to the one written just before it, never to itself or to one of its own \
        descendants; or to what something says better: the call of a tool result, the target of a `leaf` \
        entry, the `fromId` of a branch summary, the branch that ended just before an older entry's \
        time. The assumption is that the conversation went on where it stood; the manifest names it and \
        the evidence, with the old value. If the session has several branches, compare the result with \
        `sesstool tree` before you use it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    let pending = &session.pending;
    let named = |n: u32| pending.binary_search_by_key(&n, |(n, _)| *n).ok().map(|at| session.arena.get(pending[at].1));
    let lost: BTreeMap<&[u8], _> = session.facts.lost.iter().rev().map(|l| (l.id.as_slice(), l)).collect();
    for (n, entry) in (0u32..).zip(&session.entries) {
        if session.hangs_on(n) != Parent::Dangling {
            continue;
        }
        sink.add_with(&RULE, RULE.severity, || {
            let name = named(n);
            let message = match &name {
                Some(name) => format!("parent {} is not in this file", super::quote(name)),
                None if entry.has(flags::PARENT_NO_STRING) => "the parent is neither a string nor null".to_string(),
                None => "the parent is the empty string, which names no entry".to_string(),
            };
            let mut finding = Finding::new(&RULE, audit.parent_place(n), message).entry(session.id_json(n));
            if let Some(lost) = name.as_ref().and_then(|name| lost.get(name.as_slice())) {
                let (line_start, offset, length) = lost.place;
                let place = Place { line: lost.line, line_start, offset, length };
                finding.related.push(Related { place, message: "the parent was lost here".to_string() });
            }
            finding
        });
    }
}
