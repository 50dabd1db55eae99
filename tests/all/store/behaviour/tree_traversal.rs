//! `tree-traversal`

use super::super::*;
use sesstool::store::{BranchSummary, Compaction};

type Append = fn(&mut SessionLog) -> Result<String, Error>;

#[test]
fn every_append_hangs_on_the_leaf_and_becomes_it() {
    let mut log = in_memory();
    let mut last = None;
    let appends: [Append; 7] = [
        |log| log.append_message(&user("a")),
        |log| log.append_thinking_level_change("high"),
        |log| log.append_model_change("p", "m"),
        |log| {
            let first = entries(log)[0].id.clone();
            log.append_compaction(&Compaction { summary: "s", first_kept: Some(&first), ..Compaction::default() })
        },
        |log| log.append_custom("ext", Some(&json!({ "a": 1 }))),
        |log| log.append_message(&assistant("b")),
        |log| log.set_name("name"),
    ];
    for append in appends {
        let id = ok(append(&mut log));
        let entry = ok(log.entry(&id)).expect("an entry");
        assert_eq!(entry.parent, last, "{}", entry.json);
        assert_eq!(log.leaf(), Some(id.clone()));
        last = Some(id);
    }
    assert_eq!(value(&entries(&log)[0].json)["parentId"], Value::Null);
}

#[test]
fn the_leaf_is_none_at_first_and_then_what_was_appended_last() {
    let mut log = in_memory();
    assert_eq!(log.leaf(), None);
    say(&mut log, "a");
    let last = say(&mut log, "b");
    assert_eq!(log.leaf(), Some(last));
}

#[test]
fn the_branch_of_an_empty_session_is_empty() {
    assert!(path(&in_memory()).is_empty());
}

#[test]
fn the_branch_runs_from_the_root_to_the_leaf_over_all_types() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    assert_eq!(path(&log), std::slice::from_ref(&one));
    let two = ok(log.append_model_change("p", "m"));
    let three = ok(log.append_thinking_level_change("low"));
    let four = ok(log.append_custom("ext", None::<&Value>));
    let five = answer(&mut log, "b");
    assert_eq!(path(&log), [one, two, three, four, five]);
}

#[test]
fn the_branch_of_an_id_ends_there() {
    let mut log = in_memory();
    let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
    say(&mut log, "c");
    let branch = ok(log.branch_path_to(&two));
    assert_eq!(ids(&branch), [one, two]);
    // pi gives an empty branch for an unknown id; here unknown ids are errors
    assert!(matches!(log.branch_path_to("gone"), Err(Error::UnknownId(id)) if id == "gone"));
}

#[test]
fn the_tree_of_an_empty_session_is_empty() {
    assert!(tree(&in_memory()).is_empty());
}

#[test]
fn a_chain_has_one_root() {
    let mut log = in_memory();
    let (one, two, three) = (say(&mut log, "a"), answer(&mut log, "b"), say(&mut log, "c"));
    assert_eq!(tree(&log), [(0, one, None), (1, two, None), (2, three, None)]);
}

#[test]
fn siblings_are_children_of_the_same_entry() {
    let mut log = in_memory();
    let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
    let three = say(&mut log, "c");
    ok(log.branch(&two));
    let four = say(&mut log, "d");
    assert_eq!(tree(&log), [(0, one, None), (1, two, None), (2, three, None), (2, four, None)]);
}

#[test]
fn one_entry_can_have_three_branches() {
    let mut log = in_memory();
    let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
    let mut branches = Vec::new();
    for text in ["c", "d", "e"] {
        ok(log.branch(&two));
        branches.push(say(&mut log, text));
    }
    let shown = tree(&log);
    assert_eq!(shown[..2], [(0, one, None), (1, two, None)]);
    assert_eq!(shown[2..].iter().map(|(depth, id, _)| (*depth, id.clone())).collect::<Vec<_>>(), {
        branches.into_iter().map(|id| (2, id)).collect::<Vec<_>>()
    });
}

#[test]
fn branches_nest() {
    let mut log = in_memory();
    let (a, b, c) = (say(&mut log, "a"), answer(&mut log, "b"), say(&mut log, "c"));
    let d = answer(&mut log, "d");
    ok(log.branch(&b));
    let e = say(&mut log, "e");
    let f = answer(&mut log, "f");
    ok(log.branch(&e));
    let g = answer(&mut log, "g");
    let depths: Vec<(u32, String)> = tree(&log).into_iter().map(|(depth, id, _)| (depth, id)).collect();
    assert_eq!(depths, [(0, a), (1, b), (2, c), (3, d), (2, e), (3, f), (3, g)]);
}

#[test]
fn branching_moves_the_leaf_and_later_entries_hang_there() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    answer(&mut log, "b");
    ok(log.branch(&one));
    assert_eq!((log.leaf(), log.len()), (Some(one.clone()), 2), "nothing is appended by it");
    let three = answer(&mut log, "c");
    assert_eq!(ok(log.entry(&three)).expect("an entry").parent, Some(one));
    let error = log.branch("gone").expect_err("an unknown id");
    assert_eq!(error.to_string(), "no entry has the id 'gone'");
    assert_eq!(log.leaf(), Some(three));
}

