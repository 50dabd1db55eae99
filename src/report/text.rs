//! The report for people: what is wrong, the place in its line, what it does to a reader, the repair.

use super::clean::{clean, truncate};
use super::excerpt::window;
use super::layout::{plural, size, thousands, wrap};
use super::{ContextCount, FileReport, Format, Options, ReadError, Report, Statistics, StoreReport, Summary, Totals};
use crate::rules::{Excerpt, Finding, Place, Repair, Rule, Severity, StoreFinding, first_sentence};
use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::collections::BTreeMap;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "for people: each finding with its place in the line, its effect and its repair",
    excerpts: true,
    anchors: false,
    names_errors: false,
    is_own,
    new: |options| Box::new(Text { options: options.clone() }),
};

/// A heading of a finding or of the statistics, or the last line.
fn is_own(head: &[u8]) -> bool {
    String::from_utf8_lossy(head).lines().any(|line| {
        let heading = ["error[", "warning[", "info[", "CODE  NAME  "].iter().any(|mark| line.starts_with(mark));
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
        heading || (rest.len() < line.len() && (rest.starts_with(" file; ") || rest.starts_with(" files")))
    })
}

/// How many of a finding's other places are named.
const MAX_RELATED: usize = 9;

/// How many files of a finding about several are named.
const MAX_FILES: usize = 9;

/// How many columns of a message are shown: ids can be as long as lines.
const MAX_MESSAGE: usize = 400;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GUTTER: Style = AnsiColor::Blue.on_default().bold();

/// The style of a severity.
pub fn style(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Info => AnsiColor::Cyan.on_default(),
    }
}

/// A text in a style.
fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[derive(Debug)]
struct Text {
    options: Options,
}

impl Report for Text {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        if self.options.statistics || (report.worst().is_none() && report.notes.is_empty()) {
            return Ok(());
        }
        let path = clean(&report.path);
        let (grave, infos) = self.chosen(&report.findings);
        for finding in &grave {
            self.finding(out, &path, finding)?;
        }
        for finding in &infos {
            info(out, &path, finding, self.options.width)?;
        }
        if !infos.is_empty() {
            writeln!(out)?;
        }
        file_summary(out, &path, report, self.options.width)?;
        let shown = grave.iter().chain(&infos).copied();
        self.rest(out, rest(&report.counts, shown))?;
        writeln!(out)
    }

    fn store(&mut self, out: &mut dyn Write, store: &StoreReport) -> io::Result<()> {
        if self.options.statistics {
            return Ok(());
        }
        let mut rest = store.counts.clone();
        let most = if self.options.max_findings > 0 { self.options.max_findings } else { usize::MAX };
        for finding in store.findings.iter().take(most) {
            self.store_finding(out, finding)?;
            if let Some(count) = rest.get_mut(finding.rule.code) {
                *count = count.saturating_sub(1);
            }
        }
        rest.retain(|_, count| *count > 0);
        let more = !rest.is_empty();
        self.rest(out, rest)?;
        if more { writeln!(out) } else { Ok(()) }
    }

    fn apart(&self) -> bool {
        true
    }

    fn error(&mut self, _: &mut dyn Write, _: &ReadError) -> io::Result<()> {
        Ok(()) // told on standard error; counted in the summary
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        if let Some(statistics) = &summary.statistics {
            write_statistics(out, statistics, self.options.width)?;
        }
        writeln!(out, "{}", overall(summary))
    }
}

