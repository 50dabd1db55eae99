//! pi's session files, version 1 to 3, with what agent-core 0.83 and oh-my-pi add to them.

use crate::json::{Kind, word};
use crate::record::Record;

/// What kind an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EntryType {
    /// No `type`, or one that is no string.
    Missing,
    /// A type that is not listed here.
    Unknown,
    /// A message.
    Message,
    /// A summary that stands for what came before.
    Compaction,
    /// A summary of a branch that was left.
    BranchSummary,
    /// A message of an extension.
    CustomMessage,
    /// A change to an earlier message of the context (pi 1.6).
    ContextEdit,
    /// Sets the model.
    ModelChange,
    /// Sets the thinking level.
    ThinkingLevelChange,
    /// Names an entry.
    Label,
    /// Names the session.
    SessionInfo,
    /// Data of an extension, outside the context.
    Custom,
    /// Tokens and cost outside a message (pi 1.6).
    Usage,
    /// Moves the leaf (agent-core 0.83).
    Leaf,
    /// Sets the active tools (agent-core).
    ActiveToolsChange,
}

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// No role, or no message.
    None,
    /// A role that is not listed here.
    Unknown,
    /// What a person wrote.
    User,
    /// What the model wrote.
    Assistant,
    /// What a tool gave.
    ToolResult,
    /// The system prompt (pi 1.6).
    System,
    /// A command that a person ran.
    BashExecution,
    /// A message of an extension.
    Custom,
    /// A summary of a branch.
    BranchSummary,
    /// A summary of a compaction.
    CompactionSummary,
    /// What `custom` was called before version 3.
    HookMessage,
}

/// A field that an entry type has.
#[derive(Debug)]
pub struct FieldSpec {
    /// Its name.
    pub name: &'static [u8],
    /// The name's [`word`].
    pub word: u64,
    /// The JSON types it may have, as bits of [`Kind::bit`].
    pub kinds: u8,
    /// Whether E006 is found when it is absent or null.
    pub required: bool,
}

/// An entry type and its fields, those that every entry has left out.
#[derive(Debug)]
pub struct TypeSpec {
    /// The type.
    pub entry: EntryType,
    /// The value of `type`.
    pub name: &'static str,
    /// The fields whose type is checked.
    pub fields: &'static [FieldSpec],
    /// Whether it is bookkeeping: an entry that is no message and gives none (rule G008).
    pub bookkeeping: bool,
}

const STRING: u8 = Kind::String.bit();
const NULL: u8 = Kind::Null.bit();
const BOOL: u8 = Kind::Bool.bit();
const NUMBER: u8 = Kind::Number.bit();
const ARRAY: u8 = Kind::Array.bit();
const OBJECT: u8 = Kind::Object.bit();

const fn need(name: &'static [u8], kinds: u8) -> FieldSpec {
    FieldSpec { name, word: word(name), kinds: kinds | NULL, required: true }
}

const fn may(name: &'static [u8], kinds: u8) -> FieldSpec {
    FieldSpec { name, word: word(name), kinds, required: false }
}

/// The types, in the order of [`EntryType`] from `Message` on.
///
/// Not listed, since rules of their own look at them: `firstKeptEntryId` (R003), a `leaf` entry's
/// `targetId` (R001), `replacement` (R008), `content` (M006, M007).
pub static TYPES: &[TypeSpec] = &[
    TypeSpec { entry: EntryType::Message, name: "message", bookkeeping: false, fields: &[need(b"message", OBJECT)] },
    TypeSpec {
        entry: EntryType::Compaction,
        name: "compaction",
        bookkeeping: false,
        fields: &[
            need(b"summary", STRING),
            may(b"tokensBefore", NUMBER | NULL),
            may(b"usage", OBJECT | NULL),
            may(b"fromHook", BOOL | NULL),
            may(b"systemMessage", OBJECT | NULL),
            may(b"retainedTail", ARRAY | NULL),
        ],
    },
    TypeSpec {
        entry: EntryType::BranchSummary,
        name: "branch_summary",
        bookkeeping: false,
        fields: &[
            need(b"summary", STRING),
            may(b"fromId", STRING | NULL),
            may(b"usage", OBJECT | NULL),
            may(b"fromHook", BOOL | NULL),
        ],
    },
    TypeSpec {
        entry: EntryType::CustomMessage,
        name: "custom_message",
        bookkeeping: false,
        fields: &[need(b"customType", STRING), may(b"display", BOOL | NULL)],
    },
    TypeSpec {
        entry: EntryType::ContextEdit,
        name: "context_edit",
        bookkeeping: true,
        fields: &[need(b"targetId", STRING)],
    },
    TypeSpec {
        entry: EntryType::ModelChange,
        name: "model_change",
        bookkeeping: true,
        fields: &[
            need(b"provider", STRING),
            need(b"modelId", STRING),
            may(b"model", STRING | NULL),
            may(b"role", STRING | NULL),
        ],
    },
    TypeSpec {
        entry: EntryType::ThinkingLevelChange,
        name: "thinking_level_change",
        bookkeeping: true,
        fields: &[need(b"thinkingLevel", STRING)],
    },
    TypeSpec {
        entry: EntryType::Label,
        name: "label",
        bookkeeping: true,
        fields: &[need(b"targetId", STRING), may(b"label", STRING | NULL)],
    },
    TypeSpec {
        entry: EntryType::SessionInfo,
        name: "session_info",
        bookkeeping: true,
        fields: &[may(b"name", STRING | NULL)],
    },
    TypeSpec { entry: EntryType::Custom, name: "custom", bookkeeping: true, fields: &[need(b"customType", STRING)] },
    TypeSpec {
        entry: EntryType::Usage,
        name: "usage",
        bookkeeping: true,
        fields: &[
            may(b"kind", STRING | NULL),
            may(b"provider", STRING | NULL),
            may(b"model", STRING | NULL),
            may(b"usage", OBJECT | NULL),
            may(b"note", STRING | NULL),
        ],
    },
    TypeSpec { entry: EntryType::Leaf, name: "leaf", bookkeeping: false, fields: &[] },
    TypeSpec {
        entry: EntryType::ActiveToolsChange,
        name: "active_tools_change",
        bookkeeping: true,
        fields: &[may(b"activeToolNames", ARRAY | NULL)],
    },
];

