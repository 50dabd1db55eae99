//! Why something was not done.

use super::lock::Holder;
use crate::session::view::Refusal;
use crate::source::inputs::reason;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why something was not done. Whatever it is, the session in memory is what it was before.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No entry of the session has this id.
    UnknownId(String),
    /// An entry has this id already, or something in the session names it although no entry has it.
    TakenId(String),
    /// An entry is not what the format wants; what is wrong with it.
    Entry(String),
    /// A session id that pi would not take.
    SessionId(String),
    /// The entry is not on the branch that it has to be on.
    OffBranch(String),
    /// The entry gives no message whose content can be edited.
    NotEditable(String),
    /// Nothing can hang on the entry with this id; why.
    Unreachable(String, &'static str),
    /// The file, or what a storage holds, is no session that pi would open; why.
    NotASession(Option<PathBuf>, String),
    /// The session's version is not 3: what it says. It can be read, but nothing is added to it.
    Version(String),
    /// A reader does not see the session, or throws.
    Refused(Refusal),
    /// There is no home folder, and no variable that says where sessions are kept.
    NoFolder,
    /// Something is there already, and nothing is replaced.
    Exists(PathBuf),
    /// Somebody else has the file open for writing; who, where the system tells.
    Locked(PathBuf, Option<Holder>),
    /// Somebody else changed the file since it was opened: how.
    Changed(PathBuf, String),
    /// A file or folder cannot be opened.
    Open(PathBuf, io::Error),
    /// What is stored cannot be read again.
    Read(io::Error),
    /// An entry was not written.
    Write {
        /// How many of its bytes are in the file all the same. They stay, as a torn line, and the next
        /// entry begins on a line of its own.
        written: u64,
        /// Why not.
        error: io::Error,
    },
    /// It was written, but it is not known whether it reached the disk. Nothing more is added: open the
    /// session again to see what is there.
    Unsynced(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownId(id) => write!(f, "no entry has the id '{id}'"),
            Error::TakenId(id) => write!(f, "the id '{id}' is taken, or named by an entry although no entry has it"),
            Error::Entry(what) => write!(f, "not an entry of a session: {what}"),
            Error::SessionId(id) => {
                write!(f, "'{id}' is no session id: it has letters and digits, and inside also '-', '_' and '.'")
            }
            Error::OffBranch(id) => write!(f, "the entry '{id}' is not on the current branch"),
            Error::NotEditable(id) => write!(f, "the entry '{id}' gives no message whose content can be edited"),
            Error::Unreachable(id, why) => write!(f, "nothing can hang on the entry '{id}': {why}; repair it first"),
            Error::NotASession(Some(path), why) => write!(f, "'{}' is no session: {why}", path.display()),
            Error::NotASession(None, why) => write!(f, "this is no session: {why}"),
            Error::Version(version) => {
                write!(f, "the session's version is {version}, and entries are added only to version 3")?;
                match version == "2" || version == "1" || version.starts_with("1 ") {
                    true => f.write_str("; `sesstool migrate` makes a new file of it"),
                    false => Ok(()),
                }
            }
            Error::Refused(refusal) => refusal.fmt(f),
            Error::NoFolder => f.write_str("no home folder is known to keep sessions in; name a folder"),
            Error::Exists(path) => write!(f, "'{}' is there already, and nothing is replaced", path.display()),
            Error::Locked(path, Some(holder)) => {
                write!(f, "'{}' is open for writing in {holder}", path.display())
            }
            Error::Locked(path, None) => write!(
                f,
                "'{}' is open for writing in another process, and the system does not tell which",
                path.display()
            ),
            Error::Changed(path, how) => {
                write!(f, "somebody else changed '{}' ({how}); open it again", path.display())
            }
            Error::Open(path, error) => write!(f, "cannot open '{}': {}", path.display(), reason(error)),
            Error::Read(error) => write!(f, "cannot read the session again: {}", reason(error)),
            Error::Write { written: 0, error } => write!(f, "the entry was not written: {}", reason(error)),
            Error::Write { written, error } => write!(
                f,
                "the entry was not written: {}; its first {written} bytes stay in the file as a torn line",
                reason(error)
            ),
            Error::Unsynced(error) => write!(
                f,
                "it is not known whether what was written reached the disk: {}; open the session again",
                reason(error)
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Open(_, error) | Error::Read(error) | Error::Write { error, .. } | Error::Unsynced(error) => {
                Some(error)
            }
            Error::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Error::Refused(refusal)
    }
}
