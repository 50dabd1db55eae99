//! `dangling-edit-target`: a context edit has no target it can change.

use super::{Repair, Rule, Severity};

/// R007.
pub static RULE: Rule = Rule {
    code: "R007",
    name: "dangling-edit-target",
    severity: Severity::Warning,
    also: &[],
    found: "The `targetId` of a `context_edit` names no entry of the file, one that is not on its \
        path, or one that cannot be edited.",
    why: "Somebody removed or replaced a message for the model, and the model still sees the \
        original. That matters when the edit was to take out a secret or a huge output.",
    readers: "The edit has no effect (pi 1.6). agent-core 0.83 does not know context edits at all.",
    example: r#"{"type":"context_edit","id":"b7e4a910",…,"targetId":"d4d4d4d4","replacement":null}"#,
    repair: Repair::None,
    remedy: "None: which message was meant is not in the file. Make the edit again in the agent; \
        `sesstool context` shows what the model sees now.",
};
