//! `version-shape-mismatch`: the entries do not look like the header's version.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{Session, flags};

/// H008.
pub static RULE: Rule = Rule {
    code: "H008",
    name: "version-shape-mismatch",
    severity: Severity::Error,
    also: &[],
    found: "The header says version 1 or none, but at least half of the entries have a string `id` and \
        a `parentId`; or it says 2 or 3, and no entry has an id. `E003` and `E004` are then not \
        told entry by entry.",
    why: "The version and the entries contradict each other, and pi believes the version. With ids \
        under an old version, it makes new ones and the branches of the tree are laid end to end; \
        labels and kept ranges then point at nothing.",
    readers: "pi, where the version is 1 or absent: on opening it flattens the tree into one line and \
        writes that to the file. pi, where the version is 2 or 3 and no entry has an id: the \
        branch is empty, because the leaf has no id. agent-core 0.83 refuses both.",
    example: r#"{"type":"session","id":"019c2b7e-…","timestamp":"2026-02-03T10:14:58.001Z","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Sets the header's version to the one that the entries show. The assumption is that the \
        entries are right and the header is wrong. Do it before pi opens the file.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    let Some(header) = session.header.as_ref().filter(|_| applies(session)) else { return };
    let place = match header.get("version") {
        Some(field) => audit.header_place(header, field.place.0, field.place.1),
        None => audit.header_place(header, header.offset, header.length),
    };
    let old = session.version().is_some_and(|v| v < 2);
    let (message, effect) = match old {
        true => (
            "the header says version 1, but the entries have ids and parents",
            "pi gives every entry a new id and makes one line of the tree",
        ),
        false => (
            "the header says a version with ids, but no entry has one",
            "pi finds no entry by its id: the branch is empty",
        ),
    };
    sink.add(Finding::new(&RULE, place, message).effect(effect));
}

/// Whether the entries do not look like the header's version.
pub(super) fn applies(session: &Session) -> bool {
    let Some(header) = &session.header else { return false };
    if super::h006_unsupported_version::applies(header) || session.entries.is_empty() {
        return false;
    }
    match session.version() {
        Some(version) if version < 2 => session.is_tree_in_old_clothes(),
        Some(_) => !session.traits.any(flags::ID),
        None => false,
    }
}
