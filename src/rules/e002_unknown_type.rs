//! `unknown-type`: an entry has a type that is not known here.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// E002.
pub static RULE: Rule = Rule {
    code: "E002",
    name: "unknown-type",
    severity: Severity::Info,
    also: &[],
    found: "The `type` of an entry is a string that this program's files are not known to use. Told \
        once a type, on the first place, with the count.",
    why: "It may come from a newer version, an extension or a fork, and is then right; or the word \
        is misspelt.",
    readers: "pi carries the entry along as a node of the tree. It adds nothing to the context.",
    example: r#"{"type":"checkpoint","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"ref":"a41f"}"#,
    repair: Repair::None,
    remedy: "None needed. The line is never touched, by no repair of `sesstool`.",
    checks: &[Check::Record(facts::UNKNOWN_TYPE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let Some(member) = seen.record.get(b"type") else { return };
    let Some(name) = seen.record.raw_string(member) else { return };
    let make = || {
        Finding::new(&RULE, seen.at(&member.value), format!("the type {} is not known here", super::quote(name)))
            .entry(seen.id_json())
    };
    sink.add_once(name, 1, make, &RULE);
}
