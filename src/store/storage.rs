//! Where the lines of a session are kept.

use super::Error;
use crate::source::Source;
use std::path::Path;

/// Where the lines of a session are kept. It only ever grows at its end.
///
/// A [`SessionLog`](super::SessionLog) sees to what is written; a storage to where it goes and when it is
/// safe. [`MemoryStorage`] and [`JsonlStorage`](super::JsonlStorage) are two; a program may have its own,
/// for instance one that keeps a copy in memory ([`Source::bytes`], [`Source::push`]) beside a database.
pub trait Storage: Send {
    /// What is stored, for reading: from the header's first byte to the last one that was written, also
    /// that of a torn line. Empty before the session is created.
    fn source(&self) -> &Source;

    /// Stores a new session: the header's line and those of the entries so far. Called once, where
    /// nothing is stored yet.
    ///
    /// # Errors
    /// Nothing is stored then, but for [`Error::Unsynced`].
    fn create(&mut self, lines: &[u8]) -> Result<(), Error>;

    /// Adds a line, LF included, at the end; it may begin with an LF that ends a torn line before it.
    ///
    /// # Errors
    /// [`Error::Write`] tells how many of the bytes are stored all the same; after any other error but
    /// [`Error::Unsynced`] none is.
    fn append(&mut self, line: &[u8]) -> Result<(), Error>;

    /// Waits until everything is where it outlives a loss of power.
    ///
    /// # Errors
    /// [`Error::Unsynced`].
    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// The file, where it is one.
    fn path(&self) -> Option<&Path> {
        None
    }
}

/// Keeps a session in memory.
pub struct MemoryStorage {
    source: Source,
}

impl MemoryStorage {
    /// An empty one.
    pub fn new() -> Self {
        MemoryStorage::from(Vec::new())
    }
}

impl Default for MemoryStorage {
    fn default() -> Self {
        MemoryStorage::new()
    }
}

impl From<Vec<u8>> for MemoryStorage {
    /// The lines of a session that were kept elsewhere.
    fn from(lines: Vec<u8>) -> Self {
        MemoryStorage { source: Source::bytes(lines) }
    }
}

impl Storage for MemoryStorage {
    fn source(&self) -> &Source {
        &self.source
    }

    fn create(&mut self, lines: &[u8]) -> Result<(), Error> {
        self.append(lines)
    }

    fn append(&mut self, line: &[u8]) -> Result<(), Error> {
        self.source.push(line).map_err(|error| Error::Write { written: 0, error })
    }
}
