//! `file-operations`

use super::super::*;
use sesstool::store::{Durability, file_name, list, load, most_recent};
use std::fs;
use std::time::{Duration, SystemTime};

const MESSAGE: &str = r#"{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}"#;

fn header(id: &str, cwd: &str) -> String {
    format!(r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"{cwd}"}}"#)
}

/// A file with this text, written `age` seconds ago.
fn file(folder: &Path, name: &str, text: &str, age: u64) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    let file = fs::File::options().append(true).open(&path).expect("the file");
    file.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("its time");
    path
}

#[test]
fn what_is_no_session_loads_as_nothing() {
    let folder = folder();
    assert_eq!(load(&folder.path().join("gone.jsonl")).expect("no error"), [""; 0]);
    for text in ["", MESSAGE, "garbage\n", "not json\n{broken\n", "\u{feff}{}\n"] {
        let path = file(folder.path(), "s.jsonl", text, 0);
        assert_eq!(load(&path).expect("no error"), [""; 0], "{text}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    }
}

#[test]
fn a_header_without_version_and_a_message_load_in_order() {
    let folder = folder();
    let old = r#"{"type":"session","id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    let line = r#"{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hi"}}"#;
    let path = file(folder.path(), "s.jsonl", &format!("{old}\n{line}\n"), 0);
    assert_eq!(load(&path).expect("no error"), [old, line]);
    // pi migrates such a file where it stands; here it is read as it is, and nothing is added to it
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!((log.len(), said(&log)), (1, pairs(&[("user", "hi")])));
    let error = log.append_message(&user("more")).expect_err("an old version");
    assert!(matches!(error, Error::Version(_)) && error.to_string().contains("sesstool migrate"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), format!("{old}\n{line}\n"));
}

#[test]
fn a_malformed_line_is_skipped_and_those_around_it_are_kept() {
    let folder = folder();
    let second = MESSAGE.replace("aaaa0001", "aaaa0002").replace("null", "\"aaaa0001\"");
    let text = format!("{}\n{MESSAGE}\nnot json\n{second}\n", header("s", "/p"));
    let path = file(folder.path(), "s.jsonl", &text, 0);
    assert_eq!(load(&path).expect("no error"), [&header("s", "/p"), MESSAGE, &second]);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!(super::super::path(&log), ["aaaa0001", "aaaa0002"]);
    let id = answer(&mut log, "b");
    let now = fs::read_to_string(&path).expect("the file");
    assert!(now.starts_with(&text) && now.lines().count() == 5, "{now}");
    assert_eq!(super::super::path(&log), ["aaaa0001", "aaaa0002", &id]);
}

#[test]
fn an_empty_or_missing_folder_has_no_most_recent_session() {
    let folder = folder();
    assert_eq!(most_recent(folder.path(), None).expect("no error"), None);
    assert_eq!(most_recent(&folder.path().join("gone"), None).expect("no error"), None);
}

#[test]
fn other_files_and_those_without_a_header_are_ignored() {
    let folder = folder();
    file(folder.path(), "a.json", &format!("{}\n", header("a", "/p")), 0);
    file(folder.path(), "b.jsonl", "{}\n", 0);
    file(folder.path(), "c.jsonl", "", 0);
    fs::create_dir(folder.path().join("d.jsonl")).expect("a folder");
    assert_eq!(most_recent(folder.path(), None).expect("no error"), None);
}

#[test]
fn the_newest_valid_session_wins() {
    let folder = folder();
    file(folder.path(), "old.jsonl", &format!("{}\n", header("old", "/p")), 300);
    let newer = file(folder.path(), "newer.jsonl", &format!("{}\n{MESSAGE}\n", header("newer", "/p")), 200);
    file(folder.path(), "invalid.jsonl", &format!("{MESSAGE}\n"), 100);
    let found = most_recent(folder.path(), None).expect("no error").expect("a session");
    assert_eq!((found.path, found.id.as_str()), (newer, "newer"));
}

#[test]
fn an_empty_file_becomes_a_session_with_the_first_message() {
    // pi writes a header when it opens such a file; here opening writes nothing
    let folder = folder();
    let path = file(folder.path(), "s.jsonl", "", 0);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!((stored_path(&log), log.len(), log.is_stored()), (path.clone(), 0, false));
    assert_eq!(fs::metadata(&path).expect("the file").len(), 0);
    say(&mut log, "a");
    assert_eq!(lines_of(&path).len(), 2);
    drop(log);
    let log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!(said(&log), pairs(&[("user", "a")]), "it opens a second time");
}

#[test]
fn what_is_no_session_is_refused_and_keeps_its_bytes() {
    // pi 0.73 and before put a fresh header in their place
    let folder = folder();
    for text in [MESSAGE, "garbage\n", " \n", "{\"type\":\"session\"}\n"] {
        let path = file(folder.path(), "s.jsonl", text, 0);
        let error = SessionLog::open(&path, Durability::Buffered).expect_err(text);
        assert!(matches!(&error, Error::NotASession(Some(at), _) if *at == path), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    }
    let error = SessionLog::open(folder.path().join("gone.jsonl"), Durability::Buffered).expect_err("no file");
    assert!(matches!(error, Error::Open(..)), "{error}");
    assert!(matches!(SessionLog::open(folder.path(), Durability::Buffered), Err(Error::NotASession(..))));
}

/// A file that is longer than V8's longest string. It takes half a gigabyte:
/// `cargo test --test all -- --ignored longer_than_a_string`
#[test]
#[ignore = "writes half a gigabyte"]
fn a_file_longer_than_a_string_of_v8_opens() {
    let folder = folder();
    let path = folder.path().join("s.jsonl");
    let mut out = std::io::BufWriter::new(fs::File::create(&path).expect("a file"));
    let filler = "x".repeat(1 << 20);
    std::io::Write::write_all(&mut out, format!("{}\n", header("s", "/p")).as_bytes()).expect("room");
    for n in 0..520 {
        let line = MESSAGE.replace("aaaa0001", &format!("aaaa{n:04}")).replace("hi", &filler);
        std::io::Write::write_all(&mut out, format!("{line}\n").as_bytes()).expect("room");
    }
    drop(out);
    assert!(fs::metadata(&path).expect("the file").len() > 536_870_888);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!((log.len(), log.leaf().as_deref()), (520, Some("aaaa0519")));
    say(&mut log, "more");
    assert_eq!(log.len(), 521);
}

#[test]
fn sessions_of_one_working_directory_can_be_asked_for() {
    let folder = folder();
    let mine = file(folder.path(), "mine.jsonl", &format!("{}\n", header("mine", "/p")), 200);
    let other = file(folder.path(), "other.jsonl", &format!("{}\n", header("other", "/q")), 100);
    file(folder.path(), "none.jsonl", &format!("{}\n", header("none", "")), 50);
    let paths = |cwd: Option<&str>| -> Vec<String> {
        let found = list(folder.path(), cwd.map(Path::new)).expect("no error");
        found.into_iter().map(|session| session.id).collect()
    };
    assert_eq!(paths(None), ["none", "other", "mine"], "newest first");
    assert_eq!(paths(Some("/p")), ["mine"]);
    assert_eq!(paths(Some("/p/./x/..")), ["mine"]);
    assert_eq!(paths(Some("/nowhere")), [""; 0]);
    let newest = |cwd| most_recent(folder.path(), Some(Path::new(cwd))).expect("no error").map(|session| session.path);
    assert_eq!((newest("/p"), newest("/q"), newest("/r")), (Some(mine), Some(other), None));
}

#[test]
fn the_newest_session_of_the_working_directory_is_continued() {
    let folder = folder();
    file(folder.path(), "mine.jsonl", &format!("{}\n{MESSAGE}\n", header("mine", "/p")), 200);
    file(folder.path(), "other.jsonl", &format!("{}\n", header("other", "/q")), 100);
    let options = |cwd: &str| Options::new().cwd(cwd).folder(folder.path());
    let mut log = ok(SessionLog::continue_recent(&options("/p")));
    assert_eq!((log.id(), log.len()), ("mine", 1));
    answer(&mut log, "b");
    let fresh = ok(SessionLog::continue_recent(&options("/r")));
    assert!(fresh.is_empty() && !fresh.is_stored() && fresh.cwd() == "/r");
    let named = value(std::str::from_utf8(&ok(fresh.lines())).expect("text"));
    assert_eq!(stored_path(&fresh), folder.path().join(file_name(&text(&named["timestamp"]), fresh.id())));
}

#[test]
fn content_blocks_of_unknown_types_survive() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let mut message = assistant("");
    message["content"] = json!([{ "type": "finalAnswer", "answer": { "n": 42, "list": [1, "two", null] } }]);
    let id = ok(log.append_message(&message));
    let path = stored_path(&log);
    drop(log);
    let log = ok(SessionLog::open(path, Durability::Buffered));
    assert_eq!(value(&ok(log.entry(&id)).expect("an entry").json)["message"], message);
    assert_eq!(messages(&log), [message]);
}
