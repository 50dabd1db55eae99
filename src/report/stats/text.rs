//! Statistics as tables for people.

use super::bars::{bar, percent, sparkline};
use super::{Format, Line, Report, Settings, Skipped, Sort, group_lines, sort};
use crate::dialect::time::{self, To};
use crate::report::ReadError;
use crate::report::clean::{clean, truncate};
use crate::report::layout::{plural, size, thousands, wrap};
use crate::report::text::{table, write_table};
use crate::rules::duration;
use crate::stats::by::NO_TIME;
use crate::stats::row::{CONTENTS, Content, split_model};
use crate::stats::store::Added;
use crate::stats::sum::Sum;
use crate::stats::{Base, By, FileStats, Heavy, Store, Tally, Versions};
use anstyle::Style;
use comfy_table::CellAlignment;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "tables for people",
    names_errors: false,
    contexts: false,
    new: |settings| Box::new(Text { settings: settings.clone(), single: None, lines: Vec::new(), skipped: Vec::new() }),
};

struct Text {
    settings: Settings,
    /// The only file, with everything that is told of it.
    single: Option<Vec<u8>>,
    lines: Vec<Line>,
    skipped: Vec<Skipped>,
}

const BOLD: Style = Style::new().bold();

/// Columns of a bar, and of a line of small columns.
const BAR: usize = 10;
const SPARK: usize = 12;

/// Names in tables are cut to so many columns.
const NAME: usize = 40;

/// How many files that are no sessions are named.
const MOST_SKIPPED: usize = 5;

impl Report for Text {
    fn file(&mut self, _: &mut dyn Write, file: &FileStats, added: &Added) -> io::Result<()> {
        if self.settings.single && self.settings.by.is_none() {
            let mut out = Vec::new();
            Sheet { settings: &self.settings, folder: String::new(), out: &mut out }.file(file)?;
            self.single = Some(out);
        }
        let mut line = Line::of(&file.path, &added.own, &self.settings);
        line.title = file.name.clone();
        line.shared_cost = added.shared.usage.cost[4].clone();
        self.lines.push(line);
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    fn error(&mut self, _: &ReadError) {}

    fn end(&mut self, out: &mut dyn Write, store: &Store) -> io::Result<()> {
        let Text { settings, single, lines, .. } = self;
        let mut sheet = Sheet { settings, folder: common_folder(lines), out };
        match single {
            Some(single) => sheet.out.write_all(single)?,
            None if store.files > 0 => sheet.store(store, lines)?,
            None => writeln!(sheet.out, "no session was counted")?,
        }
        self.tell_skipped(out)
    }
}

impl Text {
    fn tell_skipped(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.skipped.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nnot counted: {}", plural(self.skipped.len() as u64, "file"))?;
        for Skipped { path, what } in self.skipped.iter().take(MOST_SKIPPED) {
            writeln!(out, "  {}: {}", clean(path), clean(what))?;
        }
        match self.skipped.len().saturating_sub(MOST_SKIPPED) {
            0 => Ok(()),
            more => writeln!(out, "  and {} more; --format json names them", thousands(more as u64)),
        }
    }
}

/// A table column.
struct Column {
    title: &'static str,
    cells: Vec<String>,
    right: bool,
    /// Where columns do not fit, those with greater numbers go first; 0 stays.
    rank: u8,
}

impl Column {
    fn right(title: &'static str, rank: u8, cells: impl Iterator<Item = String>) -> Column {
        Column { title, cells: cells.collect(), right: true, rank }
    }

    fn left(title: &'static str, rank: u8, cells: impl Iterator<Item = String>) -> Column {
        Column { title, cells: cells.collect(), right: false, rank }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.chain([self.title.width()]).max().unwrap_or(0)
    }

    fn is_empty(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }
}

/// What is written.
struct Sheet<'a> {
    settings: &'a Settings,
    /// The folder that all files are in, with its slash; it is not repeated with each.
    folder: String,
    out: &'a mut dyn Write,
}

