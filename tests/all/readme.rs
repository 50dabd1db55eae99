//! What the README shows is what the program does.

use super::support::{finish, root, sesstool};
use std::path::Path;

/// A command of a console block, and the output that is shown below it.
struct Shown {
    command: String,
    output: String,
}

/// The commands in the fenced `console` blocks of a page.
fn shown(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line.strip_prefix("$ ")) {
            (_, _) if line.starts_with("```") => inside = line == "```console",
            (true, Some(command)) => all.push(Shown { command: command.into(), output: String::new() }),
            (true, None) => {
                let last = all.last_mut().expect("a console block begins with a command");
                last.output.push_str(line);
                last.output.push('\n');
            }
            (false, _) => {}
        }
    }
    all
}

/// The arguments, where the command runs this program; quotes are not needed so far.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let rest = ["sesstool ", "cargo run --release --locked -- "].iter().find_map(|p| command.strip_prefix(p))?;
    assert!(!rest.contains(['\'', '"', '|', '>', '$']), "not understood by this test: {command}");
    Some(rest.split_whitespace().collect())
}

/// A folder with a copy of the fixtures, since some commands write beside what they read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["bad", "good", "stats"].map(|kind| walkdir::WalkDir::new(root().join("fixtures").join(kind)));
    for entry in files.into_iter().flatten().map(|entry| entry.expect("a folder that can be listed")) {
        let path = folder.path().join(entry.path().strip_prefix(root()).expect("below the crate"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(path).expect("a folder");
        } else {
            std::fs::write(path, std::fs::read(entry.path()).expect("a fixture")).expect("a copy");
        }
    }
    folder
}

/// What a command of the system prints; only the few that the page uses.
fn system(folder: &Path, command: &str) -> String {
    assert!(["mv -n ", "cmp "].iter().any(|p| command.starts_with(p)), "not understood by this test: {command}");
    let output = std::process::Command::new("sh").args(["-c", command]).current_dir(folder).output().expect("a shell");
    assert!(output.status.success(), "$ {command}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn commands_show_what_they_print() {
    let page = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let folder = folder();
    let (mut last, mut ran) = (None::<i32>, 0);
    for Shown { command, output } in shown(&page) {
        let printed = if command == "echo $?" {
            last.expect("a command before it").to_string()
        } else if let Some(args) = arguments(&command) {
            let run = finish(sesstool(&args).current_dir(folder.path()));
            assert!(run.code != Some(2), "$ {command}\n{}", run.err);
            (last, ran) = (run.code, ran + 1);
            // the copies were written to seconds ago
            let lines: Vec<_> = run.out.lines().filter(|line| !line.contains("written to seconds ago")).collect();
            lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
        } else if command.starts_with("cargo ") {
            continue;
        } else {
            system(folder.path(), &command)
        };
        assert_eq!(
            output.trim(),
            printed.trim(),
            "$ {command}\nREADME.md shows the left, the program prints the right"
        );
    }
    assert!(ran >= 4, "the README shows too little");
}
