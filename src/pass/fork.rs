//! `fork`: a new session from one branch, or from the whole tree, of another one.
//!
//! What pi 1.6 writes when it branches into a new file (FORMAT: what writing does), but by bytes: a line
//! changes only where it names something that is not in the new file.

use super::{Health, version_text};
use crate::dialect::pi::EntryType;
use crate::json;
use crate::rules::kind::FileKind;
use crate::session::reread::Reread;
use crate::session::{RefKind, Session, flags};
use crate::source::Source;
use crate::store::copying::{BranchError, Copying};
use hashbrown::HashMap;
use std::fmt;
use std::io;

pub use crate::store::copying::Fork;

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

impl From<BranchError> for ForkError {
    fn from(error: BranchError) -> Self {
        match error {
            BranchError::Loop(id) => ForkError::Loop(id),
            BranchError::NoId(line) => ForkError::NoId(line),
            BranchError::Read(error) => ForkError::Read(error),
        }
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
    let mut copying = Copying::new(source, session);
    let quoted = |text: &str| serde_json::Value::from(text).to_string().into_bytes();
    copying.header(
        header,
        &[
            ("id", quoted(&identity.id)),
            ("timestamp", quoted(&identity.timestamp)),
            ("parentSession", quoted(&identity.parent_session)),
        ],
    )?;
    match leaf {
        Some(leaf) => copying.branch(leaf)?,
        None => copying.all()?,
    }
    Ok(copying.finish())
}

impl Fork {
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
