//! `unknown-role`: a message has a role that is not known here.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M009.
pub static RULE: Rule = Rule {
    code: "M009",
    name: "unknown-role",
    severity: Severity::Info,
    also: &[],
    found: "The `role` of a message is a string that this program's files are not known to use. Told \
        once a role, on the first place, with the count.",
    why: "It may come from a newer version, an extension or a fork, and is then right; or the word is \
        misspelt.",
    readers: "pi carries the message along, but leaves it out of requests.",
    example: r#"{"type":"message","id":"5c1d0e2f",…,"message":{"role":"tool","content":"…"}}"#,
    repair: Repair::None,
    remedy: "None needed. What the role should be cannot be known.",
    checks: &[Check::Record(facts::UNKNOWN_ROLE, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let Some(member) = seen.record.get_inner(b"role") else { return };
    let Some(name) = seen.record.raw_string(member) else { return };
    let make = || {
        Finding::new(&RULE, seen.at(&member.value), format!("the role {} is not known here", super::quote(name)))
            .entry(seen.id_json())
    };
    sink.add_once(name, 1, make, &RULE);
}
