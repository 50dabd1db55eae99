//! Reports: findings as text, one line each, or JSON. They see data only; one file a format.
//!
//! [`FORMATS`] lists them; a new format is one file and one line there.

pub mod baseline;
pub mod clean;
mod concise;
pub mod context;
pub mod digest;
#[cfg(feature = "cli")]
pub mod entry;
#[cfg(feature = "cli")]
mod excerpt;
pub mod family;
mod github;
mod gitlab;
mod json;
#[cfg(feature = "cli")]
mod junit;
pub mod layout;
pub mod list;
pub mod message;
pub mod rule_text;
#[cfg(feature = "cli")]
mod sarif;
mod statistics;
pub mod stats;
#[cfg(feature = "cli")]
pub mod text;
pub mod tools;
pub mod tree;

#[cfg(feature = "cli")]
pub(crate) use json::write_json;
pub use statistics::{Row, Statistics};

use crate::rules::{Anchor, Finding, Severity, StoreFinding, StoreFindings};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A report on the findings of many files, written as they come.
pub trait Report: Send {
    /// What was found in the next file.
    ///
    /// # Errors
    /// Those of `out`, as for the other two.
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()>;

    /// Whether what it says of a file depends on that file alone, so that it can be written anywhere and put
    /// in its place afterwards.
    fn apart(&self) -> bool {
        false
    }

    /// What was found between the files, after all of them. A format that has no place for it shows each of
    /// these findings as one about the first file concerned.
    ///
    /// # Errors
    /// Those of `out`.
    fn store(&mut self, out: &mut dyn Write, store: &StoreReport) -> io::Result<()> {
        store.findings.iter().try_for_each(|finding| self.file(out, &FileReport::of_store(finding)))
    }

    /// The next file could not be read.
    fn error(&mut self, out: &mut dyn Write, error: &ReadError) -> io::Result<()>;

    /// There is no next file.
    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()>;

    /// What is for the page of the CI job, in Markdown, once the report has ended.
    fn job_summary(&self) -> Option<&str> {
        None
    }
}

/// How a report looks, where the format leaves a choice.
#[derive(Clone, Debug)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// How many findings of a file are shown to people; 0 shows all.
    pub max_findings: usize,
    /// Whether people get a table of codes in place of the findings.
    pub statistics: bool,
    /// From which severity on a file has failed; `None`: never.
    pub fail_on: Option<Severity>,
    /// Whether there is a page of the CI job to write to.
    pub job_summary: bool,
}

impl Options {
    /// Whether what has this worst finding has failed.
    pub fn fails(&self, worst: Option<Severity>) -> bool {
        self.fail_on.is_some_and(|least| worst >= Some(least))
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { width: 140, max_findings: 20, statistics: false, fail_on: Some(Severity::Error), job_summary: false }
    }
}

/// A format of reports.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Whether it shows findings with their [`Excerpt`](crate::rules::Excerpt).
    pub excerpts: bool,
    /// Whether it shows what findings are known by, their [`Anchor`].
    pub anchors: bool,
    /// Whether it names the files that could not be read; if not, whoever writes it must.
    pub names_errors: bool,
    /// Whether the first bytes of a file (up to 4,096, never none) are those of such a report.
    pub is_own: fn(&[u8]) -> bool,
    /// A new report in this format.
    pub new: fn(&Options) -> Box<dyn Report>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    concise::FORMAT,
    json::FORMAT,
    #[cfg(feature = "cli")]
    sarif::FORMAT,
    github::FORMAT,
    gitlab::FORMAT,
    #[cfg(feature = "cli")]
    junit::FORMAT,
];

/// The format of this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// A path with slashes, as it stands in a repository.
fn slashed(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_string() };
    path.strip_prefix("./").map(String::from).unwrap_or(path)
}

/// What there is to say about all files together.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Those of them without a finding.
    pub clean: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// All findings.
    pub totals: Totals,
    /// The findings by code, where that was asked for.
    pub statistics: Option<Statistics>,
    /// What the baseline came to, where there is one.
    pub baseline: Option<baseline::Compared>,
}

impl Summary {
    /// A summary of nothing yet, with or without statistics.
    pub fn new(statistics: bool) -> Self {
        Summary { statistics: statistics.then(Statistics::default), ..Summary::default() }
    }

    /// Counts a file.
    pub fn add(&mut self, report: &FileReport) {
        self.files += 1;
        self.clean += u64::from(report.worst().is_none());
        self.totals.add(report.totals);
        if let Some(statistics) = &mut self.statistics {
            statistics.add(report);
        }
    }

    /// Counts what was found between files.
    pub fn add_store(&mut self, store: &StoreReport) {
        self.totals.add(store.totals);
        if let Some(statistics) = &mut self.statistics {
            statistics.add_store(store);
        }
    }
}

/// How many messages a reader shows the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextCount {
    /// Messages that pi shows; `None` where it refuses the file, throws or hangs.
    pub pi: Option<u64>,
    /// Messages that it would show after `sesstool repair`; `None` where that is not known.
    pub repaired: Option<u64>,
    /// Why `pi` is `None`: what pi says or does.
    pub pi_says: Option<String>,
    /// The same for another reader, where one was asked for.
    pub reader: Option<ReaderCount>,
}

/// How many messages a reader other than pi shows the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderCount {
    /// The reader.
    pub name: &'static str,
    /// The messages; `None` where it refuses the file, throws or hangs.
    pub messages: Option<u64>,
    /// Why there are none.
    pub says: Option<String>,
}

