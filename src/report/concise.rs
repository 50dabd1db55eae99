//! One line a finding: `path:line:column: error[G003] dangling-parent: message`.
//!
//! For editors, `grep` and whoever reads many of them. Nothing is left out, nothing is coloured.

use super::clean::clean;
use super::{FileReport, Format, Options, ReadError, Report, Statistics, Summary};
use crate::rules::Finding;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "concise",
    help: "one line a finding: path:line:column: severity[CODE] name: message",
    excerpts: false,
    anchors: false,
    names_errors: true,
    is_own: |head| {
        let first = String::from_utf8_lossy(head.split(|b| *b == b'\n').next().unwrap_or_default());
        let severities = ["error[", "warning[", "info["];
        let marks = [": error[", ": warning[", ": info[", ": note: ", ": error: "];
        let is_line = !first.starts_with('{') && marks.iter().any(|mark| first.contains(mark));
        is_line || severities.iter().any(|mark| first.starts_with(mark))
    },
    new: |options: &Options| Box::new(Concise { findings: !options.statistics }),
};

#[derive(Debug)]
struct Concise {
    /// Whether single findings are written.
    findings: bool,
}

impl Report for Concise {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let path = clean(&report.path);
        for note in &report.notes {
            writeln!(out, "{path}: note: {}", clean(note))?;
        }
        let shown = if self.findings { &report.findings[..] } else { &[] };
        shown.iter().try_for_each(|finding| line(out, &path, finding))
    }

    fn error(&mut self, out: &mut dyn Write, error: &ReadError) -> io::Result<()> {
        writeln!(out, "{}: error: {}", clean(&error.path), clean(&error.message))
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let mut rows = summary.statistics.iter().flat_map(Statistics::rows);
        rows.try_for_each(|row| {
            let (severity, count, files) = (row.severity.name(), row.count, row.files);
            writeln!(out, "{severity}[{}] {}: {count} in {files}", row.code, row.name)
        })
    }
}

fn line(out: &mut dyn Write, path: &str, finding: &Finding) -> io::Result<()> {
    write!(out, "{path}")?;
    if let Some(place) = &finding.place {
        write!(out, ":{}:{}", place.line, place.column())?;
    }
    let (severity, rule) = (finding.severity.name(), finding.rule);
    writeln!(out, ": {severity}[{}] {}: {}", rule.code, rule.name, clean(&finding.message))
}
