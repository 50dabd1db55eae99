//! Measures every entry while its line is hot.

use super::row::{Chunk, Content, Row, Usage, model_name};
use super::shape::Changes;
use super::sum::Decimal;
use crate::dialect::pi::{EntryType, Role};
use crate::json::{self, Kind, Member, Scanner, text};
use crate::record::blocks::Block;
use crate::record::{PieceKind, Record};
use crate::session::content::{find_custom_block, walk_usual};
use crate::session::scan::{LineView, Observer, Part, RecordView};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// Looks on while a file is scanned and measures its entries. With `KEYS`, entries get keys by which they
/// are found again in other files.
#[derive(Default)]
pub struct Collector<const KEYS: bool> {
    /// The rows of all entries, in file order.
    pub chunks: Vec<Chunk>,
    /// The keys of all entries, in file order; empty without `KEYS`.
    pub keys: Vec<u128>,
    /// Entries that set the thinking level.
    pub levels: Changes,
    /// How many bytes belong to no record.
    pub debris: u64,
    /// The entries so far.
    count: u32,
    names: Names,
    row: Row,
}

impl<const KEYS: bool> Observer for Collector<KEYS> {
    fn line(&mut self, line: &LineView<'_>) {
        let Some(pieces) = line.pieces else { return };
        let whole = pieces.list.len() - usize::from(line.joined.is_some()).min(pieces.list.len());
        let debris = pieces.list[..whole].iter().filter(|piece| piece.kind != PieceKind::Whole);
        self.debris += debris.map(|piece| piece.span.len() as u64).sum::<u64>();
    }

    fn record(&mut self, _: &RecordView<'_>) {}

    fn every(&mut self, seen: &RecordView<'_>) {
        if seen.part != Part::Entry {
            return;
        }
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::default());
        }
        let (record, envelope) = (&seen.record, seen.envelope);
        if KEYS {
            self.keys.push(key(record, seen.span()));
        }
        let mut row = std::mem::take(&mut self.row);
        let mut meter = Meter { record, names: &mut self.names, row: &mut row };
        meter.measure(envelope.entry, envelope.role);
        row.time = envelope.time.millis();
        row.length = seen.place(&seen.span()).1;
        if envelope.entry == EntryType::ThinkingLevelChange {
            let level = record.get(b"thinkingLevel").and_then(|m| record.raw_string(m)).unwrap_or_default();
            self.levels.add(self.count, &clipped(level));
        }
        self.count += 1;
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(&row);
        }
        self.row = row;
    }

    fn append(&mut self, mut later: Self, _: u64) {
        // a block makes one chunk at most, which its names belong to
        if let Some(mut chunk) = later.chunks.pop() {
            chunk.names = later.names.list;
            chunk.close();
            self.chunks.push(chunk);
        }
        self.keys.append(&mut later.keys);
        self.levels.append(later.levels, self.count);
        self.debris += later.debris;
        self.count += later.count;
    }
}

/// One seed for the whole run, since files are compared with each other, and no file can be made to fit it.
static HASHERS: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::default(), RandomState::default()]);

/// What is the same for the same entry in another file. A fork re-chains what hung on a label, and re-points
/// what a compaction keeps: these two ids do not count.
fn key(record: &Record<'_>, span: std::ops::Range<usize>) -> u128 {
    let re_pointed = |m: &&Member| {
        let key = &record.bytes[m.key.clone()];
        m.kind == Kind::String && (key == b"parentId" || key == b"firstKeptEntryId")
    };
    let mut members = record.top.iter().filter(re_pointed);
    let mut parts = [&[][..]; 3];
    let mut from = span.start;
    for part in &mut parts[..2] {
        let Some(member) = members.next() else { break };
        *part = &record.bytes[from..member.value.start];
        from = member.value.end;
    }
    parts[2] = &record.bytes[from..span.end];
    let [a, b] = &*HASHERS;
    u128::from(a.hash_one(parts)) << 64 | u128::from(b.hash_one(parts))
}

/// Names that rows refer to.
#[derive(Default)]
pub(super) struct Names {
    /// The names.
    pub(super) list: Vec<String>,
    places: HashMap<Box<[u8]>, u32>,
    buffer: Vec<u8>,
}

/// Longer names are cut, in bytes as they are written.
const LONGEST_NAME: usize = 200;

fn clipped(raw: &[u8]) -> String {
    text::to_text(&raw[..raw.len().min(LONGEST_NAME)])
}

impl Names {
    /// The place of a name.
    fn place(&mut self, raw: &[u8]) -> u32 {
        let raw = &raw[..raw.len().min(LONGEST_NAME)];
        self.place_of(raw, || clipped(raw))
    }

    /// The place of a provider and model.
    fn model(&mut self, provider: &[u8], model: &[u8]) -> u32 {
        let mut key = std::mem::take(&mut self.buffer);
        key.clear();
        for part in [provider, model] {
            key.extend_from_slice(&part[..part.len().min(LONGEST_NAME)]);
            // no JSON string holds a raw line feed
            key.push(b'\n');
        }
        let place = self.place_of(&key, || model_name(&clipped(provider), &clipped(model)));
        self.buffer = key;
        place
    }

