//! What the store promises beyond what pi does.

use super::*;
use crate::support::{Fixture, check_bytes, codes, fixtures};
use sesstool::session::scan::scan;
use sesstool::session::view::{Leaf, Reader, View};
use sesstool::source::Source;
use sesstool::store::{Compaction, CustomMessage, Durability, JsonlStorage, MemoryStorage, Storage, Tail, Usage};
use std::fs;
use std::io::Write;
use std::sync::{Arc, Mutex};

const TIME: &str = "2026-01-01T00:00:00.000Z";

fn raw(id: &str, parent: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"{TIME}","message":{{"role":"user","content":"says {id}"}}}}"#
    )
}

/// A session in a file, with one message.
fn begun(folder: &Path) -> (SessionLog, String) {
    let mut log = in_file(folder);
    let id = say(&mut log, "a");
    (log, id)
}

#[test]
fn given_entries_are_kept_as_they_are() {
    let folder = folder();
    let (mut log, first) = begun(folder.path());
    let odd = format!(
        r#" {{ "x":1e999,  "\u0069d":"mine","parentId":"{first}", "type":"message","timestamp":"{TIME}","message":{{"role":"user","content":"a\u0062"}} }} "#
    );
    assert_eq!(ok(log.append(&odd)), "mine");
    assert_eq!(log.leaf().as_deref(), Some("mine"));
    // an entry may hang on any other; it becomes the leaf, as it does for whoever opens the file
    assert_eq!(ok(log.append(&format!("{}\n", raw("other", &first)))), "other");
    let lines = lines_of(&stored_path(&log));
    assert_eq!(lines[2..], [odd, raw("other", &first)]);
    assert_eq!(super::path(&log), [first, "other".to_string()]);
}

