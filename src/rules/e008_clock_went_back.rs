//! `clock-went-back`: an entry is older than its parent.

use super::{Repair, Rule, Severity};

/// E008.
pub static RULE: Rule = Rule {
    code: "E008",
    name: "clock-went-back",
    severity: Severity::Info,
    also: &[],
    found: "The `timestamp` of an entry is earlier than its parent's. Told once a file, on the first \
        place, with the count and the largest jump. A header that is younger than the first entry \
        is normal and never told.",
    why: "The machine's clock was set back, or entries were written by machines whose clocks differ. \
        The conversation is whole; only times and durations mislead.",
    readers: "pi shows siblings in the order of their times, not of the file, so that branches may \
        appear in an unexpected order.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-03T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"2026-02-03T09:15:09Z",…}"#,
    repair: Repair::None,
    remedy: "None needed: parents, not times, make the conversation, and the times are what the clock \
        said.",
};
