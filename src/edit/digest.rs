//! The size and the SHA-256 of bytes.

use super::plan::copy;
use crate::source::Source;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use std::fmt;
use std::io;

/// The size of a file and its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Bytes.
    pub size: u64,
    /// 64 hex digits in lower case.
    pub sha256: String,
}

impl Digest {
    /// Reads a source from its first byte to the last it has now.
    ///
    /// # Errors
    /// What reading says.
    pub fn of(source: &Source) -> io::Result<Digest> {
        let mut hasher = Hasher::default();
        let size = source
            .size()
            .ok_or_else(|| io::Error::other("so long a pipe cannot be read twice; put it into a file first"))?;
        copy(source, &(0..size), &mut |bytes| {
            hasher.add(bytes);
            Ok(())
        })?;
        Ok(hasher.finish())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, SHA-256 {}", self.size, self.sha256)
    }
}

/// Takes bytes in pieces, and counts and hashes them.
#[derive(Clone, Default)]
pub struct Hasher {
    size: u64,
    state: sha2::Sha256,
}

impl Hasher {
    /// The next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.state.update(bytes);
    }

    /// What they came to.
    pub fn finish(self) -> Digest {
        let sha256 = self.state.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Digest { size: self.size, sha256 }
    }
}
