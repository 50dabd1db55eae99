//! `missing-parent-session`: the session that this one was forked from is not found.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity, quote_end};
use crate::json::Kind;
use crate::session::kin::links::Origin;

/// S006.
pub static RULE: Rule = Rule {
    code: "S006",
    name: "missing-parent-session",
    severity: Severity::Warning,
    also: &[],
    found: "The header's `parentSession` names a session that is not found: no file stands at the path, none of \
        the files that are checked has that name, and none has that id. Or it is no string at all.",
    why: "The session was forked from one that was deleted, renamed or left on another machine.",
    readers: "Readers open the session all the same. pi's list shows it as one that was forked from nothing, \
        and where it comes from cannot be told any more. Of a `parentSession` that is no string pi's list throws, \
        and shows no session at all.",
    example: r#"{"type":"session","version":3,"id":"019c2b7e-…",…,"parentSession":"/gone/2026-02-01T09-00-00-000Z_019c1d20-….jsonl"}"#,
    repair: Repair::None,
    remedy: "None: the parent is not needed to read this session. Where it lies elsewhere, check both folders \
        together, or name the other one with `--store`.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let (Some((beside, me)), Some(header)) = (audit.beside, &audit.session.header) else { return };
    let Some(field) = header.get("parentSession").filter(|field| field.kind != Kind::Null) else { return };
    let message = match field.kind {
        Kind::String if field.text.is_empty() => return,
        Kind::String if beside.links().find(me, &field.text) != Origin::Missing => return,
        Kind::String => format!("the parent session {} is not found", quote_end(&field.text)),
        kind => format!("the parent session is {}, neither a path nor an id", kind.name()),
    };
    if !audit.is_own_output() {
        let (offset, length) = field.place;
        let effect = match field.kind {
            Kind::String => "where the session comes from cannot be told any more",
            _ => "pi's list of sessions throws, and shows none at all",
        };
        sink.add(Finding::new(&RULE, audit.header_place(header, offset, length), message).effect(effect));
    }
}
