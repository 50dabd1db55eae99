//! One file, counted on three bases that are never mixed.

use super::collect::{Collector, Names, measure_alone, read_usage};
use super::row::{Chunk, Row};
use super::shape::{Levels, Shape};
use super::sum::Sum;
use super::tally::{Tally, UsageSum};
use crate::dialect::pi::{EntryType, Role};
use crate::json::{Kind, Scanner};
use crate::record::Record;
use crate::rules::kind::FileKind;
use crate::session::envelope::Envelope;
use crate::session::reread::Reread;
use crate::session::scan::{self, scan};
use crate::session::set::EntrySet;
use crate::session::view::{Part, Reader, Refusal, Shown, View};
use crate::session::{NO_TIME, Session, flags};
use crate::source::Source;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// What counts: which entries of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Base {
    /// Everything in the file.
    #[default]
    Lifetime,
    /// The entries from the root to the leaf.
    Branch,
    /// What the model sees now: the messages of the context at the leaf.
    Context,
}

impl Base {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Base::Lifetime => "lifetime",
            Base::Branch => "branch",
            Base::Context => "context",
        }
    }
}

/// What is counted, and how.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Only entries from this time on, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only entries before this time.
    pub until: Option<i64>,
    /// Whose leaf and context are counted.
    pub reader: Reader,
    /// The base of everything that is told for several files together.
    pub base: Base,
    /// Whether the context is looked for even where it is not the base.
    pub context: bool,
    /// How many of the heaviest entries are named.
    pub heaviest: usize,
    /// How files are scanned.
    pub scan: scan::Options,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            since: None,
            until: None,
            reader: Reader::Sesstool,
            base: Base::Lifetime,
            context: true,
            heaviest: 10,
            scan: scan::Options { calls: false, ..scan::Options::default() },
        }
    }
}

impl Options {
    /// Whether only a part of the time counts.
    pub fn is_window(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether a time counts.
    fn has(&self, time: Option<i64>) -> bool {
        match time {
            None => !self.is_window(),
            Some(time) => self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until),
        }
    }
}

/// An entry that takes much room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heavy {
    /// Its number in the index.
    pub entry: u32,
    /// Its line.
    pub line: u64,
    /// Its id as JSON.
    pub id: Option<String>,
    /// Its type.
    pub kind: &'static str,
    /// Its role.
    pub role: Option<String>,
    /// The tool whose result it is.
    pub tool: Option<String>,
    /// Its bytes in the file; of the context, those that the model sees.
    pub bytes: u64,
    /// Whether it is on the branch.
    pub on_branch: bool,
    /// Whether it is in the context; `None` where that was not looked for.
    pub in_context: Option<bool>,
}

/// The context at the leaf.
#[derive(Clone, Debug, Default)]
pub struct ContextTally {
    /// What its messages come to.
    pub tally: Tally,
    /// The tokens of the context as the last answer behind the last compaction counted them.
    pub tokens: Option<Sum>,
}

/// A session file, counted.
#[derive(Debug)]
pub struct FileStats {
    /// The path as it was given.
    pub path: String,
    /// The header's id.
    pub session: Option<String>,
    /// The folder that the header names.
    pub project: Option<String>,
    /// The session's name.
    pub name: Option<String>,
    /// The header's version as it counts.
    pub version: Option<i64>,
    /// The file's size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// How it branches.
    pub shape: Shape,
    /// Everything in the file.
    pub lifetime: Tally,
    /// The branch of the leaf; why there is none.
    pub branch: Result<Tally, String>,
    /// The context at the leaf; why there is none. `None` if it was not asked for.
    pub context: Option<Result<ContextTally, String>>,
    /// The entries of the base that take most room, the heaviest first.
    pub heaviest: Vec<Heavy>,
    /// How many bytes are no entry: headers, line ends, blanks; and how many belong to no record at all.
    pub outside: (u64, u64),
    /// Remarks about the reading itself.
    pub notes: Vec<String>,
    pub(super) rows: Rows,
}

/// The rows of a file, and which of them count.
#[derive(Debug, Default)]
pub(super) struct Rows {
    chunks: Vec<Chunk>,
    pub(super) keys: Vec<u128>,
    levels: Levels,
    branch: EntrySet,
    /// Entries that are in the context as they are.
    context: EntrySet,
    /// Messages of the context that are made of something else than one whole message entry.
    made: Chunk,
    /// The entry that each of them comes from.
    made_of: Vec<u32>,
}

/// Why a file is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCounted {
    /// What it is.
    pub what: &'static str,
}

