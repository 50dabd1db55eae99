//! Known findings do not fail, new ones do, and those that are gone are told.

use super::support::{self, HEADER, Run, lines, message, sesstool};
use std::path::Path;

fn validate(folder: &Path, args: &[&str]) -> Run {
    support::finish(sesstool(&[&["validate"], args].concat()).current_dir(folder))
}

/// A session whose entries have these parents, one of them wrong where it names nothing.
fn session(parents: &[&str]) -> Vec<u8> {
    let mut all = vec![HEADER.to_string()];
    all.extend((0..).zip(parents).map(|(n, parent)| message(&format!("0000000{n}"), parent, "x")));
    lines(&all)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("sessions")).expect("a folder");
    put(folder.path(), "a", &session(&["", "lost1", "00000001"]));
    put(folder.path(), "b", &session(&["", "00000000"]));
    folder
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(format!("sessions/{name}.jsonl")), bytes).expect("a session");
}

fn known(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("known.json")).expect("the baseline")
}

const ARGS: &[&str] = &["sessions", "--baseline", "known.json", "--select", "G003", "--format", "concise"];

fn check(folder: &Path) -> Run {
    validate(folder, ARGS)
}

fn update(folder: &Path) -> Run {
    validate(folder, &[ARGS, &["--update-baseline"]].concat())
}

#[test]
fn what_is_known_does_not_fail_and_what_is_new_does() {
    let folder = folder();
    let path = folder.path();
    let missing = check(path);
    assert!(missing.code == Some(2) && missing.err.contains("--update-baseline makes it"), "{}", missing.err);
    let first = update(path);
    assert_eq!((first.code, first.err.as_str()), (Some(0), "known.json: 1 finding in 1 file (1 new, 0 gone)\n"));
    assert!(first.out.contains("G003"), "what becomes known is shown: {}", first.out);
    let second = check(path);
    assert_eq!((second.code, second.out.as_str(), second.err.as_str()), (Some(0), "", ""));
    // the known one moves down and a new one comes
    put(path, "a", &session(&["", "00000000", "00000001", "lost1", "lost2"]));
    let third = check(path);
    assert_eq!(third.code, Some(1), "{}", third.err);
    assert_eq!(third.out.lines().count(), 1, "one of two is known by its number: {}", third.out);
    put(path, "b", &session(&["", "lost3"]));
    assert_eq!(check(path).out.lines().count(), 2, "another file has its own");
    let text = validate(path, &["sessions", "--baseline", "known.json", "--select", "G003"]);
    assert!(text.out.ends_with("2 files; 2 errors; 1 known\n"), "{}", text.out);
    let json = support::json(&validate(path, &["sessions", "--baseline", "known.json", "--format", "json"]));
    assert_eq!(json["summary"]["baseline"]["known"], 1);
    assert_eq!(json["files"][0]["counts"]["G003"], 1);
}

#[test]
fn what_is_gone_is_told_until_it_is_taken_out() {
    let folder = folder();
    let path = folder.path();
    update(path);
    put(path, "a", &session(&["", "00000000"]));
    let told = check(path);
    assert_eq!(told.code, Some(0));
    let expected =
        "1 finding of the baseline known.json is gone; --update-baseline takes it out:\n  sessions/a.jsonl: G003\n";
    assert_eq!(told.err, expected);
    // a run over other files, or for other rules, knows nothing of it
    for args in [
        &["sessions/b.jsonl", "--baseline", "known.json"][..],
        &["sessions", "--baseline", "known.json", "--ignore", "G003"],
    ] {
        let other = validate(path, args);
        assert_eq!((other.code, other.err.as_str()), (Some(0), ""), "{args:?}");
    }
    assert_eq!(update(path).err, "known.json: 0 findings in 0 files (0 new, 1 gone)\n");
    assert_eq!(check(path).err, "");
    // a file that is removed takes its findings with it
    put(path, "a", &session(&["", "lost1"]));
    update(path);
    std::fs::remove_file(path.join("sessions/a.jsonl")).expect("a file");
    assert!(check(path).err.contains("1 finding of the baseline known.json is gone"));
}

