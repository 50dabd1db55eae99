//! `first-kept-splits-call`: a compaction keeps a tool result but not its call.

use super::check::{Audit, Check, Sink};
use super::first_kept::{self, Kept, Steps};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::Role;
use crate::session::Ref;
use crate::session::pairs::ends_run;
use hashbrown::HashSet;

/// R005.
pub static RULE: Rule = Rule {
    code: "R005",
    name: "first-kept-splits-call",
    severity: Severity::Warning,
    also: &[],
    found: "The range that a compaction keeps begins between a tool call and its result. The same is \
        then not told as `M013` for that compaction.",
    why: "A result must follow its call. The session opens and looks right, but the next request to \
        the model fails, and so does each one after it.",
    readers: "The context begins with a result without its call: every request is refused.",
    example: r#"{"type":"message","id":"9a8b7c6d",…,"message":{…{"type":"toolCall","id":"call_7",…}…}}
{"type":"message","id":"5c1d0e2f",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"firstKeptEntryId":"5c1d0e2f",…}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose R005`, or `M013`): the kept range begins at the message with the call. \
        The compaction says what its writer meant, and keeping more changes what the model sees; so it is \
        not done unasked.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for Split { reference, first, call, result } in splits(audit) {
        sink.add_with(&RULE, RULE.severity, || {
            let message = format!("the kept range starts at {}, between a tool call and its result", audit.name(first));
            Finding::new(&RULE, audit.ref_place(&reference), message)
                .entry(audit.session.id_json(reference.entry))
                .related(audit.id_place(call), "the call, which is left out")
                .related(audit.id_place(result), "its result, which is kept")
        });
    }
}

/// A kept range that begins between a call and its result.
pub(super) struct Split {
    /// What the compaction keeps.
    pub(super) reference: Ref,
    /// The entry that it keeps first.
    pub(super) first: u32,
    /// The message with the call.
    pub(super) call: u32,
    /// The result.
    pub(super) result: u32,
}

/// All of a session.
pub(super) fn splits(audit: &Audit<'_>) -> Vec<Split> {
    let mut steps = Steps::of(audit.session);
    let mut found = Vec::new();
    for (reference, kept) in first_kept::all(audit) {
        let Kept::Entry(first) = kept else { continue };
        if let Some((result, call)) = split(audit, first, reference.entry, &mut steps) {
            found.push(Split { reference, first, call, result });
        }
    }
    found
}

/// A result in the kept range that begins at `first`, and the message before the range that has its call.
pub(super) fn split(audit: &Audit<'_>, first: u32, compaction: u32, steps: &mut Steps) -> Option<(u32, u32)> {
    let session = audit.session;
    let mut call = session.parent(first)?;
    while !ends_run(session, call) {
        steps.take()?;
        call = session.parent(call).filter(|n| *n != first)?;
    }
    if session.entries[call as usize].role != Role::Assistant {
        return None;
    }
    let calls: HashSet<u32> = session.calls_of(call).iter().filter(|c| !c.is_result).map(|c| c.id).collect();
    if calls.is_empty() {
        return None;
    }
    let mut at = first;
    while !ends_run(session, at) {
        steps.take()?;
        if session.calls_of(at).iter().any(|c| c.is_result && calls.contains(&c.id)) {
            return Some((at, call));
        }
        at = audit.next_towards(at, compaction).filter(|n| *n != compaction)?;
    }
    None
}
