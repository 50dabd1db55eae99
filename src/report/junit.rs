//! JUnit's XML: a test case a file, which fails where the exit status would.

use super::clean::clean;
use super::layout::plural;
use super::{FileReport, Format, Options, ReadError, Report, StoreReport, Summary, Totals, others};
use crate::rules::{Finding, Rule, StoreFinding};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "junit",
    help: "JUnit XML: a test case a file",
    excerpts: false,
    anchors: false,
    names_errors: true,
    is_own: |head| {
        let name = b"<testsuites name=\"sesstool\"";
        head.starts_with(b"<?xml") && head.windows(name.len()).any(|window| window == name)
    },
    new: |options| {
        Box::new(JUnit { options: options.clone(), suite: TestSuite::new("sesstool validate"), started: false })
    },
};

/// The case of what was found between files.
const BETWEEN: &str = "(between files)";

struct JUnit {
    options: Options,
    suite: TestSuite,
    started: bool,
}

impl Report for JUnit {
    fn file(&mut self, _: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let worst = report.findings.iter().max_by_key(|f| (f.severity, std::cmp::Reverse(place(f))));
        let notes = report.notes.iter().map(|note| format!("note: {}", clean(note)));
        let text = self.text(notes.collect(), report.findings.iter().map(line), &report.counts);
        self.add(&report.path, report.totals, worst.map(|finding| finding.rule), text);
        Ok(())
    }

    fn store(&mut self, _: &mut dyn Write, store: &StoreReport) -> io::Result<()> {
        let worst = store.findings.iter().rev().max_by_key(|finding| finding.severity);
        let text = self.text(Vec::new(), store.findings.iter().map(store_line), &store.counts);
        self.add(BETWEEN, store.totals, worst.map(|finding| finding.rule), text);
        Ok(())
    }

    fn error(&mut self, _: &mut dyn Write, error: &ReadError) -> io::Result<()> {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(clean(&error.message)).set_type("unreadable");
        self.suite.add_test_case(case(&error.path, status));
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary) -> io::Result<()> {
        let mut document = Document::new("sesstool");
        document.add_test_suite(std::mem::replace(&mut self.suite, TestSuite::new("")));
        document.serialize(&mut *out).map_err(io::Error::other)?;
        writeln!(out)
    }
}

impl JUnit {
    /// Adds a case, which fails where the exit status would.
    fn add(&mut self, name: &str, totals: Totals, worst: Option<&Rule>, text: String) {
        self.started = true;
        let fails = self.options.fails(totals.worst());
        let mut status =
            if fails { TestCaseStatus::non_success(NonSuccessKind::Failure) } else { TestCaseStatus::success() };
        if fails {
            status.set_message(counts(totals));
            if let Some(worst) = worst {
                status.set_type(format!("{} {}", worst.code, worst.name));
            }
            status.set_description(text.clone());
        }
        let mut case = case(name, status);
        if !fails && !text.is_empty() {
            case.set_system_out(text);
        }
        self.suite.add_test_case(case);
    }

    /// The findings, one a line, as many as people are shown of a file.
    fn text(
        &self,
        notes: Vec<String>,
        findings: impl ExactSizeIterator<Item = String>,
        counts: &BTreeMap<&'static str, u64>,
    ) -> String {
        let most = if self.options.max_findings == 0 { usize::MAX } else { self.options.max_findings };
        let shown = findings.len().min(most) as u64;
        let mut lines = notes;
        lines.extend(findings.take(most));
        if let more @ 1.. = counts.values().sum::<u64>().saturating_sub(shown) {
            lines.push(format!("and {}", plural(more, "more finding")));
        }
        lines.join("\n")
    }
}

fn case(path: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(clean(path).into_owned(), status);
    case.set_classname("sesstool.validate");
    case
}

fn place(finding: &Finding) -> u64 {
    finding.place.as_ref().map_or(0, |place| place.offset)
}

/// `2 errors, 1 warning`.
fn counts(totals: Totals) -> String {
    let found = totals.by_severity().into_iter().filter(|(_, number)| *number > 0);
    found.map(|(severity, number)| plural(number, severity.name())).collect::<Vec<_>>().join(", ")
}

/// `5:24 error[G003] dangling-parent: message`.
fn line(finding: &Finding) -> String {
    let place = finding.place.as_ref().map_or_else(String::new, |place| format!("{}:{} ", place.line, place.column()));
    let (severity, rule) = (finding.severity.name(), finding.rule);
    format!("{place}{severity}[{}] {}: {}", rule.code, rule.name, clean(&finding.message))
}

/// `a.jsonl: warning[S003] diverged-copies: message`.
fn store_line(finding: &StoreFinding) -> String {
    let StoreFinding { rule, severity, files, message, .. } = finding;
    let first = files.first().map(|file| format!("{}: ", clean(file))).unwrap_or_default();
    format!("{first}{}[{}] {}: {}{}", severity.name(), rule.code, rule.name, clean(message), others(finding))
}