impl Sheet<'_> {
    /// A file's path without the folder that all share. Its beginning has the time, its end the id.
    fn path(&self, path: &str) -> String {
        let own = path.strip_prefix(self.folder.as_str()).unwrap_or(path);
        let own = clean(own);
        let columns = if self.settings.width < 100 { 26 } else { NAME };
        if own.width() <= columns {
            return own.into_owned();
        }
        let before = columns / 2;
        truncate(&own, before) + &shorten(&own, columns - before).replacen('…', "", 1)
    }

    fn title(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{BOLD}{title}{BOLD:#}")
    }

    /// Writes columns as a table that fits; columns that say nothing, or do not fit, are left out.
    fn columns(&mut self, mut columns: Vec<Column>) -> io::Result<()> {
        columns.retain(|column| !column.is_empty());
        let total = |columns: &[Column]| columns.iter().map(|column| column.width() + 2).sum::<usize>();
        while total(&columns) > self.settings.width + 1 {
            let Some(least) = columns.iter().map(|column| column.rank).max().filter(|rank| *rank > 0) else { break };
            columns.retain(|column| column.rank != least);
        }
        let titles: Vec<&str> = columns.iter().map(|column| column.title).collect();
        let mut shown = table(&titles, self.settings.width.max(20));
        for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
            shown.add_row(columns.iter().map(|column| column.cells[row].as_str()));
        }
        for (at, column) in columns.iter().enumerate() {
            if let (true, Some(shown)) = (column.right, shown.column_mut(at)) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        write_table(self.out, &shown)
    }

    /// One file in detail.
    fn file(&mut self, file: &FileStats) -> io::Result<()> {
        let settings = self.settings;
        writeln!(self.out, "{BOLD}{}{BOLD:#}", clean(&file.path))?;
        let name = file.name.as_ref().map(|name| format!("\"{}\", ", truncate(name, NAME)));
        let version = file.version.map_or("no version".to_string(), |version| format!("version {version}"));
        let (lines, bytes) = (plural(file.lines, "line"), size(file.bytes));
        writeln!(self.out, "{}{version}, {lines}, {bytes}", name.unwrap_or_default())?;
        if let Some(project) = &file.project {
            writeln!(self.out, "project {}", shorten(project, settings.width.saturating_sub(8)))?;
        }
        self.tree(file)?;
        self.time(&file.lifetime)?;
        file.notes.iter().try_for_each(|note| writeln!(self.out, "note: {}", clean(note)))?;
        let context = file.context.as_ref().map(|context| context.as_ref().map(|context| &context.tally));
        let bases = [
            (Base::Lifetime, Some(&file.lifetime)),
            (Base::Branch, file.branch.as_ref().ok()),
            (Base::Context, context.and_then(Result::ok)),
        ];
        self.bases(&bases)?;
        self.footnotes(file)?;
        let tally = file.tally(settings.base);
        if let Some(tally) = tally {
            self.parts(tally, settings.base)?;
        }
        let heaviest: Vec<(Option<&str>, &Heavy)> = file.heaviest.iter().map(|heavy| (None, heavy)).collect();
        self.heaviest(&heaviest, tally.map_or(0, |tally| tally.bytes))
    }

    fn tree(&mut self, file: &FileStats) -> io::Result<()> {
        let shape = file.shape;
        let branches =
            if shape.tips == 1 { "1 branch".to_string() } else { format!("{} branches", thousands(shape.tips)) };
        let forks = plural(shape.forks, "branch point");
        let (depth, branch) = (thousands(shape.depth), thousands(shape.branch));
        writeln!(self.out, "{branches}, {forks}, {depth} deep; the current one has {branch} entries")
    }

    fn footnotes(&mut self, file: &FileStats) -> io::Result<()> {
        match (&file.branch, &file.context) {
            (Err(why), _) | (_, Some(Err(why))) => writeln!(self.out, "no context: {}", clean(why))?,
            (_, Some(Ok(context))) => match &context.tokens {
                Some(tokens) => {
                    let tokens = tokens.rounded(0);
                    writeln!(self.out, "the context had {tokens} tokens at the last answer")?;
                }
                None if context.tally.entries > 0 => {
                    writeln!(self.out, "no answer has told yet how many tokens the context has")?;
                }
                None => {}
            },
            _ => {}
        }
        self.bad_numbers(&file.lifetime)
    }

    fn bad_numbers(&mut self, tally: &Tally) -> io::Result<()> {
        match tally.usage.not_numbers {
            0 => Ok(()),
            1 => writeln!(self.out, "1 value of usage is no number and counts as nothing"),
            n => writeln!(self.out, "{} values of usage are no numbers and count as nothing", thousands(n)),
        }
    }

    /// From when until when, and how much of that something happened.
    fn time(&mut self, tally: &Tally) -> io::Result<()> {
        let settings = self.settings;
        let Some((first, last)) = tally.times.span() else { return self.no_time(tally) };
        let zone = clean(&settings.zone_name).into_owned();
        let active = duration(tally.times.active(settings.gap));
        let (span, gap) = (duration(last.saturating_sub(first)), settings.gap / 60_000);
        let (from, to) = (self.clock(first), self.clock(last));
        writeln!(self.out, "{from} to {to} {zone}, {span}")?;
        writeln!(self.out, "active for {active}, gaps of more than {gap} min left out")?;
        if tally.entries > 2 && last > first {
            let columns = settings.width.saturating_sub(40).clamp(10, 60);
            let line = sparkline(&tally.times.histogram((first, last), columns), settings.ascii);
            let each = duration(last.saturating_sub(first) / columns as i64);
            writeln!(self.out, "activity {line} (a column is {each})")?;
        }
        self.no_time(tally)
    }

    /// Says which entries stand in no time, or that none stands in the time that was asked for.
    fn no_time(&mut self, tally: &Tally) -> io::Result<()> {
        let zone = clean(&self.settings.zone_name).into_owned();
        let (since, until) =
            (self.settings.since.map(|ms| self.clock(ms)), self.settings.until.map(|ms| self.clock(ms)));
        match (tally.entries, since, until) {
            (0, Some(since), Some(until)) => writeln!(self.out, "no entry lies between {since} and {until} {zone}"),
            (0, Some(since), None) => writeln!(self.out, "no entry lies at or after {since} {zone}"),
            (0, None, Some(until)) => writeln!(self.out, "no entry lies before {until} {zone}"),
            _ => match tally.times.missing {
                0 => Ok(()),
                1 => writeln!(self.out, "1 entry has no time"),
                entries => writeln!(self.out, "{} entries have no time", thousands(entries)),
            },
        }
    }

    fn clock(&self, ms: i64) -> String {
        time::brief(time::local(ms, &self.settings.zone), To::Minute)
    }

    /// The numbers of the bases side by side.
    fn bases(&mut self, bases: &[(Base, Option<&Tally>)]) -> io::Result<()> {
        writeln!(self.out)?;
        let mut names: Vec<String> = Vec::new();
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); bases.len()];
        let mut shares: Vec<String> = Vec::new();
        let mut row = |name: &str, share: Option<f64>, number: &dyn Fn(&Tally) -> String| {
            names.push(name.to_string());
            for (cells, (_, tally)) in cells.iter_mut().zip(bases) {
                cells.push(tally.map_or("–".to_string(), number));
            }
            shares.push(share.map_or(String::new(), |share| self.share(share)));
        };
        row("entries", None, &|tally| thousands(tally.entries));
        for (name, _) in all_names(bases, Tally::types) {
            let own = name.clone();
            row(&format!("  {}", truncate(&name, 24)), None, &|tally| count(tally.types(), &own));
        }
        row("messages", None, &|tally| thousands(tally.messages()));
        for (name, _) in all_names(bases, Tally::roles) {
            let own = name.clone();
            row(&format!("  {}", truncate(&name, 24)), None, &|tally| count(tally.roles(), &own));
        }
        row("tokens", None, &|tally| tally.usage.tokens[4].rounded(0));
        let first = bases.iter().find_map(|(_, tally)| *tally);
        let part = |own: &Sum, all: &Sum| Some(own.to_f64() / all.to_f64()).filter(|part| part.is_finite());
        for (n, name) in ["  input", "  output", "  cache read", "  cache write"].into_iter().enumerate() {
            let share = first.and_then(|tally| part(&tally.usage.tokens[n], &tally.usage.tokens[4]));
            row(name, share, &|tally| tally.usage.tokens[n].rounded(0));
        }
        let places = places(bases.iter().filter_map(|(_, tally)| *tally).map(|tally| &tally.usage.cost[4]));
        row("cost", None, &|tally| tally.usage.cost[4].rounded(places));
        for (n, name) in ["  input", "  output", "  cache read", "  cache write"].into_iter().enumerate() {
            let share = first.and_then(|tally| part(&tally.usage.cost[n], &tally.usage.cost[4]));
            row(name, share, &|tally| tally.usage.cost[n].rounded(places));
        }
        row("bytes", None, &|tally| thousands(tally.bytes));
        for (n, (content, _)) in CONTENTS.iter().enumerate() {
            let share = first.filter(|tally| tally.bytes > 0).map(|tally| tally.sizes[n] as f64 / tally.bytes as f64);
            row(&format!("  {}", content_name(*content)), share, &|tally| thousands(tally.sizes[n]));
        }
        let share_of = if bases.len() > 1 { "SHARE OF LIFETIME" } else { "SHARE" };
        let mut columns = vec![Column::left("", 0, names.into_iter())];
        for ((base, _), cells) in bases.iter().zip(cells) {
            columns.push(Column::right(heading(*base), 0, cells.into_iter()));
        }
        columns.push(Column::left(share_of, 1, shares.into_iter()));
        self.columns(columns)
    }

    /// A bar, and the same in percent; nothing of nothing.
    fn share(&self, part: f64) -> String {
        if part <= 0.0 || !part.is_finite() {
            return String::new();
        }
        let bar = bar(part, BAR, self.settings.ascii);
        let blanks = " ".repeat(BAR.saturating_sub(bar.width()));
        format!("{bar}{blanks} {:>6}", percent(part))
    }

    /// Tools, models and thinking levels.
    fn parts(&mut self, tally: &Tally, base: Base) -> io::Result<()> {
        if !tally.tools.is_empty() {
            self.title(&format!("Tools ({})", base.name()))?;
            let mut lines: Vec<Line> = tally
                .tools
                .iter()
                .map(|(name, tool)| Line { key: name.clone(), tools: tool.clone(), ..Line::default() })
                .collect();
            lines.sort_by_key(|line| std::cmp::Reverse(line.tools.calls));
            self.tools(&lines)?;
        }
        if !tally.models.is_empty() {
            self.title(&format!("Models ({})", base.name()))?;
            self.models(tally)?;
        }
        if tally.levels.values().any(|level| level.changes > 0) {
            self.title(&format!("Thinking levels ({})", base.name()))?;
            let mut levels: Vec<_> = tally.levels.iter().collect();
            levels.sort_by_key(|(_, level)| std::cmp::Reverse((level.messages, level.changes)));
            let levels = || levels.iter();
            self.columns(vec![
                Column::left("LEVEL", 0, levels().map(|(name, _)| truncate(name, NAME))),
                Column::right("ANSWERS", 0, levels().map(|(_, level)| thousands(level.messages))),
                Column::right("SET", 0, levels().map(|(_, level)| thousands(level.changes))),
            ])?;
        }
        Ok(())
    }

    fn tools(&mut self, lines: &[Line]) -> io::Result<()> {
        let all: u64 = lines.iter().map(|line| line.tools.calls).sum();
        let count = lines.len();
        let lines: Vec<&Line> = self.top(lines).collect();
        let left_out = count - lines.len();
        let lines = || lines.iter();
        let part = |calls: u64| if all == 0 { String::new() } else { self.share(calls as f64 / all as f64) };
        let columns = vec![
            Column::left("TOOL", 0, lines().map(|line| truncate(name_of(&line.key), NAME))),
            Column::right("CALLS", 0, lines().map(|line| thousands(line.tools.calls))),
            Column::left("SHARE", 4, lines().map(|line| part(line.tools.calls))),
            Column::right("RESULTS", 3, lines().map(|line| thousands(line.tools.results))),
            Column::right("ERRORS", 0, lines().map(|line| thousands(line.tools.errors))),
            Column::right("RATE", 0, lines().map(|line| line.tools.error_rate().map_or(String::new(), percent))),
            Column::right("ARGUMENTS", 2, lines().map(|line| size(line.tools.call_bytes))),
            Column::right("GAVE", 1, lines().map(|line| size(line.tools.result_bytes))),
        ];
        self.columns(columns)?;
        self.left_out(left_out)
    }

    /// Says how many lines are not shown.
    fn left_out(&mut self, lines: usize) -> io::Result<()> {
        let what = if self.as_time_goes() { "earlier" } else { "more" };
        match lines {
            0 => Ok(()),
            lines => writeln!(self.out, "{} {what}; --top 0 shows all", thousands(lines as u64)),
        }
    }

    fn models(&mut self, tally: &Tally) -> io::Result<()> {
        let mut models: Vec<_> = tally.models.iter().collect();
        models.sort_by(|(_, a), (_, b)| b.usage.cost[4].to_f64().total_cmp(&a.usage.cost[4].to_f64()));
        let places = places(models.iter().map(|(_, model)| &model.usage.cost[4]));
        let all = tally.usage.cost[4].to_f64();
        let models = || models.iter();
        let tokens = |n: usize| models().map(move |(_, model)| model.usage.tokens[n].rounded(0));
        let part = |cost: &Sum| if all > 0.0 { self.share(cost.to_f64() / all) } else { String::new() };
        let columns = vec![
            Column::left("MODEL", 0, models().map(|(name, _)| truncate(&model_title(name), NAME))),
            Column::right("ANSWERS", 0, models().map(|(_, model)| thousands(model.messages))),
            Column::right("INPUT", 4, tokens(0)),
            Column::right("OUTPUT", 3, tokens(1)),
            Column::right("CACHE READ", 5, tokens(2)),
            Column::right("CACHE WRITE", 6, tokens(3)),
            Column::right("COST", 0, models().map(|(_, model)| model.usage.cost[4].rounded(places))),
            Column::left("SHARE", 1, models().map(|(_, model)| part(&model.usage.cost[4]))),
        ];
        self.columns(columns)
    }

    fn heaviest(&mut self, heaviest: &[(Option<&str>, &Heavy)], bytes: u64) -> io::Result<()> {
        if heaviest.is_empty() {
            return Ok(());
        }
        self.title(&format!("Heaviest entries ({})", self.settings.base.name()))?;
        let all = || heaviest.iter();
        let id = |heavy: &Heavy| heavy.id.as_deref().map_or(String::new(), |id| truncate(id.trim_matches('"'), 12));
        let what = |heavy: &Heavy| {
            let kind = heavy.role.as_deref().unwrap_or(heavy.kind);
            let tool = heavy.tool.as_deref().filter(|tool| !tool.is_empty());
            truncate(&tool.map_or(kind.to_string(), |tool| format!("{kind} {tool}")), 24)
        };
        let place = |heavy: &Heavy| match (heavy.on_branch, heavy.in_context) {
            (_, Some(true)) => "context",
            (true, _) => "branch",
            (false, _) => "other branch",
        };
        let part =
            |heavy: &Heavy| if bytes == 0 { String::new() } else { self.share(heavy.bytes as f64 / bytes as f64) };
        let columns = vec![
            Column::right("LINE", 0, all().map(|(_, heavy)| thousands(heavy.line))),
            Column::left("ENTRY", 3, all().map(|(_, heavy)| id(heavy))),
            Column::left("WHAT", 0, all().map(|(_, heavy)| what(heavy))),
            Column::left("IN", 4, all().map(|(_, heavy)| place(heavy).to_string())),
            Column::right("SIZE", 0, all().map(|(_, heavy)| size(heavy.bytes))),
            Column::left("SHARE", 5, all().map(|(_, heavy)| part(heavy))),
            Column::left("FILE", 0, all().map(|(path, _)| path.map_or(String::new(), |path| self.path(path)))),
        ];
        self.columns(columns)
    }

    /// Several files, or groups.
    fn store(&mut self, store: &Store, lines: &mut Vec<Line>) -> io::Result<()> {
        let settings = self.settings;
        if settings.by.is_some() {
            *lines = group_lines(store, settings, SPARK);
        }
        sort(lines, settings);
        let (files, sessions) = (plural(store.files, "file"), plural(store.sessions(), "session"));
        writeln!(self.out, "{BOLD}{files}, {sessions}{BOLD:#} (base: {})", settings.base.name())?;
        self.time(&store.totals)?;
        if settings.by.is_none() {
            self.bases(&[(settings.base, Some(&store.totals))])?;
            self.bad_numbers(&store.totals)?;
            self.parts(&store.totals, settings.base)?;
            let heaviest: Vec<(Option<&str>, &Heavy)> =
                store.heaviest.iter().map(|(path, heavy)| (Some(path.as_str()), heavy)).collect();
            self.heaviest(&heaviest, store.totals.bytes)?;
            let folder = clean(&self.folder).into_owned();
            let below = if folder.is_empty() { String::new() } else { format!(", below {folder}") };
            self.title(&format!("Files ({}){below}", settings.base.name()))?;
            self.lines(lines, store)?;
        } else {
            writeln!(self.out)?;
            match settings.by {
                Some(By::Tool) => self.tools(lines)?,
                _ => self.lines(lines, store)?,
            }
            self.bad_numbers(&store.totals)?;
        }
        self.saving(store)?;
        self.several_versions(store)
    }

    /// Whether the lines are periods in the order of time.
    fn as_time_goes(&self) -> bool {
        let Settings { by, sort, .. } = self.settings;
        by.is_some_and(By::is_time) && matches!(sort, None | Some(Sort::Name))
    }

    /// The lines that are shown, where not all are.
    fn top<'l>(&self, lines: &'l [Line]) -> impl Iterator<Item = &'l Line> {
        let most = if self.settings.top == 0 { usize::MAX } else { self.settings.top };
        // of periods as they go the last ones, and what has no time beside them
        let timeless = lines.iter().rev().take_while(|line| line.key == NO_TIME).count();
        let first = if self.as_time_goes() { lines.len().saturating_sub(most.saturating_add(timeless)) } else { 0 };
        let most = if self.as_time_goes() { usize::MAX } else { most };
        lines.iter().skip(first).take(most)
    }

    fn lines(&mut self, lines: &[Line], store: &Store) -> io::Result<()> {
        let settings = self.settings;
        let count = lines.len();
        let mut total = Line::of("", &store.totals, settings);
        total.files = store.files;
        total.shared_cost = store.shared.usage.cost[4].clone();
        if matches!(settings.by, Some(By::Model | By::Provider)) {
            // only answers have a model: what the rest comes to is no sum of the lines
            total.messages = lines.iter().map(|line| line.messages).sum();
            total.bytes = lines.iter().map(|line| line.bytes).sum();
        }
        let all = match total.cost.is_zero() {
            true => (total.tokens[4].to_f64(), 1),
            false => (total.cost.to_f64(), 0),
        };
        let part = |line: &Line| match all {
            (all, _) if all <= 0.0 => String::new(),
            (all, 0) => self.share(line.cost.to_f64() / all),
            (all, _) => self.share(line.tokens[4].to_f64() / all),
        };
        let shown: Vec<&Line> = self.top(lines).collect();
        let left_out = count - shown.len();
        let shown: Vec<&Line> = shown.into_iter().chain([&total]).collect();
        let lines = || shown.iter().copied();
        let tokens = |n: usize| lines().map(move |line| line.tokens[n].rounded(0));
        let name = |line: &Line| match (std::ptr::eq(line, &total), settings.by) {
            (true, _) => "total".to_string(),
            (_, None) => self.path(&line.key),
            (_, Some(By::Model)) => truncate(&model_title(&line.key), NAME),
            (_, Some(By::Session)) => self.path(line.title.as_deref().unwrap_or(&line.key)),
            (_, Some(By::Project)) => shorten(&line.key, NAME),
            (_, Some(_)) => truncate(&line.key, NAME),
        };
        let places = places(shown.iter().map(|line| &line.cost));
        let shares = store.shared.entries > 0 && settings.by.is_none();
        let title = |line: &Line| match settings.by {
            None => line.title.as_deref().map_or(String::new(), |title| truncate(title, 16)),
            Some(_) => String::new(),
        };
        let shared = |line: &Line| match shares && !line.shared_cost.is_zero() {
            true => line.shared_cost.rounded(places),
            false => String::new(),
        };
        let several = |line: &Line| if settings.by.is_none() { String::new() } else { thousands(line.files) };
        let activity = |line: &Line| {
            if settings.by.is_some_and(By::is_time) { String::new() } else { sparkline(&line.activity, settings.ascii) }
        };
        let columns = vec![
            Column::left(title_of(settings.by), 0, lines().map(name)),
            Column::left("NAME", 13, lines().map(title)),
            Column::right("FILES", 6, lines().map(several)),
            Column::right("MESSAGES", 3, lines().map(|line| thousands(line.messages))),
            Column::right("INPUT", 9, tokens(0)),
            Column::right("OUTPUT", 8, tokens(1)),
            Column::right("CACHE READ", 10, tokens(2)),
            Column::right("CACHE WRITE", 11, tokens(3)),
            Column::right("TOKENS", 4, tokens(4)),
            Column::right("COST", 0, lines().map(|line| line.cost.rounded(places))),
            Column::right("SHARED", 2, lines().map(shared)),
            Column::left(
                "SHARE",
                1,
                lines().map(|line| if std::ptr::eq(line, &total) { String::new() } else { part(line) }),
            ),
            Column::right("ACTIVE", 5, lines().map(|line| duration(line.active))),
            Column::right("SIZE", 12, lines().map(|line| size(line.bytes))),
            Column::left("ACTIVITY", 7, lines().map(activity)),
        ];
        self.columns(columns)?;
        self.left_out(left_out)
    }

    /// What was counted once only.
    fn saving(&mut self, store: &Store) -> io::Result<()> {
        let shared = &store.shared;
        // a fork that shares only what was typed saves nothing
        if shared.usage.cost[4].is_zero() && shared.usage.tokens[4].is_zero() {
            return Ok(());
        }
        let (cost, all) = (&shared.usage.cost[4], &store.totals.usage.cost[4]);
        let times = (cost.to_f64() + all.to_f64()) / all.to_f64();
        let times = if times.is_finite() { format!(" ({times:.1} times as much)") } else { String::new() };
        let (entries, files) = (thousands(shared.entries), plural(store.sharing, "file"));
        let tokens = shared.usage.tokens[4].rounded(0);
        let mut with = all.clone();
        with.merge(cost);
        let places = places([&with].into_iter());
        let (cost, with) = (cost.rounded(places), with.rounded(places));
        let text = format!(
            "{entries} entries of {files} stand in an earlier file, too, and are counted once. \
             Counted each time they would add {tokens} tokens and {cost} of cost: {with}{times}."
        );
        writeln!(self.out)?;
        wrap(&text, self.settings.width.max(20)).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// Sessions of which several files were counted that cannot be told to hold the same.
    fn several_versions(&mut self, store: &Store) -> io::Result<()> {
        let width = self.settings.width.max(20);
        let sessions: Vec<(&str, &Versions)> = store.in_several_versions().collect();
        for (at, (id, written)) in sessions.iter().take(MOST_SKIPPED).enumerate() {
            let version = |version: &Option<i64>| version.map_or("none".to_string(), |version| version.to_string());
            let versions: Vec<String> = written.versions.iter().map(version).collect();
            let (last, others) = versions.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
            let text = format!(
                "{} hold session {} in versions {} and {last}: entries that these write differently are counted for each.",
                plural(written.files, "file"),
                truncate(id, NAME),
                others.join(", "),
            );
            if at == 0 {
                writeln!(self.out)?;
            }
            wrap(&text, width).iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
        }
        match sessions.len().saturating_sub(MOST_SKIPPED) {
            0 => Ok(()),
            more => writeln!(
                self.out,
                "and so do files of {} more; --format json names them",
                plural(more as u64, "session")
            ),
        }
    }
}

