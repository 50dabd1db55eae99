use super::*;
use crate::report::clean::is_unsafe;
use crate::session::scan::scan;
use crate::session::view::Reader;
use crate::source::Source;
use unicode_width::UnicodeWidthStr;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

fn line(kind: &str, id: &str, parent: &str, second: usize, more: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    let (minute, second) = (second / 60, second % 60);
    format!(
        r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:{minute:02}:{second:02}.000Z",{more}}}"#
    )
}

fn says(role: &str, text: &str) -> String {
    format!(r#""message":{{"role":"{role}","content":[{{"type":"text","text":{}}}]}}"#, serde_json::Value::from(text))
}

/// A session with a long chain, two side branches, one of them nested, a label, a compaction, wide text, a
/// second root, and text that wants to harm a terminal.
fn branched() -> String {
    let mut lines = vec![HEADER.to_string()];
    lines.push(line("message", "a0000001", "", 1, &says("user", "Why does the parser lose the last line of a file?")));
    let mut parent = "a0000001".to_string();
    for n in 0..20 {
        let id = format!("b00000{n:02}");
        let role = if n % 2 == 0 { "assistant" } else { "user" };
        lines.push(line("message", &id, &parent, 2 + n, &says(role, &format!("step {n} of a long chain of thought"))));
        parent = id;
    }
    let call =
        r#""message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}]}"#;
    lines.push(line("message", "c0000001", &parent, 30, call));
    let result = r#""message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"Cargo.toml\nsrc\n"}]}"#;
    lines.push(line("message", "c0000002", "c0000001", 31, result));
    // a side branch, and one in it
    lines.push(line(
        "message",
        "d0000001",
        "c0000002",
        32,
        &says("user", "日本語の長い文章と👍🏽絵文字を幅の計算のためにここに置く 日本語の長い文章"),
    ));
    lines.push(line(
        "message",
        "d0000002",
        "d0000001",
        33,
        &says("assistant", "\u{1b}[31mred\u{1b}[0m and \u{202e}reversed"),
    ));
    lines.push(line("message", "d0000003", "d0000001", 34, &says("assistant", "a second answer")));
    lines.push(line("message", "e0000001", "c0000002", 35, &says("user", "take the other way")));
    lines.push(line(
        "compaction",
        "e0000002",
        "e0000001",
        36,
        r#""summary":"the parser cuts at LF","firstKeptEntryId":"e0000001","tokensBefore":9"#,
    ));
    lines.push(line("label", "e0000003", "e0000002", 37, r#""targetId":"e0000001","label":"good start""#));
    lines.push(line("message", "f0000001", "e0000003", 38, &says("assistant", "done")));
    lines.insert(3, line("message", "g0000001", "", 39, &says("user", "a root of its own")));
    lines.join("\n") + "\n"
}

fn shown(text: &str, format: &str, options: &Options, leaf: Option<&str>, only_branch: bool) -> String {
    let source = Source::bytes(text.as_bytes().to_vec());
    let (session, ()) = scan(&source, &Default::default()).expect("a scan");
    let view = View::new(&source, &session, Reader::Sesstool).expect("a view");
    let leaf = leaf.map_or(view.leaf, |name| Leaf::Node(view.find(name).expect("an entry").node));
    let branch = view.branch(leaf).expect("a branch");
    let findings = BTreeMap::from([(view.find("d0000003").map_or(0, |f| f.node), vec!["E007", "R001"])]);
    let tree = Tree { view: &view, path: "dir/session.jsonl", findings: &findings, leaf, branch: &branch, only_branch };
    let format = FORMATS.iter().find(|f| f.name == format).expect("a format");
    let mut out = Vec::new();
    (format.title)(&mut out, tree.path, options).expect("memory takes everything");
    (format.write)(&mut out, &tree, options).expect("memory takes everything");
    String::from_utf8(out).expect("text")
}

fn options(width: usize) -> Options {
    Options { width, filter: Filter::Default, colors: false, ..Options::default() }
}

#[test]
fn text_80() {
    insta::assert_snapshot!(shown(&branched(), "text", &options(80), None, false));
}

#[test]
fn text_140() {
    insta::assert_snapshot!(shown(&branched(), "text", &options(140), None, false));
}

#[test]
fn one_branch_80() {
    insta::assert_snapshot!(shown(&branched(), "text", &options(80), None, true));
}

#[test]
fn one_branch_140() {
    insta::assert_snapshot!(shown(&branched(), "text", &options(140), Some("d0000003"), true));
}

#[test]
fn ascii_with_times() {
    let options = Options { ascii: true, timestamps: true, ..options(80) };
    let shown = shown(&branched(), "text", &options, None, false);
    insta::assert_snapshot!(shown);
}

#[test]
fn filters() {
    let filtered = |filter| shown(&branched(), "text", &Options { filter, ..options(80) }, None, false);
    insta::assert_snapshot!("user_only", filtered(Filter::UserOnly));
    insta::assert_snapshot!("labeled_only", filtered(Filter::LabeledOnly));
    insta::assert_snapshot!("no_tools", filtered(Filter::NoTools));
}

#[test]
fn graphs() {
    insta::assert_snapshot!("dot", shown(&branched(), "dot", &options(80), None, false));
    insta::assert_snapshot!("mermaid", shown(&branched(), "mermaid", &options(80), None, false));
}

#[test]
fn json_is_flat_and_in_tree_order() {
    let all = Options::default();
    let text = shown(&branched(), "json", &all, None, false);
    let document: serde_json::Value = serde_json::from_str(&text).expect("a JSON document");
    let nodes = document["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), 31);
    assert_eq!((&document["leaf"], &document["schema"]), (&"f0000001".into(), &"sesstool.tree/1".into()));
    let first = serde_json::json!({"id":"a0000001","parent":null,"depth":0,"line":2,"offset":90,"type":"message","role":"user",
        "timestamp":"2026-01-01T00:00:01.000Z","label":null,"text":"Why does the parser lose the last line of a file?"});
    assert_eq!(nodes[0], first);
    assert_eq!(nodes[30]["id"], "g0000001");
    assert!(nodes.iter().any(|n| n["findings"] == serde_json::json!(["E007", "R001"])));
    let branch: serde_json::Value =
        serde_json::from_str(&shown(&branched(), "json", &all, Some("d0000003"), true)).expect("a JSON document");
    assert_eq!(branch["entries"].as_array().map(Vec::len), Some(25));
    assert_eq!(
        branch["entries"][24],
        serde_json::json!({"id":"d0000003","line":28,"type":"message","role":"assistant","findings":["E007","R001"]})
    );
}

#[test]
fn no_line_is_wider_than_the_terminal_nor_harmful() {
    for width in [60, 80, 100, 140] {
        for only_branch in [false, true] {
            let text = shown(&branched(), "text", &options(width), None, only_branch);
            for line in text.lines() {
                assert!(line.width() <= width, "{width}: {} {line}", line.width());
                assert!(line.chars().all(|c| !is_unsafe(c)), "{line:?}");
            }
        }
    }
}

#[test]
fn a_chain_prints_straight_down_however_long() {
    let mut text = format!("{HEADER}\n");
    for n in 0..5000 {
        let parent = if n == 0 { String::new() } else { format!("{:08x}", n - 1) };
        text += &line("message", &format!("{n:08x}"), &parent, 0, &says("user", "x"));
        text.push('\n');
    }
    let folded = shown(&text, "text", &options(80), None, false);
    assert!(folded.contains("… 4,994 entries …"), "{folded}");
    let all = shown(&text, "text", &Options { all: true, ..options(80) }, None, false);
    assert_eq!(all.lines().count(), 5002);
    assert!(all.lines().skip(2).all(|line| line.starts_with('●') || line.starts_with('◉')));
}

#[test]
fn deep_branches_do_not_push_the_text_out() {
    let mut text = format!("{HEADER}\n");
    for n in 0..100 {
        let parent = if n == 0 { String::new() } else { format!("{:08x}", n - 1) };
        text += &line("message", &format!("{n:08x}"), &parent, n, &says("user", "goes deeper"));
        text += "\n";
        text += &line("message", &format!("f{n:07x}"), &parent, 3000 + n, &says("user", "turns off"));
        text += "\n";
    }
    let shown = shown(&text, "text", &options(80), None, false);
    assert!(
        shown.lines().all(
            |line| line.width() <= 80 && (!line.contains("user") || line.contains("goes") || line.contains("turn"))
        ),
        "{shown}"
    );
}
