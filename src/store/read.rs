//! What is in a log: the views of the session, for whoever writes it.

use super::{Error, SessionLog};
use crate::dialect::pi::{EntryType, Role};
use crate::record::Record;
use crate::session::reread::Reread;
use crate::session::scan::scan;
use crate::session::view::{IdValue, Leaf, NONE, Order, Place, Reader, View, plain};
use crate::session::{Entry, NO_TIME, Shape};
use crate::source::{Source, shrunk};
use std::io;
use std::path::Path;

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredEntry {
    /// Its id.
    pub id: String,
    /// The entry that it hangs on; `None` for a root.
    pub parent: Option<String>,
    /// Its type.
    pub kind: EntryType,
    /// The role of its message.
    pub role: Role,
    /// Its time in milliseconds since 1970, where it has one that can be read.
    pub time: Option<i64>,
    /// Its JSON, as it stands there.
    pub json: String,
}

/// An entry in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeNode {
    /// The entry's id.
    pub id: String,
    /// The entry that it hangs on; `None` for a root.
    pub parent: Option<String>,
    /// How deep it stands; a root has 0.
    pub depth: u32,
    /// Its type.
    pub kind: EntryType,
    /// The role of its message.
    pub role: Role,
    /// Its label.
    pub label: Option<String>,
}

/// What the model sees.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Context {
    /// The ids of the entries that were selected, in the order of the context: a compaction first.
    pub entries: Vec<String>,
    /// The messages.
    pub messages: Vec<ContextMessage>,
    /// The model; `None` where nothing on the branch sets it.
    pub model: Option<Model>,
    /// The thinking level; `off` where nothing on the branch sets it.
    pub thinking_level: String,
}

/// A message that the model sees.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextMessage {
    /// The id of the entry that it comes from.
    pub entry: String,
    /// Its JSON.
    pub json: String,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// Its provider.
    pub provider: String,
    /// Its id.
    pub id: String,
}

/// # Reading
///
/// These are the views of the program ([`session::view`](crate::session::view)) at the log's leaf. Each call
/// looks at every entry of the session; for many questions at once take a [`view`](SessionLog::view).
impl SessionLog {
    /// The current position: the id of the entry on which the next one hangs; `None` before everything.
    pub fn leaf(&self) -> Option<String> {
        let n = self.leaf?;
        match self.session.shape {
            Shape::Tree => Some(self.session.id_text(n)),
            // the ids that `migrate` gives
            Shape::Line => self.view(Reader::Sesstool).ok().and_then(|view| view.id_text(view.node_of(n)?)),
        }
    }

    /// The entry with this id.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn entry(&self, id: &str) -> Result<Option<StoredEntry>, Error> {
        let Some(n) = self.session.find(id.as_bytes()) else { return Ok(None) };
        let row = &self.session.entries[n as usize];
        let json = Reread::new(self.source()).record(row, json_of).ok_or_else(unread)?;
        let parent = self.session.parent(n).filter(|parent| *parent != n);
        Ok(Some(StoredEntry::of(row, id.to_string(), parent.map(|parent| self.session.id_text(parent)), json)))
    }

    /// All entries, in the order in which they were appended.
    ///
    /// # Errors
    /// None here; an item is an error where its entry cannot be read again.
    pub fn entries(&self) -> Result<impl Iterator<Item = Result<StoredEntry, Error>>, Error> {
        let view = self.view(Reader::Sesstool)?;
        Ok((0..view.len()).map(move |n| stored(&view, n)))
    }

    /// The entries from the root to the leaf.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn branch_path(&self) -> Result<Vec<StoredEntry>, Error> {
        let view = self.view(Reader::Sesstool)?;
        path(&view, self.leaf_in(&view))
    }

    /// The entries from the root to this one.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::Read`].
    pub fn branch_path_to(&self, id: &str) -> Result<Vec<StoredEntry>, Error> {
        let view = self.view(Reader::Sesstool)?;
        path(&view, named(&view, id)?)
    }

    fn leaf_in(&self, view: &View<'_>) -> Leaf {
        self.leaf.and_then(|n| view.node_of(n)).map_or(Leaf::Start, Leaf::Node)
    }

    /// The tree: every entry behind the one that it hangs on, siblings by time.
    ///
    /// # Errors
    /// [`Error::Refused`], which does not happen to a session that this program wrote.
    pub fn tree(&self) -> Result<Vec<TreeNode>, Error> {
        let view = self.view(Reader::Sesstool)?;
        let order = Order::of(&view);
        let node = |place: Place| TreeNode {
            id: view.id_text(place.node).unwrap_or_default(),
            parent: Some(place.under).filter(|under| *under != NONE).and_then(|n| view.id_text(n)),
            depth: place.depth,
            kind: view.row(place.node).kind,
            role: view.row(place.node).role,
            label: view.label_text(place.node),
        };
        Ok(order.walk().map(node).collect())
    }

    /// What the model sees at the leaf.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn context(&self) -> Result<Context, Error> {
        let view = self.view(Reader::Sesstool)?;
        context(&view, self.leaf_in(&view))
    }

    /// What the model sees at this entry.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::Read`].
    pub fn context_at(&self, id: &str) -> Result<Context, Error> {
        let view = self.view(Reader::Sesstool)?;
        context(&view, named(&view, id)?)
    }

    /// The label of an entry.
    ///
    /// # Errors
    /// [`Error::UnknownId`].
    pub fn label(&self, id: &str) -> Result<Option<String>, Error> {
        let view = self.view(Reader::Sesstool)?;
        Ok(named(&view, id)?.node().and_then(|n| view.label_text(n)))
    }

    /// The name of the session.
    ///
    /// # Errors
    /// [`Error::Refused`], which does not happen to a session that this program wrote.
    pub fn name(&self) -> Result<Option<String>, Error> {
        Ok(self.view(Reader::Sesstool)?.name())
    }

    /// The session as a reader sees it, stored or not.
    ///
    /// # Errors
    /// [`Error::Refused`]: the reader does not open it. Never for [`Reader::Sesstool`].
    pub fn view(&self, reader: Reader) -> Result<View<'_>, Error> {
        Ok(View::new(self.source(), &self.session, reader)?)
    }
}

