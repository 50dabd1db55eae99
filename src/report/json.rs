//! The machine's interface: one JSON document, written file by file so that it needs no memory.
//!
//! Fields are added, never renamed. Text keeps its meaning whatever it holds, but what could reach into
//! a terminal that shows the document is written as `\u` escapes.

use super::baseline::Compared;
use super::clean::is_unsafe;
use super::{FileReport, Format, ReadError, ReaderCount, Report, Row, Statistics, Summary};
use crate::rules::{Finding, Related, Repair, Severity};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "one JSON document, schema sesstool.validate/1",
    excerpts: false,
    anchors: false,
    names_errors: true,
    is_own: |head| head.starts_with(b"{\"schema\":\"sesstool.validate/"),
    new: |_| Box::new(Json::default()),
};

/// How far the document is. Errors come after all files, so they are kept until then.
#[derive(Debug, Default)]
struct Json {
    started: bool,
    files: bool,
    errors: Vec<ReadError>,
}

impl Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.started, true) {
            write!(out, "{{\"schema\":\"sesstool.validate/1\",\n \"files\":[")?;
        }
        Ok(())
    }
}

impl Report for Json {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        self.start(out)?;
        let separator = if std::mem::replace(&mut self.files, true) { "," } else { "" };
        write!(out, "{separator}\n  ")?;
        write_json(out, &FileJson::from(report))
    }

    fn error(&mut self, _: &mut dyn Write, error: &ReadError) -> io::Result<()> {
        self.errors.push(error.clone());
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        self.start(out)?;
        write!(out, "],\n \"store\":null,\n \"errors\":")?;
        let errors = self.errors.iter().map(|e| ErrorJson { path: &e.path, message: &e.message });
        write_json(out, &errors.collect::<Vec<_>>())?;
        write!(out, ",\n \"summary\":")?;
        write_json(out, &SummaryJson::from(summary))?;
        writeln!(out, "}}")
    }
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    dialect: &'static str,
    version: Option<i64>,
    bytes: u64,
    lines: u64,
    entries: u64,
    tips: u64,
    leaf: Option<Cow<'a, RawValue>>,
    context: ContextJson<'a>,
    verdict: &'static str,
    counts: &'a BTreeMap<&'static str, u64>,
    #[serde(serialize_with = "each_finding")]
    findings: &'a [Finding],
    notes: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextJson<'a> {
    pi: Option<u64>,
    repaired: Option<u64>,
    pi_says: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reader: Option<ReaderJson<'a>>,
}

#[derive(Serialize)]
struct ReaderJson<'a> {
    name: &'static str,
    messages: Option<u64>,
    says: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    line: Option<u64>,
    column: Option<u64>,
    offset: Option<u64>,
    length: Option<u64>,
    entry: Option<Cow<'a, RawValue>>,
    message: &'a str,
    effect: &'a str,
    repair: Repair,
    related: Vec<RelatedJson<'a>>,
}

#[derive(Serialize)]
struct RelatedJson<'a> {
    line: u64,
    offset: u64,
    length: u64,
    message: &'a str,
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct SummaryJson<'a> {
    files: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Vec<&'a Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Compared>,
}

impl<'a> From<&'a FileReport> for FileJson<'a> {
    fn from(report: &'a FileReport) -> Self {
        FileJson {
            path: &report.path,
            dialect: report.dialect,
            version: report.version,
            bytes: report.bytes,
            lines: report.lines,
            entries: report.entries,
            tips: report.tips,
            leaf: report.leaf.as_deref().map(raw),
            context: ContextJson {
                pi: report.context.pi,
                repaired: report.context.repaired,
                pi_says: report.context.pi_says.as_deref(),
                reader: report.context.reader.as_ref().map(ReaderJson::from),
            },
            verdict: report.verdict(),
            counts: &report.counts,
            findings: &report.findings,
            notes: &report.notes,
        }
    }
}

impl<'a> From<&'a ReaderCount> for ReaderJson<'a> {
    fn from(count: &'a ReaderCount) -> Self {
        ReaderJson { name: count.name, messages: count.messages, says: count.says.as_deref() }
    }
}

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(finding: &'a Finding) -> Self {
        let place = finding.place.as_ref();
        FindingJson {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column()),
            offset: place.map(|place| place.offset),
            length: place.map(|place| place.length),
            entry: finding.entry.as_deref().map(raw),
            message: &finding.message,
            effect: &finding.effect,
            repair: finding.repair,
            related: finding.related.iter().map(RelatedJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Related> for RelatedJson<'a> {
    fn from(related: &'a Related) -> Self {
        let place = &related.place;
        RelatedJson { line: place.line, offset: place.offset, length: place.length, message: &related.message }
    }
}

impl<'a> From<&'a Summary> for SummaryJson<'a> {
    fn from(summary: &'a Summary) -> Self {
        SummaryJson {
            files: summary.files,
            errors: summary.totals.errors,
            warnings: summary.totals.warnings,
            infos: summary.totals.infos,
            statistics: summary.statistics.as_ref().map(|statistics| Statistics::rows(statistics).collect()),
            baseline: summary.baseline.as_ref(),
        }
    }
}

/// Findings one by one: there may be thousands.
fn each_finding<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(findings.len()))?;
    findings.iter().try_for_each(|finding| list.serialize_element(&FindingJson::from(finding)))?;
    list.end()
}

/// JSON text as it stands. What is none after all becomes a string: the document must stay valid.
fn raw(text: &str) -> Cow<'_, RawValue> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => Cow::Borrowed(value),
        Err(_) => Cow::Owned(serde_json::value::to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned())),
    }
}

/// Writes a value as JSON that is harmless on a terminal.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, CleanFormatter);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Compact JSON with `\u` escapes for what a terminal might obey or hide.
struct CleanFormatter;

impl Formatter for CleanFormatter {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_clean(writer, fragment, is_unsafe)
    }

    /// In valid JSON such characters stand in strings only; controls below 20 are white space between the tokens.
    fn write_raw_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_clean(writer, fragment, |c| c >= ' ' && is_unsafe(c))
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        CompactFormatter.begin_object_key(writer, first)
    }
}

fn write_clean<W: Write + ?Sized>(writer: &mut W, text: &str, unsafe_here: impl Fn(char) -> bool) -> io::Result<()> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return writer.write_all(text.as_bytes());
    }
    let mut written = 0;
    // most text is plain, and goes out in one piece
    for (at, c) in text.char_indices().filter(|&(_, c)| unsafe_here(c)) {
        writer.write_all(&text.as_bytes()[written..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(writer, "\\u{unit:04x}")?;
        }
        written = at + c.len_utf8();
    }
    writer.write_all(&text.as_bytes()[written..])
}

/// Writes JSON text as it stands, harmless on a terminal. It was valid when it was read.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_raw(out: &mut dyn Write, json: &str) -> io::Result<()> {
    write_clean(out, json, |c| c >= ' ' && is_unsafe(c))
}