/// The folder that all files are in; nothing where there is none, or one file.
fn common_folder(lines: &[Line]) -> String {
    let Some((first, rest)) = lines.split_first().filter(|(_, rest)| !rest.is_empty()) else { return String::new() };
    let mut common = first.key.as_str();
    for line in rest {
        let same = common.chars().zip(line.key.chars()).take_while(|(a, b)| a == b);
        common = &common[..same.map(|(c, _)| c.len_utf8()).sum()];
    }
    common[..common.rfind('/').map_or(0, |at| at + 1)].to_string()
}

fn title_of(by: Option<By>) -> &'static str {
    match by {
        None => "FILE",
        Some(By::Day) => "DAY",
        Some(By::Week) => "WEEK",
        Some(By::Month) => "MONTH",
        Some(By::Model) => "MODEL",
        Some(By::Provider) => "PROVIDER",
        Some(By::Project) => "PROJECT",
        Some(By::Tool) => "TOOL",
        Some(By::Session) => "SESSION",
    }
}

fn heading(base: Base) -> &'static str {
    match base {
        Base::Lifetime => "LIFETIME",
        Base::Branch => "BRANCH",
        Base::Context => "CONTEXT",
    }
}

fn content_name(content: Content) -> &'static str {
    match content {
        Content::Text => "text",
        Content::Thinking => "thinking",
        Content::Signatures => "signatures",
        Content::ToolCalls => "tool calls",
        Content::ToolResults => "tool results",
        Content::Images => "images",
        Content::Details => "details",
        Content::Other => "other",
        Content::Debris => "debris",
    }
}

