//! What the README shows is what the program does.

use super::support::{Run, root, run};

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

#[test]
fn commands_show_what_they_print() {
    let page = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let (mut last, mut ran) = (None::<Run>, 0);
    for Shown { command, output } in shown(&page) {
        if command == "echo $?" {
            let code = last.as_ref().and_then(|run| run.code).expect("a command before it");
            assert_eq!(output.trim(), code.to_string(), "exit status in README.md");
        } else if let Some(args) = arguments(&command) {
            let run = run(&args);
            // a fresh check-out was written to seconds ago
            let printed: Vec<_> = run.out.lines().filter(|line| !line.contains("written to seconds ago")).collect();
            let printed = printed.join("\n");
            assert!(run.code != Some(2), "$ {command}\n{}", run.err);
            assert_eq!(
                output.trim(),
                printed.trim(),
                "$ {command}\nREADME.md shows the left, the program prints the right"
            );
            (last, ran) = (Some(run), ran + 1);
        }
    }
    assert!(ran >= 4, "the README shows too little");
}
