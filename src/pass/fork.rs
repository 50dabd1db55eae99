//! `fork`: a new session from one branch, or from the whole tree, of another one.
//!
//! What pi 1.6 writes when it branches into a new file (FORMAT: what writing does), but by bytes: a line
//! changes only where it names something that is not in the new file.

use super::{Health, Members, version_text};
use crate::dialect::pi::EntryType;
use crate::edit::{Edit, Plan, Put, Why, line_end, line_start};
use crate::json::{self, Kind, Scanner};
use crate::record::Record;
use crate::rules::check::escape_line_feeds;
use crate::rules::kind::FileKind;
use crate::session::reread::Reread;
use crate::session::scan::is_truthy;
use crate::session::{Entry, RefKind, Session, flags};
use crate::source::{Source, shrunk};
use hashbrown::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::ops::Range;

/// The name under which its edits go.
const NAME: &str = "fork";

/// Why a session cannot be forked.
#[derive(Debug)]
pub enum ForkError {
    /// It is no session of pi, or has no header.
    NoSession,
    /// Its version is not 3: as it stands there.
    Version(String),
    /// The branch comes to a loop, at this entry.
    Loop(String),
    /// There is no entry of that name; some that are near.
    Unknown(String, Vec<String>),
    /// Several entries go by that name.
    Ambiguous(String, Vec<String>),
    /// The leaf has no id.
    NoId(String),
    /// It cannot be read again.
    Read(io::Error),
}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForkError::NoSession => {
                f.write_str("it is no session of pi, or has no header; `sesstool validate` tells more")
            }
            ForkError::Version(text) => {
                write!(
                    f,
                    "its version is {text}; only sessions of version 3 are forked (`sesstool migrate` makes them)"
                )
            }
            ForkError::Loop(id) => write!(f, "the branch runs in a loop at entry {id}: repair it first"),
            ForkError::Unknown(name, near) if near.is_empty() => {
                write!(f, "no entry has the id, the beginning of an id, or the label '{name}'")
            }
            ForkError::Unknown(name, near) => write!(
                f,
                "no entry has the id, the beginning of an id, or the label '{name}'; the nearest: {}",
                near.join(", ")
            ),
            ForkError::Ambiguous(name, list) => write!(f, "'{name}' may be any of these entries: {}", list.join(", ")),
            ForkError::NoId(line) => write!(f, "the entry on line {line} has no id: repair it first"),
            ForkError::Read(error) => write!(f, "cannot read it: {}", crate::source::inputs::reason(error)),
        }
    }
}

impl std::error::Error for ForkError {}

impl From<io::Error> for ForkError {
    fn from(error: io::Error) -> Self {
        ForkError::Read(error)
    }
}

/// What the new header says.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The session's id.
    pub id: String,
    /// Its time.
    pub timestamp: String,
    /// The path of the session that it comes from.
    pub parent_session: String,
}

/// The content of a new session.
pub struct Fork {
    pieces: Vec<Piece>,
    /// How many entries it has, labels at its end included.
    pub entries: u64,
    /// How many labels are written again at its end.
    pub labels: u64,
}

enum Piece {
    Copy(Range<u64>),
    Bytes(Vec<u8>),
}

/// The content of a new session: the branch that ends at `leaf`, or without one the whole tree.
///
/// # Errors
/// See [`ForkError`].
pub fn fork(source: &Source, health: &Health, leaf: Option<u32>, identity: &Identity) -> Result<Fork, ForkError> {
    let session = &health.session;
    let header = session.header.as_ref().filter(|_| matches!(health.kind, FileKind::Session));
    let header = header.ok_or(ForkError::NoSession)?;
    if session.version() != Some(3) {
        return Err(ForkError::Version(version_text(header.get("version"))));
    }
    let fork = Fork { pieces: Vec::new(), entries: 0, labels: 0 };
    let mut work = Work { source, session, reread: Reread::new(source), fork };
    work.header(header.offset, header.length, identity)?;
    match leaf {
        Some(leaf) => work.branch(leaf)?,
        None => (0..session.entries.len() as u32).try_for_each(|n| work.line(n, |_| {}))?,
    }
    Ok(work.fork)
}

