//! From inputs to a list of sessions.

use super::opened;
use crate::dialect::file_name;
use crate::report::list::{List, Row, Skipped};
use crate::report::{ReadError, Totals};
use crate::rules::beside::Beside;
use crate::rules::check::{Audit, Checker};
use crate::rules::kind::FileKind;
use crate::rules::{self, Policy};
use crate::session::kin::heads::Head;
use crate::session::kin::links::{By, Origin};
use crate::session::picker::{Listed, Picker, header_time};
use crate::session::scan::scan;
use crate::session::view::{Reader, View};
use crate::session::{Session, graph};
use crate::source::Source;
use crate::source::inputs::Input;
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};

/// Where pi looks for sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    /// The folder.
    pub folder: PathBuf,
    /// Whether sessions lie in folders of projects, rather than in the folder itself.
    pub by_project: bool,
}

/// What is listed, and how.
#[derive(Debug, Default)]
pub struct Options {
    /// pi's own store, if the sessions may lie in it: what pi does not look at there is told.
    pub shelf: Option<Shelf>,
    /// Only sessions in which this stands: in the name, or in what a user or the model said. Lower case.
    pub grep: Option<String>,
}

/// What comes out of one input.
enum Found {
    Row(Box<Row>),
    Skipped(Skipped),
    Error(ReadError),
    /// Nothing of a session's, or one that does not fit.
    Nothing(bool),
}

/// Lists the sessions among the inputs, in their order. `step` is called once for each input.
pub fn sessions(inputs: Vec<Input>, options: &Options, step: &(dyn Fn() + Sync)) -> List {
    let beside = Beside::new(inputs);
    let shelf = options.shelf.as_ref().and_then(|shelf| {
        let folder = shelf.folder.canonicalize().ok()?;
        Some(Shelf { folder, ..shelf.clone() })
    });
    let one = |(n, input): (usize, &Input)| {
        let found = one(&beside, n as u32, input, shelf.as_ref(), options);
        step();
        found
    };
    let found: Vec<Found> = beside.inputs().par_iter().enumerate().map(one).collect();
    let mut list = List::default();
    let mut numbers = Vec::new();
    for (n, found) in (0..).zip(found) {
        match found {
            Found::Row(row) => {
                list.rows.push(*row);
                numbers.push(n);
            }
            Found::Skipped(skipped) => list.skipped.push(skipped),
            Found::Error(error) => list.errors.push(error),
            Found::Nothing(filtered) => list.left_out += u64::from(filtered),
        }
    }
    if list.rows.iter().any(|row| row.parent.is_some()) {
        hide_loops(&beside, &numbers, &mut list.rows);
    }
    list
}

fn one(beside: &Beside, n: u32, input: &Input, shelf: Option<&Shelf>, options: &Options) -> Found {
    if matches!(input, Input::File { leftover: true, .. }) && beside.leftover(n).is_none() {
        return Found::Nothing(false);
    }
    opened(input, |name, path, source| found(beside, n, &source, name, path, shelf, options))
        .unwrap_or_else(Found::Error)
}

fn found(
    beside: &Beside,
    n: u32,
    source: &Source,
    name: &str,
    path: Option<&Path>,
    shelf: Option<&Shelf>,
    options: &Options,
) -> io::Result<Found> {
    let (session, (checker, picker)) = scan::<(Checker, Picker)>(source, &Default::default())?;
    let audit = Audit::new(source, &session, path).among(beside, n);
    let kind = audit.kind();
    if audit.is_stranger() || matches!(kind, FileKind::Foreign(_)) {
        let dialect = match kind {
            FileKind::Foreign(dialect) => dialect.name,
            _ => crate::dialect::UNKNOWN.name,
        };
        return Ok(Found::Skipped(Skipped { path: name.to_string(), dialect }));
    }
    let listed = picker.list(&session);
    if let Some(text) = &options.grep
        && !says(source, &session, &listed, text)
    {
        return Ok(Found::Nothing(true));
    }
    let leftover = audit.is_leftover();
    let findings = rules::judge(&audit, checker, &Policy::default());
    let mut totals = Totals::default();
    let mut row =
        Row { path: name.to_string(), dialect: crate::dialect::PI, bytes: session.facts.bytes, ..Row::default() };
    row.file = path.map(Path::to_path_buf);
    for ((code, severity), count) in &findings.counts {
        *row.counts.entry(code).or_default() += count;
        totals.count(*severity, *count);
    }
    row.totals = totals;
    if let Some(header) = &session.header {
        let head = Head::of_fields(&header.fields);
        (row.id, row.parent) = (head.id, head.parent);
        row.project = header.text("cwd").filter(|cwd| !cwd.is_empty()).map(str::to_string);
    }
    row.created = begun(&session, path);
    row.modified = listed.modified.or(row.created);
    row.version = session.version();
    row.entries = session.entries.len() as u64;
    row.messages =
        session.entries.iter().filter(|entry| entry.kind == crate::dialect::pi::EntryType::Message).count() as u64;
    row.pi_messages = listed.messages;
    row.branches = session.tips();
    row.hidden = match path {
        _ if leftover => Some("its name does not end in .jsonl".to_string()),
        Some(path) => misplaced(path, shelf).or_else(|| listed.hidden.clone()),
        None => listed.hidden.clone(),
    };
    // the list has no words for what it does not see; there may be some all the same
    (row.name, row.first) = (listed.name, listed.words);
    if row.first.is_empty() && row.name.is_none() {
        row.first = recovered_words(source, &session);
    }
    Ok(Found::Row(Box::new(row)))
}

