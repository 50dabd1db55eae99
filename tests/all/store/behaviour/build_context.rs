//! `build-context`

use super::super::*;
use sesstool::store::{BranchSummary, Compaction, CustomMessage};

fn compact(log: &mut SessionLog, summary: &str, first_kept: Option<&str>) -> String {
    ok(log.append_compaction(&Compaction { summary, first_kept, tokens_before: 1000, ..Compaction::default() }))
}

#[test]
fn nothing_gives_nothing() {
    let context = ok(in_memory().context());
    assert!(context.messages.is_empty() && context.entries.is_empty());
    assert_eq!((context.thinking_level.as_str(), context.model), ("off", None));
}

#[test]
fn one_message_gives_one() {
    let mut log = in_memory();
    say(&mut log, "hello");
    assert_eq!(messages(&log), [user("hello")]);
}

#[test]
fn a_chain_of_four_gives_four_in_order() {
    let mut log = in_memory();
    say(&mut log, "a");
    answer(&mut log, "b");
    say(&mut log, "c");
    answer(&mut log, "d");
    assert_eq!(said(&log), pairs(&[("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]));
}

#[test]
fn a_change_of_the_thinking_level_sets_it_and_gives_no_message() {
    let mut log = in_memory();
    say(&mut log, "a");
    ok(log.append_thinking_level_change("high"));
    answer(&mut log, "b");
    let context = ok(log.context());
    assert_eq!((context.thinking_level.as_str(), context.messages.len()), ("high", 2));
}

#[test]
fn an_assistant_message_sets_the_model_and_the_last_word_counts() {
    let mut log = in_memory();
    say(&mut log, "a");
    ok(log.append_model_change("one", "change"));
    let model = |log: &SessionLog| ok(log.context()).model.map(|model| (model.provider, model.id));
    assert_eq!(model(&log), Some(("one".into(), "change".into())));
    ok(log.append_message(&assistant_of("two", "answer", "b")));
    assert_eq!(model(&log), Some(("two".into(), "answer".into())));
    ok(log.append_model_change("three", "again"));
    assert_eq!(model(&log), Some(("three".into(), "again".into())));
}

#[test]
fn a_compaction_gives_its_summary_then_what_is_kept_then_what_follows() {
    let mut log = in_memory();
    say(&mut log, "a");
    answer(&mut log, "b");
    let kept = say(&mut log, "c");
    answer(&mut log, "d");
    let compaction = compact(&mut log, "sum", Some(&kept));
    say(&mut log, "e");
    let expected = [("compactionSummary", "sum"), ("user", "c"), ("assistant", "d"), ("user", "e")];
    assert_eq!(said(&log), pairs(&expected));
    assert_eq!(ok(log.context()).entries[0], compaction);
}

#[test]
fn a_compaction_that_keeps_from_the_first_entry_keeps_all() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    answer(&mut log, "b");
    compact(&mut log, "sum", Some(&first));
    assert_eq!(said(&log), pairs(&[("compactionSummary", "sum"), ("user", "a"), ("assistant", "b")]));
}

#[test]
fn of_several_compactions_only_the_last_counts() {
    let mut log = in_memory();
    let first = say(&mut log, "a");
    compact(&mut log, "one", Some(&first));
    let second = say(&mut log, "b");
    answer(&mut log, "c");
    compact(&mut log, "two", Some(&second));
    assert_eq!(said(&log), pairs(&[("compactionSummary", "two"), ("user", "b"), ("assistant", "c")]));
}

#[test]
fn a_given_leaf_selects_its_branch() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    let two = answer(&mut log, "b");
    ok(log.branch(&one));
    answer(&mut log, "c");
    let texts = ok(log.context_at(&two)).messages.len();
    assert_eq!((texts, said(&log)), (2, pairs(&[("user", "a"), ("assistant", "c")])));
    let at: Vec<String> = ok(log.context_at(&two)).messages.into_iter().map(|message| message.entry).collect();
    assert_eq!(at, [one, two]);
}

#[test]
fn a_branch_summary_is_a_message_at_its_place() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    answer(&mut log, "b");
    ok(log.branch_with_summary(Some(&one), &BranchSummary { summary: "tried b", ..BranchSummary::default() }));
    say(&mut log, "c");
    assert_eq!(said(&log), pairs(&[("user", "a"), ("branchSummary", "tried b"), ("user", "c")]));
}

#[test]
fn a_compaction_does_not_touch_a_branch_from_before_it() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    let two = answer(&mut log, "b");
    compact(&mut log, "sum", Some(&two));
    say(&mut log, "c");
    ok(log.branch(&one));
    answer(&mut log, "d");
    assert_eq!(said(&log), pairs(&[("user", "a"), ("assistant", "d")]));
}

#[test]
fn an_unknown_leaf_is_an_error() {
    // pi takes the last entry of the file instead; here unknown ids are errors
    let mut log = in_memory();
    say(&mut log, "a");
    assert!(matches!(log.context_at("gone"), Err(Error::UnknownId(_))));
}

#[test]
fn a_broken_chain_is_no_error_and_begins_at_the_orphan() {
    let folder = folder();
    let mut log = in_file(folder.path());
    say(&mut log, "a");
    answer(&mut log, "b");
    let path = stored_path(&log);
    drop(log);
    let orphan = r#"{"type":"message","id":"orphan01","parentId":"gone0001","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"c"}}"#;
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, format!("{text}{orphan}\n")).expect("a file");
    let mut log = ok(SessionLog::open(&path, Default::default()));
    assert_eq!(said(&log), pairs(&[("user", "c")]));
    answer(&mut log, "d");
    assert_eq!(said(&log), pairs(&[("user", "c"), ("assistant", "d")]), "writing goes on there");
}

#[test]
fn a_hidden_message_of_an_extension_is_in_the_context() {
    let mut log = in_memory();
    say(&mut log, "a");
    let details = json!({ "b": 1 });
    let message =
        CustomMessage { custom_type: "ext", content: &"note".into(), display: false, details: Some(&details) };
    ok(log.append_custom_message(&message));
    let shown = &messages(&log)[1];
    assert_eq!((text(&shown["role"]), text(&shown["content"])), ("custom".into(), "note".into()));
    assert_eq!((&shown["customType"], &shown["display"]), (&"ext".into(), &false.into()));
    assert_eq!(shown["details"], details);
}
