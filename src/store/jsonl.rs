//! A session in a JSONL file.

use super::disk::{Appender, Durability};
use super::{Error, Storage, lock};
use crate::edit;
use crate::source::Source;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Keeps a session in a file: one line an entry, one write call a line, nothing ever rewritten.
pub struct JsonlStorage {
    path: PathBuf,
    durability: Durability,
    /// The file, once it is there.
    file: Option<Appender<File>>,
    source: Source,
    /// Given back last, when nothing more will be written.
    held: Option<lock::Held>,
}

impl JsonlStorage {
    /// A file that is not there yet. It is made, and its folder too, when the session is created.
    pub fn new(path: impl Into<PathBuf>, durability: Durability) -> Self {
        JsonlStorage { path: path.into(), durability, file: None, source: Source::bytes(Vec::new()), held: None }
    }

    /// A file that is there. Nothing is written to it, and an advisory lock keeps other writers out for as
    /// long as it is open; reading it is always free.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::Locked`], [`Error::NotASession`] for what is no file.
    pub fn open(path: impl Into<PathBuf>, durability: Durability) -> Result<Self, Error> {
        let path = path.into();
        let failed = |error| Error::Open(path.clone(), error);
        // a pipe would wait for its other end
        if !fs::metadata(&path).map_err(failed)?.is_file() {
            return Err(Error::NotASession(Some(path), "it is not a file".to_string()));
        }
        let file = lock::open(&path)?;
        let source = file.try_clone().and_then(Source::of_file).map_err(failed)?;
        let mut storage = JsonlStorage { path, durability, file: None, source, held: None };
        storage.keep(file);
        Ok(storage)
    }

    fn keep(&mut self, file: File) {
        let size = self.source.size().unwrap_or(0);
        self.held = lock::Held::of(&file);
        self.file = Some(Appender::new(file, self.path.clone(), size, self.durability));
    }

    /// Makes the file's folder, and those that it is in, where they are not there.
    fn make_folder(&self) -> io::Result<()> {
        let folder = edit::folder_of(&self.path);
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        fs::create_dir_all(folder)?;
        match self.durability {
            Durability::Buffered => Ok(()),
            _ => missing.into_iter().try_for_each(edit::sync_folder),
        }
    }

    /// Makes the file, locked from the start.
    fn make(&mut self, lines: &[u8]) -> Result<(), Error> {
        let path = &self.path;
        let unwritten = |error| Error::Write { written: 0, error };
        self.make_folder().map_err(unwritten)?;
        let made = edit::create(path, lines, |file| lock::take(file, path).map_err(Made::Refused));
        let file = made.map_err(|error| match error {
            Made::Refused(error) => error,
            Made::Io(error) if error.kind() == io::ErrorKind::AlreadyExists => Error::Exists(path.clone()),
            Made::Io(error) => unwritten(error),
        })?;
        // there the mode in which a file is opened keeps other writers out
        let file = if cfg!(windows) { lock::open(path)? } else { file };
        // from here on it is there
        self.source = file.try_clone().and_then(Source::of_file).map_err(Error::Unsynced)?;
        self.keep(file);
        match self.durability {
            Durability::Buffered => Ok(()),
            _ => edit::sync_folder(&self.path).map_err(Error::Unsynced),
        }
    }
}

/// Why a file was not made.
enum Made {
    Refused(Error),
    Io(io::Error),
}

impl From<io::Error> for Made {
    fn from(error: io::Error) -> Self {
        Made::Io(error)
    }
}

impl Storage for JsonlStorage {
    fn source(&self) -> &Source {
        &self.source
    }

    fn create(&mut self, lines: &[u8]) -> Result<(), Error> {
        match &self.file {
            None => self.make(lines),
            // an empty file, which was there before
            Some(_) => self.append(lines),
        }
    }

    fn append(&mut self, line: &[u8]) -> Result<(), Error> {
        let Some(file) = &mut self.file else {
            return Err(Error::Write { written: 0, error: io::ErrorKind::NotFound.into() });
        };
        let appended = file.append(line);
        self.source.has_grown(file.size());
        appended
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.file.as_mut().map_or(Ok(()), Appender::sync)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}
