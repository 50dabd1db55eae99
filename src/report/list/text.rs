//! The list for people: a line a session, then what is not in pi's list.

use super::{Format, List, Options, Row};
use crate::dialect::time::{self, To};
use crate::report::clean::{clean, first_words, truncate};
use crate::report::layout::{plural, size, thousands, wrap};
use crate::report::text::style;
use crate::rules::Severity;
use anstyle::Style;
use hashbrown::{HashMap, HashSet};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format { name: "text", help: "for people: one line a session", write };

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// From how many columns on there is room for ids and the time of day.
const WIDE: usize = 100;

/// How many reasons are listed below the table.
const MOST_REASONS: usize = 10;

/// The shortest beginning of an id that is shown, and the longest where there is room for no more than the table.
const SHORTEST_ID: usize = 8;
const LONGEST_ID: usize = 13;

/// The columns of a row beside its words: what is shown there, and whether it stands at the right.
struct Cells {
    before: Vec<String>,
    words: String,
    behind: Vec<(String, bool)>,
    verdict: (String, Option<Severity>),
}

fn write(out: &mut dyn Write, list: &List, options: &Options) -> io::Result<()> {
    if !list.rows.is_empty() {
        table(out, list, options)?;
        writeln!(out)?;
    }
    if !options.reasons {
        reasons(out, list, options)?;
    }
    foot(out, list, options)
}

fn table(out: &mut dyn Write, list: &List, options: &Options) -> io::Result<()> {
    let wide = options.width >= WIDE;
    let projects = projects(&list.rows);
    let ids = Ids::of(&list.rows, LONGEST_ID + options.width.saturating_sub(WIDE));
    let cells: Vec<Cells> = list.rows.iter().map(|row| cells(row, &projects, &ids, wide, options)).collect();
    let mut before: Vec<&str> = vec!["TIME"];
    if wide {
        before.push("ID");
    }
    let words = if options.reasons { "WHY PI DOES NOT LIST IT" } else { "NAME OR FIRST WORDS" };
    let behind = ["PROJECT", "MESSAGES", "BRANCHES", "SIZE"];
    let short = ["PROJECT", "MSGS", "BR", "SIZE"];
    let behind = if wide { behind } else { short };
    let width_of =
        |head: &str, each: &dyn Fn(&Cells) -> usize| cells.iter().map(each).max().unwrap_or(0).max(head.width());
    let before_widths: Vec<usize> =
        before.iter().enumerate().map(|(n, head)| width_of(head, &|cells| cells.before[n].width())).collect();
    let behind_widths: Vec<usize> =
        behind.iter().enumerate().map(|(n, head)| width_of(head, &|cells| cells.behind[n].0.width())).collect();
    let verdict_width = width_of("VERDICT", &|cells| cells.verdict.0.width());
    let taken: usize =
        before_widths.iter().chain(&behind_widths).map(|width| width + 1).sum::<usize>() + verdict_width + 1;
    let longest = width_of(words, &|cells| cells.words.width());
    let room = options.width.saturating_sub(taken + MARK).max(12).min(longest);
    let mut head = String::from("  ");
    for (title, width) in before.iter().zip(&before_widths) {
        head += &format!("{title:width$} ");
    }
    head += &pad(&truncate(words, room), room);
    for (title, (width, (_, right))) in behind.iter().zip(behind_widths.iter().zip(&cells[0].behind)) {
        head += &if *right { format!(" {title:>width$}") } else { format!(" {title:width$}") };
    }
    head += " VERDICT";
    writeln!(out, "{BOLD}{head}{BOLD:#}")?;
    for (cells, row) in cells.iter().zip(&list.rows) {
        let hidden = row.hidden.is_some();
        let look = if hidden && !options.reasons { DIM } else { Style::new() };
        let mark = match hidden && !options.reasons {
            true if options.ascii => "x ",
            true => "× ",
            false => "  ",
        };
        let mut line = mark.to_string();
        for (text, width) in cells.before.iter().zip(&before_widths) {
            line += &pad(text, *width);
            line.push(' ');
        }
        line += &pad(&truncate(&cells.words, room), room);
        for ((text, right), width) in cells.behind.iter().zip(&behind_widths) {
            line.push(' ');
            let blanks = " ".repeat(width.saturating_sub(text.width()));
            line += &if *right { format!("{blanks}{text}") } else { format!("{text}{blanks}") };
        }
        let (verdict, severity) = &cells.verdict;
        let color = severity.map_or(Style::new(), style);
        writeln!(out, "{look}{line}{look:#} {color}{verdict}{color:#}")?;
    }
    Ok(())
}

/// Columns of the mark before a row.
const MARK: usize = 2;

