//! Rows added up.

use super::row::{CONTENTS, Content, Row, Usage};
use super::sum::Sum;
use crate::dialect::pi::{EntryType, Role};
use std::collections::BTreeMap;

/// Usage records added up.
#[derive(Clone, Debug, Default)]
pub struct UsageSum {
    /// How many records.
    pub records: u64,
    /// Tokens: input, output, cache read, cache write, total.
    pub tokens: [Sum; 5],
    /// Cost, likewise.
    pub cost: [Sum; 5],
    /// Values that should be numbers and are none.
    pub not_numbers: u64,
    /// Totals of tokens or cost that a record does not give, and that were added up.
    pub added: u64,
}

impl UsageSum {
    /// Adds a record.
    pub fn add(&mut self, usage: &Usage) {
        self.records += 1;
        self.not_numbers += usage.not_numbers;
        let both = [(&mut self.tokens, &usage.tokens, usage.has_tokens), (&mut self.cost, &usage.cost, usage.has_cost)];
        for (sums, numbers, has_total) in both {
            for (sum, number) in sums.iter_mut().zip(&numbers[..4]) {
                sum.add(*number);
            }
            match has_total {
                true => sums[4].add(numbers[4]),
                false => numbers[..4].iter().for_each(|number| sums[4].add(*number)),
            }
            self.added += u64::from(!has_total);
        }
    }

    /// Adds other sums.
    pub fn merge(&mut self, other: &UsageSum) {
        self.records += other.records;
        self.not_numbers += other.not_numbers;
        self.added += other.added;
        let both = [(&mut self.tokens, &other.tokens), (&mut self.cost, &other.cost)];
        for (sums, others) in both {
            sums.iter_mut().zip(others).for_each(|(sum, other)| sum.merge(other));
        }
    }
}

/// What one tool came to.
#[derive(Clone, Debug, Default)]
pub struct ToolSum {
    /// Calls.
    pub calls: u64,
    /// Results.
    pub results: u64,
    /// Results that say that the tool failed.
    pub errors: u64,
    /// Bytes of the calls' arguments.
    pub call_bytes: u64,
    /// Bytes of the results, images included.
    pub result_bytes: u64,
}

impl ToolSum {
    /// Adds other sums.
    pub fn merge(&mut self, other: &ToolSum) {
        self.calls += other.calls;
        self.results += other.results;
        self.errors += other.errors;
        self.call_bytes += other.call_bytes;
        self.result_bytes += other.result_bytes;
    }

    /// Which part of the results are errors; `None` without results.
    pub fn error_rate(&self) -> Option<f64> {
        (self.results > 0).then(|| self.errors as f64 / self.results as f64)
    }
}

/// What one model came to.
#[derive(Clone, Debug, Default)]
pub struct ModelSum {
    /// Its messages.
    pub messages: u64,
    /// Their usage, and that of usage entries that name it.
    pub usage: UsageSum,
}

/// What one thinking level came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelSum {
    /// How often it was set.
    pub changes: u64,
    /// Messages of the model while it was in force on their branch.
    pub messages: u64,
}

/// Times of entries, by which a span and the active time in it are told.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Milliseconds since 1970.
    list: Vec<i64>,
    /// Entries without a time.
    pub missing: u64,
}

impl Times {
    fn add(&mut self, time: Option<i64>) {
        match time {
            Some(time) => self.list.push(time),
            None => self.missing += 1,
        }
    }

    /// Adds other times.
    pub fn merge(&mut self, other: &Times) {
        self.list.extend_from_slice(&other.list);
        self.missing += other.missing;
    }

    /// The first and the last.
    pub fn span(&self) -> Option<(i64, i64)> {
        self.list.iter().min().copied().zip(self.list.iter().max().copied())
    }

    /// The active time: all gaps between times that follow each other, those over `longest` left out. In
    /// milliseconds, as `longest` is.
    pub fn active(&self, longest: i64) -> i64 {
        let mut sorted;
        let list = match self.list.is_sorted() {
            true => &self.list,
            false => {
                sorted = self.list.clone();
                sorted.sort_unstable();
                &sorted
            }
        };
        let gaps = list.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        gaps.filter(|gap| *gap <= longest).fold(0, i64::saturating_add)
    }