struct Work<'a> {
    source: &'a Source,
    session: &'a Session,
    reread: Reread<'a>,
    fork: Fork,
}

impl Work<'_> {
    fn header(&mut self, offset: u64, length: u64, identity: &Identity) -> Result<(), ForkError> {
        let bytes = self.source.read_range(offset, length)?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string().into_bytes();
        let why = Why::safe(NAME, "a session of its own");
        let line = rewritten(bytes, |members| {
            members.set("id", &quoted(&identity.id), &why);
            members.set("timestamp", &quoted(&identity.timestamp), &why);
            members.set("parentSession", &quoted(&identity.parent_session), &why);
        })?;
        self.fork.pieces.push(Piece::Bytes(line));
        Ok(())
    }

    /// Writes the branch: labels leave it, and those whose target stays are written again at its end.
    fn branch(&mut self, leaf: u32) -> Result<(), ForkError> {
        let session = self.session;
        let path = path(session, leaf)?;
        let is_label = |n: u32| session.entries[n as usize].kind == EntryType::Label;
        let mut before: Option<u32> = None;
        for (place, &n) in path.iter().enumerate() {
            if is_label(n) {
                continue;
            }
            let parent = match place.checked_sub(1) {
                Some(at) if is_label(path[at]) => Some(before),
                // the branch begins here, whatever the entry hung on
                None if !session.entries[n as usize].has(flags::PARENT_NULL) => Some(None),
                _ => None,
            };
            let parent = parent.map(|parent| self.id_or_null(parent)).transpose()?;
            let kept = self.kept(n, &path)?;
            let why = Why::safe(NAME, "labels stand at the end of the branch");
            self.line(n, |members| {
                if let Some(parent) = &parent {
                    members.set("parentId", parent, &why);
                }
                if let Some(kept) = &kept {
                    members.set("firstKeptEntryId", kept, &why);
                }
            })?;
            before = Some(n);
        }
        for label in self.labels(&path) {
            let parent = self.id_or_null(before)?;
            let why = Why::safe(NAME, "labels stand at the end of the branch");
            self.line(label, |members| members.set("parentId", &parent, &why))?;
            self.fork.labels += 1;
            before = Some(label);
        }
        Ok(())
    }

    /// The id of the entry that a compaction keeps first, where that named a label: the next one on
    /// the branch that is none.
    fn kept(&mut self, n: u32, path: &[u32]) -> Result<Option<Vec<u8>>, ForkError> {
        let session = self.session;
        if session.entries[n as usize].kind != EntryType::Compaction {
            return Ok(None);
        }
        let start = session.refs.partition_point(|r| r.entry < n);
        let own = session.refs[start..].iter().take_while(|r| r.entry == n);
        let target = own.filter(|r| r.kind == RefKind::FirstKept).find_map(|r| r.target);
        let Some(place) = target.and_then(|target| path.iter().position(|&m| m == target)) else { return Ok(None) };
        let is_label = |n: u32| session.entries[n as usize].kind == EntryType::Label;
        if !is_label(path[place]) {
            return Ok(None);
        }
        let next = path[place..].iter().copied().find(|&m| !is_label(m));
        next.map(|next| self.id(next)).transpose()
    }

    /// The label entries that hold at the end of the file and name an entry of the branch, in the order
    /// in which their targets were first labelled.
    fn labels(&mut self, path: &[u32]) -> Vec<u32> {
        let is_label = |n: &u32| self.session.entries[*n as usize].kind == EntryType::Label;
        let stays: HashSet<u32> = path.iter().copied().filter(|n| !is_label(n)).collect();
        let mut labels: Vec<(u32, u32)> = Vec::new();
        for reference in self.session.refs.iter().filter(|r| r.kind == RefKind::LabelTarget) {
            let Some(target) = reference.target else { continue };
            if !stays.contains(&target) {
                continue;
            }
            let place = labels.iter().position(|(labelled, _)| *labelled == target);
            let sets = self.reread.record(&self.session.entries[reference.entry as usize], sets_label);
            match (sets.unwrap_or(false), place) {
                (true, Some(place)) => labels[place].1 = reference.entry,
                (true, None) => labels.push((target, reference.entry)),
                (false, Some(place)) => drop(labels.remove(place)),
                (false, None) => {}
            }
        }
        labels.into_iter().map(|(_, label)| label).collect()
    }

    fn id_or_null(&mut self, n: Option<u32>) -> Result<Vec<u8>, ForkError> {
        n.map_or_else(|| Ok(b"null".to_vec()), |n| self.id(n))
    }

    /// An entry's id as JSON.
    fn id(&mut self, n: u32) -> Result<Vec<u8>, ForkError> {
        let entry = &self.session.entries[n as usize];
        let id = self.reread.record(entry, |record| record.get(b"id").map(|m| record.bytes[m.value.clone()].to_vec()));
        match id {
            None => Err(shrunk().into()),
            Some(Some(id)) if entry.has(flags::ID) => Ok(id),
            Some(_) => Err(ForkError::NoId(entry.line.to_string())),
        }
    }

    /// Writes an entry as a line, with what `change` changes of it.
    fn line(&mut self, n: u32, change: impl FnOnce(&mut Members<'_>)) -> Result<(), ForkError> {
        let entry = &self.session.entries[n as usize];
        self.fork.entries += 1;
        if entry.has(flags::DROPPED) {
            // a record that was recovered: a line of its own
            let mut bytes = self.source.read_range(entry.offset, entry.length)?;
            if entry.has(flags::JOINED) {
                bytes = escape_line_feeds(&bytes);
            }
            let line = rewritten(bytes, change)?;
            self.fork.pieces.push(Piece::Bytes(line));
            return Ok(());
        }
        let edits = self.reread.record(entry, |record| {
            let mut members = Members::new(*record, entry.offset);
            change(&mut members);
            members.finish(&Why::safe(NAME, "labels stand at the end of the branch"))
        });
        self.copy_line(entry, edits.ok_or_else(shrunk)?)
    }

    /// Copies the line of an entry, with edits in it.
    fn copy_line(&mut self, entry: &Entry, mut edits: Vec<Edit>) -> Result<(), ForkError> {
        let mut at = line_start(self.source, entry.offset)?;
        let end = line_end(self.source, entry.offset + entry.length)?;
        edits.sort_by_key(|edit| edit.span.start);
        for edit in edits {
            self.copy(at..edit.span.start);
            if let Put::Bytes(bytes) = edit.put {
                self.fork.pieces.push(Piece::Bytes(bytes));
            }
            at = edit.span.end;
        }
        self.copy(at..end);
        if self.source.read_range(end - 1, 1)? != b"\n" {
            self.fork.pieces.push(Piece::Bytes(b"\n".to_vec()));
        }
        Ok(())
    }

    fn copy(&mut self, span: Range<u64>) {
        match self.fork.pieces.last_mut() {
            Some(Piece::Copy(last)) if last.end == span.start => last.end = span.end,
            _ => self.fork.pieces.push(Piece::Copy(span)),
        }
    }
}

