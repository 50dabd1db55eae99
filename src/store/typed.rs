//! Entries by their type, with the members that pi gives them.

use super::{Error, SessionLog};
use crate::dialect::pi::{EntryType, Role};
use crate::dialect::time;
use serde::Serialize;
use serde_json::Value;

/// A summary that stands for what came before it on its branch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compaction<'a> {
    /// The summary.
    pub summary: &'a str,
    /// From which entry on what came before is kept; it must be on the current branch. `None` keeps nothing.
    pub first_kept: Option<&'a str>,
    /// How many tokens the context had.
    pub tokens_before: u64,
    /// The system message from here on: pi 1.6 leaves those before a compaction out of the context.
    pub system_message: Option<&'a Value>,
    /// The messages that are kept, where agent-core writes them into the compaction.
    pub retained_tail: Option<&'a [Value]>,
    /// What an extension has to say.
    pub details: Option<&'a Value>,
    /// What making the summary took.
    pub usage: Option<&'a Value>,
    /// Whether an extension made it.
    pub from_hook: Option<bool>,
}

/// A summary of a branch that was left.
#[derive(Clone, Copy, Debug, Default)]
pub struct BranchSummary<'a> {
    /// The summary.
    pub summary: &'a str,
    /// What an extension has to say.
    pub details: Option<&'a Value>,
    /// What making the summary took.
    pub usage: Option<&'a Value>,
    /// Whether an extension made it.
    pub from_hook: Option<bool>,
}

/// A message of an extension.
#[derive(Clone, Copy, Debug)]
pub struct CustomMessage<'a> {
    /// What the extension calls it.
    pub custom_type: &'a str,
    /// Text, or content blocks.
    pub content: &'a Value,
    /// Whether people see it; the model does in any case.
    pub display: bool,
    /// What is for the extension only.
    pub details: Option<&'a Value>,
}

/// Tokens and cost outside a message.
#[derive(Clone, Copy, Debug)]
pub struct Usage<'a> {
    /// What they were spent on.
    pub kind: &'a str,
    /// The provider.
    pub provider: &'a str,
    /// The model.
    pub model: &'a str,
    /// Tokens and cost, as in an assistant's message.
    pub usage: &'a Value,
    /// A note.
    pub note: Option<&'a str>,
}

/// # Appending by type
///
/// Each gives the entry an id and the time, hangs it on the leaf, makes it the leaf, and returns its id.
/// The errors are those of [`append`](SessionLog::append), where no others are named.
impl SessionLog {
    /// Appends a message: an object with `role`, `content`, `timestamp` and what else its role needs. Anything
    /// that serialises is taken, [`serde_json::Value`] as well as a type of your own.
    ///
    /// # Errors
    /// As [`append`](Self::append); also if it does not serialise.
    pub fn append_message<M: Serialize + ?Sized>(&mut self, message: &M) -> Result<String, Error> {
        self.typed("message", |line| line.add("message", message))
    }

