//! `missing-field`: an entry lacks a field it cannot do without.

use super::{Repair, Rule, Severity};

/// E006.
pub static RULE: Rule = Rule {
    code: "E006",
    name: "missing-field",
    severity: Severity::Error,
    also: &[],
    found: "A field is absent or `null`: `message` of a message; `summary` of a compaction or \
        branch_summary; `targetId` of a label, context_edit or leaf (of a leaf only if absent, \
        `null` is lawful); `customType` of custom and custom_message; `provider` and `modelId` of \
        model_change; `thinkingLevel`; the `role` of a message; `toolCallId` of a toolResult. \
        Lawful without: `name`, `label`, `data`, `details`, `usage`, `fromId`.",
    why: "One such entry on the branch can be enough to stop the whole session from being resumed.",
    readers: "Building the context throws.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…"}
{"type":"compaction","id":"b7e4a910","parentId":"5c1d0e2f",…,"summary":null}"#,
    repair: Repair::Choice,
    remedy: "Only on request (`--choose E006`): the entry is set aside. What it should have held is not \
        in the file, and dropping an entry changes the conversation, so it is not done unasked.",
};
