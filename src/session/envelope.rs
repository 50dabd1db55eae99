//! What a record says about itself, read once while its line is at hand.

use super::content::{self, Message};
use crate::dialect::pi::{EntryType, FieldSpec, MESSAGE_FIELDS, Role, TOOL_RESULT_FIELDS};
use crate::dialect::time::{self, Time};
use crate::json::{Kind, Member, Names};
use crate::record::Record;
use std::borrow::Cow;

/// What is remarkable about a record or a line, as bits; a rule says which ones wake it.
pub mod facts {
    /// A key occurs twice in one object.
    pub const DUPLICATE_KEY: u32 = 1 << 0;
    /// Half a surrogate pair.
    pub const LONE_SURROGATE: u32 = 1 << 1;
    /// A number that a double does not hold.
    pub const INEXACT_NUMBER: u32 = 1 << 2;
    /// Nesting beyond 128.
    pub const DEEP: u32 = 1 << 3;
    /// No `type`, or one that is no string.
    pub const NO_TYPE: u32 = 1 << 4;
    /// A type that is not listed.
    pub const UNKNOWN_TYPE: u32 = 1 << 5;
    /// A field of another JSON type than the format gives it.
    pub const FIELD_TYPE: u32 = 1 << 6;
    /// A required field is absent or null.
    pub const FIELD_MISSING: u32 = 1 << 7;
    /// The entry's or the message's time is there, but not as the format wants it.
    pub const BAD_TIME: u32 = 1 << 8;
    /// A byte that is no UTF-8.
    pub const BAD_UTF8: u32 = 1 << 9;
    /// A raw U+2028, U+2029 or U+0085.
    pub const SEPARATOR: u32 = 1 << 10;
    /// A `context_edit` without `replacement`.
    pub const NO_REPLACEMENT: u32 = 1 << 11;
    /// A message's content is absent or null.
    pub const NO_CONTENT: u32 = 1 << 12;
    /// Content, or a block of it, has not the shape it should have.
    pub const BAD_BLOCK: u32 = 1 << 13;
    /// A text block that says nothing.
    pub const EMPTY_TEXT: u32 = 1 << 14;
    /// A role that is not listed.
    pub const UNKNOWN_ROLE: u32 = 1 << 15;
    // bits 16 to 19 are those of lines
    /// An assistant's message without provider, model, stop reason or usage.
    pub const INCOMPLETE: u32 = 1 << 20;
    /// A thinking block without a signature, or with nothing but one.
    pub const UNSIGNED: u32 = 1 << 21;
}

/// A member that holds an id, or should.
#[derive(Clone, Debug)]
pub enum Id<'a> {
    /// The key is absent.
    Absent,
    /// It is null.
    Null,
    /// A string, decoded.
    Text(Cow<'a, [u8]>, &'a Member),
    /// Some other value.
    Other(&'a Member),
}

impl<'a> Id<'a> {
    /// Reads a member; bytes that are no UTF-8 count as U+FFFD, as readers decode them.
    fn of(record: &Record<'a>, member: Option<&'a Member>, valid_utf8: bool) -> Id<'a> {
        let Some(member) = member else { return Id::Absent };
        match (member.kind, record.string(member)) {
            (Kind::Null, _) => Id::Null,
            // what held escapes is decoded already
            (_, Some(text)) if valid_utf8 || matches!(text, Cow::Owned(_)) => Id::Text(text, member),
            (_, Some(text)) => Id::Text(String::from_utf8_lossy(&text).into_owned().into_bytes().into(), member),
            _ => Id::Other(member),
        }
    }

    /// The member, where there is one that is not null.
    pub fn member(&self) -> Option<&'a Member> {
        match self {
            Id::Text(_, member) | Id::Other(member) => Some(member),
            _ => None,
        }
    }
}

/// What a record says about itself.
#[derive(Clone, Debug)]
pub struct Envelope<'a> {
    /// Its type.
    pub entry: EntryType,
    /// The role of its message.
    pub role: Role,
    /// Whether it is a header.
    pub header: bool,
    /// Its id.
    pub id: Id<'a>,
    /// Its parent.
    pub parent: Id<'a>,
    /// Its time.
    pub time: Time,
    /// Whether the key `timestamp` is there.
    pub timed: bool,
    /// Bits of [`facts`].
    pub facts: u32,
    /// How an assistant's turn ended, as bits of [`flags`](super::flags).
    pub turn: u16,
    /// Whether it has a key that lines of other storages have.
    pub foreign: bool,
}

/// The depth beyond which nesting is remarkable (rule J006).
pub const DEEP: usize = 128;

