//! The list as one JSON document.

use super::{Format, List, Options, Row, Skipped, iso};
use crate::report::ReadError;
use crate::report::json::write_json;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "json", help: "one JSON document, schema sesstool.ls/1", write };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowJson<'a> {
    path: &'a str,
    id: Option<&'a str>,
    name: Option<&'a str>,
    first_message: &'a str,
    project: Option<&'a str>,
    created: Option<String>,
    modified: Option<String>,
    dialect: &'static str,
    version: Option<i64>,
    bytes: u64,
    entries: u64,
    messages: u64,
    branches: u64,
    parent_session: Option<&'a str>,
    verdict: &'static str,
    counts: &'a BTreeMap<&'static str, u64>,
    pi: PiJson<'a>,
}

#[derive(Serialize)]
struct PiJson<'a> {
    listed: bool,
    messages: u64,
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct SkippedJson<'a> {
    path: &'a str,
    dialect: &'static str,
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryJson {
    sessions: u64,
    filtered_out: u64,
    hidden: u64,
    skipped: u64,
    bytes: u64,
}

impl<'a> From<&'a Row> for RowJson<'a> {
    fn from(row: &'a Row) -> Self {
        RowJson {
            path: &row.path,
            id: row.id.as_deref(),
            name: row.name.as_deref(),
            first_message: &row.first,
            project: row.project.as_deref(),
            created: iso(row.created),
            modified: iso(row.modified),
            dialect: row.dialect,
            version: row.version,
            bytes: row.bytes,
            entries: row.entries,
            messages: row.messages,
            branches: row.branches,
            parent_session: row.parent.as_deref(),
            verdict: row.verdict(),
            counts: &row.counts,
            pi: PiJson { listed: row.hidden.is_none(), messages: row.pi_messages, why: row.hidden.as_deref() },
        }
    }
}

fn write(out: &mut dyn Write, list: &List, _: &Options) -> io::Result<()> {
    write!(out, "{{\"schema\":\"sesstool.ls/1\",\"store\":")?;
    write_json(out, &list.store)?;
    write!(out, ",\n \"sessions\":[")?;
    for (at, row) in list.rows.iter().enumerate() {
        write!(out, "{}\n  ", if at > 0 { "," } else { "" })?;
        write_json(out, &RowJson::from(row))?;
    }
    write!(out, "],\n \"skipped\":")?;
    let skipped = list.skipped.iter().map(|Skipped { path, dialect }| SkippedJson { path, dialect });
    write_json(out, &skipped.collect::<Vec<_>>())?;
    write!(out, ",\n \"errors\":")?;
    let errors = list.errors.iter().map(|ReadError { path, message }| ErrorJson { path, message });
    write_json(out, &errors.collect::<Vec<_>>())?;
    write!(out, ",\n \"summary\":")?;
    let summary = SummaryJson {
        sessions: list.rows.len() as u64,
        filtered_out: list.left_out,
        hidden: list.rows.iter().filter(|row| row.hidden.is_some()).count() as u64,
        skipped: list.skipped.len() as u64,
        bytes: list.rows.iter().map(|row| row.bytes).sum(),
    };
    write_json(out, &summary)?;
    writeln!(out, "}}")
}
