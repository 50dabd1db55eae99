//! `invalid-timestamp`: an entry has no usable timestamp.

use super::{Repair, Rule, Severity};

/// E007.
pub static RULE: Rule = Rule {
    code: "E007",
    name: "invalid-timestamp",
    severity: Severity::Warning,
    also: &[],
    found: "The `timestamp` of an entry is absent, or is not of the form \
        `YYYY-MM-DDTHH:MM[:SS[.fff]](Z|±HH:MM)` with a real date. If JavaScript still understands \
        it, the finding says what it is read as. Also a timestamp inside a message that is there \
        but is no number. Not told of marker lines (`E003`).",
    why: "Times order the branches that start at one entry. An invalid one makes that order \
        arbitrary; it also falsifies durations and statistics by day.",
    readers: "pi: the order of siblings becomes unpredictable. agent-core 0.85 refuses the file; \
        agent-core 0.83 refuses it where the entry has none.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"2026-02-30T10:15:02Z",…}
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"yesterday","message":{…}}"#,
    repair: Repair::None,
    remedy: "None: the true time is not known, and an invented one would be worse than none. The place \
        in the file still shows between which entries it was written.",
};
