//! `interleaved-writers`: two branches grew at the same time.

use super::{Repair, Rule, Severity};

/// G009.
pub static RULE: Rule = Rule {
    code: "G009",
    name: "interleaved-writers",
    severity: Severity::Info,
    also: &[],
    found: "Two branches grow in turns, entry by entry, within the same minutes.",
    why: "One person going back and forth does not leave such a pattern: two processes had the \
        session open and both wrote. Neither knew of the other's entries, so each branch holds \
        only one half of what happened.",
    readers: "Nothing fails. A reader resumes the branch of the entry that was written last; the other \
        is a side branch.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:04Z",…}
{"type":"message","id":"e03f6a1c","parentId":"5c1d0e2f","timestamp":"2026-02-03T10:15:07Z",…}
{"type":"message","id":"71c5d9b8","parentId":"b7e4a910","timestamp":"2026-02-03T10:15:09Z",…}"#,
    repair: Repair::None,
    remedy: "None: both branches are whole, and there is no right order in which to merge two \
        conversations. `sesstool fork` makes a session of its own from either.",
};
