//! The log: what is in it, where the next entry goes, and how it gets there.

use super::error::Error;
use super::{JsonlStorage, MemoryStorage, Options, Storage, place};
use crate::dialect::pi::{EntryType, Role};
use crate::dialect::time;
use crate::edit::line_start;
use crate::json::Scanner;
use crate::rules::check::Checker;
use crate::session::grow::Staged;
use crate::session::scan::scan;
use crate::session::view::{Reader, View};
use crate::session::{Entry, HeaderField, MOST_ENTRIES, RefKind, RefValue, Session, Shape, flags};
use crate::source::Source;
use hashbrown::HashSet;
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// A session that is written: an append-only tree of entries.
///
/// The *leaf* is the current position. What is appended hangs on it and becomes the leaf; going back moves
/// the leaf and changes nothing that was written, and a branch is whatever is appended after that.
///
/// See the [module](super) for examples.
pub struct SessionLog {
    pub(super) storage: Box<dyn Storage>,
    /// What is not stored yet: the header's line and those of the entries before the first message.
    pub(super) backlog: Option<Source>,
    pub(super) session: Session,
    pub(super) leaf: Option<u32>,
    /// How the stored bytes end.
    tail: Tail,
    /// Ids that something names although no entry has them: an entry with such an id would be given
    /// children and labels that are not meant for it.
    named: HashSet<Vec<u8>>,
    /// Why nothing more can be added: what the header says of the version.
    version: Option<String>,
    /// What is stored is unknown since this was said.
    lost: Option<(io::ErrorKind, String)>,
    scanner: Scanner,
    /// The line under construction, behind an LF.
    pub(super) line: Vec<u8>,
}

/// How the bytes of a session end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// With the LF of a line.
    Whole,
    /// With a whole record without its LF. The next entry begins with it.
    Unterminated,
    /// With bytes that are no record: a line that was torn. They stay, and the next entry begins on a line
    /// of its own. [`sesstool repair`](crate::pass::repair) sets such lines aside, in a new file.
    Torn {
        /// Where the torn line begins, in bytes from the start.
        offset: u64,
        /// How many bytes it has.
        length: u64,
    },
}

impl fmt::Debug for SessionLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("SessionLog");
        text.field("id", &self.id()).field("path", &self.path()).field("entries", &self.len());
        text.field("leaf", &self.leaf()).field("tail", &self.tail).finish_non_exhaustive()
    }
}

/// # Beginning and resuming
impl SessionLog {
    /// A new session in a file of its own, named and placed as pi does it ([`file_name`](super::file_name),
    /// [`default_folder`](super::default_folder)) unless the options say otherwise. The file is made when
    /// the first user or assistant message is appended, with everything up to there; before that nothing
    /// is written.
    ///
    /// # Errors
    /// [`Error::SessionId`]; [`Error::NoFolder`].
    pub fn create(options: &Options) -> Result<SessionLog, Error> {
        let (folder, _) = place::folder_of(&options.working_directory(), options.folder.as_deref())?;
        SessionLog::create_in(&folder, options)
    }

    fn create_in(folder: &Path, options: &Options) -> Result<SessionLog, Error> {
        let header = NewHeader::new(options)?;
        let storage = JsonlStorage::new(header.place_in(folder), options.durability);
        SessionLog::with_lines(Box::new(storage), header.line())
    }

    /// A new session in memory.
    ///
    /// # Errors
    /// [`Error::SessionId`].
    pub fn in_memory(options: &Options) -> Result<SessionLog, Error> {
        SessionLog::begin(Box::new(MemoryStorage::new()), options)
    }

    /// A new session in a storage that holds nothing yet.
    ///
    /// # Errors
    /// [`Error::SessionId`].
    pub fn begin(storage: Box<dyn Storage>, options: &Options) -> Result<SessionLog, Error> {
        SessionLog::with_lines(storage, NewHeader::new(options)?.line())
    }

    /// A session that is not stored yet: its header and maybe entries. It is stored at once if anything was
    /// said in it.
    pub(super) fn with_lines(storage: Box<dyn Storage>, lines: Vec<u8>) -> Result<SessionLog, Error> {
        let backlog = Source::bytes(lines);
        let (session, ()) = scan(&backlog, &Default::default()).map_err(Error::Read)?;
        let mut log = SessionLog::of(storage, Some(backlog), session);
        if log.session.entries.iter().any(is_said) {
            log.flush()?;
        }
        Ok(log)
    }

