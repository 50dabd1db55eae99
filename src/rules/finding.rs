//! A finding: one rule at one place.

use super::Rule;
use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing, nothing breaks.
    Info,
    /// It opens, but a later step fails, or a promise of the format is broken.
    Warning,
    /// A reader cannot open the file, hangs, loses data or reads something else than was written.
    Error,
}

impl Severity {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What kind of repair a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Repair {
    /// The meaning cannot change.
    Safe,
    /// Rests on an assumption that the manifest names.
    Assumed,
    /// Done only when asked for by name.
    Choice,
    /// There is none; the rule says why.
    None,
}

impl Repair {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Repair::Safe => "safe",
            Repair::Assumed => "assumed",
            Repair::Choice => "choice",
            Repair::None => "none",
        }
    }
}

/// A range of bytes of the file, and the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The offset of the line's first byte in the file, from 0.
    pub line_start: u64,
    /// The offset of the first byte in the file, from 0.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

impl Place {
    /// The column in bytes, from 1.
    pub fn column(&self) -> u64 {
        self.offset - self.line_start + 1
    }
}

/// Another place that a finding names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What is there.
    pub message: String,
}

/// A piece of a line around a place, for showing it to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The bytes, within one line, without its end; not more than a few hundred.
    pub bytes: Vec<u8>,
    /// The offset of the first of them in the file.
    pub offset: u64,
    /// Whether the line goes on behind them.
    pub more: bool,
}

/// What a finding is known by in later runs, and its columns as programs count them that do not count bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// 16 hex digits: the same for the same damage wherever its line stands, and no other finding of the
    /// same code in the file has it.
    pub fingerprint: String,
    /// The column in UTF-16 code units, from 1; bytes that are no text count one each. `None` where it was
    /// not counted.
    pub column: Option<u64>,
    /// The column behind the place, on the same line; `None` for long places, or those of several lines.
    pub end_column: Option<u64>,
}

/// One rule at one place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// Where; `None` for a finding about the whole file.
    pub place: Option<Place>,
    /// The id of the entry concerned, as JSON (a string with its quotes, or what stands in its place).
    pub entry: Option<String>,
    /// The fact, with the value in back-ticks.
    pub message: String,
    /// What a reader does with it.
    pub effect: String,
    /// Which repair it has here.
    pub repair: Repair,
    /// Other places concerned.
    pub related: Vec<Related>,
    /// The line around the place, where it was asked for.
    pub excerpt: Option<Excerpt>,
    /// What it is known by, where it was asked for.
    pub anchor: Option<Anchor>,
}
