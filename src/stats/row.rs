//! What is counted of one entry: a row. Rows are kept packed, some forty bytes each, so that whatever is
//! asked for (a branch, a day, entries that no earlier file has) is added up without reading the file again.

use super::sum::Decimal;
use crate::dialect::pi::{EntryType, Role};

/// What bytes of an entry are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Content {
    /// What people, the model and summaries say.
    Text,
    /// What the model thinks.
    Thinking,
    /// Signatures of thinking, text and calls.
    Signatures,
    /// Arguments of tool calls, and commands that a person ran.
    ToolCalls,
    /// What tools and commands gave, without images.
    ToolResults,
    /// Images.
    Images,
    /// `details`, and `data` of custom entries: the model does not see them.
    Details,
    /// All other bytes: keys, ids, times, usage, headers, line ends.
    Other,
    /// Bytes that belong to no record.
    Debris,
}

/// Every kind of content, with its name.
pub const CONTENTS: [(Content, &str); 9] = [
    (Content::Text, "text"),
    (Content::Thinking, "thinking"),
    (Content::Signatures, "signatures"),
    (Content::ToolCalls, "toolCalls"),
    (Content::ToolResults, "toolResults"),
    (Content::Images, "images"),
    (Content::Details, "details"),
    (Content::Other, "other"),
    (Content::Debris, "debris"),
];

/// How many kinds are measured in an entry: all but the last two.
pub const MEASURED: usize = 7;

/// The numbers of a usage record: input, output, cache read, cache write, and their total, in tokens and
/// in money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens, the total last.
    pub tokens: [Decimal; 5],
    /// Cost in the currency of the file (US dollars), the total last.
    pub cost: [Decimal; 5],
    /// Whether the record gives the total of the tokens; if not, the four are to be added.
    pub has_tokens: bool,
    /// The same of the cost.
    pub has_cost: bool,
    /// Values that should be numbers and are none.
    pub not_numbers: u64,
}

/// One entry as it is counted. Names are places in the list of names beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its type.
    pub kind: EntryType,
    /// Its role.
    pub role: Role,
    /// Its time in milliseconds since 1970.
    pub time: Option<i64>,
    /// Its bytes in the file.
    pub length: u64,
    /// How many of them are of each kind of content, the last two kinds left out.
    pub sizes: [u64; MEASURED],
    /// Its usage record.
    pub usage: Option<Usage>,
    /// The type, where it is not listed.
    pub type_name: Option<u32>,
    /// The role, where it is not listed.
    pub role_name: Option<u32>,
    /// Provider and model, see [`model_name`].
    pub model: Option<u32>,
    /// The tools that it calls, and the bytes of the arguments.
    pub calls: Vec<(u32, u64)>,
    /// The tool whose result it is, and whether that failed.
    pub result: Option<(u32, bool)>,
}

impl Default for Row {
    fn default() -> Self {
        Row {
            kind: EntryType::Missing,
            role: Role::None,
            time: None,
            length: 0,
            sizes: [0; MEASURED],
            usage: None,
            type_name: None,
            role_name: None,
            model: None,
            calls: Vec::new(),
            result: None,
        }
    }
}

impl Row {
    /// Adds bytes of a kind of content.
    pub fn count(&mut self, content: Content, bytes: usize) {
        self.sizes[content as usize] += bytes as u64;
    }

    /// Leaves only what the model sees.
    pub fn keep_seen(&mut self) {
        self.sizes[Content::Details as usize] = 0;
        self.length = self.sizes.iter().sum();
    }
}

/// Provider and model as one name.
pub fn model_name(provider: &str, model: &str) -> String {
    format!("{provider}\0{model}")
}

/// Provider and model of such a name.
pub fn split_model(name: &str) -> (&str, &str) {
    name.split_once('\0').unwrap_or(("", name))
}

/// Rows of neighbouring entries, packed.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// What the rows' names mean.
    pub names: Vec<String>,
    /// How many rows there are.
    pub count: u32,
    bytes: Vec<u8>,
    last_time: i64,
}

mod has {
    pub(super) const TIME: u64 = 1 << 0;
    pub(super) const USAGE: u64 = 1 << 1;
    pub(super) const MODEL: u64 = 1 << 2;
    pub(super) const CALLS: u64 = 1 << 3;
    pub(super) const RESULT: u64 = 1 << 4;
    pub(super) const FAILED: u64 = 1 << 5;
    pub(super) const TYPE_NAME: u64 = 1 << 6;
    pub(super) const ROLE_NAME: u64 = 1 << 7;
    /// From this bit on one for each kind of content.
    pub(super) const SIZES: u32 = 8;
}

