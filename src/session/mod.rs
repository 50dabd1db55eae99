//! The index of a session: every entry in one small row, the id table, the tree.
//!
//! [`scan::scan`] fills it in one pass. Nothing here keeps the text of a line; what is needed
//! again is read again by offset.

pub mod call_ids;
pub mod content;
pub mod derived_ids;
pub mod envelope;
pub mod facts;
pub mod graph;
pub mod grow;
pub mod ids;
pub mod kin;
pub mod mend;
pub mod pairs;
pub mod picker;
pub mod reread;
pub mod scan;
pub mod set;
pub mod tools;
pub mod traits;
pub mod view;

use crate::dialect::pi::{EntryType, Role};
use call_ids::CallIds;
use facts::FileFacts;
use ids::{Arena, Key, Table};
use set::EntrySet;
use traits::Traits;

/// One entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its time in milliseconds since 1970; [`NO_TIME`] where no reader understands it.
    pub time: i64,
    /// Its id, where it has one (see [`flags::ID`]).
    pub id: Key,
    /// Where the value of `id` begins, counted from `offset`; `u32::MAX` where that is unknown.
    id_at: u32,
    /// Likewise for `parentId`.
    parent_at: u32,
    id_length: u16,
    parent_length: u16,
    /// Bits of [`flags`].
    pub flags: u16,
    /// Its type.
    pub kind: EntryType,
    /// The role of its message.
    pub role: Role,
}

/// The time of an entry that has none.
pub const NO_TIME: i64 = i64::MIN;

/// What is known of an entry, as bits.
pub mod flags {
    /// It has an id: a string that is not empty.
    pub const ID: u16 = 1 << 0;
    /// The key `id` is absent.
    pub const ID_ABSENT: u16 = 1 << 1;
    /// The key `parentId` is absent.
    pub const PARENT_ABSENT: u16 = 1 << 2;
    /// The parent is null.
    pub const PARENT_NULL: u16 = 1 << 3;
    /// The parent is neither a string nor null.
    pub const PARENT_NO_STRING: u16 = 1 << 4;
    /// It was joined from several lines.
    pub const JOINED: u16 = 1 << 5;
    /// It holds bytes that are no UTF-8.
    pub const BAD_UTF8: u16 = 1 << 6;
    /// pi does not see it, since it drops its line.
    pub const DROPPED: u16 = 1 << 7;
    /// The id is written with escapes or longer than 64 KiB: its place is only known roughly.
    pub const ID_ODD: u16 = 1 << 8;
    /// It is not the last one with its id.
    pub const EARLIER_COPY: u16 = 1 << 9;
    /// The key `timestamp` is absent.
    pub const TIME_ABSENT: u16 = 1 << 10;
    /// It is an assistant's message that ended in an error or was aborted: readers leave it out of requests.
    pub const FAILED: u16 = 1 << 13;
    /// It is an assistant's message that stopped for the results of its tool calls.
    pub const TOOL_USE: u16 = 1 << 14;
    /// It is one of the failed messages, and says nothing.
    pub const EMPTY: u16 = 1 << 15;
    /// Its `timestamp` is no string, or an empty one.
    pub const TIME_NO_STRING: u16 = 1 << 11;
    /// An assistant's message that only thinks or calls tools.
    pub const SILENT: u16 = 1 << 12;
}

/// What an entry hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// Another entry, or itself.
    Entry(u32),
    /// Nothing: the parent is null.
    Root,
    /// Nothing: the key is absent.
    Absent,
    /// Something that is not there.
    Dangling,
}

const ROOT: u32 = u32::MAX;
const ABSENT: u32 = u32::MAX - 1;
const DANGLING: u32 = u32::MAX - 2;

/// More entries than this are not indexed.
pub const MOST_ENTRIES: u32 = u32::MAX - 16;

impl Parent {
    fn link(self) -> u32 {
        match self {
            Parent::Entry(n) => n,
            Parent::Root => ROOT,
            Parent::Absent => ABSENT,
            Parent::Dangling => DANGLING,
        }
    }

    fn of(link: u32) -> Parent {
        match link {
            ROOT => Parent::Root,
            ABSENT => Parent::Absent,
            DANGLING => Parent::Dangling,
            n => Parent::Entry(n),
        }
    }

    /// The entry, if it is one.
    pub fn entry(self) -> Option<u32> {
        match self {
            Parent::Entry(n) => Some(n),
            _ => None,
        }
    }
}