impl Text {
    /// The findings that are shown: the gravest if not all may be, each group in the file's order.
    fn chosen<'a>(&self, findings: &'a [Finding]) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
        let mut order: Vec<usize> = (0..findings.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(findings[index].severity));
        if self.options.max_findings > 0 {
            order.truncate(self.options.max_findings);
        }
        order.sort_unstable();
        order.into_iter().map(|index| &findings[index]).partition(|finding| finding.severity > Severity::Info)
    }

    fn finding(&self, out: &mut dyn Write, path: &str, finding: &Finding) -> io::Result<()> {
        writeln!(out, "{}", heading(finding.rule, finding.severity, &finding.message, self.options.width))?;
        let digits = finding.place.as_ref().map_or(1, |place| place.line.to_string().len());
        match &finding.place {
            Some(place) => writeln!(out, "{:digits$}{} {}", "", styled(GUTTER, "-->"), position(path, place))?,
            None => writeln!(out, "{:digits$}{} {path}", "", styled(GUTTER, "-->"))?,
        }
        if let (Some(place), Some(excerpt)) = (&finding.place, &finding.excerpt) {
            self.excerpt(out, place, excerpt, style(finding.severity))?;
        }
        for related in finding.related.iter().take(MAX_RELATED) {
            let place = &related.place;
            self.note(out, digits, &format!("at {}:{}", place.line, place.column()), &related.message)?;
        }
        if let more @ 1.. = finding.related.len().saturating_sub(MAX_RELATED) {
            self.note(out, digits, "also", &plural(more as u64, "more place"))?;
        }
        if !finding.effect.is_empty() {
            self.note(out, digits, "effect", &finding.effect)?;
        }
        self.note(out, digits, "repair", &repair(finding))?;
        writeln!(out)
    }

    fn store_finding(&self, out: &mut dyn Write, finding: &StoreFinding) -> io::Result<()> {
        let StoreFinding { rule, severity, files, message, effect, .. } = finding;
        writeln!(out, "{}", heading(rule, *severity, message, self.options.width))?;
        let shown = if files.len() > MAX_FILES { MAX_FILES - 1 } else { files.len() };
        for file in &files[..shown] {
            writeln!(out, " {} {}", styled(GUTTER, "-->"), clean(file))?;
        }
        if let more @ 1.. = (files.len() - shown) as u64 {
            writeln!(out, " {} and {}", styled(GUTTER, "-->"), plural(more, "more file"))?;
        }
        if !effect.is_empty() {
            self.note(out, 1, "effect", effect)?;
        }
        writeln!(out)
    }

    fn excerpt(&self, out: &mut dyn Write, place: &Place, excerpt: &Excerpt, mark: Style) -> io::Result<()> {
        let line = place.line.to_string();
        let margin = line.len() + 3;
        let window = window(excerpt, place, self.options.width.saturating_sub(margin));
        let bar = styled(GUTTER, "|");
        writeln!(out, "{:w$} {bar}", "", w = line.len())?;
        writeln!(out, "{} {bar} {}", styled(GUTTER, &line), window.text.trim_end())?;
        let carets = styled(mark, &"^".repeat(window.carets));
        writeln!(out, "{:w$} {bar} {:before$}{carets}", "", "", w = line.len(), before = window.before)
    }

    /// `= title: text`, wrapped with its lines under one another.
    fn note(&self, out: &mut dyn Write, digits: usize, title: &str, text: &str) -> io::Result<()> {
        let indent = digits + title.len() + 5;
        let text = truncate(text, MAX_MESSAGE);
        let lines = wrap(&text, self.options.width.saturating_sub(indent).max(20));
        write!(out, "{:digits$} {} {}", "", styled(GUTTER, "="), styled(BOLD, &format!("{title}:")))?;
        for (index, line) in lines.iter().enumerate() {
            let blank = if index == 0 { 1 } else { indent };
            writeln!(out, "{:blank$}{line}", "")?;
        }
        if lines.is_empty() { writeln!(out) } else { Ok(()) }
    }

    /// What is not shown, by code, and how to see it.
    fn rest(&self, out: &mut dyn Write, rest: BTreeMap<&'static str, u64>) -> io::Result<()> {
        if rest.is_empty() {
            return Ok(());
        }
        let codes: Vec<String> = rest.iter().map(|(code, count)| format!("{code} × {}", thousands(*count))).collect();
        let how = if self.options.max_findings > 0 {
            "; --max-findings 0 shows them"
        } else {
            "; one file lists 1,000 of a code"
        };
        let number = thousands(rest.values().sum());
        writeln!(out, "  {number} more not shown: {}{how}", codes.join(", "))
    }
}

/// `error[G003] dangling-parent: message`, wrapped.
fn heading(rule: &Rule, severity: Severity, message: &str, width: usize) -> String {
    let code = format!("{}[{}]", severity.name(), rule.code);
    let message = truncate(message, MAX_MESSAGE);
    let lines = wrap(&format!("{}: {message}", rule.name), width.saturating_sub(code.len() + 1).max(20));
    let text = lines.join(&format!("\n{:w$}", "", w = code.len() + 1));
    let text = text.strip_prefix(rule.name).unwrap_or(&text);
    format!("{} {}{text}", styled(style(severity), &code), styled(BOLD, rule.name))
}

fn position(path: &str, place: &Place) -> String {
    format!("{path}:{}:{}", place.line, place.column())
}

/// An info in one line if it fits: nothing breaks, so it does not ask for room.
fn info(out: &mut dyn Write, path: &str, finding: &Finding, width: usize) -> io::Result<()> {
    let place = finding.place.as_ref().map_or_else(|| path.to_string(), |place| position(path, place));
    let arrow = format!("--> {place}");
    let Finding { rule, severity, message, .. } = finding;
    let line = format!("{}[{}] {}: {} {arrow}", severity.name(), rule.code, rule.name, truncate(message, MAX_MESSAGE));
    let fits = line.width() <= width;
    let heading = heading(rule, *severity, message, if fits { usize::MAX } else { width });
    let between = if fits { " " } else { "\n  " };
    writeln!(out, "{heading}{between}{}", styled(DIM, &arrow))
}

