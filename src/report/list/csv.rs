//! The list as a table for other programs, RFC 4180.

use super::{Format, List, Options, Row, iso};
use crate::report::clean::clean;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "csv", help: "comma-separated values with a header", write };

const COLUMNS: [&str; 16] = [
    "path",
    "id",
    "name",
    "firstMessage",
    "project",
    "created",
    "modified",
    "version",
    "bytes",
    "entries",
    "messages",
    "branches",
    "verdict",
    "errors",
    "warnings",
    "hidden",
];

fn write(out: &mut dyn Write, list: &List, _: &Options) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for row in &list.rows {
        table.write_record(fields(row))?;
    }
    table.flush()
}

fn fields(row: &Row) -> [String; 16] {
    let text = |text: Option<&str>| clean(text.unwrap_or_default()).into_owned();
    [
        text(Some(&row.path)),
        text(row.id.as_deref()),
        text(row.name.as_deref()),
        text(Some(&row.first)),
        text(row.project.as_deref()),
        iso(row.created).unwrap_or_default(),
        iso(row.modified).unwrap_or_default(),
        row.version.map_or(String::new(), |version| version.to_string()),
        row.bytes.to_string(),
        row.entries.to_string(),
        row.messages.to_string(),
        row.branches.to_string(),
        row.verdict().to_string(),
        row.totals.errors.to_string(),
        row.totals.warnings.to_string(),
        text(row.hidden.as_deref()),
    ]
}