impl Entry {
    /// A value that is no record, but an entry to readers that look no closer.
    fn of_value(line: u64, offset: u64, length: u64) -> Entry {
        Entry {
            offset,
            length,
            line,
            time: NO_TIME,
            id: Key::default(),
            id_at: u32::MAX,
            parent_at: u32::MAX,
            id_length: 0,
            parent_length: 0,
            flags: flags::ID_ABSENT | flags::PARENT_ABSENT | flags::TIME_NO_STRING,
            kind: EntryType::Missing,
            role: Role::None,
        }
    }

    /// Whether a flag of [`flags`] is set.
    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Where the value of `id` stands in the file: offset and length.
    pub fn id_span(&self) -> Option<(u64, u64)> {
        span(self.offset, self.id_at, self.id_length)
    }

    /// Where the value of `parentId` stands in the file: offset and length.
    pub fn parent_span(&self) -> Option<(u64, u64)> {
        span(self.offset, self.parent_at, self.parent_length)
    }

    /// Whether it is a marker line that another tool appended: it has neither id nor parent.
    pub fn is_marker(&self) -> bool {
        self.has(flags::ID_ABSENT) && self.has(flags::PARENT_ABSENT)
    }

    /// Whether it is a message that a person or the model sees in the conversation.
    pub fn is_message(&self) -> bool {
        matches!(self.kind, EntryType::Message | EntryType::CustomMessage)
    }
}

fn span(offset: u64, at: u32, length: u16) -> Option<(u64, u64)> {
    (at != u32::MAX).then_some((offset + at as u64, length as u64))
}

/// What a reference other than the parent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefKind {
    /// `targetId` of a `leaf` entry.
    LeafTarget,
    /// `targetId` of a label.
    LabelTarget,
    /// `firstKeptEntryId` of a compaction.
    FirstKept,
    /// `firstKeptEntryIndex` of a compaction of version 1.
    FirstKeptIndex,
    /// `fromId` of a branch summary.
    SummarySource,
    /// `targetId` of a context edit.
    EditTarget,
}

/// What a reference holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RefValue {
    /// The key is absent.
    Absent,
    /// It is null.
    Null,
    /// An id.
    Id(Key),
    /// A number.
    Number(f64),
    /// Something else.
    Other,
}

/// A reference other than the parent.
#[derive(Clone, Copy, Debug)]
pub struct Ref {
    /// The entry that holds it.
    pub entry: u32,
    /// What it is.
    pub kind: RefKind,
    /// What it holds.
    pub value: RefValue,
    /// Where the value stands: offset in the file and length; the record's start where it is absent.
    pub offset: u64,
    /// See `offset`.
    pub length: u64,
    /// The entry it names, if there is one.
    pub target: Option<u32>,
}

/// A tool call in an assistant message, or a tool result.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The entry that holds it.
    pub entry: u32,
    /// The number of the call's id: a call and a result with the same id have the same, see [`Session::call_ids`].
    pub id: u32,
    /// Whether it is a result.
    pub is_result: bool,
}

/// A header.
#[derive(Clone, Debug)]
pub struct Header {
    /// The offset of its first byte.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Whether pi drops its line.
    pub dropped: bool,
    /// Its members of interest, as far as they can be read.
    pub fields: Vec<HeaderField>,
    /// How many entries stand before it.
    pub entries_before: u64,
}

/// A member of a header.
#[derive(Clone, Debug)]
pub struct HeaderField {
    /// Its name.
    pub name: &'static str,
    /// Its JSON type.
    pub kind: crate::json::Kind,
    /// Its text: decoded for a string, as it stands for anything else (cut after 4 KiB).
    pub text: String,
    /// Where the value stands in the file: offset and length.
    pub place: (u64, u64),
}

