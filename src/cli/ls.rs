//! `sesstool ls`: one line a session.

use super::progress::Progress;
use super::settings::tell;
use super::when::{self, Day};
use super::{CLEAN, FAILED, Failure, by_name, output};
use crate::check::list::{self, Shelf};
use crate::report::list::{FORMATS, Format, List, Options, Paths, Row};
use crate::source::inputs::{self, own_shelf};
use clap::ValueEnum;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::cmp::{Ordering, Reverse};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// List sessions: when, what about, where, how large, how sound, and which of them pi's own list hides.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (every *.jsonl below), or - for standard input; without any, pi's own store.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read further paths from a list (- for standard input): lines, or separated by NULs.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// What they are sorted by.
    #[arg(long, value_enum, default_value_t = Key::Time)]
    sort: Key,
    /// The other way round.
    #[arg(long, short)]
    reverse: bool,
    /// Only sessions of projects in whose folder's path this stands.
    #[arg(long, value_name = "TEXT", help_heading = "Which sessions")]
    project: Option<String>,
    /// Only sessions that were written to since then: a day, a time (UTC), or so long ago, such as 7d or 12h.
    #[arg(long, value_name = "TIME", help_heading = "Which sessions")]
    since: Option<String>,
    /// Only sessions that were last written to until then; a day counts as a whole.
    #[arg(long, value_name = "TIME", help_heading = "Which sessions")]
    until: Option<String>,
    /// Only sessions with these verdicts.
    #[arg(long, value_enum, value_name = "VERDICT", value_delimiter = ',', help_heading = "Which sessions")]
    verdict: Vec<Verdict>,
    /// Only sessions in which this stands: in the name, or in what the user or the model said.
    #[arg(long, value_name = "TEXT", help_heading = "Which sessions")]
    grep: Option<String>,
    /// Only sessions that pi's own list does not show, with the reason.
    #[arg(long, help_heading = "Which sessions")]
    hidden: bool,
    /// Only the first so many.
    #[arg(long, short = 'n', value_name = "N", help_heading = "Which sessions")]
    limit: Option<usize>,
    /// How the list is shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
    /// Only the paths, each ended by a NUL, as --files-from and xargs -0 read them.
    #[arg(long, short = '0')]
    null: bool,
}

const EXAMPLES: &str = "\
Examples:
  sesstool ls                                  pi's own store, the newest first
  sesstool ls --since 7d --project website
  sesstool ls ~/backup --sort size
  sesstool ls --verdict error --format paths
  sesstool ls --since 1d -0 | sesstool validate --files-from -
  sesstool ls --hidden                         what pi's list does not show, and why
  sesstool ls --grep 'disk full' --format json

The time is that of the last message of the user or the model, in UTC. The verdict is that of
`sesstool validate` on the file.

Exit status: 0, or 2 if a file could not be read.";

/// What sessions are sorted by.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Key {
    /// The last message, the newest first.
    Time,
    /// The beginning, the newest first.
    Created,
    /// The name, or the first words.
    Name,
    /// The folder of the project.
    Project,
    /// The number of messages, the most first.
    Messages,
    /// The number of branches, the most first.
    Branches,
    /// The size, the largest first.
    Size,
    /// The worst finding, and how many.
    Verdict,
    /// The path of the file.
    Path,
}

/// What `validate` says of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Verdict {
    Clean,
    Info,
    Warning,
    Error,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Info => "info",
            Verdict::Warning => "warning",
            Verdict::Error => "error",
        }
    }
}

