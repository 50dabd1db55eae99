//! `save-entry`

use super::super::*;

#[test]
fn custom_entries_are_listed_and_on_the_path_and_in_no_context() {
    let mut log = in_memory();
    let one = say(&mut log, "a");
    let data = json!({ "key": ["value", null, 1.5] });
    let two = ok(log.append_custom("ext", Some(&data)));
    let three = answer(&mut log, "b");
    let all = entries(&log);
    assert_eq!(ids(&all), [&one, &two, &three]);
    let entry = value(&all[1].json);
    let names = ["type", "customType", "data", "id", "parentId"].map(|name| entry[name].clone());
    assert_eq!(names, ["custom".into(), "ext".into(), data, two.clone().into(), one.clone().into()]);
    assert_eq!(path(&log), [one, two, three]);
    assert_eq!(said(&log), pairs(&[("user", "a"), ("assistant", "b")]));
}
