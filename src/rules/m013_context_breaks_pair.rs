//! `context-breaks-pair`: a compaction parts a result from its call.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::edited::{Halved, halved};
use super::first_kept::{self, Kept, Steps};
use super::r005_first_kept_splits_call::split;
use super::{Finding, Repair, Rule, Severity};
use crate::session::Ref;
use crate::session::pairs::Pair;
use hashbrown::HashMap;

/// M013.
pub static RULE: Rule = Rule {
    code: "M013",
    name: "context-breaks-pair",
    severity: Severity::Warning,
    also: &[],
    found: "A result follows its call as it should, but a compaction stands between them and keeps \
        nothing, or nothing from the call on, so that in the context the result stands alone. Or a \
        `context_edit` takes one of the two out of the context and leaves the other. Not told where R005 \
        says so already.",
    why: "What a compaction leaves out, or an edit removes, is gone from the context, the call with it. The \
        path looks clean; only what the model gets is not.",
    readers: "The context begins with a result without its call: providers answer status 400 to every \
        later request.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{…{"type":"toolCall","id":"call_7",…}…}}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"firstKeptEntryId":"b7e4a910"}
{"type":"message","id":"e03f6a1c","parentId":"b7e4a910",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose M013`): the compaction keeps the message with the call, and what came \
        after it; the edit is set aside. Both say what their writer meant, and keeping more changes what the \
        model sees; so it is not done unasked. A branch that begins before the compaction (`sesstool fork --leaf`) is \
        free of it.",
    checks: &[Check::Session(check), Check::Session(check_edits)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    for (pair, reference) in parted(audit) {
        sink.add_with(&RULE, RULE.severity, || {
            let told = Told::of(audit, pair.result);
            let message = format!(
                "the compaction {} keeps the result, but not the call {}",
                audit.name(reference.entry),
                told.id
            );
            told.finding(audit, &RULE, message)
                .related(audit.id_place(reference.entry), "the compaction")
                .related(Told::of(audit, pair.call).place, "the call, which is left out")
        });
    }
}

/// Pairs of which an edit leaves one.
fn check_edits(audit: &Audit<'_>, sink: &mut Sink) {
    for Halved { edit, left } in halved(audit) {
        sink.add_with(&RULE, RULE.severity, || {
            let Some(left) = left else {
                let message = "the edit puts a call into the context that has no result";
                return Finding::new(&RULE, audit.id_place(edit), message).entry(audit.session.id_json(edit));
            };
            let told = Told::of(audit, left);
            let (own, other) = match audit.session.calls[left as usize].is_result {
                true => ("result", "call"),
                false => ("call", "result"),
            };
            let message = format!("the edit {} leaves the {own} of {}, but not its {other}", audit.name(edit), told.id);
            told.finding(audit, &RULE, message).related(audit.id_place(edit), "the edit")
        });
    }
}

/// The pairs that a compaction parts, each with what that compaction keeps.
pub(super) fn parted(audit: &Audit<'_>) -> Vec<(Pair, Ref)> {
    let parted = &audit.pairs().parted;
    if parted.is_empty() {
        return Vec::new();
    }
    let kept = first_kept::all(audit).into_iter().map(|(reference, kept)| (reference.entry, (reference, kept)));
    let kept: HashMap<u32, (Ref, Kept)> = kept.collect();
    let mut steps = Steps::of(audit.session);
    let mut found = Vec::new();
    for &(pair, compaction) in parted {
        let call = audit.session.calls[pair.call as usize].entry;
        // one without carries the messages that it kept
        let Some((reference, kept)) = kept.get(&compaction) else { continue };
        let breaks = match kept {
            Kept::Entry(first) => {
                !audit.is_on_path(*first, call) && split(audit, *first, compaction, &mut steps).is_none()
            }
            _ => true,
        };
        if breaks {
            found.push((pair, *reference));
        }
    }
    found
}