/// Prints the list.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let since = when::parse("--since", args.since.as_deref(), &now, Day::Begins)?;
    let until = when::parse("--until", args.until.as_deref(), &now, Day::Ends)?;
    let format = args.format()?;
    let files_from = args.files_from.as_deref();
    let inputs = inputs::collect_with_leftovers(&args.paths, files_from, &|_| false, false).map_err(Failure::usage)?;
    tell(&inputs);
    let store = inputs.store.as_ref().map(|store| store.to_string_lossy().into_owned());
    let progress = Progress::of_files(inputs.list.len(), false);
    let shelf = own_shelf().map(|(folder, by_project)| Shelf { folder, by_project });
    let options = list::Options { shelf, grep: args.grep.as_ref().map(|text| text.to_lowercase()) };
    let mut list = list::sessions(inputs.list, &options, &|| progress.step(|| ()));
    drop(progress);
    list.store = store;
    args.choose(&mut list, since, until);
    for error in &list.errors {
        output::error(&format!("{}: {}", error.path, error.message));
    }
    // other programs open these, so they get the names as they are
    let paths = match (args.null, output::is_watched()) {
        (true, _) => Paths::Null,
        (false, true) => Paths::Clean,
        (false, false) => Paths::Raw,
    };
    let raw = format.name == PATHS && paths != Paths::Clean;
    let out: &mut dyn Write = if raw { &mut output::raw_stdout() } else { &mut output::stdout() };
    let look = Options { width: output::width(), reasons: args.hidden, ascii: !output::draws_lines(), paths };
    (format.write)(out, &list, &look)?;
    out.flush()?;
    Ok(if list.errors.is_empty() { CLEAN } else { ExitCode::from(FAILED) })
}

/// The format that has the paths alone.
const PATHS: &str = "paths";

impl Args {
    /// The format that is meant.
    fn format(&self) -> Result<&'static Format, Failure> {
        match self.format.name {
            name if self.null && name != PATHS && name != FORMATS[0].name => {
                Err(Failure::Usage(format!("--null writes paths alone, not {name}; leave out --format")))
            }
            _ if self.null => Ok(FORMATS.iter().find(|format| format.name == PATHS).unwrap_or(self.format)),
            _ => Ok(self.format),
        }
    }

    /// Leaves the sessions that are wanted, in the order that is wanted.
    fn choose(&self, list: &mut List, since: Option<i64>, until: Option<i64>) {
        let before = list.rows.len();
        let within = |row: &Row| {
            since.is_none_or(|since| row.modified.is_some_and(|time| time >= since))
                && until.is_none_or(|until| row.modified.is_some_and(|time| time < until))
        };
        list.rows.retain(|row| within(row) && self.wants(row));
        list.rows.sort_by(|a, b| {
            let order = self.sort.compare(a, b);
            let order = if self.reverse { order.reverse() } else { order };
            order.then_with(|| a.path.cmp(&b.path))
        });
        list.rows.truncate(self.limit.unwrap_or(usize::MAX));
        list.left_out += (before - list.rows.len()) as u64;
    }

    fn wants(&self, row: &Row) -> bool {
        let project = |text: &String| {
            row.project.as_ref().is_some_and(|project| project.to_lowercase().contains(&text.to_lowercase()))
        };
        self.project.as_ref().is_none_or(project)
            && (self.verdict.is_empty() || self.verdict.iter().any(|verdict| verdict.name() == row.verdict()))
            && (!self.hidden || row.hidden.is_some())
    }
}

impl Key {
    fn compare(self, a: &Row, b: &Row) -> Ordering {
        let name = |row: &Row| row.title().trim().to_lowercase();
        match self {
            Key::Time => b.modified.cmp(&a.modified),
            Key::Created => b.created.cmp(&a.created),
            Key::Name => name(a).cmp(&name(b)),
            Key::Project => a.project.cmp(&b.project).then(b.modified.cmp(&a.modified)),
            Key::Messages => b.messages.cmp(&a.messages),
            Key::Branches => b.branches.cmp(&a.branches),
            Key::Size => b.bytes.cmp(&a.bytes),
            Key::Verdict => {
                let worst = |row: &Row| (row.totals.errors, row.totals.warnings, row.totals.infos);
                Reverse((a.totals.worst(), worst(a))).cmp(&Reverse((b.totals.worst(), worst(b))))
            }
            Key::Path => Ordering::Equal,
        }
    }
}