    /// How many fall into each of `columns` equal parts of the time from `from` to `to`.
    pub fn histogram(&self, (from, to): (i64, i64), columns: usize) -> Vec<u64> {
        let mut counts = vec![0; columns];
        let span = (i128::from(to) - i128::from(from)).max(0) + 1;
        for time in self.list.iter().filter(|time| (from..=to).contains(time)) {
            let at = (i128::from(*time) - i128::from(from)) * columns as i128 / span;
            counts[at as usize] += 1;
        }
        counts
    }
}

/// Names beyond this many are counted as one, so that a file cannot fill the memory with names.
const MOST_NAMES: usize = 10_000;

/// What the rest is called.
pub const OTHERS: &str = "(others)";

/// Adds to the value of a name.
pub(super) fn named<'t, T: Default>(table: &'t mut BTreeMap<String, T>, name: &str) -> &'t mut T {
    // looking twice is cheaper than a name for each look
    if !table.contains_key(name) {
        let name = if table.len() < MOST_NAMES { name } else { OTHERS };
        return table.entry(name.to_string()).or_default();
    }
    table.get_mut(name).expect("it was found")
}

/// Rows added up.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Entries.
    pub entries: u64,
    /// Their bytes, and of a whole file or store all others too.
    pub bytes: u64,
    types: [u64; 15],
    unknown_types: BTreeMap<String, u64>,
    roles: [u64; 11],
    unknown_roles: BTreeMap<String, u64>,
    /// Bytes by kind of content, in the order of [`CONTENTS`].
    pub sizes: [u64; CONTENTS.len()],
    /// Usage.
    pub usage: UsageSum,
    /// By tool.
    pub tools: BTreeMap<String, ToolSum>,
    /// By model, see [`model_name`](super::row::model_name).
    pub models: BTreeMap<String, ModelSum>,
    /// By thinking level.
    pub levels: BTreeMap<String, LevelSum>,
    /// When.
    pub times: Times,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            entries: 0,
            bytes: 0,
            types: [0; 15],
            unknown_types: BTreeMap::new(),
            roles: [0; 11],
            unknown_roles: BTreeMap::new(),
            sizes: [0; CONTENTS.len()],
            usage: UsageSum::default(),
            tools: BTreeMap::new(),
            models: BTreeMap::new(),
            levels: BTreeMap::new(),
            times: Times::default(),
        }
    }
}

/// The role of a message that has none.
pub const NO_NAME: &str = "(none)";

impl Tally {
    /// Adds a row; `level` is the thinking level in force, and `names` what its names mean.
    pub fn add(&mut self, row: &Row, names: &[String], level: Option<&str>) {
        let name = |place: u32| names.get(place as usize).map_or("", String::as_str);
        self.entries += 1;
        self.bytes += row.length;
        self.times.add(row.time);
        match row.type_name {
            Some(place) => *named(&mut self.unknown_types, name(place)) += 1,
            None => self.types[row.kind as usize] += 1,
        }
        match row.role_name {
            Some(place) => *named(&mut self.unknown_roles, name(place)) += 1,
            None if row.kind == EntryType::Message || row.role != Role::None => self.roles[row.role as usize] += 1,
            None => {}
        }
        for (sum, size) in self.sizes.iter_mut().zip(row.sizes) {
            *sum += size;
        }
        self.sizes[Content::Other as usize] += row.length.saturating_sub(row.sizes.iter().sum());
        if let Some(usage) = &row.usage {
            self.usage.add(usage);
        }
        let is_turn = row.role == Role::Assistant;
        if let Some(place) = row.model {
            let model = named(&mut self.models, name(place));
            model.messages += u64::from(is_turn);
            row.usage.iter().for_each(|usage| model.usage.add(usage));
        }
        for &(place, bytes) in &row.calls {
            let tool = named(&mut self.tools, name(place));
            tool.calls += 1;
            tool.call_bytes += bytes;
        }
        if let Some((place, failed)) = row.result {
            let tool = named(&mut self.tools, name(place));
            tool.results += 1;
            tool.errors += u64::from(failed);
            tool.result_bytes += row.sizes[Content::ToolResults as usize] + row.sizes[Content::Images as usize];
        }
        if let Some(level) = level {
            let sum = named(&mut self.levels, level);
            sum.messages += u64::from(is_turn);
            sum.changes += u64::from(row.kind == EntryType::ThinkingLevelChange);
        }
    }

