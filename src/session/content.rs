//! What a message's content shows while its line is at hand: what is missing, malformed or empty.

use super::envelope::facts;
use super::flags;
use crate::dialect::pi::Role;
use crate::json::{Kind, Member, Names, Scanner, Span, skip_space, text};
use crate::line::is_blank;
use crate::record::Record;
use crate::record::blocks::Block;
use wide::u8x16;

/// The members of a message that are looked at, found in one go.
pub struct Message<'a> {
    /// `role`.
    pub role: Option<&'a Member>,
    /// `timestamp`.
    pub time: Option<&'a Member>,
    /// `content`.
    pub content: Option<&'a Member>,
    /// `provider`.
    pub provider: Option<&'a Member>,
    /// `model`.
    pub model: Option<&'a Member>,
    /// `usage`.
    pub usage: Option<&'a Member>,
    /// `stopReason`.
    pub stop: Option<&'a Member>,
}

impl<'a> Message<'a> {
    /// Finds the members; the last of a name counts.
    pub fn read(record: &Record<'a>) -> Message<'a> {
        const NAMES: Names<7> =
            Names::new([b"role", b"timestamp", b"content", b"provider", b"model", b"usage", b"stopReason"]);
        let [role, time, content, provider, model, usage, stop] = NAMES.find(record.inner, record.bytes);
        Message { role, time, content, provider, model, usage, stop }
    }

    /// What is remarkable about its content: bits of [`facts`].
    pub fn facts(&self, record: &Record<'_>, role: Role) -> u32 {
        match role {
            Role::User | Role::Assistant => {}
            Role::ToolResult | Role::System => return shape(self.content) | blocks_facts(record, role),
            Role::Unknown if self.role.is_some_and(|m| m.kind == Kind::String) => return facts::UNKNOWN_ROLE,
            _ => return 0,
        }
        let mut found = shape(self.content) | blocks_facts(record, role);
        if role == Role::Assistant && self.missing(record).is_some() {
            found |= facts::INCOMPLETE;
        }
        found
    }

    /// How an assistant's turn ended: bits of [`flags`].
    pub fn turn(&self, record: &Record<'_>) -> u16 {
        match self.stop.and_then(|m| record.raw_string(m)) {
            Some(b"toolUse") => flags::TOOL_USE,
            Some(b"error" | b"aborted") if self.is_empty(record) => flags::FAILED | flags::EMPTY,
            Some(b"error" | b"aborted") => flags::FAILED,
            _ => 0,
        }
    }

    /// Whether it says nothing.
    fn is_empty(&self, record: &Record<'_>) -> bool {
        match self.content {
            None => true,
            Some(member) => match member.kind {
                Kind::Null => true,
                Kind::String => record.string(member).is_some_and(|text| is_blank(&text)),
                Kind::Array => record.blocks().all(|block| match block.name() {
                    Some(b"text") => is_blank_text(&block, b"text"),
                    Some(b"thinking") => is_blank_text(&block, b"thinking"),
                    _ => false,
                }),
                _ => false,
            },
        }
    }

    /// What an assistant's message lacks that statistics and footers need.
    pub fn missing(&self, record: &Record<'_>) -> Option<String> {
        let strings = [("provider", self.provider), ("model", self.model), ("stopReason", self.stop)];
        for (name, member) in strings {
            if member.is_none_or(|m| m.kind != Kind::String) {
                return Some(name.to_string());
            }
        }
        let Some(usage) = self.usage.filter(|m| m.kind == Kind::Object) else { return Some("usage".to_string()) };
        let bytes = &record.bytes[usage.value.clone()];
        if is_usual(bytes) { None } else { missing_in_usage(bytes).map(|name| format!("usage.{name}")) }
    }
}

/// What is wrong with content as a whole.
pub fn shape(content: Option<&Member>) -> u32 {
    match content.map(|m| m.kind) {
        None | Some(Kind::Null) => facts::NO_CONTENT,
        Some(Kind::String | Kind::Array) => 0,
        Some(_) => facts::BAD_BLOCK,
    }
}

fn blocks_facts(record: &Record<'_>, role: Role) -> u32 {
    record.blocks().fold(0, |found, block| found | block_facts(&block, role))
}

fn block_facts(block: &Block<'_>, role: Role) -> u32 {
    let mut found = 0;
    if fault(block).is_some() {
        return facts::BAD_BLOCK;
    }
    match (role, block.name()) {
        (Role::User | Role::Assistant, _) if is_empty_text(block) => found |= facts::EMPTY_TEXT,
        (Role::Assistant, Some(b"thinking")) if unsigned(block).is_some() => found |= facts::UNSIGNED,
        _ => {}
    }
    found
}

/// Whether a block is a text that is empty or white space.
pub fn is_empty_text(block: &Block<'_>) -> bool {
    block.name() == Some(b"text") && is_blank_text(block, b"text")
}

/// Whether a string of a block is empty or white space.
fn is_blank_text(block: &Block<'_>, name: &[u8]) -> bool {
    let Some(raw) = block.raw(name) else { return false };
    match raw.first() {
        None => true,
        Some(first) if first.is_ascii_graphic() && *first != b'\\' => false,
        Some(_) => is_blank(&text::decode(raw)),
    }
}

/// What is odd about the signature of a thinking block.
pub fn unsigned(block: &Block<'_>) -> Option<&'static str> {
    let signed = block.raw(b"thinkingSignature").is_some_and(|raw| !raw.is_empty());
    match (signed, block.raw(b"thinking").is_some_and(<[u8]>::is_empty)) {
        (false, _) => Some("a thinking block has no signature"),
        (true, true) => Some("a thinking block keeps a signature, but its text is empty"),
        (true, false) => None,
    }
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no object.
    NoObject,
    /// It has no type, or one that is no string.
    NoType,
    /// It lacks this field, or the field has another JSON type or is empty.
    Lacks(&'static str),
}

/// What is wrong with a block; types that are not listed are lawful.
pub fn fault(block: &Block<'_>) -> Option<Fault> {
    if block.kind != Kind::Object {
        return Some(Fault::NoObject);
    }
    let Some(name) = block.name() else { return Some(Fault::NoType) };
    let lacks = |name: &'static str| block.raw(name.as_bytes()).is_none().then_some(Fault::Lacks(name));
    match name {
        b"text" => lacks("text"),
        b"thinking" => lacks("thinking"),
        b"image" => lacks("data").or_else(|| lacks("mimeType")),
        b"toolCall" if block.raw(b"id").is_none_or(<[u8]>::is_empty) => Some(Fault::Lacks("id")),
        b"toolCall" => lacks("name").or_else(|| {
            let given = block.get(b"arguments").is_some_and(|m| m.kind == Kind::Object);
            (!given).then_some(Fault::Lacks("arguments"))
        }),
        _ => None,
    }
}

/// The first faulty block of a record's content, and what is wrong with it.
pub fn first_fault(record: &Record<'_>) -> Option<(Span, Fault)> {
    record.blocks().find_map(|block| Some((block.value.clone(), fault(&block)?)))
}

/// The blocks of a `custom_message`, whose content is a member of the entry itself, until `look` has
/// found something.
pub fn find_custom_block<T>(record: &Record<'_>, mut look: impl FnMut(&Block<'_>) -> Option<T>) -> Option<T> {
    let content = record.get(b"content").filter(|m| m.kind == Kind::Array)?;
    Scanner::lend(|scanner| {
        let mut at = skip_space(record.bytes, content.value.start + 1);
        while record.bytes.get(at) != Some(&b']') {
            let value = scanner.scan(record.bytes, at).ok()?;
            if let Some(found) = look(&Block::new(record.bytes, &value.span, value.kind, &scanner.top)) {
                return Some(found);
            }
            at = skip_space(record.bytes, value.span.end);
            if record.bytes.get(at) == Some(&b',') {
                at = skip_space(record.bytes, at + 1);
            }
        }
        None
    })
}

/// The first faulty block of a `custom_message`, and what is wrong with it.
pub fn first_custom_fault(record: &Record<'_>) -> Option<(Span, Fault)> {
    find_custom_block(record, |block| Some((block.value.clone(), fault(block)?)))
}

/// What is remarkable about the content of a `custom_message`.
pub fn custom_facts(record: &Record<'_>) -> u32 {
    let faulty = || first_custom_fault(record).is_some();
    match shape(record.get(b"content")) {
        0 if faulty() => facts::BAD_BLOCK,
        found => found,
    }
}

/// Whether a usage record is as pi writes it: then it has all there should be.
fn is_usual(usage: &[u8]) -> bool {
    walk_usual(usage, |_, _| {})
}

/// Walks a usage record as pi writes it, members in this order and nothing else: hands on the digits of
/// input, output, cacheRead, cacheWrite (0 to 3), totalTokens (4, may be absent), and of the same five
/// of its cost (5 to 9). False, after any number of these, if it is written in another way.
#[inline]
pub fn walk_usual<'b>(usage: &'b [u8], mut give: impl FnMut(usize, &'b [u8])) -> bool {
    let mut walk = || {
        let rest = number(usage, b"{\"input\":", &mut give, 0)?;
        let rest = number(rest, b",\"output\":", &mut give, 1)?;
        let rest = number(rest, b",\"cacheRead\":", &mut give, 2)?;
        let rest = number(rest, b",\"cacheWrite\":", &mut give, 3)?;
        let rest = number(rest, b",\"totalTokens\":", &mut give, 4).unwrap_or(rest);
        let rest = number(rest, b",\"cost\":{\"input\":", &mut give, 5)?;
        let rest = number(rest, b",\"output\":", &mut give, 6)?;
        let rest = number(rest, b",\"cacheRead\":", &mut give, 7)?;
        let rest = number(rest, b",\"cacheWrite\":", &mut give, 8)?;
        number(rest, b",\"total\":", &mut give, 9)
    };
    walk().is_some_and(|rest| rest == b"}}")
}

/// Where a number ends that is known to be one.
#[inline]
fn number_end(bytes: &[u8]) -> Option<usize> {
    let (chunks, rest) = bytes.as_chunks::<16>();
    for (n, chunk) in chunks.iter().enumerate() {
        let chunk = u8x16::new(*chunk);
        let blank = chunk.min(u8x16::splat(b' ')).simd_eq(chunk);
        let ends = (blank | chunk.simd_eq(u8x16::splat(b',')) | chunk.simd_eq(u8x16::splat(b'}'))).to_bitmask();
        if ends != 0 {
            return Some(n * 16 + ends.trailing_zeros() as usize);
        }
    }
    let end = |byte: &u8| matches!(byte, 0..=b' ' | b',' | b'}');
    rest.iter().position(end).map(|at| bytes.len() - rest.len() + at)
}

/// What stands behind a key and its number. The length of the key is known when this is compiled, which
/// makes the comparison a few instructions.
#[inline]
fn number<'b, const N: usize>(
    bytes: &'b [u8],
    key: &[u8; N],
    give: &mut impl FnMut(usize, &'b [u8]),
    field: usize,
) -> Option<&'b [u8]> {
    let (head, behind) = bytes.split_first_chunk::<N>()?;
    // the record is known to be JSON: what begins like a number is one, and ends like one
    let is_number = head == key && matches!(behind.first(), Some(b'0'..=b'9' | b'-'));
    let digits = if is_number { number_end(behind)? } else { 0 };
    let (own, rest) = behind.split_at(digits);
    if digits == 0 {
        return None;
    }
    give(field, own);
    Some(rest)
}

/// The first number that a usage record lacks.
fn missing_in_usage(usage: &[u8]) -> Option<&'static str> {
    const OWN: &[&str] = &["input", "output", "cacheRead", "cacheWrite"];
    Scanner::lend(|scanner| {
        scanner.scan(usage, 0).ok()?;
        let record = Record::new(usage, scanner);
        let lacks =
            |record: &Record<'_>, name: &str| record.get(name.as_bytes()).is_none_or(|m| m.kind != Kind::Number);
        if let Some(name) = OWN.iter().find(|name| lacks(&record, name)) {
            return Some(*name);
        }
        let cost = record.get(b"cost").filter(|m| m.kind == Kind::Object).map(|m| &usage[m.value.clone()]);
        let fine =
            cost.is_some_and(|cost| scanner.scan(cost, 0).is_ok() && !lacks(&Record::new(cost, scanner), "total"));
        (!fine).then_some("cost.total")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_complete_in_any_order() {
        let usual = r#"{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0.1,"output":1e-7,"cacheRead":0,"cacheWrite":0,"total":0.1}}"#;
        assert!(is_usual(usual.as_bytes()) && is_usual(usual.replace(r#""totalTokens":3,"#, "").as_bytes()));
        let other = r#"{"cost":{"total":0},"output":2,"cacheWrite":0, "input":1,"cacheRead":0}"#;
        assert!(!is_usual(other.as_bytes()));
        assert_eq!(missing_in_usage(other.as_bytes()), None);
        assert_eq!(missing_in_usage(other.replace("total", "sum").as_bytes()), Some("cost.total"));
        assert_eq!(missing_in_usage(br#"{"input":"1"}"#), Some("input"));
        assert_eq!(
            missing_in_usage(br#"{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":null}"#),
            Some("cost.total")
        );
    }
}