    fn place_of(&mut self, key: &[u8], name: impl FnOnce() -> String) -> u32 {
        if let Some(place) = self.places.get(key) {
            return *place;
        }
        let place = self.list.len() as u32;
        self.list.push(name());
        self.places.insert(key.into(), place);
        place
    }
}

/// Measures one record that stands alone, as an entry of this type and role; its length is that of what was
/// measured. For messages that are made of an entry, and stand in no file.
pub(super) fn measure_alone(record: &Record<'_>, kind: EntryType, role: Role, names: &mut Names) -> Row {
    let mut row = Row::default();
    Meter { record, names, row: &mut row }.measure(kind, role);
    row.keep_seen();
    row
}

struct Meter<'m, 'r> {
    record: &'m Record<'r>,
    names: &'m mut Names,
    row: &'m mut Row,
}

impl<'r> Meter<'_, 'r> {
    fn measure(&mut self, kind: EntryType, role: Role) {
        let calls = std::mem::take(&mut self.row.calls);
        *self.row = Row { kind, role, calls, ..Row::default() };
        self.row.calls.clear();
        match kind {
            EntryType::Message => self.message(role),
            EntryType::CustomMessage => self.custom_message(),
            EntryType::Compaction | EntryType::BranchSummary => self.summary(),
            EntryType::ContextEdit => self.all_of(b"replacement", Content::Text),
            EntryType::Custom => self.all_of(b"data", Content::Details),
            EntryType::Usage => {
                self.usage(self.record.get(b"usage"));
                self.model(self.record.get(b"provider"), self.record.get(b"model"));
            }
            EntryType::Unknown => {
                let name = self.record.get(b"type").and_then(|m| self.record.raw_string(m)).unwrap_or_default();
                self.row.type_name = Some(self.names.place(name));
            }
            _ => {}
        }
    }

    /// Counts the whole value of a member of the entry.
    fn all_of(&mut self, name: &[u8], content: Content) {
        if let Some(member) = self.record.get(name) {
            self.row.count(content, member.value.len());
        }
    }

    fn summary(&mut self) {
        self.all_of(b"summary", Content::Text);
        self.all_of(b"systemMessage", Content::Text);
        self.all_of(b"details", Content::Details);
        self.usage(self.record.get(b"usage"));
    }

    fn custom_message(&mut self) {
        self.all_of(b"details", Content::Details);
        let Some(content) = self.record.get(b"content") else { return };
        if content.kind == Kind::String {
            return self.row.count(Content::Text, content.value.len());
        }
        let (record, row) = (self.record, &mut *self.row);
        find_custom_block(record, |block| {
            count_block(row, block, Content::Text);
            None::<()>
        });
    }

    fn message(&mut self, role: Role) {
        let inner = Inner::of(self.record);
        let said = if role == Role::ToolResult { Content::ToolResults } else { Content::Text };
        match inner.content {
            Some(content) if content.kind == Kind::String => self.row.count(said, content.value.len()),
            Some(content) if content.kind == Kind::Array => self.blocks(said, role),
            _ => {}
        }
        let mut add = |content, member: Option<&Member>| {
            if let Some(member) = member {
                self.row.count(content, member.value.len());
            }
        };
        add(Content::Details, inner.details);
        match role {
            Role::Assistant => {
                self.usage(inner.usage);
                self.model(inner.provider, inner.model);
            }
            Role::ToolResult => {
                let name = inner.tool_name.and_then(|m| self.record.raw_string(m)).unwrap_or_default();
                let failed = inner.is_error.is_some_and(|m| &self.record.bytes[m.value.clone()] == b"true");
                self.row.result = Some((self.names.place(name), failed));
                self.usage(inner.usage);
            }
            Role::BashExecution => {
                add(Content::ToolCalls, inner.command);
                add(Content::ToolResults, inner.output);
            }
            Role::BranchSummary | Role::CompactionSummary => add(Content::Text, inner.summary),
            Role::Unknown => {
                let name = self.record.get_inner(b"role").and_then(|m| self.record.raw_string(m));
                self.row.role_name = name.map(|name| self.names.place(name));
            }
            _ => {}
        }
    }

    fn blocks(&mut self, said: Content, role: Role) {
        for block in self.record.blocks() {
            let arguments = count_block(self.row, &block, said);
            if role == Role::Assistant && block.name() == Some(b"toolCall") {
                let name = self.names.place(block.raw(b"name").unwrap_or_default());
                self.row.calls.push((name, arguments));
            }
        }
    }

    fn model(&mut self, provider: Option<&Member>, model: Option<&Member>) {
        let [provider, model] = [provider, model].map(|m| m.and_then(|m| self.record.raw_string(m)));
        if provider.is_some() || model.is_some() {
            self.row.model = Some(self.names.model(provider.unwrap_or_default(), model.unwrap_or_default()));
        }
    }

    fn usage(&mut self, member: Option<&Member>) {
        let Some(member) = member.filter(|m| m.kind != Kind::Null) else { return };
        let usage = match member.kind {
            Kind::Object => read_usage(&self.record.bytes[member.value.clone()]),
            _ => Usage { not_numbers: 1, ..Usage::default() },
        };
        self.row.usage = Some(usage);
    }
}

