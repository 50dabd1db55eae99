//! The views as they are called: exit status, what is said to wrong names, formats for machines.

use assert_cmd::Command;
use std::path::PathBuf;

const SESSION: &str = r#"{"type":"session","version":3,"id":"0198c0de","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"one"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"two"}}
not a record
{"type":"label","id":"bbbb0001","parentId":"aaaa0002","timestamp":"2026-01-01T00:00:03.000Z","targetId":"aaaa0001","label":"start"}
"#;

struct Store {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Store {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let file = folder.path().join("2026-01-01T00-00-00-000Z_0198c0de.jsonl");
        std::fs::write(&file, SESSION).expect("a file");
        Store { folder, file }
    }

    /// Exit status, standard output, standard error; `FILE` stands for the file.
    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let file = self.file.to_string_lossy();
        let mut command = Command::cargo_bin("sesstool").expect("the binary");
        command.args(args.iter().map(|arg| if *arg == "FILE" { &file } else { *arg }));
        command.env("PI_CODING_AGENT_SESSION_DIR", self.folder.path()).env_remove("CLICOLOR_FORCE");
        let output = command.write_stdin(SESSION).output().expect("a run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn json(&self, args: &[&str]) -> serde_json::Value {
        let (code, out, err) = self.run(args);
        assert_eq!(code, Some(0), "{err}");
        serde_json::from_str(&out).expect("a JSON document")
    }
}

#[test]
fn a_session_is_named_by_path_id_beginning_latest_or_pipe() {
    let store = Store::new();
    for name in ["FILE", "0198c0de", "0198", "latest", "-"] {
        let tree = store.json(&["tree", name, "--format", "json"]);
        assert_eq!(tree["nodes"].as_array().map(Vec::len), Some(3), "{name}");
    }
    let (code, _, err) = store.run(&["tree", "nothing"]);
    assert!(code == Some(2) && err.contains("neither a file, nor the id of a session"), "{err}");
}

#[test]
fn an_entry_is_named_by_id_beginning_or_label() {
    let store = Store::new();
    for name in ["aaaa0001", "aaaa0001", "start"] {
        let branch = store.json(&["tree", "FILE", "--leaf", name, "--format", "json"]);
        assert_eq!(branch["leaf"], "aaaa0001", "{name}");
        assert_eq!(branch["entries"].as_array().map(Vec::len), Some(1), "{name}");
    }
    let current = store.json(&["tree", "FILE", "--leaf", "--format", "json"]);
    assert_eq!((&current["leaf"], &current["schema"]), (&"bbbb0001".into(), &"sesstool.branch/1".into()));
    for (args, hint) in [
        (&["tree", "FILE", "--leaf", "aaaa"][..], "'aaaa' may mean 2 entries: aaaa0001 (start), aaaa0002"),
        (&["context", "FILE", "--leaf", "aaaa0003"], "the nearest: aaaa0001 (start), aaaa0002"),
        (&["show", "FILE", "FILE"], "it is the name of a file"),
        (&["show", "FILE", "--line", "9"], "there is no line 9: the file has 5"),
    ] {
        let (code, out, err) = store.run(args);
        assert!(code == Some(2) && out.is_empty() && err.contains(hint), "{args:?}: {code:?} {err}");
    }
}

#[test]
fn readers_refuse_with_their_reason() {
    let store = Store::new();
    let (code, _, err) = store.run(&["context", "FILE", "--reader", "agent-core"]);
    assert!(code == Some(2) && err.contains("agent-core refuses it: line 4 is not valid JSON"), "{err}");
    assert_eq!(store.run(&["context", "FILE", "--reader", "pi"]).0, Some(0));
}

#[test]
fn the_context_has_its_messages() {
    let store = Store::new();
    let context = store.json(&["context", "FILE", "--format", "json", "--explain"]);
    assert_eq!(context["messages"][1]["message"]["content"], "two");
    assert_eq!(context["branch"][2]["why"], "bookkeeping");
    assert_eq!(store.run(&["context", "FILE", "--format", "jsonl"]).1.lines().count(), 2);
    let merged = store.json(&["context", "FILE", "--format", "json", "--provider-view"]);
    assert_eq!(merged["messages"].as_array().map(Vec::len), Some(1));
}

#[test]
fn validate_counts_what_pi_shows() {
    let store = Store::new();
    let args = ["validate", "FILE", "--format", "json", "--fail-on", "never", "--reader", "agent-core"];
    let file = &store.json(&args)["files"][0];
    assert_eq!(file["context"]["pi"], 2);
    assert_eq!(file["context"]["reader"]["says"], "line 4 is not valid JSON");
    assert!(file["leaf"].is_null());
}

#[test]
fn an_entry_is_shown_in_full_raw_and_laid_out() {
    let store = Store::new();
    let (_, text, _) = store.run(&["show", "FILE", "start"]);
    assert!(text.contains("line      2, bytes") && text.contains("in the context: message"), "{text}");
    let line = SESSION.lines().nth(1).expect("a line");
    assert_eq!(store.run(&["show", "FILE", "start", "--raw"]).1.trim_end(), line);
    assert!(store.run(&["show", "FILE", "start", "--json"]).1.contains("\n    \"role\": \"user\""));
    let (_, text, _) = store.run(&["show", "FILE", "--line", "4"]);
    assert!(text.contains("J001") && text.ends_with("\nnot a record\n"), "{text}");
}

/// Tables end where their text does, and so does a diff.
#[test]
fn no_line_ends_in_blanks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, fixture) in
        [("calls.jsonl", "bad/M001-tool-call-without-result"), ("torn.jsonl", "bad/L001-truncated-last-line")]
    {
        let source = std::fs::read_dir(super::support::root().join("fixtures").join(fixture)).expect("a folder");
        let first = source.map(|entry| entry.expect("an entry").path()).min().expect("a fixture");
        std::fs::copy(first, folder.path().join(name)).expect("a copy");
    }
    for args in
        [&["tools", "calls.jsonl"][..], &["repair", "--dry-run", "torn.jsonl"], &["repair", "torn.jsonl"], &["ls", "."]]
    {
        let run = super::support::finish(super::support::sesstool(args).current_dir(folder.path()));
        assert!(run.out.lines().count() > 2, "{args:?}: {}{}", run.out, run.err);
        for line in run.out.lines() {
            assert_eq!(line, line.trim_end(), "{args:?}\n{}", run.out);
        }
        assert!(run.out.ends_with('\n') && !run.out.ends_with("\n\n"), "{args:?}: {:?}", run.out);
    }
}
