//! Several files together: what `validate` says about them, and where; `family`.

use super::support::{HEADER, Run, finish, json, lines, message, run, sesstool};
use std::path::Path;
use tempfile::TempDir;

const FORKS: &str = "fixtures/bad/S002-shared-entries/forks-of-forks";
const DIVERGED: &str = "fixtures/bad/S003-diverged-copies/two-machines";

fn validate(args: &[&str]) -> Run {
    run(&[&["validate", "--format", "json"], args].concat())
}

/// The codes in the report's `store`.
fn in_store(run: &Run) -> Vec<String> {
    let document = json(run);
    let findings = document["store"]["findings"].as_array().expect("findings").clone();
    findings.iter().map(|finding| finding["code"].as_str().unwrap_or_default().to_string()).collect()
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("a file");
}

/// A session with this id and these entries.
fn session(id: &str, entries: &[(&str, &str)]) -> Vec<u8> {
    let header = HEADER.replace("019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18", id);
    let mut parent = "";
    let mut all = vec![header];
    for (id, text) in entries {
        all.push(message(id, parent, text));
        parent = id;
    }
    lines(&all)
}

#[test]
fn one_file_alone_is_compared_with_nothing() {
    let base = format!("{FORKS}/base.jsonl");
    assert!(json(&validate(&[&base]))["store"].is_null());
    assert!(in_store(&validate(&[FORKS])) == ["S002"] && json(&validate(&[&base, &base]))["store"].is_null());
    let only = tempfile::tempdir().expect("a folder");
    put(only.path(), "a.jsonl", &session("a", &[("aaaa0001", "x")]));
    assert!(in_store(&validate(&[only.path().to_str().expect("a path")])).is_empty(), "a folder with one file");
}

#[test]
fn files_are_compared_with_a_store() {
    let fork = format!("{FORKS}/fork.jsonl");
    let run = validate(&[&fork, "--store", FORKS]);
    assert_eq!((in_store(&run), json(&run)["files"].as_array().map(Vec::len)), (vec!["S002".to_string()], Some(1)));
    // what only concerns the store's own files is not told
    let other = validate(&["fixtures/good/healthy/plain.jsonl", "--store", DIVERGED]);
    assert!(in_store(&other).is_empty());
    let whole = validate(&["--store", DIVERGED]);
    assert_eq!((in_store(&whole).len(), json(&whole)["files"].as_array().map(Vec::len)), (2, Some(3)));
    assert_eq!(validate(&[&fork, "--store", "/no/such/folder"]).code, Some(2));
}

#[test]
fn findings_between_files_count() {
    for (args, code) in [
        (&[DIVERGED][..], 0),
        (&[DIVERGED, "--fail-on", "warning"], 1),
        (&[DIVERGED, "--fail-on", "warning", "--ignore", "S003"], 0),
        (&[DIVERGED, "--severity", "S003=error"], 1),
    ] {
        assert_eq!(validate(args).code, Some(code), "{args:?}");
        assert_eq!(run(&[&["validate", "--quiet"], args].concat()).code, Some(code), "{args:?}");
    }
    let document = json(&validate(&[DIVERGED, "--statistics"]));
    assert_eq!((&document["summary"]["warnings"], &document["summary"]["infos"]), (&1.into(), &1.into()));
    assert_eq!(
        (&document["store"]["counts"]["S003"], &document["summary"]["statistics"][0]["count"]),
        (&2.into(), &2.into())
    );
    let text = run(&["validate", DIVERGED]).out;
    assert!(text.contains("warning[S003] diverged-copies: session") && text.contains("1 warning, 1 info"), "{text}");
}

#[test]
fn the_same_whatever_the_number_of_threads() {
    let all = ["validate", "--select", "S", "--format", "json", "fixtures/bad", "fixtures/good"];
    let one = run(&[&all[..], &["--threads", "1"]].concat());
    let many = run(&[&all[..], &["--threads", "7"]].concat());
    assert_eq!((one.code, one.out), (many.code, many.out));
}

#[cfg(unix)]
#[test]
fn one_file_under_two_names_is_no_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a.jsonl", &session("a", &[("aaaa0001", "x")]));
    let link = |name: &str| folder.path().join(name);
    std::fs::hard_link(link("a.jsonl"), link("b.jsonl")).expect("a link");
    std::os::unix::fs::symlink(link("a.jsonl"), link("c.jsonl")).expect("a link");
    let paths = [link("a.jsonl"), link("b.jsonl"), link("c.jsonl")].map(|path| path.display().to_string());
    assert!(in_store(&validate(&paths.each_ref().map(String::as_str))).is_empty());
}

