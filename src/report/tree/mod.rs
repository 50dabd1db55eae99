//! The tree of a session, for people and for machines. One file a format.

mod dot;
mod json;
mod mermaid;
mod rows;
#[cfg(feature = "cli")]
mod text;

pub(crate) use json::write_id;
pub use rows::{Row, Rows, What};

use crate::dialect::pi::{EntryType, Role};
use crate::rules::Finding;
use crate::session::flags;
use crate::session::view::{Branch, Leaf, View};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Which entries are shown; names and meaning as in pi's own tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Filter {
    /// All but bookkeeping, and answers that only think or call tools.
    #[default]
    Default,
    /// The same without tool results.
    NoTools,
    /// What the user said.
    UserOnly,
    /// Entries with a label.
    LabeledOnly,
    /// Every entry.
    All,
}

/// What is shown of a tree, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether linear runs are shown in full.
    pub all: bool,
    /// Which entries are shown.
    pub filter: Filter,
    /// Whether times are shown.
    pub timestamps: bool,
    /// Whether ids are shown in full.
    pub full_ids: bool,
    /// Whether lines are drawn with ASCII only.
    pub ascii: bool,
    /// Whether colours are used.
    pub colors: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 140,
            all: false,
            filter: Filter::All,
            timestamps: false,
            full_ids: false,
            ascii: false,
            colors: true,
        }
    }
}

/// A tree to be shown.
pub struct Tree<'a> {
    /// The session as its reader sees it.
    pub view: &'a View<'a>,
    /// Its path, as it was given.
    pub path: &'a str,
    /// The codes of the findings of each entry of the index.
    pub findings: &'a BTreeMap<u32, Vec<&'static str>>,
    /// Where the reader resumes, or what was asked for in its place.
    pub leaf: Leaf,
    /// The branch of the leaf.
    pub branch: &'a Branch,
    /// Whether only the branch is shown.
    pub only_branch: bool,
}

/// A format of trees.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Whether it shows every entry unless told otherwise.
    pub whole: bool,
    /// Writes what can be said before the file is read: its path.
    pub title: fn(&mut dyn Write, &str, &Options) -> io::Result<()>,
    /// Writes the tree.
    pub write: fn(&mut dyn Write, &Tree<'_>, &Options) -> io::Result<()>,
}

/// For formats that are one document.
fn no_title(_: &mut dyn Write, _: &str, _: &Options) -> io::Result<()> {
    Ok(())
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    dot::FORMAT,
    mermaid::FORMAT,
];

impl Tree<'_> {
    /// The codes of a node's findings.
    fn codes(&self, n: u32) -> &[&'static str] {
        self.view.entry(n).and_then(|entry| self.findings.get(&entry)).map_or(&[], Vec::as_slice)
    }

    /// Whether the filter lets a node through. The leaf, labels and findings are always shown but where
    /// only certain entries are asked for.
    fn passes(&self, n: u32, filter: Filter) -> bool {
        let row = self.view.row(n);
        let is_user = row.kind == EntryType::Message && row.role == Role::User;
        let marked = || self.leaf.node() == Some(n) || self.view.label(n).is_some() || !self.codes(n).is_empty();
        match filter {
            Filter::All => true,
            Filter::UserOnly => is_user,
            Filter::LabeledOnly => self.view.label(n).is_some(),
            Filter::NoTools if row.role == Role::ToolResult => marked(),
            Filter::Default | Filter::NoTools => !row.has(flags::SILENT) && !is_setting(row.kind) || marked(),
        }
    }
}

/// What pi's tree takes for a setting.
fn is_setting(kind: EntryType) -> bool {
    use EntryType::{ActiveToolsChange, Custom, Label, Leaf, ModelChange, SessionInfo, ThinkingLevelChange, Usage};
    matches!(kind, Label | Custom | ModelChange | ThinkingLevelChange | SessionInfo | Usage | Leaf | ActiveToolsChange)
}

/// The codes of findings by the entry of the index in which they stand.
pub fn codes_by_entry(view: &View<'_>, findings: &[Finding]) -> BTreeMap<u32, Vec<&'static str>> {
    let entries = &view.session.entries;
    let mut codes: BTreeMap<u32, Vec<&'static str>> = BTreeMap::new();
    for finding in findings {
        let Some(place) = &finding.place else { continue };
        let Some(at) = entries.partition_point(|e| e.offset <= place.offset).checked_sub(1) else { continue };
        let entry = &entries[at];
        if place.offset < entry.offset + entry.length {
            let own = codes.entry(at as u32).or_default();
            if !own.contains(&finding.rule.code) {
                own.push(finding.rule.code);
            }
        }
    }
    codes
}

#[cfg(test)]
mod tests;
