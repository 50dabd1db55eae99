//! Where a report goes: `--format NAME` to standard output, `--format NAME=FILE` to a file, several at once.

use super::{Failure, output};
use crate::edit::{self, ReportFile, WriteError};
use crate::report::{FORMATS, FileReport, Format, Options, ReadError, Report, StoreReport, Summary, format};
use anstream::adapter::StripBytes;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A format, and the file it goes to, or standard output.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) format: &'static Format,
    pub(super) file: Option<PathBuf>,
}

/// Reads `NAME` or `NAME=FILE` by the table of formats.
#[derive(Clone, Debug)]
pub(super) struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(&self, cmd: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<Target, clap::Error> {
        let (name, file) = split(value);
        let known = PossibleValuesParser::new(names()).parse_ref(cmd, arg, name)?;
        let unknown = || clap::Error::new(clap::error::ErrorKind::InvalidValue).with_cmd(cmd);
        if file.as_ref().is_some_and(|file| file.as_os_str().is_empty()) {
            let message = format!("no file is named after '{known}='; leave the '=' out for standard output\n");
            return Err(clap::Error::raw(clap::error::ErrorKind::InvalidValue, message).with_cmd(cmd));
        }
        // what is - everywhere else
        let file = file.filter(|file| file.as_os_str() != "-");
        Ok(Target { format: format(&known).ok_or_else(unknown)?, file })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().into_iter()))
    }
}

fn names() -> Vec<PossibleValue> {
    FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.help)).collect()
}

/// What stands before the first `=`, and the path behind it, whose bytes may be any.
fn split(value: &OsStr) -> (&OsStr, Option<PathBuf>) {
    let bytes = value.as_encoded_bytes();
    let Some(at) = bytes.iter().position(|b| *b == b'=') else { return (value, None) };
    // the text of both can be cut at an ASCII character
    let name = std::str::from_utf8(&bytes[..at]).map_or(value, OsStr::new);
    (name, Some(path_of(value, at + 1)))
}

#[cfg(unix)]
fn path_of(value: &OsStr, from: usize) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(&value.as_bytes()[from..]).into()
}

#[cfg(not(unix))]
fn path_of(value: &OsStr, from: usize) -> PathBuf {
    value.to_string_lossy().get(from..).unwrap_or_default().into()
}