/// What this program writes beside a session is no copy of it.
#[test]
fn own_outputs_are_no_copies() {
    let folder = tempfile::tempdir().expect("a folder");
    let torn =
        [session("a", &[("aaaa0001", "x"), ("aaaa0002", "y")]), b"{\"type\":\"message\",\"id\":\"".to_vec()].concat();
    put(folder.path(), "a.jsonl", &torn);
    let repaired = finish(sesstool(&["repair", "a.jsonl"]).current_dir(folder.path()));
    assert_eq!(repaired.code, Some(0), "{}", repaired.err);
    let path = folder.path().to_str().expect("a path");
    let before = validate(&[path, "--select", "S,H009"]);
    assert_eq!((json(&before)["files"].as_array().map(Vec::len), in_store(&before).len()), (Some(2), 0));
    std::fs::remove_file(folder.path().join("a.repaired.jsonl.manifest.json")).expect("a manifest");
    assert_eq!(in_store(&validate(&[path, "--select", "S"])), ["S003"]);
}

/// Ten thousand files in one place: what is compared in pairs does not end.
#[test]
fn many_files_are_not_compared_in_pairs() {
    const FILES: usize = 3000;
    let folder = tempfile::tempdir().expect("a folder");
    let parent = |n: usize| format!(r#","parentSession":"/gone/{}.jsonl"}}"#, (n + 1) % FILES);
    for n in 0..FILES {
        let own = format!("bbbb{n:04}");
        let id = if n % 2 == 0 { "same".to_string() } else { format!("id{n}") };
        let bytes = session(&id, &[("aaaa0001", "x"), (&own, "y")]);
        let text = String::from_utf8(bytes).expect("text").replacen("}\n", &format!("{}\n", parent(n)), 1);
        put(folder.path(), &format!("{n}.jsonl"), text.as_bytes());
    }
    let document = json(&validate(&[folder.path().to_str().expect("a path"), "--select", "S"]));
    let codes = |finding: &serde_json::Value| (finding["code"].clone(), finding["files"].as_array().map(Vec::len));
    let found: Vec<_> = document["store"]["findings"].as_array().expect("findings").iter().map(codes).collect();
    assert_eq!(found, [("S002".into(), Some(FILES)), ("S003".into(), Some(FILES / 2))]);
    let message = document["files"][7]["findings"][0]["message"].as_str().unwrap_or_default().to_string();
    assert!(message.starts_with("3000 sessions are each other's parents in a loop: `0.jsonl` → "), "{message}");
}

#[test]
fn leftovers_have_rows_of_their_own() {
    let document = json(&validate(&["fixtures/bad/S005-leftover-temp-file"]));
    let files = document["files"].as_array().expect("files");
    let leftovers: Vec<_> = files.iter().filter(|file| file["counts"]["S005"] == 1).collect();
    assert_eq!(leftovers.len(), 9);
    for file in &leftovers {
        assert_eq!(
            (file["findings"].as_array().map(Vec::len), &file["verdict"]),
            (Some(1), &"warning".into()),
            "{file}"
        );
    }
    assert!(files.iter().all(|file| file["path"].as_str().is_some_and(|path| !path.ends_with("notes.bak"))));
    // one that is named is read as what it holds
    let named = "fixtures/bad/S005-leftover-temp-file/own-entries/a.bak";
    assert_eq!(json(&validate(&[named]))["files"][0]["verdict"], "clean");
}

#[test]
fn a_stranger_is_only_told_where_it_was_met() {
    let folder = "fixtures/bad/S004-not-a-session-file/side-file";
    let met = json(&validate(&[folder]));
    assert_eq!((&met["files"][0]["counts"], &met["summary"]["errors"]), (&serde_json::json!({"S004": 1}), &0.into()));
    let named = validate(&[&format!("{folder}/artifact.jsonl")]);
    assert_eq!((named.code, &json(&named)["files"][0]["counts"]), (Some(1), &serde_json::json!({"H010": 1})));
}

/// The family of a folder: depth, name and tie of each session.
fn family(folder: &Path, args: &[&str]) -> String {
    let run = finish(sesstool(&[&["family", "--format", "json"], args].concat()).current_dir(folder));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let document = json(&run);
    let node = |node: &serde_json::Value| {
        let name = node["path"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_string();
        let tie = node["tie"].as_str().unwrap_or("-").to_string();
        format!(
            "{}{} {tie} {}",
            " ".repeat(node["depth"].as_u64().unwrap_or(0) as usize),
            name.trim_end_matches(".jsonl"),
            node["shared"]
        )
    };
    document["sessions"].as_array().expect("sessions").iter().map(node).collect::<Vec<_>>().join("\n")
}

/// A folder in which headers say nothing of forks; the later the name, the younger.
fn silent_forks() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, minute: &str, entries: &[(&str, &str)]| {
        let text = String::from_utf8(session(name, entries)).expect("text").replacen("T09:26", minute, 1);
        put(folder.path(), &format!("{name}.jsonl"), text.as_bytes());
    };
    put("a", "T09:26", &[("aaaa0001", "one"), ("aaaa0002", "two"), ("aaaa0003", "three")]);
    put("b", "T09:27", &[("aaaa0001", "one"), ("aaaa0002", "two"), ("bbbb0001", "b")]);
    put("c", "T09:28", &[("aaaa0001", "one"), ("aaaa0002", "two"), ("bbbb0001", "b"), ("cccc0001", "c")]);
    put("d", "T09:29", &[("aaaa0001", "one"), ("dddd0001", "d")]);
    put("e", "T09:30", &[("eeee0001", "alone")]);
    folder
}

#[test]
fn forks_are_found_by_what_they_share() {
    let folder = silent_forks();
    assert_eq!(family(folder.path(), &["."]), "a - 0\n b entries 2\n  c entries 3\n d entries 1\ne - 0");
    assert_eq!(family(folder.path(), &["c.jsonl"]), "a - 0\n b entries 2\n  c entries 3\n d entries 1");
    assert_eq!(family(folder.path(), &["e.jsonl"]), "e - 0");
    assert_eq!(family(folder.path(), &["a.jsonl", "c.jsonl"]), "a - 0\n c entries 2", "the nearest that is there");
}

#[test]
fn families_of_the_fixtures() {
    let of = |folder: &str| family(&super::support::root().join("fixtures").join(folder), &["."]);
    assert_eq!(of("bad/S002-shared-entries/forks-of-forks"), "base - 0\n fork path 2\n  fork-of-fork name 3");
    assert_eq!(of("bad/S003-diverged-copies/two-machines"), "a - 0\n b diverged 2\n c older 3");
    assert_eq!(of("good/S003-older-copies/before-the-migration"), "a - 0\n b same 4");
    assert_eq!(of("bad/S007-parent-session-cycle/two"), "a - 0\n b id 0\n c path 0");
    assert_eq!(of("bad/S007-parent-session-cycle/itself"), "a - 0\nb - 0");
}

#[test]
fn the_family_of_one_file_is_looked_for_around_it() {
    let folder = silent_forks();
    let elsewhere = tempfile::tempdir().expect("a folder");
    put(elsewhere.path(), "f.jsonl", &session("f", &[("aaaa0001", "one"), ("ffff0001", "f")]));
    let f = elsewhere.path().join("f.jsonl").display().to_string();
    assert_eq!(family(folder.path(), &[&f]), "f - 0");
    let store = family(folder.path(), &[&f, "--store", "."]);
    assert!(store.contains("f entries 1") || store.contains("f - "), "{store}");
    assert_eq!(store.lines().count(), 5);
    for args in [&["family", "a.jsonl", "./a.jsonl"][..], &["family", "a.jsonl"]] {
        assert!(finish(sesstool(args).current_dir(folder.path())).out.contains("SESSION"), "{args:?}");
    }
    let gone = finish(sesstool(&["family", "gone.jsonl"]).current_dir(folder.path()));
    assert!(
        gone.code == Some(2) && gone.out.is_empty() && gone.err.contains("cannot open 'gone.jsonl'"),
        "{}",
        gone.err
    );
}

/// Files that hold one session are copies in `family`, whether one file has two names, or its bytes stand twice, with
/// an id in the header or without any.
#[cfg(unix)]
#[test]
fn the_same_session_twice_is_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let whole = session("aa", &[("aaaa0001", "x"), ("aaaa0002", "y")]);
    let header = HEADER.replace(r#""id":"019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18","#, "");
    let nameless = lines(&[header, message("bbbb0001", "", "z")]);
    for (name, bytes) in [("a.jsonl", &whole), ("n.jsonl", &nameless)] {
        put(folder.path(), name, bytes);
        put(folder.path(), &format!("copy-{name}"), bytes);
        std::fs::hard_link(at(name), at(&format!("link-{name}"))).expect("a link");
    }
    let run = finish(sesstool(&["family", "--format", "json", "."]).current_dir(folder.path()));
    let document = json(&run);
    let ties: Vec<_> = document["sessions"].as_array().expect("sessions").iter().map(|s| s["tie"].as_str()).collect();
    assert_eq!(ties, [None, Some("same"), Some("same"), None, Some("same"), Some("same")], "{}", run.out);
    let text = finish(sesstool(&["family", "."]).current_dir(folder.path())).out;
    assert!(text.matches("= ").count() == 4 && !text.contains('○'), "{text}");
}
