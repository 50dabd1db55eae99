//! A writer that is killed at a random moment, again and again: what it acknowledged is there, at most its
//! last line is torn, and the next one goes on. A few dozen times here; a thousand times with
//! `SESSTOOL_KILLS=1000 cargo test --test all killed`.

use super::*;
use crate::support::{check_bytes, codes};
use sesstool::store::{Durability, Tail};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const TARGET: &str = "SESSTOOL_TEST_WRITER";
const SEED: &str = "SESSTOOL_TEST_SEED";
const DURABILITY: &str = "SESSTOOL_TEST_DURABILITY";

/// Random numbers that are good enough here.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn durability(name: &str) -> Durability {
    match name {
        "buffered" => Durability::Buffered,
        "per-entry" => Durability::PerEntry,
        _ => Durability::Group(Duration::from_millis(2)),
    }
}

/// Writes to a session, or to a new one in a folder, until it is killed, and says which entries it knows to be
/// written. Run by the test below.
#[test]
#[ignore = "runs in a process of its own"]
fn writer() {
    let Some(target) = std::env::var_os(TARGET) else { return };
    let variable = |name: &str| std::env::var(name).expect("it is set");
    let mut random = Random(variable(SEED).parse().expect("a number"));
    let durability = durability(&variable(DURABILITY));
    let target = Path::new(&target);
    let mut log = match target.is_dir() {
        true => ok(SessionLog::create(&options().folder(target).durability(durability))),
        false => ok(SessionLog::open(target, durability)),
    };
    // the harness keeps what macros print for itself
    let mut out = std::io::stdout();
    let mut say = |text: &str| out.write_all(format!("{text}\n").as_bytes()).expect("somebody listens");
    say("ready");
    let filler = "x\"日".repeat(60_000);
    loop {
        let long = random.below(8) == 0;
        let length = if long { random.below(240_000) } else { random.below(400) } as usize;
        let text: String = filler.chars().take(length + 1).collect();
        let id = match random.below(6) {
            0 => ok(log.append_custom("ext", Some(&text))),
            1 => ok(log.append_message(&assistant(&text))),
            _ => ok(log.append_message(&user(&text))),
        };
        // before the first message nothing is on the disk
        if log.is_stored() {
            say(&format!("ack {id}"));
        }
        if random.below(10) == 0 {
            let all = log.session();
            let any = all.id_text(random.below(log.len() as u64) as u32);
            ok(log.branch(&any));
        }
    }
}

/// Starts a writer; what it says comes through its standard output.
fn start(target: &Path, durability: &str, seed: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "--nocapture", "store::crash::writer"]);
    command.env(TARGET, target).env(DURABILITY, durability).env(SEED, seed.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process")
}

/// Lets a writer write for a while and kills it. What it acknowledged.
fn killed(target: &Path, durability: &str, random: &mut Random) -> Vec<String> {
    let mut child = start(target, durability, random.below(1 << 30));
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    // the pipe must not fill up, or the writer would wait
    let (ready, waits) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let started = lines.by_ref().any(|line| line == "ready");
        let _ = ready.send(started);
        lines.filter_map(|line| line.strip_prefix("ack ").map(str::to_string)).collect::<Vec<_>>()
    });
    assert!(waits.recv().expect("it says so"), "the writer did not start");
    std::thread::sleep(Duration::from_micros(random.below(12_000)));
    child.kill().expect("it runs");
    assert!(!child.wait().expect("it ends").success(), "it writes until it is killed");
    reader.join().expect("no panic")
}

/// The one session in a folder; files under way, which a kill may leave, are none.
fn session_in(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut sessions = files.filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    let first = sessions.next();
    assert_eq!(sessions.next(), None);
    first
}

fn is_object(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value.is_object())
}

/// Whether the bytes that a killed writer added are whole lines, but for the last one.
fn only_the_last_is_torn(before: &[u8], now: &[u8]) -> bool {
    assert!(now.starts_with(before), "what was there before is there");
    let mut added = &now[before.len()..];
    if !before.is_empty() && !before.ends_with(b"\n") && !added.is_empty() {
        added = added.strip_prefix(b"\n").expect("a torn line is ended before anything else");
    }
    let mut lines: Vec<&[u8]> = added.split(|b| *b == b'\n').collect();
    let last = lines.pop().unwrap_or_default();
    assert!(lines.iter().all(|line| is_object(line)), "a line before the last is torn");
    !last.is_empty() && !is_object(last)
}

#[test]
fn a_writer_in_another_process_is_named() {
    let folder = folder();
    let mut log = in_file(folder.path());
    super::say(&mut log, "a");
    let path = stored_path(&log);
    drop(log);
    let mut child = start(&path, "buffered", 1);
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line == "ready"));
    let error = SessionLog::open(&path, Durability::Buffered).expect_err("it is open there");
    let pid = child.id();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let Error::Locked(_, holder) = &error else { panic!("{error}") };
    if cfg!(target_os = "linux") {
        assert_eq!(holder.as_ref().map(|holder| holder.pid), Some(pid));
        assert!(error.to_string().contains(&format!("is open for writing in process {pid} (")), "{error}");
    }
    ok(SessionLog::open(&path, Durability::Buffered));
}

#[test]
fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    let kills = std::env::var("SESSTOOL_KILLS").ok();
    let asked = kills.is_some();
    let kills = kills.map_or(60, |n| n.parse().expect("a number"));
    let mut random = Random(20260131);
    let (mut acknowledged, mut torn, mut unborn) = (0, 0, 0);
    for n in 0..kills / 4 {
        let folder = folder();
        let durability = ["buffered", "per-entry", "group"][n % 3];
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut before = Vec::new();
        for _ in 0..4 {
            let session = session_in(folder.path());
            let acks = killed(session.as_deref().unwrap_or(folder.path()), durability, &mut random);
            acknowledged += acks.len();
            let Some(path) = session_in(folder.path()) else {
                assert!(acks.is_empty(), "what was acknowledged is in a file");
                unborn += 1;
                continue;
            };
            let now = std::fs::read(&path).expect("the file");
            torn += usize::from(only_the_last_is_torn(&before, &now));
            known.extend(acks);
            // the next one goes on, where the session is whole
            let mut log = ok(SessionLog::open(&path, Durability::Buffered));
            let is_torn = matches!(log.tail(), Tail::Torn { .. });
            assert_eq!(std::fs::read(&path).expect("the file"), now, "opening changes nothing");
            let all: BTreeSet<String> = entries(&log).into_iter().map(|entry| entry.id).collect();
            assert!(known.is_subset(&all), "acknowledged and not there: {:?}", known.difference(&all));
            let next = say(&mut log, "after the crash");
            assert_eq!(super::path(&log).last(), Some(&next));
            known.insert(next);
            before = std::fs::read(&path).expect("the file");
            assert!(before.ends_with(b"\n") && (!is_torn || before.len() > now.len()));
            let found = codes(&check_bytes(&before));
            assert!(found.iter().all(|code| ["L005", "G007", "G008", "G009", "G010"].contains(code)), "{found:?}");
        }
    }
    if asked {
        let text = format!("{kills} kills: {acknowledged} acknowledged, {torn} torn lines, {unborn} before the file\n");
        std::io::stdout().write_all(text.as_bytes()).expect("it can be said");
    }
    assert!(acknowledged > kills, "the writers hardly wrote: {acknowledged}");
}
