//! `sesstool stats`: entries, tokens, cost, tools and time, over one file or ten thousand.

use super::lookup::{self, LookupError};
use super::progress::Progress;
use super::session::ReaderArg;
use super::settings::tell;
use super::validate::limit_threads;
use super::when::{self, Day};
use super::{CLEAN, FAILED, Failure, by_name, output};
use crate::check::{in_order, opened};
use crate::report::ReadError;
use crate::report::stats::{FORMATS, Format, Report, Settings, Skipped, Sort};
use crate::rules::beside::display;
use crate::session::view::Reader;
use crate::source::Source;
use crate::source::inputs::{self, Input, store};
use crate::stats::outputs::{self, made_of_others};
use crate::stats::{Base, By, FileStats, NotCounted, Options, Store};
use clap::ValueEnum;
use hashbrown::HashMap;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Count entries, tokens, cost, tools, models and time, over one session or a whole store.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (every *.jsonl below), - for standard input, ids of sessions in pi's store, or latest; without
    /// any, pi's own store.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read further paths from a list (- for standard input): lines, or separated by NULs.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// Group the entries of all files.
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<By>,
    /// What counts: everything in the files, the branch of the leaf, or the context that the model sees now.
    #[arg(long, value_enum, default_value_t)]
    base: Base,
    /// Only entries from this time on: 2026-03-14, 2026-03-14T09:30, or how long ago, such as 7d or 12h.
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    since: Option<String>,
    /// Only entries until this time; a day counts as a whole.
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    until: Option<String>,
    /// The time zone of days and times: a name such as Europe/Berlin, or local.
    #[arg(long, value_name = "ZONE", default_value = "UTC", help_heading = "Time")]
    timezone: String,
    /// A longer gap between two entries does not count as active time, in minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 15, help_heading = "Time")]
    gap: u32,
    /// Whose leaf and context are counted.
    #[arg(long, value_enum, default_value_t)]
    reader: ReaderArg,
    /// The order of files or groups (default: days as they go, tools by their calls, everything else by cost).
    #[arg(long, value_enum)]
    sort: Option<Sort>,
    /// In text, show at most so many files or groups, of days, weeks and months the last ones; 0 shows all
    /// (default: 20, of days, weeks and months all).
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// How it is told.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
    /// Use so many threads (default: one a core).
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  sesstool stats session.jsonl
  sesstool stats                                   pi's own store, file by file
  sesstool stats --by day --since 30d --timezone local
  sesstool stats ~/sessions --by model --format csv
  sesstool stats ~/sessions --by tool --sort errors
  sesstool stats latest --base context             what fills the context now

Three bases:
  lifetime   everything in the file
  branch     from the root to the leaf
  context    what the model sees now

An entry that several files share, as forks do, is counted once: with the first of them. What migrate and repair
made of a file that is counted is left out where it is met in a folder.

Exit status: 0, or 2 if a file cannot be read (the others are counted all the same).";

/// Counts the files and tells what they come to.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let (Some(By::Tool), Some(sort @ (Sort::Cost | Sort::Tokens | Sort::Time))) = (args.by, args.sort) {
        let sort = sort.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string());
        let forms = "name, messages (calls), size or errors";
        return Err(Failure::Usage(format!("nothing tells the {sort} of a tool; sort tools by {forms}")));
    }
    let zone = zone(&args.timezone)?;
    let now = Timestamp::now().to_zoned(zone.clone());
    let since = when::parse("--since", args.since.as_deref(), &now, Day::Begins)?;
    let until = when::parse("--until", args.until.as_deref(), &now, Day::Ends)?;
    let (paths, unknown) = located(&args.paths);
    let mut inputs = inputs::collect(&paths, args.files_from.as_deref()).map_err(Failure::usage)?;
    for input in &mut inputs.list {
        if let Input::Error { path, message } = input
            && let Some(why) = unknown.get(path.as_str())
        {
            *message = format!("cannot open: {why}");
        }
    }
    limit_threads(args.threads)?;
    tell(&inputs);
    let single = matches!(&inputs.list[..], [Input::File { .. } | Input::Stdin]);
    let reader = Reader::from(args.reader);
    let options = Options {
        since,
        until,
        reader,
        base: args.base,
        context: args.format.contexts || single && args.by.is_none(),
        ..Options::default()
    };
    let settings = Settings {
        width: output::width(),
        ascii: !output::draws_lines(),
        by: args.by,
        base: args.base,
        reader: reader.name(),
        sort: args.sort,
        top: args.top.unwrap_or(if args.by.is_some_and(By::is_time) { 0 } else { 20 }),
        single,
        zone: zone.clone(),
        zone_name: args.timezone.clone(),
        gap: i64::from(args.gap) * 60_000,
        since,
        until,
    };
    let mut run = Run {
        report: (args.format.new)(&settings),
        names_errors: args.format.names_errors,
        out: Box::new(output::stdout()),
        store: Store::new(&options, args.by, zone),
        files: 0,
        unreadable: 0,
    };
    let read = Arc::new(AtomicU64::new(0));
    let made = made_of_others(&inputs.list);
    let counted = inputs.list.iter().zip(&made).filter(|(_, made)| !**made).map(|(input, _)| input);
    let progress = Progress::of_bytes(counted.map(bytes_of).sum(), &read, false);
    let count = |n: usize, input: &Input| match made[n] {
        true => Counted::Other(Skipped { path: display(input).to_string(), what: outputs::WHAT }, false),
        false => one(input, &options, &read, inputs.list.len() > 1),
    };
    let ended = in_order(&inputs.list, count, &mut |counted| progress.pause(|| run.take(counted)));
    drop(progress);
    match ended.and_then(|()| run.end()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(CLEAN),
        Err(error) => Err(Failure::from(error)),
        Ok(()) if run.unreadable > 0 => Ok(ExitCode::from(FAILED)),
        Ok(()) => Ok(CLEAN),
    }
}

