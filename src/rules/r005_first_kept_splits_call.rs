//! `first-kept-splits-call`: a compaction keeps a tool result but not its call.

use super::{Repair, Rule, Severity};

/// R005.
pub static RULE: Rule = Rule {
    code: "R005",
    name: "first-kept-splits-call",
    severity: Severity::Warning,
    also: &[],
    found: "The range that a compaction keeps begins between a tool call and its result. The same is \
        then not told as `M013` for that compaction.",
    why: "A result must follow its call. The session opens and looks right, but the next request to \
        the model fails, and so does each one after it.",
    readers: "The context begins with a result without its call: every request is refused.",
    example: r#"{"type":"message","id":"9a8b7c6d",…,"message":{…{"type":"toolCall","id":"call_7",…}…}}
{"type":"message","id":"5c1d0e2f",…,"message":{"role":"toolResult","toolCallId":"call_7",…}}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"firstKeptEntryId":"5c1d0e2f",…}"#,
    repair: Repair::None,
    remedy: "None: the compaction says what its writer meant, and keeping more or less changes what the \
        model sees. The finding proposes the assistant message that holds the call as the first \
        entry to keep.",
};