#[test]
fn a_branch_with_a_summary_hangs_it_on_the_target_and_makes_it_the_leaf() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    let left = answer(&mut log, "b");
    let summary = BranchSummary { summary: "what was there", ..BranchSummary::default() };
    let id = ok(log.branch_with_summary(Some(&one), &summary));
    let entry = value(&ok(log.entry(&id)).expect("an entry").json);
    assert_eq!((text(&entry["parentId"]), text(&entry["fromId"])), (one, left));
    assert_eq!((text(&entry["summary"]), log.leaf()), ("what was there".to_string(), Some(id.clone())));
    assert!(matches!(log.branch_with_summary(Some("gone"), &summary), Err(Error::UnknownId(_))));
    assert_eq!(log.leaf(), Some(id.clone()), "an error moves nothing");
    // before everything: what is left has an id, where nothing was left stands the word `root`
    let id = ok(log.branch_with_summary(None, &summary));
    assert_eq!(value(&ok(log.entry(&id)).expect("an entry").json)["parentId"], Value::Null);
    log.reset();
    let id = ok(log.branch_with_summary(None, &summary));
    assert_eq!(value(&ok(log.entry(&id)).expect("an entry").json)["fromId"], "root");
}

#[test]
fn an_absent_entry_is_none() {
    let mut log = in_memory();
    assert_eq!(ok(log.entry("gone")), None);
    let id = say(&mut log, "a");
    assert_eq!(ok(log.entry(&id)).expect("an entry").id, id);
    assert_eq!(ok(log.entry(&log.leaf().expect("a leaf"))).expect("an entry").id, id);
}

#[test]
fn the_context_after_branching_holds_only_the_active_branch() {
    let mut log = in_memory();
    say(&mut log, "a");
    let two = answer(&mut log, "b");
    say(&mut log, "c");
    ok(log.branch(&two));
    say(&mut log, "d");
    assert_eq!(said(&log), pairs(&[("user", "a"), ("assistant", "b"), ("user", "d")]));
}

#[test]
fn a_fork_of_an_unknown_id_is_an_error() {
    let mut log = in_memory();
    say(&mut log, "a");
    assert!(matches!(log.fork("gone", &options()), Err(Error::UnknownId(_))));
}

#[test]
fn a_fork_is_exactly_the_branch() {
    let folder = folder();
    for mut log in [in_memory(), in_file(folder.path())] {
        let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
        say(&mut log, "c");
        ok(log.branch(&two));
        let four = say(&mut log, "d");
        let fork = ok(log.fork(&four, &Options::new()));
        assert_eq!(ids(&entries(&fork)), [one, two, four]);
        assert_eq!(fork.leaf(), log.leaf());
        assert_ne!(fork.id(), log.id());
        assert_eq!(fork.cwd(), "/project");
        assert_eq!(fork.parent_session(), log.path().and_then(Path::to_str), "a session in memory has no path");
    }
}

#[test]
fn what_is_appended_to_a_fork_is_written_once_under_one_header() {
    let folder = folder();
    let mut log = in_file(folder.path());
    say(&mut log, "a");
    let two = answer(&mut log, "b");
    let mut fork = ok(log.fork(&two, &Options::new()));
    let three = say(&mut fork, "c");
    let lines = lines_of(&stored_path(&fork));
    assert_eq!(lines.len(), 4);
    assert_eq!(lines.iter().filter(|line| value(line)["type"] == "session").count(), 1);
    assert_eq!(lines.iter().filter(|line| value(line)["id"] == three).count(), 1);
    assert_eq!(lines_of(&stored_path(&log)).len(), 3, "the old session does not grow");
}

#[test]
fn a_fork_is_written_at_once_if_something_was_said_else_with_the_next_message() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let level = ok(log.append_thinking_level_change("low"));
    let said = say(&mut log, "a");
    let fork = ok(log.fork(&said, &Options::new()));
    assert!(fork.is_stored() && stored_path(&fork).exists());
    let mut silent = ok(log.fork(&level, &Options::new()));
    assert!(!silent.is_stored() && !stored_path(&silent).exists());
    answer(&mut silent, "b");
    assert_eq!(lines_of(&stored_path(&silent)).len(), 3);
}

#[test]
fn usage_survives_a_reload() {
    let folder = folder();
    let mut log = in_file(folder.path());
    let usage = json!({ "input": 7, "output": 3, "cost": { "total": 0.25 } });
    let call = json!({ "type": "toolCall", "id": "c1", "name": "read", "arguments": {} });
    say(&mut log, "a");
    let mut calling = assistant("b");
    calling["content"] = json!([call]);
    calling["stopReason"] = "toolUse".into();
    ok(log.append_message(&calling));
    let result = json!({ "role": "toolResult", "toolCallId": "c1", "toolName": "read", "content": [], "isError": false,
        "usage": usage, "timestamp": 1 });
    let ids = [
        ok(log.append_message(&result)),
        ok(log.append_compaction(&Compaction { summary: "s", usage: Some(&usage), ..Compaction::default() })),
        ok(log.append_branch_summary(None, &BranchSummary { summary: "s", usage: Some(&usage), ..Default::default() })),
    ];
    let path = stored_path(&log);
    drop(log);
    let log = ok(SessionLog::open(path, Default::default()));
    let stored = |id: &String| value(&ok(log.entry(id)).expect("an entry").json);
    assert_eq!(stored(&ids[0])["message"]["usage"], usage);
    assert_eq!((&stored(&ids[1])["usage"], &stored(&ids[2])["usage"]), (&usage, &usage));
}
