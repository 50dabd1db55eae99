//! The content of a session that is copied from another one: a branch of it, or all of it.
//!
//! What pi 1.6 writes when it branches into a new file (FORMAT: what writing does), but by bytes: a line
//! changes only where it names something that is not in the new session.

use crate::dialect::pi::EntryType;
use crate::edit::{Edit, Members, Plan, Put, Why, line_end, line_start};
use crate::json::{Kind, Scanner};
use crate::record::Record;
use crate::rules::check::escape_line_feeds;
use crate::session::reread::Reread;
use crate::session::scan::is_truthy;
use crate::session::{Entry, Header, RefKind, Session, flags};
use crate::source::{Source, shrunk};
use hashbrown::{HashMap, HashSet};
use std::io;
use std::ops::Range;

/// The name under which its edits go.
const NAME: &str = "fork";

/// Why a branch cannot be copied.
#[derive(Debug)]
pub(crate) enum BranchError {
    /// It comes to a loop, at this entry.
    Loop(String),
    /// The entry on this line has no id.
    NoId(String),
    /// It cannot be read again.
    Read(io::Error),
}

impl From<io::Error> for BranchError {
    fn from(error: io::Error) -> Self {
        BranchError::Read(error)
    }
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

/// A session under way that is copied from another one.
pub(crate) struct Copying<'a> {
    source: &'a Source,
    session: &'a Session,
    reread: Reread<'a>,
    fork: Fork,
}

impl<'a> Copying<'a> {
    /// Nothing is copied yet.
    pub(crate) fn new(source: &'a Source, session: &'a Session) -> Self {
        let fork = Fork { pieces: Vec::new(), entries: 0, labels: 0 };
        Copying { source, session, reread: Reread::new(source), fork }
    }

    /// The new session.
    pub(crate) fn finish(self) -> Fork {
        self.fork
    }

    /// Writes the old header's line with other values (JSON) of these members.
    pub(crate) fn header(&mut self, old: &Header, members: &[(&str, Vec<u8>)]) -> Result<(), BranchError> {
        let bytes = self.source.read_range(old.offset, old.length)?;
        let why = Why::safe(NAME, "a session of its own");
        let line = rewritten(bytes, |record| members.iter().for_each(|(name, value)| record.set(name, value, &why)))?;
        self.fork.pieces.push(Piece::Bytes(line));
        Ok(())
    }

    /// Writes every entry.
    pub(crate) fn all(&mut self) -> Result<(), BranchError> {
        (0..self.session.entries.len() as u32).try_for_each(|n| self.line(n, |_| {}))
    }

    /// Writes the branch: labels leave it, and those whose target stays are written again at its end. What
    /// moves the leaf leaves it too: there is one branch, and the target may not be on it.
    pub(crate) fn branch(&mut self, leaf: u32) -> Result<(), BranchError> {
        let session = self.session;
        let path = path(session, leaf)?;
        let leaves = |n: u32| leaves_the_chain(session, n);
        let behind = behind_left(&path, leaves);
        let mut before: Option<u32> = None;
        for (place, &n) in path.iter().enumerate() {
            if leaves(n) {
                continue;
            }
            let parent = match place.checked_sub(1) {
                Some(at) if leaves(path[at]) => Some(before),
                // the branch begins here, whatever the entry hung on
                None if !session.entries[n as usize].has(flags::PARENT_NULL) => Some(None),
                _ => None,
            };
            let parent = parent.map(|parent| self.id_or_null(parent)).transpose()?;
            let kept = self.kept(n, &behind)?;
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

    /// The id of the entry that a compaction keeps first, where that named one that leaves the branch: the
    /// next one that stays.
    fn kept(&mut self, n: u32, behind: &HashMap<u32, u32>) -> Result<Option<Vec<u8>>, BranchError> {
        let kept = self.session.reference(n, RefKind::FirstKept).and_then(|reference| reference.target);
        kept.and_then(|label| behind.get(&label)).map(|next| self.id(*next)).transpose()
    }

    /// The label entries that hold at the end of the file and name an entry of the branch, in the order
    /// in which their targets were first labelled.
    fn labels(&mut self, path: &[u32]) -> Vec<u32> {
        let stays: HashSet<u32> = path.iter().copied().filter(|n| !leaves_the_chain(self.session, *n)).collect();
        // of each target when it was first labelled, and the label that counts
        let mut labels: HashMap<u32, (u32, u32)> = HashMap::new();
        for reference in self.session.refs.iter().filter(|r| r.kind == RefKind::LabelTarget) {
            let Some(target) = reference.target.filter(|target| stays.contains(target)) else { continue };
            let label = reference.entry;
            match self.reread.record(&self.session.entries[label as usize], sets_label) {
                Some(true) => drop(labels.entry(target).and_modify(|known| known.1 = label).or_insert((label, label))),
                _ => drop(labels.remove(&target)),
            }
        }
        let mut labels: Vec<(u32, u32)> = labels.into_values().collect();
        labels.sort_unstable();
        labels.into_iter().map(|(_, label)| label).collect()
    }

    fn id_or_null(&mut self, n: Option<u32>) -> Result<Vec<u8>, BranchError> {
        n.map_or_else(|| Ok(b"null".to_vec()), |n| self.id(n))
    }

    /// An entry's id as JSON.
    fn id(&mut self, n: u32) -> Result<Vec<u8>, BranchError> {
        let entry = &self.session.entries[n as usize];
        let id = self.reread.record(entry, |record| record.get(b"id").map(|m| record.bytes[m.value.clone()].to_vec()));
        match id {
            None => Err(shrunk().into()),
            Some(Some(id)) if entry.has(flags::ID) => Ok(id),
            Some(_) => Err(BranchError::NoId(entry.line.to_string())),
        }
    }

    /// Writes an entry as a line, with what `change` changes of it.
    fn line(&mut self, n: u32, change: impl FnOnce(&mut Members<'_>)) -> Result<(), BranchError> {
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
    fn copy_line(&mut self, entry: &Entry, mut edits: Vec<Edit>) -> Result<(), BranchError> {
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
}

/// The entries of a branch, the root first.
fn path(session: &Session, leaf: u32) -> Result<Vec<u32>, BranchError> {
    let mut path: Vec<u32> = session.path(leaf).collect();
    if let Some(&n) = path.iter().find(|n| session.is_in_loop(**n)) {
        return Err(BranchError::Loop(session.id_text(n)));
    }
    path.reverse();
    Ok(path)
}

/// Whether an entry is not copied at its place on the branch.
fn leaves_the_chain(session: &Session, n: u32) -> bool {
    matches!(session.entries[n as usize].kind, EntryType::Label | EntryType::Leaf)
}

/// For each entry that leaves the branch the next one that stays.
fn behind_left(path: &[u32], leaves: impl Fn(u32) -> bool) -> HashMap<u32, u32> {
    let mut behind = HashMap::new();
    let mut next = None;
    for &n in path.iter().rev() {
        match next {
            _ if !leaves(n) => next = Some(n),
            Some(next) => drop(behind.insert(n, next)),
            None => {}
        }
    }
    behind
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
