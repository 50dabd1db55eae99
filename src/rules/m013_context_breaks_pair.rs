//! `context-breaks-pair`: a compaction parts a result from its call.

use super::calls::Told;
use super::check::{Audit, Check, Sink};
use super::first_kept::{self, Kept};
use super::{Repair, Rule, Severity, r005_first_kept_splits_call};
use hashbrown::HashMap;

/// M013.
pub static RULE: Rule = Rule {
    code: "M013",
    name: "context-breaks-pair",
    severity: Severity::Warning,
    also: &[],
    found: "A result follows its call as it should, but a compaction stands between them and keeps \
        nothing, or nothing from the call on, so that in the context the result stands alone. Not \
        told where R005 says so already.",
    why: "What a compaction leaves out is gone from the context, the call with it. The path looks \
        clean; only what the model gets is not.",
    readers: "The context begins with a result without its call: providers answer status 400 to every \
        later request.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{…{"type":"toolCall","id":"call_7",…}…}}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"firstKeptEntryId":"b7e4a910"}
{"type":"message","id":"e03f6a1c","parentId":"b7e4a910",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}"#,
    repair: Repair::None,
    remedy: "None: the compaction says what its writer meant. A branch that begins before the compaction \
        (`sesstool fork --leaf`) is free of it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let parted = &audit.pairs().parted;
    if parted.is_empty() {
        return;
    }
    let kept: HashMap<u32, Kept> = first_kept::all(audit).into_iter().map(|(r, kept)| (r.entry, kept)).collect();
    for &(pair, compaction) in parted {
        let call = audit.session.calls[pair.call as usize].entry;
        let breaks = match kept.get(&compaction) {
            Some(Kept::Entry(first)) => {
                !audit.intervals().is_on_path(*first, call)
                    && r005_first_kept_splits_call::split(audit, *first, compaction).is_none()
            }
            Some(_) => true,
            // it carries the messages that it kept
            None => false,
        };
        if breaks {
            sink.add_with(&RULE, RULE.severity, || {
                let told = Told::of(audit, pair.result);
                let message =
                    format!("the compaction {} keeps the result, but not the call {}", audit.name(compaction), told.id);
                told.finding(audit, &RULE, message)
                    .related(audit.id_place(compaction), "the compaction")
                    .related(Told::of(audit, pair.call).place, "the call, which is left out")
            });
        }
    }
}