    fn of(storage: Box<dyn Storage>, backlog: Option<Source>, session: Session) -> SessionLog {
        let mut log = SessionLog {
            version: odd_version(&session),
            named: named_in_vain(&session),
            storage,
            backlog,
            session,
            leaf: None,
            tail: Tail::Whole,
            lost: None,
            scanner: Scanner::new(),
            line: Vec::new(),
        };
        log.leaf = log.last_leaf();
        log
    }

    /// Goes on with the session in a file. The leaf is where pi has it: at the last entry, or where that
    /// moves it if it is a `leaf` entry of agent-core's. Nothing is written, old versions are not migrated,
    /// and an advisory lock keeps other writers out for as long as the log is there.
    ///
    /// Damage stays as it is; [`tail`](Self::tail) tells of a torn last line. A file without a byte becomes
    /// a new session with the first message.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::Locked`], [`Error::NotASession`] where pi would not open it either.
    pub fn open(path: impl Into<PathBuf>, durability: super::Durability) -> Result<SessionLog, Error> {
        let storage = Box::new(JsonlStorage::open(path, durability)?);
        match storage.source().size() {
            Some(0) => SessionLog::begin(storage, &Options::new()),
            _ => SessionLog::resume(storage),
        }
    }

    /// Goes on with the session of the options' working directory that was written to last; without one,
    /// [`create`](Self::create)s one.
    ///
    /// # Errors
    /// As [`open`](Self::open) and [`create`](Self::create).
    pub fn continue_recent(options: &Options) -> Result<SessionLog, Error> {
        let cwd = options.working_directory();
        let (folder, shared) = place::folder_of(&cwd, options.folder.as_deref())?;
        let recent = place::most_recent(&folder, shared.then_some(&cwd));
        match recent.map_err(|error| Error::Open(folder.clone(), error))? {
            Some(session) => SessionLog::open(session.path, options.durability),
            None => SessionLog::create_in(&folder, options),
        }
    }

    /// Goes on with the session that a storage holds.
    ///
    /// # Errors
    /// [`Error::NotASession`] where pi would not open it; [`Error::Read`].
    pub fn resume(storage: Box<dyn Storage>) -> Result<SessionLog, Error> {
        let source = storage.source();
        let path = || storage.path().map(Path::to_path_buf);
        let (session, ()) = scan(source, &Default::default()).map_err(Error::Read)?;
        if session.header.is_none() && session.facts.bytes == 0 {
            return Err(Error::NotASession(path(), "it is empty".to_string()));
        }
        if let Err(refusal) = View::new(source, &session, Reader::Pi) {
            return Err(Error::NotASession(path(), refusal.reason));
        }
        let tail = Tail::of(source, &session).map_err(Error::Read)?;
        let mut log = SessionLog::of(storage, None, session);
        log.tail = tail;
        Ok(log)
    }

    /// Goes on, in memory, with entries that were kept elsewhere: their lines, verbatim. Without a header
    /// among them one is made from the options. This is how a session is taken up that has no file.
    ///
    /// # Errors
    /// As [`resume`](Self::resume) and [`begin`](Self::begin).
    pub fn adopt(lines: &[u8], options: &Options) -> Result<SessionLog, Error> {
        let (session, ()) = scan(&Source::bytes(lines.to_vec()), &Default::default()).map_err(Error::Read)?;
        let mut all = match session.header {
            Some(_) => Vec::new(),
            None => NewHeader::new(options)?.line(),
        };
        all.extend_from_slice(lines);
        SessionLog::resume(Box::new(MemoryStorage::from(all)))
    }

    /// Writes what is not stored yet, although nothing was said so far; false in memory, where there is
    /// nothing to write to. Without this a session that nobody speaks in leaves no file.
    ///
    /// # Errors
    /// As an append.
    pub fn flush(&mut self) -> Result<bool, Error> {
        if let Some(backlog) = &self.backlog {
            self.is_usable()?;
            let created = self.storage.create(backlog.held().unwrap_or_default());
            self.created(created)?;
        }
        Ok(self.path().is_some())
    }

    /// Waits until everything that was acknowledged outlives a loss of power.
    ///
    /// # Errors
    /// [`Error::Unsynced`].
    pub fn sync(&mut self) -> Result<(), Error> {
        self.is_known()?;
        let synced = self.storage.sync();
        self.remember(synced)
    }

