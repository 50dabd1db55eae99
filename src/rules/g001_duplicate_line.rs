//! `duplicate-line`: the same entry stands in the file again, byte for byte.

use super::{Repair, Rule, Severity};

/// G001.
pub static RULE: Rule = Rule {
    code: "G001",
    name: "duplicate-line",
    severity: Severity::Warning,
    also: &[],
    found: "A line repeats an earlier one: the same id and the same bytes. A block of repeated lines, \
        such as a whole file written twice, is one finding, on its first copied line.",
    why: "The copies hold nothing new, so nothing is lost. But they clutter the view of the tree, \
        and counts that go by lines are too high.",
    readers: "Tolerated by pi, but in its tree the subtree of such an entry shows twice.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}"#,
    repair: Repair::Safe,
    remedy: "Sets the later copies aside.",
};
