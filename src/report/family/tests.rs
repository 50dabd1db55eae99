use super::*;

fn node(path: &str, first: &str, depth: u32, tie: Tie) -> Node {
    Node {
        path: path.to_string(),
        id: Some("019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18".into()),
        first: first.to_string(),
        created: Some(1_773_480_410_000),
        bytes: 2345,
        entries: 1234,
        shared: 120,
        tie,
        depth,
        parent: depth.checked_sub(1),
        last: true,
        family: u64::from(depth == 0),
        ..Node::default()
    }
}

fn forest() -> Forest {
    let named = "s/2026-03-14T09-26-50-000Z_019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18.jsonl";
    let lost = Some("/gone/2026-03-13T08-00-00-000Z_019ce68a-0000-7000-8000-000000000001.jsonl".to_string());
    Forest {
        nodes: vec![
            Node {
                family: 5,
                ..node(named, "Why does \x1b[31mthe build fail, and why only on Tuesdays?", 0, Tie::None)
            },
            Node { last: false, ..node("s/fork.jsonl", "", 1, Tie::Path) },
            Node {
                asked: true,
                ..node("s/fork-of-fork-with-a-name-that-is-longer-than-any-column.jsonl", "日本語", 2, Tie::Entries)
            },
            Node { parent: Some(0), last: false, ..node("s/copy.jsonl", "Why?", 1, Tie::Diverged) },
            Node { parent: Some(0), output: true, ..node("s/copy.repaired.jsonl", "Why?", 1, Tie::Older) },
            Node { parent_session: lost, stated: Stated::Missing, ..node("s/lost.jsonl", "Go on.", 0, Tie::None) },
            Node { created: None, ..node("s/alone.jsonl", "Alone.", 0, Tie::None) },
        ],
        skipped: vec![Skipped { path: "artifact.jsonl".into(), dialect: "unknown" }],
        ..Forest::default()
    }
}

fn written(format: &str, forest: &Forest, options: &Options) -> String {
    let format = FORMATS.iter().find(|f| f.name == format).expect("a format");
    let mut out = Vec::new();
    (format.write)(&mut out, forest, options).expect("memory takes everything");
    String::from_utf8(out).expect("text")
}

const PLAIN: Options = Options { width: 140, all: false, ascii: false };

#[cfg(feature = "cli")]
fn text(forest: &Forest, options: &Options) -> String {
    anstream::adapter::strip_str(&written("text", forest, options)).to_string()
}

#[cfg(feature = "cli")]
#[test]
fn families_in_80_columns() {
    let shown = text(&forest(), &Options { width: 80, ascii: true, ..PLAIN });
    assert!(shown.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80), "{shown}");
    insta::assert_snapshot!(shown);
}

#[cfg(feature = "cli")]
#[test]
fn families_in_140_columns() {
    insta::assert_snapshot!(text(&forest(), &Options { all: true, ..PLAIN }));
}

/// A chain of forks goes deeper than any terminal is wide.
#[cfg(feature = "cli")]
#[test]
fn a_deep_chain_stays_in_its_columns() {
    let mut nodes: Vec<Node> = (0..5000).map(|depth| node("s/fork.jsonl", "On.", depth, Tie::Path)).collect();
    nodes[0].family = 5000;
    let shown = text(&Forest { nodes, ..Forest::default() }, &Options { width: 80, ..PLAIN });
    assert!(shown.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80));
    assert_eq!(shown.lines().count(), 5003);
}

/// Files of one name are told apart by as many folders as it takes, and no more.
#[test]
fn names_that_recur_get_their_folders() {
    let id = "019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18";
    let named = format!("2026-03-14T09-26-50-000Z_{id}.jsonl");
    let paths =
        ["a/x/s.jsonl", "b/x/s.jsonl", "b/y/s.jsonl", "./s.jsonl", "a/only.jsonl", &format!("p/{named}"), &named];
    let nodes = paths.map(|path| node(path, "", 0, Tie::None));
    let nodes: Vec<&Node> = nodes.iter().collect();
    let expected = ["a/x/s.jsonl", "b/x/s.jsonl", "y/s.jsonl", "s.jsonl", "only.jsonl", &format!("p/{id}"), id];
    assert_eq!(labels(&nodes), expected);
    let same = [node("a/s.jsonl", "", 0, Tie::None), node("a/s.jsonl", "", 0, Tie::None)];
    assert_eq!(labels(&[&same[0], &same[1]]), ["a/s.jsonl", "a/s.jsonl"]);
}

#[test]
fn a_graph() {
    insta::assert_snapshot!(written("dot", &forest(), &PLAIN));
}

#[test]
fn one_document() {
    let document: serde_json::Value = serde_json::from_str(&written("json", &forest(), &PLAIN)).expect("JSON");
    let sessions = document["sessions"].as_array().expect("sessions");
    assert_eq!((sessions.len(), &document["schema"]), (7, &"sesstool.family/1".into()));
    assert_eq!((&sessions[2]["parent"], &sessions[2]["tie"]), (&"s/fork.jsonl".into(), &"entries".into()));
    assert_eq!((&sessions[5]["stated"], &sessions[5]["parent"]), (&"missing".into(), &serde_json::Value::Null));
    assert_eq!(document["summary"], serde_json::json!({"sessions": 7, "families": 1, "alone": 2}));
}
