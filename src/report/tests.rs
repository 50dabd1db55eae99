//! What people and machines get to see, of reports made by hand.

use super::*;
use crate::rules::{Excerpt, Place, Related, Repair, Rule};
use std::ops::Range;

static DANGLING: Rule = Rule {
    code: "G003",
    name: "dangling-parent",
    severity: Severity::Error,
    also: &[],
    found: "",
    why: "",
    readers: "",
    example: "",
    repair: Repair::Assumed,
    remedy: "linked to the entry that was written just before, never to itself or its own descendants. This is not told.",
    checks: &[],
};

static CUT: Rule = Rule {
    code: "L002",
    name: "unterminated-last-line",
    severity: Severity::Warning,
    repair: Repair::Safe,
    remedy: "add the LF",
    ..DANGLING
};
static BLANK: Rule =
    Rule { code: "L016", name: "blank-line", severity: Severity::Info, repair: Repair::None, remedy: "", ..DANGLING };

const EFFECT: &str = "pi starts the branch here: all earlier context is gone without a word";

/// A finding in line 12, which begins at byte 7,000 of its file; the excerpt holds the line from `from` on.
fn finding(rule: &'static Rule, line: &[u8], span: Range<usize>, from: usize) -> Finding {
    let place = Place { line: 12, line_start: 7000, offset: 7000 + span.start as u64, length: span.len() as u64 };
    Finding {
        rule,
        severity: rule.severity,
        place: Some(place),
        entry: Some("\"e5f6a7b8\"".into()),
        message: "parent `a1b2c3d4` is not in this file".into(),
        effect: EFFECT.into(),
        repair: rule.repair,
        related: Vec::new(),
        excerpt: Some(Excerpt { bytes: line[from..].to_vec(), offset: 7000 + from as u64, more: false }),
        anchor: None,
    }
}

fn file(path: &str, findings: Vec<Finding>) -> FileReport {
    let mut report = FileReport {
        path: path.into(),
        dialect: "pi",
        version: Some(3),
        bytes: 512 << 20,
        lines: 319_161,
        entries: 319_160,
        tips: 2,
        leaf: Some("\"e5f6a7b8\"".into()),
        context: ContextCount { pi: Some(2), repaired: Some(6), ..ContextCount::default() },
        counts: BTreeMap::new(),
        totals: Totals::default(),
        findings: Vec::new(),
        notes: Vec::new(),
    };
    for finding in &findings {
        *report.counts.entry(finding.rule.code).or_default() += 1;
        match finding.severity {
            Severity::Error => report.totals.errors += 1,
            Severity::Warning => report.totals.warnings += 1,
            Severity::Info => report.totals.infos += 1,
        }
    }
    FileReport { findings, ..report }
}

fn clean_file(path: &str) -> FileReport {
    FileReport { context: ContextCount::default(), leaf: None, version: None, ..file(path, vec![]) }
}

/// The whole output, without styles.
fn written(name: &str, options: &Options, files: &[FileReport], errors: &[ReadError]) -> String {
    let mut report = (format(name).expect("a format").new)(options);
    let mut summary = Summary::new(options.statistics);
    let mut out = Vec::new();
    let memory = "memory takes everything";
    for file in files {
        summary.add(file);
        report.file(&mut out, file).expect(memory);
    }
    for error in errors {
        summary.unreadable += 1;
        report.error(&mut out, error).expect(memory);
    }
    report.end(&mut out, &summary).expect(memory);
    anstream::adapter::strip_str(std::str::from_utf8(&out).expect("reports are text")).to_string()
}

fn text(width: usize, findings: Vec<Finding>) -> String {
    written("text", &Options { width, ..Options::default() }, &[file("session.jsonl", findings)], &[])
}

const LINE: &str = r#"{"type":"message","id":"e5f6a7b8","parentId":"a1b2c3d4","timestamp":"2026-01-05T10:00:00.000Z","message":{"role":"user","content":"a question that goes on and on, as questions do"}}"#;

/// The parent's id without its quotes.
const PARENT: Range<usize> = 46..54;

fn many() -> Vec<FileReport> {
    let bad = |n: usize| {
        let mut findings: Vec<Finding> = (0..n).map(|_| finding(&BLANK, b"", 0..0, 0)).collect();
        findings.push(finding(&CUT, LINE.as_bytes(), LINE.len()..LINE.len(), 60));
        findings.push(finding(&DANGLING, LINE.as_bytes(), PARENT, 0));
        findings
    };
    vec![file("a.jsonl", bad(4)), clean_file("b.jsonl"), file("c.jsonl", bad(0))]
}

fn unreadable() -> ReadError {
    ReadError { path: "gone\x1b[2J.jsonl".into(), message: "cannot open: no such file or directory".into() }
}

#[test]
fn text_at_80_columns() {
    insta::assert_snapshot!("text_80", text(80, vec![finding(&DANGLING, LINE.as_bytes(), PARENT, 0)]));
}

#[test]
fn text_at_140_columns() {
    insta::assert_snapshot!("text_140", text(140, vec![finding(&DANGLING, LINE.as_bytes(), PARENT, 0)]));
}