impl Chunk {
    /// Adds a row.
    pub fn push(&mut self, row: &Row) {
        let mut bits = 0;
        let mut set = |on: bool, bit: u64| bits |= if on { bit } else { 0 };
        set(row.time.is_some(), has::TIME);
        set(row.usage.is_some(), has::USAGE);
        set(row.model.is_some(), has::MODEL);
        set(!row.calls.is_empty(), has::CALLS);
        set(row.result.is_some(), has::RESULT);
        set(row.result.is_some_and(|(_, failed)| failed), has::FAILED);
        set(row.type_name.is_some(), has::TYPE_NAME);
        set(row.role_name.is_some(), has::ROLE_NAME);
        row.sizes.iter().enumerate().for_each(|(n, size)| set(*size > 0, 1 << (has::SIZES + n as u32)));
        self.count += 1;
        self.bytes.extend([row.kind as u8, row.role as u8]);
        self.put(bits);
        self.put(row.length);
        if let Some(time) = row.time {
            self.put_signed(time.wrapping_sub(self.last_time));
            self.last_time = time;
        }
        row.sizes.iter().filter(|size| **size > 0).for_each(|size| self.put(*size));
        if let Some(usage) = &row.usage {
            self.put_usage(usage);
        }
        let names = [row.model, row.type_name, row.role_name, row.result.map(|(name, _)| name)];
        names.into_iter().flatten().for_each(|name| self.put(u64::from(name)));
        if !row.calls.is_empty() {
            self.put(row.calls.len() as u64);
            for (name, bytes) in &row.calls {
                self.put(u64::from(*name));
                self.put(*bytes);
            }
        }
    }

    fn put_usage(&mut self, usage: &Usage) {
        let numbers = usage.tokens.iter().chain(&usage.cost);
        let mut bits = u64::from(usage.has_tokens) | u64::from(usage.has_cost) << 1;
        numbers.clone().enumerate().for_each(|(n, number)| bits |= u64::from(!number.is_zero()) << (n + 2));
        self.put(bits);
        self.put(usage.not_numbers);
        for number in numbers.filter(|number| !number.is_zero()) {
            // fewer than 10^17 digits leave the room
            self.put(zigzag(number.digits) << 1 | u64::from(number.exponent != 0));
            if number.exponent != 0 {
                self.put_signed(i64::from(number.exponent));
            }
        }
    }

    /// Seven bits a byte, the lowest first.
    fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn put_signed(&mut self, number: i64) {
        self.put(zigzag(number));
    }

    /// Gives back the room that was kept for more.
    pub fn close(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Hands each row to `look`, in order, with its number in the chunk.
    pub fn each(&self, mut look: impl FnMut(u32, &mut Row)) {
        let mut packed = Packed { rest: &self.bytes, last_time: 0 };
        let mut row = Row::default();
        for n in 0..self.count {
            packed.next(&mut row);
            look(n, &mut row);
        }
    }
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Rows being unpacked. What was packed here is never cut.
struct Packed<'a> {
    rest: &'a [u8],
    last_time: i64,
}

/// The types and roles by their numbers.
const TYPES: [EntryType; 15] = [
    EntryType::Missing,
    EntryType::Unknown,
    EntryType::Message,
    EntryType::Compaction,
    EntryType::BranchSummary,
    EntryType::CustomMessage,
    EntryType::ContextEdit,
    EntryType::ModelChange,
    EntryType::ThinkingLevelChange,
    EntryType::Label,
    EntryType::SessionInfo,
    EntryType::Custom,
    EntryType::Usage,
    EntryType::Leaf,
    EntryType::ActiveToolsChange,
];

/// See [`TYPES`].
const ROLES: [Role; 11] = [
    Role::None,
    Role::Unknown,
    Role::User,
    Role::Assistant,
    Role::ToolResult,
    Role::System,
    Role::BashExecution,
    Role::Custom,
    Role::BranchSummary,
    Role::CompactionSummary,
    Role::HookMessage,
];

impl Packed<'_> {
    fn next(&mut self, row: &mut Row) {
        row.kind = TYPES.get(self.byte() as usize).copied().unwrap_or(EntryType::Unknown);
        row.role = ROLES.get(self.byte() as usize).copied().unwrap_or(Role::Unknown);
        let bits = self.take();
        let has = |bit: u64| bits & bit != 0;
        row.length = self.take();
        row.time = has(has::TIME).then(|| {
            self.last_time = self.last_time.wrapping_add(self.take_signed());
            self.last_time
        });
        for n in 0..MEASURED {
            row.sizes[n] = if has(1 << (has::SIZES + n as u32)) { self.take() } else { 0 };
        }
        row.usage = has(has::USAGE).then(|| self.take_usage());
        let mut name = |bit: u64| has(bit).then(|| self.take() as u32);
        row.model = name(has::MODEL);
        row.type_name = name(has::TYPE_NAME);
        row.role_name = name(has::ROLE_NAME);
        row.result = name(has::RESULT).map(|name| (name, has(has::FAILED)));
        row.calls.clear();
        if has(has::CALLS) {
            for _ in 0..self.take() {
                row.calls.push((self.take() as u32, self.take()));
            }
        }
    }

