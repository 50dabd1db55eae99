//! `ls`: which sessions, in which order, and what pi's own list leaves out.

use super::support::{HEADER, Run, finish, fixture, json, lines, message, sesstool};
use std::path::Path;
use tempfile::TempDir;

/// A store as pi lays it out: a folder a project.
fn store() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "--web--/a.jsonl", &session("aa", "/web", "2026-03-01", "Fix the disk"));
    put(folder.path(), "--web--/b.jsonl", &session("bb", "/web", "2026-03-03", "Paint it"));
    put(folder.path(), "--app--/c.jsonl", &session("cc", "/app", "2026-03-02", "Write a test"));
    let null = message("aaaa0002", "aaaa0001", "x").replace(r#"[{"type":"text","text":"x"}]"#, "null");
    let hidden = [session("dd", "/app", "2026-03-04", "Disk full"), lines(&[null])].concat();
    put(folder.path(), "--app--/d.jsonl", &hidden);
    put(folder.path(), "--app--/deep/e.jsonl", &session("ee", "/app", "2026-02-01", "Deep"));
    put(folder.path(), "top.jsonl", &session("ff", "/app", "2026-01-01", "Top"));
    put(folder.path(), "--app--/.c.jsonl.tmp", b"");
    put(folder.path(), "--app--/side.jsonl", b"{\"a\":1}\n");
    folder
}

fn session(id: &str, cwd: &str, day: &str, text: &str) -> Vec<u8> {
    let header = HEADER.replace("019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18", id).replace("/project", cwd);
    let said = message("aaaa0001", "", text).replace(",\"timestamp\":1773480410000", "");
    lines(&[header, said.replace("2026-03-14T", &format!("{day}T"))])
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, bytes).expect("a file");
}

fn ls(store: &TempDir, args: &[&str]) -> Run {
    let mut command = sesstool(&[&["ls"], args].concat());
    let agent = store.path().parent().expect("a folder above");
    finish(
        command.current_dir(store.path()).env_remove("PI_CODING_AGENT_SESSION_DIR").env("PI_CODING_AGENT_DIR", agent),
    )
}

/// The names of the files that are listed, in order.
fn names(run: &Run) -> String {
    assert_eq!(run.code, Some(0), "{}", run.err);
    let names = run.out.lines().map(|path| path.rsplit('/').next().unwrap_or_default());
    names.map(|name| name.trim_end_matches(".jsonl")).collect::<Vec<_>>().join(" ")
}

#[test]
fn sessions_are_sorted_and_filtered() {
    let store = store();
    for (args, expected) in [
        (&[][..], "d b c a e top .c.jsonl.tmp"),
        (&["--reverse"], ".c.jsonl.tmp top e a c b d"),
        (&["--sort", "name"], ".c.jsonl.tmp e d a b top c"),
        (&["--sort", "path", "--limit", "2"], ".c.jsonl.tmp c"),
        (&["--project", "WEB"], "b a"),
        (&["--since", "2026-03-02", "--until", "2026-03-04"], "b c"),
        (&["--grep", "DISK"], "d a"),
        (&["--verdict", "warning,error"], "d .c.jsonl.tmp"),
        (&["--hidden", "--sort", "path"], ".c.jsonl.tmp d"),
        (&["--project", "nothing"], ""),
    ] {
        assert_eq!(names(&ls(&store, &[&["--format", "paths", "."], args].concat())), expected, "{args:?}");
    }
}

/// What stands in pi's own store, but not where pi looks.
#[test]
fn what_pi_does_not_come_across() {
    let agent = tempfile::tempdir().expect("a folder");
    let own = agent.path().join("sessions");
    std::fs::rename(store().keep(), &own).expect("one file system");
    let why = |variable: &str, folder: &Path| {
        let mut command = sesstool(&["ls", "--format", "json"]);
        command.env_remove("PI_CODING_AGENT_SESSION_DIR").env_remove("PI_CODING_AGENT_DIR").env(variable, folder);
        let document = json(&finish(&mut command));
        let sessions = document["sessions"].as_array().expect("sessions").clone();
        let mut hidden: Vec<String> = Vec::new();
        for session in sessions.iter().filter(|session| session["pi"]["listed"] == false) {
            let path = session["path"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            hidden.push(format!("{path}: {}", session["pi"]["why"].as_str().unwrap_or_default()));
        }
        hidden.sort();
        (sessions.len(), hidden.join("\n"))
    };
    let (count, hidden) = why("PI_CODING_AGENT_DIR", agent.path());
    assert_eq!(count, 7);
    insta::assert_snapshot!(hidden);
    let (_, hidden) = why("PI_CODING_AGENT_SESSION_DIR", &own);
    assert_eq!(
        hidden.lines().filter(|line| line.ends_with("pi looks into that folder itself only")).count(),
        5,
        "{hidden}"
    );
}

/// pi's list shows forks below their parents: nothing of a loop, nor what hangs on it, is in it.
#[test]
fn loops_of_parents_are_in_no_list() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, parent) in [("a", "b"), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "f"), ("f", "")] {
        let bytes = session(name, "/p", "2026-03-01", "x");
        let path = folder.path().join(format!("{parent}.jsonl"));
        let more = format!(r#","parentSession":"{}"}}"#, path.display());
        let text = String::from_utf8(bytes).expect("text");
        let text = if parent.is_empty() { text } else { text.replacen("}\n", &format!("{more}\n"), 1) };
        put(folder.path(), &format!("{name}.jsonl"), text.as_bytes());
    }
    assert_eq!(names(&ls(&folder, &["--format", "paths", "--sort", "path", "--hidden", "."])), "a b c d");
}

