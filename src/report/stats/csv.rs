//! Statistics as a table for spreadsheets: a line a file, or a line a group. Sums stand there with every
//! digit; shares of the whole and totals are left to whoever reads it.

use super::{Format, Report, Settings, Skipped, iso};
use crate::dialect::pi::{EntryType, Role};
use crate::report::ReadError;
use crate::report::clean::clean;
use crate::stats::row::{CONTENTS, split_model};
use crate::stats::store::Added;
use crate::stats::{By, FileStats, Store, Tally, ToolSum};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "csv",
    help: "a line a file, or a line a group; for spreadsheets",
    names_errors: false,
    contexts: false,
    new: |settings| Box::new(Csv { settings: settings.clone(), files: Vec::new() }),
};

struct Csv {
    settings: Settings,
    /// The files' lines, with what they are sorted by.
    files: Vec<(super::Line, Vec<String>)>,
}

const TOOL: &[&str] = &["tool", "calls", "results", "errors", "error_rate", "call_bytes", "result_bytes"];

const TALLY: &[&str] = &[
    "base",
    "first",
    "last",
    "active_ms",
    "entries",
    "messages",
    "user",
    "assistant",
    "tool_results",
    "compactions",
    "tool_calls",
    "tool_errors",
    "input",
    "output",
    "cache_read",
    "cache_write",
    "tokens",
    "cost_input",
    "cost_output",
    "cost_cache_read",
    "cost_cache_write",
    "cost",
    "not_numbers",
    "bytes",
];

impl Report for Csv {
    fn file(&mut self, _: &mut dyn Write, file: &FileStats, added: &Added) -> io::Result<()> {
        if self.settings.by.is_some() {
            return Ok(());
        }
        let Some(tally) = file.tally(self.settings.base) else { return Ok(()) };
        let text = |text: &Option<String>| clean(text.as_deref().unwrap_or_default()).into_owned();
        let mut cells =
            vec![clean(&file.path).into_owned(), text(&file.session), text(&file.project), text(&file.name)];
        cells.extend([file.shape.tips, file.shape.depth].map(|n| n.to_string()));
        cells.extend(tally_cells(tally, &self.settings));
        let usage = &added.shared.usage;
        cells.extend([added.shared.entries.to_string(), usage.tokens[4].to_string(), usage.cost[4].to_string()]);
        self.files.push((super::Line::of(&file.path, tally, &self.settings), cells));
        Ok(())
    }

    fn skipped(&mut self, _: Skipped) {}

    fn error(&mut self, _: &ReadError) {}

    fn end(&mut self, out: &mut dyn Write, store: &Store) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        match self.settings.by {
            None => self.write_files(&mut csv)?,
            Some(By::Tool) => self.write_tools(&mut csv, store)?,
            Some(by) => self.write_groups(&mut csv, by, store)?,
        }
        csv.flush()
    }
}

type Writer<'a> = csv::Writer<&'a mut dyn Write>;

fn columns() -> Vec<String> {
    let contents = CONTENTS.iter().map(|(_, name)| format!("bytes_{}", snake(name)));
    TALLY.iter().map(|name| name.to_string()).chain(contents).collect()
}

/// `toolCalls` as `tool_calls`.
fn snake(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.to_string() };
    name.chars().map(letter).collect()
}

fn tally_cells(tally: &Tally, settings: &Settings) -> Vec<String> {
    let span = tally.times.span();
    let tools = tally.all_tools();
    let time = |time: Option<i64>| time.and_then(iso).unwrap_or_default();
    let mut cells = vec![settings.base.name().to_string()];
    cells.extend([time(span.map(|(first, _)| first)), time(span.map(|(_, last)| last))]);
    let counts = [
        tally.times.active(settings.gap).unsigned_abs(),
        tally.entries,
        tally.messages(),
        tally.of_role(Role::User),
        tally.of_role(Role::Assistant),
        tally.of_role(Role::ToolResult),
        tally.of_type(EntryType::Compaction),
        tools.calls,
        tools.errors,
    ];
    cells.extend(counts.map(|count| count.to_string()));
    cells.extend(tally.usage.tokens.iter().chain(&tally.usage.cost).map(ToString::to_string));
    cells.extend([tally.usage.not_numbers, tally.bytes].map(|count| count.to_string()));
    cells.extend(tally.sizes.map(|size| size.to_string()));
    cells
}

impl Csv {
    fn write_files(&mut self, csv: &mut Writer<'_>) -> io::Result<()> {
        let mut head: Vec<String> = ["path", "session", "project", "name", "tips", "depth"].map(String::from).into();
        head.extend(columns());
        head.extend(["shared_entries", "shared_tokens", "shared_cost"].map(String::from));
        csv.write_record(head)?;
        if self.settings.sort.is_some() {
            let mut lines: Vec<super::Line> = self.files.iter().map(|(line, _)| line.clone()).collect();
            (0..).zip(&mut lines).for_each(|(n, line)| line.files = n);
            super::sort(&mut lines, &self.settings);
            return lines.iter().try_for_each(|line| Ok(csv.write_record(&self.files[line.files as usize].1)?));
        }
        self.files.iter().try_for_each(|(_, cells)| Ok(csv.write_record(cells)?))
    }

    fn write_groups(&self, csv: &mut Writer<'_>, by: By, store: &Store) -> io::Result<()> {
        let first: &[&str] = match by {
            By::Model => &["provider", "model"],
            By::Session => &["session", "title"],
            _ => &[by.name()],
        };
        csv.write_record(first.iter().map(|name| name.to_string()).chain(["files".to_string()]).chain(columns()))?;
        let mut lines = super::group_lines(store, &self.settings, 0);
        super::sort(&mut lines, &self.settings);
        for line in lines {
            let Some(group) = store.groups().get(&line.key) else { continue };
            let mut cells: Vec<String> = match by {
                By::Model => <[&str; 2]>::from(split_model(&line.key)).map(|name| clean(name).into_owned()).into(),
                By::Session => [&line.key, &line.title.unwrap_or_default()].map(|name| clean(name).into_owned()).into(),
                _ => vec![clean(&line.key).into_owned()],
            };
            cells.push(group.files.to_string());
            cells.extend(tally_cells(&group.tally, &self.settings));
            csv.write_record(cells)?;
        }
        Ok(())
    }

    fn write_tools(&self, csv: &mut Writer<'_>, store: &Store) -> io::Result<()> {
        csv.write_record(TOOL)?;
        let mut lines = super::group_lines(store, &self.settings, 0);
        super::sort(&mut lines, &self.settings);
        for line in lines {
            let ToolSum { calls, results, errors, call_bytes, result_bytes } = line.tools;
            let rate = line.tools.error_rate().map_or(String::new(), |rate| rate.to_string());
            let counts = [calls, results, errors].map(|count| count.to_string());
            let bytes = [call_bytes, result_bytes].map(|count| count.to_string());
            let cells = [clean(&line.key).into_owned()].into_iter().chain(counts).chain([rate]).chain(bytes);
            csv.write_record(cells)?;
        }
        Ok(())
    }
}
