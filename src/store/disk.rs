//! Appending to a file: one write call a line, and when it is on the disk.

use super::Error;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// When an entry is safe from a loss of power. A program that ends, however it ends, loses nothing that was
/// acknowledged with any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Whenever the system writes it to the disk, which may take half a minute.
    #[default]
    Buffered,
    /// Before it is acknowledged: an fsync an entry.
    PerEntry,
    /// This long after it was acknowledged at the latest: one fsync for all entries of that time, in a thread
    /// of its own.
    Group(Duration),
}

/// What lines are appended to.
pub(super) trait Disk: Send + Sync + 'static {
    /// Writes some of the bytes to the end; how many.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Waits until everything is on the disk.
    fn sync(&self) -> io::Result<()>;
    /// How many bytes there are, and whether the file still has a name.
    fn state(&self) -> io::Result<(u64, bool)>;
}

impl Disk for File {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &*self, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn state(&self) -> io::Result<(u64, bool)> {
        let metadata = self.metadata()?;
        Ok((metadata.len(), has_name(&metadata)))
    }
}

#[cfg(unix)]
fn has_name(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 0
}

#[cfg(not(unix))]
fn has_name(_: &std::fs::Metadata) -> bool {
    true
}

/// Appends to a file that nobody else should append to.
pub(super) struct Appender<D: Disk> {
    disk: Arc<D>,
    path: PathBuf,
    /// How many bytes there are if nobody else wrote.
    size: u64,
    syncing: Syncing,
}

enum Syncing {
    Never,
    Always,
    Later(Group),
}

impl<D: Disk> Appender<D> {
    /// Appends to `disk`, which has `size` bytes; `path` is what messages call it.
    pub(super) fn new(disk: D, path: PathBuf, size: u64, durability: Durability) -> Self {
        let disk = Arc::new(disk);
        let syncing = match durability {
            Durability::Buffered => Syncing::Never,
            Durability::PerEntry => Syncing::Always,
            Durability::Group(delay) => Syncing::Later(Group::new(disk.clone(), delay)),
        };
        Appender { disk, path, size, syncing }
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Appends bytes, in one call unless the system takes only a part of them.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Syncing::Later(group) = &self.syncing
            && let Some(error) = group.failed()
        {
            return Err(Error::Unsynced(error));
        }
        self.is_alone()?;
        let mut written = 0;
        while written < bytes.len() {
            match self.disk.write(&bytes[written..]) {
                Ok(0) => return self.broke_off(written, io::ErrorKind::WriteZero.into()),
                Ok(n) => written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.broke_off(written, error),
            }
        }
        self.size += written as u64;
        match &self.syncing {
            Syncing::Never => Ok(()),
            Syncing::Always => self.disk.sync().map_err(Error::Unsynced),
            Syncing::Later(group) => {
                group.ask();
                Ok(())
            }
        }
    }

    fn broke_off(&mut self, written: usize, error: io::Error) -> Result<(), Error> {
        self.size += written as u64;
        Err(Error::Write { written: written as u64, error })
    }

    /// Whether the file is as it was left.
    fn is_alone(&self) -> Result<(), Error> {
        let changed = |how: String| Err(Error::Changed(self.path.clone(), how));
        match self.disk.state() {
            Ok((size, true)) if size == self.size => Ok(()),
            Ok((_, false)) => changed("it was removed or replaced".to_string()),
            Ok((size, _)) => changed(format!("it had {} bytes and has {size} now", self.size)),
            Err(error) => Err(Error::Write { written: 0, error }),
        }
    }

    /// Waits until everything is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        if let Syncing::Later(group) = &self.syncing {
            group.settle();
            if let Some(error) = group.failed() {
                return Err(Error::Unsynced(error));
            }
        }
        self.disk.sync().map_err(Error::Unsynced)
    }
}

