//! What the program does when it is called: exit status, what goes where, and what it says to wrong usage.

use super::support::{self, Run};
use assert_cmd::Command;

/// Exit status, standard output, standard error.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Run { code, out, err } = support::run(args);
    (code, out, err)
}

#[test]
fn help_and_version() {
    let (code, out, err) = run(&["--version"]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (Some(0), concat!("sesstool ", env!("CARGO_PKG_VERSION"), "\n"), "")
    );
    let (code, out, err) = run(&[]);
    assert!(code == Some(2) && out.is_empty() && err.contains("Usage: sesstool"), "{code:?} {out} {err}");
    let (code, out, err) = run(&["validate", "--help"]);
    assert!(code == Some(0) && out.contains("--fail-on") && err.is_empty(), "{code:?} {out} {err}");
}

#[test]
fn wrong_usage_says_what_to_type() {
    for (args, hint) in [
        (&["validate", "--select", "no-such-rule"][..], "unknown rule 'no-such-rule'"),
        (&["validate", "--severity", "G003"], "write CODE=LEVEL"),
        (&["validate", "--format", "jsn"], "'json'"),
        (&["validate", "--quiet", "--statistics"], "cannot be used with"),
        (&["validate", "--files-from", "/no/such/list"], "cannot read the list '/no/such/list'"),
        (&["explain", "no-such-rule"], "unknown rule 'no-such-rule'"),
    ] {
        let (code, out, err) = run(args);
        assert!(code == Some(2) && out.is_empty() && err.contains(hint), "{args:?}: {code:?}\n{out}\n{err}");
    }
}

#[test]
fn a_missing_file_is_told_in_every_format() {
    let missing = "/no/such/session.jsonl";
    let sentence = "cannot open: no such file or directory";
    let (code, out, err) = run(&["validate", missing]);
    assert_eq!((code, err), (Some(2), format!("error: {missing}: {sentence}\n")));
    assert!(out.ends_with("1 file not read\n"), "{out}");
    let (code, out, err) = run(&["validate", missing, "--format", "concise"]);
    assert_eq!((code, out), (Some(2), format!("{missing}: error: {sentence}\n")));
    assert_eq!(err, "error: 1 of 1 files could not be read; the report says why\n");
    let (code, out, err) = run(&["validate", missing, "--quiet", "--format", "json"]);
    assert_eq!((code, out.as_str(), err), (Some(2), "", format!("error: {missing}: {sentence}\n")));
    let (code, out, _) = run(&["validate", missing, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).expect("a JSON document");
    assert_eq!((code, &document["errors"][0]["message"]), (Some(2), &sentence.into()));
}

#[test]
fn without_a_path_the_store_is_read_and_named() {
    let store = tempfile::tempdir().expect("a folder");
    let mut command = Command::cargo_bin("sesstool").expect("the binary");
    let output = command.arg("validate").env("PI_CODING_AGENT_SESSION_DIR", store.path()).output().expect("a run");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let store = store.path().display();
    let told = format!("no path given: reading pi's session store {store}\nno *.jsonl file below {store}\n");
    assert_eq!((output.status.code(), err), (Some(0), told));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sesstool"))
        .args(["explain", "--format", "markdown"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a run");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