impl<'a> Envelope<'a> {
    /// Reads a record. `valid_utf8` is false where it holds bytes that are no UTF-8.
    pub fn read(record: &Record<'a>, valid_utf8: bool) -> Envelope<'a> {
        const NAMES: Names<8> =
            Names::new([b"type", b"id", b"parentId", b"timestamp", b"message", b"seq", b"uuid", b"storageVersion"]);
        let [kind, id, parent, time, message, seq, uuid, storage] = NAMES.find(record.top, record.bytes);
        let notes = &record.scanner.notes;
        let mut facts = 0;
        let mut set = |on: bool, fact: u32| facts |= if on { fact } else { 0 };
        set(notes.duplicate.is_some(), facts::DUPLICATE_KEY);
        set(notes.lone_surrogate.is_some(), facts::LONE_SURROGATE);
        set(notes.inexact.is_some(), facts::INEXACT_NUMBER);
        set(notes.depth > DEEP, facts::DEEP);
        set(!valid_utf8, facts::BAD_UTF8);
        let name = kind.and_then(|m| record.string(m));
        let header = name.as_deref() == Some(b"session");
        let entry = name.as_deref().map_or(EntryType::Missing, EntryType::of);
        let mut envelope = Envelope {
            entry,
            role: Role::None,
            header,
            id: Id::of(record, id, valid_utf8),
            parent: Id::of(record, parent, valid_utf8),
            time: time.map_or(Time::Invalid, |m| read_time(record, m)),
            timed: time.is_some(),
            facts: 0,
            turn: 0,
            foreign: seq.or(uuid).or(storage).is_some(),
        };
        if !header {
            set(entry == EntryType::Missing, facts::NO_TYPE);
            set(entry == EntryType::Unknown, facts::UNKNOWN_TYPE);
            let proper = matches!(envelope.time, Time::Proper(_));
            set(time.is_some_and(|m| !proper || m.kind != Kind::String), facts::BAD_TIME);
            set(entry == EntryType::ContextEdit && record.get(b"replacement").is_none(), facts::NO_REPLACEMENT);
            // most records are messages, whose only field is known already
            let is_message = entry == EntryType::Message && message.is_some_and(|m| m.kind == Kind::Object);
            if !is_message {
                facts |= check_fields(record.bytes, record.top, entry.spec().map_or(&[], |s| s.fields));
            }
            if entry == EntryType::Message {
                let message = Message::read(record);
                envelope.role =
                    message.role.map_or(Role::None, |m| record.string(m).map_or(Role::Unknown, |name| Role::of(&name)));
                if is_message {
                    facts |= check_message(&message, record, envelope.role);
                }
                if envelope.role == Role::Assistant {
                    envelope.turn = message.turn(record);
                }
            } else if entry == EntryType::CustomMessage {
                facts |= content::custom_facts(record);
            }
        }
        envelope.facts = facts;
        envelope
    }
}

/// A time as `new Date(value)` reads it: a string, a number of milliseconds, or null (1970).
pub fn read_time(record: &Record<'_>, member: &Member) -> Time {
    match (member.kind, record.string(member)) {
        (_, Some(text)) => time::read(&text),
        (Kind::Null, _) => Time::Lax(0),
        (Kind::Bool, _) => Time::Lax(i64::from(&record.bytes[member.value.clone()] == b"true")),
        (Kind::Number, _) => {
            let text = std::str::from_utf8(&record.bytes[member.value.clone()]).unwrap_or_default();
            match text.parse::<f64>() {
                // the range of a Date
                Ok(ms) if ms.abs() <= 8.64e15 => Time::Lax(ms.trunc() as i64),
                _ => Time::Invalid,
            }
        }
        _ => Time::Invalid,
    }
}

/// What is remarkable about a message.
fn check_message(message: &Message<'_>, record: &Record<'_>, role: Role) -> u32 {
    // the role is the only field of most messages that is checked, and a known one is right
    let mut found = match role {
        Role::ToolResult => check_fields(record.bytes, record.inner, TOOL_RESULT_FIELDS),
        Role::None | Role::Unknown => check_fields(record.bytes, record.inner, MESSAGE_FIELDS),
        _ => 0,
    };
    if message.time.is_some_and(|m| m.kind != Kind::Number) {
        found |= facts::BAD_TIME;
    }
    found | message.facts(record, role)
}

fn check_fields(bytes: &[u8], members: &[Member], fields: &[FieldSpec]) -> u32 {
    let mut found = 0;
    for field in fields {
        match field_state(bytes, members, field) {
            FieldState::Fine => {}
            FieldState::Missing => found |= facts::FIELD_MISSING,
            FieldState::Wrong(_) => found |= facts::FIELD_TYPE,
        }
    }
    found
}

/// How a field stands.
pub enum FieldState<'m> {
    /// As it should be.
    Fine,
    /// Required, and absent or null.
    Missing,
    /// Of another type.
    Wrong(&'m Member),
}

/// How the field `spec` stands among `members`.
pub fn field_state<'m>(bytes: &[u8], members: &'m [Member], spec: &FieldSpec) -> FieldState<'m> {
    match crate::json::get_by_word(members, bytes, spec.word, spec.name) {
        None if spec.required && !replaced(bytes, members, spec.name) => FieldState::Missing,
        None => FieldState::Fine,
        Some(member) if member.kind == Kind::Null && spec.required => FieldState::Missing,
        Some(member) if member.kind.bit() & spec.kinds == 0 => FieldState::Wrong(member),
        Some(_) => FieldState::Fine,
    }
}

/// oh-my-pi writes `model` instead of provider and modelId.
fn replaced(bytes: &[u8], members: &[Member], name: &[u8]) -> bool {
    matches!(name, b"provider" | b"modelId")
        && crate::json::get(members, bytes, b"model").is_some_and(|m| m.kind == Kind::String)
}
