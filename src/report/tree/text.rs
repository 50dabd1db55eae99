//! The tree for people.

use super::rows::{Row, Rows, What};
use super::{Filter, Format, Options, Tree};
use crate::dialect::pi::EntryType;
use crate::dialect::time;
use crate::report::clean::{clean, first_words, truncate};
use crate::report::digest::Digest;
use crate::report::layout::{plural, thousands};
use crate::session::view::{Cut, Leaf, Reader};
use crate::session::{NO_TIME, flags};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

pub(super) const FORMAT: Format =
    Format { name: "text", help: "for people: chains folded, the current branch marked", whole: false, title, write };

/// The path of the file, before anything is known about it.
fn title(out: &mut dyn Write, path: &str, options: &Options) -> io::Result<()> {
    let bold = Paint::of(options).bold;
    writeln!(out, "{bold}{}{bold:#}", clean(path))
}

/// The styles; plain ones where nobody wants colours.
#[derive(Clone, Copy, Default)]
struct Paint {
    bold: Style,
    dim: Style,
    current: Style,
    label: Style,
    codes: Style,
    user: Style,
    assistant: Style,
    summary: Style,
    odd: Style,
}

const PAINT: Paint = Paint {
    bold: Style::new().bold(),
    dim: Style::new().dimmed(),
    current: AnsiColor::Green.on_default().bold(),
    label: AnsiColor::Magenta.on_default().bold(),
    codes: AnsiColor::Red.on_default().dimmed(),
    user: AnsiColor::Cyan.on_default().bold(),
    assistant: AnsiColor::Blue.on_default().bold(),
    summary: AnsiColor::Yellow.on_default(),
    odd: AnsiColor::Red.on_default(),
};

impl Paint {
    fn of(options: &Options) -> Paint {
        if options.colors { PAINT } else { Paint::default() }
    }

    /// The style of the word that says who speaks.
    fn who(&self, kind: EntryType, digest: &Digest, current: bool) -> Style {
        if !current {
            return self.dim;
        }
        match (kind, digest.role.as_deref()) {
            (EntryType::Message, Some("user")) => self.user,
            (EntryType::Message, Some("assistant")) => self.assistant,
            (EntryType::Compaction | EntryType::BranchSummary, _) => self.summary,
            (EntryType::Missing | EntryType::Unknown, _) => self.odd,
            _ => Style::new(),
        }
    }
}

/// Columns of the word that says who speaks.
const WHO: usize = 10;

/// The shortest beginning of a long id that is shown.
const SHORTEST_ID: usize = 8;

/// Beyond so many entries long ids are shown in full: finding their shortest beginnings takes too long.
const MOST_SORTED: u32 = 300_000;

/// What lines are drawn with.
struct Signs {
    rail: &'static str,
    turn: &'static str,
    deep: &'static str,
    current: &'static str,
    other: &'static str,
    leaf: &'static str,
    fold: &'static str,
    dots: &'static str,
    arrow: &'static str,
}

const LINES: Signs = Signs {
    rail: "│ ",
    turn: "├─",
    deep: "┆ ",
    current: "●",
    other: "○",
    leaf: "◉",
    fold: "┊",
    dots: "…",
    arrow: "◀ leaf",
};

const ASCII: Signs = Signs {
    rail: "| ",
    turn: "|-",
    deep: ": ",
    current: "*",
    other: "o",
    leaf: "@",
    fold: ":",
    dots: "...",
    arrow: "<- leaf",
};

fn write(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    let rows = Rows::of(tree, options);
    let printer = Printer {
        tree,
        options,
        signs: if options.ascii { &ASCII } else { &LINES },
        on_branch: bits(tree.view.len(), &tree.branch.nodes),
        paint: Paint::of(options),
        id_width: id_width(tree, options),
    };
    printer.head(out)?;
    let mut roots = 0;
    for row in &rows.list {
        if row.parent == crate::session::view::NONE && row.level == 0 {
            if roots > 0 {
                writeln!(out)?;
            }
            roots += 1;
        }
        printer.row(out, row)?;
    }
    printer.foot(out, &rows)
}

struct Printer<'a, 'b> {
    tree: &'a Tree<'b>,
    options: &'a Options,
    signs: &'static Signs,
    /// A bit for each node that is on the branch.
    on_branch: Vec<u64>,
    paint: Paint,
    id_width: usize,
}