#[test]
fn text_with_wide_characters() {
    let line = format!(r#"{{"name":"日本語のセッション 👍🏽 ❤️","parentId":"a1b2c3d4","text":"{}"}}"#, "長い".repeat(60));
    let at = line.find("a1b2").expect("the id");
    insta::assert_snapshot!("text_wide", text(80, vec![finding(&DANGLING, line.as_bytes(), at..at + 8, 0)]));
}

#[test]
fn text_at_the_end_of_a_line() {
    let end = LINE.len();
    insta::assert_snapshot!(
        "text_line_end",
        text(
            80,
            vec![
                finding(&CUT, LINE.as_bytes(), end..end, 40),
                finding(&CUT, LINE.as_bytes(), end - 2..end + 1, 0),
                finding(&CUT, b"", 0..0, 0),
            ]
        )
    );
}

#[test]
fn text_with_hostile_bytes() {
    let line = b"{\"id\":\"\x1b]0;owned\x07\xff\xc3\xe2\x80\xae\",\r\"parentId\":\"a1b2c3d4\"}\x00\x00";
    let at = 33;
    let mut hostile = finding(&DANGLING, line, at..at + 8, 0);
    hostile.message = "parent `\u{1b}[2J\u{202e}\u{200b}\n\u{9b}` is not in this file".into();
    hostile.effect = "\u{1b}[31mred\u{7}".into();
    hostile.related = vec![Related { place: hostile.place.clone().expect("a place"), message: "\rhere".into() }];
    let mut report = file("evil\x1b[2J\u{202e}.jsonl", vec![hostile]);
    report.notes = vec!["changed \x1b[1m while it was read".into()];
    report.context.pi = None;
    report.context.pi_says = Some("refuses it: \x07".into());
    let shown = written("text", &Options { width: 80, ..Options::default() }, std::slice::from_ref(&report), &[]);
    assert!(shown.chars().all(|c| c == '\n' || !clean::is_unsafe(c)));
    insta::assert_snapshot!("text_hostile", shown);
    insta::assert_snapshot!("concise_hostile", written("concise", &Options::default(), &[report], &[unreadable()]));
}

#[test]
fn text_names_related_places() {
    let mut looped = finding(&DANGLING, LINE.as_bytes(), PARENT, 0);
    let related = |line: u64| Related {
        place: Place { line, line_start: 100 * line, offset: 100 * line + 7, length: 8 },
        message: format!("member {line} of the loop"),
    };
    looped.related = (1..=12).map(related).collect();
    insta::assert_snapshot!("text_related", text(80, vec![looped]));
}

#[test]
fn text_about_a_whole_file() {
    let mut whole = finding(&DANGLING, b"", 0..0, 0);
    (whole.place, whole.excerpt) = (None, None);
    let info = Finding { rule: &BLANK, severity: Severity::Info, repair: Repair::None, ..whole.clone() };
    insta::assert_snapshot!("text_whole_file", text(80, vec![info, whole]));
}

#[test]
fn text_of_many_files() {
    let options = Options { width: 80, max_findings: 3, ..Options::default() };
    insta::assert_snapshot!("text_many", written("text", &options, &many(), &[unreadable()]));
    insta::assert_snapshot!("text_clean", written("text", &options, &[clean_file("b.jsonl")], &[]));
}

#[test]
fn text_without_limit_shows_every_finding() {
    let shown = written("text", &Options { max_findings: 0, ..Options::default() }, &many(), &[]);
    assert_eq!(shown.matches("[L016]").count(), 4);
    assert!(!shown.contains("not shown"));
}

#[test]
fn statistics() {
    let options = Options { width: 80, statistics: true, ..Options::default() };
    insta::assert_snapshot!("text_statistics", written("text", &options, &many(), &[]));
    insta::assert_snapshot!("concise_statistics", written("concise", &options, &many(), &[]));
    let document: serde_json::Value =
        serde_json::from_str(&written("json", &options, &many(), &[])).expect("a JSON document");
    insta::assert_snapshot!("json_statistics", document["summary"]);
}

#[test]
fn concise() {
    let mut files = many();
    files[2].findings[0].place = None;
    insta::assert_snapshot!("concise", written("concise", &Options::default(), &files, &[unreadable()]));
}

#[test]
fn json() {
    let mut files = many();
    files.remove(0);
    let whole = &mut files[1].findings[0];
    (whole.place, whole.entry) = (None, None);
    let related = Place { line: 1, line_start: 0, offset: 7, length: 8 };
    files[1].findings[1].related = vec![Related { place: related, message: "here".into() }];
    insta::assert_snapshot!("json", written("json", &Options::default(), &files, &[unreadable()]));
    insta::assert_snapshot!("json_of_nothing", written("json", &Options::default(), &[], &[]));
}

#[test]
fn json_is_valid_and_harmless_whatever_it_says() {
    let mut odd = finding(&DANGLING, b"", 0..0, 0);
    odd.message = "\u{1b}[2J \u{9b} \u{202e} \u{e0041} \" \\ \n \u{2028} \0".into();
    let message = odd.message.clone();
    let entries = [r#""\ud800 \u001b""#, "{\"a\":\r\n[1e999]}", "not JSON", "\"\u{9b}\"", ""];
    let findings = entries.map(|entry| Finding { entry: Some(entry.into()), ..odd.clone() });
    let shown = written("json", &Options::default(), &[file("\x1b.jsonl", findings.into())], &[unreadable()]);
    assert!(shown.chars().all(|c| matches!(c, '\n' | '\r') || !clean::is_unsafe(c)), "{shown:?}");
    assert!(shown.contains(r#""entry":"\ud800 \u001b""#), "JSON text stands as it was");
    assert!(shown.contains("[1e999]") && shown.contains(r#""entry":"not JSON""#) && shown.contains(r#""entry":"","#));
    let readable = shown.replace(r"\ud800", "").replace("1e999", "1");
    let document: serde_json::Value = serde_json::from_str(&readable).expect("a JSON document");
    assert_eq!(document["files"][0]["findings"][0]["message"], message.as_str());
    assert_eq!(document["files"][0]["findings"][3]["entry"], "\u{9b}");
    assert_eq!(document["errors"][0]["path"], unreadable().path.as_str());
}

#[test]
fn formats_have_names_of_their_own() {
    let mut names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FORMATS.len());
}
