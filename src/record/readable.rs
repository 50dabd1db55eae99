//! What can still be read of a cut record.

use super::Record;
use crate::json::{Scanner, text};

/// The members that say most about a lost record.
const NAMES: &[&str] = &["type", "id", "parentId", "timestamp"];

/// The complete members among type, id, parent, time and tool name: `type message, id a1b2, …`.
pub fn describe(bytes: &[u8]) -> String {
    let mut scanner = Scanner::new();
    let start = bytes.iter().position(|b| *b == b'{').unwrap_or(0);
    let _ = scanner.scan(bytes, start);
    let record = Record::new(bytes, &scanner);
    let mut found: Vec<String> = Vec::new();
    for name in NAMES {
        if let Some(member) = record.get(name.as_bytes()) {
            found.push(format!("{name} `{}`", short(&record, member)));
        }
    }
    if let Some(tool) = record.get_inner(b"toolName") {
        found.push(format!("tool `{}`", short(&record, tool)));
    }
    match found.is_empty() {
        true => "nothing of it can be read".to_string(),
        false => format!("still readable: {}", found.join(", ")),
    }
}

fn short(record: &Record<'_>, member: &crate::json::Member) -> String {
    let text = match record.raw_string(member) {
        Some(raw) => text::to_text(&raw[..raw.len().min(256)]),
        None => record.raw(&(member.value.start..member.value.end.min(member.value.start + 256))),
    };
    text.chars().take(60).collect()
}

/// The id of a record, cut or not, as JSON; `None` where it cannot be read or is no string.
pub fn id(bytes: &[u8]) -> Option<String> {
    let mut scanner = Scanner::new();
    let start = bytes.iter().position(|b| *b == b'{')?;
    let _ = scanner.scan(bytes, start);
    let record = Record::new(bytes, &scanner);
    let raw = record.raw_string(record.get(b"id")?)?;
    Some(crate::json::text::to_json(&text::decode(raw)))
}
