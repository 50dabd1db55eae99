//! GitHub's workflow commands: an annotation a finding, as many as GitHub keeps, the rest as a table.
//!
//! Of one kind GitHub keeps ten annotations a step (and fifty a job), and drops the others without a word.
//! So the others go to the summary of the job, or where there is none to the log. What comes from a file
//! cannot give commands of its own: in commands it is escaped as GitHub asks, in lines of the log nothing
//! is left that begins one.

use super::clean::clean;
use super::layout::{plural, thousands};
use super::{FileReport, Format, Options, ReadError, Report, Summary, slashed};
use crate::rules::{Finding, Severity};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "github",
    help: "workflow commands for GitHub Actions, the rest as a table in the summary of the job",
    excerpts: false,
    anchors: true,
    names_errors: true,
    is_own: |head| head.starts_with(b"::") || head.starts_with(SAYS.as_bytes()),
    new: |options| Box::new(GitHub::new(options)),
};

/// How many annotations of one kind GitHub keeps a step.
const ANNOTATIONS: usize = 10;

/// How long the table of a summary may grow, in bytes; GitHub takes 1 MiB a step, and drops all of what is
/// longer.
const TABLE: usize = 512 << 10;

/// How the last line begins.
const SAYS: &str = "sesstool: ";

/// How many columns of a path or a message a table shows.
const MESSAGE: usize = 300;

struct GitHub {
    job_summary: bool,
    /// Annotations given, by kind.
    given: [usize; 3],
    /// The findings without one: rows of a table, or lines of the log.
    rest: String,
    /// How many those are.
    beside: u64,
    /// And how many of them there is no room for.
    left_out: u64,
    summary: String,
}

impl GitHub {
    fn new(options: &Options) -> Self {
        let job_summary = options.job_summary;
        GitHub { job_summary, given: [0; 3], rest: String::new(), beside: 0, left_out: 0, summary: String::new() }
    }

    /// Whether one more annotation of this kind is kept.
    fn has_room(&mut self, kind: &str) -> bool {
        let number = &mut self.given[["error", "warning", "notice"].iter().position(|k| *k == kind).unwrap_or(0)];
        *number += 1;
        *number <= ANNOTATIONS
    }

    fn finding(&mut self, out: &mut dyn Write, path: &str, finding: &Finding) -> io::Result<()> {
        let kind = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        if !self.has_room(kind) {
            self.keep(path, finding);
            return Ok(());
        }
        let rule = finding.rule;
        write!(out, "::{kind} title={} {}", rule.code, property(rule.name))?;
        file_property(out, path)?;
        if let Some(place) = &finding.place {
            write!(out, ",line={}", place.line)?;
        }
        if let Some(column) = finding.anchor.as_ref().and_then(|anchor| anchor.column) {
            write!(out, ",col={column}")?;
        }
        if let Some(column) = finding.anchor.as_ref().and_then(|anchor| anchor.end_column) {
            write!(out, ",endColumn={column}")?;
        }
        let effect =
            if finding.effect.is_empty() { String::new() } else { format!("\neffect: {}", clean(&finding.effect)) };
        writeln!(out, "::{}", data(&format!("{}{effect}", clean(&finding.message))))
    }

    fn keep(&mut self, path: &str, finding: &Finding) {
        self.beside += 1;
        if self.rest.len() > TABLE {
            self.left_out += 1;
            return;
        }
        let (severity, rule) = (finding.severity.name(), finding.rule);
        let line = finding.place.as_ref().map_or_else(String::new, |place| place.line.to_string());
        if self.job_summary {
            let (path, message) = (cell(path), cell(&finding.message));
            self.rest += &format!("| {severity} | {path} | {line} | {} {} | {message} |\n", rule.code, rule.name);
        } else {
            let place = if line.is_empty() { line } else { format!(":{line}") };
            let text = format!("{path}{place}: {severity}[{}] {}: {}", rule.code, rule.name, finding.message);
            self.rest += &format!("{}\n", log_line(&text));
        }
    }
}

