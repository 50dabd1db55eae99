//! GitLab's code quality: one JSON array, one object a finding, each with a fingerprint of its own.

use super::clean::clean;
use super::json::write_json;
use super::{FileReport, Format, ReadError, Report, Summary, slashed};
use crate::edit::Hasher;
use crate::rules::{Finding, Severity};
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "gitlab",
    help: "GitLab's code quality report",
    excerpts: false,
    anchors: true,
    names_errors: false,
    is_own: |head| head == EMPTY || head.starts_with(FIRST),
    new: |_| Box::new(GitLab::default()),
};

const EMPTY: &[u8] = b"[\n]\n";
const FIRST: &[u8] = b"[\n {\"check_name\":\"sesstool/";

#[derive(Default)]
struct GitLab {
    started: bool,
}

impl Report for GitLab {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        for finding in &report.findings {
            let separator = if std::mem::replace(&mut self.started, true) { "," } else { "[" };
            write!(out, "{separator}\n ")?;
            write_json(out, &Issue::new(&report.path, finding))?;
        }
        Ok(())
    }

    fn error(&mut self, _: &mut dyn Write, _: &ReadError) -> io::Result<()> {
        Ok(()) // the format knows findings only
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary) -> io::Result<()> {
        out.write_all(if self.started { b"\n]\n" } else { EMPTY })
    }
}

#[derive(Serialize)]
struct Issue<'a> {
    check_name: String,
    description: String,
    categories: [&'static str; 1],
    severity: &'static str,
    fingerprint: String,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

impl<'a> Issue<'a> {
    fn new(path: &'a str, finding: &Finding) -> Self {
        let path = path.strip_prefix("./").unwrap_or(path);
        let Finding { rule, message, .. } = finding;
        Issue {
            check_name: format!("sesstool/{}", rule.code),
            description: format!("{} {}: {}", rule.code, rule.name, clean(message)),
            categories: ["Bug Risk"],
            severity: match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "minor",
                Severity::Info => "info",
            },
            fingerprint: fingerprint(path, finding),
            // what is about the whole file has to stand somewhere
            location: Location { path, lines: Lines { begin: finding.place.as_ref().map_or(1, |place| place.line) } },
        }
    }
}

/// GitLab shows findings with the same fingerprint once, so it has to differ between files and rules.
fn fingerprint(path: &str, finding: &Finding) -> String {
    let mut hasher = Hasher::default();
    let anchor = finding.anchor.as_ref().map_or(finding.message.as_str(), |anchor| anchor.fingerprint.as_str());
    for part in [slashed(path).as_str(), finding.rule.code, anchor] {
        hasher.add(part.as_bytes());
        hasher.add(&[0]);
    }
    let mut hex = hasher.finish().sha256;
    hex.truncate(32);
    hex
}
