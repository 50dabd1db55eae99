//! `unsupported-version`: the header's version is none that exists.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::json::Kind;
use crate::session::Header;

/// H006.
pub static RULE: Rule = Rule {
    code: "H006",
    name: "unsupported-version",
    severity: Severity::Error,
    also: &[],
    found: "The header's `version` is there but is not 1, 2 or 3: 4, 99, 2.5, `\"3\"`, `null`, `true` \
        and so on. `H007` and `H008` are then not told.",
    why: "The version decides how the entries are read and whether the file is rewritten on opening. \
        A wrong one can be harmless or cost every id of the file.",
    readers: "The finding says what pi makes of the value. pi opens 4 and 99 as if they were 3. `null`, \
        0 and `true` count as 1: opening the file makes every id anew. agent-core 0.83 accepts \
        exactly 3.",
    example: r#"{"type":"session","version":null,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::None,
    remedy: "None: the file may come from a newer program whose entries mean something else. If the \
        entries look like version 3 (ids, parents), set the version to 3 in a copy and validate \
        that before an agent opens it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let Some(header) = &audit.session.header else { return };
    if !applies(header) {
        return;
    }
    let Some(field) = header.get("version") else { return };
    let place = audit.header_place(header, field.place.0, field.place.1);
    let shown = match field.kind {
        Kind::String => format!("the string {}", super::quote(field.text.as_bytes())),
        _ => super::quote(field.text.as_bytes()),
    };
    sink.add(
        Finding::new(&RULE, place, format!("the version is {shown}, not 1, 2 or 3"))
            .effect(effect(field.kind, &field.text)),
    );
}

/// Whether the header has a version that no reader knows.
pub(super) fn applies(header: &Header) -> bool {
    header
        .get("version")
        .is_some_and(|f| f.kind != Kind::Number || !["1", "2", "3"].contains(&f.text.as_str()) && !is_known(&f.text))
}

fn is_known(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(|v| v == 1.0 || v == 2.0 || v == 3.0)
}

/// What pi does with the value: it compares with `<`, so what JavaScript turns into a number counts.
fn effect(kind: Kind, text: &str) -> String {
    let number = match kind {
        Kind::Null => Some(0.0),
        Kind::Bool => Some(f64::from(u8::from(text == "true"))),
        Kind::Number | Kind::String => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    match number {
        Some(v) if v < 2.0 => "pi takes the file for version 1: it rewrites it and makes every id anew".to_string(),
        Some(v) if v < 3.0 => "pi takes the file for version 2 and rewrites it".to_string(),
        _ => "pi opens the file as if it were version 3".to_string(),
    }
}
