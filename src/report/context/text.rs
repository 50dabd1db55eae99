//! The context for people.

use super::json::why;
use super::{Format, Options, Seen};
use crate::report::clean::{clean, first_words, truncate};
use crate::report::digest::Digest;
use crate::report::layout::plural;
use crate::report::message::Readable;
use crate::session::view::{Cut, Message, Reader};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format { name: "text", help: "for people: each message laid out for reading", write };

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const IN: Style = AnsiColor::Green.on_default().bold();

fn write(out: &mut dyn Write, seen: &Seen<'_>, options: &Options) -> io::Result<()> {
    head(out, seen)?;
    if options.explain {
        explain(out, seen, options)?;
    } else {
        seen.each_message(|one| message(out, seen, one))?;
    }
    foot(out, seen)
}

fn head(out: &mut dyn Write, seen: &Seen<'_>) -> io::Result<()> {
    let context = seen.context;
    let plain = |json: &str| clean(&crate::session::view::plain(json)).into_owned();
    let mut parts = vec![plural(context.shown.len() as u64, "message")];
    parts.push(match &context.model {
        Some(model) => format!("model {}/{}", plain(&model.provider), plain(&model.id)),
        None => "no model".to_string(),
    });
    parts.push(format!("thinking {}", plain(&context.thinking)));
    if let Some(id) = seen.leaf.node().and_then(|n| seen.view.id_text(n)) {
        parts.push(format!("at {}", truncate(&id, 40)));
    }
    if seen.view.reader != Reader::Sesstool {
        parts.push(format!("as {} reads it", seen.view.reader.name()));
    }
    writeln!(out, "{BOLD}{}{BOLD:#} {DIM}{}{DIM:#}", clean(seen.path), parts.join(", "))
}

fn message(out: &mut dyn Write, seen: &Seen<'_>, message: &Message) -> io::Result<()> {
    let readable = Readable::of(&message.json);
    let id = seen.view.id_text(message.node).unwrap_or_default();
    let color = color(&readable.who);
    let place = format!("{} line {}", truncate(&id, 40), seen.view.row(message.node).line);
    writeln!(out, "\n{color}{}{color:#} {DIM}{}{DIM:#}", readable.who, place.trim_start())?;
    for line in &readable.lines {
        match line.said {
            true => writeln!(out, "  {}", line.text)?,
            false => writeln!(out, "  {DIM}{}{DIM:#}", line.text)?,
        }
    }
    Ok(())
}

fn color(who: &str) -> Style {
    match who.split(' ').next().unwrap_or_default() {
        "user" => AnsiColor::Cyan.on_default().bold(),
        "assistant" => AnsiColor::Blue.on_default().bold(),
        "compactionSummary" | "branchSummary" => AnsiColor::Yellow.on_default().bold(),
        _ => BOLD,
    }
}

/// Each entry of the branch in one line, and why it is in or out.
fn explain(out: &mut dyn Write, seen: &Seen<'_>, options: &Options) -> io::Result<()> {
    let (inside, outside) = if options.ascii { ("+", "-") } else { ("●", "○") };
    let view = seen.view;
    for (&n, &fate) in seen.context.branch.nodes.iter().zip(&seen.context.fates) {
        let digest = Digest::of(view, n);
        let (sign, style) = if fate.is_in() { (inside, IN) } else { (outside, DIM) };
        let id = truncate(&view.id_text(n).unwrap_or_else(|| "-".to_string()), 12);
        let who = truncate(digest.who(view.row(n)), 10);
        let why = truncate(&why(view, fate), 60);
        let pad = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(text.width()));
        let used = 2 + 13 + 11 + why.width().max(30) + 1;
        let words = first_words(&digest.text, options.width.saturating_sub(used).max(8));
        let line = format!(
            "{style}{sign}{style:#} {id}{} {who}{} {style}{why}{style:#}{} {DIM}{words}{DIM:#}",
            pad(&id, 12),
            pad(&who, 10),
            pad(&why, 30),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn foot(out: &mut dyn Write, seen: &Seen<'_>) -> io::Result<()> {
    match seen.context.branch.cut {
        Some(Cut::Loop) => writeln!(out, "{DIM}the parents form a loop, which is cut where it would repeat{DIM:#}"),
        _ => Ok(()),
    }
}
