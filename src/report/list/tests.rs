use super::*;
use crate::rules::Severity;

fn row(path: &str, id: &str, first: &str, project: &str) -> Row {
    Row {
        path: path.to_string(),
        id: Some(id.to_string()),
        first: first.to_string(),
        project: Some(project.to_string()),
        created: Some(1_773_480_410_000),
        modified: Some(1_773_480_465_000),
        version: Some(3),
        dialect: "pi",
        bytes: 2345,
        entries: 8,
        messages: 6,
        pi_messages: 6,
        branches: 1,
        ..Row::default()
    }
}

/// Sessions that tempt each column.
fn list() -> List {
    let mut found = Totals::default();
    found.count(Severity::Error, 2);
    found.count(Severity::Info, 1);
    List {
        rows: vec![
            Row {
                name: Some("Empty input".into()),
                ..row("a.jsonl", "019cebb3-4c50-7a31", "Why does it fail?", "/home/me/app")
            },
            Row {
                totals: found,
                counts: [("L005", 2), ("L016", 1)].into(),
                hidden: Some("its first record (line 1) is no session header".into()),
                messages: 12_345,
                bytes: 5 << 30,
                ..row(
                    "b.jsonl",
                    "019cebb3-4c51-7a31",
                    "A \x1b[31mred\x1b[0m\nherring, 日本語 and a long line behind it, which does not fit into any table",
                    "/work/app/",
                )
            },
            Row { id: None, project: None, modified: None, ..row("c.jsonl", "", "", "") },
            row("d.jsonl", "z", "Short.", "C:\\Users\\me\\website"),
        ],
        left_out: 2,
        skipped: vec![Skipped { path: "artifact.jsonl".into(), dialect: "unknown" }],
        errors: vec![ReadError { path: "gone.jsonl".into(), message: "cannot open: no such file".into() }],
        ..List::default()
    }
}

fn written(format: &str, options: &Options) -> String {
    let format = FORMATS.iter().find(|f| f.name == format).expect("a format");
    let mut out = Vec::new();
    (format.write)(&mut out, &list(), options).expect("memory takes everything");
    String::from_utf8(out).expect("text")
}

const PLAIN: Options = Options { width: 140, reasons: false, ascii: false, paths: Paths::Clean };

#[cfg(feature = "cli")]
fn text(options: &Options) -> String {
    anstream::adapter::strip_str(&written("text", options)).to_string()
}

#[cfg(feature = "cli")]
#[test]
fn the_table_in_80_columns() {
    let shown = text(&Options { width: 80, ascii: true, ..PLAIN });
    assert!(shown.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80), "{shown}");
    insta::assert_snapshot!(shown);
}

#[cfg(feature = "cli")]
#[test]
fn the_table_in_140_columns() {
    insta::assert_snapshot!(text(&PLAIN));
}

/// Ids of one millisecond begin alike: they are shown until they differ, where there is room.
#[cfg(feature = "cli")]
#[test]
fn ids_are_as_long_as_it_takes() {
    let ids = ["019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18", "019cebb3-4c50-7a31-8d4e-5b0f6c2a7e18"];
    let list = List { rows: ids.map(|id| row("a.jsonl", id, "Why?", "/p")).into(), ..List::default() };
    let shown = |width: usize| {
        let mut out = Vec::new();
        (FORMATS[0].write)(&mut out, &list, &Options { width, ..PLAIN }).expect("memory takes everything");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    };
    let (wide, narrow) = (shown(140), shown(100));
    assert!(wide.contains(" 019cebb3-4c50-7a31-9 ") && wide.contains(" 019cebb3-4c50-7a31-8 "), "{wide}");
    assert!(narrow.contains(" 019cebb3-4c50 ") && !narrow.contains("7a31"), "{narrow}");
    for (text, width) in [(&wide, 140), (&narrow, 100)] {
        assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= width), "{text}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_reasons_alone() {
    insta::assert_snapshot!(text(&Options { reasons: true, ..PLAIN }));
}

#[cfg(feature = "cli")]
#[test]
fn an_empty_list() {
    let mut out = Vec::new();
    (FORMATS[0].write)(&mut out, &List::default(), &PLAIN).expect("memory takes everything");
    assert_eq!(String::from_utf8_lossy(&out), "no sessions\n");
}

#[cfg(feature = "cli")]
#[test]
fn comma_separated() {
    let table = written("csv", &PLAIN);
    assert!(table.contains("\"A \\x1b[31mred\\x1b[0m\\nherring, 日本語"), "{table}");
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<::csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!((rows.len(), &rows[1][12], &rows[1][13], &rows[2][6]), (4, "error", "2", ""));
}

#[test]
fn one_document() {
    let document: serde_json::Value = serde_json::from_str(&written("json", &PLAIN)).expect("JSON");
    let sessions = document["sessions"].as_array().expect("sessions");
    assert_eq!((sessions.len(), &document["schema"]), (4, &"sesstool.ls/1".into()));
    assert_eq!(sessions[0]["modified"], "2026-03-14T09:27:45.000Z");
    assert_eq!((&sessions[1]["pi"]["listed"], &sessions[1]["verdict"]), (&false.into(), &"error".into()));
    assert_eq!((&sessions[2]["modified"], &sessions[2]["id"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    let summary = serde_json::json!({"sessions": 4, "filteredOut": 2, "hidden": 1, "skipped": 1, "bytes": (5u64 << 30) + 3 * 2345});
    assert_eq!((&document["summary"], &document["errors"][0]["path"]), (&summary, &"gone.jsonl".into()));
}

#[test]
fn paths_alone() {
    assert_eq!(written("paths", &PLAIN), "a.jsonl\nb.jsonl\nc.jsonl\nd.jsonl\n");
    let odd = Row { file: Some("n\x1b[31m\n.jsonl".into()), ..row("n\x1b[31m\n.jsonl", "", "", "") };
    let list = List { rows: vec![odd, row("-", "", "", "")], ..List::default() };
    for (paths, expected) in [
        (Paths::Clean, "n\\x1b[31m\\n.jsonl\n-\n"),
        (Paths::Raw, "n\x1b[31m\n.jsonl\n-\n"),
        (Paths::Null, "n\x1b[31m\n.jsonl\0-\0"),
    ] {
        let mut out = Vec::new();
        (FORMATS.iter().find(|f| f.name == "paths").expect("a format").write)(
            &mut out,
            &list,
            &Options { paths, ..PLAIN },
        )
        .expect("memory takes everything");
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