/// The members of a message that are measured, found in one go; the last of a name counts.
struct Inner<'a> {
    content: Option<&'a Member>,
    usage: Option<&'a Member>,
    provider: Option<&'a Member>,
    model: Option<&'a Member>,
    details: Option<&'a Member>,
    tool_name: Option<&'a Member>,
    is_error: Option<&'a Member>,
    command: Option<&'a Member>,
    output: Option<&'a Member>,
    summary: Option<&'a Member>,
}

impl<'a> Inner<'a> {
    fn of(record: &Record<'a>) -> Inner<'a> {
        const NAMES: json::Names<10> = json::Names::new([
            b"content",
            b"usage",
            b"provider",
            b"model",
            b"details",
            b"toolName",
            b"isError",
            b"command",
            b"output",
            b"summary",
        ]);
        let [content, usage, provider, model, details, tool_name, is_error, command, output, summary] =
            NAMES.find(record.inner, record.bytes);
        Inner { content, usage, provider, model, details, tool_name, is_error, command, output, summary }
    }
}

/// Counts the bytes of a block; those of a call's arguments are given back, too.
fn count_block(row: &mut Row, block: &Block<'_>, said: Content) -> u64 {
    let bytes = |name: &[u8]| block.get(name).map_or(0, |m| m.value.len());
    let (content, name, signature): (Content, &[u8], &[u8]) = match block.name() {
        Some(b"text") => (said, b"text", b"textSignature"),
        Some(b"thinking") => (Content::Thinking, b"thinking", b"thinkingSignature"),
        Some(b"toolCall") => (Content::ToolCalls, b"arguments", b"thoughtSignature"),
        Some(b"image") => (Content::Images, b"data", b""),
        _ => return 0,
    };
    let counted = bytes(name);
    row.count(content, counted);
    if !signature.is_empty() {
        row.count(Content::Signatures, bytes(signature));
    }
    counted as u64
}

/// The numbers of a usage record, which is an object.
pub(super) fn read_usage(bytes: &[u8]) -> Usage {
    let mut usage = Usage::default();
    let usual = walk_usual(bytes, |field, digits| set(&mut usage, field, Decimal::of_json(digits)));
    if usual { usage } else { read_unusual(bytes) }
}

/// Sets one of the ten numbers, see [`walk_usual`].
fn set(usage: &mut Usage, field: usize, number: Option<Decimal>) {
    let Some(number) = number else {
        usage.not_numbers += 1;
        return;
    };
    match field {
        0..4 => usage.tokens[field] = number,
        4 => (usage.tokens[4], usage.has_tokens) = (number, true),
        5..9 => usage.cost[field - 5] = number,
        _ => (usage.cost[4], usage.has_cost) = (number, true),
    }
}

/// The members, tokens and cost alike, but for the total.
const FIELDS: [&[u8]; 4] = [b"input", b"output", b"cacheRead", b"cacheWrite"];

fn read_unusual(bytes: &[u8]) -> Usage {
    let mut usage = Usage::default();
    Scanner::lend(|scanner| {
        let cost = read_numbers(scanner, bytes, (b"totalTokens", 0), &mut usage);
        let Some(member) = cost.filter(|m| m.kind != Kind::Null) else { return };
        match member.kind {
            Kind::Object => {
                read_numbers(scanner, &bytes[member.value], (b"total", 5), &mut usage);
            }
            // a number in place of the record is the total
            _ => set(&mut usage, 9, number(bytes, &member)),
        }
    });
    usage
}

/// Reads the numbers of an object, whose total has a name of its own; the first is that field of
/// [`set`]. A number that JavaScript cannot write is null in JSON, so null is none. Gives back its member `cost`.
fn read_numbers(
    scanner: &mut Scanner,
    bytes: &[u8],
    (total, first): (&[u8], usize),
    usage: &mut Usage,
) -> Option<Member> {
    scanner.scan(bytes, 0).ok()?;
    let object = Record::new(bytes, scanner);
    for (field, name) in (first..).zip(FIELDS.into_iter().chain([total])) {
        if let Some(member) = object.get(name) {
            set(usage, field, number(bytes, member));
        }
    }
    object.get(b"cost").cloned()
}

fn number(bytes: &[u8], member: &Member) -> Option<Decimal> {
    (member.kind == Kind::Number).then(|| Decimal::of_json(&bytes[member.value.clone()])).flatten()
}
