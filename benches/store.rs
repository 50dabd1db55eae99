//! Appends a second: at each durability, into a new session and behind a million entries.
//!
//! `benches/store-peers/run` measures pi and SQLite in the same way.

use serde_json::{Value, json};
use sesstool::store::{Durability, Options, SessionLog};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many entries a long session has; `SESSTOOL_BENCH_ENTRIES` says otherwise.
const MANY: usize = 1_000_000;

/// How many appends are timed at once.
const BATCH: usize = 1_000;

/// How often; the best counts, since other programs run too.
const TIMES: usize = 5;

const DURABILITIES: [(&str, Durability); 3] = [
    ("buffered", Durability::Buffered),
    ("group 10 ms", Durability::Group(Duration::from_millis(10))),
    ("per entry", Durability::PerEntry),
];

/// A message as long as the median line of real sessions, about 1 kB.
fn message() -> Value {
    json!({ "role": "user", "content": "Fix the parser, please. ".repeat(36), "timestamp": 1_767_225_600_000_u64 })
}

fn create(folder: &Path, durability: Durability) -> SessionLog {
    SessionLog::create(&Options::new().cwd("/project").folder(folder).durability(durability)).expect("a session")
}

/// Appends to the log; how many a second.
fn append(log: &mut SessionLog, count: usize, message: &Value) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        log.append_message(message).expect("an entry");
    }
    count as f64 / start.elapsed().as_secs_f64()
}

fn say(what: &str, durability: &str, rate: f64) {
    let line = format!("sesstool  {what:<28} {durability:<12} {rate:>12.0} appends/s\n");
    std::io::stdout().write_all(line.as_bytes()).expect("somebody listens");
}

fn main() {
    // `cargo test` builds benchmarks too, and does not ask for one
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let many = std::env::var("SESSTOOL_BENCH_ENTRIES").ok().and_then(|n| n.parse().ok()).unwrap_or(MANY);
    let place = std::env::var_os("SESSTOOL_BENCH_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(place).expect("a folder");
    let message = message();
    for (name, durability) in DURABILITIES {
        let rates = (0..TIMES).map(|_| append(&mut create(folder.path(), durability), BATCH, &message));
        say("0 to 1,000 entries", name, rates.fold(0.0, f64::max));
    }
    let mut memory = SessionLog::in_memory(&Options::new()).expect("a session");
    say(&format!("0 to {many} entries"), "memory", append(&mut memory, many, &message));
    drop(memory);
    let mut log = create(folder.path(), Durability::Buffered);
    let path = log.path().expect("a file").to_path_buf();
    say(&format!("0 to {many} entries"), "buffered", append(&mut log, many, &message));
    drop(log);
    for (name, durability) in DURABILITIES {
        let mut log = SessionLog::open(&path, durability).expect("the session");
        let rates = (0..TIMES).map(|_| append(&mut log, BATCH, &message));
        say(&format!("behind {many} entries"), name, rates.fold(0.0, f64::max));
    }
}