/// Paths, and in place of those that are not there the sessions of pi's store that they name; and why the others
/// name none.
fn located(paths: &[PathBuf]) -> (Vec<PathBuf>, HashMap<String, LookupError>) {
    let folder = store();
    let mut unknown = HashMap::new();
    let mut locate = |path: &PathBuf| match path.to_str() {
        // a link that leads nowhere is no name of a session
        Some(name) if name != "-" && path.symlink_metadata().is_err() => {
            lookup::find(folder.as_deref(), name).map_err(|why| unknown.insert(name.to_string(), why)).ok()
        }
        _ => None,
    };
    let found = paths.iter().map(|path| locate(path).unwrap_or_else(|| path.clone())).collect();
    (found, unknown)
}

fn bytes_of(input: &Input) -> u64 {
    match input {
        Input::File { path, .. } => path.metadata().map_or(0, |metadata| metadata.len()),
        _ => 0,
    }
}

fn zone(name: &str) -> Result<TimeZone, Failure> {
    if name == "local" {
        return TimeZone::try_system().map_err(|_| {
            Failure::usage("this system does not tell its time zone; name one: --timezone Europe/Berlin")
        });
    }
    TimeZone::get(name).map_err(|_| {
        Failure::Usage(format!("unknown time zone '{name}'; write a name such as Europe/Berlin, UTC or local"))
    })
}

/// What comes out of one input.
#[allow(clippy::large_enum_variant, reason = "nearly always the large one")]
enum Counted {
    File(FileStats),
    /// No session; whether it was named, rather than met in a folder.
    Other(Skipped, bool),
    Error(ReadError),
}

/// Counts one input; `among` others, with which it may share entries.
fn one(input: &Input, options: &Options, read: &Arc<AtomicU64>, among: bool) -> Counted {
    let named = !matches!(input, Input::File { named: false, .. });
    let count = |path: &str, source: Source| {
        let source = source.metered(read);
        let counted = match among {
            true => FileStats::of::<true>(&source, path, options),
            false => FileStats::of::<false>(&source, path, options),
        };
        Ok(match counted? {
            Ok(file) => Counted::File(file),
            Err(NotCounted { what }) => Counted::Other(Skipped { path: path.to_string(), what }, named),
        })
    };
    opened(input, |path, _, source| count(path, source)).unwrap_or_else(Counted::Error)
}

/// A run under way.
struct Run {
    report: Box<dyn Report>,
    names_errors: bool,
    out: Box<dyn Write + Send>,
    store: Store,
    files: u64,
    unreadable: u64,
}

impl Run {
    fn take(&mut self, counted: Counted) -> io::Result<()> {
        self.files += 1;
        match counted {
            Counted::File(mut file) => {
                let added = self.store.add(&mut file);
                self.report.file(&mut self.out, &file, &added)
            }
            Counted::Other(Skipped { path, what }, true) => {
                self.error(ReadError { path, message: format!("not counted: {what}") })
            }
            Counted::Other(skipped, false) => {
                self.report.skipped(skipped);
                Ok(())
            }
            Counted::Error(error) => self.error(error),
        }
    }

    fn error(&mut self, error: ReadError) -> io::Result<()> {
        self.unreadable += 1;
        if !self.names_errors {
            // so that it stands where it belongs if both go to one place
            self.out.flush()?;
            output::error(&format!("{}: {}", error.path, error.message));
        }
        self.report.error(&error);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.report.end(&mut self.out, &self.store)?;
        self.out.flush()?;
        if self.names_errors && self.unreadable > 0 {
            let (bad, all) = (self.unreadable, self.files);
            output::error(&format!("{bad} of {all} files could not be counted; the report says why"));
        }
        Ok(())
    }
}