/// The first words of a user on a line that pi drops.
fn recovered_words(source: &Source, session: &Session) -> String {
    use crate::dialect::pi::Role;
    let Ok(view) = View::new(source, session, Reader::Sesstool) else { return String::new() };
    let mut users = (0..view.len()).filter(|n| view.row(*n).role == Role::User);
    let words =
        users.find_map(|n| Some(crate::report::digest::Digest::of(&view, n).text).filter(|text| !text.is_empty()));
    words.unwrap_or_default()
}

/// When a session was begun: by its header, else by its name, else by its first entry.
pub(super) fn begun(session: &Session, path: Option<&Path>) -> Option<i64> {
    let named = || file_name::parse(path?.file_name()?.to_str()?)?.time;
    let first = || session.entries.first().map(|entry| entry.time).filter(|time| *time != crate::session::NO_TIME);
    header_time(session).or_else(named).or_else(first)
}

/// Why pi does not come across a file in its own store.
fn misplaced(path: &Path, shelf: Option<&Shelf>) -> Option<String> {
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return Some("its name does not end in .jsonl".to_string());
    }
    let shelf = shelf?;
    let below = path.canonicalize().ok()?;
    let depth = below.strip_prefix(&shelf.folder).ok()?.components().count();
    match (shelf.by_project, depth) {
        (true, 2) | (false, 1) => None,
        (true, _) => Some("pi looks into the folders of projects only, and no deeper".to_string()),
        (false, _) => Some("pi looks into that folder itself only".to_string()),
    }
}

/// pi's list shows forks below what they were forked from: a loop, and what hangs on one, is nowhere in it.
fn hide_loops(beside: &Beside, numbers: &[u32], rows: &mut [Row]) {
    let links = beside.links();
    let mut row_of = vec![None; beside.inputs().len()];
    for (at, n) in (0u32..).zip(numbers) {
        row_of[*n as usize] = Some(at).filter(|at| rows[*at as usize].hidden.is_none());
    }
    // pi goes by the path alone
    let parent = |at: u32| match links.origin(numbers[at as usize]) {
        Origin::Input(parent, By::Path) if rows[at as usize].hidden.is_none() => row_of[parent as usize],
        _ => None,
    };
    let parents: Vec<Option<u32>> = (0..rows.len() as u32).map(parent).collect();
    let mut lost = vec![false; rows.len()];
    for members in graph::loops(rows.len(), |at| parents[at as usize]) {
        members.iter().for_each(|at| lost[*at as usize] = true);
    }
    let looped = lost.clone();
    let mut known = vec![false; rows.len()];
    for at in 0..rows.len() as u32 {
        let mut way = Vec::new();
        let mut next = Some(at);
        while let Some(n) = next.filter(|n| !known[*n as usize] && !looped[*n as usize]) {
            known[n as usize] = true;
            way.push(n);
            next = parents[n as usize];
        }
        if next.is_some_and(|n| lost[n as usize]) {
            way.iter().for_each(|n| lost[*n as usize] = true);
        }
    }
    for (at, row) in rows.iter_mut().enumerate().filter(|(at, _)| lost[*at]) {
        let why =
            if looped[at] { "its parentSession leads back to itself" } else { "it was forked from a loop of parents" };
        row.hidden = Some(format!("{why}; pi's list shows it only in another order"));
    }
}

/// Whether the name, or what a user or the model says, holds a text. Compared without case.
fn says(source: &Source, session: &Session, listed: &Listed, text: &str) -> bool {
    use crate::dialect::pi::{EntryType, Role};
    use crate::json::text::to_text;
    let holds = |said: &str| said.to_lowercase().contains(text);
    if listed.name.as_deref().is_some_and(holds) {
        return true;
    }
    let mut reread = crate::session::reread::Reread::new(source);
    let spoken = session.entries.iter().filter(|row| row.kind == EntryType::Message);
    spoken.filter(|row| matches!(row.role, Role::User | Role::Assistant)).any(|row| {
        let found = reread.record(row, |record| {
            let content = record.get_inner(b"content").and_then(|m| record.raw_string(m));
            let mut texts = record.blocks().filter_map(|block| block.raw(b"text"));
            content.is_some_and(|raw| holds(&to_text(raw))) || texts.any(|raw| holds(&to_text(raw)))
        });
        found == Some(true)
    })
}
