//! Reports: findings as text, one line each, or JSON. They see data only; one file a format.

use crate::rules::{Finding, Severity};
use std::collections::BTreeMap;

/// How many messages a reader shows the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextCount {
    /// Messages that pi shows; `None` where it refuses the file, throws or hangs.
    pub pi: Option<u64>,
    /// Messages that it would show after `sesstool repair`; `None` where that is not known.
    pub repaired: Option<u64>,
    /// Why `pi` is `None`: what pi says or does.
    pub pi_says: Option<String>,
}

/// What was found in one file.
#[derive(Clone, Debug)]
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
}

impl FileReport {
    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        match self.totals {
            Totals { errors: 1.., .. } => Some(Severity::Error),
            Totals { warnings: 1.., .. } => Some(Severity::Warning),
            Totals { infos: 1.., .. } => Some(Severity::Info),
            _ => None,
        }
    }

    /// `clean`, `info`, `warning` or `error`.
    pub fn verdict(&self) -> &'static str {
        self.worst().map_or("clean", Severity::name)
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