    /// Syncs and lets go of the file. Dropping a log lets go of it, too, and syncs what a
    /// [group](super::Durability::Group) has waiting, but cannot tell if that fails.
    ///
    /// # Errors
    /// [`Error::Unsynced`].
    pub fn close(mut self) -> Result<(), Error> {
        self.sync()
    }
}

/// # Appending and going back
impl SessionLog {
    /// Appends a whole entry as it is: one JSON object on one line, with `type`, `id`, `parentId` (an entry
    /// that is there, or null) and `timestamp`. It becomes the leaf, unless it is a `leaf` entry, which moves
    /// it. Returns its id.
    ///
    /// # Errors
    /// [`Error::Entry`] for what `sesstool validate` would call an error, or for a line feed in it;
    /// [`Error::TakenId`]; [`Error::UnknownId`] for a parent, or anything else that it names, that is not
    /// there; [`Error::Unreachable`]; [`Error::OffBranch`] for a kept range that is not on its branch;
    /// [`Error::Version`]; and whatever writing says.
    pub fn append(&mut self, entry: &str) -> Result<String, Error> {
        let entry = entry.strip_suffix('\n').unwrap_or(entry);
        self.line.clear();
        self.line.push(b'\n');
        self.line.extend_from_slice(entry.as_bytes());
        self.put()
    }

    /// Moves the leaf to an entry, so that what is appended next hangs on it. Nothing is written: a session
    /// that is opened again is at its last entry.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::Unreachable`].
    pub fn branch(&mut self, id: &str) -> Result<(), Error> {
        self.leaf = Some(self.hook(id.as_bytes())?);
        Ok(())
    }

    /// Moves the leaf before everything, so that what is appended next is a root.
    pub fn reset(&mut self) {
        self.leaf = None;
    }
}

/// # What there is
impl SessionLog {
    /// The session's id.
    pub fn id(&self) -> &str {
        self.header_text("id")
    }

    /// The working directory in the header; empty where there is none.
    pub fn cwd(&self) -> &str {
        self.header_text("cwd")
    }

    /// What the header says of the session that this one comes from.
    pub fn parent_session(&self) -> Option<&str> {
        self.session.header.as_ref()?.text("parentSession")
    }

    fn header_text(&self, name: &str) -> &str {
        self.session.header.as_ref().and_then(|header| header.text(name)).unwrap_or_default()
    }

    /// The file, where it is one; it need not be there yet ([`is_stored`](Self::is_stored)).
    pub fn path(&self) -> Option<&Path> {
        self.storage.path()
    }

    /// Whether the session is in its storage. A new one is not before its first user or assistant message.
    pub fn is_stored(&self) -> bool {
        self.backlog.is_none()
    }

    /// How the stored bytes end: whether a torn line was found, or left by a write that failed.
    pub fn tail(&self) -> Tail {
        self.tail
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.session.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.session.entries.is_empty()
    }

    /// The bytes of the session, stored or not.
    pub fn source(&self) -> &Source {
        self.backlog.as_ref().unwrap_or_else(|| self.storage.source())
    }

    /// The index of the entries.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The lines of the session as they are, stored or not: what [`adopt`](Self::adopt) takes.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn lines(&self) -> Result<Vec<u8>, Error> {
        let source = self.source();
        source.read_range(0, source.size().unwrap_or(0)).map_err(Error::Read)
    }
}

impl SessionLog {
    /// An id that no entry has, and that nothing names: eight hexadecimal digits.
    pub(super) fn new_id(&self) -> String {
        let free = |id: &String| !self.is_taken(id.as_bytes());
        let short = (0..100).map(|_| {
            let mut id = Uuid::new_v4().simple().to_string();
            id.truncate(8);
            id
        });
        short.into_iter().find(free).unwrap_or_else(|| Uuid::new_v4().to_string())
    }

    pub(super) fn is_taken(&self, id: &[u8]) -> bool {
        self.session.find(id).is_some() || self.named.contains(id)
    }

    /// The entry of that id.
    pub(super) fn known(&self, id: &[u8]) -> Result<u32, Error> {
        self.session.find(id).ok_or_else(|| Error::UnknownId(String::from_utf8_lossy(id).into_owned()))
    }

