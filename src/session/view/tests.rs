//! What pi's own tests promise of reading, and what else was observed of its readers.

use super::*;
use crate::session::scan::scan;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

/// A source and its index.
struct File {
    source: Source,
    session: Session,
}

impl File {
    /// A file of version 3 with these lines behind its header.
    fn of(lines: &[String]) -> File {
        File::raw(&format!("{HEADER}\n{}\n", lines.join("\n")))
    }

    fn raw(text: &str) -> File {
        let source = Source::bytes(text.as_bytes().to_vec());
        let (session, ()) = scan(&source, &Default::default()).expect("a scan");
        File { source, session }
    }

    fn view(&self, reader: Reader) -> View<'_> {
        View::new(&self.source, &self.session, reader).expect("a view")
    }

    fn refusal(&self, reader: Reader) -> String {
        View::new(&self.source, &self.session, reader).map(|_| ()).expect_err("a refusal").reason
    }
}

fn line(kind: &str, id: &str, parent: &str, more: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    let second = id.bytes().last().unwrap_or(0) % 60;
    format!(
        r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:{second:02}.000Z"{more}}}"#
    )
}

fn user(id: &str, parent: &str) -> String {
    line("message", id, parent, &format!(r#","message":{{"role":"user","content":"says {id}"}}"#))
}

fn assistant(id: &str, parent: &str, model: &str) -> String {
    let message = format!(r#","message":{{"role":"assistant","content":[],"provider":"p","model":"{model}"}}"#);
    line("message", id, parent, &message)
}

fn compaction(id: &str, parent: &str, kept: &str) -> String {
    let more = format!(r#","summary":"sum {id}","firstKeptEntryId":"{kept}","tokensBefore":9"#);
    line("compaction", id, parent, &more)
}

fn label(id: &str, parent: &str, target: &str, label: &str) -> String {
    line("label", id, parent, &format!(r#","targetId":"{target}","label":{label}"#))
}

fn ids(view: &View<'_>, nodes: &[u32]) -> Vec<String> {
    nodes.iter().map(|n| view.id_text(*n).unwrap_or_else(|| "-".to_string())).collect()
}

fn at(view: &View<'_>, id: &str) -> Leaf {
    Leaf::Node(view.find(id).expect("an entry").node)
}

fn branch(view: &View<'_>, leaf: Leaf) -> Vec<String> {
    ids(view, &view.branch(leaf).expect("a branch").nodes)
}

/// The context as `entry: first words` of each message.
fn context(view: &View<'_>, leaf: Leaf) -> Vec<String> {
    let context = view.context(leaf).expect("a context");
    let messages = context.shown.iter().filter_map(|shown| view.message(shown));
    messages.map(|m| format!("{} {}", view.id_text(m.node).unwrap_or_default(), m.json)).collect()
}

fn sources(view: &View<'_>, leaf: Leaf) -> Vec<String> {
    let context = view.context(leaf).expect("a context");
    ids(view, &context.shown.iter().map(|shown| shown.node).collect::<Vec<_>>())
}

fn tree(view: &View<'_>) -> Vec<String> {
    let order = Order::of(view);
    let shown = |place: Place| format!("{}{}", "-".repeat(place.depth as usize), ids(view, &[place.node])[0]);
    order.walk().map(shown).collect()
}

fn each_reader(file: &File, check: impl Fn(&View<'_>)) {
    for reader in [Reader::Sesstool, Reader::Pi, Reader::AgentCore] {
        check(&file.view(reader));
    }
}

#[test]
fn no_entries_no_messages() {
    let file = File::raw(&format!("{HEADER}\n"));
    each_reader(&file, |view| {
        let context = view.context(view.leaf).expect("a context");
        assert!(context.shown.is_empty() && context.model.is_none() && context.thinking == "\"off\"");
        assert_eq!(view.leaf, Leaf::Start);
    });
}

#[test]
fn a_chain_gives_its_messages_in_order() {
    let file = File::of(&[user("a", ""), assistant("b", "a", "m"), user("c", "b"), assistant("d", "c", "n")]);
    each_reader(&file, |view| {
        assert_eq!(sources(view, view.leaf), ["a", "b", "c", "d"]);
        assert_eq!(branch(view, view.leaf), ["a", "b", "c", "d"]);
        assert_eq!(branch(view, at(view, "b")), ["a", "b"]);
        assert_eq!(tree(view), ["a", "-b", "--c", "---d"]);
    });
}

#[test]
fn the_last_model_and_level_of_the_branch_count() {
    let change = line("model_change", "m", "a", r#","provider":"q","modelId":"x""#);
    let level = line("thinking_level_change", "t", "m", r#","thinkingLevel":"high""#);
    let file = File::of(&[assistant("a", "", "m"), change, level]);
    each_reader(&file, |view| {
        let context = view.context(view.leaf).expect("a context");
        let model = context.model.expect("a model");
        assert_eq!((model.provider.as_str(), model.id.as_str()), ("\"q\"", "\"x\""));
        assert_eq!((context.thinking.as_str(), context.shown.len()), ("\"high\"", 1), "a level is no message");
        let before = view.context(at(view, "a")).expect("a context").model.expect("a model");
        assert_eq!(before.id, "\"m\"");
    });
}

#[test]
fn a_compaction_comes_first_then_what_it_keeps_then_what_follows() {
    let file = File::of(&[user("a", ""), user("b", "a"), user("c", "b"), compaction("k", "c", "b"), user("d", "k")]);
    each_reader(&file, |view| assert_eq!(sources(view, view.leaf), ["k", "b", "c", "d"]));
    let first = File::of(&[user("a", ""), user("b", "a"), compaction("k", "b", "a"), user("d", "k")]);
    each_reader(&first, |view| assert_eq!(sources(view, view.leaf), ["k", "a", "b", "d"]));
}

#[test]
fn of_several_compactions_only_the_last_counts() {
    let file = File::of(&[
        user("a", ""),
        user("b", "a"),
        compaction("k", "b", "a"),
        user("c", "k"),
        compaction("l", "c", "b"),
        user("d", "l"),
    ]);
    for reader in [Reader::Sesstool, Reader::Pi] {
        let view = file.view(reader);
        assert_eq!(sources(&view, view.leaf), ["l", "b", "c", "d"]);
    }
    let core = file.view(Reader::AgentCore);
    assert_eq!(sources(&core, core.leaf), ["l", "b", "k", "c", "d"], "agent-core shows the older summary once more");
}

#[test]
fn what_a_compaction_keeps_must_stand_before_it_on_its_branch() {
    for kept in ["gone", "d", "k", "other"] {
        let file =
            File::of(&[user("a", ""), user("other", "a"), user("b", "a"), compaction("k", "b", kept), user("d", "k")]);
        let view = file.view(Reader::Pi);
        assert_eq!(sources(&view, view.leaf), ["k", "d"], "{kept}");
    }
}

#[test]
fn a_branch_knows_nothing_of_its_siblings() {
    let file = File::of(&[user("a", ""), user("b", "a"), compaction("k", "b", "a"), user("c", "k"), user("d", "a")]);
    each_reader(&file, |view| {
        assert_eq!(sources(view, at(view, "d")), ["a", "d"]);
        assert_eq!(sources(view, at(view, "c")), ["k", "a", "b", "c"]);
        assert_eq!(tree(view), ["a", "-b", "--k", "---c", "-d"]);
    });
}

#[test]
fn a_branch_summary_is_a_message_at_its_place_unless_it_is_empty() {
    let summary = |id: &str, parent: &str, text: &str| {
        line("branch_summary", id, parent, &format!(r#","fromId":"root","summary":"{text}""#))
    };
    let file = File::of(&[user("a", ""), summary("s", "a", "left"), summary("t", "s", ""), user("b", "t")]);
    each_reader(&file, |view| assert_eq!(sources(view, view.leaf), ["a", "s", "b"]));
    let view = file.view(Reader::Pi);
    let shown = context(&view, view.leaf);
    assert_eq!(shown[1], r#"s {"role":"branchSummary","summary":"left","fromId":"root","timestamp":1767225655000}"#);
}

#[test]
fn a_broken_chain_starts_where_it_is_broken() {
    let file = File::of(&[user("a", ""), user("b", "gone"), user("c", "b")]);
    for reader in [Reader::Sesstool, Reader::Pi] {
        let view = file.view(reader);
        assert_eq!(branch(&view, view.leaf), ["b", "c"]);
        assert_eq!(tree(&view), ["a", "b", "-c"]);
    }
    let core = file.view(Reader::AgentCore);
    assert!(core.branch(core.leaf).is_err(), "agent-core throws");
}

#[test]
fn a_custom_message_is_shown_whether_displayed_or_not() {
    let file = File::of(&[
        line("custom_message", "a", "", r#","customType":"t","content":"c","display":false"#),
        line("custom", "b", "a", r#","customType":"t","data":1"#),
        line("custom_message", "c", "b", r#","customType":"t""#),
    ]);
    let view = file.view(Reader::Pi);
    assert_eq!(
        context(&view, view.leaf),
        [
            r#"a {"role":"custom","customType":"t","content":"c","display":false,"timestamp":1767225637000}"#,
            r#"c {"role":"custom","customType":"t","content":[],"timestamp":1767225639000}"#,
        ]
    );
}

#[test]
fn labels_are_told_by_the_whole_file_and_the_last_word_counts() {
    let file = File::of(&[
        user("a", ""),
        label("l", "a", "a", "\"first\""),
        label("m", "l", "a", "\"second\""),
        user("b", "m"),
        label("n", "b", "b", "\"gone\""),
        label("o", "n", "b", "null"),
        label("p", "o", "m", "\" \""),
    ]);
    each_reader(&file, |view| {
        let node = |id: &str| view.find(id).expect("an entry").node;
        assert_eq!(view.label_text(node("a")).as_deref(), Some("second"));
        assert_eq!(view.label(node("b")), None);
        let blank = if view.reader == Reader::AgentCore { None } else { Some("\" \"") };
        assert_eq!(view.label(node("m")), blank, "agent-core takes off white space");
        assert_eq!(sources(view, view.leaf), ["a", "b"], "labels are no messages");
        assert_eq!(view.find("second").expect("a label is a name").node, node("a"));
    });
}

#[test]
fn edits_change_or_remove_messages() {
    let edit = |id: &str, parent: &str, target: &str, replacement: &str| {
        line("context_edit", id, parent, &format!(r#","targetId":"{target}","replacement":{replacement}"#))
    };
    let file = File::of(&[
        user("a", ""),
        assistant("b", "a", "m"),
        user("c", "b"),
        edit("e", "c", "a", r#"{"content":"first"}"#),
        edit("f", "e", "a", r#"{"content":"new"}"#),
        edit("g", "f", "b", r#"{"content":"text"}"#),
        edit("h", "g", "c", "null"),
    ]);
    for reader in [Reader::Sesstool, Reader::Pi] {
        let view = file.view(reader);
        assert_eq!(
            context(&view, view.leaf),
            [
                r#"a {"role":"user","content":"new"}"#,
                r#"b {"role":"assistant","content":[{"type":"text","text":"text"}],"provider":"p","model":"m"}"#,
            ]
        );
        let fates = view.context(view.leaf).expect("a context").fates;
        assert!(matches!(fates[..3], [Fate::Edited(4), Fate::Edited(5), Fate::Removed(6)]), "{fates:?}");
    }
    let core = file.view(Reader::AgentCore);
    assert_eq!(sources(&core, core.leaf), ["a", "b", "c"], "agent-core knows no edits");
}

#[test]
fn a_missing_replacement_makes_pi_throw() {
    let file = File::of(&[user("a", ""), line("context_edit", "e", "a", r#","targetId":"a""#)]);
    let pi = file.view(Reader::Pi);
    assert!(pi.context(pi.leaf).is_err());
    let own = file.view(Reader::Sesstool);
    assert_eq!(sources(&own, own.leaf), ["a"]);
}

#[test]
fn an_entry_without_message_makes_pi_throw_wherever_it_stands() {
    let file = File::of(&[line("message", "a", "", r#","message":null"#), user("b", "a"), compaction("k", "b", "b")]);
    let pi = file.view(Reader::Pi);
    let refusal = pi.context(pi.leaf).map(|_| ()).expect_err("it throws");
    assert_eq!(refusal.reason, "line 2 is a message entry without a message");
    let own = file.view(Reader::Sesstool);
    assert_eq!(sources(&own, own.leaf), ["k", "b"]);
}

#[test]
fn leaf_entries_move_the_leaf_but_not_in_pi() {
    let leaf = line("leaf", "l", "b", r#","targetId":"a""#);
    let file = File::of(&[user("a", ""), user("b", "a"), leaf]);
    for (reader, id) in [(Reader::Sesstool, "a"), (Reader::Pi, "l"), (Reader::AgentCore, "a")] {
        let view = file.view(reader);
        assert_eq!(view.leaf, at(&view, id), "{reader:?}");
    }
}

#[test]
fn pi_drops_lines_that_we_recover() {
    let glued = format!("{}{}", user("b", "a"), user("c", "b"));
    let file = File::of(&[user("a", ""), glued, user("d", "c")]);
    let own = file.view(Reader::Sesstool);
    assert_eq!(branch(&own, own.leaf), ["a", "b", "c", "d"]);
    assert!(own.is_dropped_by_pi(1) && !own.is_dropped_by_pi(0));
    let pi = file.view(Reader::Pi);
    assert_eq!(branch(&pi, pi.leaf), ["d"]);
    assert_eq!(pi.node_of(3), Some(1));
    assert_eq!(pi.node_of(1), None);
    assert_eq!(file.refusal(Reader::AgentCore), "line 3 is not valid JSON");
}

#[test]
fn a_later_copy_stands_where_pi_has_an_earlier_one() {
    let file = File::of(&[user("a", ""), user("x", "a"), user("b", ""), user("x", "b"), user("c", "x")]);
    let pi = file.view(Reader::Pi);
    assert_eq!(tree(&pi), ["a", "-x", "--c", "b", "-x", "--c"]);
    assert_eq!(branch(&pi, pi.leaf), ["b", "x", "c"]);
    let own = file.view(Reader::Sesstool);
    assert_eq!(tree(&own), ["a", "-x", "b", "-x", "--c"]);
}

#[test]
fn nested_copies_are_cut() {
    let mut lines = vec![user("x0", "")];
    for n in 1..30 {
        lines.push(user(&format!("x{n}"), &format!("x{}", n - 1)));
        lines.push(user(&format!("x{n}"), &format!("x{}", n - 1)));
    }
    let file = File::of(&lines);
    let view = file.view(Reader::Pi);
    let order = Order::of(&view);
    let mut walk = order.walk();
    assert_eq!(walk.by_ref().count(), 4 * 59);
    assert!(walk.was_cut && !walk.hangs);
}

#[test]
fn loops_are_cut_where_they_would_repeat() {
    let file = File::of(&[user("a", ""), user("b", "c"), user("c", "b"), user("d", "c")]);
    let own = file.view(Reader::Sesstool);
    let walked = own.branch(own.leaf).expect("a branch");
    assert_eq!((ids(&own, &walked.nodes), walked.cut), (vec!["b".into(), "c".into(), "d".into()], Some(Cut::Loop)));
    assert_eq!(tree(&own), ["a", "b", "-c", "--d"]);
    let pi = file.view(Reader::Pi);
    assert_eq!(tree(&pi), ["a"], "members of a loop are in no tree");
    assert!(pi.count_messages().is_err());
}

#[test]
fn an_entry_that_names_itself_is_a_root_that_pi_walks_for_ever() {
    let file = File::of(&[user("a", ""), user("b", "b")]);
    let pi = file.view(Reader::Pi);
    assert_eq!(tree(&pi), ["a", "b"]);
    let walked = pi.branch(pi.leaf).expect("a branch");
    assert_eq!((ids(&pi, &walked.nodes), walked.cut), (vec!["b".to_string()], Some(Cut::Loop)));
}

#[test]
fn ids_of_other_types_are_compared_as_they_are() {
    let number = r#"{"type":"message","id":7,"parentId":null,"message":{"role":"user","content":"x"}}"#;
    let below = |id: &str, parent: &str| {
        format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"x"}}}}"#)
    };
    let file = File::of(&[number.to_string(), below("s", "7"), below("t", "\"7\"")]);
    let view = file.view(Reader::Pi);
    assert_eq!(tree(&view), ["7", "-s", "t"]);
    assert_eq!(view.id_json(0).as_deref(), Some("7"));
}

#[test]
fn scalars_are_entries_to_pi() {
    let file = File::of(&[user("a", ""), "42".into(), "null".into()]);
    let view = file.view(Reader::Pi);
    assert_eq!(tree(&view), ["a", "-"]);
    assert_eq!((view.leaf, view.entry(1)), (Leaf::Nameless(1), None));
    assert!(branch(&view, view.leaf).is_empty() && sources(&view, view.leaf).is_empty());
    assert_eq!(file.view(Reader::Sesstool).len(), 1);
}

#[test]
fn version_1_is_a_line_and_gets_ids() {
    let header = r#"{"type":"session","id":"s","cwd":"/p"}"#;
    let message = |text: &str| format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#);
    let kept = r#"{"type":"compaction","summary":"s","firstKeptEntryIndex":2}"#;
    let text = format!("{header}\n{}\n{}\n{kept}\n{}\n", message("a"), message("b"), message("c"));
    let file = File::raw(&text);
    let seen = [Reader::Sesstool, Reader::Pi].map(|reader| {
        let view = file.view(reader);
        let all = ids(&view, &[0, 1, 2, 3]);
        assert!(all.iter().all(|id| id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit())), "{all:?}");
        assert_eq!(sources(&view, view.leaf), [&all[2], &all[1], &all[3]].map(String::clone));
        assert_eq!(view.find(&all[1]).expect("a derived id is a name").node, 1);
        all
    });
    assert_eq!(seen[0], seen[1]);
    let bad = File::raw(&format!("{text}42\n"));
    assert!(bad.refusal(Reader::Pi).contains("cannot be given an id"));
}

#[test]
fn the_first_value_must_be_the_header() {
    let refused = |text: &str| File::raw(text).refusal(Reader::Pi);
    assert!(refused(&format!("[1]\n{HEADER}\n")).contains("line 1"));
    assert!(refused(&format!("{}\n{HEADER}\n", user("a", ""))).contains("line 1"));
    assert!(refused("{\"type\":\"session\",\"id\":5}\n").contains("no string"));
    assert!(refused("\n\nnothing\n").contains("no line"));
    let opens = |text: &str| View::new(&File::raw(text).source, &File::raw(text).session, Reader::Pi).is_ok();
    assert!(opens("") && opens(&format!("null\n\nx\n{HEADER}\n")));
}

#[test]
fn names_find_entries() {
    let file = File::of(&[user("abc1", ""), user("abd2", "abc1"), label("l", "abd2", "abc1", "\"start here\"")]);
    let view = file.view(Reader::Sesstool);
    assert_eq!(view.find("abc").map(|f| f.node), Ok(0));
    assert_eq!(view.find("start here").map(|f| f.node), Ok(0));
    assert!(matches!(view.find("ab"), Err(NotFound::Ambiguous(2, _))));
    assert_eq!(view.find("abx2"), Err(NotFound::Unknown(vec!["abd2".into(), "abc1 (start here)".into()])));
}

#[test]
fn a_provider_gets_neighbouring_user_messages_as_one() {
    let file = File::of(&[user("a", ""), user("b", "a"), assistant("c", "b", "m"), user("d", "c")]);
    let view = file.view(Reader::Pi);
    let context = view.context(view.leaf).expect("a context");
    let merged = merge_users(context.shown.iter().filter_map(|shown| view.message(shown)));
    let first = r#"{"role":"user","content":[{"type":"text","text":"says a"},{"type":"text","text":"says b"}]}"#;
    assert_eq!(merged.iter().map(|m| m.node).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(merged[0].json, first);
}

mod links {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The short way over the index and the long way by ids lead to the same tree.
        #[test]
        fn both_ways_agree(entries in proptest::collection::vec((0u8..12, 0u8..12, 0u8..10), 1..12)) {
            let mut used = std::collections::BTreeSet::new();
            let lines: Vec<String> = entries.iter().filter(|(id, ..)| used.insert(*id)).map(|(id, parent, luck)| {
                let entry = user(&format!("i{id}"), &if *luck == 0 { String::new() } else { format!("i{parent}") });
                if *luck == 1 { format!("x{entry}") } else { entry }
            }).collect();
            let file = File::of(&lines);
            let short = file.view(Reader::Pi);
            let mut long = file.view(Reader::Pi);
            long.link();
            for n in 0..short.len() {
                prop_assert_eq!(short.tree_parent(n), long.tree_parent(n));
                prop_assert_eq!(short.walk_parent(n), long.walk_parent(n));
            }
        }
    }
}