impl HeaderField {
    /// The value as it stands there, a string in its quotes.
    pub fn shown(&self) -> String {
        match self.kind {
            crate::json::Kind::String => format!("\"{}\"", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Header {
    /// The last member of that name.
    pub fn get(&self, name: &str) -> Option<&HeaderField> {
        self.fields.iter().rev().find(|f| f.name == name)
    }

    /// The text of a string member.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|f| f.kind == crate::json::Kind::String).map(|f| f.text.as_str())
    }
}

/// How the entries of a session hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// By ids and parents.
    Tree,
    /// As a line: each on the one before (version 1).
    Line,
}

/// The index of a session.
pub struct Session {
    /// The entries in file order.
    pub entries: Vec<Entry>,
    /// What each entry hangs on, see [`Session::hangs_on`]: walks through the tree need nothing else of them.
    links: Vec<u32>,
    /// What some entry is like, and what all are.
    pub traits: Traits,
    /// Where long ids stand.
    pub arena: Arena,
    /// Which entry has an id.
    pub table: Table,
    /// The header that counts: the first one.
    pub header: Option<Header>,
    /// Further headers; at most 1,000.
    pub extra_headers: Vec<Header>,
    /// References other than parents, in file order.
    pub refs: Vec<Ref>,
    /// Tool calls and results, in file order.
    pub calls: Vec<Call>,
    /// Their ids.
    pub call_ids: CallIds,
    /// Parents that name nothing, or something that stands later: entry, id, and whether it was
    /// found later.
    pub pending: Vec<(u32, Key)>,
    /// Entries whose id an earlier entry has too: (the one before, the later one).
    pub copies: Vec<(u32, u32)>,
    /// Entries whose parent has copies: the copy that stood nearest before them.
    pub near: Vec<(u32, u32)>,
    /// Hashes of the entries' bytes, where that was asked for, and of a pipe.
    hashes: Vec<u64>,
    /// Lines of recovered entries and where they begin, of a pipe only.
    odd_lines: Vec<(u64, u64)>,
    /// The loops of the tree, see [`graph::loops`].
    pub loops: Vec<Vec<u32>>,
    /// The entries that are in one.
    in_loop: EntrySet,
    /// How the entries hang together.
    pub shape: Shape,
    /// What was counted over the whole file.
    pub facts: FileFacts,
}

impl Session {
    /// The id of an entry, decoded.
    pub fn id(&self, n: u32) -> Option<Vec<u8>> {
        let entry = &self.entries[n as usize];
        entry.has(flags::ID).then(|| self.arena.get(entry.id))
    }

    /// The id of an entry as text for messages; `?` where it has none.
    pub fn id_text(&self, n: u32) -> String {
        self.id(n).map_or_else(|| "?".to_string(), |id| String::from_utf8_lossy(&id).into_owned())
    }

    /// The id of an entry as JSON; `None` where it has none.
    pub fn id_json(&self, n: u32) -> Option<String> {
        self.id(n).map(|id| crate::json::text::to_json(&id))
    }

    /// The entry with that id.
    pub fn find(&self, id: &[u8]) -> Option<u32> {
        let mut other = Arena::default();
        let key = other.add(id);
        self.table.find(&self.entries, &self.arena, &other, key)
    }

    /// The entry that a key of this session's arena names.
    pub fn find_key(&self, key: Key) -> Option<u32> {
        self.table.find(&self.entries, &self.arena, &self.arena, key)
    }

    /// The version as pi takes it: 1 where the header has none; `None` where it is no number.
    pub fn version(&self) -> Option<i64> {
        let header = self.header.as_ref()?;
        match header.get("version") {
            None => Some(1),
            Some(field) if field.kind == crate::json::Kind::Number => {
                let number: f64 = field.text.parse().ok()?;
                (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
            }
            Some(_) => None,
        }
    }

    /// Where the line of a recovered entry begins, where the source cannot be read again.
    pub fn odd_line_start(&self, line: u64) -> Option<u64> {
        let at = self.odd_lines.partition_point(|(number, _)| *number < line);
        self.odd_lines.get(at).filter(|(number, _)| *number == line).map(|(_, offset)| *offset)
    }

    /// A hash of the entry's bytes, where there is one; see [`scan::Options::hash`].
    pub fn hash(&self, n: u32) -> Option<u64> {
        self.hashes.get(n as usize).copied()
    }

    /// Whether two entries have the same id.
    pub fn has_same_id(&self, a: u32, b: u32) -> bool {
        self.arena.is_same(self.entries[a as usize].id, self.entries[b as usize].id)
    }

    /// The tool calls and results of an entry.
    pub fn calls_of(&self, n: u32) -> &[Call] {
        let start = self.calls.partition_point(|c| c.entry < n);
        let count = self.calls[start..].iter().take_while(|c| c.entry == n).count();
        &self.calls[start..start + count]
    }

    /// Whether the entry is a member of a loop.
    pub fn is_in_loop(&self, n: u32) -> bool {
        self.in_loop.contains(n)
    }

    /// The current leaf as this program has it: the last entry, or what the last `leaf` entry names
    /// if it is the last; `None` before the first entry.
    pub fn leaf(&self) -> Option<u32> {
        let last = (self.entries.len() as u32).checked_sub(1)?;
        if self.entries[last as usize].kind != EntryType::Leaf {
            return Some(last);
        }
        let target = self.refs.iter().rev().find(|r| r.entry == last && r.kind == RefKind::LeafTarget)?;
        match target.value {
            RefValue::Null => None,
            _ => Some(target.target.unwrap_or(last)),
        }
    }
}
