//! `header-field`: a field of the header is missing or malformed.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::time::{self, Time};
use crate::json::Kind;
use crate::session::Header;

/// H005.
pub static RULE: Rule = Rule {
    code: "H005",
    name: "header-field",
    severity: Severity::Error,
    also: &[Severity::Warning],
    found: "Error: the header's `id` is missing or no string. Warning: the `id` is empty; `timestamp` \
        is missing or malformed; `cwd` is missing, empty or no string. The version has its own \
        rule, `H006`.",
    why: "Without a string id the session cannot be opened; with the other defects it can, but it is \
        found, sorted or resumed wrongly, or refused by a stricter reader.",
    readers: "pi refuses a header without a string `id`. agent-core refuses the other cases too.",
    example: r#"{"type":"session","version":3,"timestamp":"2026-02-03T10:14:58.001Z","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Fills in or replaces the field, as for a missing header: from the file name, the folder \
        name and the first timestamp. The assumption is that these still are the original ones; \
        the old bytes are recorded in the manifest.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(header) = &audit.session.header else { return };
    for (name, severity, message) in problems(header) {
        let place = match header.get(name) {
            Some(field) => audit.header_place(header, field.place.0, field.place.1),
            None => audit.header_place(header, header.offset, 1),
        };
        sink.add(Finding::new(&RULE, place, message).severity(severity).effect(match severity {
            Severity::Error => "pi refuses a header without a string id",
            _ => "pi opens the file; agent-core refuses it",
        }));
    }
}

fn problems(header: &Header) -> Vec<(&'static str, Severity, String)> {
    let mut found = Vec::new();
    match header.get("id") {
        None => found.push(("id", Severity::Error, "the header has no `id`".to_string())),
        Some(f) if f.kind != Kind::String => {
            found.push(("id", Severity::Error, format!("the header's `id` is {}, not a string", f.kind.name())));
        }
        Some(f) if f.text.is_empty() => found.push(("id", Severity::Warning, "the header's `id` is empty".to_string())),
        Some(_) => {}
    }
    match header.get("timestamp") {
        None => found.push(("timestamp", Severity::Warning, "the header has no `timestamp`".to_string())),
        Some(f) if f.kind == Kind::String && matches!(time::read(f.text.as_bytes()), Time::Proper(_)) => {}
        Some(f) => {
            let message = format!("the header's `timestamp` {} is no time", super::quote(f.text.as_bytes()));
            found.push(("timestamp", Severity::Warning, message));
        }
    }
    match header.get("cwd") {
        None => found.push(("cwd", Severity::Warning, "the header has no `cwd`".to_string())),
        Some(f) if f.kind != Kind::String => {
            found.push(("cwd", Severity::Warning, format!("the header's `cwd` is {}, not a string", f.kind.name())));
        }
        Some(f) if f.text.is_empty() => {
            found.push(("cwd", Severity::Warning, "the header's `cwd` is empty".to_string()))
        }
        Some(_) => {}
    }
    found
}
