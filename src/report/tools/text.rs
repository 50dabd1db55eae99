//! The audit as tables for people.

use super::{Audited, Format, Texts, Total, Totals};
use crate::json::{Kind, Scanner, text::to_text};
use crate::record::{Record, unquoted};
use crate::report::clean::{first_words, truncate};
use crate::report::layout::{plural, size, thousands};
use crate::report::text::{style, table, write_table};
use crate::rules::{Severity, duration};
use crate::session::tools::{Outcome, ToolCall};
use comfy_table::CellAlignment;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format { name: "text", help: "tables for people", write };

/// How many bytes of arguments are looked at for people.
const ENOUGH: usize = 4096;

/// Arguments that say most of what a call does, the best first.
const TELLING: &[&[u8]] = &[b"command", b"path", b"file_path", b"pattern", b"query", b"url"];

/// Columns of everything but the arguments.
const TOOL: usize = 12;
const RESULT: usize = 16;
const TIME: usize = 8;
const SIZE: usize = 8;

fn write(out: &mut dyn Write, audited: &Audited<'_>, width: usize) -> io::Result<()> {
    let last = audited.calls.last().map_or(0, |call| audited.view.session.entries[call.entry as usize].line);
    let number = last.to_string().len().max(4);
    let arguments = width.saturating_sub(number + TOOL + RESULT + TIME + SIZE + 5).max(12);
    let mut totals = Totals::default();
    if !audited.calls.is_empty() {
        let head = format!(
            "{:>number$} {:TOOL$} {:arguments$} {:RESULT$} {:>TIME$} {:>SIZE$}",
            "LINE", "TOOL", "ARGUMENTS", "RESULT", "TIME", "SIZE"
        );
        writeln!(out, "{}", head.trim_end())?;
    }
    for call in audited.calls {
        let texts = Texts::of(audited, call);
        row(out, audited, call, &texts, (number, arguments))?;
        totals.add(call, &texts.tool);
    }
    foot(out, &totals, width)
}

fn row(
    out: &mut dyn Write,
    audited: &Audited<'_>,
    call: &ToolCall,
    texts: &Texts,
    (number, arguments): (usize, usize),
) -> io::Result<()> {
    let line = audited.view.session.entries[call.entry as usize].line;
    let tool = pad(truncate(&texts.tool, TOOL), TOOL);
    let words = pad(first_words(&short(texts), arguments), arguments);
    let result = match (call.outcome, call.failed_turn) {
        (Outcome::Stray, _) => "no call".to_string(),
        (outcome, true) => format!("{}, failed turn", outcome.name()),
        (outcome, false) => outcome.name().to_string(),
    };
    let look = match (call.outcome, call.failed_turn) {
        (Outcome::Ok | Outcome::Error | Outcome::Waiting, _) | (Outcome::Lost, true) => style(Severity::Info),
        _ => style(Severity::Warning),
    };
    let plain = matches!(call.outcome, Outcome::Ok | Outcome::Error);
    let result = truncate(&result, RESULT);
    let blanks = " ".repeat(RESULT.saturating_sub(result.width()));
    let result = if plain { result + &blanks } else { format!("{look}{result}{look:#}{blanks}") };
    let time = call.ms.map_or(String::new(), duration);
    let bytes = if call.results.is_empty() { String::new() } else { size(call.bytes) };
    let text = format!("{line:>number$} {tool} {words} {result} {time:>TIME$} {bytes:>SIZE$}");
    writeln!(out, "{}", text.trim_end())
}

/// The arguments in a few words: the one that tells most, else all as they stand.
fn short(texts: &Texts) -> String {
    let mut scanner = Scanner::new();
    let bytes = texts.arguments.as_bytes();
    if scanner.scan(bytes, 0).is_ok() {
        let record = Record::new(bytes, &scanner);
        let telling = TELLING.iter().find_map(|name| record.get(name).filter(|m| m.kind == Kind::String));
        if let Some(member) = telling {
            let raw = &bytes[unquoted(&member.value)];
            return to_text(&raw[..raw.len().min(ENOUGH)]);
        }
    }
    match texts.arguments.as_str() {
        "null" | "{}" => String::new(),
        other => String::from_utf8_lossy(&other.as_bytes()[..other.len().min(ENOUGH)]).into_owned(),
    }
}

fn pad(text: String, columns: usize) -> String {
    let blanks = " ".repeat(columns.saturating_sub(text.width()));
    text + &blanks
}

fn foot(out: &mut dyn Write, totals: &Totals, width: usize) -> io::Result<()> {
    if !totals.tools.is_empty() {
        writeln!(out)?;
        let mut shown = table(&["TOOL", "CALLS", "OK", "ERROR", "LOST", "OTHER", "TIME", "SIZE"], width);
        for (tool, total) in totals.sorted() {
            shown.add_row(total_row(&truncate(tool, 24), total));
        }
        for column in shown.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        write_table(out, &shown)?;
        writeln!(out)?;
    }
    let unanswered = match (totals.all.unanswered, totals.of_failed_turns) {
        (0, _) => "every one answered".to_string(),
        (n, 0) => format!("{} unanswered", thousands(n)),
        (n, failed) => format!("{} unanswered, {} of them in turns that failed", thousands(n), thousands(failed)),
    };
    match totals.all.calls {
        0 => writeln!(out, "no tool calls"),
        calls => writeln!(out, "{}; {unanswered}", plural(calls, "tool call")),
    }
}

fn total_row(tool: &str, total: &Total) -> [String; 8] {
    let count = |outcome| thousands(total.count(outcome));
    let other = [Outcome::Waiting, Outcome::Displaced, Outcome::Repeated, Outcome::Stray];
    [
        tool.to_string(),
        thousands(total.calls),
        count(Outcome::Ok),
        count(Outcome::Error),
        count(Outcome::Lost),
        thousands(other.iter().map(|outcome| total.count(*outcome)).sum()),
        duration(total.ms),
        size(total.bytes),
    ]
}