impl FileStats {
    /// Counts a source; with `KEYS`, so that entries can be found again in other files.
    ///
    /// # Errors
    /// What reading says.
    pub fn of<const KEYS: bool>(
        source: &Source,
        path: &str,
        options: &Options,
    ) -> io::Result<Result<FileStats, NotCounted>> {
        let (session, collected) = scan::<Collector<KEYS>>(source, &options.scan)?;
        if let Some(what) = no_session(source, &session) {
            return Ok(Err(NotCounted { what }));
        }
        let Collector { chunks, keys, levels, debris, .. } = collected;
        let rows = Rows { chunks, keys, levels: Levels::of(&session, &levels), ..Rows::default() };
        let shown = EntrySet::default();
        let mut counting =
            Counting { source, session: &session, options, rows, names: Names::default(), shown, now: None };
        let shape = Shape::of(&session);
        let view = View::new(source, &session, options.reader);
        let (name, branch, context) = match &view {
            Ok(view) => (view.name(), counting.mark_branch(view), counting.mark_context(view)),
            Err(refusal) => (None, Err(refusal.to_string()), Err(refusal.to_string())),
        };
        let shape = Shape { branch: *branch.as_ref().unwrap_or(&0), ..shape };
        let heaviest = counting.heaviest(branch.is_ok(), context.is_ok());
        let header = |name: &str| session.header.as_ref().and_then(|header| header.text(name)).map(str::to_string);
        let mut stats = FileStats {
            path: path.to_string(),
            session: header("id"),
            project: header("cwd"),
            name,
            version: session.version(),
            bytes: session.facts.bytes,
            lines: session.facts.lines,
            shape,
            lifetime: Tally::default(),
            branch: branch.map(|_| Tally::default()),
            context: None,
            heaviest,
            outside: (0, debris),
            notes: source.changed()?.map(|c| format!("the file changed while it was read: {c}")).into_iter().collect(),
            rows: Rows::default(),
        };
        let now = counting.now.take();
        stats.rows = counting.rows;
        drop(view);
        drop(session);
        stats.add_up(options, context, now);
        Ok(Ok(stats))
    }

    /// Adds up what was marked.
    fn add_up(&mut self, options: &Options, context: Result<(), String>, now: Option<Sum>) {
        let mut bases = self.rows.tallies(options);
        self.rows.each_made(options, |n, row, names| bases.context.add(row, names, Some(self.rows.levels.at(n))));
        self.lifetime = bases.lifetime;
        match options.is_window() {
            // what is no entry has no time
            true => self.outside = (0, 0),
            false => self.outside.0 = self.bytes.saturating_sub(self.lifetime.bytes + self.outside.1),
        }
        self.lifetime.add_outside(self.outside);
        if let Ok(branch) = &mut self.branch {
            *branch = bases.branch;
        }
        if options.context || options.base == Base::Context {
            self.context = Some(context.map(|()| ContextTally { tally: bases.context, tokens: now }));
        }
    }

    /// The tally of a base; `None` where there is none.
    pub fn tally(&self, base: Base) -> Option<&Tally> {
        match base {
            Base::Lifetime => Some(&self.lifetime),
            Base::Branch => self.branch.as_ref().ok(),
            Base::Context => self.context.as_ref()?.as_ref().ok().map(|context| &context.tally),
        }
    }

    /// Hands every row that counts to `look`, with the number of its entry, what its names mean, and the
    /// thinking level in force.
    pub(super) fn each(&self, options: &Options, look: impl FnMut(u32, &Row, &[String], Option<&str>)) {
        self.rows.each(options, look);
    }

    /// Lets go of what is needed only until the file has been added to others.
    pub(super) fn forget_rows(&mut self) {
        self.rows = Rows::default();
    }
}

/// The three bases.
#[derive(Default)]
struct Bases {
    lifetime: Tally,
    branch: Tally,
    context: Tally,
}

impl Bases {
    fn merge(mut self, other: Bases) -> Bases {
        self.lifetime.merge(&other.lifetime);
        self.branch.merge(&other.branch);
        self.context.merge(&other.context);
        self
    }
}

impl Rows {
    /// Hands the messages that are made to `look`, each with its entry.
    fn each_made(&self, options: &Options, mut look: impl FnMut(u32, &Row, &[String])) {
        self.made.each(|at, row| {
            if options.has(row.time) {
                look(self.made_of[at as usize], row, &self.made.names);
            }
        });
    }

