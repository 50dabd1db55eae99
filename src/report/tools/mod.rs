//! The audit of tool calls, for people and for machines. One file a format.

mod json;
mod jsonl;
#[cfg(feature = "cli")]
mod text;

use crate::json::text as json_text;
use crate::record::Record;
use crate::session::tools::{Outcome, ToolCall};
use crate::session::view::{Leaf, View};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The calls of a session to be shown.
pub struct Audited<'a> {
    /// The session.
    pub view: &'a View<'a>,
    /// Its path, as it was given.
    pub path: &'a str,
    /// The end of the branch; `None` for all branches.
    pub leaf: Option<Leaf>,
    /// The calls, in order.
    pub calls: &'a [ToolCall],
}

/// A format of audits.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Writes the audit, in so many columns.
    pub write: fn(&mut dyn Write, &Audited<'_>, usize) -> io::Result<()>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
];

/// The texts of a call. Nothing in them is safe for a terminal yet.
#[derive(Clone, Debug, Default)]
struct Texts {
    /// The tool.
    tool: String,
    /// The id as JSON.
    id: String,
    /// The arguments as JSON; `null` of a stray result.
    arguments: String,
}

impl Texts {
    fn of(audited: &Audited<'_>, call: &ToolCall) -> Texts {
        let node = audited.view.node_of(call.entry);
        let read = node.and_then(|node| {
            audited.view.record(node, |record| match call.nth {
                Some(nth) => Self::of_call(record, nth as usize),
                None => Some(Self::of_result(record)),
            })
        });
        read.flatten().unwrap_or_else(|| Texts { id: "null".into(), arguments: "null".into(), ..Texts::default() })
    }

    fn of_call(record: &Record<'_>, nth: usize) -> Option<Texts> {
        let block = record.call(nth)?;
        Some(Texts {
            tool: json_text::to_text(block.raw(b"name").unwrap_or_default()),
            id: block.call_id().map_or("null".into(), |m| record.raw(&m.value)),
            arguments: block.get(b"arguments").map_or("null".into(), |m| record.raw(&m.value)),
        })
    }

    fn of_result(record: &Record<'_>) -> Texts {
        let name = record.get_inner(b"toolName").and_then(|m| record.raw_string(m));
        Texts {
            tool: json_text::to_text(name.unwrap_or_default()),
            id: record.get_inner(b"toolCallId").map_or("null".into(), |m| record.raw(&m.value)),
            arguments: "null".to_string(),
        }
    }
}

/// What the calls of one tool come to.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    calls: u64,
    outcomes: [u64; OUTCOMES.len()],
    unanswered: u64,
    ms: i64,
    bytes: u64,
}

/// Every outcome, in the order in which they are told.
const OUTCOMES: [Outcome; 7] = [
    Outcome::Ok,
    Outcome::Error,
    Outcome::Lost,
    Outcome::Waiting,
    Outcome::Displaced,
    Outcome::Repeated,
    Outcome::Stray,
];

impl Total {
    fn add(&mut self, call: &ToolCall) {
        self.calls += u64::from(call.nth.is_some());
        self.outcomes[call.outcome as usize] += 1;
        self.unanswered += u64::from(call.is_unanswered());
        self.ms = self.ms.saturating_add(call.ms.unwrap_or(0));
        self.bytes += call.bytes;
    }

    fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }
}

/// Totals by tool, those with most calls first, and the sum of all.
#[derive(Debug, Default)]
struct Totals {
    tools: BTreeMap<String, Total>,
    all: Total,
    /// Unanswered calls of turns that failed.
    of_failed_turns: u64,
}

impl Totals {
    fn add(&mut self, call: &ToolCall, tool: &str) {
        self.tools.entry(tool.to_string()).or_default().add(call);
        self.all.add(call);
        self.of_failed_turns += u64::from(call.is_unanswered() && call.failed_turn);
    }

    fn sorted(&self) -> Vec<(&str, &Total)> {
        let mut tools: Vec<_> = self.tools.iter().map(|(name, total)| (name.as_str(), total)).collect();
        tools.sort_by_key(|(_, total)| std::cmp::Reverse(total.calls));
        tools
    }
}
