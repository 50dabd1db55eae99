//! `migrate`: version 1 and 2 to version 3, by edits inside the lines.
//!
//! What pi 1.6 does when it opens such a file (FORMAT: migration), with three differences: the ids are
//! derived from the content, a tree that stands under a version 1 header is kept, and nothing is
//! written anew that need not change.

use super::{Health, Members, records, version_text};
use crate::dialect::pi::{EntryType, Role};
use crate::edit::{Edit, Kind, Plan, PlanError, Why};
use crate::json::{Kind as JsonKind, Member, Scanner};
use crate::record::Record;
use crate::rules::kind::FileKind;
use crate::session::derived_ids::{self, Derived};
use crate::session::reread::Reread;
use crate::session::{Entry, Header, HeaderField, Session, flags};
use crate::source::{Source, shrunk};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::io;

/// The name under which its edits stand in the manifest.
const NAME: &str = "migrate";

/// The only version that can be migrated to.
pub const TARGET: u32 = 3;

/// Why a file cannot be migrated.
#[derive(Debug)]
pub enum MigrateError {
    /// It is no session: what it is.
    NoSession(String),
    /// It has no header.
    NoHeader,
    /// The header's line is damaged, so that pi does not see it: the line.
    DamagedHeader(u64),
    /// The header's version is none that pi migrates: as it stands there.
    Version(String),
    /// It cannot be read again.
    Read(io::Error),
    /// The edits make no plan.
    Plan(PlanError),
}

impl fmt::Display for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MigrateError::NoSession(what) => write!(f, "it is {what}, no session of pi"),
            MigrateError::NoHeader => f.write_str("it has no header; repair it first"),
            MigrateError::DamagedHeader(line) => {
                write!(f, "its header, on line {line}, is damaged, so that pi does not see it; repair it first")
            }
            MigrateError::Version(text) => {
                write!(f, "its version is {text}; versions 1 and 2 are migrated, and pi takes this for neither")
            }
            MigrateError::Read(error) => write!(f, "cannot read it: {}", crate::source::inputs::reason(error)),
            MigrateError::Plan(error) => write!(f, "cannot plan its migration: {error}"),
        }
    }
}

impl std::error::Error for MigrateError {}

impl From<io::Error> for MigrateError {
    fn from(error: io::Error) -> Self {
        MigrateError::Read(error)
    }
}

/// How a file is migrated.
pub struct Migration {
    /// The version in the header as it stands there; `none` where there is none.
    pub from: String,
    /// The edits.
    pub plan: Plan,
    /// How much is done of what.
    pub done: Done,
    /// Lines that are damaged, and copied as they are.
    pub damaged: u64,
    /// Records on them, which pi does not see: they get no id.
    pub unseen: u64,
    /// What is worth knowing, a sentence each.
    pub notes: Vec<String>,
    /// The lines of compactions that keep nothing any more.
    without_kept: BTreeSet<u64>,
}

/// How many of what were changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Headers that got a version.
    pub headers: u64,
    /// Entries that got an id, a parent, or both.
    pub linked: u64,
    /// `firstKeptEntryIndex` that became `firstKeptEntryId`.
    pub kept: u64,
    /// `firstKeptEntryIndex` that named nothing, and are gone.
    pub kept_nothing: u64,
    /// Roles `hookMessage` that became `custom`.
    pub roles: u64,
}

/// How the entries of an old file hang together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// In a line, without ids of their own (version 1).
    Line,
    /// As a tree under a version 1 header (rule H008).
    OldTree,
    /// As a tree (version 2).
    Tree,
}

/// Plans the migration of a file; `None` where it is of version 3 already.
///
/// # Errors
/// See [`MigrateError`].
pub fn plan(source: &Source, health: &Health) -> Result<Option<Migration>, MigrateError> {
    refuse_others(health)?;
    let session = &health.session;
    let header = session.header.as_ref().ok_or(MigrateError::NoHeader)?;
    if header.dropped {
        return Err(MigrateError::DamagedHeader(header.line));
    }
    let field = header.get("version");
    let from = version_text(field);
    let version = as_number(field);
    if field.is_some_and(|field| field.kind == JsonKind::Number) && version == f64::from(TARGET) {
        return Ok(None);
    }
    // what is no number to JavaScript is below nothing
    if version.partial_cmp(&f64::from(TARGET)) != Some(Ordering::Less) {
        return Err(MigrateError::Version(from));
    }
    let mut pass = Pass::new(source, session, shape(session, version))?;
    pass.headers(header)?;
    pass.entries()?;
    pass.finish(from).map(Some)
}

