//! The hook, the action and the snippets of docs/ci.md do what their users expect.

use super::support::{HEADER, fixture, lines, message, root, skipped};
use std::path::Path;
use std::process::{Command, Output};

/// A program in a folder, with `sesstool` on its path.
fn command(folder: &Path, program: &str, args: &[&str]) -> Command {
    let binary = assert_cmd::cargo::cargo_bin("sesstool");
    let own = binary.parent().map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).expect("a path");
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("PATH", path).env_remove("GITHUB_STEP_SUMMARY");
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    let config = [("user.name", "Tester"), ("user.email", "tester@example.org"), ("init.defaultBranch", "main")];
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_CONFIG_COUNT", "3");
    for (n, (key, value)) in config.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{n}"), key).env(format!("GIT_CONFIG_VALUE_{n}"), value);
    }
    command
}

fn call(folder: &Path, program: &str, args: &[&str]) -> Output {
    command(folder, program, args).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn all(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, bytes).expect("a file");
}

/// A session of so many messages; each has the one before it as parent.
fn session(messages: usize) -> Vec<u8> {
    let mut all = vec![HEADER.to_string()];
    for n in 0..messages {
        let parent = if n == 0 { String::new() } else { format!("0000000{}", n - 1) };
        all.push(message(&format!("0000000{n}"), &parent, "x"));
    }
    lines(&all)
}

/// The fenced blocks of docs/ci.md: their languages and texts.
fn blocks() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(root().join("docs/ci.md")).expect("docs/ci.md");
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line.strip_prefix("```")) {
            (false, Some(language)) => {
                inside = true;
                blocks.push((language.to_string(), String::new()));
            }
            (true, Some(_)) => inside = false,
            (true, None) => {
                if let Some((_, text)) = blocks.last_mut() {
                    *text += &format!("{line}\n");
                }
            }
            (false, None) => {}
        }
    }
    blocks
}

#[test]
fn the_snippets_run() {
    let mut ran = 0;
    for (language, text) in blocks().iter().filter(|(_, text)| !text.starts_with("#!")) {
        for line in text.lines().map(str::trim) {
            let line = line.trim_start_matches("- ").trim_start_matches("run: ");
            let line = line.strip_prefix("sh '").and_then(|line| line.strip_suffix('\'')).unwrap_or(line);
            if !line.starts_with("sesstool ") {
                continue;
            }
            for (bytes, code) in [(session(2), 0), (fixture("bad/L005-torn-record/with-a-child+G003.jsonl"), 1)] {
                let folder = tempfile::tempdir().expect("a folder");
                put(folder.path(), "sessions/a.jsonl", &bytes);
                let output = call(folder.path(), "sh", &["-c", line]);
                assert_eq!(output.status.code(), Some(code), "{language}: {line}\n{}", all(&output));
                // what the rest of the snippet takes further is there
                for word in text.split(|c: char| c.is_whitespace() || "'\"()".contains(c)) {
                    let file = word.rsplit('=').next().unwrap_or(word);
                    if [".json", ".xml", ".sarif"].iter().any(|ending| file.ends_with(ending)) {
                        assert!(folder.path().join(file).is_file(), "{line} does not make {file}");
                    }
                }
            }
            ran += 1;
        }
    }
    assert!(ran >= 4, "only {ran} commands found");
}

#[test]
fn the_hooks_of_the_manifest_run() {
    let manifest = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the manifest");
    let entries: Vec<&str> = manifest.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries.len(), 2);
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a b.jsonl", &session(2));
    put(folder.path(), "tmp/bad.jsonl", b"{\"type\":\n");
    put(folder.path(), "sesstool.toml", b"exclude = [\"tmp\"]\n");
    for entry in entries {
        let run = |files: &str| call(folder.path(), "sh", &["-c", &format!("{entry} {files}")]).status.code();
        assert_eq!(run("'a b.jsonl' tmp/bad.jsonl"), Some(0), "{entry}");
        put(folder.path(), "worse.jsonl", b"{\"type\":\n");
        assert_eq!(run("'a b.jsonl' worse.jsonl"), Some(1), "{entry}");
    }
}

#[test]
fn the_action_hands_on_its_inputs_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "my sessions/a.jsonl", &fixture("bad/L002-unterminated-last-line/last-line.jsonl"));
    put(folder.path(), "summary.md", b"");
    let script = root().join("ci/action.sh");
    let run = |inputs: &[(&str, &str)]| {
        let mut command = command(folder.path(), "bash", &[script.to_str().expect("text")]);
        command.envs(inputs.iter().copied()).env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        command.output().expect("a run")
    };
    let usual = run(&[("INPUT_PATHS", "my sessions\n")]);
    assert_eq!(usual.status.code(), Some(0), "{}", all(&usual));
    assert!(all(&usual).starts_with("::warning title=L002 unterminated-last-line,file=my sessions/a.jsonl"));
    assert!(folder.path().join("summary.md").metadata().is_ok_and(|m| m.len() > 0));
    let strict = run(&[
        ("INPUT_PATHS", "my sessions"),
        ("INPUT_FAIL_ON", "warning"),
        ("INPUT_SARIF", "out dir.sarif"),
        ("INPUT_OPTIONS", "--ignore\nL016"),
    ]);
    assert_eq!(strict.status.code(), Some(1), "{}", all(&strict));
    assert!(folder.path().join("out dir.sarif").is_file());
    let hostile =
        run(&[("INPUT_PATHS", "$(touch owned); --quiet\n`touch owned`"), ("INPUT_FAIL_ON", "$(touch owned)")]);
    assert_eq!(hostile.status.code(), Some(2));
    assert!(!folder.path().join("owned").exists());
}

