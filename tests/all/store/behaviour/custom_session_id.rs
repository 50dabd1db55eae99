//! `custom-session-id`

use super::super::*;
use sesstool::store::{file_name, is_session_id};

#[test]
fn a_given_id_is_used_and_without_one_it_is_made() {
    let log = ok(SessionLog::in_memory(&options().id("my-session")));
    assert_eq!(log.id(), "my-session");
    assert_eq!(value(std::str::from_utf8(&ok(log.lines())).expect("text"))["id"], "my-session");
    assert!(!in_memory().id().is_empty());
    assert_ne!(in_memory().id(), in_memory().id());
}

#[test]
fn made_ids_are_uuids_of_version_7() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let leaf = say(&mut log, "a");
    let fork = ok(log.fork(&leaf, &Options::new()));
    let whole = ok(SessionLog::fork_file(stored_path(&log), &options().folder(folder.path())));
    for id in [log.id(), fork.id(), whole.id(), in_memory().id()] {
        let bytes = id.as_bytes();
        let dashes = [8, 13, 18, 23].iter().all(|at| bytes[*at] == b'-');
        assert!(bytes.len() == 36 && dashes && bytes[14] == b'7' && b"89ab".contains(&bytes[19]), "{id}");
    }
}

#[test]
fn which_ids_are_allowed() {
    for id in ["a", "7", "my-session_1.2", "A-b", "a--b"] {
        assert!(is_session_id(id), "{id}");
    }
    for id in ["", "-a", "a-", ".a", "a.", "_", "a/b", "a\\b", "a b", " a", "ä", "a\n"] {
        assert!(!is_session_id(id), "{id}");
        let error = SessionLog::in_memory(&options().id(id)).expect_err(id);
        assert!(matches!(&error, Error::SessionId(refused) if refused == id), "{error}");
    }
}

#[test]
fn a_file_is_named_after_time_and_id_and_not_there_before_a_conversation() {
    let folder = folder();
    let mut log = ok(SessionLog::create(&options().id("my-session").folder(folder.path().join("below"))));
    let header = value(std::str::from_utf8(&ok(log.lines())).expect("text"));
    let path = stored_path(&log);
    assert_eq!(path.file_name().and_then(|n| n.to_str()), Some(&*file_name(&text(&header["timestamp"]), "my-session")));
    ok(log.append_model_change("p", "m"));
    ok(log.append_message(&json!({ "role": "system", "content": "be brief" })));
    assert!(!log.is_stored() && !folder.path().join("below").exists(), "not even the folder");
    say(&mut log, "a");
    assert!(log.is_stored());
    let lines = lines_of(&path);
    assert_eq!((lines.len(), value(&lines[0])), (4, header));
}

#[test]
fn a_fork_of_a_file_names_it_as_its_parent() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let id = say(&mut log, "a");
    let source = stored_path(&log);
    let target = options().cwd("/other").folder(folder.path()).id("the-fork");
    let fork = ok(SessionLog::fork_file(&source, &target));
    let lines = lines_of(&stored_path(&fork));
    let header = value(&lines[0]);
    assert_eq!((text(&header["id"]), text(&header["cwd"])), ("the-fork".to_string(), "/other".to_string()));
    assert_eq!(header["parentSession"], source.to_string_lossy().into_owned());
    assert_eq!((lines.len(), value(&lines[1])["id"].clone()), (2, id.into()));
}

#[test]
fn flushing_writes_what_is_pending_once() {
    let folder = folder();
    let mut log = in_file(folder.path());
    ok(log.append_model_change("p", "m"));
    let path = stored_path(&log);
    assert!(!path.exists());
    for _ in 0..2 {
        assert!(ok(log.flush()));
        assert_eq!(lines_of(&path).len(), 2);
    }
    say(&mut log, "a");
    assert_eq!(lines_of(&path).len(), 3);
    assert!(!ok(in_memory().flush()), "there is nothing to write to");
}