/// The entry of that id.
fn named(view: &View<'_>, id: &str) -> Result<Leaf, Error> {
    let found = view.find_value(&IdValue::Text(id.as_bytes().to_vec()));
    found.map(Leaf::Node).ok_or_else(|| Error::UnknownId(id.to_string()))
}

fn path(view: &View<'_>, leaf: Leaf) -> Result<Vec<StoredEntry>, Error> {
    view.branch(leaf)?.nodes.into_iter().map(|n| stored(view, n)).collect()
}

fn context(view: &View<'_>, leaf: Leaf) -> Result<Context, Error> {
    let context = view.context(leaf)?;
    let id = |n: u32| view.id_text(n).unwrap_or_default();
    let messages = context.shown.iter().map(|shown| {
        let message = view.message(shown).ok_or_else(unread)?;
        Ok(ContextMessage { entry: id(message.node), json: message.json })
    });
    Ok(Context {
        messages: messages.collect::<Result<_, Error>>()?,
        entries: context.entries.iter().map(|n| id(*n)).collect(),
        model: context.model.map(|model| Model { provider: plain(&model.provider), id: plain(&model.id) }),
        thinking_level: plain(&context.thinking),
    })
}

fn stored(view: &View<'_>, n: u32) -> Result<StoredEntry, Error> {
    let json = view.record(n, json_of).ok_or_else(unread)?;
    let parent = view.tree_parent(n).and_then(|parent| view.id_text(parent));
    Ok(StoredEntry::of(view.row(n), view.id_text(n).unwrap_or_default(), parent, json))
}

fn json_of(record: &Record<'_>) -> String {
    String::from_utf8_lossy(record.bytes).into_owned()
}

impl StoredEntry {
    fn of(row: &Entry, id: String, parent: Option<String>, json: String) -> Self {
        let time = Some(row.time).filter(|time| *time != NO_TIME);
        StoredEntry { id, parent, kind: row.kind, role: row.role, time, json }
    }
}

fn unread() -> Error {
    Error::Read(shrunk())
}

/// The records of a session file as pi loads them, each as its JSON, the header first: lines that are no
/// JSON are left out. Nothing for a file that is not there or that pi does not open; to be told why, use
/// [`SessionLog::open`].
///
/// # Errors
/// It is there and cannot be read.
pub fn load(path: &Path) -> io::Result<Vec<String>> {
    let source = match Source::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        source => source?,
    };
    let (session, ()) = scan(&source, &Default::default())?;
    let (Some(header), Ok(view)) = (&session.header, View::new(&source, &session, Reader::Pi)) else {
        return Ok(Vec::new());
    };
    let header = source.read_range(header.offset, header.length)?;
    let mut records = vec![String::from_utf8_lossy(&header).into_owned()];
    for n in 0..view.len() {
        let row = view.row(n);
        records.push(String::from_utf8_lossy(&source.read_range(row.offset, row.length)?).into_owned());
    }
    Ok(records)
}