impl Fork {
    /// Hands the bytes of the new session to `sink`.
    ///
    /// # Errors
    /// What reading or `sink` says.
    pub fn feed(&self, source: &Source, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Copy(span) => crate::edit::copy(source, span, sink),
            Piece::Bytes(bytes) => sink(bytes),
        })
    }

    /// Holds the new session against the one that it comes from.
    ///
    /// # Errors
    /// It is not what it should be, or has errors of a kind that the old one has not.
    pub fn verify(&self, before: &Health, identity: &Identity, output: &Source) -> Result<(), String> {
        let after = Health::of(output).map_err(|error| crate::source::inputs::reason(&error))?;
        let session = &after.session;
        let id = session.header.as_ref().and_then(|header| header.text("id"));
        if id != Some(&identity.id) || session.entries.len() as u64 != self.entries || session.facts.dropped > 0 {
            return Err("it does not read as it was written".to_string());
        }
        let had = |codes: &[&str]| before.errors.iter().any(|(code, ..)| codes.contains(code));
        let moves_leaf = session.entries.iter().any(|entry| entry.kind == EntryType::Leaf);
        let explained = |code: &str, _| match code {
            // what was off the branch is not there any more
            "R003" => had(&["R003", "R004"]),
            "R001" => moves_leaf,
            code => had(&[code]),
        };
        after.unexplained(explained).map_or(Ok(()), Err)
    }
}

