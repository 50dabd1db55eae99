//! The names of the fixtures are expectations (`fixtures/README.md`).

use super::support::{Fixture, codes, fixtures, loud_codes, stores, written};
use sesstool::rules::Severity;

#[test]
fn bad_sessions_report_what_their_folder_says() {
    for fixture in fixtures("bad") {
        let report = fixture.report();
        let code = fixture.code().unwrap_or_else(|| panic!("{}: not in a folder <CODE>-<name>", fixture.name));
        let found = codes(&report);
        let mut expected = fixture.further_codes();
        expected.push(code);
        for code in &expected {
            assert!(found.contains(code), "{}: no {code} in {found:?}", fixture.name);
        }
        for code in loud_codes(&report) {
            assert!(expected.contains(&code), "{}: unexpected {code}\n{}", fixture.name, written(&report, "concise"));
        }
    }
}

#[test]
fn good_sessions_report_nothing_to_worry_about() {
    for fixture in fixtures("good") {
        let report = fixture.report();
        let found = codes(&report);
        assert!(loud_codes(&report).is_empty(), "{}\n{}", fixture.name, written(&report, "concise"));
        if let Some(code) = fixture.code() {
            assert!(!found.contains(code), "{}: {code} is what it only looks like", fixture.name);
        }
    }
}

#[test]
fn bad_stores_report_what_their_folder_says() {
    for store in stores("bad") {
        let (found, written) = store.check();
        assert!(found.iter().any(|(code, _)| *code == store.code()), "{}: no {}\n{written}", store.name, store.code());
        for (code, severity) in found {
            let expected = severity == Severity::Info || code == store.code();
            assert!(expected, "{}: unexpected {code}\n{written}", store.name);
        }
    }
}

#[test]
fn good_stores_report_nothing_to_worry_about() {
    for store in stores("good") {
        let (found, written) = store.check();
        let fine = found.iter().all(|(code, severity)| *severity == Severity::Info && *code != store.code());
        let is_copy = store.code() == "S003" && found.iter().all(|(_, severity)| *severity == Severity::Info);
        assert!(fine || is_copy, "{}\n{written}", store.name);
    }
}

/// What is found between files, and in which words.
#[test]
fn store_findings() {
    let shown: Vec<String> = stores("bad").iter().map(|store| store.check().1).collect();
    insta::assert_snapshot!(shown.concat().replace("fixtures/bad/", ""));
}

/// Where everything is found, and in which words.
#[test]
fn findings() {
    let shown: Vec<String> = fixtures("bad").iter().map(|fixture| written(&fixture.report(), "concise")).collect();
    insta::assert_snapshot!(shown.concat().replace("fixtures/bad/", ""));
}

/// The program says what the library says, whatever the number of threads.
#[cfg(feature = "cli")]
#[test]
fn the_program_says_the_same() {
    use super::support::{json, run};
    let all: Vec<Fixture> = fixtures("bad").into_iter().chain(fixtures("good")).collect();
    let names: Vec<&str> = all.iter().map(|fixture| fixture.name.as_str()).collect();
    let list = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(list.path(), names.join("\n")).expect("a list");
    let list = list.path().to_str().expect("a path");
    let one = run(&["validate", "--format", "json", "--ignore", "S", "--threads", "1", "--files-from", list]);
    let many = run(&["validate", "--format", "json", "--ignore", "S", "--threads", "7", "--files-from", list]);
    assert_eq!((one.code, &one.out), (many.code, &many.out));
    let document = json(&one);
    let files = document["files"].as_array().expect("files");
    assert_eq!((one.code, files.len()), (Some(1), all.len()));
    for (file, fixture) in files.iter().zip(&all) {
        assert_eq!(file["path"], fixture.name.as_str());
        let report = fixture.report();
        assert_eq!(file["verdict"], report.verdict(), "{}", fixture.name);
        assert_eq!(file["counts"], serde_json::to_value(&report.counts).expect("counts"), "{}", fixture.name);
    }
}