fn refuse_others(health: &Health) -> Result<(), MigrateError> {
    let what = match health.kind {
        FileKind::Session => return Ok(()),
        FileKind::Empty => "an empty file".to_string(),
        FileKind::Blank => "a file of blanks".to_string(),
        FileKind::NotText(what, _) => what.to_string(),
        FileKind::Foreign(dialect) => dialect.title.to_string(),
    };
    Err(MigrateError::NoSession(what))
}

/// The version as pi 1.6 compares it: absent and null count as 1, booleans and strings as JavaScript
/// makes numbers of them.
fn as_number(field: Option<&HeaderField>) -> f64 {
    let Some(field) = field else { return 1.0 };
    match field.kind {
        JsonKind::Null => 1.0,
        JsonKind::Bool => f64::from(u8::from(field.text == "true")),
        JsonKind::Number => field.text.parse().unwrap_or(f64::NAN),
        JsonKind::String if field.text.trim().is_empty() => 0.0,
        JsonKind::String => field.text.trim().parse().unwrap_or(f64::NAN),
        JsonKind::Array | JsonKind::Object => f64::NAN,
    }
}

fn shape(session: &Session, version: f64) -> Shape {
    let has_ids = session.entries.iter().any(|entry| entry.has(flags::ID));
    match version < 2.0 {
        true if session.is_tree_in_old_clothes() => Shape::OldTree,
        true => Shape::Line,
        false if has_ids || session.entries.is_empty() => Shape::Tree,
        // version 2 over entries without ids (rule H008)
        false => Shape::Line,
    }
}

fn points_forward(session: &Session) -> bool {
    let forward = |n: u32| session.parent(n).is_some_and(|parent| parent > n);
    !session.copies.is_empty() || session.pending.iter().any(|(n, _)| forward(*n))
}

/// A migration under way.
struct Pass<'a> {
    source: &'a Source,
    session: &'a Session,
    shape: Shape,
    /// Ids for entries that have none, by their place in the session.
    derived: Vec<Option<Derived>>,
    /// Whether a parent may stand behind its child: one does, or an id is repeated.
    points_forward: bool,
    /// The records as pi counts them, where an index has to be looked up.
    records: Option<Vec<u64>>,
    edits: Vec<Edit>,
    done: Done,
    notes: Vec<String>,
    without_kept: BTreeSet<u64>,
}

impl<'a> Pass<'a> {
    fn new(source: &'a Source, session: &'a Session, shape: Shape) -> io::Result<Self> {
        let derived = if shape == Shape::Tree { Vec::new() } else { derived_ids::of_session(source, session) };
        Ok(Pass {
            source,
            session,
            shape,
            derived,
            points_forward: points_forward(session),
            records: None,
            edits: Vec::new(),
            done: Done::default(),
            notes: Vec::new(),
            without_kept: BTreeSet::new(),
        })
    }

    /// Sets the version of the header, and of further ones: the entries behind those change, too.
    fn headers(&mut self, first: &Header) -> io::Result<()> {
        let further = self.session.extra_headers.iter().filter(|header| !header.dropped);
        for header in std::iter::once(first).chain(further) {
            let bytes = self.source.read_range(header.offset, header.length)?;
            let mut scanner = Scanner::new();
            scanner.scan(&bytes, 0).map_err(|_| shrunk())?;
            let why = match self.shape {
                Shape::OldTree => Why::assumed("H008", "the entries have ids and parents, so the version is set"),
                _ => Why::safe(NAME, "the version is set"),
            };
            let mut members = Members::new(Record::new(&bytes, &scanner), header.offset);
            members.set("version", b"3", &why);
            let edits = members.finish(&why);
            self.done.headers += u64::from(!edits.is_empty());
            self.edits.extend(edits);
        }
        Ok(())
    }

    /// Migrates the entries that pi sees, in file order; each hangs on the one before.
    fn entries(&mut self) -> io::Result<()> {
        let mut reread = Reread::new(self.source);
        let mut before = b"null".to_vec();
        for (n, entry) in (0..).zip(&self.session.entries) {
            if entry.has(flags::DROPPED) || !self.needs_change(entry) {
                continue;
            }
            let id = reread.record(entry, |record| self.entry(n, entry, *record, &before));
            before = id.ok_or_else(shrunk)??;
        }
        Ok(())
    }