#[test]
fn what_cannot_be_read_is_told() {
    let store = store();
    let run = ls(&store, &["--format", "json", ".", "gone.jsonl"]);
    let document = json(&run);
    assert_eq!((run.code, run.err.as_str()), (Some(2), "error: gone.jsonl: cannot open: no such file or directory\n"));
    assert_eq!(
        (&document["errors"][0]["path"], &document["skipped"][0]["dialect"]),
        (&"gone.jsonl".into(), &"unknown".into())
    );
    assert_eq!(document["sessions"].as_array().map(Vec::len), Some(7));
    for (args, hint) in [(&["--since", "soon"][..], "how long ago: 7d"), (&["--sort", "age"], "'age'")] {
        let run = ls(&store, args);
        assert!(run.code == Some(2) && run.out.is_empty() && run.err.contains(hint), "{}", run.err);
    }
}

#[test]
fn standard_input_is_a_session() {
    let mut command = sesstool(&["ls", "-", "--format", "json"]);
    let document = json(&finish(command.write_stdin(fixture("good/healthy/plain.jsonl"))));
    assert_eq!((&document["sessions"][0]["path"], &document["sessions"][0]["messages"]), (&"-".into(), &6.into()));
}

/// Paths are for other programs, which open what they read: so the names are written as they are.
#[cfg(unix)]
#[test]
fn paths_are_the_names_of_the_files() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let mut names: Vec<&[u8]> = vec![b"caf\xe9.jsonl", b"n\x07\x1b[31m.jsonl", b"plain.jsonl", b"two\nlines.jsonl"];
    for name in &names {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, session("aa", "/p", "2026-03-01", "x")).expect("a file");
    }
    let listed = |args: &[&str]| {
        let mut command = sesstool(&[&["ls", "--sort", "path", "."], args].concat());
        command.current_dir(folder.path()).output().expect("a run").stdout
    };
    names.sort();
    let joined = |end: &[u8]| names.iter().flat_map(|name| [b"./", *name, end].concat()).collect::<Vec<u8>>();
    assert_eq!(listed(&["--format", "paths"]), joined(b"\n"));
    assert_eq!(listed(&["-0"]), joined(b"\0"));
    let mut command = sesstool(&["validate", "--files-from", "-", "--format", "json"]);
    let run = finish(command.current_dir(folder.path()).write_stdin(listed(&["--null", "--format", "paths"])));
    assert_eq!(json(&run)["summary"]["files"], 4, "{}", run.err);
    let refused = finish(&mut sesstool(&["ls", "-0", "--format", "csv", "fixtures/good/healthy"]));
    assert!(refused.code == Some(2) && refused.err.contains("paths alone, not csv"), "{}", refused.err);
}

/// The last day that the format has is shown as any other.
#[test]
fn the_last_day_of_9999() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(session("bb", "/p", "9999-12-31", "x")).expect("text");
    put(folder.path(), "a.jsonl", text.replace("2026-03-14T09:26:50.000Z", "9999-12-31T23:59:59.999Z").as_bytes());
    let csv = ls(&folder, &["--format", "csv", "."]).out;
    assert!(csv.contains("9999-12-31T23:59:59.999Z") && !csv.contains(" ms"), "{csv}");
    assert!(ls(&folder, &["."]).out.contains("9999-12-31 09:26"));
    assert_eq!(names(&ls(&folder, &["--format", "paths", "--since", "9999-12-31", "--until", "9999-12-31", "."])), "a");
    let dot = finish(sesstool(&["family", "--all", "--format", "dot", "."]).current_dir(folder.path())).out;
    assert!(dot.contains("9999-12-31 1 entries"), "{dot}");
}
