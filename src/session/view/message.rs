//! The messages of a context, as JSON.

use super::context::{Part, Shown};
use super::{Reader, View};
use crate::dialect::pi::{EntryType, Role};
use crate::json::{Kind, Member, Scanner, Span, skip_space};
use crate::record::Record;
use crate::session::NO_TIME;

/// A message that the model sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The entry that it comes from.
    pub node: u32,
    /// Its JSON.
    pub json: String,
}

impl View<'_> {
    /// Whether an entry is a message, or gives one.
    pub fn is_shown_as_message(&self, n: u32) -> bool {
        let kind = self.row(n).kind;
        self.row(n).is_message() || matches!(kind, EntryType::Compaction | EntryType::BranchSummary)
    }

    /// Reads a message of a context. `None` where its entry cannot be read again.
    pub fn message(&self, shown: &Shown) -> Option<Message> {
        let edit = shown.edit.map(|edit| self.record(edit, new_content)).unwrap_or_default();
        let change = shown.edit.map(|_| edit.flatten());
        let json = self.record(shown.node, |r| self.message_of(r, shown, change.as_ref()))?;
        Some(Message { node: shown.node, json })
    }

    /// `change` is what an edit makes of the content: `Some(None)` takes it away.
    fn message_of(&self, r: &Record<'_>, shown: &Shown, change: Option<&Option<Content>>) -> String {
        match (shown.part, self.row(shown.node).kind) {
            (Part::System, _) => r.get(b"systemMessage").map_or("null".into(), |m| r.raw(&m.value)),
            (Part::Tail(n), _) => tail_of(r).get(n as usize).map_or("null".into(), |span| r.raw(span)),
            (Part::Whole, EntryType::Compaction) => {
                self.made(r, shown.node, "compactionSummary", &[b"summary", b"tokensBefore"])
            }
            (Part::Whole, EntryType::BranchSummary) => {
                self.made(r, shown.node, "branchSummary", &[b"summary", b"fromId"])
            }
            (Part::Whole, EntryType::CustomMessage) => self.custom_message(r, shown.node, change),
            (Part::Whole, _) => self.own_message(r, shown.node, change),
        }
    }

    /// A message that the reader makes of members of the entry.
    fn made(&self, r: &Record<'_>, n: u32, role: &str, names: &[&[u8]]) -> String {
        let mut object = Object::new();
        object.add("role", &format!("\"{role}\""));
        for name in names {
            if let Some(member) = r.get(name) {
                object.add(&String::from_utf8_lossy(name), &r.raw(&member.value));
            }
        }
        object.add("timestamp", &self.millis(n));
        object.end()
    }

    fn custom_message(&self, r: &Record<'_>, n: u32, change: Option<&Option<Content>>) -> String {
        let mut object = Object::new();
        object.add("role", "\"custom\"");
        for name in ["customType", "content", "display", "details"] {
            let own = r.get(name.as_bytes()).map(|m| (m.kind, r.raw(&m.value)));
            let value = match (name, change, own) {
                ("content", Some(change), _) => change.as_ref().map(|content| content.json.clone()),
                // pi takes an absent content for an empty one; agent-core leaves it out
                ("content", None, None | Some((Kind::Null, _))) if self.reader != Reader::AgentCore => {
                    Some("[]".to_string())
                }
                (_, _, own) => own.map(|(_, json)| json),
            };
            if let Some(value) = value {
                object.add(name, &value);
            }
        }
        object.add("timestamp", &self.millis(n));
        object.end()
    }

    fn own_message(&self, r: &Record<'_>, n: u32, change: Option<&Option<Content>>) -> String {
        let Some(message) = r.get(b"message") else { return "null".to_string() };
        if message.kind != Kind::Object {
            return r.raw(&message.value);
        }
        let role = self.row(n).role;
        let renamed = role == Role::HookMessage && self.old_roles;
        let content = self.content(r, role, change);
        if !renamed && content == Change::None {
            return r.raw(&message.value);
        }
        let role = renamed.then_some("\"custom\"");
        rebuild(r, role, &content)
    }

    /// What the reader makes of a message's content.
    fn content(&self, r: &Record<'_>, role: Role, change: Option<&Option<Content>>) -> Change {
        let wants_blocks = matches!(role, Role::Assistant | Role::ToolResult);
        match change {
            Some(None) => Change::Remove,
            Some(Some(content)) if content.is_text && wants_blocks => {
                Change::Set(format!("[{{\"type\":\"text\",\"text\":{}}}]", content.json))
            }
            Some(Some(content)) => Change::Set(content.json.clone()),
            None => {
                let lists = wants_blocks || role == Role::User;
                let empty = r.get_inner(b"content").is_none_or(|m| m.kind == Kind::Null);
                // so pi 1.6 does; agent-core leaves it
                match lists && empty && self.reader != Reader::AgentCore {
                    true => Change::Set("[]".to_string()),
                    false => Change::None,
                }
            }
        }
    }

    /// The entry's time as `Date.getTime()` gives it.
    fn millis(&self, n: u32) -> String {
        match self.row(n).time {
            NO_TIME => "null".to_string(),
            time => time.to_string(),
        }
    }
}

/// The content that an edit gives.
struct Content {
    json: String,
    is_text: bool,
}