#[test]
fn an_update_of_some_files_or_rules_leaves_the_others() {
    let folder = folder();
    let path = folder.path();
    put(path, "b", &session(&["", "lost9"]));
    update(path);
    let before = known(path);
    assert_eq!(before.matches("\"code\":\"G003\"").count(), 2);
    validate(path, &["sessions/b.jsonl", "--baseline", "known.json", "--update-baseline", "--select", "G003"]);
    assert_eq!(known(path), before);
    validate(path, &["sessions", "--baseline", "known.json", "--update-baseline", "--ignore", "G003"]);
    assert_eq!(known(path).matches("\"code\":\"G003\"").count(), 2);
}

/// What is between files is only missed where all of them were looked at.
#[test]
fn a_run_over_some_files_misses_nothing_between_them() {
    let folder = folder();
    let path = folder.path();
    let other = |name: &str, from: &str| {
        let text = String::from_utf8(session(&["", "00000000"])).expect("text");
        put(path, name, text.replace("000000", from).as_bytes());
    };
    other("a", "a00000");
    let check = |files: &[&str], more: &[&str]| {
        let args = ["--baseline", "known.json", "--select", "S", "--format", "concise", "--fail-on", "warning"];
        validate(path, &[files, &args, more].concat())
    };
    let names = ["sessions/a.jsonl", "sessions/b.jsonl", "sessions/c.jsonl"];
    let first = check(&["sessions"], &["--update-baseline"]);
    assert!(first.out.contains("S001") && first.code == Some(0), "{}", first.out);
    let before = known(path);
    other("c", "c00000");
    // an id in two files that the baseline does not list, seen without one that it lists
    let some = check(&names[1..], &[]);
    assert_eq!((some.out.lines().count(), some.code, some.err.as_str()), (1, Some(1), ""), "{}", some.out);
    let text = String::from_utf8(session(&["", "00000000"])).expect("text");
    put(path, "c", text.replace("5b0f6c2a7e18", "5b0f6c2a7e19").replace("000000", "c00000").as_bytes());
    let none = check(&names[1..], &["--update-baseline"]);
    assert_eq!((none.out.as_str(), none.code), ("", Some(0)), "{}", none.err);
    assert_eq!(known(path), before);
    let all = check(&["sessions"], &[]);
    assert_eq!((all.out.as_str(), all.err.as_str(), all.code), ("", "", Some(0)));
    // the files differ no longer in their first entry: a finding of another code
    put(path, "a", &session(&["", "00000000"]));
    let gone = check(&names[..2], &[]);
    assert!(gone.err.contains("1 finding of the baseline known.json is gone"), "{}", gone.err);
}

#[test]
fn paths_are_those_from_the_baseline_on() {
    let folder = folder();
    update(folder.path());
    let inside = folder.path().join("sessions");
    for args in [&["."][..], &["a.jsonl"], &["../sessions/a.jsonl"], &[inside.join("a.jsonl").to_str().expect("text")]]
    {
        let run = validate(&inside, &[args, &["--baseline", "../known.json"]].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{args:?}: {}", run.out);
    }
}

#[test]
fn what_is_no_baseline_is_refused() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("notes"), "{\"some\":\"notes\"}").expect("a file");
    for args in [&["--baseline", "notes"][..], &["--baseline", "notes", "--update-baseline"]] {
        let run = validate(path, &[&["sessions"], args].concat());
        assert!(run.code == Some(2) && run.err.contains("'notes' is no baseline"), "{}", run.err);
    }
    assert_eq!(std::fs::read(path.join("notes")).expect("a file"), b"{\"some\":\"notes\"}");
    let session = std::fs::read(path.join("sessions/a.jsonl")).expect("a session");
    let run = validate(path, &["sessions", "--baseline", "sessions/a.jsonl", "--update-baseline"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(std::fs::read(path.join("sessions/a.jsonl")).expect("a session"), session);
    let run = validate(path, &["sessions", "--update-baseline"]);
    assert!(run.code == Some(2) && run.err.contains("--baseline FILE"), "{}", run.err);
}