/// The entries of a branch, the root first.
fn path(session: &Session, leaf: u32) -> Result<Vec<u32>, ForkError> {
    let mut path: Vec<u32> = session.path(leaf).collect();
    if let Some(&n) = path.iter().find(|n| session.is_in_loop(**n)) {
        return Err(ForkError::Loop(session.id_text(n)));
    }
    path.reverse();
    Ok(path)
}

/// A record with changes, as a line.
fn rewritten(bytes: Vec<u8>, change: impl FnOnce(&mut Members<'_>)) -> io::Result<Vec<u8>> {
    let mut scanner = Scanner::new();
    scanner.scan(&bytes, 0).map_err(|_| shrunk())?;
    let mut members = Members::new(Record::new(&bytes, &scanner), 0);
    change(&mut members);
    let edits = members.finish(&Why::safe(NAME, ""));
    let plan = Plan::new(bytes.len() as u64, edits).map_err(io::Error::other)?;
    let mut line = Vec::new();
    plan.apply(&Source::bytes(bytes), &mut |piece| {
        line.extend_from_slice(piece);
        Ok(())
    })?;
    line.push(b'\n');
    Ok(line)
}

/// Whether a label entry sets a label: what JavaScript takes for false clears it.
fn sets_label(record: &Record<'_>) -> bool {
    record.get(b"label").is_some_and(|label| match label.kind {
        Kind::Null => false,
        Kind::Array | Kind::Object => true,
        _ => is_truthy(&record.bytes[label.value.clone()]),
    })
}

/// How many entries an error names.
const MOST_NAMED: usize = 5;

/// The entry that a person names by its id, the beginning of its id, or its label.
///
/// # Errors
/// There is none, or more than one.
pub fn find_leaf(source: &Source, session: &Session, name: &str) -> Result<u32, ForkError> {
    if let Some(n) = session.find(name.as_bytes()) {
        return Ok(n);
    }
    let mut found = beginning_with(session, name);
    found.extend(labelled(source, session, name));
    found.sort_unstable();
    found.dedup();
    let ids = |list: &[u32]| list.iter().take(MOST_NAMED).map(|&n| session.id_text(n)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(ForkError::Unknown(name.to_string(), nearest(session, name))),
        _ => Err(ForkError::Ambiguous(name.to_string(), ids(&found))),
    }
}

/// The entries whose id begins so; of an id that is repeated only the last one.
fn beginning_with(session: &Session, name: &str) -> Vec<u32> {
    let begins = |n: &u32| {
        !session.entries[*n as usize].has(flags::EARLIER_COPY)
            && session.id(*n).is_some_and(|id| id.starts_with(name.as_bytes()))
    };
    (0..session.entries.len() as u32).filter(|_| !name.is_empty()).filter(begins).collect()
}

/// The entries that have this label at the end of the file.
fn labelled(source: &Source, session: &Session, name: &str) -> Vec<u32> {
    let mut reread = Reread::new(source);
    let mut labels: HashMap<u32, bool> = HashMap::new();
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::LabelTarget) {
        let Some(target) = reference.target else { continue };
        let entry = &session.entries[reference.entry as usize];
        let is_it = reread.record(entry, |record| {
            let label = record.get(b"label").and_then(|label| record.raw_string(label));
            label.is_some_and(|raw| *json::text::decode(raw) == *name.as_bytes())
        });
        labels.insert(target, is_it.unwrap_or(false));
    }
    let mut found: Vec<u32> = labels.into_iter().filter(|(_, is_it)| *is_it).map(|(target, _)| target).collect();
    found.sort_unstable();
    found
}

fn nearest(session: &Session, name: &str) -> Vec<String> {
    let ids = (0..session.entries.len() as u32).filter_map(|n| session.id(n));
    let scored = ids.map(|id| String::from_utf8_lossy(&id).into_owned());
    let mut scored: Vec<_> =
        scored.map(|id| (strsim::osa_distance(&id, name), id)).filter(|(far, _)| *far <= 3).collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(MOST_NAMED).map(|(_, id)| id).collect()
}
