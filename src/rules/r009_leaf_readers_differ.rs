//! `leaf-readers-differ`: pi and agent-core resume this session at different entries.

use super::{Repair, Rule, Severity};

/// R009.
pub static RULE: Rule = Rule {
    code: "R009",
    name: "leaf-readers-differ",
    severity: Severity::Info,
    also: &[],
    found: "Because of `leaf` entries pi and agent-core resume at different entries, or a message \
        after a `leaf` entry does not hang on the target of that entry. The finding stands on the \
        last entry of the file or branch concerned and tells both leaves and both message counts.",
    why: "Neither program is wrong: they follow different rules for where a session stands. But the \
        model sees another conversation, depending on which of them opens the file.",
    readers: "pi takes the last entry of the file for the leaf, whatever its type. agent-core takes the \
        target instead if that entry is a `leaf` entry.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"leaf","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","targetId":"9a8b7c6d"}"#,
    repair: Repair::None,
    remedy: "None needed: the file is lawful. `--reader pi` and `--reader agent-core` show what each of \
        them sees; resume with the program that wrote the session.",
};
