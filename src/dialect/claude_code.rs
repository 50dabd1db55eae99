//! Claude Code: no header, a tree by `uuid` and `parentUuid`.

use super::{Dialect, has, is_one_of};
use crate::json::Kind;

/// Claude Code's transcripts.
pub(super) static DIALECT: Dialect = Dialect {
    name: "claude-code",
    title: "a transcript of Claude Code",
    read_by: "Claude Code",
    owns: |record| {
        let linked = record.get(b"parentUuid").is_some() || has(record, b"sessionId", Kind::String);
        has(record, b"uuid", Kind::String) && linked
            || has(record, b"sessionId", Kind::String)
                && is_one_of(record, b"type", &[b"user", b"assistant", b"system", b"summary"])
            || is_one_of(record, b"type", &[b"file-history-snapshot", b"pr-link", b"queue-operation"])
            || is_one_of(record, b"type", &[b"summary"]) && has(record, b"leafUuid", Kind::String)
    },
};
