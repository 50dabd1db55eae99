//! From inputs to reports.

mod anchor;
pub mod family;
pub mod list;

pub use anchor::between;

use crate::pass::repair;
use crate::report::{self, ContextCount, FileReport, Format, ReadError, ReaderCount, StoreReport, Totals};
use crate::rules::beside::{Beside, display};
use crate::rules::check::{Audit, Check, Checker, Neighbours, has_manifest};
use crate::rules::kind::FileKind;
use crate::rules::policy::Overrides;
use crate::rules::{self, Excerpt, Place, Policy, RULES, Rule, Severity};
use crate::session::Session;
use crate::session::kin::{Trace, compare};
use crate::session::scan::{self, random_seed, scan};
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
    /// Whether only the findings count: leaf and context are not told.
    pub brief: bool,
    /// How reports are written beforehand, by the threads that check; only of use to formats that
    /// [can be written apart](crate::report::Report::apart).
    pub write: Option<(&'static Format, report::Options)>,
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
    /// The files were compared with each other; the last event, and only where that was asked for.
    Store(StoreReport),
}

/// What comes out of one input, and what is kept of it for comparing.
#[derive(Default)]
struct Checked {
    /// `None` for what is no file of a session's after all.
    event: Option<Event>,
    trace: Option<Trace>,
}

/// How many bytes of files are checked between two rounds of reporting, and how many files at most:
/// so much the findings that wait for their turn can take.
const ROUND_BYTES: u64 = 256 << 20;
const ROUND_FILES: usize = 256;

/// Takes events as they come.
pub type Sink<'s> = dyn FnMut(Event) -> io::Result<()> + Send + 's;

/// Checks the inputs and hands one event for each to `sink`, in the order of the inputs. With `beside` they
/// are compared as well, with each other and with these further inputs, on which nothing else is reported.
///
/// # Errors
/// Only what `sink` returns; it ends the run.
pub fn files(inputs: &[Input], beside: Option<&[Input]>, options: &Options, sink: &mut Sink<'_>) -> io::Result<()> {
    let Some(others) = beside else {
        return rounds(inputs, options, None, sink).map(drop);
    };
    let beside = Beside::new([inputs, others].concat());
    let all = beside.inputs();
    // a finding counts as it does in the file concerned where it counts most
    let level = |rule: &Rule, severity: Severity, files: &[String]| {
        let of_file = |file: &String| options.policy_of(Some(Path::new(file))).severity(rule, severity);
        files.iter().filter_map(of_file).max()
    };
    let names: Vec<String> = inputs.iter().map(|input| display(input).to_string()).collect();
    let is_on = |rule: &Rule| level(rule, rule.severity, &names).is_some();
    let compares = |rule: &&&Rule| rule.checks.iter().any(|check| matches!(check, Check::Store(_)));
    let seed = RULES.iter().filter(compares).any(|rule| is_on(rule)).then(random_seed);
    let mut scanned = options.clone();
    scanned.scan.hash = seed;
    let mut traces = rounds(&all[..inputs.len()], &scanned, Some(&beside), sink)?;
    let mut found = StoreReport::default();
    if let Some(seed) = seed {
        for traced in traces_of(all, inputs.len(), &scanned.scan, seed) {
            match traced {
                Ok(trace) => traces.extend(trace),
                Err(error) => sink(Event::Error(error))?,
            }
        }
        let is_output = |n: u32| all[n as usize].path().is_some_and(has_manifest);
        let mut compared = compare(all, &traces, seed, is_output);
        compared.keep(|file| (file as usize) < inputs.len());
        let neighbours = Neighbours { beside: &beside, compared: &compared };
        found = StoreReport::new(rules::judge_store(&neighbours, &level));
        if options.anchors {
            found.findings.iter_mut().for_each(|finding| finding.anchor = Some(anchor::of_store(finding)));
        }
    }
    sink(Event::Store(found))
}

/// What is kept of the inputs from `from` on, on which nothing is reported.
fn traces_of(all: &[Input], from: usize, options: &scan::Options, seed: u64) -> Vec<Result<Option<Trace>, ReadError>> {
    let trace = |(n, input): (usize, &Input)| match input {
        Input::Error { path, message } => Err(ReadError { path: path.clone(), message: message.clone() }),
        Input::Stdin | Input::File { leftover: true, .. } => Ok(None),
        Input::File { path, display, .. } => {
            let read = || {
                let source = Source::open(path)?;
                let (session, ()) = scan(&source, options)?;
                Trace::of(&source, &session, n as u32, seed)
            };
            read().map(Some).map_err(|error| unreadable(display, &error))
        }
    };
    all.par_iter().enumerate().skip(from).map(trace).collect()
}

/// Checks inputs; what is kept of them for comparing.
fn rounds(inputs: &[Input], options: &Options, beside: Option<&Beside>, sink: &mut Sink<'_>) -> io::Result<Vec<Trace>> {
    let mut traces = Vec::new();
    in_order(inputs, |n, input| one(input, n as u32, options, beside), &mut |Checked { event, trace }| {
        traces.extend(trace);
        event.map_or(Ok(()), &mut *sink)
    })?;
    Ok(traces)
}

