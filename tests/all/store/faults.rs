//! A disk that is full, or lost: nothing that was acknowledged goes, and the next entry is whole.

use super::*;
use crate::support::{check_bytes, codes};
use sesstool::source::Source;
use sesstool::store::{MemoryStorage, Storage, Tail};
use std::io;
use std::sync::{Arc, Mutex};

/// A storage with room for so many bytes, which takes what fits.
struct Full {
    inner: MemoryStorage,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// How many more bytes there is room for; `None` for any number.
    room: Option<usize>,
    sync_fails: bool,
}

impl Full {
    fn new() -> (Box<Full>, Arc<Mutex<State>>) {
        let state = Arc::<Mutex<State>>::default();
        (Box::new(Full { inner: MemoryStorage::new(), state: state.clone() }), state)
    }
}

impl Storage for Full {
    fn source(&self) -> &Source {
        self.inner.source()
    }

    fn create(&mut self, lines: &[u8]) -> Result<(), Error> {
        match self.state.lock().expect("no panic").room {
            Some(room) if room < lines.len() => {
                Err(Error::Write { written: 0, error: io::ErrorKind::StorageFull.into() })
            }
            _ => self.inner.create(lines),
        }
    }

    fn append(&mut self, line: &[u8]) -> Result<(), Error> {
        let mut state = self.state.lock().expect("no panic");
        let fits = state.room.unwrap_or(usize::MAX).min(line.len());
        state.room = state.room.map(|room| room - fits);
        self.inner.append(&line[..fits])?;
        if fits < line.len() {
            return Err(Error::Write { written: fits as u64, error: io::ErrorKind::StorageFull.into() });
        }
        if state.sync_fails {
            return Err(Error::Unsynced(io::Error::other("the disk is gone")));
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// What a log looks like to whoever uses it.
fn look(log: &SessionLog) -> (Option<String>, Vec<StoredEntry>, Vec<Value>) {
    (log.leaf(), entries(log), messages(log))
}

/// The bytes are a session that holds what the log holds, and torn lines at most.
fn is_sound(log: &SessionLog) {
    let lines = ok(log.lines());
    let again = ok(SessionLog::adopt(&lines, &options()));
    assert_eq!(look(&again), look(log));
    let found = codes(&check_bytes(&lines));
    assert!(found.iter().all(|code| *code == "L005"), "{found:?}\n{}", String::from_utf8_lossy(&lines));
}

fn entry(id: &str, parent: Option<&str>) -> String {
    json!({ "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z",
        "message": { "role": "user", "content": "日本 \"{\\\" }" } })
    .to_string()
}

#[test]
fn a_disk_that_is_full_at_any_byte_loses_nothing() {
    let line = entry("second", Some("first"));
    let length = line.len() + 1;
    for room in 0..=length {
        let (storage, state) = Full::new();
        let mut log = ok(SessionLog::begin(storage, &options()));
        ok(log.append(&entry("first", None)));
        let before = look(&log);
        state.lock().expect("no panic").room = Some(room);
        match log.append(&line) {
            // the record is whole, though its LF may be missing: readers have it, and so does the log
            Ok(id) => assert!(room + 1 >= length && id == "second", "{room}"),
            Err(error) => {
                let Error::Write { written, .. } = &error else { panic!("{error}") };
                assert_eq!((*written as usize, look(&log)), (room, before), "{room}: memory is what it was");
            }
        }
        let torn = room > 0 && room + 1 < length;
        assert_eq!(matches!(log.tail(), Tail::Torn { .. }), torn, "{room}: {:?}", log.tail());
        // still full
        let now = look(&log);
        assert!(matches!(log.append_message(&user("no")), Err(Error::Write { written: 0, .. })), "{room}");
        assert_eq!(look(&log), now);
        state.lock().expect("no panic").room = None;
        // the same entry again, where it was not taken
        let second = if log.len() == 1 { ok(log.append(&line)) } else { "second".to_string() };
        let third = answer(&mut log, "c");
        assert_eq!(super::path(&log), ["first", &second, &third]);
        is_sound(&log);
    }
}

#[test]
fn a_disk_that_is_full_twice_loses_nothing() {
    let length = entry("second", Some("first")).len() + 2;
    for first in (0..length).step_by(7) {
        for second in (0..length).step_by(5).chain([1, 2, length - 1, length]) {
            let (storage, state) = Full::new();
            let mut log = ok(SessionLog::begin(storage, &options()));
            let mut acknowledged = vec![ok(log.append(&entry("first", None)))];
            for (id, room) in [("second", first), ("third", second)] {
                state.lock().expect("no panic").room = Some(room);
                let leaf = log.leaf();
                acknowledged.extend(log.append(&entry(id, leaf.as_deref())));
            }
            state.lock().expect("no panic").room = None;
            acknowledged.push(say(&mut log, "last"));
            assert_eq!(super::path(&log), acknowledged, "{first} {second}");
            is_sound(&log);
        }
    }
}

#[test]
fn a_session_that_cannot_be_created_is_created_later() {
    let (storage, state) = Full::new();
    let mut log = ok(SessionLog::begin(storage, &options()));
    let level = ok(log.append_thinking_level_change("low"));
    state.lock().expect("no panic").room = Some(10);
    let before = look(&log);
    assert!(matches!(log.append_message(&user("a")), Err(Error::Write { written: 0, .. })));
    assert_eq!((look(&log), log.is_stored()), (before, false));
    state.lock().expect("no panic").room = None;
    let said = say(&mut log, "a");
    assert_eq!((super::path(&log), log.is_stored()), (vec![level, said], true));
    is_sound(&log);
}

#[test]
fn after_a_sync_that_failed_nothing_is_added() {
    let (storage, state) = Full::new();
    let mut log = ok(SessionLog::begin(storage, &options()));
    let first = say(&mut log, "a");
    state.lock().expect("no panic").sync_fails = true;
    assert!(matches!(log.append_message(&user("b")), Err(Error::Unsynced(_))));
    assert_eq!((log.leaf(), log.len()), (Some(first), 1), "it was not acknowledged");
    state.lock().expect("no panic").sync_fails = false;
    let error = log.append_message(&user("c")).expect_err("nobody knows what is there");
    assert!(error.to_string().contains("open the session again"), "{error}");
    // whoever opens it sees what is there
    let again = ok(SessionLog::adopt(&ok(log.lines()), &options()));
    assert_eq!(again.len(), 2);
}

/// On a real disk that is small: `SESSTOOL_SMALL_DISK=/mnt/small cargo test --test all -- --ignored small_disk`
#[test]
#[ignore = "needs a small disk"]
fn a_small_disk_that_fills_up_loses_nothing() {
    let disk = PathBuf::from(std::env::var_os("SESSTOOL_SMALL_DISK").expect("SESSTOOL_SMALL_DISK is a folder"));
    let folder = tempfile::tempdir_in(disk).expect("a folder");
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![1; 40_000]).expect("room");
    let mut log = in_file(folder.path());
    let mut acknowledged = Vec::new();
    let error = loop {
        match log.append_message(&user(&"x".repeat(3_000))) {
            Ok(id) => acknowledged.push(id),
            Err(error) => break error,
        }
    };
    let full = |error: &io::Error| error.kind() == io::ErrorKind::StorageFull;
    assert!(matches!(&error, Error::Write { error, .. } if full(error)), "{error}");
    let tail = log.tail();
    assert_eq!(super::path(&log), acknowledged);
    std::fs::remove_file(ballast).expect("it goes");
    acknowledged.push(say(&mut log, "there is room again"));
    assert_eq!(super::path(&log), acknowledged);
    is_sound(&log);
    let text = format!("{error}; {} entries before it, {tail:?}\n", acknowledged.len() - 1);
    io::Write::write_all(&mut io::stdout(), text.as_bytes()).expect("it can be said");
}

/// A limit of the system instead of a full disk. It holds for a whole process, so another one writes.
#[cfg(unix)]
mod limited {
    use super::*;
    use rustix::process::{Resource, Rlimit, setrlimit};
    use sesstool::store::Durability;
    use std::process::Command;

    const FOLDER: &str = "SESSTOOL_TEST_LIMITED";

    fn limit(bytes: Option<u64>) {
        setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("a limit");
    }

    /// Writes until the limit is reached, and goes on behind it. Run by the test below.
    #[test]
    #[ignore = "runs in a process of its own"]
    fn writer() {
        let Some(folder) = std::env::var_os(FOLDER) else { return };
        let durability = [Durability::Buffered, Durability::PerEntry, Durability::Group(std::time::Duration::ZERO)];
        for (n, durability) in durability.into_iter().enumerate() {
            let mut log = ok(SessionLog::create(&options().folder(&folder).durability(durability)));
            let path = stored_path(&log);
            limit(Some(100));
            let error = log.append_message(&user("too long, together with its header")).expect_err("the limit");
            assert!(matches!(error, Error::Write { written: 0, .. }), "{error}");
            assert!(!path.exists() && std::fs::read_dir(&folder).expect("it").count() == n, "nothing is left of it");
            limit(Some(10_000 + n as u64));
            let mut acknowledged = Vec::new();
            let error = loop {
                match log.append_message(&user(&"x".repeat(700))) {
                    Ok(id) => acknowledged.push(id),
                    Err(error) => break error,
                }
            };
            let Error::Write { written, error } = &error else { panic!("{error}") };
            assert!(*written > 0 && error.raw_os_error().is_some(), "{written} {error}");
            assert_eq!(std::fs::metadata(&path).expect("the file").len(), 10_000 + n as u64);
            assert_eq!(super::super::path(&log), acknowledged);
            limit(None);
            acknowledged.push(say(&mut log, "behind it"));
            assert_eq!(super::super::path(&log), acknowledged);
            is_sound(&log);
            ok(log.close());
            let log = ok(SessionLog::open(&path, durability));
            assert_eq!((super::super::path(&log), log.tail()), (acknowledged, Tail::Whole));
            is_sound(&log);
        }
    }

    #[test]
    fn a_file_that_may_not_grow_loses_nothing() {
        let folder = super::super::folder();
        let binary = std::env::current_exe().expect("this program");
        // a process that ignores the signal is told by an error
        let script = "trap '' XFSZ; exec \"$0\" --ignored --exact store::faults::limited::writer";
        let output =
            Command::new("sh").arg("-c").arg(script).arg(binary).env(FOLDER, folder.path()).output().expect("sh");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 3);
    }
}
