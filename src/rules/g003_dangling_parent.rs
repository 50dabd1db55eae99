//! `dangling-parent`: an entry names a parent that is not in the file.

use super::{Repair, Rule, Severity};

/// G003.
pub static RULE: Rule = Rule {
    code: "G003",
    name: "dangling-parent",
    severity: Severity::Error,
    also: &[],
    found: "The `parentId` of an entry names no entry of the file (the empty string included), or is \
        neither a string nor `null`. It is judged after the safe repairs, so a parent that is \
        recovered from a glued or torn line is there. If the parent was lost on a damaged line, \
        the finding names that line. An absent key is `E004`.",
    why: "The conversation is cut in two at this entry. Everything before it still stands in the \
        file, but the model no longer sees it, and no reader says so. It is the commonest reason \
        for a session that resumes \"without memory\".",
    readers: "pi starts the branch at this entry: all earlier context is gone without a word. agent-core \
        0.83 stops with an error when it meets such a parent on the way from the leaf to the root, \
        and refuses a file in which a parent is neither string nor `null`.",
    example: r#"{"type":"message","id":"9a8b7c6d","parentId":"31f0c2aa","timestamp":"…","message":{…}}
{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","mess
{"type":"message","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Links the entry to the one written just before it, never to itself or to one of its own \
        descendants. The assumption is that the conversation went on where it stood; the manifest \
        names it, with the old value. If the session has several branches, compare the result with \
        `sesstool tree` before you use it.",
};
