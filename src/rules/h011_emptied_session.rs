//! `emptied-session`: only a header is left, and it is younger than the file.

use super::{Repair, Rule, Severity};

/// H011.
pub static RULE: Rule = Rule {
    code: "H011",
    name: "emptied-session",
    severity: Severity::Warning,
    also: &[],
    found: "The file holds nothing but a header, and the time in the header is later than the one in \
        the file name.",
    why: "The file was begun earlier than its header was written, so there was something else in it \
        before. A session that was only started does not look like this: it is not written to disk \
        before there is a message.",
    readers: "Readers open it as an empty session. It is what pi 0.73 left of a session whose header it \
        could not read: it replaced the file by a fresh header.",
    example: r#"2026-02-03T10-14-58-001Z_019c2b7e-51aa-7c3e-9d10-2f6b8c4e7a01.jsonl:
{"type":"session","version":3,"id":"019c3004-…","timestamp":"2026-02-04T08:30:11.520Z",…}"#,
    repair: Repair::None,
    remedy: "None: the old content is no longer in the file. Look for it in a backup, in a file-system \
        snapshot, or in a fork or copy of the session.",
};