/// Entries that are refused, and what is said of them.
const REFUSED: &[(&str, &str)] = &[
    ("", "not one JSON object"),
    ("7", "a number, not an object"),
    ("{", "cut"),
    (r#"{"a":1}{"b":2}"#, "2 complete records"),
    (r#"{"type":"session","id":"s"}"#, "not one JSON object that is an entry"),
    (r#"{"type":"message","id":"x","parentId":null,"timestamp":"T","message":{"role":"user"}} tail"#, "(L006)"),
    (r#"{"id":"x","parentId":null,"timestamp":"T"}"#, "`type`"),
    (r#"{"type":"custom","customType":"c","parentId":null,"timestamp":"T"}"#, "no `id`"),
    (r#"{"type":"custom","customType":"c","id":7,"parentId":null,"timestamp":"T"}"#, "no `id`"),
    (r#"{"type":"custom","customType":"c","id":"","parentId":null,"timestamp":"T"}"#, "no `id`"),
    (r#"{"type":"custom","customType":"c","id":"x","timestamp":"T"}"#, "`parentId`"),
    (r#"{"type":"custom","customType":"c","id":"x","parentId":7,"timestamp":"T"}"#, "`parentId`"),
    (r#"{"type":"custom","customType":"c","id":"x","parentId":"","timestamp":"T"}"#, "no entry has the id ''"),
    (r#"{"type":"custom","customType":"c","id":"x","parentId":"x","timestamp":"T"}"#, "no entry has the id 'x'"),
    (r#"{"type":"custom","customType":"c","id":"x","parentId":"gone","timestamp":"T"}"#, "no entry has the id 'gone'"),
    (r#"{"type":"custom","customType":"c","id":"x","parentId":null}"#, "`timestamp`"),
    (r#"{"type":"custom","id":"x","parentId":null,"timestamp":"T"}"#, "`customType` of a `custom` is absent (E006)"),
    (r#"{"type":"message","id":"x","parentId":null,"timestamp":"T","message":{}}"#, "(E006)"),
    (r#"{"type":"message","id":"x","parentId":null,"timestamp":"T","message":"text"}"#, "no role"),
    (r#"{"type":"label","id":"x","parentId":null,"timestamp":"T","targetId":"gone"}"#, "no entry has the id 'gone'"),
    (r#"{"type":"label","id":"x","parentId":null,"timestamp":"T","targetId":7}"#, "its target is no id"),
    (r#"{"type":"leaf","id":"x","parentId":null,"timestamp":"T","targetId":"gone"}"#, "no entry has the id 'gone'"),
    (r#"{"type":"leaf","id":"x","parentId":null,"timestamp":"T"}"#, "its target is no id"),
    (r#"{"type":"context_edit","id":"x","parentId":null,"timestamp":"T","targetId":"first"}"#, "(R008)"),
    (r#"{"type":"compaction","id":"x","parentId":null,"timestamp":"T","summary":"s"}"#, "what it keeps"),
    (
        r#"{"type":"compaction","id":"x","parentId":null,"timestamp":"T","summary":"s","firstKeptEntryId":"gone"}"#,
        "no entry has the id 'gone'",
    ),
    (
        r#"{"type":"compaction","id":"x","parentId":null,"timestamp":"T","summary":"s","firstKeptEntryId":"first"}"#,
        "not on the current branch",
    ),
    (
        r#"{"type":"branch_summary","id":"x","parentId":null,"timestamp":"T","summary":"s","fromId":"gone"}"#,
        "no entry has the id 'gone'",
    ),
    (r#"{"type":"custom","customType":"c","id":"first","parentId":null,"timestamp":"T"}"#, "is taken"),
    ("{\"type\":\"custom\",\n\"customType\":\"c\",\"id\":\"x\",\"parentId\":null,\"timestamp\":\"T\"}", "line feed"),
];

#[test]
fn what_validate_would_call_an_error_is_refused_and_changes_nothing() {
    let folder = folder();
    for mut log in [in_memory(), in_file(folder.path())] {
        ok(log.append(&raw("first", "")));
        let before = ok(log.lines());
        for (entry, hint) in REFUSED {
            let entry = entry.replace(r#""timestamp":"T""#, &format!(r#""timestamp":"{TIME}""#));
            let error = log.append(&entry).expect_err(&entry).to_string();
            assert!(error.contains(hint), "{entry}\n  {error}");
            assert_eq!((log.leaf().as_deref(), log.len()), (Some("first"), 1), "{entry}");
        }
        assert_eq!(ok(log.lines()), before);
        let next = say(&mut log, "b");
        assert_eq!(super::path(&log), ["first".to_string(), next]);
    }
}

#[test]
fn every_typed_entry_is_one_that_pi_would_write() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    ok(log.append_model_change("p", "m"));
    ok(log.append_thinking_level_change("high"));
    ok(log.append_custom("ext", None::<&Value>));
    let blocks = json!([{ "type": "text", "text": "note" }]);
    ok(log.append_custom_message(&CustomMessage {
        custom_type: "ext",
        content: &blocks,
        display: true,
        details: None,
    }));
    ok(log.append_context_edit(&first, Some(&"edited".into())));
    let usage = json!({ "input": 1 });
    ok(log.append_usage(&Usage { kind: "title", provider: "p", model: "m", usage: &usage, note: Some("n") }));
    ok(log.set_label(&first, Some("mark")));
    ok(log.set_name(" two\r\nlines "));
    ok(log.append_branch_summary(Some(&first), &Default::default()));
    ok(log.append_compaction(&Compaction { summary: "s", first_kept: Some(&first), ..Compaction::default() }));
    ok(log.move_to(Some(&first)));
    let ids: Vec<String> = entries(&log).into_iter().map(|entry| entry.id).collect();
    let mut shown = String::from_utf8(ok(log.lines())).expect("text");
    for (n, id) in ids.iter().enumerate() {
        assert!(id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()), "{id}");
        shown = shown.replace(id.as_str(), &format!("<{n}>"));
    }
    shown = shown.replace(log.id(), "<session>");
    for entry in entries(&log) {
        shown = shown.replace(&text(&value(&entry.json)["timestamp"]), "<time>");
    }
    let header = shown.lines().next().expect("a header").to_string();
    shown = shown.replace(&text(&value(&header)["timestamp"]), "<time>");
    insta::assert_snapshot!(shown);
}

#[test]
fn ids_are_eight_digits_and_unique() {
    let mut log = in_memory();
    let ids: std::collections::BTreeSet<String> = (0..200).map(|n| say(&mut log, &n.to_string())).collect();
    assert_eq!(ids.len(), 200);
}

#[test]
fn a_name_can_be_taken_away() {
    let mut log = in_memory();
    assert_eq!(ok(log.name()), None);
    ok(log.set_name(" two\r\nlines "));
    assert_eq!(ok(log.name()).as_deref(), Some("two lines"));
    ok(log.set_name(""));
    assert_eq!(ok(log.name()), None);
}

#[test]
fn an_edit_changes_what_the_model_sees_on_its_branch_only() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    let second = answer(&mut log, "b");
    let level = ok(log.append_thinking_level_change("low"));
    ok(log.append_context_edit(&first, Some(&"A".into())));
    ok(log.append_context_edit(&second, Some(&"B".into())));
    assert_eq!(said(&log), pairs(&[("user", "A"), ("assistant", "B")]));
    ok(log.append_context_edit(&first, None));
    assert_eq!(said(&log), pairs(&[("assistant", "B")]));
    assert!(matches!(log.append_context_edit(&level, None), Err(Error::NotEditable(_))));
    assert!(matches!(log.append_context_edit("gone", None), Err(Error::UnknownId(_))));
    assert!(matches!(log.append_context_edit(&second, Some(&json!(7))), Err(Error::Entry(_))));
    ok(log.branch(&first));
    assert!(matches!(log.append_context_edit(&second, None), Err(Error::OffBranch(_))));
    assert_eq!(said(&log), pairs(&[("user", "a")]));
}

#[test]
fn a_moved_leaf_is_where_the_session_is_opened_again() {
    let folder = folder();
    let (mut log, first) = begun(folder.path());
    let second = answer(&mut log, "b");
    let moved = ok(log.move_to(Some(&first)));
    assert_eq!(log.leaf(), Some(first.clone()));
    assert_eq!(value(&ok(log.entry(&moved)).expect("an entry").json)["parentId"], second);
    let path = stored_path(&log);
    drop(log);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!(log.leaf(), Some(first));
    ok(log.move_to(None));
    assert_eq!(log.leaf(), None);
    drop(log);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    assert_eq!(log.leaf(), None);
    let root = say(&mut log, "c");
    assert_eq!(super::path(&log), [root]);
}

#[test]
fn going_back_is_forgotten_unless_something_is_appended() {
    let folder = folder();
    let (mut log, first) = begun(folder.path());
    let second = answer(&mut log, "b");
    ok(log.branch(&first));
    let path = stored_path(&log);
    drop(log);
    assert_eq!(ok(SessionLog::open(path, Durability::Buffered)).leaf(), Some(second));
}

#[test]
fn entries_from_elsewhere_are_adopted_verbatim() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    answer(&mut log, "b");
    ok(log.branch(&first));
    let leaf = say(&mut log, "c");
    ok(log.set_label(&first, Some("mark")));
    let lines = ok(log.lines());
    let mut again = ok(SessionLog::adopt(&lines, &Options::new().id("other")));
    assert_eq!((again.id(), again.leaf(), tree(&again)), (log.id(), log.leaf(), tree(&log)));
    assert_eq!(ok(again.lines()), lines);
    say(&mut again, "d");
    assert!(ok(again.lines()).starts_with(&lines));
    // without the header
    let text = String::from_utf8(lines).expect("text");
    let (_, bare) = text.split_once('\n').expect("a header");
    let bare = ok(SessionLog::adopt(bare.as_bytes(), &options().id("made-now")));
    assert_eq!((bare.id(), bare.len(), tree(&bare)), ("made-now", 4, tree(&log)));
    assert_eq!(ids(&ok(bare.branch_path_to(&leaf))), [first, leaf]);
    let none = ok(SessionLog::adopt(b"", &options()));
    assert!(none.is_empty() && none.leaf().is_none());
}

#[test]
fn an_id_that_something_names_is_not_given_away() {
    let text = format!("{}\n{}\n", crate::support::HEADER, raw("orphan", "lost0001"));
    let mut log = ok(SessionLog::adopt(text.as_bytes(), &options()));
    let error = log.append(&raw("lost0001", "")).expect_err("the orphan would become its child");
    assert!(matches!(&error, Error::TakenId(id) if id == "lost0001"), "{error}");
}

/// Opens a file in a folder of its own, and appends to it if that can be.
fn opened(folder: &Path, bytes: &[u8]) -> (PathBuf, Result<SessionLog, Error>) {
    let path = folder.join("session.jsonl");
    fs::write(&path, bytes).expect("a file");
    let log = SessionLog::open(&path, Durability::Buffered);
    (path, log)
}

fn modified(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).expect("a file").modified().expect("a time")
}

/// Where pi resumes: an id as JSON, null before everything, nothing where the last entry has no proper id.
fn leaf_of_pi(bytes: &[u8]) -> Option<String> {
    let source = Source::bytes(bytes.to_vec());
    let (session, ()) = scan(&source, &Default::default()).expect("a scan");
    let view = View::new(&source, &session, Reader::Pi).expect("pi opens it");
    match view.leaf {
        Leaf::Node(n) => view.id_json(n).filter(|id| id.starts_with('"')),
        Leaf::Start => Some("null".to_string()),
        _ => None,
    }
}

/// Whether the entry with this id (JSON) is one that moves the leaf.
fn moves_leaf_at_the_end(fixture: &Fixture, id: &str) -> bool {
    let text = String::from_utf8_lossy(&fixture.bytes);
    text.lines().any(|line| line.contains("\"type\":\"leaf\"") && line.contains(&format!("\"id\":{id}")))
}

#[test]
fn opening_writes_nothing_and_the_next_entry_lands_where_that_of_pi_would() {
    let folder = folder();
    let (mut refused, mut appended, mut compared) = (0, 0, 0);
    for fixture in fixtures("good").into_iter().chain(fixtures("bad")).chain(fixtures("repaired")) {
        let (path, log) = opened(folder.path(), &fixture.bytes);
        let written = modified(&path);
        let name = &fixture.name;
        if let Ok(mut log) = log {
            assert_eq!(fs::read(&path).expect("the file"), fixture.bytes, "{name}: opening wrote to it");
            assert_eq!(modified(&path), written, "{name}");
            let (leaf, tail) = (log.leaf(), log.tail());
            match log.append_custom("test", Some(&1)) {
                Ok(id) => {
                    appended += 1;
                    // an empty file waits for a message
                    ok(log.flush());
                    let now = fs::read(&path).expect("the file");
                    assert!(now.starts_with(&fixture.bytes) && now.ends_with(b"}\n"), "{name}");
                    let glue: &[u8] = if tail == Tail::Whole { b"{" } else { b"\n{" };
                    assert!(now[fixture.bytes.len()..].starts_with(glue), "{name}");
                    assert_eq!(log.tail(), Tail::Whole);
                    assert_eq!(leaf_of_pi(&now), Some(format!("\"{id}\"")), "{name}: pi resumes at the new entry");
                    let line = now.split(|b| *b == b'\n').rfind(|line| !line.is_empty()).expect("a line");
                    let parent = value(std::str::from_utf8(line).expect("text"))["parentId"].to_string();
                    // a `leaf` entry is obeyed here, and an entry without an id is nothing to hang on
                    let pi = leaf_of_pi(&fixture.bytes).filter(|id| !moves_leaf_at_the_end(&fixture, id));
                    if let Some(pi) = pi {
                        compared += 1;
                        assert_eq!(value(&parent), value(&pi), "{name}");
                    }
                    // what was read before is read again, and the line is a record
                    let before = ok(SessionLog::adopt(&fixture.bytes, &options()));
                    assert_eq!((before.leaf(), log.len()), (leaf, before.len() + 1), "{name}");
                }
                Err(error) => assert!(matches!(error, Error::Version(_) | Error::Unreachable(..)), "{name}: {error}"),
            }
        } else {
            refused += 1;
        }
        let kept = fs::read(&path).expect("the file");
        assert!(kept.starts_with(&fixture.bytes), "{name}");
        fs::remove_file(&path).expect("it goes");
    }
    assert!(refused > 10 && appended > 150 && compared > 150, "{refused} {appended} {compared}");
}

#[test]
fn a_torn_last_line_stays_and_the_next_entry_has_a_line_of_its_own() {
    let folder = folder();
    let first = raw("aaaa0001", "");
    let torn = &raw("aaaa0002", "aaaa0001")[..90];
    let text = format!("{}\n{first}\n{torn}", crate::support::HEADER);
    let (path, log) = opened(folder.path(), text.as_bytes());
    let mut log = ok(log);
    let offset = (text.len() - torn.len()) as u64;
    assert_eq!(log.tail(), Tail::Torn { offset, length: torn.len() as u64 });
    assert_eq!(log.leaf().as_deref(), Some("aaaa0001"));
    let id = say(&mut log, "b");
    let lines = lines_of(&path);
    assert_eq!((lines.len(), lines[2].as_str(), log.tail()), (4, torn, Tail::Whole));
    assert_eq!(value(&lines[3])["parentId"], "aaaa0001");
    assert_eq!(super::path(&log), ["aaaa0001", &id]);
    // the torn line is told as what it is, and nothing else is wrong
    let report = check_bytes(&fs::read(&path).expect("the file"));
    assert_eq!(codes(&report), ["L005"].into());
}

#[test]
fn a_record_without_its_line_feed_is_an_entry() {
    let folder = folder();
    let text = format!("{}\n{}", crate::support::HEADER, raw("aaaa0001", ""));
    let (path, log) = opened(folder.path(), text.as_bytes());
    let mut log = ok(log);
    assert_eq!((log.tail(), log.leaf().as_deref()), (Tail::Unterminated, Some("aaaa0001")));
    say(&mut log, "b");
    assert_eq!(lines_of(&path).len(), 3);
    assert!(codes(&check_bytes(&fs::read(&path).expect("the file"))).is_empty());
}

#[test]
fn nul_bytes_at_the_end_are_a_torn_line() {
    let folder = folder();
    let mut bytes = format!("{}\n{}\n", crate::support::HEADER, raw("aaaa0001", "")).into_bytes();
    let offset = bytes.len() as u64;
    bytes.extend([0; 100]);
    let (path, log) = opened(folder.path(), &bytes);
    let mut log = ok(log);
    assert_eq!(log.tail(), Tail::Torn { offset, length: 100 });
    say(&mut log, "b");
    assert!(fs::read(&path).expect("the file").starts_with(&bytes));
    assert_eq!(super::path(&log).len(), 2);
}

#[test]
fn nothing_hangs_on_what_readers_do_not_see() {
    let glued = format!("{}{}", raw("aaaa0002", "aaaa0001"), raw("aaaa0003", "aaaa0002"));
    let text = format!("{}\n{}\n{glued}\n", crate::support::HEADER, raw("aaaa0001", ""));
    let mut log = ok(SessionLog::adopt(text.as_bytes(), &options()));
    assert_eq!((log.leaf().as_deref(), log.len()), (Some("aaaa0001"), 3), "pi drops the glued line");
    let error = log.branch("aaaa0003").expect_err("pi does not see it");
    assert_eq!(error.to_string(), "nothing can hang on the entry 'aaaa0003': readers drop its line; repair it first");
    assert!(matches!(log.append(&raw("x", "aaaa0002")), Err(Error::Unreachable(..))));
    let parts = [raw("aaaa0001", "aaaa0002"), raw("aaaa0002", "aaaa0001"), raw("aaaa0003", "aaaa0002")];
    let text = format!("{}\n{}\n", crate::support::HEADER, parts.join("\n"));
    let mut log = ok(SessionLog::adopt(text.as_bytes(), &options()));
    let error = log.append_message(&user("a")).expect_err("pi would hang");
    assert!(error.to_string().contains("its parents form a loop"), "{error}");
    log.reset();
    say(&mut log, "a new root is fine");
}

#[test]
fn a_second_writer_is_kept_out_and_told_by_whom() {
    let folder = folder();
    let (log, _) = begun(folder.path());
    let path = stored_path(&log);
    let error = SessionLog::open(&path, Durability::Buffered).expect_err("it is open");
    let Error::Locked(at, holder) = &error else { panic!("{error}") };
    assert_eq!(*at, path);
    if cfg!(target_os = "linux") {
        assert_eq!(holder.as_ref().expect("Linux tells").pid, std::process::id());
    }
    // reading is free: the file can be scanned, loaded and forked
    assert_eq!(sesstool::store::load(&path).expect("free").len(), 2);
    ok(SessionLog::fork_file(&path, &options().folder(folder.path())));
    drop(log);
    ok(SessionLog::open(&path, Durability::Buffered));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_told() {
    let folder = folder();
    let path = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    let error = SessionLog::open(&path, Durability::Buffered).expect_err("a pipe");
    assert!(error.to_string().ends_with("is no session: it is not a file"), "{error}");
}

#[test]
fn what_somebody_else_writes_is_noticed() {
    let folder = folder();
    let (mut log, first) = begun(folder.path());
    let path = stored_path(&log);
    let foreign = raw("bbbb0001", &first);
    let mut other = fs::File::options().append(true).open(&path).expect("the file");
    writeln!(other, "{foreign}").expect("room");
    let before = fs::read(&path).expect("the file");
    let error = log.append_message(&user("b")).expect_err("the leaf may be elsewhere now");
    assert!(matches!(&error, Error::Changed(at, how) if *at == path && how.contains("bytes")), "{error}");
    assert_eq!((log.len(), log.leaf()), (1, Some(first.clone())));
    assert_eq!(fs::read(&path).expect("the file"), before, "nothing is written over it or behind it");
    drop(log);
    let mut log = ok(SessionLog::open(&path, Durability::Buffered));
    let id = say(&mut log, "b");
    assert_eq!(super::path(&log), [first, "bbbb0001".to_string(), id]);
}

#[cfg(unix)]
#[test]
fn a_file_that_was_replaced_is_noticed() {
    let folder = folder();
    let (mut log, _) = begun(folder.path());
    let path = stored_path(&log);
    let copy = fs::read(&path).expect("the file");
    fs::remove_file(&path).expect("it goes");
    fs::write(&path, &copy).expect("a file");
    let error = log.append_message(&user("b")).expect_err("it would be written to nowhere");
    assert!(error.to_string().contains("it was removed or replaced"), "{error}");
}

#[test]
fn nothing_is_replaced() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let path = stored_path(&log);
    fs::write(&path, "mine").expect("a file");
    let error = log.append_message(&user("a")).expect_err("it is there");
    assert!(matches!(&error, Error::Exists(at) if *at == path), "{error}");
    assert_eq!((fs::read(&path).expect("the file"), log.len()), (b"mine".to_vec(), 0));
    let others = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(others, 1, "no unfinished file is left");
    fs::remove_file(&path).expect("it goes");
    say(&mut log, "a");
    assert_eq!(lines_of(&path).len(), 2, "what failed is not in the session");
}

#[test]
fn one_write_a_line_and_header_and_backlog_in_one() {
    /// Remembers what was written in which call.
    #[derive(Default)]
    struct Calls(Arc<Mutex<Vec<Call>>>, MemoryStorage);

    /// Whether it was the creation, and the bytes.
    type Call = (bool, Vec<u8>);

    impl Calls {
        fn note(&mut self, created: bool, bytes: &[u8]) {
            self.0.lock().expect("no panic").push((created, bytes.to_vec()));
        }
    }

    impl Storage for Calls {
        fn source(&self) -> &Source {
            self.1.source()
        }

        fn create(&mut self, lines: &[u8]) -> Result<(), Error> {
            self.note(true, lines);
            self.1.create(lines)
        }

        fn append(&mut self, line: &[u8]) -> Result<(), Error> {
            self.note(false, line);
            self.1.append(line)
        }
    }

    let calls = Calls::default();
    let seen = calls.0.clone();
    let mut log = ok(SessionLog::begin(Box::new(calls), &options()));
    ok(log.append_model_change("p", "m"));
    assert!(seen.lock().expect("no panic").is_empty(), "nothing before the first message");
    say(&mut log, "a");
    answer(&mut log, "b");
    ok(log.append_custom("ext", Some(&1)));
    let seen = seen.lock().expect("no panic");
    let feeds: Vec<(bool, usize)> =
        seen.iter().map(|(created, bytes)| (*created, bytes.iter().filter(|b| **b == b'\n').count())).collect();
    assert_eq!(feeds, [(true, 3), (false, 1), (false, 1)]);
    assert!(seen.iter().all(|(_, bytes)| bytes.ends_with(b"}\n")));
}

/// The work for an entry does not grow with the session. Times are noisy; what looks at every entry would
/// take a hundred times as long here, and ten times are allowed.
#[test]
fn an_append_costs_the_same_in_a_long_session() {
    let mut log = in_memory();
    let message = user("some words");
    let batch = |log: &mut SessionLog| {
        let start = std::time::Instant::now();
        for _ in 0..200 {
            ok(log.append_message(&message));
        }
        start.elapsed()
    };
    let least = |log: &mut SessionLog| (0..5).map(|_| batch(log)).min().expect("five");
    let short = least(&mut log);
    let mut lines = ok(log.lines());
    for n in 0..100_000 {
        lines.extend_from_slice(raw(&format!("x{n:07}"), "").as_bytes());
        lines.push(b'\n');
    }
    let mut log = ok(SessionLog::adopt(&lines, &options()));
    let long = least(&mut log);
    assert!(long < short * 10, "200 appends took {short:?} at first and {long:?} behind 100,000 entries");
}

#[test]
fn a_log_can_be_sent_to_another_thread() {
    let mut log = in_memory();
    let log = std::thread::spawn(move || {
        say(&mut log, "a");
        log
    });
    assert_eq!(log.join().expect("no panic").len(), 1);
}

#[test]
fn another_storage_can_be_resumed_and_forked_into() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    let storage = MemoryStorage::from(ok(log.lines()));
    let log = ok(SessionLog::resume(Box::new(storage)));
    let folder = folder();
    let path = folder.path().join("own-name.jsonl");
    let storage = JsonlStorage::new(&path, Durability::PerEntry);
    let mut fork = ok(log.fork_into(Box::new(storage), &first, &Options::new().id("fork")));
    answer(&mut fork, "b");
    assert_eq!(lines_of(&path).len(), 3);
    ok(fork.close());
    assert!(matches!(SessionLog::resume(Box::new(MemoryStorage::new())), Err(Error::NotASession(None, _))));
}

#[test]
fn each_durability_writes_the_same() {
    let folder = folder();
    let group = Durability::Group(std::time::Duration::from_millis(1));
    for durability in [Durability::Buffered, Durability::PerEntry, group, Durability::Group(std::time::Duration::MAX)] {
        let mut log = ok(SessionLog::create(&options().folder(folder.path()).durability(durability)));
        for n in 0..20 {
            say(&mut log, &n.to_string());
        }
        let path = stored_path(&log);
        ok(log.sync());
        ok(log.close());
        let log = ok(SessionLog::open(&path, durability));
        assert_eq!(log.len(), 20, "{durability:?}");
    }
}
