//! The forest for people.

use super::{Forest, Format, Node, Options, Stated, Tie, labels};
use crate::dialect::time::{self, To};
use crate::report::clean::{clean, first_words, truncate};
use crate::report::layout::{plural, thousands, wrap};
use crate::report::text::style;
use crate::rules::Severity;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format = Format { name: "text", help: "for people: a tree a family", write };

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const ASKED: Style = AnsiColor::Green.on_default().bold();

/// From how many columns on there is room for the time of day.
const WIDE: usize = 100;

/// How many lost parents are named below the trees.
const MOST_NAMED: usize = 10;

/// What lines are drawn with.
struct Signs {
    rail: &'static str,
    blank: &'static str,
    branch: &'static str,
    end: &'static str,
    deep: &'static str,
    root: &'static str,
    fork: &'static str,
    copy: &'static str,
}

const LINES: Signs =
    Signs {
        rail: "│ ", blank: "  ", branch: "├─", end: "└─", deep: "┆ ", root: "● ", fork: "○ ", copy: "= "
    };
const ASCII: Signs =
    Signs { rail: "| ", blank: "  ", branch: "|-", end: "`-", deep: ": ", root: "* ", fork: "o ", copy: "= " };

/// Columns of what stands behind the tree.
const ENTRIES: usize = 8;
const SHARED: usize = 7;
const TIE: usize = 8;

fn write(out: &mut dyn Write, forest: &Forest, options: &Options) -> io::Result<()> {
    let time = if options.width >= WIDE { 16 } else { 10 };
    let room = options.width.saturating_sub(time + ENTRIES + SHARED + TIE + 4).max(16);
    let nodes: Vec<&Node> = forest.shown(options.all).map(|(_, node)| node).collect();
    let signs = if options.ascii { &ASCII } else { &LINES };
    if !nodes.is_empty() {
        let head = format!("{:room$} {:time$} {:>ENTRIES$} {:>SHARED$} TIE", "SESSION", "BEGUN", "ENTRIES", "SHARED");
        writeln!(out, "{BOLD}{head}{BOLD:#}")?;
    }
    let labels = labels(&nodes);
    let mut rails = Rails::default();
    for (at, node) in nodes.iter().enumerate() {
        if node.depth == 0 && at > 0 && (node.family > 1 || nodes[at - 1].depth > 0) {
            writeln!(out)?;
        }
        let prefix = rails.prefix(node, signs, room / 2);
        row(out, (node, &labels[at]), &prefix, signs, (room, time))?;
    }
    if !nodes.is_empty() {
        writeln!(out)?;
    }
    lost(out, &nodes, options)?;
    foot(out, forest, options)
}

/// Which lines go on beside a row: whether the node at each level has more to come behind it.
#[derive(Default)]
struct Rails {
    goes_on: Vec<bool>,
}

impl Rails {
    fn prefix(&mut self, node: &Node, signs: &Signs, most: usize) -> String {
        let depth = node.depth as usize;
        self.goes_on.truncate(depth);
        self.goes_on.resize(depth, false);
        let mut prefix = String::new();
        if depth > 0 {
            // of a deep chain only the last levels have room
            let from = (depth - 1).saturating_sub(most / 2);
            if from > 0 {
                prefix += signs.deep;
            }
            for goes_on in &self.goes_on[1.max(from)..] {
                prefix += if *goes_on { signs.rail } else { signs.blank };
            }
            prefix += if node.last { signs.end } else { signs.branch };
        }
        self.goes_on.push(!node.last);
        prefix
    }
}

fn row(
    out: &mut dyn Write,
    (node, label): (&Node, &str),
    prefix: &str,
    signs: &Signs,
    (room, time): (usize, usize),
) -> io::Result<()> {
    let sign = match node.tie {
        Tie::None => signs.root,
        tie if tie.is_copy() => signs.copy,
        _ => signs.fork,
    };
    let left = room.saturating_sub(prefix.width() + sign.width());
    let title = node.title().trim();
    // a file name of its own says more than its end, an id less
    let most = if title.is_empty() { left } else { left.div_ceil(2).max(13) };
    let label = truncate(label, most.min(left));
    let words = first_words(title, left.saturating_sub(label.width() + 1));
    let look = if node.asked { ASKED } else { Style::new() };
    let blanks = " ".repeat(left.saturating_sub(label.width() + 1 + words.width()));
    let begun = match node.created {
        Some(ms) => time::brief(ms, if time == 10 { To::Day } else { To::Minute }),
        None => "no time".to_string(),
    };
    let shared = if node.tie == Tie::None { String::new() } else { thousands(node.shared) };
    let (tie, color) = match (node.stated, node.tie.name()) {
        (Stated::Missing, _) => ("lost", style(Severity::Warning)),
        (Stated::Loop, _) => ("loop", style(Severity::Warning)),
        (Stated::Elsewhere, _) => ("outside", DIM),
        (_, Some(_)) if node.output => ("output", DIM),
        (_, Some("diverged")) => ("diverged", style(Severity::Warning)),
        (_, tie) => (tie.unwrap_or_default(), DIM),
    };
    write!(out, "{DIM}{prefix}{DIM:#}{look}{sign}{label}{look:#} {words}{blanks} {DIM}{begun:time$}{DIM:#}")?;
    let entries = thousands(node.entries);
    let numbers = format!(" {entries:>ENTRIES$} {shared:>SHARED$}");
    match tie.is_empty() {
        true => writeln!(out, "{}", numbers.trim_end()),
        false => writeln!(out, "{numbers} {color}{tie}{color:#}"),
    }
}

/// Parents that are not shown.
fn lost(out: &mut dyn Write, nodes: &[&Node], options: &Options) -> io::Result<()> {
    let named = |node: &&&Node| matches!(node.stated, Stated::Missing | Stated::Elsewhere | Stated::Loop);
    let lost: Vec<&&Node> = nodes.iter().filter(named).collect();
    for node in lost.iter().take(MOST_NAMED) {
        let what = match node.stated {
            Stated::Missing => "is not found",
            Stated::Loop => "leads back to it",
            _ => "is there, but was not read",
        };
        let parent = clean(node.parent_session.as_deref().unwrap_or_default());
        let text = format!("{} was forked from {parent}, which {what}", clean(&node.path));
        for (n, line) in wrap(&text, options.width.saturating_sub(2).max(20)).iter().enumerate() {
            writeln!(out, "{}{line}", if n == 0 { "" } else { "  " })?;
        }
    }
    if let more @ 1.. = lost.len().saturating_sub(MOST_NAMED) {
        writeln!(out, "and {} more", thousands(more as u64))?;
    }
    if lost.is_empty() { Ok(()) } else { writeln!(out) }
}

fn foot(out: &mut dyn Write, forest: &Forest, options: &Options) -> io::Result<()> {
    let (families, alone) = forest.counts();
    let mut parts = vec![plural(forest.nodes.len() as u64, "session")];
    let families = match families {
        1 => "1 family".to_string(),
        families => format!("{} families", thousands(families)),
    };
    parts.push(families);
    if alone > 0 {
        let hidden = forest.nodes.len() > forest.shown(options.all).count();
        parts.push(format!("{} alone{}", thousands(alone), if hidden { " (--all shows them)" } else { "" }));
    }
    if let skipped @ 1.. = forest.skipped.len() as u64 {
        parts.push(format!("{} that {} no session", plural(skipped, "file"), if skipped == 1 { "is" } else { "are" }));
    }
    wrap(&parts.join(", "), options.width).iter().try_for_each(|line| writeln!(out, "{line}"))
}