    /// Adds what is no entry: other bytes and debris.
    pub fn add_outside(&mut self, (other, debris): (u64, u64)) {
        self.bytes += other + debris;
        self.sizes[Content::Other as usize] += other;
        self.sizes[Content::Debris as usize] += debris;
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        self.entries += other.entries;
        self.bytes += other.bytes;
        add_all(&mut self.types, &other.types);
        add_all(&mut self.roles, &other.roles);
        add_all(&mut self.sizes, &other.sizes);
        let tables = [(&mut self.unknown_types, &other.unknown_types), (&mut self.unknown_roles, &other.unknown_roles)];
        for (table, others) in tables {
            others.iter().for_each(|(name, count)| *named(table, name) += count);
        }
        self.usage.merge(&other.usage);
        other.tools.iter().for_each(|(name, tool)| named(&mut self.tools, name).merge(tool));
        for (name, model) in &other.models {
            let sum = named(&mut self.models, name);
            sum.messages += model.messages;
            sum.usage.merge(&model.usage);
        }
        for (name, level) in &other.levels {
            let sum = named(&mut self.levels, name);
            sum.changes += level.changes;
            sum.messages += level.messages;
        }
        self.times.merge(&other.times);
    }

    /// Entries by type, as the files name them, those that do not occur left out.
    pub fn types(&self) -> Vec<(&str, u64)> {
        let known = |n: usize| match n {
            0 => NO_NAME,
            _ => crate::dialect::pi::TYPES.get(n.wrapping_sub(2)).map_or("unknown", |spec| spec.name),
        };
        counted(&self.types, known, &self.unknown_types)
    }

    /// Messages by role, likewise.
    pub fn roles(&self) -> Vec<(&str, u64)> {
        counted(&self.roles, |n| ROLE_NAMES[n], &self.unknown_roles)
    }

    /// How many entries of a type there are.
    pub fn of_type(&self, kind: EntryType) -> u64 {
        self.types[kind as usize]
    }

    /// How many messages of a role there are.
    pub fn of_role(&self, role: Role) -> u64 {
        self.roles[role as usize]
    }

    /// All messages.
    pub fn messages(&self) -> u64 {
        self.roles.iter().sum::<u64>() + self.unknown_roles.values().sum::<u64>()
    }

    /// All tool calls and results.
    pub fn all_tools(&self) -> ToolSum {
        let mut all = ToolSum::default();
        self.tools.values().for_each(|tool| all.merge(tool));
        all
    }
}

/// The names of the roles, in the order of [`Role`].
const ROLE_NAMES: [&str; 11] = [
    NO_NAME,
    "(unknown)",
    "user",
    "assistant",
    "toolResult",
    "system",
    "bashExecution",
    "custom",
    "branchSummary",
    "compactionSummary",
    "hookMessage",
];

fn add_all(sums: &mut [u64], numbers: &[u64]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

fn counted<'a>(
    counts: &[u64],
    name: impl Fn(usize) -> &'static str,
    unknown: &'a BTreeMap<String, u64>,
) -> Vec<(&'a str, u64)> {
    let known = counts.iter().enumerate().skip(1).filter(|(_, count)| **count > 0).map(|(n, count)| (name(n), *count));
    let none = counts.first().filter(|count| **count > 0).map(|count| (name(0), *count));
    let unknown = unknown.iter().map(|(name, count)| (name.as_str(), *count));
    known.chain(unknown).chain(none).collect()
}