    /// The entry of that id, if something can hang on it.
    pub(super) fn hook(&self, id: &[u8]) -> Result<u32, Error> {
        let n = self.known(id)?;
        match self.obstacle(n) {
            Some(why) => Err(Error::Unreachable(self.session.id_text(n), why)),
            None => Ok(n),
        }
    }

    /// Why nothing can hang on an entry: readers would not find it there.
    fn obstacle(&self, n: u32) -> Option<&'static str> {
        let session = &self.session;
        if session.entries[n as usize].has(flags::DROPPED) {
            return Some("readers drop its line");
        }
        let loops = !session.loops.is_empty() && session.path(n).any(|m| session.is_in_loop(m));
        loops.then_some("its parents form a loop")
    }

    /// Where the log is resumed: at the last entry that pi sees, or where that moves the leaf.
    fn last_leaf(&self) -> Option<u32> {
        let session = &self.session;
        let count = session.entries.len() as u32;
        let named = if session.shape == Shape::Tree { flags::ID } else { 0 };
        let is_seen = |n: &u32| session.entries[*n as usize].flags & (named | flags::DROPPED) == named;
        let last = (0..count).rev().find(is_seen)?;
        self.leaf_after(last)
    }

    /// The leaf once entry `n` is the last one.
    fn leaf_after(&self, n: u32) -> Option<u32> {
        if self.session.entries[n as usize].kind != EntryType::Leaf {
            return Some(n);
        }
        match self.session.reference(n, RefKind::LeafTarget) {
            Some(reference) if reference.value == RefValue::Null => None,
            reference => Some(reference.and_then(|r| r.target).unwrap_or(n)),
        }
    }

    /// Whether it is known what is stored.
    fn is_known(&self) -> Result<(), Error> {
        match &self.lost {
            Some((kind, text)) => Err(Error::Unsynced(io::Error::new(*kind, text.clone()))),
            None => Ok(()),
        }
    }

    /// Whether anything can be added.
    fn is_usable(&self) -> Result<(), Error> {
        self.is_known()?;
        self.is_version_3()
    }

    pub(super) fn is_version_3(&self) -> Result<(), Error> {
        match &self.version {
            Some(version) => Err(Error::Version(version.clone())),
            None => Ok(()),
        }
    }

    /// Remembers that it is not known what is stored.
    fn remember<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(Error::Unsynced(error)) = &result {
            self.lost = Some((error.kind(), error.to_string()));
        }
        result
    }

    /// Takes note of what became of the creation of a session.
    fn created(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(Error::Write { written: 1.., error }) = &result {
            // only in a file that was there before, and empty: a part of the header is in it
            self.lost = Some((error.kind(), error.to_string()));
        }
        self.remember(result)?;
        self.backlog = None;
        Ok(())
    }

    /// Appends the line under construction, and lets the leaf follow. Returns its id.
    pub(super) fn put(&mut self) -> Result<String, Error> {
        self.is_usable()?;
        if memchr::memchr(b'\n', &self.line[1..]).is_some() {
            return Err(Error::Entry("it holds a line feed, and an entry is one line".to_string()));
        }
        self.line.push(b'\n');
        let opens = !matches!(self.tail, Tail::Whole);
        let start = self.end() + u64::from(opens);
        let staged = Staged::<Checker>::scan(&mut self.scanner, &self.line[1..], start).map_err(Error::Read)?;
        self.admit(&staged)?;
        if self.session.entries.len() as u64 >= u64::from(MOST_ENTRIES) {
            return Err(Error::Entry("the session has as many entries as can be indexed".to_string()));
        }
        self.store(opens, staged.entry().is_some_and(is_said))?;
        let n = self.session.entries.len() as u32;
        self.session.grow(staged).map_err(Error::Read)?;
        self.leaf = self.leaf_after(n);
        Ok(self.session.id_text(n))
    }

    /// Where the next byte goes.
    fn end(&self) -> u64 {
        self.source().size().unwrap_or(0)
    }

    /// Stores the line under construction; `said` tells whether it makes the session worth a file.
    fn store(&mut self, opens: bool, said: bool) -> Result<(), Error> {
        let line = &self.line[usize::from(!opens)..];
        match &mut self.backlog {
            Some(backlog) if !said => backlog.push(line).map_err(|error| Error::Write { written: 0, error }),
            Some(backlog) => {
                let all = [backlog.held().unwrap_or_default(), line].concat();
                let created = self.storage.create(&all);
                self.created(created)
            }
            None => {
                let length = line.len() as u64;
                let appended = self.storage.append(line);
                self.appended(opens, length, appended)
            }
        }
    }

    /// Takes note of what became of a line.
    fn appended(&mut self, opens: bool, length: u64, result: Result<(), Error>) -> Result<(), Error> {
        match result {
            Ok(()) => {
                self.tail = Tail::Whole;
                Ok(())
            }
            // all but its LF: readers take it for an entry, so it is one
            Err(Error::Write { written, .. }) if written + 1 == length => {
                self.tail = Tail::Unterminated;
                let synced = self.storage.sync();
                self.remember(synced)
            }
            Err(Error::Write { written, error }) => {
                let torn = written - u64::from(opens && written > 0);
                self.tail = match torn {
                    0 if written > 0 => Tail::Whole,
                    0 => self.tail,
                    length => Tail::Torn { offset: self.end().saturating_sub(length), length },
                };
                Err(Error::Write { written: torn, error })
            }
            Err(error) => self.remember(Err(error)),
        }
    }
}