fn cells(row: &Row, projects: &HashMap<&str, String>, ids: &Ids, wide: bool, options: &Options) -> Cells {
    let mut before = vec![shown_time(row.modified, wide)];
    if wide {
        before.push(ids.short(row));
    }
    // there is room for a line at most
    let words = match &row.hidden {
        Some(why) if options.reasons => first_words(why, options.width),
        _ if row.title().trim().is_empty() => "(no messages)".to_string(),
        _ => first_words(row.title(), options.width),
    };
    let project = row.project.as_deref().and_then(|project| projects.get(project));
    let project = truncate(project.map_or("", String::as_str), if wide { 24 } else { 12 });
    let behind = vec![
        (project, false),
        (thousands(row.messages), true),
        (thousands(row.branches), true),
        (size(row.bytes), true),
    ];
    Cells { before, words, behind, verdict: verdict(row) }
}

/// `2 errors`, `clean`; and its colour.
fn verdict(row: &Row) -> (String, Option<Severity>) {
    match row.totals.by_severity().into_iter().find(|(_, number)| *number > 0) {
        Some((severity, number)) => (plural(number, severity.name()), Some(severity)),
        None => ("clean".to_string(), None),
    }
}

/// Day and, where there is room, time in UTC.
fn shown_time(ms: Option<i64>, wide: bool) -> String {
    match ms {
        Some(ms) => time::brief(ms, if wide { To::Minute } else { To::Day }),
        None => "no time".to_string(),
    }
}

/// The shortest ends of the projects' paths that tell them apart, up to three parts.
fn projects(rows: &[Row]) -> HashMap<&str, String> {
    let all: HashSet<&str> = rows.iter().filter_map(|row| row.project.as_deref()).collect();
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_unstable();
    let end = |path: &str, parts: usize| {
        let path = path.trim_end_matches(['/', '\\']);
        let at = path.rmatch_indices(['/', '\\']).nth(parts - 1).map_or(0, |(at, _)| at + 1);
        path[at..].to_string()
    };
    let mut count: HashMap<String, u32> = HashMap::new();
    for parts in 1..=3 {
        all.iter().for_each(|path| *count.entry(end(path, parts)).or_default() += 1);
    }
    let short = |path: &str| {
        let shortest = (1..3).find(|parts| count.get(&end(path, *parts)) == Some(&1));
        end(path, shortest.unwrap_or(3))
    };
    all.iter().map(|path| (*path, clean(&short(path)).into_owned())).collect()
}

/// How long the beginnings of ids must be to tell them apart.
struct Ids {
    width: usize,
}

impl Ids {
    fn of(rows: &[Row], longest: usize) -> Ids {
        let mut ids: Vec<&str> = rows.iter().filter_map(|row| row.id.as_deref()).collect();
        ids.sort_unstable();
        ids.dedup();
        let shared = |pair: &[&str]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
        let most = ids.windows(2).map(shared).max().unwrap_or(0);
        Ids { width: (most + 1).clamp(SHORTEST_ID, longest) }
    }

    fn short(&self, row: &Row) -> String {
        let id: String = row.id.as_deref().unwrap_or("-").chars().take(self.width).collect();
        clean(&id).into_owned()
    }
}

fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// What pi's list leaves out, and why.
fn reasons(out: &mut dyn Write, list: &List, options: &Options) -> io::Result<()> {
    let hidden: Vec<&Row> = list.rows.iter().filter(|row| row.hidden.is_some()).collect();
    if hidden.is_empty() {
        return Ok(());
    }
    let mark = if options.ascii { "x" } else { "×" };
    writeln!(out, "{BOLD}{mark} not in pi's list:{BOLD:#}")?;
    for row in hidden.iter().take(MOST_REASONS) {
        let why = row.hidden.as_deref().unwrap_or_default();
        let text = format!("{}: {}", clean(&row.path), clean(why));
        for (n, line) in wrap(&text, options.width.saturating_sub(4).max(20)).iter().enumerate() {
            writeln!(out, "{}{line}", if n == 0 { "  " } else { "    " })?;
        }
    }
    if let more @ 1.. = hidden.len().saturating_sub(MOST_REASONS) {
        writeln!(out, "  and {}; --hidden lists them", thousands(more as u64))?;
    }
    writeln!(out)
}

fn foot(out: &mut dyn Write, list: &List, options: &Options) -> io::Result<()> {
    let count = list.rows.len() as u64;
    let bytes: u64 = list.rows.iter().map(|row| row.bytes).sum();
    let mut parts = match count {
        0 => vec!["no sessions".to_string()],
        _ => vec![plural(count, "session"), size(bytes)],
    };
    let hidden = list.rows.iter().filter(|row| row.hidden.is_some()).count() as u64;
    if hidden > 0 && !options.reasons {
        parts.push(format!("{} not in pi's list", thousands(hidden)));
    }
    if list.left_out > 0 {
        parts.push(format!("{} more not shown", thousands(list.left_out)));
    }
    if !list.skipped.is_empty() {
        let files = plural(list.skipped.len() as u64, "file");
        parts.push(format!("{files} beside them {} no session", if list.skipped.len() == 1 { "is" } else { "are" }));
    }
    wrap(&parts.join(", "), options.width).iter().try_for_each(|line| writeln!(out, "{line}"))
}
