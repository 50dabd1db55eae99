//! One entry, or one line, with everything that is known of it.

use super::clean::{clean, clean_bytes, truncate};
use super::context::why;
use super::digest::Digest;
use super::json::write_raw;
use super::layout::size;
use super::message::Readable;
use crate::rules::Finding;
use crate::session::view::{Context, Order, View};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const CODE: Style = AnsiColor::Red.on_default();

/// How many columns of an id or a message are shown.
const MOST: usize = 400;

/// How many children are named.
const MOST_CHILDREN: usize = 20;

/// An entry to be shown.
pub struct Entry<'a> {
    /// The session as its reader sees it.
    pub view: &'a View<'a>,
    /// The entry.
    pub node: u32,
    /// The findings of the file.
    pub findings: &'a [Finding],
    /// The codes of the findings of each entry of the index.
    pub codes: &'a BTreeMap<u32, Vec<&'static str>>,
    /// The context at the current leaf; `None` where the reader throws.
    pub context: Option<&'a Context>,
}

/// Writes an entry for people.
///
/// # Errors
/// Those of `out`.
pub fn text(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let Entry { view, node, .. } = *entry;
    let row = view.row(node);
    let digest = Digest::of(view, node);
    let id = view.id_text(node).unwrap_or_else(|| "no id".to_string());
    writeln!(out, "{BOLD}{}{BOLD:#} {}", truncate(&id, MOST), truncate(digest.who(row), MOST))?;
    let end = row.offset + row.length;
    let place = format!("{}, bytes {}–{} ({})", row.line, row.offset, end, size(row.length));
    field(out, "line", &place)?;
    field(out, "type", digest.kind.as_deref().unwrap_or("none"))?;
    field(out, "time", &digest.timestamp.unwrap_or_else(|| "none".to_string()))?;
    field(out, "parent", &parent(view, node))?;
    field(out, "children", &children(view, node))?;
    if let Some(label) = view.label_text(node) {
        field(out, "label", &label)?;
    }
    if let Some(context) = entry.context {
        field(out, "branch", &standing(view, context, node))?;
    }
    if view.is_dropped_by_pi(node) {
        field(out, "pi", "drops it: its line is not one JSON value")?;
    }
    findings(out, entry)?;
    message(out, view, node)
}

fn field(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "  {DIM}{name:9}{DIM:#} {}", truncate(value, MOST))
}

fn parent(view: &View<'_>, n: u32) -> String {
    let named = view.parent_json(n);
    match (view.tree_parent(n), named.as_deref()) {
        (Some(parent), _) => {
            format!("{} (line {})", view.id_text(parent).unwrap_or_default(), view.row(parent).line)
        }
        (None, Some("null")) => "null: it is a root".to_string(),
        (None, None) => "none is named".to_string(),
        (None, Some(name)) => format!("{name}, which is no parent in this tree"),
    }
}

fn children(view: &View<'_>, n: u32) -> String {
    let order = Order::of(view);
    let list = order.children(n);
    let name = |c: &u32| view.id_text(*c).unwrap_or_else(|| format!("line {}", view.row(*c).line));
    let names: Vec<String> = list.iter().take(MOST_CHILDREN).map(name).collect();
    match list.len() {
        0 => "none: it is a tip".to_string(),
        count if count > MOST_CHILDREN => format!("{}, … ({count})", names.join(", ")),
        _ => names.join(", "),
    }
}

/// Whether an entry is on the current branch, and what it is to the context.
fn standing(view: &View<'_>, context: &Context, n: u32) -> String {
    match context.branch.nodes.iter().position(|on| *on == n) {
        None => "not on the current one".to_string(),
        Some(at) => {
            let fate = context.fates[at];
            let inside = if fate.is_in() { "in the context" } else { "not in the context" };
            let leaf = if view.leaf.node() == Some(n) { ", the leaf" } else { "" };
            format!("on the current one{leaf}; {inside}: {}", why(view, fate))
        }
    }
}

fn findings(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let row = entry.view.row(entry.node);
    let inside =
        |f: &&Finding| f.place.as_ref().is_some_and(|p| p.offset >= row.offset && p.offset < row.offset + row.length);
    for finding in entry.findings.iter().filter(inside) {
        one_finding(out, finding)?;
    }
    Ok(())
}

fn one_finding(out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
    let (code, name) = (finding.rule.code, finding.rule.name);
    let message = truncate(&finding.message, MOST);
    writeln!(out, "  {DIM}finding  {DIM:#} {CODE}{code}{CODE:#} {name}: {message}")
}

