//! Gemini CLI: a line of metadata, messages with a type, and `$set` patches.

use super::{Dialect, has};
use crate::json::Kind;

/// Gemini CLI's chat recordings.
pub(super) static DIALECT: Dialect = Dialect {
    name: "gemini-cli",
    title: "a chat recording of Gemini CLI",
    read_by: "Gemini CLI",
    owns: |record| {
        has(record, b"projectHash", Kind::String) && has(record, b"sessionId", Kind::String)
            || has(record, b"$set", Kind::Object)
            || has(record, b"$rewindTo", Kind::String)
    },
};
