//! An entry in a few words: who speaks, and the first words of what is said.

use crate::dialect::pi::{EntryType, Role};
use crate::json::{Kind, Member, text};
use crate::record::{Record, unquoted};
use crate::session::Entry;
use crate::session::view::View;

/// How many bytes of a string are looked at for its first words.
const ENOUGH: usize = 4096;

/// An entry in a few words. Nothing in it is safe for a terminal yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Its `type`, as the file has it; `None` where it has none.
    pub kind: Option<String>,
    /// The role of its message.
    pub role: Option<String>,
    /// The first words; white space as it stands in the file.
    pub text: String,
    /// Its `timestamp` as JSON.
    pub timestamp: Option<String>,
}

impl Digest {
    /// The digest of a node; that of a value that is no record is empty.
    pub fn of(view: &View<'_>, n: u32) -> Digest {
        let row = view.row(n);
        let found = view.record(n, |r| Digest {
            kind: string(r, r.get(b"type")),
            role: string(r, r.get_inner(b"role")).filter(|_| row.kind == EntryType::Message),
            text: text_of(r, row),
            timestamp: r.get(b"timestamp").map(|m| r.raw(&m.value)),
        });
        found.unwrap_or_default()
    }

    /// Who speaks, or what the entry is, in a word.
    pub fn who(&self, row: &Entry) -> &str {
        match (row.kind, row.role) {
            (EntryType::Message, Role::ToolResult) => "tool",
            (EntryType::Message, Role::BashExecution) => "bash",
            (EntryType::Message, Role::None) => "message",
            (EntryType::Message, _) => self.role.as_deref().unwrap_or("message"),
            (EntryType::BranchSummary, _) => "summary",
            (EntryType::ModelChange, _) => "model",
            (EntryType::ThinkingLevelChange, _) => "thinking",
            (EntryType::SessionInfo, _) => "name",
            (EntryType::CustomMessage, _) => "custom",
            (EntryType::ContextEdit, _) => "edit",
            (EntryType::ActiveToolsChange, _) => "tools",
            (EntryType::Missing, _) => "no type",
            _ => self.kind.as_deref().unwrap_or("no type"),
        }
    }
}

/// The beginning of a string member.
fn string(r: &Record<'_>, member: Option<&Member>) -> Option<String> {
    let raw = r.raw_string(member?)?;
    Some(text::to_text(&raw[..raw.len().min(ENOUGH)]))
}

fn text_of(r: &Record<'_>, row: &Entry) -> String {
    let get = |name: &[u8]| string(r, r.get(name)).unwrap_or_default();
    match row.kind {
        EntryType::Message => message(r, row.role),
        EntryType::CustomMessage => join(&[&get(b"customType"), &content(r, r.get(b"content"))], ": "),
        EntryType::Compaction | EntryType::BranchSummary => get(b"summary"),
        EntryType::ModelChange => match r.get(b"modelId") {
            Some(_) => join(&[&get(b"provider"), &get(b"modelId")], "/"),
            None => get(b"model"),
        },
        EntryType::ThinkingLevelChange => get(b"thinkingLevel"),
        EntryType::Label => match get(b"label") {
            label if label.is_empty() => format!("cleared on {}", get(b"targetId")),
            label => format!("{label} on {}", get(b"targetId")),
        },
        EntryType::SessionInfo => get(b"name"),
        EntryType::Custom => get(b"customType"),
        EntryType::ContextEdit => format!("{} {}", edit(r), get(b"targetId")),
        EntryType::Usage => join(&[&get(b"kind"), &get(b"provider"), &get(b"model")], " "),
        EntryType::Leaf => match r.get(b"targetId").map(|m| m.kind) {
            Some(Kind::Null) => "before everything".to_string(),
            _ => format!("to {}", get(b"targetId")),
        },
        EntryType::ActiveToolsChange | EntryType::Missing | EntryType::Unknown => String::new(),
    }
}

fn edit(r: &Record<'_>) -> &'static str {
    match r.get(b"replacement").map(|m| m.kind) {
        Some(Kind::Null) => "removes",
        _ => "changes",
    }
}

fn message(r: &Record<'_>, role: Role) -> String {
    let inner = |name: &[u8]| string(r, r.get_inner(name)).unwrap_or_default();
    match role {
        Role::BashExecution => inner(b"command"),
        Role::BranchSummary | Role::CompactionSummary => inner(b"summary"),
        Role::ToolResult => join(&[&inner(b"toolName"), &content(r, r.get_inner(b"content"))], ": "),
        _ => content(r, r.get_inner(b"content")),
    }
}

/// The first text of a content; where there is none, the tools that are called, or what else there is.
fn content(r: &Record<'_>, member: Option<&Member>) -> String {
    let Some(member) = member else { return String::new() };
    if member.kind != Kind::Array {
        return string(r, Some(member)).unwrap_or_default();
    }
    let blocks = Blocks::of(r, member);
    if let Some(text) = blocks.first(b"text", b"text") {
        return text;
    }
    let calls = blocks.all(b"toolCall", b"name");
    if !calls.is_empty() {
        return format!("calls {}", calls.join(", "));
    }
    blocks.first(b"thinking", b"thinking").unwrap_or_else(|| blocks.all_types().join(", "))
}

/// The blocks of a content.
struct Blocks<'a> {
    bytes: &'a [u8],
    /// For each block its members.
    list: Vec<&'a [Member]>,
}

impl<'a> Blocks<'a> {
    fn of(r: &Record<'a>, content: &Member) -> Self {
        let is_of_message = r.get_inner(b"content").is_some_and(|m| m.value == content.value);
        let list = match is_of_message {
            true => r.scanner.blocks_with_members().map(|(_, members)| members).collect(),
            false => Vec::new(),
        };
        Blocks { bytes: r.bytes, list }
    }

    fn get(&self, block: &[Member], name: &[u8]) -> Option<&'a [u8]> {
        let member = crate::json::get(block, self.bytes, name).filter(|m| m.kind == Kind::String)?;
        Some(&self.bytes[unquoted(&member.value)])
    }

    fn of_type(&self, kind: &'static [u8]) -> impl Iterator<Item = &&'a [Member]> {
        self.list.iter().filter(move |block| self.get(block, b"type") == Some(kind))
    }

    /// The first value of a member of a block of a type that is not blank.
    fn first(&self, kind: &'static [u8], name: &[u8]) -> Option<String> {
        let texts = self.of_type(kind).filter_map(|block| self.get(block, name));
        let mut texts = texts.map(|raw| text::to_text(&raw[..raw.len().min(ENOUGH)]));
        texts.find(|text| !text.trim().is_empty())
    }

    fn all(&self, kind: &'static [u8], name: &[u8]) -> Vec<String> {
        const MOST: usize = 20;
        let texts = self.of_type(kind).filter_map(|block| self.get(block, name));
        texts.take(MOST).map(|raw| text::to_text(&raw[..raw.len().min(ENOUGH)])).collect()
    }

    fn all_types(&self) -> Vec<String> {
        const MOST: usize = 20;
        self.list.iter().filter_map(|block| self.get(block, b"type")).take(MOST).map(text::to_text).collect()
    }
}

/// Parts with something between them, empty ones left out.
fn join(parts: &[&str], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(between)
}