impl Printer<'_, '_> {
    /// What it is the tree of.
    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.tree.view;
        let Paint { dim, .. } = self.paint;
        let mut parts = vec![plural(u64::from(view.len()), "entry").replace("entrys", "entries")];
        if let Some(version) = view.session.version() {
            parts.insert(0, format!("version {version}"));
        }
        if let Some(name) = view.name() {
            parts.insert(0, format!("\"{}\"", first_words(&name, 40)));
        }
        if view.reader != Reader::Sesstool {
            parts.push(format!("as {} reads it", view.reader.name()));
        }
        writeln!(out, "{dim}{}{dim:#}", parts.join(", "))
    }

    fn row(&self, out: &mut dyn Write, row: &Row) -> io::Result<()> {
        let prefix = self.prefix(row);
        match row.what {
            What::Entry(n) => self.entry(out, &prefix, n, None),
            What::Stub(n, count) => self.entry(out, &prefix, n, Some(count)),
            What::Fold(count) => {
                let (Signs { fold, dots, .. }, dim) = (self.signs, self.paint.dim);
                writeln!(out, "{dim}{prefix}{fold} {dots} {} entries {dots}{dim:#}", thousands(count))
            }
        }
    }

    /// The lines of the branches that go on beside the row.
    fn prefix(&self, row: &Row) -> String {
        let Signs { rail, turn, deep, .. } = self.signs;
        let room = (self.options.width / 5).max(4) as u32;
        let level = row.level.min(room);
        let mut prefix = String::new();
        for n in 0..level {
            let cut_here = n == 0 && row.level > room;
            prefix += if cut_here {
                deep
            } else if row.turns && n + 1 == level {
                turn
            } else {
                rail
            };
        }
        prefix
    }

    fn entry(&self, out: &mut dyn Write, prefix: &str, n: u32, stub: Option<u64>) -> io::Result<()> {
        let Paint { dim, label: label_style, .. } = self.paint;
        let view = self.tree.view;
        let row = view.row(n);
        let digest = Digest::of(view, n);
        let is_leaf = self.tree.leaf.node() == Some(n);
        let current = self.on_branch(n);
        let (sign, style) = match current {
            _ if is_leaf => (self.signs.leaf, self.paint.current),
            true => (self.signs.current, self.paint.current),
            false => (self.signs.other, dim),
        };
        let mut used = prefix.width() + 2 + self.id_width + 1 + WHO + 1;
        write!(out, "{dim}{prefix}{dim:#}{style}{sign} ")?;
        padded(out, &self.short_id(n), self.id_width)?;
        write!(out, "{style:#} ")?;
        if self.options.timestamps {
            let shown = shown_time(row.time);
            used += shown.width() + 1;
            write!(out, "{dim}{shown}{dim:#} ")?;
        }
        let color = self.paint.who(row.kind, &digest, current);
        write!(out, "{color}")?;
        padded(out, &truncate(digest.who(row), WHO), WHO)?;
        write!(out, "{color:#}")?;
        if let Some(label) = view.label_text(n) {
            let label = format!("[{}]", first_words(&label, 30));
            used += label.width() + 1;
            write!(out, " {label_style}{label}{label_style:#}")?;
        }
        let tail = self.tail(n, is_leaf, stub);
        let tail_width: usize = tail.iter().map(|(text, _)| text.width() + 1).sum();
        let words = self.words(&digest.text, self.options.width.saturating_sub(used + tail_width).max(8));
        let style = if current || self.tree.only_branch && stub.is_none() { Style::new() } else { dim };
        if !words.is_empty() {
            write!(out, " {style}{words}{style:#}")?;
        }
        for (text, style) in tail {
            write!(out, " {style}{text}{style:#}")?;
        }
        writeln!(out)
    }

    /// The first words of a text in so many columns.
    fn words(&self, text: &str, columns: usize) -> String {
        let words = first_words(text, columns);
        match words.strip_suffix('…').filter(|_| self.options.ascii) {
            // the mark takes three columns here
            Some(_) => first_words(text, columns - 2).trim_end_matches('…').to_string() + "...",
            None => words,
        }
    }

    /// Whether a node is on the branch of the leaf.
    fn on_branch(&self, n: u32) -> bool {
        self.on_branch[n as usize / 64] >> (n % 64) & 1 == 1
    }

    /// What stands behind the words.
    fn tail(&self, n: u32, is_leaf: bool, stub: Option<u64>) -> Vec<(String, Style)> {
        let mut tail = Vec::new();
        if let Some(count) = stub.filter(|count| *count > 1) {
            tail.push((format!("(and {} more)", thousands(count - 1)), self.paint.dim));
        }
        let codes = self.tree.codes(n);
        if !codes.is_empty() {
            tail.push((codes.join(" "), self.paint.codes));
        }
        if self.tree.view.row(n).has(flags::DROPPED) {
            tail.push(("pi drops it".to_string(), self.paint.codes));
        }
        if is_leaf {
            tail.push((self.signs.arrow.to_string(), self.paint.current));
        }
        tail
    }

    fn short_id(&self, n: u32) -> String {
        let id = self.tree.view.id_text(n).unwrap_or_else(|| "-".to_string());
        match self.options.full_ids {
            true => clean(&id).into_owned(),
            false => clean(id.get(..self.id_width).unwrap_or(&id)).into_owned(),
        }
    }

    /// What is not shown, and what is odd.
    fn foot(&self, out: &mut dyn Write, rows: &Rows) -> io::Result<()> {
        let mut notes = Vec::new();
        if rows.hidden > 0 && self.options.filter == Filter::Default {
            notes.push(format!("{} hidden; --filter all shows them", entries(rows.hidden)));
        }
        if rows.was_cut {
            notes.push("repeated ids show subtrees again and again; the rest is left out".to_string());
        }
        if rows.hangs {
            notes.push("a repeated id puts an entry below itself; pi hangs on this tree".to_string());
        }
        if self.tree.branch.cut == Some(Cut::Loop) {
            let hangs = if self.tree.view.reader == Reader::Sesstool { "" } else { "; pi hangs on it" };
            notes.push(format!("the parents of the branch form a loop, which is cut where it would repeat{hangs}"));
        }
        match self.tree.leaf {
            Leaf::Start => notes.push("the leaf stands before everything: the branch is empty".to_string()),
            Leaf::Nameless(_) => notes.push("the last entry has no id: pi's branch is empty".to_string()),
            Leaf::Dangling(_) => notes.push("the leaf names an entry that is not there".to_string()),
            Leaf::Node(_) => {}
        }
        let dim = self.paint.dim;
        notes.iter().try_for_each(|note| writeln!(out, "{dim}{note}{dim:#}"))
    }
}

fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_string() } else { format!("{} entries", thousands(count)) }
}

/// A text and blanks up to so many columns.
fn padded(out: &mut dyn Write, text: &str, columns: usize) -> io::Result<()> {
    const BLANKS: &str = "                                        ";
    out.write_all(text.as_bytes())?;
    let missing = columns.saturating_sub(text.width()).min(BLANKS.len());
    out.write_all(&BLANKS.as_bytes()[..missing])
}

/// A bit for each of `count` nodes that is listed.
fn bits(count: u32, nodes: &[u32]) -> Vec<u64> {
    let mut bits = vec![0; count.div_ceil(64) as usize];
    for n in nodes {
        bits[*n as usize / 64] |= 1 << (n % 64);
    }
    bits
}

/// Day and time in UTC, without fractions.
fn shown_time(ms: i64) -> String {
    match ms {
        NO_TIME => format!("{:19}", "no time"),
        ms => time::brief(ms, time::To::Second),
    }
}

/// How many columns ids take: the shortest beginning that tells every two apart.
fn id_width(tree: &Tree<'_>, options: &Options) -> usize {
    let view = tree.view;
    let longest = (0..view.len()).map(|n| view.row(n).id.len()).max().unwrap_or(0);
    if longest <= SHORTEST_ID {
        return SHORTEST_ID;
    }
    if options.full_ids || view.len() > MOST_SORTED {
        return longest.min(40);
    }
    let mut ids: Vec<String> = (0..view.len()).filter_map(|n| view.id_text(n)).collect();
    ids.sort_unstable();
    ids.dedup();
    let shared = |pair: &[String]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    let most = ids.windows(2).map(shared).max().unwrap_or(0);
    (most + 1).clamp(SHORTEST_ID, 40)
}
