//! Sessions, one a line, for people and for machines. One file a format.

#[cfg(feature = "cli")]
mod csv;
mod json;
mod paths;
#[cfg(feature = "cli")]
mod text;

use super::{ReadError, Totals};
use crate::rules::Severity;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// One session.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its path, as it was given or found.
    pub path: String,
    /// The same with bytes that are no UTF-8; `None` of standard input.
    pub file: Option<PathBuf>,
    /// The header's id.
    pub id: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The beginning of the first message of a user that has any text.
    pub first: String,
    /// The header's working folder.
    pub project: Option<String>,
    /// When it was begun, in milliseconds since 1970.
    pub created: Option<i64>,
    /// When the user or the model last said something, else when it was begun; likewise.
    pub modified: Option<i64>,
    /// The header's version as it counts.
    pub version: Option<i64>,
    /// The dialect.
    pub dialect: &'static str,
    /// Its size.
    pub bytes: u64,
    /// How many entries it has.
    pub entries: u64,
    /// How many of them are messages.
    pub messages: u64,
    /// How many messages pi's list counts.
    pub pi_messages: u64,
    /// Entries without children: the ends of its branches.
    pub branches: u64,
    /// What it says it was forked from.
    pub parent: Option<String>,
    /// How many findings of each code.
    pub counts: BTreeMap<&'static str, u64>,
    /// The same by severity.
    pub totals: Totals,
    /// Why pi's list does not show it; `None` if it does.
    pub hidden: Option<String>,
}

impl Row {
    /// What it is called, or its first words.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.first)
    }

    /// `clean`, `info`, `warning` or `error`.
    pub fn verdict(&self) -> &'static str {
        self.totals.worst().map_or("clean", Severity::name)
    }
}

/// A file that is no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// The dialect, `unknown` where none is recognised.
    pub dialect: &'static str,
}

/// Sessions to be shown.
#[derive(Debug, Default)]
pub struct List {
    /// pi's own store, where that was read because nothing was named.
    pub store: Option<String>,
    /// The sessions, in order.
    pub rows: Vec<Row>,
    /// How many more there are that were filtered out.
    pub left_out: u64,
    /// Files that are no sessions.
    pub skipped: Vec<Skipped>,
    /// Files that cannot be read.
    pub errors: Vec<ReadError>,
}

/// How it looks, where the format leaves a choice.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether only what pi hides is shown, with the reason in place of the words.
    pub reasons: bool,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
    /// How paths alone are written.
    pub paths: Paths,
}

/// How paths alone are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paths {
    /// A line each, for people: what would do something to a terminal is spelt out.
    #[default]
    Clean,
    /// A line each, with the bytes that the names have.
    Raw,
    /// The bytes that the names have, each ended by a NUL.
    Null,
}

/// A format of lists.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Writes the list.
    pub write: fn(&mut dyn Write, &List, &Options) -> io::Result<()>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    #[cfg(feature = "cli")]
    csv::FORMAT,
    paths::FORMAT,
];

/// A time as the format of sessions has it.
fn iso(ms: Option<i64>) -> Option<String> {
    ms.map(crate::dialect::time::show)
}

#[cfg(test)]
mod tests;
