//! Completions and manual pages, as shells and `man` take them.

use super::support::{run, sesstool, skipped};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The output of a program, or `None` where it is not installed.
fn call(program: &str, args: &[&str]) -> Option<Output> {
    let mut command = Command::new(program);
    let binary = assert_cmd::cargo::cargo_bin("sesstool");
    let path = std::env::join_paths(
        binary
            .parent()
            .map(Path::to_path_buf)
            .into_iter()
            .chain(std::env::var_os("PATH").iter().flat_map(std::env::split_paths)),
    );
    command.args(args).env("PATH", path.expect("a path")).env("LC_ALL", "C.UTF-8");
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            skipped(&format!("no {program}"));
            None
        }
    }
}

/// The completions for a shell, in a file.
fn completions(shell: &str) -> (tempfile::TempDir, PathBuf) {
    let run = run(&["completions", shell]);
    assert!(run.code == Some(0) && run.out.contains("sesstool") && run.out.contains("update-baseline"), "{}", run.err);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("_sesstool");
    std::fs::write(&path, run.out).expect("a file");
    (folder, path)
}

/// What the shell says, which must be no complaint.
fn answer(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success() && output.stderr.is_empty(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn bash_completes() {
    let (_folder, path) = completions("bash");
    let complete = |words: &[&str]| {
        let script = format!(
            "source {}; COMP_WORDS=({}); COMP_CWORD={}; _sesstool sesstool {} {}; echo \"${{COMPREPLY[@]}}\"",
            path.display(),
            words.join(" "),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        call("bash", &["--norc", "-c", &script]).map(|output| answer(&output).trim().to_string())
    };
    for (words, expected) in [
        (&["sesstool", "val"][..], "validate"),
        (&["sesstool", "validate", "--update"], "--update-baseline"),
        (&["sesstool", "validate", "--format", "ju"], "junit"),
        (&["sesstool", "config", "sch"], "schema"),
    ] {
        if let Some(completed) = complete(words) {
            assert_eq!(completed, expected, "{words:?}");
        }
    }
}

#[test]
fn fish_completes() {
    let (_folder, path) = completions("fish");
    for (line, expected) in [
        ("sesstool val", "validate"),
        ("sesstool validate --update", "--update-baseline"),
        ("sesstool config sc", "schema"),
    ] {
        let script = format!("source {}; complete -C '{line}'", path.display());
        if let Some(output) = call("fish", &["--no-config", "-c", &script]) {
            assert!(answer(&output).lines().any(|l| l.split('\t').next() == Some(expected)), "{line}: {output:?}");
        }
    }
}

#[test]
fn zsh_loads_them() {
    let (folder, path) = completions("zsh");
    let script = format!(
        "fpath=({} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[sesstool]; autoload +X _sesstool && whence -w _sesstool",
        folder.path().display()
    );
    if let Some(output) = call("zsh", &["-f", "-c", &script]) {
        assert_eq!(answer(&output), "_sesstool\n_sesstool: function\n");
    }
    if let Some(output) = call("zsh", &["-f", "-n", path.to_str().expect("text")]) {
        answer(&output);
    }
}

/// No shell of these is at hand that takes them without a terminal; they are made all the same.
#[test]
fn others_are_made() {
    completions("powershell");
    completions("elvish");
    assert_eq!(run(&["completions", "tcsh"]).code, Some(2));
}

/// Examples stay in their columns, and each section has its name.
#[test]
fn pages_keep_examples_as_they_are() {
    for verb in ["stats", "validate"] {
        let page = run(&["man", verb]).out;
        let (_, examples) = page.split_once("\n.SH EXAMPLES\n.nf\n").expect("examples");
        let (examples, rest) = examples.split_once("\n.fi\n").expect("an end");
        assert!(examples.lines().all(|line| line.starts_with("  ")), "{examples}");
        assert!(rest.contains(".SH \"EXIT STATUS\"\n"), "{rest}");
        assert!(!page.contains(".SH EXTRA") && page.matches(".nf").count() == page.matches(".fi").count(), "{page}");
    }
}

#[test]
fn there_is_a_page_a_verb() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("man1");
    let write = || run(&["man", "--out-dir", out.to_str().expect("text")]);
    assert_eq!(write().code, Some(0));
    let help = run(&["--help"]).out;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    // what is longer goes on further right
    let verbs = list.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split(' ').next()).filter(|verb| *verb != "help").collect();
    assert!(verbs.contains(&"validate") && verbs.contains(&"man"), "{verbs:?}");
    for verb in &verbs {
        let path = out.join(format!("sesstool-{verb}.1"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(page, run(&["man", verb]).out);
        if let Some(output) = call("man", &["--warnings", "-E", "UTF-8", "-l", path.to_str().expect("text")]) {
            assert!(answer(&output).contains(&format!("sesstool {verb}")), "{verb}");
        }
    }
    let pages = std::fs::read_dir(&out).expect("a folder").count();
    assert_eq!(pages, verbs.len() + 3, "the program, config show and config schema have one as well");
    // a later version takes their place, but of nothing else
    assert_eq!(write().code, Some(0));
    std::fs::write(out.join("sesstool.1"), "my notes").expect("a file");
    let refused = write();
    assert!(refused.code == Some(2) && refused.err.contains("name another file"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(out.join("sesstool.1")).expect("a file"), "my notes");
    let unknown = run(&["man", "validat"]);
    assert!(
        unknown.code == Some(2) && unknown.err.contains("no verb 'validat'; there are validate, "),
        "{}",
        unknown.err
    );
    assert!(sesstool(&["man"]).output().expect("a run").stdout.starts_with(b".ie"));
}
