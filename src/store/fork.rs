//! A new session from another one.

use super::copying::{BranchError, Copying, Fork};
use super::log::NewHeader;
use super::{Error, JsonlStorage, MemoryStorage, Options, SessionLog, Storage, place};
use crate::session::scan::scan;
use crate::session::view::{Reader, View};
use crate::source::Source;
use std::path::{Path, PathBuf};

/// # Forking
impl SessionLog {
    /// A new session of the branch that ends at an entry: its entries with their ids, under a header of its
    /// own. Labels stand behind them, those of entries that are not on the branch are left out, and a kept
    /// range that began at a label begins at the next entry. This session stays as it is.
    ///
    /// It is kept as this one is: in memory, or in a file, beside this one unless the options name a folder;
    /// the file is made at once if anything was said on the branch. Without a working directory in the
    /// options it has this one's, and it names this one's file as its parent.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::Unreachable`], [`Error::Version`], [`Error::SessionId`], and what
    /// writing says; then nothing is left of it.
    pub fn fork(&self, leaf: &str, options: &Options) -> Result<SessionLog, Error> {
        let header = self.fork_header(options)?;
        let storage: Box<dyn Storage> = match self.path() {
            None => Box::new(MemoryStorage::new()),
            Some(path) => {
                let folder = options.folder.as_deref().or(path.parent()).unwrap_or(Path::new("."));
                Box::new(JsonlStorage::new(header.place_in(folder), options.durability))
            }
        };
        self.fork_with(storage, leaf, &header)
    }

    /// The same in a storage that holds nothing yet.
    ///
    /// # Errors
    /// As [`fork`](Self::fork).
    pub fn fork_into(&self, storage: Box<dyn Storage>, leaf: &str, options: &Options) -> Result<SessionLog, Error> {
        self.fork_with(storage, leaf, &self.fork_header(options)?)
    }

    fn fork_with(&self, storage: Box<dyn Storage>, leaf: &str, header: &NewHeader) -> Result<SessionLog, Error> {
        let leaf = self.known(leaf.as_bytes())?;
        let mut copying = Copying::new(self.source(), &self.session);
        copying.branch(leaf)?;
        written(storage, header, &copying.finish(), self.source())
    }

    fn fork_header(&self, options: &Options) -> Result<NewHeader, Error> {
        self.is_version_3()?;
        header_of_fork(options, self.cwd(), self.path())
    }

    /// A new session of everything that is in a file, which is only read: for the options' working directory,
    /// in its folder, as pi does it with a session of another project.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::NotASession`], [`Error::Version`], [`Error::SessionId`],
    /// [`Error::NoFolder`], and what writing says; then nothing is left of it.
    pub fn fork_file(path: impl AsRef<Path>, options: &Options) -> Result<SessionLog, Error> {
        let path = path.as_ref();
        let source = Source::open(path).map_err(|error| Error::Open(path.into(), error))?;
        let (session, ()) = scan(&source, &Default::default()).map_err(Error::Read)?;
        let not = |reason| Error::NotASession(Some(path.into()), reason);
        if session.header.is_none() {
            return Err(not("it has no header".to_string()));
        }
        View::new(&source, &session, Reader::Pi).map_err(|refusal| not(refusal.reason))?;
        super::log::odd_version(&session).map_or(Ok(()), |version| Err(Error::Version(version)))?;
        let header = header_of_fork(options, &options.working_directory().to_string_lossy(), Some(path))?;
        let (folder, _) = place::folder_of(&options.working_directory(), options.folder.as_deref())?;
        let mut copying = Copying::new(&source, &session);
        copying.all()?;
        let storage = JsonlStorage::new(header.place_in(&folder), options.durability);
        written(Box::new(storage), &header, &copying.finish(), &source)
    }
}

/// The header of a fork: with the working directory and the file of what it comes from, unless the options
/// say otherwise.
fn header_of_fork(options: &Options, cwd: &str, path: Option<&Path>) -> Result<NewHeader, Error> {
    let mut options = options.clone();
    options.cwd.get_or_insert_with(|| PathBuf::from(cwd));
    if let (None, Some(path)) = (&options.parent_session, path) {
        options.parent_session = Some(place::absolute(path).to_string_lossy().into_owned());
    }
    NewHeader::new(&options)
}

/// The log of a fork, stored if anything was said in it.
fn written(storage: Box<dyn Storage>, header: &NewHeader, fork: &Fork, source: &Source) -> Result<SessionLog, Error> {
    let mut lines = header.line();
    fork.feed(source, &mut |bytes| {
        lines.extend_from_slice(bytes);
        Ok(())
    })
    .map_err(Error::Read)?;
    SessionLog::with_lines(storage, lines)
}

impl From<BranchError> for Error {
    fn from(error: BranchError) -> Self {
        match error {
            BranchError::Loop(id) => Error::Unreachable(id, "its parents form a loop"),
            BranchError::NoId(line) => Error::Entry(format!("the one on line {line} has no id")),
            BranchError::Read(error) => Error::Read(error),
        }
    }
}