    /// Appends a change of the model.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_model_change(&mut self, provider: &str, model_id: &str) -> Result<String, Error> {
        self.typed("model_change", |line| {
            line.add("provider", provider)?;
            line.add("modelId", model_id)
        })
    }

    /// Appends a change of the thinking level.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_thinking_level_change(&mut self, level: &str) -> Result<String, Error> {
        self.typed("thinking_level_change", |line| line.add("thinkingLevel", level))
    }

    /// Appends a compaction.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_compaction(&mut self, compaction: &Compaction<'_>) -> Result<String, Error> {
        self.typed("compaction", |line| {
            line.add("summary", compaction.summary)?;
            match compaction.first_kept {
                Some(id) => line.add("firstKeptEntryId", id)?,
                None if compaction.retained_tail.is_none() => line.add_own_id("firstKeptEntryId")?,
                None => {}
            }
            line.add("tokensBefore", &compaction.tokens_before)?;
            line.add_some("retainedTail", compaction.retained_tail)?;
            line.add_some("details", compaction.details)?;
            line.add_some("usage", compaction.usage)?;
            line.add_some("fromHook", compaction.from_hook.as_ref())?;
            line.add_some("systemMessage", compaction.system_message)
        })
    }

    /// Appends a summary of a branch that was left, where the leaf is already; `from` is the entry that was
    /// left, `None` if there was none. [`branch_with_summary`](Self::branch_with_summary) goes back as well.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_branch_summary(&mut self, from: Option<&str>, summary: &BranchSummary<'_>) -> Result<String, Error> {
        let parent = self.leaf;
        self.summary(parent, from, summary)
    }

    /// Appends data of an extension, which the model does not see.
    ///
    /// # Errors
    /// As [`append`](Self::append); also if the data does not serialise.
    pub fn append_custom<D: Serialize + ?Sized>(
        &mut self,
        custom_type: &str,
        data: Option<&D>,
    ) -> Result<String, Error> {
        self.extension("custom", |line| {
            line.add("customType", custom_type)?;
            line.add_some("data", data)
        })
    }

    /// Appends a message of an extension.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_custom_message(&mut self, message: &CustomMessage<'_>) -> Result<String, Error> {
        self.extension("custom_message", |line| {
            line.add("customType", message.custom_type)?;
            line.add("content", message.content)?;
            line.add("display", &message.display)?;
            line.add_some("details", message.details)
        })
    }

    /// Appends an edit: on this branch the model sees this content (text or blocks) in the place of what the
    /// target had, and with `None` nothing of it.
    ///
    /// # Errors
    /// [`Error::OffBranch`]; [`Error::NotEditable`] for what is neither a message of a user, an assistant, a
    /// tool or an extension; as [`append`](Self::append).
    pub fn append_context_edit(&mut self, target: &str, content: Option<&Value>) -> Result<String, Error> {
        let n = self.known(target.as_bytes())?;
        if !self.leaf.is_some_and(|leaf| self.session.path(leaf).any(|m| m == n)) {
            return Err(Error::OffBranch(target.to_string()));
        }
        let row = &self.session.entries[n as usize];
        let wants_blocks = match (row.kind, row.role) {
            (EntryType::CustomMessage, _) | (EntryType::Message, Role::User) => false,
            (EntryType::Message, Role::Assistant | Role::ToolResult) => true,
            _ => return Err(Error::NotEditable(target.to_string())),
        };
        let replacement = match content {
            None => Value::Null,
            Some(Value::String(text)) if wants_blocks => {
                serde_json::json!({ "content": [{ "type": "text", "text": text }] })
            }
            Some(content @ (Value::String(_) | Value::Array(_))) => serde_json::json!({ "content": content }),
            Some(_) => return Err(Error::Entry("the content of an edit is neither text nor blocks".to_string())),
        };
        self.typed("context_edit", |line| {
            line.add("targetId", target)?;
            line.add("replacement", &replacement)
        })
    }

    /// Appends tokens and cost that belong to no message.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_usage(&mut self, usage: &Usage<'_>) -> Result<String, Error> {
        self.typed("usage", |line| {
            line.add("kind", usage.kind)?;
            line.add("provider", usage.provider)?;
            line.add("model", usage.model)?;
            line.add("usage", usage.usage)?;
            line.add_some("note", usage.note.filter(|note| !note.is_empty()))
        })
    }

    /// Gives an entry a label, or with `None` or an empty one takes it away. An entry has one label: the
    /// last one it was given.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn set_label(&mut self, target: &str, label: Option<&str>) -> Result<String, Error> {
        self.typed("label", |line| {
            line.add("targetId", target)?;
            line.add_some("label", label)
        })
    }

    /// Gives the session a name, or with an empty one takes it away. Line breaks become blanks.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn set_name(&mut self, name: &str) -> Result<String, Error> {
        let lines = name.split(['\r', '\n']).filter(|part| !part.is_empty());
        let name = lines.collect::<Vec<_>>().join(" ");
        self.typed("session_info", |line| line.add("name", name.trim()))
    }
}

