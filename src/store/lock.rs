//! One writer a file: an advisory lock, which readers do not notice, and who holds it.

use super::Error;
use std::fmt;
#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// The process that has a file open for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// The name of its program, where the system tells it.
    pub name: Option<String>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            _ if self.pid == std::process::id() => write!(f, "this process ({})", self.pid),
            Some(name) => write!(f, "process {} ({name})", self.pid),
            None => write!(f, "process {}", self.pid),
        }
    }
}

/// Opens a file to read it and to append to it, and keeps other writers out for as long as it is open.
/// Nothing is written, and nothing is made that is not there.
///
/// # Errors
/// [`Error::Open`], [`Error::Locked`].
pub(super) fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    share_with_readers(&mut options);
    let file = options.open(path).map_err(|error| match is_in_use(&error) {
        true => Error::Locked(path.into(), None),
        false => Error::Open(path.into(), error),
    })?;
    take(&file, path)?;
    Ok(file)
}

/// Locks a file that is open. Where the file system has no locks the file stays open to other writers;
/// what they do is noticed before the next entry is written.
#[cfg(unix)]
pub(super) fn take(file: &File, path: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::Locked(path.into(), holder(file))),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
pub(super) fn take(_: &File, _: &Path) -> Result<(), Error> {
    Ok(())
}

/// Gives the lock of a file back when it is dropped. Closing the file would not always do: a process that is
/// just being started holds a copy of everything that is open until it runs its own program.
#[derive(Debug)]
pub(super) struct Held(File);

impl Held {
    /// The lock of a file, which [`take`] has taken; `None` where the file cannot be opened once more.
    pub(super) fn of(file: &File) -> Option<Held> {
        file.try_clone().ok().map(Held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // where there was no lock there is none to give back
        let _ = self.0.unlock();
    }
}

/// There the mode in which a file is opened keeps other writers out.
#[cfg(windows)]
fn share_with_readers(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const READ: u32 = 1;
    const DELETE: u32 = 4;
    options.share_mode(READ | DELETE);
}

#[cfg(not(windows))]
fn share_with_readers(_: &mut OpenOptions) {}

/// Whether a file could not be opened since it is open elsewhere.
fn is_in_use(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// Who holds the lock; `None` where the system does not tell.
#[cfg(unix)]
fn holder(file: &File) -> Option<Holder> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let pid = holder_in(&locks, &file.metadata().ok()?)?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok();
    Some(Holder { pid, name: name.map(|name| name.trim_end().to_string()) })
}

/// The process that holds a lock of the whole file, in Linux's list: `1: FLOCK ADVISORY WRITE 42 fe:01:1234 0 EOF`.
#[cfg(unix)]
fn holder_in(locks: &str, file: &std::fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let ino = file.ino();
    let place = format!("{}:{ino}", device(file.dev()));
    let held = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let pid = words.get(4)?.parse().ok().filter(|pid| *pid != 0)?;
        (words.get(1) == Some(&"FLOCK") && words.get(3) == Some(&"WRITE")).then_some((pid, words.get(5)?.to_string()))
    };
    let all: Vec<(u32, String)> = locks.lines().filter_map(held).collect();
    if let Some((pid, _)) = all.iter().find(|(_, at)| *at == place) {
        return Some(*pid);
    }
    // some file systems (btrfs, overlays) have one device for the list and another for the file
    let inode = format!(":{ino}");
    let mut alike = all.iter().filter(|(_, at)| at.ends_with(&inode));
    match (alike.next(), alike.next()) {
        (Some((pid, _)), None) => Some(*pid),
        _ => None,
    }
}

/// A device as that list has it, from the number that Linux makes of its major and minor one.
#[cfg(unix)]
fn device(dev: u64) -> String {
    let (major, minor) = ((dev >> 8 & 0xFFF) | (dev >> 32 & !0xFFF), (dev & 0xFF) | (dev >> 12 & !0xFF));
    format!("{major:02x}:{minor:02x}")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, "").expect("a file");
        let first = open(&path).expect("the first one");
        let error = open(&path).expect_err("the second one");
        let Error::Locked(at, holder) = &error else { panic!("{error}") };
        assert_eq!(*at, path);
        if Path::new("/proc/locks").exists() {
            assert_eq!(holder.as_ref().map(|h| h.pid), Some(std::process::id()));
            assert!(error.to_string().contains("this process"), "{error}");
        }
        assert!(File::open(&path).is_ok(), "reading is free");
        drop(first);
        open(&path).expect("it is free again");
    }

    #[test]
    fn the_list_of_locks_is_read() {
        use std::os::unix::fs::MetadataExt;
        let file = tempfile::tempfile().expect("a file").metadata().expect("its state");
        let at = format!("{}:{}", device(file.dev()), file.ino());
        let lines = format!(
            "1: POSIX  ADVISORY  WRITE 7 {at} 0 EOF\n2: FLOCK  ADVISORY  READ 8 {at} 0 EOF\n\
             3: FLOCK  ADVISORY  WRITE 9 {at} 0 EOF\n"
        );
        assert_eq!(holder_in(&lines, &file), Some(9));
        let elsewhere = format!("1: FLOCK  ADVISORY  WRITE 9 ff:ff:{} 0 EOF\n", file.ino());
        assert_eq!(holder_in(&elsewhere, &file), Some(9), "another device, but no other file of that number");
        assert_eq!(holder_in(&format!("{elsewhere}2{elsewhere}"), &file), None);
        assert_eq!(holder_in("", &file), None);
        // as the kernel packs them: 12 bits of each side by side, the rest further up
        assert_eq!((device(0xFE01), device(0x1234_5678)), ("fe:01".to_string(), "456:12378".to_string()));
    }
}