    /// Hands every row of the base to `look`, see [`FileStats::each`].
    fn each(&self, options: &Options, mut look: impl FnMut(u32, &Row, &[String], Option<&str>)) {
        let mut first = 0;
        for chunk in &self.chunks {
            chunk.each(|n, row| {
                let n = first + n;
                let counts = match options.base {
                    Base::Lifetime => true,
                    Base::Branch => self.branch.contains(n),
                    Base::Context => self.context.contains(n),
                };
                if counts && options.has(row.time) {
                    if options.base == Base::Context {
                        row.keep_seen();
                    }
                    look(n, row, &chunk.names, Some(self.levels.at(n)));
                }
            });
            first += chunk.count;
        }
        if options.base == Base::Context {
            self.each_made(options, |n, row, names| look(n, row, names, Some(self.levels.at(n))));
        }
    }

    /// Everything but the messages that are made.
    fn tallies(&self, options: &Options) -> Bases {
        let firsts: Vec<u32> = self
            .chunks
            .iter()
            .scan(0, |next, chunk| {
                let first = *next;
                *next += chunk.count;
                Some(first)
            })
            .collect();
        let add = |mut bases: Bases, (chunk, first): (&Chunk, &u32)| {
            chunk.each(|n, row| {
                if !options.has(row.time) {
                    return;
                }
                let n = first + n;
                let level = Some(self.levels.at(n));
                bases.lifetime.add(row, &chunk.names, level);
                if self.branch.contains(n) {
                    bases.branch.add(row, &chunk.names, level);
                }
                if self.context.contains(n) {
                    row.keep_seen();
                    bases.context.add(row, &chunk.names, level);
                }
            });
            bases
        };
        let pairs = self.chunks.par_iter().zip(&firsts);
        pairs.fold(Bases::default, add).reduce(Bases::default, Bases::merge)
    }
}

/// What a file is that is no session.
fn no_session(source: &Source, session: &Session) -> Option<&'static str> {
    match FileKind::of(source, session) {
        FileKind::Session if session.header.is_none() && session.entries.is_empty() => {
            Some("no session: it has no header and no entry")
        }
        FileKind::Session => None,
        FileKind::Empty => Some("it is empty"),
        FileKind::Blank => Some("it holds only blanks or NULs"),
        FileKind::NotText(what, _) => Some(what),
        FileKind::Foreign(dialect) => Some(dialect.title),
    }
}

/// A file between being read and being added up.
struct Counting<'a> {
    source: &'a Source,
    session: &'a Session,
    options: &'a Options,
    rows: Rows,
    /// The names of the messages that are made.
    names: Names,
    /// The entries that are in the context, as they are or made into messages.
    shown: EntrySet,
    /// The tokens of the context.
    now: Option<Sum>,
}

