//! sesstool.toml: found from the folder upward, over what goes without saying, under the command line.

use super::support::{self, HEADER, Run, lines, message, sesstool};
use std::path::Path;

fn run_in(folder: &Path, args: &[&str]) -> Run {
    support::finish(sesstool(args).current_dir(folder))
}

/// A project: two folders of sessions with a lost parent (G003) and a blank line (L016) in each.
fn project(settings: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let session = lines(&[HEADER.to_string(), message("00000001", "lost", "x"), String::new()]);
    for name in ["sessions/a", "sessions/tmp/b", "archive/c"] {
        let path = folder.path().join(format!("{name}.jsonl"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, &session).expect("a session");
    }
    std::fs::write(folder.path().join("sesstool.toml"), settings).expect("settings");
    folder
}

/// `file: severity[code]` of each finding.
fn found(run: &Run) -> Vec<String> {
    let line = |line: &str| {
        let (path, rest) = line.split_once(':')?;
        let finding = rest.split(' ').find(|word| word.contains('['))?;
        Some(format!("{path}: {finding}"))
    };
    run.out.lines().filter_map(line).collect()
}

fn validate(folder: &Path, args: &[&str]) -> Run {
    run_in(folder, &[&["validate", "--format", "concise"], args].concat())
}

const SETTINGS: &str = "\
paths = [\"sessions\", \"archive\"]
exclude = [\"tmp\"]
fail-on = \"warning\"
ignore = [\"L016\"]

[severity]
dangling-parent = \"warning\"

[[override]]
paths = [\"archive/**\"]
severity = { G003 = \"info\", L016 = \"info\" }
";

#[test]
fn settings_are_found_upward_and_count_from_their_folder() {
    let folder = project(SETTINGS);
    let expected = [
        "sessions/a.jsonl: warning[G003]",
        "archive/c.jsonl: info[G003]",
        "archive/c.jsonl: info[L016]",
        "archive/c.jsonl: info[S003]",
    ];
    let run = validate(folder.path(), &[]);
    assert_eq!((found(&run), run.code, run.err.as_str()), (expected.map(String::from).to_vec(), Some(1), ""));
    let inside = validate(&folder.path().join("sessions/tmp"), &[]);
    let expected = expected.map(|line| format!("../../{line}"));
    assert_eq!((found(&inside), inside.code), (expected.to_vec(), Some(1)));
    let named = folder.path().join("sesstool.toml");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let run = validate(elsewhere.path(), &["--config", named.to_str().expect("text")]);
    assert_eq!((found(&run).len(), run.code), (4, Some(1)), "{}", run.err);
    let without = validate(folder.path(), &["--no-config", "archive"]);
    assert_eq!(found(&without), ["archive/c.jsonl: error[G003]", "archive/c.jsonl: info[L016]"]);
}

#[test]
fn the_command_line_goes_before_the_settings() {
    let folder = project(SETTINGS);
    let path = folder.path();
    for (args, expected, code) in [
        (&["sessions/a.jsonl"][..], &["sessions/a.jsonl: warning[G003]"][..], 1),
        (&["sessions/a.jsonl", "--fail-on", "error"], &["sessions/a.jsonl: warning[G003]"], 0),
        (&["archive", "--severity", "G003=error"], &["archive/c.jsonl: error[G003]", "archive/c.jsonl: info[L016]"], 1),
        (&["archive", "--ignore", "L016"], &["archive/c.jsonl: info[G003]"], 0),
        (&["sessions/a.jsonl", "--select", "L016"], &["sessions/a.jsonl: info[L016]"], 0),
        // excluded in folders, unless it is named
        (&["sessions/tmp/b.jsonl"], &["sessions/tmp/b.jsonl: warning[G003]"], 1),
        (&["sessions/tmp/b.jsonl", "--force-exclude"], &[], 0),
        (&["sessions", "archive", "--exclude", "archive/*.jsonl"], &["sessions/a.jsonl: warning[G003]"], 1),
    ] {
        let run = validate(path, args);
        assert_eq!(found(&run), expected, "{args:?}");
        assert_eq!(run.code, Some(code), "{args:?}: {}", run.err);
    }
    let run = validate(path, &["archive", "--exclude", "archive/*.jsonl"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "no *.jsonl file below archive but what is excluded\n"));
}

#[test]
fn a_baseline_of_the_settings_counts_from_their_folder() {
    let folder = project("paths = [\"sessions\"]\nbaseline = \"known.json\"\n");
    let inside = folder.path().join("sessions/tmp");
    assert_eq!(validate(&inside, &[]).code, Some(2), "it is not there yet");
    let update = validate(&inside, &["--update-baseline", "--quiet"]);
    assert_eq!((update.code, update.err.as_str()), (Some(0), ""));
    assert!(folder.path().join("known.json").is_file());
    for place in [folder.path(), &inside] {
        let run = validate(place, &[]);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    }
}

#[test]
fn what_has_no_meaning_ends_the_job_before_it_begins() {
    let folder = project("fail_on = \"error\"\n");
    for args in [&["validate", "sessions"][..], &["config", "show"]] {
        let run = run_in(folder.path(), args);
        let expected = "error: sesstool.toml:1:1: unknown key 'fail_on'; did you mean 'fail-on'?\n";
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(2), "", expected));
    }
    let run = run_in(folder.path(), &["validate", "sessions", "--config", "none.toml"]);
    assert_eq!(run.err, "error: cannot read the settings 'none.toml': no such file or directory\n");
    assert_eq!(run_in(folder.path(), &["validate", "sessions", "--no-config"]).code, Some(1));
    let others = project("\u{feff}paths = 1");
    assert_eq!(run_in(others.path(), &["validate"]).code, Some(2));
}

#[test]
fn the_settings_in_force_are_shown_with_their_origin() {
    let folder = project(&format!("baseline = \"known.json\"\n{SETTINGS}"));
    let run = run_in(&folder.path().join("sessions"), &["config", "show", "--reader", "pi", "--exclude", "x"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    insta::assert_snapshot!("config_show", run.out);
    let bare = tempfile::tempdir().expect("a folder");
    let run = run_in(bare.path(), &["config", "show"]);
    insta::assert_snapshot!("config_show_defaults", run.out);
    let json = support::json(&run_in(folder.path(), &["config", "show", "--format", "json"]));
    assert_eq!((&json["schema"], &json["file"]), (&"sesstool.config/1".into(), &"sesstool.toml".into()));
    let values = json["values"].as_array().expect("values");
    let fail_on = values.iter().find(|row| row["key"] == "fail-on").expect("fail-on");
    assert_eq!((&fail_on["value"], &fail_on["from"]), (&"warning".into(), &"sesstool.toml:4".into()));
}

/// What the program takes, the schema takes; what the schema refuses, the program refuses.
#[test]
fn settings_that_are_not_read_are_not_said_to_be_missing() {
    let folder = project(SETTINGS);
    let run = run_in(folder.path(), &["config", "show", "--no-config"]);
    assert!(run.out.starts_with("sesstool.toml is not read (--no-config)\n"), "{}", run.out);
}

#[test]
fn the_schema_is_that_of_the_program() {
    let printed = support::run(&["config", "schema"]).out;
    let page = std::fs::read_to_string(support::root().join("docs/sesstool.schema.json")).expect("the schema");
    assert_eq!(printed, page);
    let schema = jsonschema::validator_for(&serde_json::from_str(&page).expect("JSON")).expect("a schema");
    for (settings, is_valid) in [
        ("", true),
        (SETTINGS, true),
        ("fail_on = \"error\"", false),
        ("fail-on = \"fatal\"", false),
        ("paths = \"sessions\"", false),
        ("[severity]\nL016 = \"fatal\"", false),
        ("[[override]]\nignore = []", false),
        ("reader = \"agent-core\"", true),
    ] {
        let document: toml::Table = settings.parse().expect("TOML");
        let document = serde_json::to_value(document).expect("JSON");
        assert_eq!(schema.is_valid(&document), is_valid, "{settings}");
        let code = run_in(project(settings).path(), &["config", "show"]).code;
        assert_eq!(code, Some(if is_valid { 0 } else { 2 }), "{settings}");
    }
}

#[test]
fn the_settings_of_the_readme_are_taken() {
    let page = std::fs::read_to_string(support::root().join("README.md")).expect("README.md");
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 1);
    let run = run_in(project(blocks[0]).path(), &["config", "show"]);
    assert!(run.code == Some(0) && run.out.contains("sesstool.toml:12"), "{}{}", run.out, run.err);
}
