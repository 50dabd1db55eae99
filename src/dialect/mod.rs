//! What is particular to one program's files: how to recognise them, their types and fields.
//!
//! [`DIALECTS`] lists them; a dialect is one file and one line there. Only the dialect `pi` is
//! checked; the others are recognised, so that a file of another program is named instead of
//! drowned in findings.

mod agent_core;
mod claude_code;
mod codex;
pub mod file_name;
mod gemini;
pub mod pi;
pub mod time;

use crate::json::Kind;
use crate::record::Record;

/// A program's way to write sessions.
#[derive(Debug)]
pub struct Dialect {
    /// Its short name, as in `--format json`.
    pub name: &'static str,
    /// What writes it, for messages.
    pub title: &'static str,
    /// What reads it.
    pub read_by: &'static str,
    /// Whether a record is one of its own, beyond doubt.
    pub owns: fn(&Record<'_>) -> bool,
}

/// The dialects that are recognised besides pi's, most particular first.
pub static DIALECTS: &[&Dialect] =
    &[&agent_core::V085, &agent_core::V084, &claude_code::DIALECT, &codex::DIALECT, &gemini::DIALECT];

/// What a JSONL file is called that no dialect owns.
pub static UNKNOWN: Dialect = Dialect {
    name: "unknown",
    title: "no session format that is known here",
    read_by: "the program that wrote it",
    owns: |_| false,
};

/// The name of the dialect that is checked.
pub const PI: &str = "pi";

/// The dialect that owns a record.
pub fn owner(record: &Record<'_>) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|d| (d.owns)(record))
}

/// Whether a member of that name and type is there.
fn has(record: &Record<'_>, name: &[u8], kind: Kind) -> bool {
    record.get(name).is_some_and(|m| m.kind == kind)
}

/// Whether the member `name` is a string and one of `values`.
fn is_one_of(record: &Record<'_>, name: &[u8], values: &[&[u8]]) -> bool {
    record.get(name).and_then(|m| record.raw_string(m)).is_some_and(|text| values.contains(&text))
}