/// # Going back
impl SessionLog {
    /// Goes back to an entry, or with `None` before everything, and appends a summary of the branch that is
    /// left. Returns the summary's id.
    ///
    /// # Errors
    /// As [`append`](Self::append); then the leaf is where it was.
    pub fn branch_with_summary(&mut self, target: Option<&str>, summary: &BranchSummary<'_>) -> Result<String, Error> {
        let parent = target.map(|id| self.known(id.as_bytes())).transpose()?;
        let left = self.leaf();
        self.summary(parent, left.as_deref(), summary)
    }

    /// Goes back to an entry, or with `None` before everything, and writes that down, as agent-core does: a
    /// `leaf` entry. Whoever opens the session again is there, except for pi, to which that entry is the last
    /// one. Returns the id of the `leaf` entry.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn move_to(&mut self, target: Option<&str>) -> Result<String, Error> {
        self.typed("leaf", |line| line.add("targetId", &target))
    }

    fn summary(
        &mut self,
        parent: Option<u32>,
        from: Option<&str>,
        summary: &BranchSummary<'_>,
    ) -> Result<String, Error> {
        self.typed_at(parent, "branch_summary", |line| {
            line.add("fromId", from.unwrap_or("root"))?;
            line.add("summary", summary.summary)?;
            line.add_some("details", summary.details)?;
            line.add_some("usage", summary.usage)?;
            line.add_some("fromHook", summary.from_hook.as_ref())
        })
    }
}

impl SessionLog {
    fn typed(&mut self, kind: &str, fields: impl FnOnce(&mut Line) -> Result<(), Error>) -> Result<String, Error> {
        let parent = self.leaf;
        self.typed_at(parent, kind, fields)
    }

    /// An entry below `parent`: what every entry has first, then its own members.
    fn typed_at(
        &mut self,
        parent: Option<u32>,
        kind: &str,
        fields: impl FnOnce(&mut Line) -> Result<(), Error>,
    ) -> Result<String, Error> {
        let mut line = self.begin_line(kind)?;
        self.base(&mut line, parent)?;
        fields(&mut line)?;
        self.end_line(line)
    }

    /// The same with its own members first, as pi writes the entries of extensions.
    fn extension(&mut self, kind: &str, fields: impl FnOnce(&mut Line) -> Result<(), Error>) -> Result<String, Error> {
        let mut line = self.begin_line(kind)?;
        fields(&mut line)?;
        self.base(&mut line, self.leaf)?;
        self.end_line(line)
    }

    fn begin_line(&mut self, kind: &str) -> Result<Line, Error> {
        let mut line = Line { bytes: std::mem::take(&mut self.line), id: self.new_id() };
        line.bytes.clear();
        // the LF is written where the line before it has none
        line.bytes.extend_from_slice(b"\n{\"type\":");
        line.value(kind)?;
        Ok(line)
    }

    fn base(&self, line: &mut Line, parent: Option<u32>) -> Result<(), Error> {
        line.add_own_id("id")?;
        line.add("parentId", &parent.map(|n| self.session.id_text(n)))?;
        line.add("timestamp", &time::now())
    }

    fn end_line(&mut self, mut line: Line) -> Result<String, Error> {
        line.bytes.push(b'}');
        self.line = line.bytes;
        self.put()
    }
}

/// An entry under construction.
struct Line {
    bytes: Vec<u8>,
    id: String,
}

impl Line {
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        serde_json::to_writer(&mut self.bytes, value)
            .map_err(|error| Error::Entry(format!("it cannot be written as JSON: {error}")))
    }

    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.bytes.extend_from_slice(b",\"");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b"\":");
        self.value(value)
    }

    fn add_some<T: Serialize + ?Sized>(&mut self, name: &str, value: Option<&T>) -> Result<(), Error> {
        value.map_or(Ok(()), |value| self.add(name, value))
    }

    fn add_own_id(&mut self, name: &str) -> Result<(), Error> {
        let id = std::mem::take(&mut self.id);
        self.add(name, &id)?;
        self.id = id;
        Ok(())
    }
}
