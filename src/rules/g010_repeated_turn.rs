//! `repeated-turn`: sibling branches hold the same messages under different ids.

use super::{Repair, Rule, Severity};

/// G010.
pub static RULE: Rule = Rule {
    code: "G010",
    name: "repeated-turn",
    severity: Severity::Info,
    also: &[],
    found: "Branches that start at the same entry hold the same messages again, under new ids.",
    why: "A rewrite appended a whole stretch of the conversation a second time. Nothing is lost, but \
        the file is larger than need be, and what was used once is counted twice.",
    readers: "Nothing fails: readers see an ordinary branch. Statistics that add up all entries count \
        tokens and cost twice.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d",…,"message":{…"run the tests"…}}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…,"message":{"role":"assistant",…}}
{"type":"message","id":"e03f6a1c","parentId":"9a8b7c6d",…,"message":{…"run the tests"…}}
{"type":"message","id":"71c5d9b8","parentId":"e03f6a1c",…,"message":{"role":"assistant",…}}"#,
    repair: Repair::None,
    remedy: "None needed: each branch is sound on its own. `sesstool fork` with the leaf you want \
        writes a session that holds the stretch once.",
};
