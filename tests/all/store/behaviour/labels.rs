//! `labels`

use super::super::*;

#[test]
fn there_is_no_label_at_first_and_setting_one_appends_an_entry() {
    let mut log = in_memory();
    let id = say(&mut log, "a");
    assert_eq!(ok(log.label(&id)), None);
    let label = ok(log.set_label(&id, Some("mark")));
    assert_eq!(ok(log.label(&id)).as_deref(), Some("mark"));
    let all = entries(&log);
    assert_eq!(ids(&all), [id.clone(), label]);
    let entry = value(&all[1].json);
    assert_eq!((text(&entry["targetId"]), text(&entry["label"])), (id, "mark".to_string()));
}

#[test]
fn clearing_removes_it() {
    let mut log = in_memory();
    let id = say(&mut log, "a");
    for clear in [None, Some("")] {
        ok(log.set_label(&id, Some("mark")));
        ok(log.set_label(&id, clear));
        assert_eq!(ok(log.label(&id)), None);
    }
    assert_eq!(entries(&log).len(), 5, "clearing is an entry, too");
}

#[test]
fn the_last_label_of_a_target_wins() {
    let mut log = in_memory();
    let id = say(&mut log, "a");
    ok(log.set_label(&id, Some("first")));
    ok(log.set_label(&id, Some("second")));
    assert_eq!(ok(log.label(&id)).as_deref(), Some("second"));
}

#[test]
fn nodes_of_the_tree_carry_labels() {
    let mut log = in_memory();
    let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
    let first = ok(log.set_label(&one, Some("start")));
    let second = ok(log.set_label(&two, Some("answer")));
    // label entries are nodes, as in pi; a fork of pi leaves them out of the tree
    let expected =
        [(0, one, Some("start".into())), (1, two, Some("answer".into())), (2, first, None), (3, second, None)];
    assert_eq!(tree(&log), expected);
}

#[test]
fn labels_are_not_in_the_context() {
    let mut log = in_memory();
    let id = say(&mut log, "a");
    ok(log.set_label(&id, Some("mark")));
    assert_eq!(said(&log), pairs(&[("user", "a")]));
}

#[test]
fn a_fork_keeps_the_labels_of_its_branch_and_writes_them_anew() {
    let mut log = in_memory();
    let (one, two) = (say(&mut log, "a"), answer(&mut log, "b"));
    ok(log.set_label(&one, Some("kept")));
    let three = say(&mut log, "c");
    ok(log.branch(&two));
    let other = say(&mut log, "d");
    ok(log.set_label(&other, Some("left")));
    let fork = ok(log.fork(&three, &Options::new()));
    assert_eq!(ok(fork.label(&one)).as_deref(), Some("kept"));
    assert!(matches!(fork.label(&other), Err(Error::UnknownId(_))));
    let all = entries(&fork);
    assert_eq!(ids(&all)[..3], [&one, &two, &three], "the label has left the chain");
    assert_eq!(all[2].parent.as_deref(), Some(two.as_str()));
    assert_eq!((value(&all[3].json)["type"].clone(), all[3].parent.clone()), ("label".into(), Some(three)));
    assert_eq!(all.len(), 4);
}

#[test]
fn labelling_an_unknown_id_is_an_error() {
    let mut log = in_memory();
    say(&mut log, "a");
    let error = log.set_label("gone", Some("mark")).expect_err("an unknown id");
    assert_eq!(error.to_string(), "no entry has the id 'gone'");
    assert_eq!(log.len(), 1);
}
