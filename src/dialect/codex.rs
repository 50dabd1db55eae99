//! Codex: each line a time, a type and a payload.

use super::{Dialect, is_one_of};

/// Codex's rollout files.
pub(super) static DIALECT: Dialect = Dialect {
    name: "codex",
    title: "a rollout file of Codex",
    read_by: "Codex",
    owns: |record| {
        record.get(b"payload").is_some()
            && is_one_of(
                record,
                b"type",
                &[b"session_meta", b"response_item", b"event_msg", b"turn_context", b"compacted", b"session_state"],
            )
    },
};
