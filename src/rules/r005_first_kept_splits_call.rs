//! `first-kept-splits-call`: a compaction keeps a tool result but not its call.

use super::check::{Audit, Check, Sink};
use super::first_kept::{self, Kept};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::pi::{EntryType, Role};
use crate::session::Session;

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
    repair: Repair::None,
    remedy: "None: the compaction says what its writer meant, and keeping more or less changes what the \
        model sees. The finding proposes the assistant message that holds the call as the first \
        entry to keep.",
    checks: &[Check::Session(check)],
};

/// How many entries that give no message are passed over on the way to a call or a result. Real
/// sessions have a handful; the bound keeps the cost linear.
const MOST_PASSED: usize = 256;

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for (reference, kept) in first_kept::all(audit) {
        let Kept::Entry(first) = kept else { continue };
        let Some((result, call)) = split(audit, first, reference.entry) else { continue };
        sink.add_with(&RULE, RULE.severity, || {
            let message = format!("the kept range starts at {}, between a tool call and its result", audit.name(first));
            Finding::new(&RULE, audit.ref_place(&reference), message)
                .entry(audit.session.id_json(reference.entry))
                .related(audit.id_place(call), "the call, which is left out")
                .related(audit.id_place(result), "its result, which is kept")
        });
    }
}

/// A result in the kept range that begins at `first`, and the message before the range that has its call.
pub(super) fn split(audit: &Audit<'_>, first: u32, compaction: u32) -> Option<(u32, u32)> {
    let session = audit.session;
    let before = session.path(first).skip(1).take(MOST_PASSED);
    let call = before.take_while(|n| !ends_run(session, *n)).last().map_or(first, |n| n);
    let call = session.parent(call).filter(|n| session.entries[*n as usize].role == Role::Assistant)?;
    let calls: Vec<u64> = session.calls_of(call).iter().filter(|c| !c.is_result).map(|c| c.id).collect();
    if calls.is_empty() {
        return None;
    }
    let mut at = first;
    for _ in 0..MOST_PASSED {
        if ends_run(session, at) {
            return None;
        }
        if session.calls_of(at).iter().any(|c| c.is_result && calls.contains(&c.id)) {
            return Some((at, call));
        }
        at = audit.next_towards(at, compaction).filter(|n| *n != compaction)?;
    }
    None
}

/// Whether an entry gives a message that ends the run of results behind a call.
fn ends_run(session: &Session, n: u32) -> bool {
    let entry = &session.entries[n as usize];
    match entry.kind {
        EntryType::Message => !matches!(entry.role, Role::ToolResult),
        EntryType::CustomMessage | EntryType::BranchSummary => true,
        _ => false,
    }
}