    fn take_usage(&mut self) -> Usage {
        let bits = self.take();
        let mut usage =
            Usage { has_tokens: bits & 1 != 0, has_cost: bits & 2 != 0, not_numbers: self.take(), ..Usage::default() };
        for (n, number) in usage.tokens.iter_mut().chain(&mut usage.cost).enumerate() {
            if bits >> (n + 2) & 1 == 1 {
                let packed = self.take();
                number.digits = unzigzag(packed >> 1);
                number.exponent = if packed & 1 == 1 { self.take_signed() as i16 } else { 0 };
            }
        }
        usage
    }

    fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *first
    }

    fn take(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                return number;
            }
        }
    }

    fn take_signed(&mut self) -> i64 {
        unzigzag(self.take())
    }
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal() -> impl Strategy<Value = Decimal> {
        (-99_999_999_999_999_999i64..99_999_999_999_999_999, -340i16..308)
            .prop_map(|(digits, exponent)| Decimal { digits, exponent: if digits == 0 { 0 } else { exponent } })
    }

    fn usage() -> impl Strategy<Value = Usage> {
        let five = || proptest::array::uniform5(decimal());
        (five(), five(), any::<(bool, bool, u8)>()).prop_map(|(tokens, cost, (has_tokens, has_cost, bad))| Usage {
            tokens,
            cost,
            has_tokens,
            has_cost,
            not_numbers: u64::from(bad),
        })
    }

    fn row() -> impl Strategy<Value = Row> {
        let names = (any::<Option<u32>>(), any::<Option<u32>>(), any::<Option<u32>>());
        let tools = (proptest::collection::vec((any::<u32>(), any::<u64>()), 0..3), any::<Option<(u32, bool)>>());
        let sizes = proptest::array::uniform7(prop_oneof![Just(0), any::<u64>()]);
        let plain = (0..TYPES.len(), 0..ROLES.len(), any::<Option<i64>>(), any::<u64>());
        (plain, sizes, proptest::option::of(usage()), names, tools).prop_map(
            |((kind, role, time, length), sizes, usage, (type_name, role_name, model), (calls, result))| Row {
                kind: TYPES[kind],
                role: ROLES[role],
                time,
                length,
                sizes,
                usage,
                type_name,
                role_name,
                model,
                calls,
                result,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(rows in proptest::collection::vec(row(), 0..20)) {
            let mut chunk = Chunk::default();
            rows.iter().for_each(|row| chunk.push(row));
            chunk.close();
            let mut unpacked = Vec::new();
            chunk.each(|n, row| {
                assert_eq!(n as usize, unpacked.len());
                unpacked.push(row.clone());
            });
            prop_assert_eq!(unpacked, rows);
        }
    }

    #[test]
    fn types_and_roles_are_in_the_order_of_their_numbers() {
        assert!(TYPES.iter().enumerate().all(|(n, kind)| *kind as usize == n));
        assert!(ROLES.iter().enumerate().all(|(n, role)| *role as usize == n));
        assert!(CONTENTS.iter().enumerate().all(|(n, (content, _))| *content as usize == n));
        assert_eq!(split_model(&model_name("a", "b")), ("a", "b"));
    }
}
