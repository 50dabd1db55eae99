//! `sesstool validate`: what is broken, where, and what readers do with it.

use super::known::Known;
use super::progress::Progress;
use super::settings::{Chosen, FailOn, Settings, tell};
use super::sinks::{self, Sinks, Target, TargetParser};
use super::{CLEAN, FAILED, FINDINGS, Failure, output, signals};
use crate::check::{self, Event};
use crate::report::{FORMATS, Format, Options, ReadError, Summary, Totals};
use crate::source::inputs::Input;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Find what is broken in session files, where, and what readers do with it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// How findings are shown; with =FILE that goes to a file, and there may be several.
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = FORMATS[0].name, value_parser = TargetParser)]
    format: Vec<Target>,
    /// Write the report to this file; an older report of the same format is replaced, nothing else is.
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,
    /// Compare the files with those of this folder, too; without a path, check that folder.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Write the baseline: what is found now is known from now on.
    #[arg(long, help_heading = "What counts")]
    update_baseline: bool,
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

/// Checks the files and reports what was found.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let settings = Settings::new(&args.chosen)?;
    let targets = sinks::targets(&args.format, args.output_file.as_deref())?;
    let known = known(&settings, args.update_baseline)?;
    let (inputs, beside) = settings.inputs_beside(args.store.as_deref())?;
    limit_threads(args.threads)?;
    tell(&inputs);
    if targets.iter().any(|target| target.file.is_some()) {
        signals::clean_up_on_signals();
    }
    let seen = |target: &Target| target.file.is_some() || !args.quiet;
    let options = check::Options {
        policy: settings.policy,
        overrides: settings.overrides,
        excerpts: !args.statistics && targets.iter().any(|target| target.format.excerpts && seen(target)),
        anchors: known.is_some() || targets.iter().any(|target| target.format.anchors && seen(target)),
        reader: settings.reader.into(),
        brief: args.quiet && known.is_none() && targets.iter().all(|target| target.file.is_none()),
        ..check::Options::default()
    };
    let mut run = Run::new(args, &targets, known, settings.fail_on, &options, &inputs.list)?;
    let options = check::Options { write: run.written_beforehand(&targets), ..options.clone() };
    let sink = &mut |event| run.event(event);
    let ended = check::files(&inputs.list, beside.as_deref(), &options, sink).and_then(|()| run.end());
    match ended {
        // the reader has seen enough: what was found until then counts
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(run.exit_code()),
        Err(error) => Err(error.into()),
        Ok(()) => run.finish(&inputs.list),
    }
}

fn known(settings: &Settings, update: bool) -> Result<Option<Known>, Failure> {
    match &settings.baseline {
        Some(file) => Known::open(file, update).map(Some),
        None if update => Err(Failure::usage("--update-baseline writes a baseline; name it: --baseline FILE")),
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

pub(super) fn limit_threads(threads: Option<NonZeroUsize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    // more than the cores only take turns, and thousands take long to start
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.min(NonZeroUsize::new(cores.saturating_mul(4)).unwrap_or(threads));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
    pool.map_err(|error| Failure::Usage(format!("cannot start {threads} threads: {error}; try a smaller --threads")))
}

/// A run under way.
struct Run<'a> {
    sinks: Sinks,
    options: Options,
    checks: &'a check::Options,
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
        fail_on: FailOn,
        checks: &'a check::Options,
        inputs: &[Input],
    ) -> Result<Self, Failure> {
        let job_summary = sinks::job_summary();
        let options = Options {
            width: output::width(),
            max_findings: args.max_findings,
            statistics: args.statistics,
            fail_on: fail_on.least(),
            job_summary: job_summary.is_some(),
        };
        let mut sinks = Sinks::begin(targets, &options, args.quiet, paths(inputs))?;
        sinks.goes_on = args.update_baseline;
        Ok(Run {
            sinks,
            options,
            checks,
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
        let Run { sinks, checks, known, watched, summary, progress, .. } = self;
        progress.step(|| {
            match event {
                Event::File(mut file) => {
                    if let Some(known) = known {
                        let path = Some(Path::new(&file.path)).filter(|path| path.as_os_str() != "-");
                        let policy = checks.policy_of(path);
                        known.take_out(&mut file, &policy);
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
                Event::Store(mut store) => {
                    if let Some(known) = known {
                        known.take_out_store(&mut store, &checks.policy);
                    }
                    summary.add_store(&store);
                    sinks.store(&store)?;
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

    /// The format of standard output, if its reports do not depend on what is only known when their turn comes.
    fn written_beforehand(&self, targets: &[Target]) -> Option<(&'static Format, Options)> {
        let shown = targets.iter().find(|target| target.file.is_none() && !self.quiet && self.known.is_none())?;
        Some((shown.format, self.options.clone()))
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
