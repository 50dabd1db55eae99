//! How rules are run: line and record checks while a file is scanned, session checks on the index.

use super::beside::Beside;
use super::finding::{Finding, Place, Repair, Severity, StoreFinding};
use super::kind::FileKind;
use super::{RULES, Rule, first_sentence};
use crate::json::{Scanner, Span};
use crate::record::Record;
use crate::session::graph::{self, Children, Intervals};
use crate::session::kin::Compared;
use crate::session::pairs::{Forest, Pairs};
use crate::session::scan::{LineView, Observer, RecordView};
use crate::session::set::EntrySet;
use crate::session::{Entry, Header, Ref, Session, flags};
use crate::source::inputs::Input;
use crate::source::{Source, manifest_path};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};

/// When and how a rule looks.
#[derive(Clone, Copy)]
pub enum Check {
    /// At every line on which one of these facts is set.
    Line(u32, fn(&LineView<'_>, &mut Sink)),
    /// At every record on which one of these facts is set.
    Record(u32, fn(&RecordView<'_>, &mut Sink)),
    /// Once, at the index of the whole file.
    Session(fn(&Audit<'_>, &mut Sink)),
    /// Once, at all files that are checked together.
    Store(fn(&Neighbours<'_>, &mut StoreSink<'_>)),
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Check::Line(..) => "Line",
            Check::Record(..) => "Record",
            Check::Session(_) => "Session",
            Check::Store(_) => "Store",
        })
    }
}

/// How many findings of one code are listed for a file; the rest is counted.
pub const MOST_LISTED: u64 = 1000;

/// Takes findings.
#[derive(Default)]
pub struct Sink {
    /// The findings, at most [`MOST_LISTED`] of a code.
    pub findings: Vec<Finding>,
    /// How many there are, by code and severity.
    pub counts: BTreeMap<(&'static str, Severity), u64>,
    /// Findings that stand for all of their kind in the file, and how many they stand for.
    grouped: BTreeMap<(&'static str, Vec<u8>), (Finding, u64)>,
}

/// How many groups are kept apart.
const MOST_GROUPS: usize = 1000;

impl Sink {
    /// Takes a finding, or only counts it where enough of its code are listed.
    pub fn add(&mut self, finding: Finding) {
        let code = finding.rule.code;
        *self.counts.entry((code, finding.severity)).or_default() += 1;
        if self.count(code) <= MOST_LISTED {
            self.findings.push(finding);
        }
    }

    /// Takes the finding that `make` makes; it is not called where it would only be counted.
    pub fn add_with(&mut self, rule: &'static Rule, severity: Severity, make: impl FnOnce() -> Finding) {
        if self.count(rule.code) < MOST_LISTED {
            self.add(Finding { severity, ..make() });
        } else {
            *self.counts.entry((rule.code, severity)).or_default() += 1;
        }
    }

    /// Takes a finding that is told once a file and group, at its first place, with the count.
    pub fn add_once(&mut self, group: &[u8], count: u64, make: impl FnOnce() -> Finding, rule: &'static Rule) {
        let key = (rule.code, group[..group.len().min(256)].to_vec());
        if let Some((_, n)) = self.grouped.get_mut(&key) {
            *n += count;
        } else if self.grouped.len() < MOST_GROUPS {
            self.grouped.insert(key, (make(), count));
        }
    }

    /// How many findings of a code there are.
    pub fn count(&self, code: &str) -> u64 {
        [Severity::Info, Severity::Warning, Severity::Error]
            .iter()
            .map(|s| self.counts.get(&(code, *s)).copied().unwrap_or(0))
            .sum()
    }

    /// Turns the grouped findings into findings with their count.
    pub(super) fn settle_groups(&mut self) {
        for (_, (mut finding, count)) in std::mem::take(&mut self.grouped) {
            if count > 1 {
                finding.message.push_str(&format!(" ({count} in this file, this is the first)"));
            }
            self.add(finding);
        }
    }

    /// Removes findings for which `drop` is true, from the counts too.
    pub(super) fn remove(&mut self, drop: impl Fn(&Finding) -> bool) {
        let counts = &mut self.counts;
        self.findings.retain(|finding| {
            let gone = drop(finding);
            if gone && let Some(n) = counts.get_mut(&(finding.rule.code, finding.severity)) {
                *n = n.saturating_sub(1);
            }
            !gone
        });
        counts.retain(|_, n| *n > 0);
    }

    /// Removes all findings of the codes for which `keep` is false, listed or not.
    pub(super) fn keep_codes(&mut self, keep: impl Fn(&str) -> bool) {
        self.findings.retain(|f| keep(f.rule.code));
        self.counts.retain(|(code, _), _| keep(code));
        self.grouped.retain(|(code, _), _| keep(code));
    }

    pub(super) fn append(&mut self, later: Sink, base: u64) {
        let moved = |mut finding: Finding| {
            for place in finding.place.iter_mut().chain(finding.related.iter_mut().map(|r| &mut r.place)) {
                place.line += base;
            }
            finding
        };
        let mut room: BTreeMap<&'static str, u64> = BTreeMap::new();
        for finding in later.findings {
            let listed = *room.entry(finding.rule.code).or_insert_with(|| self.count(finding.rule.code));
            if listed < MOST_LISTED {
                if let Some(n) = room.get_mut(finding.rule.code) {
                    *n += 1;
                }
                self.findings.push(moved(finding));
            }
        }
        for (key, n) in later.counts {
            *self.counts.entry(key).or_default() += n;
        }
        for (key, (finding, count)) in later.grouped {
            if let Some((_, n)) = self.grouped.get_mut(&key) {
                *n += count;
            } else if self.grouped.len() < MOST_GROUPS {
                self.grouped.insert(key, (moved(finding), count));
            }
        }
    }
}

/// What the rules about several files look at.
pub struct Neighbours<'a> {
    /// The files.
    pub beside: &'a Beside,
    /// How they stand to each other.
    pub compared: &'a Compared,
}

impl Neighbours<'_> {
    /// The names of files, as they are shown.
    pub fn names(&self, files: &[u32]) -> Vec<String> {
        files.iter().map(|n| self.beside.name(*n).to_string()).collect()
    }

    /// Short names of files for messages, in back-ticks: those without the folders, if that tells them apart.
    pub fn short_names(&self, files: &[u32]) -> Vec<String> {
        let names = files.iter().map(|n| super::beside::file_name(self.beside.input(*n)));
        let names: Vec<String> = names.collect();
        let different = names.iter().collect::<HashSet<_>>().len();
        match different == names.len() {
            true => names,
            false => files.iter().map(|n| super::quote_end(self.beside.name(*n))).collect(),
        }
    }
}

/// The severity with which a finding of a rule about these files counts, having this one itself; `None` if it
/// does not.
pub type Level<'a> = &'a dyn Fn(&Rule, Severity, &[String]) -> Option<Severity>;

/// Takes findings about several files.
pub struct StoreSink<'a> {
    level: Level<'a>,
    /// The findings, at most [`MOST_LISTED`] of a code.
    pub findings: Vec<StoreFinding>,
    /// How many there are, by code and severity.
    pub counts: BTreeMap<(&'static str, Severity), u64>,
}

impl<'a> StoreSink<'a> {
    /// An empty one, which takes what counts.
    pub fn new(level: Level<'a>) -> Self {
        StoreSink { level, findings: Vec::new(), counts: BTreeMap::new() }
    }

    /// Takes a finding, or only counts it where enough of its code are listed.
    pub fn add(&mut self, finding: StoreFinding) {
        let Some(severity) = (self.level)(finding.rule, finding.severity, &finding.files) else { return };
        let finding = StoreFinding { severity, ..finding };
        let code = finding.rule.code;
        *self.counts.entry((code, finding.severity)).or_default() += 1;
        if self.counts.range((code, Severity::Info)..=(code, Severity::Error)).map(|(_, n)| n).sum::<u64>()
            <= MOST_LISTED
        {
            self.findings.push(finding);
        }
    }
}

impl StoreFinding {
    /// A finding of a rule, with the rule's severity and the first sentence of what readers do.
    pub fn new(rule: &'static Rule, files: Vec<String>, message: impl Into<String>) -> StoreFinding {
        StoreFinding {
            rule,
            severity: rule.severity,
            files,
            message: message.into(),
            effect: first_sentence(rule.readers).to_string(),
            anchor: None,
        }
    }

    /// With another severity.
    pub fn severity(self, severity: Severity) -> StoreFinding {
        StoreFinding { severity, ..self }
    }

    /// With this effect.
    pub fn effect(self, effect: impl Into<String>) -> StoreFinding {
        StoreFinding { effect: effect.into(), ..self }
    }
}

/// Runs the line and record rules while a file is scanned.
#[derive(Default)]
pub struct Checker {
    /// What they found.
    pub sink: Sink,
}

type LineCheck = (u32, fn(&LineView<'_>, &mut Sink));
type RecordCheck = (u32, fn(&RecordView<'_>, &mut Sink));

static LINE_CHECKS: LazyLock<Vec<LineCheck>> = LazyLock::new(|| {
    let all = RULES.iter().flat_map(|r| r.checks);
    all.filter_map(|c| if let Check::Line(facts, run) = c { Some((*facts, *run)) } else { None }).collect()
});

static RECORD_CHECKS: LazyLock<Vec<RecordCheck>> = LazyLock::new(|| {
    let all = RULES.iter().flat_map(|r| r.checks);
    all.filter_map(|c| if let Check::Record(facts, run) = c { Some((*facts, *run)) } else { None }).collect()
});

impl Observer for Checker {
    fn line(&mut self, line: &LineView<'_>) {
        for (facts, run) in LINE_CHECKS.iter() {
            if line.facts & facts != 0 {
                run(line, &mut self.sink);
            }
        }
    }

    fn record(&mut self, record: &RecordView<'_>) {
        for (facts, run) in RECORD_CHECKS.iter() {
            if record.envelope.facts & facts != 0 {
                run(record, &mut self.sink);
            }
        }
    }

    fn append(&mut self, later: Self, base: u64) {
        self.sink.append(later.sink, base);
    }
}

/// What the session rules look at.
pub struct Audit<'a> {
    /// Where the bytes are.
    pub source: &'a Source,
    /// The index.
    pub session: &'a Session,
    /// The file's path, where it has one.
    pub path: Option<&'a Path>,
    /// The files that are checked with it, and which of them it is.
    pub beside: Option<(&'a Beside, u32)>,
    children: OnceLock<Children>,
    intervals: OnceLock<Intervals>,
    /// How many entries were walked over without them.
    walked: AtomicU64,
    loops: OnceLock<(Vec<Vec<u32>>, EntrySet)>,
    kind: OnceLock<FileKind>,
    pairs: OnceLock<Pairs>,
}

impl<'a> Audit<'a> {
    /// An audit of a session.
    pub fn new(source: &'a Source, session: &'a Session, path: Option<&'a Path>) -> Self {
        Audit {
            source,
            session,
            path,
            beside: None,
            children: OnceLock::new(),
            intervals: OnceLock::new(),
            walked: AtomicU64::new(0),
            loops: OnceLock::new(),
            kind: OnceLock::new(),
            pairs: OnceLock::new(),
        }
    }

    /// The same, of file `n` of those that are checked together.
    pub fn among(self, beside: &'a Beside, n: u32) -> Self {
        Audit { beside: Some((beside, n)), ..self }
    }

    /// How the file came to be read.
    fn input(&self) -> Option<(bool, bool)> {
        match self.beside.map(|(beside, n)| beside.input(n)) {
            Some(Input::File { named, leftover, .. }) => Some((*named, *leftover)),
            _ => None,
        }
    }

    /// Whether it is left over from an interrupted rewrite: then it is no session, whatever it holds.
    pub fn is_leftover(&self) -> bool {
        self.input().is_some_and(|(_, leftover)| leftover)
    }

    /// Whether it was met in a folder and is no session.
    pub fn is_stranger(&self) -> bool {
        let met = self.input().is_some_and(|(named, leftover)| !named && !leftover);
        met && match self.kind() {
            FileKind::Foreign(_) => true,
            FileKind::Session => !self.resembles_a_session(),
            _ => false,
        }
    }

    /// Whether anything in the file, or its name, looks like a session's.
    fn resembles_a_session(&self) -> bool {
        let facts = &self.session.facts;
        let broken_header = facts.first_line.as_ref().is_some_and(|line| line.broken_header);
        let named = || self.file_name().as_deref().and_then(super::file_name::parse).is_some();
        self.session.header.is_some() || facts.native > 0 || broken_header || !facts.lost.is_empty() || named()
    }

    /// Whether the session is so large that threads pay.
    fn is_large(&self) -> bool {
        self.session.entries.len() >= 10_000
    }

    /// Does two things, at the same time where that pays.
    pub fn side_by_side<A: Send, B: Send>(
        &self,
        one: impl FnOnce() -> A + Send,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.is_large() { rayon::join(one, other) } else { (one(), other()) }
    }

    /// Does the same for each of some things, at the same time where that pays.
    pub fn each<T: Sync, A: Send>(&self, all: &[T], work: impl Fn(&T) -> A + Send + Sync) -> Vec<A> {
        if self.is_large() { all.par_iter().map(work).collect() } else { all.iter().map(work).collect() }
    }

    /// What kind of file it is.
    pub fn kind(&self) -> FileKind {
        *self.kind.get_or_init(|| FileKind::of(self.source, self.session))
    }

    /// Children of every entry.
    pub fn children(&self) -> &Children {
        self.children.get_or_init(|| self.session.children())
    }

    /// Which result answers which call.
    pub fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| {
            Pairs::of(&Forest {
                session: self.session,
                children: self.children(),
                parent: &|n| self.session.parent(n),
                // of a repeated id only the last copy is in the tree
                counts: &|n| !self.session.entries[n as usize].has(flags::EARLIER_COPY),
                leaf: self.session.leaf(),
            })
        })
    }

    /// Whether `a` is `n` or one of its ancestors. Members of loops, and what hangs on them, are no one's.
    pub fn is_on_path(&self, a: u32, n: u32) -> bool {
        let session = self.session;
        if session.loops.is_empty() && self.intervals.get().is_none() {
            // what is asked for mostly stands a little above, and few ask
            let most = session.entries.len() as u64;
            let mut at = n;
            while self.walked.fetch_add(1, Ordering::Relaxed) < most {
                match session.parent(at) {
                    _ if at == a => return true,
                    Some(parent) => at = parent,
                    None => return false,
                }
            }
        }
        self.intervals().is_on_path(a, n)
    }

    /// Who is whose ancestor.
    pub fn intervals(&self) -> &Intervals {
        self.intervals.get_or_init(|| Intervals::of(self.session, self.children()))
    }

    /// The parent of an entry if each took the nearest earlier copy of an id that occurs twice.
    pub fn near_parent(&self, n: u32) -> Option<u32> {
        let near = &self.session.near;
        let found = near.binary_search_by_key(&n, |(child, _)| *child).ok();
        found.map(|at| near[at].1).or_else(|| self.session.parent(n))
    }

    /// Whether the parent that an entry names is its own id.
    pub fn names_itself(&self, n: u32) -> bool {
        let entry = &self.session.entries[n as usize];
        let Some(parent) = self.session.parent(n) else { return false };
        let repeated = !self.session.copies.is_empty() && entry.has(flags::ID);
        parent == n || repeated && self.session.has_same_id(parent, n)
    }

    fn loops(&self) -> &(Vec<Vec<u32>>, EntrySet) {
        self.loops.get_or_init(|| {
            let count = self.session.entries.len();
            // an entry that names its own id is a finding of its own
            let mut loops = match self.session.near.is_empty() {
                true => self.session.loops.clone(),
                false => graph::loops(count, |n| self.near_parent(n)),
            };
            loops.retain(|members| members.len() > 1 || !self.names_itself(members[0]));
            let members = loops.iter().flatten().copied().collect();
            (loops, members)
        })
    }

    /// The loops that do not come from a repeated id or from an entry that names itself.
    pub fn real_loops(&self) -> &[Vec<u32>] {
        &self.loops().0
    }

    /// Whether an entry is a member of one of [`real_loops`](Self::real_loops), or names itself.
    pub fn is_in_real_loop(&self, n: u32) -> bool {
        self.loops().1.contains(n) || self.names_itself(n)
    }

    /// Whether two entries are the same bytes.
    pub fn is_same_record(&self, a: u32, b: u32) -> bool {
        let (x, y) = (&self.session.entries[a as usize], &self.session.entries[b as usize]);
        if x.length != y.length {
            return false;
        }
        if let (Some(x), Some(y)) = (self.session.hash(a), self.session.hash(b))
            && (x != y || !self.source.is_seekable())
        {
            return x == y;
        }
        same_bytes(self.source, x.offset, y.offset, x.length)
    }

    /// Whether the first bytes of an entry are those at a place.
    pub fn begins_with(&self, n: u32, place: &Place) -> bool {
        let entry = &self.session.entries[n as usize];
        place.length <= entry.length && same_bytes(self.source, entry.offset, place.offset, place.length)
    }

    /// The child of `n` that is on the way to its descendant `below`.
    pub fn next_towards(&self, n: u32, below: u32) -> Option<u32> {
        let intervals = self.intervals();
        if !intervals.is_on_path(n, below) || n == below {
            return None;
        }
        let children = self.children().get(n);
        // children are walked in file order, so their intervals ascend
        let at = children.partition_point(|c| !intervals.is_after(*c, below));
        children.get(at.checked_sub(1)?).copied()
    }

    /// An entry's id in back-ticks, for messages.
    pub fn name(&self, n: u32) -> String {
        super::quote(self.session.id_text(n).as_bytes())
    }

    /// Whether the file is an output of this program that has its manifest beside it.
    pub fn is_own_output(&self) -> bool {
        self.path.is_some_and(has_manifest)
    }

    /// The file's name, where it has one.
    pub fn file_name(&self) -> Option<String> {
        Some(self.path?.file_name()?.to_string_lossy().into_owned())
    }

    /// Reads an entry again; `None` where the source cannot be read again. The bytes begin at the
    /// entry's offset (an entry of several lines has its line feeds escaped).
    pub fn reread<T>(&self, n: u32, look: impl FnOnce(&Record<'_>) -> T) -> Option<T> {
        let entry = &self.session.entries[n as usize];
        let mut bytes = self.source.read_range(entry.offset, entry.length).ok()?;
        if entry.has(flags::JOINED) {
            bytes = escape_line_feeds(&bytes);
        }
        Scanner::lend(|scanner| {
            scanner.scan(&bytes, 0).ok()?;
            Some(look(&Record::new(&bytes, scanner)))
        })
    }

    /// The place of a whole entry.
    pub fn place(&self, n: u32) -> Place {
        let entry = &self.session.entries[n as usize];
        self.place_of(entry, entry.offset, entry.length)
    }

    /// The place of an entry's id; the entry's first byte where it has none.
    pub fn id_place(&self, n: u32) -> Place {
        let entry = &self.session.entries[n as usize];
        let (offset, length) = entry.id_span().unwrap_or((entry.offset, 1));
        self.place_of(entry, offset, length)
    }

    /// The place of an entry's parent; the entry's first byte where it has none.
    pub fn parent_place(&self, n: u32) -> Place {
        let entry = &self.session.entries[n as usize];
        let (offset, length) = entry.parent_span().unwrap_or((entry.offset, 1));
        self.place_of(entry, offset, length)
    }

    /// The place of a member of an entry's record or message, where it can be read again; else of
    /// the entry's first byte.
    pub fn member_place(&self, n: u32, find: impl FnOnce(&Record<'_>) -> Option<Span>) -> Place {
        let entry = &self.session.entries[n as usize];
        let span = if entry.has(flags::JOINED) { None } else { self.reread(n, find).flatten() };
        match span {
            Some(span) => self.place_of(entry, entry.offset + span.start as u64, span.len() as u64),
            None => self.place_of(entry, entry.offset, 1),
        }
    }

    /// A place in an entry.
    pub fn place_of(&self, entry: &Entry, offset: u64, length: u64) -> Place {
        if entry.has(flags::JOINED) {
            return self.line_place(entry.line + self.line_feeds(entry.offset, offset), offset, length);
        }
        // an entry mostly begins where its line does: looking back from there finds that at once
        Place { line: entry.line, line_start: self.line_start(entry.line, entry.offset.min(offset)), offset, length }
    }

    /// A place in a header.
    pub fn header_place(&self, header: &Header, offset: u64, length: u64) -> Place {
        self.line_place(header.line + self.line_feeds(header.offset, offset), offset, length)
    }

    /// A place on line `line`.
    pub fn line_place(&self, line: u64, offset: u64, length: u64) -> Place {
        Place { line, line_start: self.line_start(line, offset), offset, length }
    }

    /// The place of a reference.
    pub fn ref_place(&self, reference: &Ref) -> Place {
        self.place_of(&self.session.entries[reference.entry as usize], reference.offset, reference.length)
    }

    /// How many line feeds stand in a part of a record: it may have been joined from several lines.
    fn line_feeds(&self, from: u64, to: u64) -> u64 {
        let bytes = self.source.read_range(from, to - from).unwrap_or_default();
        memchr::memchr_iter(b'\n', &bytes).count() as u64
    }

    /// Where the line of a byte begins, found by looking back.
    fn line_start(&self, line: u64, offset: u64) -> u64 {
        let mut end = offset;
        let mut step = 64;
        while end > 0 {
            let from = end.saturating_sub(step);
            let Ok(bytes) = self.source.read_range(from, end - from) else { return self.first_record(line, offset) };
            if let Some(at) = memchr::memrchr(b'\n', &bytes) {
                return from + at as u64 + 1;
            }
            end = from;
            step = (step * 8).min(1 << 20);
        }
        0
    }

    /// Where the first record of a line begins, which is nearly always where the line does; for
    /// sources that cannot be read again.
    fn first_record(&self, line: u64, offset: u64) -> u64 {
        if let Some(start) = self.session.odd_line_start(line) {
            return start;
        }
        let entries = &self.session.entries;
        let entry = entries.get(entries.partition_point(|e| e.line < line)).filter(|e| e.line == line);
        let header = self.session.header.as_ref().filter(|h| h.line == line);
        let starts = entry.map(|e| e.offset).into_iter().chain(header.map(|h| h.offset));
        starts.min().unwrap_or(offset).min(offset)
    }
}

/// Whether the manifest of an output of this program stands beside a file.
pub fn has_manifest(path: &Path) -> bool {
    manifest_path(path).is_file()
}

fn same_bytes(source: &Source, mut a: u64, mut b: u64, length: u64) -> bool {
    const STEP: u64 = 1 << 20;
    let mut left = length;
    while left > 0 {
        let n = left.min(STEP);
        match (source.read_range(a, n), source.read_range(b, n)) {
            (Ok(x), Ok(y)) if x == y => {}
            _ => return false,
        }
        (a, b, left) = (a + n, b + n, left - n);
    }
    true
}

/// An entry of several lines as one: each line feed as its escape.
pub fn escape_line_feeds(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 16);
    for &byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            byte => out.push(byte),
        }
    }
    out
}

impl Finding {
    /// A finding of a rule, with the rule's severity, repair and the first sentence of what readers do.
    pub fn new(rule: &'static Rule, place: impl Into<Option<Place>>, message: impl Into<String>) -> Finding {
        Finding {
            rule,
            severity: rule.severity,
            place: place.into(),
            entry: None,
            message: message.into(),
            effect: first_sentence(rule.readers).to_string(),
            repair: rule.repair,
            related: Vec::new(),
            excerpt: None,
            anchor: None,
        }
    }

    /// With another severity.
    pub fn severity(self, severity: Severity) -> Finding {
        Finding { severity, ..self }
    }

    /// With this effect.
    pub fn effect(self, effect: impl Into<String>) -> Finding {
        Finding { effect: effect.into(), ..self }
    }

    /// With another kind of repair.
    pub fn repair(self, repair: Repair) -> Finding {
        Finding { repair, ..self }
    }

    /// About the entry with this id (JSON).
    pub fn entry(self, entry: Option<String>) -> Finding {
        Finding { entry, ..self }
    }

    /// Naming another place.
    pub fn related(mut self, place: Place, message: impl Into<String>) -> Finding {
        self.related.push(super::Related { place, message: message.into() });
        self
    }
}

impl LineView<'_> {
    /// A place on the line: `span` counts from the line's start.
    pub fn place(&self, span: &Span) -> Place {
        Place {
            line: self.number,
            line_start: self.offset,
            offset: self.offset + span.start as u64,
            length: span.len() as u64,
        }
    }
}

impl RecordView<'_> {
    /// The place of a span of the record.
    pub fn at(&self, span: &Span) -> Place {
        let (offset, length) = self.place(span);
        let (line, line_start) = self.line_of(span);
        Place { line, line_start, offset, length }
    }

    /// The place of the record's first byte: where something is missing.
    pub fn start_place(&self) -> Place {
        let span = self.span();
        self.at(&(span.start..span.start + 1))
    }

    /// The entry's id as JSON.
    pub fn id_json(&self) -> Option<String> {
        match &self.envelope.id {
            crate::session::envelope::Id::Text(text, _) => Some(crate::json::text::to_json(text)),
            _ => None,
        }
    }
}
