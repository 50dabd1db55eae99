#![doc = include_str!("../../docs/store.md")]

mod admit;
pub(crate) mod copying;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod disk;
mod error;
mod fork;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod jsonl;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod lock;
mod log;
mod place;
mod read;
mod storage;
mod typed;

pub use disk::Durability;
pub use error::Error;
pub use jsonl::JsonlStorage;
pub use lock::Holder;
pub use log::{SessionLog, Tail};
pub use place::{Listed, default_folder, file_name, is_session_id, list, most_recent};
pub use read::{Context, ContextMessage, Model, StoredEntry, TreeNode, load};
pub use storage::{MemoryStorage, Storage};
pub use typed::{BranchSummary, Compaction, CustomMessage, Usage};

use std::path::{Path, PathBuf};

/// What a new session is like, and where it is kept.
///
/// ```
/// use sesstool::store::{Durability, Options};
///
/// let options = Options::new().cwd("/project").durability(Durability::PerEntry);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    cwd: Option<PathBuf>,
    id: Option<String>,
    parent_session: Option<String>,
    folder: Option<PathBuf>,
    durability: Durability,
}

impl Options {
    /// The current working directory, a fresh id, pi's own folder, [`Durability::Buffered`].
    pub fn new() -> Self {
        Options::default()
    }

    /// The working directory that the session is about.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The session's id; without one it is a UUID of version 7. See [`is_session_id`].
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// What the header says of the session that this one comes from: its path.
    pub fn parent_session(mut self, parent: impl Into<String>) -> Self {
        self.parent_session = Some(parent.into());
        self
    }

    /// The folder for the file, instead of [`default_folder`].
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// When an entry is safe from a loss of power.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The working directory as it stands in the header.
    fn working_directory(&self) -> PathBuf {
        place::absolute(self.cwd.as_deref().unwrap_or(Path::new("")))
    }
}

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