/// What becomes of a member.
#[derive(PartialEq, Eq)]
enum Change {
    None,
    Remove,
    Set(String),
}

/// `replacement.content` of an edit; `None` where it is absent.
fn new_content(r: &Record<'_>) -> Option<Content> {
    let replacement = r.get(b"replacement")?;
    let bytes = &r.bytes[replacement.value.clone()];
    let mut scanner = Scanner::new();
    scanner.scan(bytes, 0).ok()?;
    let object = Record::new(bytes, &scanner);
    let member = object.get(b"content")?;
    Some(Content { json: object.raw(&member.value), is_text: member.kind == Kind::String })
}

/// A message with another role or content; the other members stay as they are written.
fn rebuild(r: &Record<'_>, role: Option<&str>, content: &Change) -> String {
    let mut object = Object::new();
    let mut placed = false;
    for member in r.inner {
        if member.is(r.bytes, b"content") && *content != Change::None {
            if let (Change::Set(json), false) = (content, placed) {
                object.add("content", json);
            }
            placed = true;
        } else if let (Some(role), true) = (role, member.is(r.bytes, b"role")) {
            object.add("role", role);
        } else {
            object.add_raw(r, member);
        }
    }
    if let (Change::Set(json), false) = (content, placed) {
        object.add("content", json);
    }
    object.end()
}

/// The messages that a compaction carries: the elements of `retainedTail`.
pub(super) fn tail_of(r: &Record<'_>) -> Vec<Span> {
    match r.get(b"retainedTail") {
        Some(tail) if tail.kind == Kind::Array => elements(r.bytes, &tail.value),
        _ => Vec::new(),
    }
}

/// The elements of an array that was scanned before.
fn elements(bytes: &[u8], array: &Span) -> Vec<Span> {
    let bytes = &bytes[..array.end];
    let mut scanner = Scanner::new();
    let mut found = Vec::new();
    let mut at = array.start + 1;
    while let Ok(value) = scanner.scan(bytes, at) {
        found.push(value.span.clone());
        at = skip_space(bytes, value.span.end);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at += 1;
    }
    found
}

/// An object under construction.
struct Object(String);

impl Object {
    fn new() -> Self {
        Object("{".to_string())
    }

    fn add(&mut self, name: &str, json: &str) {
        self.key(&format!("\"{name}\""));
        self.0 += json;
    }

    fn add_raw(&mut self, r: &Record<'_>, member: &Member) {
        let key = member.key.start - 1..member.key.end + 1;
        self.key(&r.raw(&key));
        self.0 += &r.raw(&member.value);
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += key;
        self.0.push(':');
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// The messages as a provider gets them: what a person, an extension or a summary says is a user's
/// message, and neighbouring ones are one. The words that pi puts around summaries and commands are left
/// out, and so are commands that a person kept from the model.
pub fn merge_users(messages: impl Iterator<Item = Message>) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::new();
    let mut open: Option<Vec<String>> = None;
    let close = |open: &mut Option<Vec<String>>, merged: &mut Vec<Message>| {
        if let (Some(blocks), Some(last)) = (open.take(), merged.last_mut()) {
            last.json = format!("{{\"role\":\"user\",\"content\":[{}]}}", blocks.join(","));
        }
    };
    for message in messages {
        match said_by_user(&message.json) {
            Said::Nothing => {}
            Said::Other => {
                close(&mut open, &mut merged);
                merged.push(message);
            }
            Said::Blocks(more) => match &mut open {
                Some(blocks) => blocks.extend(more),
                None => {
                    open = Some(more);
                    merged.push(message);
                }
            },
        }
    }
    close(&mut open, &mut merged);
    merged
}

/// What a message is to a provider.
enum Said {
    /// Blocks of a user's message.
    Blocks(Vec<String>),
    /// A message of another role.
    Other,
    /// Nothing at all.
    Nothing,
}

fn said_by_user(json: &str) -> Said {
    // as if it were the message of an entry, so that its content is taken apart
    let wrapped = format!("{{\"message\":{json}}}");
    let mut scanner = Scanner::new();
    if scanner.scan(wrapped.as_bytes(), 0).is_err() {
        return Said::Other;
    }
    let r = Record::new(wrapped.as_bytes(), &scanner);
    let role = r.get_inner(b"role").and_then(|m| r.raw_string(m)).map_or(Role::Unknown, Role::of);
    let text = |name: &[u8]| r.get_inner(name).filter(|m| m.kind == Kind::String).map(|m| text_block(&r.raw(&m.value)));
    match role {
        Role::User | Role::Custom | Role::HookMessage => Said::Blocks(match text(b"content") {
            Some(block) => vec![block],
            None => scanner.blocks.iter().map(|block| r.raw(&block.value)).collect(),
        }),
        Role::CompactionSummary | Role::BranchSummary => Said::Blocks(text(b"summary").into_iter().collect()),
        Role::BashExecution if is_excluded(&r) => Said::Nothing,
        Role::BashExecution => Said::Blocks(text(b"command").into_iter().chain(text(b"output")).collect()),
        _ => Said::Other,
    }
}

fn is_excluded(r: &Record<'_>) -> bool {
    r.get_inner(b"excludeFromContext").is_some_and(|m| super::value::is_truthy(r, m))
}

fn text_block(json: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{json}}}")
}
