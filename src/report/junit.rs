//! JUnit's XML: a test case a file, which fails where the exit status would.

use super::clean::clean;
use super::layout::plural;
use super::{FileReport, Format, Options, ReadError, Report, Summary};
use crate::rules::Finding;
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};
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

struct JUnit {
    options: Options,
    suite: TestSuite,
    started: bool,
}

impl Report for JUnit {
    fn file(&mut self, _: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        self.started = true;
        let fails = self.options.fails(report.worst());
        let mut status =
            if fails { TestCaseStatus::non_success(NonSuccessKind::Failure) } else { TestCaseStatus::success() };
        let text = self.text(report);
        if fails {
            let worst = report.findings.iter().max_by_key(|f| (f.severity, std::cmp::Reverse(place(f))));
            status.set_message(counts(report));
            if let Some(worst) = worst {
                status.set_type(format!("{} {}", worst.rule.code, worst.rule.name));
            }
            status.set_description(text.clone());
        }
        let mut case = case(&report.path, status);
        if !fails && !text.is_empty() {
            case.set_system_out(text);
        }
        self.suite.add_test_case(case);
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
    /// The findings, one a line, as many as people are shown of a file.
    fn text(&self, report: &FileReport) -> String {
        let most = if self.options.max_findings == 0 { usize::MAX } else { self.options.max_findings };
        let mut lines: Vec<String> = report.notes.iter().map(|note| format!("note: {}", clean(note))).collect();
        lines.extend(report.findings.iter().take(most).map(line));
        let all: u64 = report.counts.values().sum();
        if let more @ 1.. = all.saturating_sub(report.findings.len().min(most) as u64) {
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
fn counts(report: &FileReport) -> String {
    let found = report.totals.by_severity().into_iter().filter(|(_, number)| *number > 0);
    found.map(|(severity, number)| plural(number, severity.name())).collect::<Vec<_>>().join(", ")
}

/// `5:24 error[G003] dangling-parent: message`.
fn line(finding: &Finding) -> String {
    let place = finding.place.as_ref().map_or_else(String::new, |place| format!("{}:{} ", place.line, place.column()));
    let (severity, rule) = (finding.severity.name(), finding.rule);
    format!("{place}{severity}[{}] {}: {}", rule.code, rule.name, clean(&finding.message))
}
