//! From inputs to reports.

mod anchor;

use crate::pass::repair;
use crate::report::{ContextCount, FileReport, ReadError, ReaderCount, Totals};
use crate::rules::check::{Audit, Checker};
use crate::rules::kind::FileKind;
use crate::rules::policy::Overrides;
use crate::rules::{self, Excerpt, Place, Policy, Severity};
use crate::session::Session;
use crate::session::scan::{self, scan};
use crate::session::view::{Reader, View};
use crate::source::Source;
use crate::source::inputs::{Input, reason};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// How files are checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which findings count.
    pub policy: Policy,
    /// Where others count.
    pub overrides: Overrides,
    /// Whether findings carry the piece of the line around their place.
    pub excerpts: bool,
    /// Whether findings carry what they are known by in later runs.
    pub anchors: bool,
    /// How files are scanned.
    pub scan: scan::Options,
    /// Whose leaf and context are told.
    pub reader: Reader,
}

impl Options {
    /// Which findings count in a file; `None` is none.
    pub fn policy_of(&self, path: Option<&Path>) -> Cow<'_, Policy> {
        self.overrides.of(path, &self.policy)
    }
}

/// What comes out of one input.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and nearly always the large one")]
pub enum Event {
    /// A file was read.
    File(FileReport),
    /// A file could not be read.
    Error(ReadError),
}

/// How many bytes of files are checked between two rounds of reporting, and how many files at most:
/// so much the findings that wait for their turn can take.
const ROUND_BYTES: u64 = 256 << 20;
const ROUND_FILES: usize = 256;

/// Checks the inputs and hands one event for each to `sink`, in the order of the inputs.
///
/// # Errors
/// Only what `sink` returns; it ends the run.
pub fn files(
    inputs: &[Input],
    options: &Options,
    sink: &mut (dyn FnMut(Event) -> io::Result<()> + Send),
) -> io::Result<()> {
    in_order(inputs, |input| one(input, options), sink)
}

/// Does some work on the inputs, in parallel and in rounds, and hands what comes out to `sink`, in the order
/// of the inputs.
///
/// # Errors
/// Only what `sink` returns; it ends the run.
pub fn in_order<T: Send>(
    inputs: &[Input],
    work: impl Fn(&Input) -> T + Sync,
    sink: &mut (dyn FnMut(T) -> io::Result<()> + Send),
) -> io::Result<()> {
    let mut rest = inputs;
    let mut done: Vec<T> = Vec::new();
    loop {
        let (round, later) = rest.split_at(round_length(rest));
        // one round is reported while the next is worked on
        let (reported, worked) =
            rayon::join(|| done.into_iter().try_for_each(&mut *sink), || round.par_iter().map(&work).collect());
        reported?;
        done = worked;
        if done.is_empty() {
            return Ok(());
        }
        rest = later;
    }
}

fn round_length(inputs: &[Input]) -> usize {
    let mut bytes = 0;
    for (n, input) in inputs.iter().take(ROUND_FILES).enumerate() {
        if let Input::File { path, .. } = input {
            bytes += path.metadata().map_or(0, |m| m.len());
        }
        if bytes > ROUND_BYTES {
            return n + 1;
        }
    }
    inputs.len().min(ROUND_FILES)
}

/// Checks one input.
pub fn one(input: &Input, options: &Options) -> Event {
    let (name, path, source) = match input {
        Input::Error { path, message } => {
            return Event::Error(ReadError { path: path.clone(), message: message.clone() });
        }
        Input::Stdin => ("-".to_string(), None, Source::stdin()),
        Input::File { path, display, .. } => (display.clone(), Some(path.as_path()), Source::open(path)),
    };
    let report = source.and_then(|source| source_report(&source, &name, path, options));
    match report {
        Ok(report) => Event::File(report),
        Err(error) => Event::Error(ReadError { path: name, message: format!("cannot read: {}", reason(&error)) }),
    }
}

