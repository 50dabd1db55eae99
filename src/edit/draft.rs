//! Files under way: written beside their place under a name that says what they are, then moved
//! there without replacing anything.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, PersistError};

/// The beginning and the end of the name of a file under way.
const PREFIX: &str = ".sesstool-unfinished-";
const SUFFIX: &str = ".tmp";

/// Writes are collected up to this size, in bytes.
pub(super) const BUFFER: usize = 1 << 20;

/// The files under way in this process, for a signal that ends it.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files under way and then runs `end`, which is expected to end the process. While it
/// runs no file is moved into its place, so that none is there without its manifest.
pub fn remove_drafts(end: impl FnOnce()) {
    let list = drafts();
    for path in list.iter() {
        // there is nobody left to tell
        let _ = fs::remove_file(path);
    }
    end();
}

/// A file under way. Dropped before it is [placed](place), it is removed.
pub(super) struct Draft {
    file: NamedTempFile,
    // behind the file: what is listed is still there
    listed: Listed,
}

/// Keeps a path in the list of files under way.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        drafts().retain(|path| *path != self.0);
    }
}

impl Draft {
    /// Makes an empty one in the folder of `target`, with these permissions; without any, as the
    /// system gives them to a new file.
    pub(super) fn beside(target: &Path, permissions: Option<&Permissions>) -> io::Result<Draft> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX).append(true);
        if permissions.is_none() {
            usual_permissions(&mut builder);
        }
        let mut list = drafts();
        let file = builder.tempfile_in(folder_of(target))?;
        list.push(file.path().to_path_buf());
        let draft = Draft { listed: Listed(file.path().to_path_buf()), file };
        drop(list);
        if let Some(permissions) = permissions {
            draft.file.as_file().set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }

    /// Where it is while it is under way.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Another handle of the open file, which stays with it when it is moved.
    pub(super) fn handle(&self) -> io::Result<File> {
        self.file.as_file().try_clone()
    }

    /// Fills it with what `feed` gives, and waits until it is on the disk.
    pub(super) fn fill(&mut self, feed: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BUFFER, self.file.as_file_mut());
        let fed = feed(&mut out).and_then(|()| out.flush());
        // what is left in the buffer is not written a second time
        let _ = out.into_parts();
        fed?;
        self.sync()
    }

    /// Waits until what was written to it is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Moves a draft to its target, also where something stands, which whoever calls this has looked at.
pub(super) fn replace(draft: Draft, target: &Path) -> io::Result<()> {
    let list = drafts();
    let Draft { file, listed } = draft;
    let moved = file.persist(target).map(drop).map_err(|failed| failed.error);
    drop(list);
    drop(listed);
    moved
}

/// Moves drafts to their targets, all or none, in order. A signal waits until all are there.
///
/// # Errors
/// The number of the one that could not be moved, and why; `AlreadyExists` where something has
/// appeared there meanwhile.
pub(super) fn place(waiting: Vec<(Draft, &Path)>) -> Result<(), (usize, io::Error)> {
    let list = drafts();
    let mut placed: Vec<&Path> = Vec::new();
    let mut listed = Vec::new();
    let mut result = Ok(());
    for (draft, target) in waiting {
        if result.is_ok() {
            match move_to(draft.file, target) {
                Ok(()) => placed.push(target),
                Err(error) => result = Err((placed.len(), error)),
            }
        }
        listed.push(draft.listed);
    }
    if result.is_err() {
        for path in &placed {
            // it was made a moment ago, by this process, and is of no use alone
            let _ = fs::remove_file(path);
        }
    }
    drop(list);
    drop(listed);
    result
}

/// Moves a file to a place where nothing is.
fn move_to(file: NamedTempFile, target: &Path) -> io::Result<()> {
    match file.persist_noclobber(target) {
        Ok(_) => Ok(()),
        Err(PersistError { error, file }) if error.kind() != io::ErrorKind::AlreadyExists => claim(file, target, error),
        Err(PersistError { error, .. }) => Err(error),
    }
}

/// Some file systems have neither hard links nor a move that replaces nothing. There an empty file,
/// which only one process can make, claims the name first, and the move replaces that.
fn claim(file: NamedTempFile, target: &Path, refusal: io::Error) -> io::Result<()> {
    if !target.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(refusal);
    }
    OpenOptions::new().write(true).create_new(true).open(target)?;
    file.persist(target).map(drop).map_err(|failed| {
        let _ = fs::remove_file(target);
        failed.error
    })
}

/// The folder that a path is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Waits until the entries of a file's folder are on the disk.
pub(crate) fn sync_folder(file: &Path) -> io::Result<()> {
    // other systems do it when the file is synced, and open no folders
    if cfg!(unix) { File::open(folder_of(file))?.sync_all() } else { Ok(()) }
}

#[cfg(unix)]
fn usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn usual_permissions(_: &mut tempfile::Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(target: &Path) -> Draft {
        let mut draft = Draft::beside(target, None).expect("a draft");
        draft.fill(|out| out.write_all(b"text")).expect("a full one");
        draft
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_draft_is_named_and_removed_unless_it_is_placed() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("a.jsonl");
        let unfinished = draft(&target);
        let name = unfinished.path().file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.starts_with(PREFIX) && name.ends_with(SUFFIX), "{name}");
        assert!(drafts().iter().any(|path| path == unfinished.path()));
        let path = unfinished.path().to_path_buf();
        drop(unfinished);
        assert!(names(folder.path()).is_empty() && !drafts().contains(&path));
        assert!(place(vec![(draft(&target), &target)]).is_ok());
        assert_eq!(names(folder.path()), ["a.jsonl"]);
    }

    #[test]
    fn nothing_is_replaced_and_all_are_placed_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (folder.path().join("1"), folder.path().join("2"));
        assert!(place(vec![(draft(&second), &second)]).is_ok());
        let (n, error) = place(vec![(draft(&first), &first), (draft(&second), &second)]).expect_err("a refusal");
        assert_eq!((n, error.kind()), (1, io::ErrorKind::AlreadyExists));
        assert_eq!(names(folder.path()), ["2"]);
    }

    #[test]
    fn a_claimed_name_is_never_one_that_exists() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("a");
        let refusal = || io::Error::from(io::ErrorKind::Unsupported);
        claim(draft(&target).file, &target, refusal()).expect("a free name");
        assert_eq!(fs::read(&target).expect("the file"), b"text");
        let error = claim(draft(&target).file, &target, refusal()).expect_err("a taken name");
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    }
}
