//! The names of the fixtures are expectations (`fixtures/README.md`).

use super::support::{Fixture, codes, fixtures, loud_codes, written};

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
    let one = run(&["validate", "--format", "json", "--threads", "1", "fixtures/bad", "fixtures/good"]);
    let many = run(&["validate", "--format", "json", "--threads", "7", "fixtures/bad", "fixtures/good"]);
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
