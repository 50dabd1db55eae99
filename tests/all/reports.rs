//! Reports for CI: each is what its consumers expect, goes where it is sent, and takes the place of
//! nothing but an older one.

use super::support::{self, Fixture, HEADER, Run, fixtures, lines, message, run, sesstool};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const TORN: &str = "fixtures/bad/L001-truncated-last-line/in-a-string.jsonl";
const HEALTHY: &str = "fixtures/good/healthy/plain.jsonl";

/// Every fixture checked in one run.
fn of_all(format: &str) -> String {
    let run = run(&["validate", "fixtures/bad", "fixtures/good", "gone.jsonl", "--format", format]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    run.out
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    folder
}

/// `validate` in a folder.
fn validate_in(folder: &Path, args: &[&str]) -> Run {
    support::finish(sesstool(&[&["validate"], args].concat()).current_dir(folder).env_remove("GITHUB_STEP_SUMMARY"))
}

/// A session with `n` torn lines.
fn torn(n: usize) -> Vec<u8> {
    let mut all = vec![HEADER.to_string()];
    all.extend((0..n).map(|n| format!("{{\"type\":\"custom\",\"customType\":\"n\",\"data\":{n}")));
    lines(&all)
}

fn schema() -> jsonschema::Validator {
    let path = support::root().join("tests/data/sarif-schema-2.1.0.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    // one pattern has a bracket too many; errata 01 of the standard corrects it
    let text = text.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    jsonschema::validator_for(&parsed(&text)).expect("a schema")
}

#[test]
fn sarif_is_valid_by_the_published_schema() {
    let schema = schema();
    let document = parsed(&of_all("sarif"));
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let mut broken = document.clone();
    broken["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!schema.is_valid(&broken), "the schema judges");
    let empty = run(&["validate", HEALTHY, "--format", "sarif"]);
    assert!(schema.is_valid(&parsed(&empty.out)) && empty.code == Some(0));

    let run = &document["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), sesstool::rules::RULES.len());
    let results = run["results"].as_array().expect("results");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string());
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64());
    }
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(
        run["invocations"][0]["toolExecutionNotifications"]
            .as_array()
            .map(|n| n.iter().filter(|n| n["level"] == "error").count()),
        Some(1)
    );
}

/// The region's bytes are the place, and its characters are the same place.
#[test]
fn sarif_regions_count_bytes_and_characters() {
    let bytes = lines(&[HEADER.to_string(), message("1f4a90c2", "", "é日👍").replace("}}\n", "}}"), {
        message("27b3d5e8", "nowhere", "x").replace(r#""type":"message","#, r#""type":"message","note":"é日👍","#)
    }]);
    let folder = folder(&[("a.jsonl", &bytes)]);
    let document = parsed(&validate_in(folder.path(), &["a.jsonl", "--select", "G003", "--format", "sarif"]).out);
    let region = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let at = region["byteOffset"].as_u64().expect("an offset") as usize;
    let length = region["byteLength"].as_u64().expect("a length") as usize;
    assert_eq!(&bytes[at..at + length], b"\"nowhere\"");
    let line = std::str::from_utf8(&bytes).expect("text").lines().nth(2).expect("the line");
    let units: Vec<u16> = line.encode_utf16().collect();
    let column = |name: &str| region[name].as_u64().expect("a column") as usize - 1;
    let shown = String::from_utf16(&units[column("startColumn")..column("endColumn")]).expect("text");
    assert_eq!(shown, "\"nowhere\"");
}

/// Fingerprints of every finding but those about what was inserted.
fn fingerprints(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let options = sesstool::check::Options { anchors: true, ..Default::default() };
    let source = sesstool::source::Source::bytes(bytes.to_vec());
    let report = sesstool::check::source_report(&source, "session", None, &options).expect("a report");
    let of = |f: &sesstool::rules::Finding| (f.rule.code, f.anchor.as_ref().expect("an anchor").fingerprint.clone());
    report.findings.iter().filter(|f| f.rule.code != "L016").map(of).collect()
}

/// Blank lines change nothing for anybody, and move everything below them.
#[test]
fn fingerprints_are_stable_under_insertion_of_lines_above() {
    let mut compared = 0;
    for Fixture { name, bytes, .. } in fixtures("bad") {
        let Some(end) = bytes.iter().position(|b| *b == b'\n').filter(|_| !bytes.starts_with(b"\n")) else { continue };
        let (first, rest) = bytes.split_at(end + 1);
        let moved = [first, b"\n\n\n", rest].concat();
        let (before, after) = (fingerprints(&bytes), fingerprints(&moved));
        if before.len() == after.len() {
            assert_eq!(before, after, "{name}");
            compared += before.len();
        }
        let unique: BTreeSet<_> = before.iter().collect();
        assert_eq!(unique.len(), before.len(), "{name}: two findings with one fingerprint");
    }
    assert!(compared > 100, "only {compared} findings compared");
}

#[test]
fn github_keeps_ten_annotations_of_a_kind() {
    let folder = folder(&[("a.jsonl", &torn(30))]);
    let run = validate_in(folder.path(), &["a.jsonl", "--format", "github"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let commands = |kind: &str| run.out.lines().filter(|line| line.starts_with(&format!("::{kind} "))).count();
    assert_eq!((commands("error"), commands("warning"), commands("notice")), (10, 0, 0), "{}", run.out);
    assert!(run.out.contains("::group::20 findings beside the annotations\n"), "{}", run.out);
    let logged = run.out.lines().filter(|line| line.starts_with("a.jsonl:") && line.contains("error[L005]")).count();
    assert_eq!(logged, 20, "{}", run.out);
    assert!(run.out.ends_with("::endgroup::\nsesstool: 1 file; 30 errors\n"), "{}", run.out);
}

#[test]
fn github_puts_the_rest_into_the_summary_of_the_job() {
    let folder = folder(&[("a|b.jsonl", &torn(30)), ("summary.md", b"# Before\n")]);
    let summary = folder.path().join("summary.md");
    let mut command = sesstool(&["validate", "a|b.jsonl", "--format", "github"]);
    let run = support::finish(command.current_dir(folder.path()).env("GITHUB_STEP_SUMMARY", &summary));
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert!(!run.out.contains("::group::"), "{}", run.out);
    let page = std::fs::read_to_string(&summary).expect("the summary");
    assert!(page.starts_with("# Before\n### sesstool\n\n1 file; 30 errors\n"), "{page}");
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| error |")).collect();
    assert_eq!(rows.len(), 20, "{page}");
    assert!(rows.iter().all(|row| row.matches('|').count() == 6 && row.contains("a&#124;b.jsonl")), "{page}");
    // other formats leave it alone
    let mut command = sesstool(&["validate", "a|b.jsonl", "--format", "concise"]);
    support::finish(command.current_dir(folder.path()).env("GITHUB_STEP_SUMMARY", &summary));
    assert_eq!(std::fs::read_to_string(&summary).expect("the summary"), page);
    // and what is being checked is no page
    let session = folder.path().join("a|b.jsonl");
    let mut command = sesstool(&["validate", "a|b.jsonl", "--format", "github"]);
    let run = support::finish(command.current_dir(folder.path()).env("GITHUB_STEP_SUMMARY", &session));
    assert_eq!(run.code, Some(2), "{}", run.out);
    assert_eq!(std::fs::read(&session).expect("the session"), torn(30));
}

#[test]
fn nothing_in_a_session_is_a_command() {
    let id = r"\u000a::add-mask::x ##[add-path]y";
    let bytes = lines(&[HEADER.to_string(), message("1f4a90c2", id, "x"), "::error::no JSON".into()]);
    let folder = folder(&[("::stop-commands::x.jsonl", &bytes)]);
    let run = validate_in(folder.path(), &["::stop-commands::x.jsonl", "--format", "github"]);
    for line in run.out.lines().map(str::trim_start) {
        let own = ["::error title=", "::warning title=", "::notice title=", "::group::", "::endgroup::"];
        assert!(!line.starts_with("::") || own.iter().any(|own| line.starts_with(own)), "{line}");
        assert!(line.starts_with("::") || !line.contains("##["), "{line}");
    }
}

#[test]
fn junit_has_a_case_a_file() {
    let text = of_all("junit");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let json = parsed(&of_all("json"));
    let files = json["files"].as_array().map_or(0, Vec::len);
    // and one that cannot be read, and one for what is between them
    assert_eq!(cases.len(), files + 2);
    let with = |tag: &str| cases.iter().filter(|case| case.children().any(|child| child.has_tag_name(tag))).count();
    let errors = json["files"].as_array().map(|files| files.iter().filter(|file| file["verdict"] == "error").count());
    assert_eq!((Some(with("failure")), with("error")), (errors, 1));
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
    assert_eq!(suite.attribute("failures"), Some(with("failure").to_string().as_str()));
    // a warning fails where the exit status would say so
    let warning = "fixtures/bad/L002-unterminated-last-line/last-line.jsonl";
    for (level, fails) in [("error", false), ("warning", true)] {
        let run = run(&["validate", warning, "--format", "junit", "--fail-on", level]);
        assert_eq!((run.out.contains("<failure"), run.code), (fails, Some(i32::from(fails))), "{}", run.out);
        assert!(run.out.contains("warning[L002] unterminated-last-line"), "{}", run.out);
    }
}

#[test]
fn gitlab_has_what_it_asks_for() {
    let document = parsed(&of_all("gitlab"));
    let issues = document.as_array().expect("an array");
    let mut fingerprints = BTreeSet::new();
    for issue in issues {
        for name in ["description", "check_name", "fingerprint"] {
            assert!(issue[name].as_str().is_some_and(|text| !text.is_empty()), "{issue}");
        }
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&issue["severity"].as_str().unwrap_or("")));
        assert!(issue["location"]["path"].as_str().is_some_and(|path| path.starts_with("fixtures/")), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64().is_some_and(|line| line > 0), "{issue}");
        assert!(fingerprints.insert(issue["fingerprint"].to_string()), "twice: {issue}");
    }
    let json = parsed(&of_all("json"));
    let number = |place: &Value| place["findings"].as_array().map_or(0, Vec::len);
    let all = json["files"].as_array().expect("files").iter().chain([&json["store"]]).map(number).sum::<usize>();
    assert_eq!(issues.len(), all);
    assert_eq!(run(&["validate", HEALTHY, "--format", "gitlab"]).out, "[\n]\n");
}

/// Whoever reads one line of a finding between files learns of the others.
#[test]
fn findings_between_files_name_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(lines(&[HEADER.to_string(), message("00000000", "", "x")])).expect("text");
    for n in 0..8 {
        let file = folder.path().join(format!("f{n}.jsonl"));
        std::fs::write(file, text.replace("00000000", &format!("0000000{n}"))).expect("a session");
    }
    for name in ["concise", "github", "gitlab", "junit", "sarif"] {
        let run = validate_in(folder.path(), &["f0.jsonl", "f1.jsonl", "f2.jsonl", "--format", name]);
        let line = run.out.lines().find(|line| line.contains("files have the session id"));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", run.out));
        assert!(line.contains("also: f1.jsonl, f2.jsonl"), "{name}: {line}");
    }
    let all = validate_in(folder.path(), &[".", "--format", "concise"]);
    assert!(all.out.contains("f5.jsonl and 2 more"), "{}", all.out);
    let sarif = parsed(&validate_in(folder.path(), &[".", "--format", "sarif"]).out);
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let clash = results.iter().find(|result| result["ruleId"] == "S001").expect("S001");
    let uri = |location: &Value| location["physicalLocation"]["artifactLocation"]["uri"].clone();
    let related: Vec<Value> = clash["relatedLocations"].as_array().expect("the others").iter().map(uri).collect();
    assert_eq!((related.len(), &related[6]), (7, &"f7.jsonl".into()));
}

/// On a narrow terminal nothing but a path is wider than it.
#[test]
fn text_keeps_to_the_width() {
    let options = sesstool::report::Options { width: 80, ..Default::default() };
    let format = sesstool::report::format("text").expect("a format");
    for fixture in fixtures("bad") {
        let mut text = Vec::new();
        (format.new)(&options).file(&mut text, &fixture.report()).expect("memory takes everything");
        let text = anstream::adapter::strip_bytes(&text).into_vec();
        let text = String::from_utf8(text).expect("text");
        for line in text.lines().filter(|line| !line.contains("--> ")) {
            let line = line.replace(&fixture.name, "");
            assert!(line.chars().count() <= 80, "{}: {line}", fixture.name);
        }
        for line in text.lines().filter(|line| line.starts_with("info[")) {
            assert!(line.chars().count() <= 80, "{}: {line}", fixture.name);
        }
    }
}

#[test]
fn a_dash_is_standard_output_and_nothing_is_no_file() {
    let folder = folder(&[("a.jsonl", &torn(1))]);
    for args in [&["--format", "json=-"][..], &["--format", "json", "--output-file", "-"]] {
        let run = validate_in(folder.path(), &[&["a.jsonl"], args].concat());
        assert!(run.code == Some(1) && run.out.starts_with('{'), "{args:?}: {}", run.err);
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no file is made");
    let run = validate_in(folder.path(), &["a.jsonl", "--format", "sarif="]);
    assert!(run.code == Some(2) && run.err.contains("no file is named after 'sarif='"), "{}", run.err);
}

/// More threads than there is work for are not started.
#[test]
fn many_threads_do_no_harm() {
    let folder = folder(&[("a.jsonl", &torn(1))]);
    assert_eq!(validate_in(folder.path(), &["a.jsonl", "--threads", "1000000"]).code, Some(1));
}

#[test]
fn several_formats_go_where_they_are_sent() {
    let folder = folder(&[("a.jsonl", &torn(1))]);
    let args = ["a.jsonl", "--format", "concise", "--format", "sarif=out.sarif", "--format", "junit=out.xml"];
    let first = validate_in(folder.path(), &args);
    assert_eq!((first.code, first.err.as_str()), (Some(1), ""));
    assert!(first.out.starts_with("a.jsonl:2:1: error[L005]"), "{}", first.out);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert!(schema().is_valid(&parsed(&read("out.sarif"))));
    assert!(roxmltree::Document::parse(&read("out.xml")).is_ok());
    // the next run takes their place, and is no other for being quiet
    std::fs::write(folder.path().join("a.jsonl"), torn(2)).expect("a session");
    let second = validate_in(folder.path(), &[&args[..], &["--quiet"]].concat());
    assert_eq!((second.code, second.out.as_str()), (Some(1), ""));
    assert_eq!(parsed(&read("out.sarif"))["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    // one format with a file needs no other
    let only = validate_in(folder.path(), &["a.jsonl", "--format", "json", "--output-file", "out.json"]);
    assert_eq!((only.code, only.out.as_str()), (Some(1), ""));
    assert_eq!(parsed(&read("out.json"))["summary"]["errors"], 2);
    let text = validate_in(folder.path(), &["a.jsonl", "--color", "always", "--output-file", "out.txt"]);
    assert!(text.code == Some(1) && !read("out.txt").contains('\u{1b}') && read("out.txt").contains("error[L005]"));
}

#[test]
fn targets_that_cannot_be_meant_are_refused() {
    for (args, hint) in [
        (&["--format", "text", "--format", "json"][..], "text and json cannot both go to standard output"),
        (&["--format", "json=a", "--output-file", "b"], "is for a --format without a file"),
        (&["--format", "json=a", "--format", "sarif=./a"], "two formats go to one file"),
        (&["--format", "jsn=a"], "'jsn'"),
        (&["--format", "json="], "no file is named after"),
        (&["--format", "json=no/such/folder/a"], "cannot write to the folder"),
    ] {
        let folder = folder(&[("a.jsonl", &torn(1))]);
        let run = validate_in(folder.path(), &[&["a.jsonl"], args].concat());
        assert!(run.code == Some(2) && run.out.is_empty() && run.err.contains(hint), "{args:?}\n{}", run.err);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "{args:?}");
    }
}

/// The promise that no session is written to, against every format and every way to name one.
#[test]
fn no_session_is_ever_replaced_by_a_report() {
    for format in sesstool::report::FORMATS {
        let folder = folder(&[("input", &torn(1)), ("other", &torn(2)), ("notes.txt", b"my notes\n")]);
        let at = |name: &str| folder.path().join(name);
        std::fs::hard_link(at("input"), at("linked")).expect("a link");
        let files = ["input", "./input", "linked", "other", "notes.txt", "new.jsonl", "other.manifest.json"];
        for file in files {
            let run = validate_in(folder.path(), &["input", "--format", &format!("{}={file}", format.name)]);
            assert!(
                run.code == Some(2) && run.err.contains("name another file"),
                "{} {file}: {}",
                format.name,
                run.err
            );
        }
        assert_eq!(std::fs::read(at("input")).expect("the input"), torn(1));
        assert_eq!(std::fs::read(at("other")).expect("a session"), torn(2));
        assert_eq!(std::fs::read(at("notes.txt")).expect("notes"), b"my notes\n");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 4, "nothing else is there");
    }
}

/// Each format knows its own reports, and takes no session for one.
#[test]
fn a_report_is_known_by_its_beginning() {
    let head = |bytes: &[u8]| bytes[..bytes.len().min(4096)].to_vec();
    for format in sesstool::report::FORMATS {
        for paths in [&["fixtures/bad", "fixtures/good"][..], &[HEALTHY], &[TORN], &["gone.jsonl"]] {
            for more in [&[][..], &["--statistics"]] {
                let run = run(&[&["validate", "--format", format.name], more, paths].concat());
                let head = head(run.out.as_bytes());
                assert!(head.is_empty() || (format.is_own)(&head), "{} {paths:?}: {}", format.name, run.out);
            }
        }
        for fixture in fixtures("bad").into_iter().chain(fixtures("good")).filter(|f| !f.bytes.is_empty()) {
            assert!(!(format.is_own)(&head(&fixture.bytes)), "{}: {}", format.name, fixture.name);
        }
    }
}

/// Nobody reads standard output any more, and the file is written all the same.
#[cfg(unix)]
#[test]
fn a_closed_pipe_leaves_the_files() {
    use std::process::{Command, Stdio};
    let folder = folder(&[]);
    let out: PathBuf = folder.path().join("out.json");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sesstool"))
        .current_dir(support::root())
        .args(["validate", "fixtures/bad", "--format", "text", "--format", &format!("json={}", out.display())])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a run");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("an end").code(), Some(1));
    let document = parsed(&std::fs::read_to_string(out).expect("the report"));
    let whole = parsed(&run(&["validate", "fixtures/bad", "--format", "json"]).out);
    assert_eq!(document["files"].as_array().map(Vec::len), whole["files"].as_array().map(Vec::len));
}