/// Where each format goes; `output_file` is for the one without a file of its own.
///
/// # Errors
/// Two go to standard output, or to one file, or there is none for `output_file`.
pub(super) fn targets(formats: &[Target], output_file: Option<&Path>) -> Result<Vec<Target>, Failure> {
    let mut targets = formats.to_vec();
    let output_file = output_file.filter(|file| file.as_os_str() != "-");
    let mut open = targets.iter_mut().filter(|target| target.file.is_none());
    let first = open.next();
    if let Some(second) = open.next() {
        let (first, second) = (first.map_or("", |target| target.format.name), second.format.name);
        return Err(Failure::Usage(format!(
            "{first} and {second} cannot both go to standard output; give one a file: --format {second}=FILE"
        )));
    }
    match (first, output_file) {
        (Some(target), Some(file)) => target.file = Some(file.into()),
        (None, Some(file)) => {
            return Err(Failure::Usage(format!(
                "--output-file '{}' is for a --format without a file, and every one has one",
                file.display()
            )));
        }
        _ => {}
    }
    for (n, target) in targets.iter().enumerate() {
        let path = target.file.as_deref().map(absolute);
        if path.is_some() && targets[..n].iter().any(|other| other.file.as_deref().map(absolute) == path) {
            let file = path.unwrap_or_default();
            return Err(Failure::Usage(format!("two formats go to one file, '{}'", file.display())));
        }
    }
    Ok(targets)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Reports under way.
pub(super) struct Sinks {
    list: Vec<Sink>,
    /// Whether there is something to do although nobody reads the reports.
    pub(super) goes_on: bool,
}

struct Sink {
    format: &'static Format,
    report: Box<dyn Report>,
    out: Out,
    /// Whether it makes something of what it is handed though nothing is written.
    gathers: bool,
}

enum Out {
    Nothing,
    Stdout(Box<dyn Write + Send>),
    File(Plain),
}

/// A file without colours, whatever the terminal has.
struct Plain {
    file: ReportFile,
    state: StripBytes,
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.state.strip_next(bytes).try_for_each(|piece| self.file.write_all(piece)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sinks {
    /// Begins them all; nothing is written to standard output if `quiet`.
    ///
    /// # Errors
    /// A file that must not be written to, or cannot be.
    pub(super) fn begin<'i>(
        targets: &[Target],
        options: &Options,
        quiet: bool,
        inputs: impl Iterator<Item = &'i Path> + Clone,
    ) -> Result<Sinks, Failure> {
        let begin = |target: &Target| {
            let out = match &target.file {
                Some(file) => {
                    let format = target.format;
                    let file = ReportFile::begin(file, format.name, format.is_own, inputs.clone());
                    Out::File(Plain { file: file.map_err(Failure::usage)?, state: StripBytes::new() })
                }
                None if quiet => Out::Nothing,
                None => Out::Stdout(Box::new(output::stdout())),
            };
            // a file is read elsewhere than on this terminal
            let width = if target.file.is_some() { Options::default().width } else { options.width };
            let report = (target.format.new)(&Options { width, ..options.clone() });
            Ok(Sink { format: target.format, report, out, gathers: options.job_summary })
        };
        Ok(Sinks { list: targets.iter().map(begin).collect::<Result<_, Failure>>()?, goes_on: false })
    }

    /// Whether what is seen on standard output names the files that cannot be read.
    pub(super) fn shows_errors(&self) -> bool {
        self.list.iter().any(|sink| matches!(sink.out, Out::Stdout(_)) && sink.format.names_errors)
    }

    /// Whether nothing is left to write to.
    fn is_over(&self) -> bool {
        self.list.iter().all(|sink| matches!(sink.out, Out::Nothing))
    }

    /// The next file.
    ///
    /// # Errors
    /// Those of the outputs; `BrokenPipe` only if nobody reads any of them.
    pub(super) fn file(&mut self, file: &FileReport) -> io::Result<()> {
        let written = file.written.as_deref();
        self.each(|report, out, is_stdout| match written.filter(|_| is_stdout) {
            Some(written) => out.write_all(written),
            None => report.file(out, file),
        })
    }

    /// What was found between the files.
    ///
    /// # Errors
    /// As for [`Sinks::file`], also of the others.
    pub(super) fn store(&mut self, store: &StoreReport) -> io::Result<()> {
        self.each(|report, out, _| report.store(out, store))
    }

    /// The next file, which could not be read.
    ///
    /// # Errors
    /// As for [`Sinks::file`], also of the others.
    pub(super) fn error(&mut self, error: &ReadError) -> io::Result<()> {
        self.each(|report, out, _| report.error(out, error))
    }

    /// There is no next file.
    pub(super) fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.each(|report, out, _| report.end(out, summary).and_then(|()| out.flush()))
    }

    /// Hands on what standard output still holds.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.each(|_, out, _| out.flush())
    }

    /// Whether the output is standard output is the last thing that `write` is told.
    fn each(
        &mut self,
        mut write: impl FnMut(&mut dyn Report, &mut dyn Write, bool) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut broken = None;
        for sink in &mut self.list {
            let written = match &mut sink.out {
                Out::Nothing if !sink.gathers => Ok(()),
                Out::Nothing => write(&mut *sink.report, &mut io::sink(), false),
                Out::Stdout(out) => write(&mut *sink.report, out, true),
                Out::File(out) => write(&mut *sink.report, out, false),
            };
            match written {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    sink.out = Out::Nothing;
                    broken = Some(error);
                }
                other => other?,
            }
        }
        match broken {
            Some(error) if self.is_over() && !self.goes_on => Err(error),
            _ => Ok(()),
        }
    }

    /// Moves the files into their places, and adds to the page of the CI job what is for it.
    ///
    /// # Errors
    /// What could not be written.
    pub(super) fn finish<'i>(
        self,
        job_summary: Option<&Path>,
        inputs: impl Iterator<Item = &'i Path> + Clone,
    ) -> Result<(), WriteError> {
        for sink in self.list {
            if let (Some(page), Some(text)) = (job_summary, sink.report.job_summary()) {
                edit::append_note(page, text, inputs.clone())?;
            }
            if let Out::File(out) = sink.out {
                out.file.finish()?;
            }
        }
        Ok(())
    }
}

/// The page of the CI job, where the CI has one.
pub(super) fn job_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from)
}
