//! `leaf-readers-differ`: pi and agent-core resume this session at different entries.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::EntryType;
use crate::session::{Entry, RefKind, RefValue};

/// R009.
pub static RULE: Rule = Rule {
    code: "R009",
    name: "leaf-readers-differ",
    severity: Severity::Info,
    also: &[],
    found: "Because of `leaf` entries pi and agent-core resume at different entries, or a message \
        after a `leaf` entry does not hang on the target of that entry. The finding stands on the \
        last entry of the file or branch concerned and tells both leaves and both message counts.",
    why: "Neither program is wrong: they follow different rules for where a session stands. But the \
        model sees another conversation, depending on which of them opens the file.",
    readers: "pi takes the last entry of the file for the leaf, whatever its type. agent-core takes the \
        target instead if that entry is a `leaf` entry.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"leaf","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","targetId":"9a8b7c6d"}"#,
    repair: Repair::None,
    remedy: "None needed: the file is lawful. `--reader pi` and `--reader agent-core` show what each of \
        them sees; resume with the program that wrote the session.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let Some(last) = (session.entries.len() as u32).checked_sub(1) else { return };
    if !session.traits.has_kind(EntryType::Leaf) {
        return;
    }
    let messages =
        |n: Option<u32>| n.map_or(0, |n| session.path(n).filter(|m| session.entries[*m as usize].is_message()).count());
    let name = |n: Option<u32>| n.map_or_else(|| "the start".to_string(), |n| audit.name(n));
    let leaf = session.leaf();
    let message = if leaf != Some(last) {
        format!(
            "pi resumes at {} with {} messages, agent-core at {} with {}",
            name(Some(last)),
            messages(Some(last)),
            name(leaf),
            messages(leaf)
        )
    } else if let Some(target) = strayed(audit) {
        let newest = (0..=last).rev().find(|n| session.entries[*n as usize].is_message());
        format!(
            "a message behind a `leaf` entry does not hang on its target {}; both readers resume at {} with {} messages, the newest message is on a branch of {}",
            name(target),
            name(Some(last)),
            messages(Some(last)),
            messages(newest)
        )
    } else {
        return;
    };
    sink.add(Finding::new(&RULE, audit.id_place(last), message).entry(session.id_json(last)));
}

/// The target of a `leaf` entry behind which a message hangs on something else.
fn strayed(audit: &Audit<'_>) -> Option<Option<u32>> {
    let session = audit.session;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::LeafTarget) {
        let next = reference.entry + 1;
        if !session.entries.get(next as usize).is_some_and(Entry::is_message) {
            continue;
        }
        let target = match reference.value {
            RefValue::Null => None,
            _ => Some(reference.target?),
        };
        // pi, which knows no leaf entries, hangs the next message on the leaf entry itself
        if session.parent(next) != target {
            return Some(target);
        }
    }
    None
}