/// The fields that every entry has: the ids and the time have rules of their own.
pub static MESSAGE_FIELDS: &[FieldSpec] = &[need(b"role", STRING)];

/// The fields of a tool result's message.
pub static TOOL_RESULT_FIELDS: &[FieldSpec] = &[
    need(b"role", STRING),
    need(b"toolCallId", STRING),
    may(b"toolName", STRING | NULL),
    may(b"isError", BOOL | NULL),
    may(b"usage", OBJECT | NULL),
];

impl EntryType {
    /// The type that a `type` string (raw, without quotes) names.
    pub fn of(name: &[u8]) -> EntryType {
        match name {
            b"message" => EntryType::Message,
            b"compaction" => EntryType::Compaction,
            b"branch_summary" => EntryType::BranchSummary,
            b"custom_message" => EntryType::CustomMessage,
            b"context_edit" => EntryType::ContextEdit,
            b"model_change" => EntryType::ModelChange,
            b"thinking_level_change" => EntryType::ThinkingLevelChange,
            b"label" => EntryType::Label,
            b"session_info" => EntryType::SessionInfo,
            b"custom" => EntryType::Custom,
            b"usage" => EntryType::Usage,
            b"leaf" => EntryType::Leaf,
            b"active_tools_change" => EntryType::ActiveToolsChange,
            _ => EntryType::Unknown,
        }
    }

    /// What the table says of it.
    pub fn spec(self) -> Option<&'static TypeSpec> {
        (self as usize).checked_sub(EntryType::Message as usize).and_then(|n| TYPES.get(n))
    }

    /// The value of `type`; `unknown` where there is none that is listed.
    pub fn name(self) -> &'static str {
        self.spec().map_or("unknown", |spec| spec.name)
    }

    /// Whether rule G008 takes it for bookkeeping.
    pub fn is_bookkeeping(self) -> bool {
        self.spec().is_none_or(|spec| spec.bookkeeping)
    }
}

impl Role {
    /// The role that a `role` string (raw, without quotes) names.
    pub fn of(name: &[u8]) -> Role {
        match name {
            b"user" => Role::User,
            b"assistant" => Role::Assistant,
            b"toolResult" => Role::ToolResult,
            b"system" => Role::System,
            b"bashExecution" => Role::BashExecution,
            b"custom" => Role::Custom,
            b"branchSummary" => Role::BranchSummary,
            b"compactionSummary" => Role::CompactionSummary,
            b"hookMessage" => Role::HookMessage,
            _ => Role::Unknown,
        }
    }
}

/// Whether a record is the title line of oh-my-pi, which is no entry.
pub fn is_title(record: &Record<'_>) -> bool {
    let title = record.get(b"type").and_then(|m| record.raw_string(m)) == Some(b"title");
    title && record.get(b"id").is_none() && record.get(b"parentId").is_none()
}

/// Whether a `type` string (raw, without quotes) is one of a session's lines.
pub fn knows(name: &[u8]) -> bool {
    name == b"session" || EntryType::of(name) != EntryType::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_types() {
        for spec in TYPES {
            assert_eq!(EntryType::of(spec.name.as_bytes()), spec.entry, "{}", spec.name);
            assert_eq!(spec.entry.spec().map(|s| s.name), Some(spec.name));
        }
    }
}