/// Whether an entry is what a user or the model said.
fn is_said(entry: &Entry) -> bool {
    entry.kind == EntryType::Message && matches!(entry.role, Role::User | Role::Assistant)
}

/// What the version is, where it is not 3.
pub(super) fn odd_version(session: &Session) -> Option<String> {
    let field = session.header.as_ref().and_then(|header| header.get("version"));
    match session.version() {
        Some(3) if session.shape == Shape::Tree => None,
        Some(3) => Some("3, but its entries have no ids".to_string()),
        _ => Some(field.map_or_else(|| "1 (the header names none)".to_string(), HeaderField::shown)),
    }
}

/// The ids that something in the session names although no entry has them.
fn named_in_vain(session: &Session) -> HashSet<Vec<u8>> {
    let parents = session.pending.iter().filter(|(_, key)| session.find_key(*key).is_none()).map(|(_, key)| *key);
    let others = session.refs.iter().filter(|r| r.target.is_none()).filter_map(|r| match r.value {
        RefValue::Id(key) => Some(key),
        _ => None,
    });
    parents.chain(others).map(|key| session.arena.get(key)).collect()
}

impl Tail {
    fn of(source: &Source, session: &Session) -> io::Result<Tail> {
        let size = source.size().unwrap_or(0);
        if size == 0 || source.read_range(size - 1, 1)? == b"\n" {
            return Ok(Tail::Whole);
        }
        let offset = line_start(source, size)?;
        let entry = session.entries.last().filter(|e| !e.has(flags::DROPPED)).map(|e| e.offset);
        let header = session.extra_headers.last().or(session.header.as_ref()).filter(|h| !h.dropped).map(|h| h.offset);
        let extra = session.facts.extras.last().map(|e| e.offset);
        let is_record = [entry, header, extra].iter().flatten().any(|at| *at >= offset);
        Ok(match is_record || crate::line::is_blank(&source.read_range(offset, size - offset)?) {
            true => Tail::Unterminated,
            false => Tail::Torn { offset, length: size - offset },
        })
    }
}

/// The header of a new session.
#[derive(Serialize)]
pub(super) struct NewHeader {
    r#type: &'static str,
    version: u32,
    id: String,
    timestamp: String,
    cwd: String,
    #[serde(rename = "parentSession", skip_serializing_if = "Option::is_none")]
    parent_session: Option<String>,
}

impl NewHeader {
    pub(super) fn new(options: &Options) -> Result<NewHeader, Error> {
        let id = match &options.id {
            Some(id) if place::is_session_id(id) => id.clone(),
            Some(id) => return Err(Error::SessionId(id.clone())),
            None => Uuid::now_v7().to_string(),
        };
        Ok(NewHeader {
            r#type: "session",
            version: 3,
            id,
            timestamp: time::now(),
            cwd: options.working_directory().to_string_lossy().into_owned(),
            parent_session: options.parent_session.clone(),
        })
    }

    /// The file of the session in a folder.
    pub(super) fn place_in(&self, folder: &Path) -> PathBuf {
        folder.join(place::file_name(&self.timestamp, &self.id))
    }

    /// The header's line.
    pub(super) fn line(&self) -> Vec<u8> {
        // a struct of strings cannot fail
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}