/// What was found in one file.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// The path as given (or found below a folder); `-` for standard input.
    pub path: String,
    /// The dialect: `pi`, or the name of another program's format.
    pub dialect: &'static str,
    /// The header's version as it counts (1 where it has none); `None` without a usable header.
    pub version: Option<i64>,
    /// The file's size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// Entries: records of the tree, recovered ones included.
    pub entries: u64,
    /// Entries without children.
    pub tips: u64,
    /// The current leaf's id as JSON.
    pub leaf: Option<String>,
    /// The context's size.
    pub context: ContextCount,
    /// How many findings of each code, also those that are not listed.
    pub counts: BTreeMap<&'static str, u64>,
    /// The same by severity: errors, warnings, infos.
    pub totals: Totals,
    /// The findings: those about the whole file first, then by offset and code; at most 1,000 of a code.
    pub findings: Vec<Finding>,
    /// Remarks about the reading itself (for example that the file changed meanwhile).
    pub notes: Vec<String>,
    /// What a report that [can be written apart](Report::apart) says of the file, where it was written already.
    pub written: Option<Vec<u8>>,
}

impl FileReport {
    /// A report on the first file that a finding concerns, with that finding and nothing else; the message
    /// names the others.
    fn of_store(finding: &StoreFinding) -> FileReport {
        let message = format!("{}{}", finding.message, others(finding));
        let mut totals = Totals::default();
        totals.count(finding.severity, 1);
        FileReport {
            path: finding.files.first().cloned().unwrap_or_default(),
            dialect: crate::dialect::PI,
            counts: BTreeMap::from([(finding.rule.code, 1)]),
            totals,
            findings: vec![Finding {
                severity: finding.severity,
                anchor: finding.anchor.clone(),
                ..Finding::new(finding.rule, None, message).effect(finding.effect.clone())
            }],
            ..FileReport::default()
        }
    }

    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.totals.worst()
    }

    /// `clean`, `info`, `warning` or `error`.
    pub fn verdict(&self) -> &'static str {
        self.worst().map_or("clean", Severity::name)
    }
}

/// How many other files a message names.
const NAMED: usize = 5;

/// The files that a finding concerns beside the first, for the end of its message: `; also: b.jsonl, c.jsonl`.
pub(super) fn others(finding: &StoreFinding) -> String {
    let others = finding.files.get(1..).unwrap_or_default();
    if others.is_empty() {
        return String::new();
    }
    let named = others.iter().take(NAMED).map(|file| clean::clean(file));
    let named = named.collect::<Vec<_>>().join(", ");
    match others.len().saturating_sub(NAMED) {
        0 => format!("; also: {named}"),
        more => format!("; also: {named} and {} more", layout::thousands(more as u64)),
    }
}

/// What was found between files.
#[derive(Clone, Debug, Default)]
pub struct StoreReport {
    /// How many findings of each code, also those that are not listed.
    pub counts: BTreeMap<&'static str, u64>,
    /// The same by severity.
    pub totals: Totals,
    /// The findings, by code; at most 1,000 of a code.
    pub findings: Vec<StoreFinding>,
}

impl StoreReport {
    /// The findings as those of one file of that name, with these fingerprints.
    pub fn as_file(&self, path: &str, prints: &[String]) -> FileReport {
        let each = self.findings.iter().zip(prints).flat_map(|(finding, print)| {
            let anchor = Some(Anchor { fingerprint: print.clone(), column: None, end_column: None });
            FileReport::of_store(&StoreFinding { anchor, ..finding.clone() }).findings
        });
        FileReport {
            path: path.to_string(),
            counts: self.counts.clone(),
            totals: self.totals,
            findings: each.collect(),
            ..FileReport::default()
        }
    }

    /// Leaves the findings that are in such a report still.
    pub fn keep(&mut self, report: &FileReport, prints: &[String]) {
        let left = report.findings.iter().filter_map(|finding| finding.anchor.as_ref());
        let left: BTreeSet<&str> = left.map(|anchor| anchor.fingerprint.as_str()).collect();
        let mut prints = prints.iter();
        self.findings.retain(|_| prints.next().is_some_and(|print| left.contains(print.as_str())));
        (self.counts, self.totals) = (report.counts.clone(), report.totals);
    }

    /// A report on these findings.
    pub fn new(found: StoreFindings) -> Self {
        let mut report = StoreReport { findings: found.list, ..StoreReport::default() };
        for ((code, severity), n) in found.counts {
            *report.counts.entry(code).or_default() += n;
            report.totals.count(severity, n);
        }
        report
    }
}

/// Findings counted by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Infos.
    pub infos: u64,
}

impl Totals {
    /// The worst severity counted.
    pub fn worst(self) -> Option<Severity> {
        self.by_severity().into_iter().find(|(_, number)| *number > 0).map(|(severity, _)| severity)
    }

    /// The severities, worst first, with their numbers.
    pub fn by_severity(self) -> [(Severity, u64); 3] {
        [(Severity::Error, self.errors), (Severity::Warning, self.warnings), (Severity::Info, self.infos)]
    }

    /// Counts `n` findings of a severity.
    pub fn count(&mut self, severity: Severity, n: u64) {
        match severity {
            Severity::Error => self.errors += n,
            Severity::Warning => self.warnings += n,
            Severity::Info => self.infos += n,
        }
    }

    /// Takes findings of a severity out.
    fn subtract(&mut self, severity: Severity, number: u64) {
        let total = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Info => &mut self.infos,
        };
        *total = total.saturating_sub(number);
    }

    /// Adds other totals.
    pub fn add(&mut self, other: Totals) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
    }
}

/// A file that could not be read.
#[derive(Clone, Debug)]
pub struct ReadError {
    /// The path.
    pub path: String,
    /// What happened, and what to do.
    pub message: String,
}

#[cfg(test)]
mod tests;