/// The kind of repair, and in one sentence what it does; `explain` tells the rest.
fn repair(finding: &Finding) -> String {
    match (finding.repair, first_sentence(finding.rule.remedy)) {
        (Repair::None, "") => "none".into(),
        (kind, "") => kind.name().into(),
        // the sentence itself says that there is none, and why
        (Repair::None, remedy) => format!("none{}", remedy.strip_prefix("None").unwrap_or(remedy)),
        (kind, remedy) => format!("{} — {remedy}", kind.name()),
    }
}

/// `path: 2 errors, 1 warning (319,161 lines, 512 MiB)`, the headline, and remarks.
fn file_summary(out: &mut dyn Write, path: &str, report: &FileReport, width: usize) -> io::Result<()> {
    let (lines, bytes) = (plural(report.lines, "line"), size(report.bytes));
    writeln!(out, "{}: {} ({lines}, {bytes})", styled(BOLD, path), totals(report.totals))?;
    if let Some(headline) = headline(&report.context) {
        for line in wrap(&headline, width.saturating_sub(2)) {
            writeln!(out, "  {}", styled(BOLD, &line))?;
        }
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "  note: {}", clean(note)))
}

/// How many messages are lost to pi; `None` if none are.
fn headline(context: &ContextCount) -> Option<String> {
    let repaired = context.repaired?;
    match (context.pi, context.pi_says.as_deref()) {
        (Some(pi), _) if pi == repaired => None,
        (Some(pi), _) if pi < repaired => Some(format!(
            "pi shows the model {} of {} messages; after repair {}",
            thousands(pi),
            thousands(repaired),
            thousands(repaired)
        )),
        (Some(pi), _) => {
            Some(format!("pi shows the model {}; after repair {}", plural(pi, "message"), thousands(repaired)))
        }
        (None, Some(says)) => Some(format!(
            "pi: {}; after repair it shows the model {}",
            truncate(says, MAX_MESSAGE),
            plural(repaired, "message")
        )),
        (None, None) => None,
    }
}

/// `2 errors, 1 warning`; `nothing found`.
fn totals(totals: Totals) -> String {
    let found = totals.by_severity().into_iter().filter(|(_, number)| *number > 0);
    let parts: Vec<String> =
        found.map(|(severity, number)| styled(style(severity), &plural(number, severity.name()))).collect();
    if parts.is_empty() { "nothing found".into() } else { parts.join(", ") }
}

/// The counts less what is shown.
fn rest<'a>(
    counts: &BTreeMap<&'static str, u64>,
    shown: impl Iterator<Item = &'a Finding>,
) -> BTreeMap<&'static str, u64> {
    let mut rest = counts.clone();
    for finding in shown {
        if let Some(count) = rest.get_mut(finding.rule.code) {
            *count = count.saturating_sub(1);
        }
    }
    rest.retain(|_, count| *count > 0);
    rest
}

/// The last line: everything in one sentence.
fn overall(summary: &Summary) -> String {
    let mut parts = vec![plural(summary.files, "file")];
    let with_findings = summary.files - summary.clean;
    if with_findings > 0 && summary.clean > 0 {
        parts[0] += &format!(", {} without findings", thousands(summary.clean));
    }
    parts.push(totals(summary.totals));
    if let Some(known) = summary.baseline.as_ref().map(|compared| compared.known).filter(|known| *known > 0) {
        parts.push(format!("{} known", thousands(known)));
    }
    if summary.unreadable > 0 {
        parts.push(styled(style(Severity::Error), &format!("{} not read", plural(summary.unreadable, "file"))));
    }
    parts.join("; ")
}

fn write_statistics(out: &mut dyn Write, statistics: &Statistics, width: usize) -> io::Result<()> {
    let mut table = table(&["CODE", "NAME", "SEVERITY", "COUNT", "FILES"], width);
    for row in statistics.rows() {
        let (count, files) = (thousands(row.count), thousands(row.files));
        table.add_row([row.code, row.name, row.severity.name(), &count, &files]);
    }
    for column in [3, 4] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if table.row_count() == 0 {
        return Ok(());
    }
    write_table(out, &table)?;
    writeln!(out)
}

/// An empty table without lines, as wide as it needs to be and no wider than `width`.
pub fn table(header: &[&str], width: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.set_header(header);
    // lines begin at the margin
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    table
}

/// Writes a table without blanks at the ends of its lines.
///
/// # Errors
/// Those of `out`.
pub fn write_table(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    table.lines().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}
