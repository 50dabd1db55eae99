//! Statistics, for people and for machines. One file a format.

#[cfg(feature = "cli")]
mod bars;
#[cfg(feature = "cli")]
mod csv;
mod json;
#[cfg(feature = "cli")]
mod text;

use super::ReadError;
use crate::dialect::time::to_iso as iso;
use crate::stats::store::Added;
use crate::stats::sum::Sum;
use crate::stats::tally::Tally;
use crate::stats::{Base, By, FileStats, Store, ToolSum};
use jiff::tz::TimeZone;
use std::cmp::Reverse;
use std::io::{self, Write};

/// How statistics are told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Columns of the terminal.
    pub width: usize,
    /// Only ASCII: no bars or sparklines of other characters.
    pub ascii: bool,
    /// By what entries are grouped.
    pub by: Option<By>,
    /// The base of what is told for several files together.
    pub base: Base,
    /// Whose leaf and context are counted.
    pub reader: &'static str,
    /// The order of lines; `None` for the usual one.
    pub sort: Option<Sort>,
    /// How many lines people get; 0 for all.
    pub top: usize,
    /// Whether there is one file, which is told in detail.
    pub single: bool,
    /// The time zone of days and times.
    pub zone: TimeZone,
    /// Its name.
    pub zone_name: String,
    /// Gaps of more milliseconds are no active time.
    pub gap: i64,
    /// From when on entries count, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Until before when.
    pub until: Option<i64>,
}

/// The order of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Sort {
    /// By name, date or path.
    Name,
    /// The most expensive first.
    Cost,
    /// The most tokens first.
    Tokens,
    /// The most messages first; of tools the most calls.
    Messages,
    /// The last ones first.
    Time,
    /// The largest first.
    Size,
    /// The most errors of tools first.
    Errors,
}

/// A file that is not counted since it is no session.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// What it is.
    pub what: &'static str,
}

/// A report on statistics, written as files come.
pub trait Report: Send {
    /// The next file.
    ///
    /// # Errors
    /// Those of `out`, as for the end.
    fn file(&mut self, out: &mut dyn Write, file: &FileStats, added: &Added) -> io::Result<()>;

    /// The next file is no session.
    fn skipped(&mut self, skipped: Skipped);

    /// The next file could not be read.
    fn error(&mut self, error: &ReadError);

    /// There is no next file.
    fn end(&mut self, out: &mut dyn Write, store: &Store) -> io::Result<()>;
}

/// A format of statistics.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Whether it names the files that could not be read; if not, whoever writes it must.
    pub names_errors: bool,
    /// Whether it tells what the model sees of each file.
    pub contexts: bool,
    /// A new report in this format.
    pub new: fn(&Settings) -> Box<dyn Report>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    #[cfg(feature = "cli")]
    csv::FORMAT,
];

/// A line of a table: a file, or a group.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Its key: a path, a date, a name.
    key: String,
    /// What it is called beside its key.
    title: Option<String>,
    files: u64,
    messages: u64,
    tokens: [Sum; 5],
    cost: Sum,
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "told in tables only"))]
    shared_cost: Sum,
    bytes: u64,
    span: Option<(i64, i64)>,
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "told in tables only"))]
    active: i64,
    tools: ToolSum,
    /// Entries over time, where that was counted.
    activity: Vec<u64>,
}

impl Line {
    fn of(key: &str, tally: &Tally, settings: &Settings) -> Line {
        Line {
            key: key.to_string(),
            files: 1,
            messages: tally.messages(),
            tokens: tally.usage.tokens.clone(),
            cost: tally.usage.cost[4].clone(),
            bytes: tally.bytes,
            span: tally.times.span(),
            active: tally.times.active(settings.gap),
            tools: tally.all_tools(),
            ..Line::default()
        }
    }
}

/// The lines of the groups, not sorted; of tools what each came to.
fn group_lines(store: &Store, settings: &Settings, columns: usize) -> Vec<Line> {
    if settings.by == Some(By::Tool) {
        let tools = store.totals.tools.iter();
        return tools.map(|(name, tool)| Line { key: name.clone(), tools: tool.clone(), ..Line::default() }).collect();
    }
    let span = store.totals.times.span();
    let line = |(key, group): (&String, &crate::stats::Group)| {
        let mut line = Line::of(key, &group.tally, settings);
        (line.files, line.title) = (group.files, group.title.clone());
        if let (Some(span), 1..) = (span, columns) {
            line.activity = group.tally.times.histogram(span, columns);
        }
        line
    };
    store.groups().iter().map(line).collect()
}

/// Puts lines in order: what was asked for, else time as it goes, and everything else by its cost.
fn sort(lines: &mut [Line], settings: &Settings) {
    let is_time = settings.by.is_some_and(By::is_time);
    let usual = match settings.by {
        Some(By::Tool) => Sort::Messages,
        _ if is_time => Sort::Name,
        _ => Sort::Cost,
    };
    // what has no name of its own stands behind the others; the signs of years far off sort as no text does
    let first = |line: &Line| line.span.filter(|_| is_time).map(|(first, _)| first);
    lines.sort_by(|a, b| {
        let key = |line: &Line| (line.key.starts_with('('), first(line));
        key(a).cmp(&key(b)).then_with(|| a.key.cmp(&b.key))
    });
    // the bits of a double with its sign turned sort as the number does
    let number = |sum: &Sum| {
        let bits = sum.to_f64().to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    };
    let tool_bytes = |line: &Line| line.tools.result_bytes + line.tools.call_bytes;
    match settings.sort.unwrap_or(usual) {
        Sort::Name => {}
        Sort::Cost => lines.sort_by_cached_key(|line| Reverse((number(&line.cost), number(&line.tokens[4])))),
        Sort::Tokens => lines.sort_by_cached_key(|line| Reverse(number(&line.tokens[4]))),
        Sort::Messages => lines.sort_by_key(|line| Reverse((line.messages, line.tools.calls))),
        Sort::Time => lines.sort_by_key(|line| Reverse(line.span.map(|(_, last)| last))),
        Sort::Size => lines.sort_by_key(|line| Reverse((line.bytes, tool_bytes(line)))),
        Sort::Errors => lines.sort_by_key(|line| Reverse((line.tools.errors, line.tools.results))),
    }
}