/// All names that the tallies know, in the order of the first.
fn all_names<'t>(
    bases: &[(Base, Option<&'t Tally>)],
    of: impl Fn(&'t Tally) -> Vec<(&'t str, u64)>,
) -> Vec<(String, u64)> {
    let mut names: Vec<(String, u64)> = Vec::new();
    for (name, count) in bases.iter().filter_map(|(_, tally)| *tally).flat_map(of) {
        if !names.iter().any(|(known, _)| known == name) {
            names.push((name.to_string(), count));
        }
    }
    names
}

fn count(counts: Vec<(&str, u64)>, name: &str) -> String {
    thousands(counts.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count))
}

fn name_of(name: &str) -> &str {
    if name.is_empty() { "(none)" } else { name }
}

fn model_title(name: &str) -> String {
    match split_model(name) {
        ("", model) => model.to_string(),
        (provider, model) => format!("{provider}/{model}"),
    }
}

/// A text of at most so many columns, of which the end says most.
fn shorten(path: &str, columns: usize) -> String {
    let path = clean(path);
    if path.width() <= columns {
        return path.into_owned();
    }
    let mut width = 1;
    let kept = path.chars().rev().take_while(|c| {
        width += c.to_string().width();
        width <= columns
    });
    let kept: String = kept.collect::<Vec<_>>().into_iter().rev().collect();
    format!("…{kept}")
}

/// How precisely amounts of money are shown that stand under one another: to the cent where one is a
/// hundred or more, else to a hundredth of it.
fn places<'s>(mut amounts: impl Iterator<Item = &'s Sum>) -> usize {
    if amounts.any(|amount| amount.to_f64().abs() >= 100.0) { 2 } else { 4 }
}