    /// Whether anything about an entry can change; in a tree of version 2 little can.
    fn needs_change(&self, entry: &Entry) -> bool {
        self.shape != Shape::Tree || entry.role == Role::HookMessage
    }

    /// Migrates one entry; its id as JSON.
    fn entry(&mut self, n: u32, entry: &Entry, record: Record<'_>, before: &[u8]) -> io::Result<Vec<u8>> {
        let mut members = Members::new(record, entry.offset);
        let id = self.id(n, &record);
        let why = self.link(entry, &mut members, &id, before);
        if self.shape != Shape::Tree && entry.kind == EntryType::Compaction {
            self.first_kept(n, entry, &mut members)?;
        }
        if entry.kind == EntryType::Message && entry.role == Role::HookMessage {
            self.role(&mut members);
        }
        self.edits.extend(members.finish(&why));
        Ok(id)
    }

    /// The id that an entry has from now on, as JSON.
    fn id(&self, n: u32, record: &Record<'_>) -> Vec<u8> {
        let own = || record.get(b"id").map_or_else(|| b"null".to_vec(), |m| record.bytes[m.value.clone()].to_vec());
        let has_own = self.session.entries[n as usize].has(flags::ID);
        match self.derived.get(n as usize) {
            // in a tree a repeated id is another damage, and repaired elsewhere
            Some(Some(derived)) if !(self.shape == Shape::OldTree && has_own) => quoted(derived),
            _ => own(),
        }
    }

    /// Gives an entry its id and its parent; why, for what is added.
    fn link(&mut self, entry: &Entry, members: &mut Members<'_>, id: &[u8], before: &[u8]) -> Why {
        let why = match self.shape {
            Shape::Line => Why::safe(NAME, "every entry gets an id, and the one before it as its parent"),
            _ => Why::assumed(NAME, "in a tree without this entry's id or parent, it hangs on the one written before"),
        };
        let changes = members.changes();
        if self.shape == Shape::Line || self.shape == Shape::OldTree && !entry.has(flags::ID) {
            members.set("id", id, &why);
        }
        if self.shape == Shape::Line || self.shape == Shape::OldTree && entry.has(flags::PARENT_ABSENT) {
            // an entry that others before it hang on could end up below itself
            let is_root = self.shape == Shape::OldTree && self.points_forward && entry.has(flags::ID);
            members.set("parentId", if is_root { b"null" } else { before }, &why);
        }
        self.done.linked += u64::from(members.changes() > changes);
        why
    }

    fn role(&mut self, members: &mut Members<'_>) {
        let Some(role) = members.record.get_inner(b"role") else { return };
        let why = Why::safe(NAME, "the role hookMessage is called custom from version 3 on");
        members.replace(role.value.clone(), b"\"custom\"", why);
        self.done.roles += 1;
    }

    /// Turns a compaction's index into an id. pi leaves an index alone that is no number.
    fn first_kept(&mut self, n: u32, entry: &Entry, members: &mut Members<'_>) -> io::Result<()> {
        const INDEX: &[u8] = b"firstKeptEntryIndex";
        let Some(member) = members.record.get(INDEX).filter(|member| member.kind == JsonKind::Number) else {
            return Ok(());
        };
        let text = members.record.raw(&member.value);
        let index: f64 = text.parse().unwrap_or(f64::NAN);
        let target = self.seen_at(n, index)?;
        let recovered = self.recovered_at(n, index);
        let why = self.why_kept(entry, &text, target, recovered);
        let has_id = members.record.get(b"firstKeptEntryId").is_some();
        match target.map(|target| self.id_of(target)).transpose()? {
            None => {
                members.remove(INDEX, None, &why);
                self.done.kept_nothing += 1;
                self.without_kept.insert(entry.line);
            }
            Some(id) if has_id => {
                members.set("firstKeptEntryId", &id, &why);
                members.remove(INDEX, None, &why);
                self.done.kept += 1;
            }
            Some(id) => {
                rename(members, member, &id, &why);
                members.remove(INDEX, Some(member), &why);
                self.done.kept += 1;
            }
        }
        Ok(())
    }