/// A repository with old damage, a baseline and a hook, over five commits.
#[test]
fn a_repository_over_five_commits() {
    if Command::new("git").arg("--version").output().is_err() {
        skipped("no git");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let git = |args: &[&str]| call(path, "git", args);
    let commit = |message: &str| {
        assert!(git(&["add", "-A"]).status.success());
        git(&["commit", "-q", "-m", message])
    };
    let sesstool = |args: &[&str]| call(path, "sesstool", args);
    assert!(git(&["init", "-q"]).status.success());
    let (_, hook) = blocks().into_iter().find(|(_, text)| text.starts_with("#!")).expect("the hook of docs/ci.md");
    put(path, ".git/hooks/pre-commit", hook.as_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path.join(".git/hooks/pre-commit"), executable).expect("permissions");
    }

    // 1. what is there already is damaged: it is refused until it is known
    put(path, "sesstool.toml", b"paths = [\"sessions\"]\nexclude = [\"scratch\"]\n");
    put(path, "sessions/old.jsonl", &fixture("bad/G003-dangling-parent/unknown-id.jsonl"));
    put(path, "sessions/good.jsonl", &session(2));
    let refused = commit("sessions");
    assert!(
        !refused.status.success() && all(&refused).contains("sessions/old.jsonl:6:46: error[G003]"),
        "{}",
        all(&refused)
    );
    put(path, "sesstool.toml", b"paths = [\"sessions\"]\nexclude = [\"scratch\"]\nbaseline = \"known.json\"\n");
    let update = sesstool(&["validate", "--update-baseline", "--quiet"]);
    assert_eq!((update.status.code(), all(&update).as_str()), (Some(0), ""));
    let first = commit("sessions, with what is known of them");
    assert!(first.status.success(), "{}", all(&first));

    // 2. a healthy session grows, and a new one comes; nobody hears of the old one
    put(path, "sessions/good.jsonl", &session(5));
    let other = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("text");
        let text = text.replace("019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18", "019cebb3-4c50-7a31-9d4e-5b0f6c2a7e19");
        text.replace("\"000000", "\"a00000").into_bytes()
    };
    put(path, "sessions/new.jsonl", &other(session(3)));
    put(path, "scratch/broken.jsonl", b"{\"type\":");
    let second = commit("more sessions");
    assert!(second.status.success() && all(&second).is_empty(), "{}", all(&second));

    // 3. the old one goes on, its damage stands further down
    let old = std::fs::read_to_string(path.join("sessions/old.jsonl")).expect("the session");
    let (header, rest) = old.split_once('\n').expect("lines");
    put(path, "sessions/old.jsonl", format!("{header}\n\n\n{rest}").as_bytes());
    let third = commit("lines above the damage");
    assert!(third.status.success(), "{}", all(&third));
    assert!(!all(&third).contains("G003"), "{}", all(&third));

    // 4. new damage is refused, is repaired, and goes in
    let mut torn = other(session(3));
    torn.truncate(torn.len() - 40);
    put(path, "sessions/new.jsonl", &torn);
    let refused = commit("a torn session");
    assert!(!refused.status.success() && all(&refused).contains("error[L001]"), "{}", all(&refused));
    assert!(!all(&refused).contains("old.jsonl"), "only what is committed is checked: {}", all(&refused));
    let repaired = sesstool(&["repair", "sessions/new.jsonl", "-o", "fixed"]);
    assert!(repaired.status.success(), "{}", all(&repaired));
    std::fs::rename(path.join("fixed"), path.join("sessions/new.jsonl")).expect("the repaired file");
    std::fs::remove_file(path.join("fixed.manifest.json")).expect("the manifest");
    let fourth = commit("repaired");
    assert!(fourth.status.success(), "{}", all(&fourth));

    // 5. the old damage is mended: it is said to be gone, and taken out of the baseline
    let repaired = sesstool(&["repair", "sessions/old.jsonl", "-o", "fixed"]);
    assert!(repaired.status.success(), "{}", all(&repaired));
    std::fs::rename(path.join("fixed"), path.join("sessions/old.jsonl")).expect("the repaired file");
    std::fs::remove_file(path.join("fixed.manifest.json")).expect("the manifest");
    let told = sesstool(&["validate"]);
    assert_eq!(told.status.code(), Some(0), "{}", all(&told));
    assert!(all(&told).contains("sessions/old.jsonl: G003"), "{}", all(&told));
    assert!(sesstool(&["validate", "--update-baseline", "--quiet"]).status.success());
    let fifth = commit("nothing is known any more");
    assert!(fifth.status.success(), "{}", all(&fifth));
    let log = git(&["log", "--oneline"]);
    assert_eq!(String::from_utf8_lossy(&log.stdout).lines().count(), 5);
    let last = sesstool(&["validate"]);
    assert!(last.status.success() && !all(&last).contains("gone"), "{}", all(&last));
}
