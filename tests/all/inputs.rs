//! What is read, and what happens to what cannot be read.

use super::support::{finish, fixture, json, run, sesstool};
use std::path::Path;
use tempfile::TempDir;

const HEALTHY: &str = "healthy/plain.jsonl";
const TORN: &str = "L001-truncated-last-line/in-a-string.jsonl";

/// A folder with a healthy and a torn session, and something else.
fn store() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    put(&folder.path().join("b-healthy.jsonl"), &fixture(&format!("good/{HEALTHY}")));
    put(&folder.path().join("deep/a-torn.jsonl"), &fixture(&format!("bad/{TORN}")));
    put(&folder.path().join("notes.txt"), b"no session");
    folder
}

fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file");
}

fn paths(document: &serde_json::Value) -> Vec<String> {
    let files = document["files"].as_array().expect("files");
    files.iter().map(|file| file["path"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn folders_are_walked() {
    let store = store();
    let run = run(&["validate", "--format", "json", store.path().to_str().expect("a path")]);
    let names: Vec<_> =
        paths(&json(&run)).iter().map(|p| p.rsplit('/').next().unwrap_or_default().to_string()).collect();
    assert_eq!((run.code, names), (Some(1), vec!["b-healthy.jsonl".to_string(), "a-torn.jsonl".to_string()]));
}

#[test]
fn without_a_path_the_store_is_checked() {
    let store = store();
    let mut command = sesstool(&["validate", "--format", "json"]);
    let run = finish(command.env("PI_CODING_AGENT_SESSION_DIR", store.path()));
    assert_eq!((run.code, paths(&json(&run)).len()), (Some(1), 2));
    assert!(run.err.contains(&store.path().display().to_string()), "{}", run.err);
    // the folder of the agent is the second choice
    let agent = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(agent.path().join("sessions")).expect("a folder");
    put(&agent.path().join("sessions/one.jsonl"), &fixture(&format!("good/{HEALTHY}")));
    let mut command = sesstool(&["validate", "--format", "json"]);
    let run = finish(command.env_remove("PI_CODING_AGENT_SESSION_DIR").env("PI_CODING_AGENT_DIR", agent.path()));
    assert_eq!((run.code, paths(&json(&run)).len()), (Some(0), 1));
    // a store that is not there
    let run = finish(&mut sesstool(&["validate"]));
    assert!(run.code == Some(2) && run.out.is_empty() && run.err.contains("/no/such/store"), "{}", run.err);
}

#[test]
fn standard_input_is_a_session() {
    for (name, code) in [(format!("good/{HEALTHY}"), 0), (format!("bad/{TORN}"), 1)] {
        let mut command = sesstool(&["validate", "--format", "json", "-"]);
        let run = finish(command.write_stdin(fixture(&name)));
        assert_eq!((run.code, paths(&json(&run))), (Some(code), vec!["-".to_string()]), "{name}");
    }
}

/// A file that is redirected to standard input is read as that file.
#[test]
fn a_redirected_file_is_a_session() {
    let path = super::support::root().join("fixtures/bad").join(TORN);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("sesstool"));
    command.args(["validate", "--format", "concise", "-"]).stdin(std::fs::File::open(path).expect("a fixture"));
    let output = command.output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("-:7:1: error[L001]"));
}

#[test]
fn lists_are_lines_or_have_nuls_between() {
    let store = store();
    let odd = store.path().join("two\nlines.jsonl");
    put(&odd, &fixture(&format!("good/{HEALTHY}")));
    let (healthy, odd) = (store.path().join("b-healthy.jsonl").display().to_string(), odd.display().to_string());
    for (list, count) in
        [(format!("{healthy}\n\n{healthy}\r\n"), 1), (format!("{healthy}\0{odd}\0"), 2), (String::new(), 0)]
    {
        let run = finish(sesstool(&["validate", "--format", "json", "--files-from", "-"]).write_stdin(list.as_str()));
        assert_eq!((run.code, paths(&json(&run)).len()), (Some(0), count), "{list:?}: {}", run.err);
    }
    let list = store.path().join("list");
    put(&list, healthy.as_bytes());
    let list = list.display().to_string();
    let run = run(&["validate", "--format", "json", "--files-from", &list, &odd]);
    assert_eq!(paths(&json(&run)), [odd, healthy], "paths come first, then the list");
    let run = finish(sesstool(&["validate", "-", "--files-from", "-"]).write_stdin(""));
    assert!(run.code == Some(2) && run.err.contains("standard input"), "{}", run.err);
}

/// What cannot be read is an error each; the rest is checked, and the status says that something was left out.
#[test]
fn what_cannot_be_read_stops_nothing() {
    let store = store();
    let at = |name: &str| store.path().join(name).display().to_string();
    let mut list = vec![at("gone.jsonl"), at("b-healthy.jsonl"), at("deep/a-torn.jsonl/below.jsonl")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("nowhere.jsonl"), at("dangling.jsonl")).expect("a link");
        std::os::unix::fs::symlink(at("endless.jsonl"), at("endless.jsonl")).expect("a link");
        list.extend([at("dangling.jsonl"), at("endless.jsonl")]);
    }
    list.push(at("deep/a-torn.jsonl"));
    let unreadable = list.len() - 2;
    let mut command = sesstool(&["validate", "--format", "json", "--files-from", "-"]);
    let run = finish(command.write_stdin(list.join("\n")));
    let document = json(&run);
    assert_eq!(run.code, Some(2));
    assert_eq!(paths(&document), [at("b-healthy.jsonl"), at("deep/a-torn.jsonl")]);
    assert_eq!(document["files"][1]["verdict"], "error");
    let errors = document["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), unreadable, "{errors:?}");
    assert!(errors.iter().all(|e| e["message"].as_str().is_some_and(|m| !m.is_empty() && !m.contains("os error"))));
}

/// A folder in a list is walked as one on the command line is.
#[test]
fn a_folder_in_a_list_is_walked() {
    let store = store();
    let mut command = sesstool(&["validate", "--format", "json", "--files-from", "-"]);
    let run = finish(command.write_stdin(store.path().display().to_string()));
    assert_eq!((run.code, paths(&json(&run)).len()), (Some(1), 2));
}

/// Links are not followed by the walk, but a link that is named is read.
#[cfg(unix)]
#[test]
fn links_are_read_where_they_are_named() {
    let store = store();
    let (link, folder) = (store.path().join("link.jsonl"), store.path().join("again"));
    std::os::unix::fs::symlink(store.path().join("b-healthy.jsonl"), &link).expect("a link");
    std::os::unix::fs::symlink(store.path(), &folder).expect("a link");
    let walked = run(&["validate", "--format", "json", &store.path().display().to_string()]);
    assert_eq!(paths(&json(&walked)).len(), 2);
    let named = run(&["validate", "--format", "json", &link.display().to_string()]);
    assert_eq!((named.code, paths(&json(&named)).len()), (Some(0), 1));
}

/// Reading leaves everything as it was.
#[test]
fn nothing_is_written() {
    let store = store();
    let listing = || {
        let walk = walkdir::WalkDir::new(store.path()).sort_by_file_name();
        let entries = walk.into_iter().map(|entry| entry.expect("an entry"));
        let state = entries.map(|entry| {
            let metadata = entry.metadata().expect("metadata");
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            (entry.into_path(), metadata.modified().expect("a time"), bytes)
        });
        state.collect::<Vec<_>>()
    };
    let before = listing();
    assert_eq!(run(&["validate", &store.path().display().to_string()]).code, Some(1));
    assert!(listing() == before);
}

/// A file that the command line leads to in several ways is one file, for every verb that takes several.
#[test]
fn a_file_named_twice_is_taken_once() {
    let store = store();
    let count = |verb: &str, paths: &[&str], list: &str| {
        let mut command = sesstool(&[&[verb, "--format", "json"], paths].concat());
        let run = finish(command.current_dir(store.path()));
        let document = json(&run);
        assert!(run.code.is_some_and(|code| code < 2), "{verb} {paths:?}: {}", run.err);
        document[list]
            .as_array()
            .expect("a list")
            .iter()
            .map(|f| f["path"].as_str().unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    };
    let (same, inside) =
        (["b-healthy.jsonl", "./b-healthy.jsonl", "deep/../b-healthy.jsonl"], ["deep", ".", "deep/a-torn.jsonl"]);
    for (verb, list) in [
        ("validate", "files"),
        ("stats", "files"),
        ("ls", "sessions"),
        ("repair", "files"),
        ("migrate", "files"),
        ("family", "sessions"),
    ] {
        // the family of a file has all of its folder
        if verb != "family" {
            assert_eq!(count(verb, &same, list), ["b-healthy.jsonl"], "{verb}");
        }
        let mut both = count(verb, &inside, list);
        both.sort();
        assert_eq!(both, ["./b-healthy.jsonl", "deep/a-torn.jsonl"], "{verb}");
        std::fs::remove_file(store.path().join("deep/a-torn.repaired.jsonl")).ok();
    }
}

/// The same of paths in the settings.
#[test]
fn paths_of_the_settings_may_overlap() {
    let store = store();
    put(&store.path().join("sesstool.toml"), b"paths = [\"deep\", \".\", \"b-healthy.jsonl\"]\n");
    let run = finish(sesstool(&["validate", "--format", "json"]).current_dir(store.path()));
    assert_eq!((run.code, paths(&json(&run)).len()), (Some(1), 2), "{}", run.out);
}

/// There is one standard input: a second `-` finds nothing, which is no damage.
#[test]
fn standard_input_is_named_once() {
    for verb in ["validate", "stats", "ls", "family", "repair", "migrate"] {
        let run = finish(sesstool(&[verb, "-", "-"]).write_stdin(fixture(&format!("good/{HEALTHY}"))));
        assert!(
            run.code == Some(2) && run.out.is_empty() && run.err.contains("named more than once"),
            "{verb}: {}",
            run.err
        );
    }
}