/// Does some work on the inputs and their numbers, in parallel and in rounds, and hands what comes out to
/// `sink`, in the order of the inputs.
///
/// # Errors
/// Only what `sink` returns; it ends the run.
pub fn in_order<T: Send>(
    inputs: &[Input],
    work: impl Fn(usize, &Input) -> T + Sync,
    sink: &mut (dyn FnMut(T) -> io::Result<()> + Send),
) -> io::Result<()> {
    let mut from = 0;
    let mut done: Vec<T> = Vec::new();
    loop {
        let round = &inputs[from..][..round_length(&inputs[from..])];
        // one round is reported while the next is worked on
        let (reported, worked) = rayon::join(
            || done.into_iter().try_for_each(&mut *sink),
            || round.par_iter().enumerate().map(|(n, input)| work(from + n, input)).collect(),
        );
        reported?;
        done = worked;
        if done.is_empty() {
            return Ok(());
        }
        from += round.len();
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

/// Checks one input, the one of that number.
fn one(input: &Input, n: u32, options: &Options, beside: Option<&Beside>) -> Checked {
    if matches!(input, Input::File { leftover: true, .. }) && beside.is_some_and(|beside| beside.leftover(n).is_none())
    {
        return Checked::default();
    }
    let together = beside.map(|beside| (beside, n));
    match opened(input, |name, path, source| check_source(&source, name, path, options, together)) {
        Ok((report, trace)) => Checked { event: Some(Event::File(report)), trace },
        Err(error) => Checked { event: Some(Event::Error(error)), trace: None },
    }
}

/// Opens an input and does some work on it, which is given the name that is shown, and the path if it is a file.
///
/// # Errors
/// It could not be read, by the name that is shown.
pub fn opened<T>(
    input: &Input,
    work: impl FnOnce(&str, Option<&Path>, Source) -> io::Result<T>,
) -> Result<T, ReadError> {
    let (name, path, source) = match input {
        Input::Error { path, message } => return Err(ReadError { path: path.clone(), message: message.clone() }),
        Input::Stdin => ("-", None, Source::stdin()),
        Input::File { path, display, .. } => (display.as_str(), Some(path.as_path()), Source::open(path)),
    };
    source.and_then(|source| work(name, path, source)).map_err(|error| unreadable(name, &error))
}

fn unreadable(path: &str, error: &io::Error) -> ReadError {
    ReadError { path: path.to_string(), message: format!("cannot read: {}", reason(error)) }
}

/// Checks a source; `path` is where it is a file of that name.
///
/// # Errors
/// What reading says; content never is an error.
pub fn source_report(source: &Source, name: &str, path: Option<&Path>, options: &Options) -> io::Result<FileReport> {
    check_source(source, name, path, options, None).map(|(report, _)| report)
}

/// Checks a source, which may be one of the files that are checked together.
fn check_source(
    source: &Source,
    name: &str,
    path: Option<&Path>,
    options: &Options,
    together: Option<(&Beside, u32)>,
) -> io::Result<(FileReport, Option<Trace>)> {
    let (session, checker) = scan::<Checker>(source, &options.scan)?;
    let mut audit = Audit::new(source, &session, path);
    if let Some((beside, n)) = together {
        audit = audit.among(beside, n);
    }
    let is_session = !audit.is_leftover() && !audit.is_stranger();
    let told = is_session && !options.brief;
    let (mut findings, (leaf, context)) = audit.side_by_side(
        || rules::judge(&audit, checker, &options.policy_of(path)),
        || match told {
            true => (leaf_of(source, &session, options.reader), context_of(source, &session, options.reader)),
            false => Default::default(),
        },
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
        totals.count(severity, n);
    }
    let dialect = match audit.kind() {
        FileKind::Foreign(dialect) => dialect.name,
        _ => crate::dialect::PI,
    };
    let compared = is_session && matches!(audit.kind(), FileKind::Session);
    let trace = match (together, options.scan.hash) {
        (Some((_, n)), Some(seed)) if compared => Some(Trace::of(source, &session, n, seed)?),
        _ => None,
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
        written: None,
    };
    report.context.repaired = match findings.repairable {
        _ if !told => None,
        // takes the index to pieces, so that there are never two
        true => Some(session).filter(|_| source.is_seekable()).and_then(|s| repair::messages_after(source, s)),
        false => report.context.pi,
    };
    if let Some((format, layout)) = &options.write {
        report.written = written(&report, format, layout);
    }
    Ok((report, trace))
}

/// What a format says of a file, where that depends on nothing else.
fn written(report: &FileReport, format: &Format, layout: &report::Options) -> Option<Vec<u8>> {
    let mut writer = (format.new)(layout);
    let mut out = Vec::new();
    (writer.apart() && writer.file(&mut out, report).is_ok()).then_some(out)
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
