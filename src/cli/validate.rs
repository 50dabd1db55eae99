//! `sesstool validate`: what is broken, where, and what readers do with it.

use super::progress::Progress;
use super::session::ReaderArg;
use super::{CLEAN, FAILED, FINDINGS, Failure, output, say};
use crate::check::{self, Event};
use crate::report::clean::clean;
use crate::report::{FORMATS, FileReport, Format, Options, ReadError, Report, Summary, format};
use crate::rules::{Policy, Severity};
use crate::source::inputs::{self, Inputs};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Find what is broken in session files, where, and what readers do with it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (every *.jsonl below), or - for standard input; without any, pi's own store.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read further paths from a list (- for standard input): lines, or separated by NULs.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// How findings are shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = formats())]
    format: &'static Format,
    /// Report these rules only: codes, names, or beginnings of codes such as G or G00.
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "What counts")]
    select: Vec<String>,
    /// Do not report these rules; of two selectors that fit a rule the closer one decides.
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "What counts")]
    ignore: Vec<String>,
    /// Give rules another severity: error, warning, info or off.
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', help_heading = "What counts")]
    severity: Vec<String>,
    /// Exit with 1 for findings of this severity or above.
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Error, help_heading = "What counts")]
    fail_on: FailOn,
    /// Whose leaf and context are told.
    #[arg(long, value_enum, default_value_t)]
    reader: ReaderArg,
    /// In text, show at most so many findings of a file and count the rest; 0 shows all.
    #[arg(long, value_name = "N", default_value_t = Options::default().max_findings)]
    max_findings: usize,
    /// Count findings by code; in text and concise in their place, in json beside them.
    #[arg(long)]
    statistics: bool,
    /// Write nothing but errors of reading, to standard error; the exit status is the answer.
    #[arg(long, short, conflicts_with = "statistics")]
    quiet: bool,
    /// Use so many threads (default: one a core).
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  sesstool validate session.jsonl
  sesstool validate ~/sessions --format concise
  sesstool validate . --fail-on warning --ignore L015,L016
  sesstool validate . --select G --severity dangling-parent=warning
  git ls-files -z '*.jsonl' | sesstool validate --files-from - --format json

Exit status:
  0  nothing at or above --fail-on
  1  findings at or above --fail-on
  2  wrong usage, or a file could not be read (the others are checked all the same)

`sesstool explain CODE` tells what a finding means.";

/// From which severity on findings make the exit status 1.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn is_reached(self, worst: Option<Severity>) -> bool {
        let least = match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Info => Severity::Info,
            FailOn::Never => return false,
        };
        worst >= Some(least)
    }
}

/// Reads the name of a format by the table of formats.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.help));
    PossibleValuesParser::new(names).try_map(|name| format(&name).ok_or("no such format"))
}

/// Checks the files and reports what was found.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let policy = Policy::new(&args.select, &args.ignore, &args.severity).map_err(Failure::usage)?;
    let inputs = inputs::collect(&args.paths, args.files_from.as_deref()).map_err(Failure::usage)?;
    limit_threads(args.threads)?;
    tell(&inputs);
    let excerpts = args.format.excerpts && !args.statistics && !args.quiet;
    let options = check::Options { policy, excerpts, scan: Default::default(), reader: args.reader.into() };
    let mut run = Run::new(args, inputs.list.len());
    let ended = check::files(&inputs.list, &options, &mut |event| run.event(&event)).and_then(|()| run.end());
    match ended {
        // the reader has seen enough: what was found until then counts
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(run.exit_code(args.fail_on)),
        other => other.map(|()| run.exit_code(args.fail_on)).map_err(Failure::from),
    }
}

pub(super) fn limit_threads(threads: Option<NonZeroUsize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
    pool.map_err(|error| Failure::Usage(format!("cannot start {threads} threads: {error}; try a smaller --threads")))
}

/// Says what is read where the command line does not say it.
pub(super) fn tell(inputs: &Inputs) {
    if let Some(store) = &inputs.store {
        say(&format!("no path given: reading pi's session store {}", clean(&store.to_string_lossy())));
    }
    for folder in &inputs.empty {
        say(&format!("no *.jsonl file below {}", clean(&folder.to_string_lossy())));
    }
}

/// A run under way.
struct Run<'a> {
    args: &'a Args,
    report: Box<dyn Report>,
    out: Box<dyn Write + Send>,
    watched: bool,
    summary: Summary,
    progress: Progress,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args, files: usize) -> Self {
        let options = Options { width: output::width(), max_findings: args.max_findings, statistics: args.statistics };
        Run {
            args,
            report: (args.format.new)(&options),
            out: if args.quiet { Box::new(io::sink()) } else { Box::new(output::stdout()) },
            watched: output::is_watched(),
            summary: Summary::new(args.statistics),
            progress: Progress::of_files(files, args.quiet),
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Run { args, report, out, watched, summary, progress } = self;
        progress.step(|| {
            match event {
                Event::File(file) => add_file(&mut **report, out, summary, file)?,
                Event::Error(error) => add_error(&mut **report, out, summary, error, args)?,
            }
            if *watched { out.flush() } else { Ok(()) }
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.report.end(&mut self.out, &self.summary)?;
        self.out.flush()?;
        if self.args.tells_errors() || self.summary.unreadable == 0 {
            return Ok(());
        }
        let Summary { files, unreadable, .. } = self.summary;
        output::error(&format!("{unreadable} of {} files could not be read; the report says why", files + unreadable));
        Ok(())
    }

    fn exit_code(&self, fail_on: FailOn) -> ExitCode {
        if self.summary.unreadable > 0 {
            ExitCode::from(FAILED)
        } else if fail_on.is_reached(self.summary.totals.worst()) {
            ExitCode::from(FINDINGS)
        } else {
            CLEAN
        }
    }
}

impl Args {
    /// Whether files that cannot be read are named on standard error, because the report does not do it.
    fn tells_errors(&self) -> bool {
        self.quiet || !self.format.names_errors
    }
}

fn add_file(report: &mut dyn Report, out: &mut dyn Write, summary: &mut Summary, file: &FileReport) -> io::Result<()> {
    summary.add(file);
    report.file(out, file)
}

fn add_error(
    report: &mut dyn Report,
    out: &mut dyn Write,
    summary: &mut Summary,
    error: &ReadError,
    args: &Args,
) -> io::Result<()> {
    summary.unreadable += 1;
    if args.tells_errors() {
        // so that it stands where it belongs if both go to one place
        out.flush()?;
        output::error(&format!("{}: {}", error.path, error.message));
    }
    report.error(out, error)
}