impl Report for GitHub {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        for finding in &report.findings {
            self.finding(out, &report.path, finding)?;
        }
        // what is only counted
        let all: u64 = report.counts.values().sum();
        let unlisted = all.saturating_sub(report.findings.len() as u64);
        self.beside += unlisted;
        self.left_out += unlisted;
        for note in &report.notes {
            writeln!(out, "{}", log_line(&format!("{}: note: {note}", report.path)))?;
        }
        Ok(())
    }

    fn error(&mut self, out: &mut dyn Write, error: &ReadError) -> io::Result<()> {
        if !self.has_room("error") {
            return writeln!(out, "{}", log_line(&format!("{}: {}", error.path, error.message)));
        }
        write!(out, "::error title=not read")?;
        file_property(out, &error.path)?;
        writeln!(out, "::{}", data(&clean(&format!("{}: {}", error.path, error.message))))
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("and {} not listed", plural(more, "more finding")),
        };
        let overall = overall(summary);
        if self.job_summary {
            self.summary = format!("### sesstool\n\n{overall}\n");
            if !self.rest.is_empty() {
                self.summary +=
                    "\nBeside those that are annotated:\n\n| | file | line | rule | |\n|---|---|---|---|---|\n";
                self.summary += &self.rest;
            }
            if !left_out.is_empty() {
                self.summary += &format!("\n… {left_out}\n");
            }
        } else if self.beside > 0 {
            writeln!(out, "::group::{} beside the annotations", plural(self.beside, "finding"))?;
            out.write_all(self.rest.as_bytes())?;
            if !left_out.is_empty() {
                writeln!(out, "{left_out}")?;
            }
            writeln!(out, "::endgroup::")?;
        }
        writeln!(out, "{SAYS}{overall}")
    }

    fn job_summary(&self) -> Option<&str> {
        (!self.summary.is_empty()).then_some(&self.summary)
    }
}

/// `3 files, 1 without findings; 2 errors, 1 warning`.
fn overall(summary: &Summary) -> String {
    let found = summary.totals.by_severity().into_iter().filter(|(_, number)| *number > 0);
    let found: Vec<String> = found.map(|(severity, number)| plural(number, severity.name())).collect();
    let mut sentence = plural(summary.files, "file");
    if summary.clean > 0 && summary.clean < summary.files {
        sentence += &format!(", {} without findings", thousands(summary.clean));
    }
    sentence += "; ";
    sentence += if found.is_empty() { "nothing found" } else { "" };
    sentence += &found.join(", ");
    if let Some(known) = summary.baseline.as_ref().map(|compared| compared.known).filter(|known| *known > 0) {
        sentence += &format!("; {} known", thousands(known));
    }
    if summary.unreadable > 0 {
        sentence += &format!("; {} not read", plural(summary.unreadable, "file"));
    }
    sentence
}

fn file_property(out: &mut dyn Write, path: &str) -> io::Result<()> {
    match path {
        // standard input is no file of the repository
        "-" => Ok(()),
        path => write!(out, ",file={}", property(&slashed(path))),
    }
}

/// Text behind a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line of the log that the runner does not take for a command: those begin a line with `::`, or stand
/// anywhere behind `##[`.
fn log_line(text: &str) -> String {
    let line = clean(text).replace("##[", "## [");
    if line.trim_start().starts_with("::") { format!("./{line}") } else { line }
}

/// Text in a cell of a table: no mark-up of its own, no names that somebody is notified of.
fn cell(text: &str) -> String {
    let text = super::clean::truncate(text, MESSAGE);
    let mut cell = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '<' | '>' | '&' | '*' | '_' | '~' | '[' | ']' | '\\' | '#' | '@' | '`' | '!' | ':' => {
                cell += &format!("&#{};", u32::from(c));
            }
            c => cell.push(c),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped() {
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        assert_eq!(data("a:b,c%\r\n"), "a:b,c%25%0D%0A");
    }

    #[test]
    fn no_line_of_the_log_is_a_command() {
        assert_eq!(log_line("::add-mask::x: 1"), "./::add-mask::x: 1");
        assert_eq!(log_line(" ::add-mask::x"), "./ ::add-mask::x");
        assert_eq!(log_line("x ##[add-path]y\n::error::"), "x ## [add-path]y\\n::error::");
    }

    #[test]
    fn cells_are_plain() {
        assert_eq!(cell("a|b `<i>` @me [x](y)"), "a&#124;b &#96;&#60;i&#62;&#96; &#64;me &#91;x&#93;(y)");
    }
}
