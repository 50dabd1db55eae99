//! Findings counted by code over all files.

use super::{FileReport, StoreReport};
use crate::rules::{self, Rule, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// The counts, one row a code.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    rows: BTreeMap<&'static str, Row>,
}

/// One code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The rule's code.
    pub code: &'static str,
    /// The rule's name.
    pub name: &'static str,
    /// The worst severity that a finding of it had.
    pub severity: Severity,
    /// How many findings.
    pub count: u64,
    /// In how many files.
    pub files: u64,
}

impl Row {
    fn new(rule: &Rule, severity: Severity) -> Self {
        Row { code: rule.code, name: rule.name, severity, count: 0, files: 0 }
    }
}

impl Statistics {
    /// Counts the findings of a file.
    pub fn add(&mut self, report: &FileReport) {
        // severities stand in the findings: a policy may have changed them
        for finding in &report.findings {
            let row = self.rows.entry(finding.rule.code).or_insert_with(|| Row::new(finding.rule, finding.severity));
            row.severity = row.severity.max(finding.severity);
        }
        for (&code, &count) in &report.counts {
            if let Some(row) = self.row(code) {
                row.count += count;
                row.files += 1;
            }
        }
    }

    /// Counts what was found between files; the files are those of the findings that are listed.
    pub fn add_store(&mut self, store: &StoreReport) {
        for finding in &store.findings {
            let row = self.rows.entry(finding.rule.code).or_insert_with(|| Row::new(finding.rule, finding.severity));
            row.severity = row.severity.max(finding.severity);
            row.files += finding.files.len() as u64;
        }
        for (&code, &count) in &store.counts {
            if let Some(row) = self.row(code) {
                row.count += count;
            }
        }
    }

    /// The row of a code; a new one for a code of which no finding is listed.
    fn row(&mut self, code: &'static str) -> Option<&mut Row> {
        if !self.rows.contains_key(code) {
            let rule = rules::find(code)?;
            self.rows.insert(code, Row::new(rule, rule.severity));
        }
        self.rows.get_mut(code)
    }

    /// The rows, sorted by code.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }
}
