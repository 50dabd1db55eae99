//! Which findings count, how many are shown, and the exit status that follows.

use super::support::{Run, json, run};

const TORN: &str = "fixtures/bad/L001-truncated-last-line/in-a-string.jsonl";
const WARNING: &str = "fixtures/bad/L002-unterminated-last-line/last-line.jsonl";
const INFO: &str = "fixtures/bad/L016-blank-line/one.jsonl";
const CHILD: &str = "fixtures/bad/L005-torn-record/with-a-child+G003.jsonl";
const HEALTHY: &str = "fixtures/good/healthy/plain.jsonl";

fn validate(args: &[&str]) -> Run {
    run(&[&["validate", "--format", "json"], args].concat())
}

/// The codes of the first file's findings.
fn codes(run: &Run) -> Vec<String> {
    let document = json(run);
    let findings = document["files"][0]["findings"].as_array().expect("findings").clone();
    findings.iter().map(|finding| finding["code"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn the_exit_status_follows_the_worst_finding() {
    for (file, statuses) in [(TORN, [1, 1, 1]), (WARNING, [0, 1, 1]), (INFO, [0, 0, 1]), (HEALTHY, [0, 0, 0])] {
        for (level, status) in ["error", "warning", "info"].into_iter().zip(statuses) {
            assert_eq!(validate(&["--fail-on", level, file]).code, Some(status), "{file} --fail-on {level}");
        }
        assert_eq!(validate(&[file]).code, Some(statuses[0]), "{file}");
        assert_eq!(validate(&["--fail-on", "never", file]).code, Some(0), "{file}");
    }
    assert_eq!(validate(&["--fail-on", "never", "gone.jsonl", TORN]).code, Some(2), "not read is not clean");
}

#[test]
fn rules_are_selected_by_code_name_or_beginning() {
    for (args, expected) in [
        (&[][..], &["L005", "G003"][..]),
        (&["--select", "G"], &["G003"]),
        (&["--select", "torn-record,G00"], &["L005", "G003"]),
        (&["--ignore", "G003"], &["L005"]),
        (&["--ignore", "L,dangling-parent"], &[]),
        (&["--select", "G003", "--ignore", "G"], &["G003"]),
        (&["--select", "H", "--ignore", "L"], &[]),
    ] {
        let run = validate(&[args, &[CHILD]].concat());
        assert_eq!(codes(&run), expected, "{args:?}");
        assert_eq!(run.code, Some(i32::from(!expected.is_empty())), "{args:?}");
    }
}

#[test]
fn severities_are_changed() {
    let severities = |args: &[&str]| {
        let run = validate(&[args, &[CHILD]].concat());
        let document = json(&run);
        let findings = document["files"][0]["findings"].as_array().expect("findings").clone();
        let all = findings.iter().map(|f| format!("{}={}", f["code"], f["severity"]).replace('"', ""));
        (run.code, all.collect::<Vec<_>>().join(" "), document["files"][0]["verdict"].to_string())
    };
    let expected = |code, all: &str, verdict: &str| (Some(code), all.to_string(), format!("\"{verdict}\""));
    assert_eq!(severities(&[]), expected(1, "L005=error G003=error", "error"));
    assert_eq!(severities(&["--severity", "G003=info"]), expected(1, "L005=error G003=info", "error"));
    let both = ["--severity", "torn-record=warning,G=off"];
    assert_eq!(severities(&both), expected(0, "L005=warning", "warning"));
}

#[test]
fn unknown_rules_are_refused_with_a_suggestion() {
    for (args, hint) in [
        (["--select", "G03"], "G003"),
        (["--ignore", "dangling-parents"], "dangling-parent"),
        (["--severity", "torn-recrod=info"], "torn-record"),
    ] {
        let run = validate(&[&args[..], &[HEALTHY]].concat());
        assert!(run.code == Some(2) && run.out.is_empty() && run.err.contains(hint), "{args:?}: {}", run.err);
    }
    let run = validate(&["--severity", "G003=fatal", HEALTHY]);
    assert!(run.code == Some(2) && run.err.contains("fatal"), "{}", run.err);
}

#[test]
fn text_shows_some_findings_and_counts_the_rest() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let lines: String = (0..30).map(|n| format!("{{\"type\":\"custom\",\"customType\":\"n\",\"data\":{n}\n")).collect();
    std::fs::write(file.path(), format!("{}\n{lines}", super::support::HEADER)).expect("a file");
    let path = file.path().display().to_string();
    let shown = |args: &[&str]| run(&[&["validate", path.as_str()], args].concat()).out;
    let count = |out: &str| out.matches("error[L005]").count();
    assert_eq!(count(&shown(&[])), 20);
    assert!(shown(&[]).contains("10 more"), "{}", shown(&[]));
    assert_eq!((count(&shown(&["--max-findings", "3"])), count(&shown(&["--max-findings", "0"]))), (3, 30));
    let document = json(&run(&["validate", "--format", "json", "--max-findings", "3", &path]));
    assert_eq!(document["files"][0]["findings"].as_array().map(Vec::len), Some(30), "json lists them all");
}

#[test]
fn statistics_count_by_code() {
    let all = run(&["validate", "--statistics", CHILD, TORN, HEALTHY]);
    assert_eq!(all.code, Some(1));
    for row in ["L005", "torn-record", "G003", "L001"] {
        assert!(all.out.contains(row), "{}", all.out);
    }
    assert!(!all.out.contains("effect:"), "{}", all.out);
    let document = json(&validate(&["--statistics", CHILD, "fixtures/bad/G003-dangling-parent/unknown-id.jsonl"]));
    let rows = document["summary"]["statistics"].as_array().expect("statistics").clone();
    let row = rows.iter().find(|row| row["code"] == "G003").expect("a row");
    assert_eq!((&row["count"], &row["files"]), (&2.into(), &2.into()));
}

#[test]
fn quiet_leaves_the_exit_status() {
    for (file, status) in [(TORN, 1), (WARNING, 0), ("gone.jsonl", 2)] {
        let run = run(&["validate", "--quiet", file]);
        assert_eq!((run.code, run.out.as_str()), (Some(status), ""));
        assert_eq!(run.err.is_empty(), status < 2, "{}", run.err);
    }
}

#[test]
fn colours_are_for_those_who_want_them() {
    let has = |run: &Run| run.out.contains('\u{1b}');
    assert!(!has(&run(&["validate", TORN])), "a pipe is no terminal");
    assert!(has(&run(&["validate", "--color", "always", TORN])));
    assert!(!has(&run(&["validate", "--color", "never", TORN])));
    assert!(!has(&run(&["validate", "--color", "always", "--format", "json", TORN])), "machines want none");
}
