//! What the model sees, for people and for machines. One file a format.

mod json;
mod jsonl;
#[cfg(feature = "cli")]
mod text;

#[cfg(feature = "cli")]
pub(crate) use json::why;

use crate::session::view::{Context, Leaf, Message, View};
use std::io::{self, Write};

/// A context to be shown.
pub struct Seen<'a> {
    /// The session as its reader sees it.
    pub view: &'a View<'a>,
    /// Its path, as it was given.
    pub path: &'a str,
    /// Where the context was taken.
    pub leaf: Leaf,
    /// The context.
    pub context: &'a Context,
    /// Whether neighbouring messages of the user are merged, as a provider gets them.
    pub provider_view: bool,
}

/// How a context looks.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether each entry of the branch is told, and why it is in or out.
    pub explain: bool,
    /// Whether lines are drawn with ASCII only.
    pub ascii: bool,
}

/// A format of contexts.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Writes the context.
    pub write: fn(&mut dyn Write, &Seen<'_>, &Options) -> io::Result<()>,
}

/// Every format; the first is the default.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "cli")]
    text::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
];

impl Seen<'_> {
    /// Hands on the messages, one by one; merged ones all at once.
    fn each_message(&self, mut hand: impl FnMut(&Message) -> io::Result<()>) -> io::Result<()> {
        let messages = self.context.shown.iter().filter_map(|shown| self.view.message(shown));
        if self.provider_view {
            return crate::session::view::merge_users(messages).iter().try_for_each(hand);
        }
        messages.into_iter().try_for_each(|message| hand(&message))
    }
}