/// Checks a source; `path` is where it is a file of that name.
///
/// # Errors
/// What reading says; content never is an error.
pub fn source_report(source: &Source, name: &str, path: Option<&Path>, options: &Options) -> io::Result<FileReport> {
    let (session, checker) = scan::<Checker>(source, &options.scan)?;
    let audit = Audit::new(source, &session, path);
    let (mut findings, (leaf, context)) = audit.side_by_side(
        || rules::judge(&audit, checker, &options.policy_of(path)),
        || (leaf_of(source, &session, options.reader), context_of(source, &session, options.reader)),
    );
    let mut notes = Vec::new();
    if let Some(change) = source.changed()? {
        notes.push(format!("the file changed while it was read: {change}"));
    }
    if findings.list.iter().any(|f| f.rule.code == "L001") && is_fresh(source) {
        notes.push("the file was written to seconds ago: its last line is perhaps still being written".to_string());
    }
    if options.excerpts {
        for finding in &mut findings.list {
            finding.excerpt = finding.place.as_ref().and_then(|place| excerpt(source, place));
        }
    }
    if options.anchors {
        anchor::put(source, &mut findings.list);
    }
    let mut counts = BTreeMap::new();
    let mut totals = Totals::default();
    for (&(code, severity), &n) in &findings.counts {
        *counts.entry(code).or_default() += n;
        match severity {
            Severity::Error => totals.errors += n,
            Severity::Warning => totals.warnings += n,
            Severity::Info => totals.infos += n,
        }
    }
    let dialect = match audit.kind() {
        FileKind::Foreign(dialect) => dialect.name,
        _ => crate::dialect::PI,
    };
    drop(audit);
    let mut report = FileReport {
        path: name.to_string(),
        dialect,
        version: session.version(),
        bytes: session.facts.bytes,
        lines: session.facts.lines,
        entries: session.entries.len() as u64,
        tips: session.tips(),
        leaf,
        context,
        counts,
        totals,
        findings: findings.list,
        notes,
    };
    report.context.repaired = match findings.repairable {
        // takes the index to pieces, so that there are never two
        true => Some(session).filter(|_| source.is_seekable()).and_then(|s| repair::messages_after(source, s)),
        false => report.context.pi,
    };
    Ok(report)
}

/// The id of the entry at which a reader resumes, as JSON.
fn leaf_of(source: &Source, session: &Session, reader: Reader) -> Option<String> {
    if reader == Reader::Sesstool {
        return session.leaf().and_then(|n| session.id_json(n));
    }
    let view = View::new(source, session, reader).ok()?;
    view.leaf.node().and_then(|n| view.id_json(n))
}

/// How many messages pi shows the model, and how many `reader`, if that is another one.
fn context_of(source: &Source, session: &Session, reader: Reader) -> ContextCount {
    if !source.is_seekable() {
        // what decides has to be read again
        let pi_says = Some("not counted, since a pipe this long cannot be read again".to_string());
        return ContextCount { pi_says, ..ContextCount::default() };
    }
    let count = |reader| {
        let counted = View::new(source, session, reader).and_then(|view| view.count_messages());
        match counted {
            Ok(count) => (Some(count), None),
            Err(refusal) => (None, Some(refusal.reason)),
        }
    };
    let (pi, pi_says) = count(Reader::Pi);
    let reader = (reader != Reader::Pi && reader != Reader::Sesstool).then(|| {
        let (messages, says) = count(reader);
        ReaderCount { name: reader.name(), messages, says }
    });
    ContextCount { pi, pi_says, reader, repaired: None }
}

/// Whether the file was written to within the last ten seconds.
fn is_fresh(source: &Source) -> bool {
    source.modified().and_then(|t| t.elapsed().ok()).is_some_and(|age| age.as_secs() < 10)
}

/// How many bytes before and behind a place an excerpt shows.
const BEFORE: u64 = 200;
const BEHIND: u64 = 400;

/// The piece of the line around a place.
fn excerpt(source: &Source, place: &Place) -> Option<Excerpt> {
    let from = place.offset.saturating_sub(BEFORE).max(place.line_start);
    let mut bytes = vec![0; (place.offset - from + BEHIND) as usize];
    let n = source.read_at(from, &mut bytes).ok()?;
    bytes.truncate(n);
    let at = (place.offset - from) as usize;
    let end = memchr::memchr(b'\n', bytes.get(at..)?).map_or(bytes.len(), |found| at + found);
    let more = end == bytes.len() && n as u64 == place.offset - from + BEHIND;
    bytes.truncate(end);
    Some(Excerpt { bytes, offset: from, more })
}