impl Counting<'_> {
    /// How many entries the branch has.
    fn mark_branch(&mut self, view: &View<'_>) -> Result<u64, String> {
        let branch = view.branch(view.leaf).map_err(|refusal| refusal.to_string())?;
        let entries = branch.nodes.iter().filter_map(|node| view.entry(*node));
        Ok(entries.filter(|n| self.rows.branch.insert(*n)).count() as u64)
    }

    fn mark_context(&mut self, view: &View<'_>) -> Result<(), String> {
        if !self.options.context && self.options.base != Base::Context {
            return Ok(());
        }
        if !self.source.is_seekable() {
            return Err("a pipe this long cannot be read again".to_string());
        }
        let marked = self.mark_messages(view).map_err(|refusal| refusal.to_string());
        if marked.is_err() {
            // what was marked until then is no context
            self.rows = Rows {
                context: EntrySet::default(),
                made: Chunk::default(),
                made_of: Vec::new(),
                ..std::mem::take(&mut self.rows)
            };
            self.shown = EntrySet::default();
        }
        marked
    }

    fn mark_messages(&mut self, view: &View<'_>) -> Result<(), Refusal> {
        let branch = view.context_branch(view.leaf)?;
        view.each_message(&branch, &mut |shown| {
            let entry = view.entry(shown.node);
            if let Some(n) = entry {
                self.shown.insert(n);
            }
            let whole = shown.part == Part::Whole && shown.edit.is_none();
            match entry.filter(|_| whole && view.row(shown.node).kind == EntryType::Message) {
                Some(n) => {
                    self.rows.context.insert(n);
                }
                None => self.make(view, shown),
            }
        })?;
        self.rows.made.names = std::mem::take(&mut self.names).list;
        self.now = tokens_now(view, &branch.nodes);
        Ok(())
    }

    /// Measures a message that is made for the context.
    fn make(&mut self, view: &View<'_>, shown: &Shown) {
        let Some(message) = view.message(shown) else { return };
        let wrapped = format!("{{\"type\":\"message\",\"message\":{}}}", message.json);
        let mut scanner = Scanner::new();
        if scanner.scan(wrapped.as_bytes(), 0).is_err() {
            return;
        }
        let record = Record::new(wrapped.as_bytes(), &scanner);
        let role = Envelope::read(&record, true).role;
        let mut row = measure_alone(&record, EntryType::Message, role, &mut self.names);
        let entry = view.row(shown.node);
        row.kind = entry.kind;
        row.time = Some(entry.time).filter(|time| *time != NO_TIME);
        // what was spent on it belongs to an entry that is counted itself, or is not in the context
        if shown.part != Part::Whole {
            row.usage = None;
        }
        self.rows.made.push(&row);
        self.rows.made_of.push(view.entry(shown.node).unwrap_or(u32::MAX));
    }

    /// The heaviest entries of the base: of the context those of which the model sees most.
    fn heaviest(&self, branch: bool, context: bool) -> Vec<Heavy> {
        let rows = &self.rows;
        let looked = context && (self.options.context || self.options.base == Base::Context);
        let mut heaviest = Heaviest::of(self.options.heaviest);
        rows.each(self.options, |n, row, _, _| heaviest.offer(n, row.length));
        let mut reread = Reread::new(self.source);
        let heavy = |(n, bytes): (u32, u64)| {
            let entry = &self.session.entries[n as usize];
            let names = reread.record(entry, |record| {
                let text = |name: &[u8]| record.get_inner(name).and_then(|m| record.raw_string(m));
                let text = |name| text(name).map(|raw| crate::json::text::to_text(&raw[..raw.len().min(200)]));
                (text(b"role"), text(b"toolName"))
            });
            let (role, tool) = names.unwrap_or_default();
            Heavy {
                entry: n,
                line: entry.line,
                id: self.session.id_json(n),
                kind: entry.kind.name(),
                role: role.filter(|_| entry.kind == EntryType::Message),
                tool: tool.filter(|_| entry.role == Role::ToolResult),
                bytes,
                on_branch: branch && rows.branch.contains(n),
                in_context: looked.then(|| self.shown.contains(n)),
            }
        };
        heaviest.sorted().into_iter().map(heavy).collect()
    }
}

/// The heaviest of many entries.
struct Heaviest {
    most: usize,
    /// The lightest of those kept stands on top; of two alike the later one.
    kept: BinaryHeap<Reverse<(u64, Reverse<u32>)>>,
    /// The entry that was offered last: what belongs to it comes one behind the other.
    last: Option<(u32, u64)>,
}

impl Heaviest {
    fn of(most: usize) -> Heaviest {
        Heaviest { most, kept: BinaryHeap::with_capacity(most + 1), last: None }
    }

    fn offer(&mut self, n: u32, bytes: u64) {
        match &mut self.last {
            Some((last, sum)) if *last == n => *sum += bytes,
            _ => {
                self.settle();
                self.last = Some((n, bytes));
            }
        }
    }

    fn settle(&mut self) {
        let Some((n, bytes)) = self.last.take() else { return };
        let key = Reverse((bytes, Reverse(n)));
        if self.kept.len() < self.most || self.kept.peek().is_some_and(|least| key < *least) {
            self.kept.push(key);
            if self.kept.len() > self.most {
                self.kept.pop();
            }
        }
    }

    /// The heaviest first.
    fn sorted(mut self) -> Vec<(u32, u64)> {
        self.settle();
        self.kept.into_sorted_vec().into_iter().map(|Reverse((bytes, Reverse(n)))| (n, bytes)).collect()
    }
}

/// The tokens of the context as the last answer counted them; pi, too, knows none where no answer follows
/// the last compaction.
fn tokens_now(view: &View<'_>, nodes: &[u32]) -> Option<Sum> {
    let after = nodes.iter().rposition(|n| view.row(*n).kind == EntryType::Compaction).map_or(0, |at| at + 1);
    for &n in nodes[after..].iter().rev() {
        let row = view.row(n);
        if row.kind != EntryType::Message || row.role != Role::Assistant || row.has(flags::FAILED) {
            continue;
        }
        let usage = view.record(n, |record| {
            let usage = record.get_inner(b"usage").filter(|m| m.kind == Kind::Object)?;
            Some(read_usage(&record.bytes[usage.value.clone()]))
        });
        if let Some(usage) = usage.flatten() {
            let mut sum = UsageSum::default();
            sum.add(&usage);
            let [.., total] = sum.tokens;
            return Some(total);
        }
    }
    None
}