    /// The entry that an index names as pi counts: over the lines that it reads, and only among those
    /// that have an id by then.
    fn seen_at(&mut self, compaction: u32, index: f64) -> io::Result<Option<u32>> {
        if self.records.is_none() {
            self.records = Some(records::offsets(self.source)?);
        }
        let offset = as_place(index).and_then(|place| self.records.as_ref()?.get(place));
        let Some(&offset) = offset else { return Ok(None) };
        let entries = &self.session.entries;
        let found = entries.binary_search_by_key(&offset, |entry| entry.offset).ok().map(|n| n as u32);
        Ok(found.filter(|&n| n <= compaction || self.shape == Shape::OldTree))
    }

    /// The entry that an index names if the records on damaged lines count, too.
    fn recovered_at(&self, compaction: u32, index: f64) -> Option<u32> {
        let entries = &self.session.entries;
        let mut left = as_place(index)?.checked_sub(1)?;
        let mut further = self.session.extra_headers.iter().peekable();
        for (n, entry) in (0..=compaction).zip(entries) {
            while further.next_if(|header| header.offset < entry.offset).is_some() {
                left = left.checked_sub(1)?;
            }
            if left == 0 {
                return Some(n);
            }
            left -= 1;
        }
        None
    }

    /// Why an index becomes this id; a note where the damage has a part in it.
    fn why_kept(&mut self, entry: &Entry, index: &str, target: Option<u32>, recovered: Option<u32>) -> Why {
        let line = |n: Option<u32>| {
            n.map_or_else(|| "nothing".to_string(), |n| format!("line {}", self.session.entries[n as usize].line))
        };
        if target == recovered {
            return Why::safe(NAME, format!("index {index} over the records of the file names {}", line(target)));
        }
        let (seen, all) = (line(target), line(recovered));
        self.notes.push(format!(
            "the kept range of the compaction on line {}: index {index} names {seen} as pi counts, and {all} if the \
             records on damaged lines count, too",
            entry.line
        ));
        Why {
            cause: NAME,
            kind: Kind::Assumed,
            reason: format!("index {index} names {seen} as pi counts, past damaged lines").into(),
        }
    }

    fn id_of(&self, n: u32) -> io::Result<Vec<u8>> {
        let entry = &self.session.entries[n as usize];
        let id = Reread::new(self.source).record(entry, |record| self.id(n, record));
        id.ok_or_else(shrunk)
    }

    fn finish(self, from: String) -> Result<Migration, MigrateError> {
        let (session, size) = (self.session, self.source.size().unwrap_or(0));
        Ok(Migration {
            from,
            plan: Plan::new(size, self.edits).map_err(MigrateError::Plan)?,
            done: self.done,
            damaged: session.facts.dropped,
            unseen: session.entries.iter().filter(|entry| entry.has(flags::DROPPED)).count() as u64,
            notes: self.notes,
            without_kept: self.without_kept,
        })
    }
}

/// An index as a place in a list; `None` where JavaScript finds nothing.
fn as_place(index: f64) -> Option<usize> {
    (index >= 0.0 && index.fract() == 0.0 && index < 1e15).then_some(index as usize)
}

/// Turns the member with an index into one with an id.
fn rename(members: &mut Members<'_>, member: &Member, id: &[u8], why: &Why) {
    let renamed = [b"\"firstKeptEntryId\":".as_slice(), id].concat();
    members.replace(member.key.start - 1..member.value.end, &renamed, why.clone());
}

fn quoted(id: &Derived) -> Vec<u8> {
    [b"\"".as_slice(), id, b"\""].concat()
}

impl Migration {
    /// Holds the new file against the old one.
    ///
    /// # Errors
    /// An error in the new file that the old one's damage does not explain.
    pub fn verify(&self, before: &Health, output: &Source) -> Result<(), String> {
        let after = Health::of(output).map_err(|error| crate::source::inputs::reason(&error))?;
        let (old, new) = (&before.session, &after.session);
        if (old.entries.len(), old.facts.lines) != (new.entries.len(), new.facts.lines) {
            return Err("it has not as many lines and entries as the input".to_string());
        }
        let kept = |code: &str| matches!(code, "R003" | "R004");
        // where every entry is on a damaged line, none has an id
        let none_seen = self.unseen == old.entries.len() as u64;
        let explained = |code: &str, line: u64| {
            before.has(code, line)
                || before.damaged.contains(&line)
                || code == "H008" && none_seen
                || kept(code) && self.without_kept.contains(&line)
                || kept(code) && (before.has("R003", line) || before.has("R004", line))
        };
        after.unexplained(explained).map_or(Ok(()), Err)
    }
}
