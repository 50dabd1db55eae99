//! `sesstool validate`: what is broken, where, and what readers do with it.

use super::known::Known;
use super::progress::Progress;
use super::session::ReaderArg;
use super::sinks::{self, Sinks, Target, TargetParser};
use super::{CLEAN, FAILED, FINDINGS, Failure, output, say, signals};
use crate::check::{self, Event};
use crate::report::clean::clean;
use crate::report::{FORMATS, Options, ReadError, Summary, Totals};
use crate::rules::{Policy, Severity};
use crate::source::inputs::{self, Input, Inputs};
use clap::ValueEnum;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
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
    /// How findings are shown; with =FILE that goes to a file, and there may be several.
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = FORMATS[0].name, value_parser = TargetParser)]
    format: Vec<Target>,
    /// Write the report to this file; an older report of the same format is replaced, nothing else is.
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,
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
    /// Leave out the findings that this file lists, and do not fail for them; tell those that are gone.
    #[arg(long, value_name = "FILE", help_heading = "What counts")]
    baseline: Option<PathBuf>,
    /// Write the baseline: what is found now is known from now on.
    #[arg(long, help_heading = "What counts")]
    update_baseline: bool,
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
  sesstool validate . --format text --format sarif=out.sarif
  sesstool validate . --baseline known.json --update-baseline

Exit status:
  0  nothing at or above --fail-on, or the baseline was updated
  1  findings at or above --fail-on that the baseline does not list
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
    /// The least severity that fails.
    fn least(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        }
    }
}

/// Checks the files and reports what was found.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let policy = Policy::new(&args.select, &args.ignore, &args.severity).map_err(Failure::usage)?;
    let targets = sinks::targets(&args.format, args.output_file.as_deref())?;
    let inputs = inputs::collect(&args.paths, args.files_from.as_deref()).map_err(Failure::usage)?;
    limit_threads(args.threads)?;
    tell(&inputs);
    if targets.iter().any(|target| target.file.is_some()) {
        signals::clean_up_on_signals();
    }
    let known = known(args)?;
    let seen = |target: &Target| target.file.is_some() || !args.quiet;
    let options = check::Options {
        policy,
        excerpts: !args.statistics && targets.iter().any(|target| target.format.excerpts && seen(target)),
        anchors: known.is_some() || targets.iter().any(|target| target.format.anchors && seen(target)),
        scan: Default::default(),
        reader: args.reader.into(),
    };
    let mut run = Run::new(args, &targets, known, &options.policy, &inputs.list)?;
    let ended = check::files(&inputs.list, &options, &mut |event| run.event(event)).and_then(|()| run.end());
    match ended {
        // the reader has seen enough: what was found until then counts
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(run.exit_code()),
        Err(error) => Err(error.into()),
        Ok(()) => run.finish(&inputs.list),
    }
}

fn known(args: &Args) -> Result<Option<Known>, Failure> {
    match &args.baseline {
        Some(file) => Known::open(file, args.update_baseline).map(Some),
        None if args.update_baseline => {
            Err(Failure::usage("--update-baseline writes a baseline; name it: --baseline FILE"))
        }
        None => Ok(None),
    }
}

/// Where the inputs are that are files.
fn paths(inputs: &[Input]) -> impl Iterator<Item = &Path> + Clone {
    inputs.iter().filter_map(|input| match input {
        Input::File { path, .. } => Some(path.as_path()),
        _ => None,
    })
}

fn limit_threads(threads: Option<NonZeroUsize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
    pool.map_err(|error| Failure::Usage(format!("cannot start {threads} threads: {error}; try a smaller --threads")))
}

/// Says what is read where the command line does not say it.
fn tell(inputs: &Inputs) {
    if let Some(store) = &inputs.store {
        say(&format!("no path given: reading pi's session store {}", clean(&store.to_string_lossy())));
    }
    for folder in &inputs.empty {
        say(&format!("no *.jsonl file below {}", clean(&folder.to_string_lossy())));
    }
}

/// A run under way.
struct Run<'a> {
    sinks: Sinks,
    options: Options,
    policy: &'a Policy,
    known: Option<Known>,
    updates: bool,
    job_summary: Option<PathBuf>,
    quiet: bool,
    watched: bool,
    summary: Summary,
    progress: Progress,
}

impl<'a> Run<'a> {
    fn new(
        args: &Args,
        targets: &[Target],
        known: Option<Known>,
        policy: &'a Policy,
        inputs: &[Input],
    ) -> Result<Self, Failure> {
        let job_summary = sinks::job_summary();
        let options = Options {
            width: output::width(),
            max_findings: args.max_findings,
            statistics: args.statistics,
            fail_on: args.fail_on.least(),
            job_summary: job_summary.is_some(),
        };
        let mut sinks = Sinks::begin(targets, &options, args.quiet, paths(inputs))?;
        sinks.goes_on = args.update_baseline;
        Ok(Run {
            sinks,
            options,
            policy,
            known,
            updates: args.update_baseline,
            job_summary,
            quiet: args.quiet,
            watched: output::is_watched(),
            summary: Summary::new(args.statistics),
            progress: Progress::of_files(inputs.len(), args.quiet),
        })
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        let tells_errors = self.tells_errors();
        let Run { sinks, policy, known, watched, summary, progress, .. } = self;
        progress.step(|| {
            match event {
                Event::File(mut file) => {
                    if let Some(known) = known {
                        known.take_out(&mut file, policy);
                    }
                    summary.add(&file);
                    sinks.file(&file)?;
                }
                Event::Error(error) => {
                    if let Some(known) = known {
                        known.unreadable(&error.path);
                    }
                    add_error(sinks, summary, &error, tells_errors)?;
                }
            }
            if *watched { sinks.flush() } else { Ok(()) }
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.summary.baseline = self.known.as_mut().map(Known::compared);
        self.sinks.end(&self.summary)?;
        if self.tells_errors() || self.summary.unreadable == 0 {
            return Ok(());
        }
        let Summary { files, unreadable, .. } = self.summary;
        output::error(&format!("{unreadable} of {} files could not be read; the report says why", files + unreadable));
        Ok(())
    }

    /// Moves what was written to files into its place.
    fn finish(self, inputs: &[Input]) -> Result<ExitCode, Failure> {
        let code = self.exit_code();
        if let Some(known) = self.known {
            let Totals { errors, warnings, infos } = self.summary.totals;
            known.finish(errors + warnings + infos, self.quiet, paths(inputs))?;
        }
        self.sinks.finish(self.job_summary.as_deref(), paths(inputs)).map_err(Failure::usage)?;
        Ok(code)
    }

    fn exit_code(&self) -> ExitCode {
        if self.summary.unreadable > 0 {
            ExitCode::from(FAILED)
        } else if !self.updates && self.options.fails(self.summary.totals.worst()) {
            ExitCode::from(FINDINGS)
        } else {
            CLEAN
        }
    }

    /// Whether files that cannot be read are named on standard error, because what is seen does not do it.
    fn tells_errors(&self) -> bool {
        self.quiet || !self.sinks.shows_errors()
    }
}

fn add_error(sinks: &mut Sinks, summary: &mut Summary, error: &ReadError, tells_errors: bool) -> io::Result<()> {
    summary.unreadable += 1;
    if tells_errors {
        // so that it stands where it belongs if both go to one place
        sinks.flush()?;
        output::error(&format!("{}: {}", error.path, error.message));
    }
    sinks.error(error)
}
