//! What is wrong with a file, to hold the file that is made of it against that.

use crate::rules::check::{Audit, Checker};
use crate::rules::kind::FileKind;
use crate::rules::{self, Policy, Severity};
use crate::session::Session;
use crate::session::scan::{Options, scan};
use crate::source::Source;
use std::collections::BTreeSet;
use std::io;

/// A session, what kind of file it is, and where it has errors.
pub struct Health {
    /// The session.
    pub session: Session,
    /// What kind of file it is.
    pub kind: FileKind,
    /// Findings of error severity: code, line (0 for the whole file), message.
    pub errors: BTreeSet<(&'static str, u64, String)>,
    /// Lines that are not one whole record.
    pub damaged: BTreeSet<u64>,
}

impl Health {
    /// Scans and checks a source.
    ///
    /// # Errors
    /// What reading says.
    pub fn of(source: &Source) -> io::Result<Health> {
        let (session, checker) = scan::<Checker>(source, &Options::default())?;
        let audit = Audit::new(source, &session, None);
        let kind = audit.kind();
        let findings = rules::judge(&audit, checker, &Policy::default());
        let (mut errors, mut damaged) = (BTreeSet::new(), BTreeSet::new());
        for finding in findings.list {
            let line = finding.place.as_ref().map_or(0, |place| place.line);
            if matches!(finding.rule.code.as_bytes()[0], b'L' | b'J') && finding.severity == Severity::Error {
                damaged.insert(line);
            }
            if finding.severity == Severity::Error {
                errors.insert((finding.rule.code, line, finding.message));
            }
        }
        Ok(Health { session, kind, errors, damaged })
    }

    /// The first error for which `explained` is false.
    pub fn unexplained(&self, explained: impl Fn(&str, u64) -> bool) -> Option<String> {
        let found = self.errors.iter().find(|(code, line, _)| !explained(code, *line));
        found.map(|(code, line, message)| match line {
            0 => format!("{code}: {message}"),
            line => format!("line {line}: {code}: {message}"),
        })
    }

    /// Whether there is an error of that code on that line.
    pub fn has(&self, code: &str, line: u64) -> bool {
        self.errors.range((code_of(code), line, String::new())..).next().is_some_and(|e| (e.0, e.1) == (code, line))
    }
}

/// The rule's own copy of a code.
fn code_of(code: &str) -> &'static str {
    rules::find(code).map_or("", |rule| rule.code)
}