fn message(out: &mut dyn Write, view: &View<'_>, n: u32) -> io::Result<()> {
    let shown = crate::session::view::Shown { node: n, part: crate::session::view::Part::Whole, edit: None };
    if !view.row(n).is_message() && Digest::of(view, n).text.is_empty() {
        return Ok(());
    }
    if !view.is_shown_as_message(n) {
        return writeln!(out, "\n  {}", clean(&Digest::of(view, n).text));
    }
    let Some(message) = view.message(&shown) else { return Ok(()) };
    writeln!(out)?;
    for line in Readable::of(&message.json).lines {
        match line.said {
            true => writeln!(out, "  {}", line.text)?,
            false => writeln!(out, "  {DIM}{}{DIM:#}", line.text)?,
        }
    }
    Ok(())
}

/// Writes the bytes of an entry as they are.
///
/// # Errors
/// Those of `out`, and of reading.
pub fn raw(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let row = entry.view.row(entry.node);
    let bytes = entry.view.source.read_range(row.offset, row.length)?;
    out.write_all(&bytes)?;
    out.write_all(b"\n")
}

/// Writes the JSON of an entry laid out in lines.
///
/// # Errors
/// Those of `out`.
pub fn pretty(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let json = entry.view.record(entry.node, |r| {
        let start = crate::json::skip_space(r.bytes, 0);
        r.raw(&(start..r.bytes.len()))
    });
    match json {
        Some(json) => {
            write_raw(out, &laid_out(&json))?;
            writeln!(out)
        }
        None => raw(out, entry),
    }
}

/// JSON text in lines, its tokens as they are. Nothing recurses, and nothing is decoded.
fn laid_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut chars = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        // beyond what anybody reads, the indentation would be most of the output
        (0..depth.min(64)).for_each(|_| out.push_str("  "));
    };
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            ' ' | '\t' | '\r' | '\n' => {}
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                match chars.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                out.push(c);
                in_string = c == '"';
            }
        }
    }
    out
}

/// Writes a line by its number: what it holds, and what was found there.
///
/// # Errors
/// Those of `out`, and of reading.
pub fn line(
    out: &mut dyn Write,
    view: &View<'_>,
    findings: &[Finding],
    number: u64,
    only_bytes: bool,
) -> io::Result<()> {
    let (offset, length) = line_span(view, number)?;
    let bytes = view.source.read_range(offset, length)?;
    if only_bytes {
        out.write_all(&bytes)?;
        return out.write_all(b"\n");
    }
    writeln!(out, "{BOLD}line {number}{BOLD:#} bytes {offset}–{} ({})", offset + length, size(length))?;
    let entries = &view.session.entries;
    for entry in entries.iter().filter(|e| e.line == number) {
        let id = view.session.arena.get(entry.id);
        field(out, "entry", &format!("{} ({})", String::from_utf8_lossy(&id), entry.kind.name()))?;
    }
    if view.session.header.as_ref().is_some_and(|h| h.line == number) {
        field(out, "header", "of the session")?;
    }
    for finding in findings.iter().filter(|f| f.place.as_ref().is_some_and(|p| p.line == number)) {
        one_finding(out, finding)?;
    }
    writeln!(out, "\n{}", clean_bytes(&bytes))
}

/// Where a line stands: offset, and length without its LF.
fn line_span(view: &View<'_>, number: u64) -> io::Result<(u64, u64)> {
    const STEP: usize = 1 << 20;
    let mut buffer = vec![0; STEP];
    let (mut at, mut start, mut current) = (0u64, 0u64, 1u64);
    loop {
        let got = view.source.read_at(at, &mut buffer)?;
        for found in memchr::memchr_iter(b'\n', &buffer[..got]) {
            let end = at + found as u64;
            if current == number {
                return Ok((start, end - start));
            }
            current += 1;
            start = end + 1;
        }
        at += got as u64;
        if got < STEP {
            return Ok((start, at - start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out_token_by_token() {
        assert_eq!(
            laid_out(r#"{"a":[1,{}],"b":"x,\"}:"}"#),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x,\\\"}:\"\n}"
        );
        assert_eq!(laid_out("[ ]"), "[]");
        assert_eq!(laid_out(r#"{ "n" : 1.50e400 }"#), "{\n  \"n\": 1.50e400\n}");
    }
}