/// The longest delay: longer ones could not be added to a time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A thread that syncs a while after it was asked to.
struct Group {
    shared: Arc<Shared>,
    delay: Duration,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// When there has to be a sync.
    due: Option<Instant>,
    /// What the system said to the first one that failed.
    failed: Option<(io::ErrorKind, String)>,
    ends: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    fn new<D: Disk>(disk: Arc<D>, delay: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = std::thread::Builder::new().name("session-sync".into()).spawn(move || run(&theirs, &*disk));
        let thread = match thread {
            Ok(thread) => Some(thread),
            Err(error) => {
                shared.state().failed = Some((error.kind(), error.to_string()));
                None
            }
        };
        Group { shared, delay: delay.min(LONGEST), thread }
    }

    /// Asks for a sync, unless one is due already.
    fn ask(&self) {
        let mut state = self.shared.state();
        if state.due.is_none() {
            state.due = Some(Instant::now() + self.delay);
            self.shared.changed.notify_one();
        }
    }

    /// Nothing is due any more: somebody else syncs.
    fn settle(&self) {
        self.shared.state().due = None;
    }

    fn failed(&self) -> Option<io::Error> {
        self.shared.state().failed.as_ref().map(|(kind, text)| io::Error::new(*kind, text.clone()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.shared.state().ends = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // it cannot panic, and there is nobody left to tell
            let _ = thread.join();
        }
    }
}

/// Syncs whenever it is time, and once more at the end where something is due.
fn run<D: Disk>(shared: &Shared, disk: &D) {
    let mut state = shared.state();
    loop {
        let now = Instant::now();
        match state.due {
            Some(due) if due <= now || state.ends => {
                state.due = None;
                drop(state);
                let synced = disk.sync();
                state = shared.state();
                if let (Err(error), None) = (synced, &state.failed) {
                    state.failed = Some((error.kind(), error.to_string()));
                }
            }
            None if state.ends => return,
            Some(due) => {
                let waited = shared.changed.wait_timeout(state, due - now);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            None => state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// A disk in memory, of which some bytes are safe.
    #[derive(Default)]
    struct Fake {
        bytes: Mutex<Vec<u8>>,
        safe: AtomicUsize,
        syncs: AtomicUsize,
        calls: AtomicUsize,
        /// How many bytes a call takes; 0 for all.
        step: usize,
        /// How many bytes there is room for.
        room: usize,
        /// Whether the next call is interrupted.
        interrupted: AtomicBool,
        sync_fails: AtomicBool,
    }

    impl Fake {
        fn new() -> Self {
            Fake { room: usize::MAX, ..Fake::default() }
        }

        fn written(&self) -> Vec<u8> {
            self.bytes.lock().expect("no panic").clone()
        }

        /// What is left after a loss of power.
        fn safe(&self) -> usize {
            self.safe.load(Ordering::SeqCst)
        }
    }

    impl Disk for Fake {
        fn write(&self, bytes: &[u8]) -> io::Result<usize> {
            self.calls.fetch_add(1, Ordering::SeqCst);
            if self.interrupted.swap(false, Ordering::SeqCst) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let mut all = self.bytes.lock().expect("no panic");
            let step = if self.step == 0 { bytes.len() } else { self.step };
            let n = bytes.len().min(step).min(self.room - all.len());
            if n == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            all.extend_from_slice(&bytes[..n]);
            Ok(n)
        }

        fn sync(&self) -> io::Result<()> {
            self.syncs.fetch_add(1, Ordering::SeqCst);
            if self.sync_fails.load(Ordering::SeqCst) {
                return Err(io::Error::other("the disk is gone"));
            }
            self.safe.store(self.written().len(), Ordering::SeqCst);
            Ok(())
        }

        fn state(&self) -> io::Result<(u64, bool)> {
            Ok((self.written().len() as u64, true))
        }
    }

    fn appender(disk: Fake, durability: Durability) -> (Arc<Fake>, Appender<Fake>) {
        let appender = Appender::new(disk, "s.jsonl".into(), 0, durability);
        (appender.disk.clone(), appender)
    }

    #[test]
    fn a_line_is_one_call_unless_the_system_takes_only_a_part() {
        let (disk, mut log) = appender(Fake::new(), Durability::Buffered);
        log.append(b"one\n").expect("room");
        log.append(b"two\n").expect("room");
        assert_eq!((disk.written(), disk.calls.load(Ordering::SeqCst)), (b"one\ntwo\n".to_vec(), 2));
        let (disk, mut log) = appender(Fake { step: 3, ..Fake::new() }, Durability::Buffered);
        disk.interrupted.store(true, Ordering::SeqCst);
        log.append(b"one two\n").expect("room");
        assert_eq!((disk.written(), log.size()), (b"one two\n".to_vec(), 8));
    }

    #[test]
    fn per_entry_means_that_what_is_acknowledged_outlives_a_loss_of_power() {
        let (disk, mut log) = appender(Fake::new(), Durability::PerEntry);
        for n in 1..=10 {
            log.append(b"line\n").expect("room");
            assert_eq!((disk.safe(), disk.syncs.load(Ordering::SeqCst)), (5 * n, n), "one sync an entry, before it");
        }
    }

    #[test]
    fn buffered_means_no_sync_unless_it_is_asked_for() {
        let (disk, mut log) = appender(Fake::new(), Durability::Buffered);
        log.append(b"line\n").expect("room");
        assert_eq!(disk.safe(), 0);
        log.sync().expect("a disk");
        assert_eq!(disk.safe(), 5);
    }

    #[test]
    fn a_group_is_synced_together_after_its_delay() {
        let (disk, mut log) = appender(Fake::new(), Durability::Group(Duration::from_millis(40)));
        for _ in 0..100 {
            log.append(b"line\n").expect("room");
        }
        let deadline = Instant::now() + Duration::from_secs(20);
        while disk.safe() < 500 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(disk.safe(), 500);
        let syncs = disk.syncs.load(Ordering::SeqCst);
        assert!(syncs < 50, "{syncs} syncs for 100 entries");
        // what is due when the log goes is synced, and sync does not wait
        let (disk, mut log) = appender(Fake::new(), Durability::Group(Duration::MAX));
        log.append(b"line\n").expect("room");
        log.sync().expect("a disk");
        assert_eq!(disk.safe(), 5);
        log.append(b"line\n").expect("room");
        drop(log);
        assert_eq!(disk.safe(), 10);
    }

    #[test]
    fn a_write_that_breaks_off_tells_how_far_it_came() {
        for room in 0..9 {
            let (disk, mut log) = appender(Fake { room: 4 + room, ..Fake::new() }, Durability::PerEntry);
            log.append(b"one\n").expect("room");
            let error = log.append(b"the next\n").expect_err("no room");
            let Error::Write { written, error } = error else { panic!("{error}") };
            assert_eq!((written, error.kind()), (room as u64, io::ErrorKind::StorageFull));
            assert_eq!((log.size(), disk.written().len()), (4 + room as u64, 4 + room));
        }
    }

    #[test]
    fn a_sync_that_fails_is_told() {
        let (disk, mut log) = appender(Fake::new(), Durability::PerEntry);
        disk.sync_fails.store(true, Ordering::SeqCst);
        assert!(matches!(log.append(b"line\n"), Err(Error::Unsynced(_))));
        let (disk, mut log) = appender(Fake::new(), Durability::Group(Duration::ZERO));
        disk.sync_fails.store(true, Ordering::SeqCst);
        log.append(b"line\n").expect("it is told later");
        let deadline = Instant::now() + Duration::from_secs(20);
        while disk.syncs.load(Ordering::SeqCst) == 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(5));
        assert!(matches!(log.append(b"line\n"), Err(Error::Unsynced(_))));
        assert_eq!(disk.written(), b"line\n", "nothing is written behind what may be lost");
        assert!(matches!(log.sync(), Err(Error::Unsynced(_))));
    }

    #[test]
    fn what_another_writes_is_noticed_before_anything_is_written() {
        let (disk, mut log) = appender(Fake::new(), Durability::Buffered);
        log.append(b"one\n").expect("room");
        disk.write(b"foreign\n").expect("room");
        let error = log.append(b"two\n").expect_err("it grew");
        assert_eq!(error.to_string(), "somebody else changed 's.jsonl' (it had 4 bytes and has 12 now); open it again");
        assert_eq!(disk.written(), b"one\nforeign\n");
    }
}
