//! agent-core's storages of version 4: lines of several kinds with one consecutive number.
//!
//! A v3 `usage` entry also has a key `kind`, so the key alone marks nothing.

use super::{Dialect, has, is_one_of};
use crate::json::Kind;
use crate::record::Record;

/// agent-core 0.84: header, entry, record, lane and fact lines.
pub(super) static V084: Dialect = Dialect {
    name: "agent-core-0.84",
    title: "a version 4 storage of agent-core 0.84",
    read_by: "agent-core 0.84",
    owns: |record| match numbered(record) {
        true => is_one_of(record, b"kind", &[b"entry", b"record", b"lane", b"fact"]),
        false => is_header(record) && has(record, b"version", Kind::Number),
    },
};

/// agent-core 0.85: header, entry, value, list and usage lines, each with `v`.
pub(super) static V085: Dialect = Dialect {
    name: "agent-core-0.85",
    title: "a version 4 storage of agent-core 0.85",
    read_by: "agent-core 0.85",
    owns: |record| match numbered(record) {
        true => has(record, b"v", Kind::Number) || is_one_of(record, b"kind", &[b"value", b"list"]),
        false => is_header(record) && has(record, b"storageVersion", Kind::Number),
    },
};

fn numbered(record: &Record<'_>) -> bool {
    has(record, b"seq", Kind::Number) && has(record, b"kind", Kind::String)
}

fn is_header(record: &Record<'_>) -> bool {
    is_one_of(record, b"kind", &[b"header"])
}
