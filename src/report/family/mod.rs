//! The forest of forks, for people and for machines. One file a format.

mod dot;
mod json;
#[cfg(feature = "cli")]
mod text;

use super::ReadError;
use super::list::Skipped;
use crate::dialect::file_name;
use hashbrown::HashMap;
use std::io::{self, Write};
use std::path::Path;

/// What ties a session to the one it hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// It hangs on none.
    #[default]
    None,
    /// Its header names the other one's path.
    Path,
    /// Its header names a path that leads nowhere, and the other one has the name in it.
    Name,
    /// Its header names the other one's id.
    Id,
    /// Its header names none that is here, but it shares entries with the other one, which is older.
    Entries,
    /// It is the same session, and the other file holds the same.
    Same,
    /// It is the same session, and the other file goes on behind it, or holds more.
    Older,
    /// It is the same session, and each of the files has entries that the other lacks.
    Diverged,
}

impl Tie {
    /// The word for it; `None` for a root.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Tie::None => None,
            Tie::Path => Some("path"),
            Tie::Name => Some("name"),
            Tie::Id => Some("id"),
            Tie::Entries => Some("entries"),
            Tie::Same => Some("same"),
            Tie::Older => Some("older"),
            Tie::Diverged => Some("diverged"),
        }
    }

    /// Whether both files hold one session.
    pub fn is_copy(self) -> bool {
        matches!(self, Tie::Same | Tie::Older | Tie::Diverged)
    }
}

/// Where what a header names is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stated {
    /// It names nothing, or what is shown as its parent.
    #[default]
    Here,
    /// It is there, but was not read.
    Elsewhere,
    /// It is not found.
    Missing,
    /// It leads back to the session itself.
    Loop,
}

/// A session in the forest.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its path, as it was given or found.
    pub path: String,
    /// The header's id.
    pub id: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The beginning of the first message of a user that has any text.
    pub first: String,
    /// When it was begun, in milliseconds since 1970.
    pub created: Option<i64>,
    /// When the user or the model last said something.
    pub modified: Option<i64>,
    /// Its size.
    pub bytes: u64,
    /// How many entries it has.
    pub entries: u64,
    /// How many of them the session that it hangs on has, too: the same id and the same bytes; in copies the same
    /// records.
    pub shared: u64,
    /// What ties it to the session that it hangs on.
    pub tie: Tie,
    /// What its header says it was forked from.
    pub parent_session: Option<String>,
    /// Where that is.
    pub stated: Stated,
    /// Whether this program wrote it, and its manifest stands beside it.
    pub output: bool,
    /// Whether it is the one that was asked for.
    pub asked: bool,
    /// The node it hangs on, by its place in the forest.
    pub parent: Option<u32>,
    /// How deep it hangs; 0 for a root.
    pub depth: u32,
    /// Whether it is the last of those that hang where it does.
    pub last: bool,
    /// How many sessions its tree has, itself counted; of a root only.
    pub family: u64,
}

impl Node {
    /// What it is called, or its first words.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.first)
    }

    /// A short name for the file: the session's id where pi named the file after it, else the name itself.
    fn short_name(&self) -> &str {
        let name = Path::new(&self.path).file_name().and_then(|name| name.to_str()).unwrap_or(&self.path);
        match (&self.id, file_name::parse(name)) {
            (Some(id), Some(parsed)) if parsed.id == *id && name.ends_with(&format!("{id}.jsonl")) => id,
            _ => name,
        }
    }

    /// The short name with so many of the folders it lies in before it.
    fn name_below(&self, folders: usize) -> String {
        let parts = self.path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<&str> = parts.collect();
        let (_, above) = parts.split_last().unwrap_or((&"", &[]));
        let above = &above[above.len().saturating_sub(folders)..];
        above.iter().chain([&self.short_name()]).copied().collect::<Vec<_>>().join("/")
    }
}

/// Sessions and what they were forked from.
#[derive(Debug, Default)]
pub struct Forest {
    /// The sessions, each behind the one it hangs on; roots and children the oldest first.
    pub nodes: Vec<Node>,
    /// Files that are no sessions.
    pub skipped: Vec<Skipped>,
    /// Files that cannot be read.
    pub errors: Vec<ReadError>,
}

impl Forest {
    /// The nodes of the trees that are worth a look: of several sessions, or of one that is asked for or
    /// whose parent is not found; or all.
    fn shown(&self, all: bool) -> impl Iterator<Item = (u32, &Node)> {
        let mut tree = false;
        (0..).zip(&self.nodes).filter(move |(_, node)| {
            if node.depth == 0 {
                let alone = node.family == 1 && node.stated == Stated::Here;
                tree = all || node.asked || !alone;
            }
            tree
        })
    }

    /// How many trees of several sessions there are, and how many sessions stand alone.
    fn counts(&self) -> (u64, u64) {
        let roots = || self.nodes.iter().filter(|node| node.depth == 0);
        let families = roots().filter(|root| root.family > 1).count();
        (families as u64, (roots().count() - families) as u64)
    }
}

/// What nodes are called: their short names, and where several share one, with as many folders before each as it
/// takes to tell them apart.
fn labels(nodes: &[&Node]) -> Vec<String> {
    let mut labels: Vec<String> = nodes.iter().map(|node| node.short_name().to_string()).collect();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        by_name.entry(node.short_name()).or_default().push(at);
    }
    for mut alike in by_name.into_values().filter(|alike| alike.len() > 1) {
        for folders in 1..=MOST_FOLDERS {
            alike.iter().for_each(|at| labels[*at] = nodes[*at].name_below(folders));
            let mut count: HashMap<&str, u32> = HashMap::new();
            alike.iter().for_each(|at| *count.entry(&labels[*at]).or_default() += 1);
            let shared = |at: &usize| count[labels[*at].as_str()] > 1;
            let left: Vec<usize> = alike.iter().copied().filter(shared).collect();
            alike = left;
            if alike.is_empty() {
                break;
            }
        }
    }
    labels
}

/// How many folders stand before a name at most.
const MOST_FOLDERS: usize = 8;

/// How it looks, where the format leaves a choice.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether sessions that stand alone are shown.
    pub all: bool,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
}

/// A format of forests.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Writes the forest.
    pub write: fn(&mut dyn Write, &Forest, &Options) -> io::Result<()>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    dot::FORMAT,
];

#[cfg(test)]
mod tests;
