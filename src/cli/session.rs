//! One session for the views: which file is meant, who reads it, which entry.

use super::{Failure, lookup};
use crate::report::clean::clean;
use crate::rules::check::{Audit, Checker};
use crate::rules::{self, Finding, Policy};
use crate::session::Session;
use crate::session::scan::scan;
use crate::session::view::{Leaf, NotFound, Reader, View};
use crate::source::Source;
use crate::source::inputs::{reason, store};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// `--reader`.
#[derive(Clone, Copy, Debug, Default, ValueEnum, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReaderArg {
    /// Every record that the bytes still hold.
    #[default]
    Sesstool,
    /// What pi 1.6.0 sees.
    Pi,
    /// What agent-core 0.83.0 sees.
    AgentCore,
}

impl From<ReaderArg> for Reader {
    fn from(reader: ReaderArg) -> Self {
        match reader {
            ReaderArg::Sesstool => Reader::Sesstool,
            ReaderArg::Pi => Reader::Pi,
            ReaderArg::AgentCore => Reader::AgentCore,
        }
    }
}

/// A session that was opened.
pub(super) struct Opened {
    /// Its path, as it is shown.
    pub(super) path: String,
    /// Where its bytes are.
    pub(super) source: Source,
    /// Its index.
    pub(super) session: Session,
    /// What `validate` finds in it.
    pub(super) findings: Vec<Finding>,
}

/// From this size on reading a file can be noticed, in bytes.
const LARGE: u64 = 32 << 20;

impl Opened {
    /// Opens a file: a path, `-`, the id of a session in pi's store or its beginning, or `latest`.
    pub(super) fn open(file: &str) -> Result<Opened, Failure> {
        Opened::open_telling(file, |_| Ok(()))
    }

    /// The same, and hands the path to `tell` before a large file is read, since that takes a while.
    pub(super) fn open_telling(file: &str, tell: impl FnOnce(&str) -> std::io::Result<()>) -> Result<Opened, Failure> {
        let (path, source) = source(file)?;
        if source.size().is_some_and(|size| size > LARGE) {
            tell(&path)?;
        }
        if !source.is_seekable() {
            let size = crate::report::layout::size(crate::source::HELD as u64);
            return Err(Failure::Usage(format!("a pipe of more than {size} cannot be looked at; put it into a file")));
        }
        let scanned = scan::<Checker>(&source, &Default::default());
        let (session, checker) =
            scanned.map_err(|error| Failure::Usage(format!("{}: cannot read: {}", clean(&path), reason(&error))))?;
        let audit = Audit::new(&source, &session, (path != "-").then_some(Path::new(&path)));
        let findings = rules::judge(&audit, checker, &Policy::default()).list;
        Ok(Opened { path, source, session, findings })
    }

    /// The session as a reader sees it.
    pub(super) fn view(&self, reader: ReaderArg) -> Result<View<'_>, Failure> {
        View::new(&self.source, &self.session, reader.into())
            .map_err(|refusal| Failure::Usage(format!("{}: {refusal}", clean(&self.path))))
    }
}

fn source(file: &str) -> Result<(String, Source), Failure> {
    if file == "-" {
        let source = Source::stdin().map_err(|error| unreadable("standard input", &error))?;
        return Ok((file.to_string(), source));
    }
    let found = locate(file).map_err(Failure::Usage)?;
    let path = found.to_string_lossy().into_owned();
    let source = Source::open(&found).map_err(|error| unreadable(&path, &error))?;
    Ok((path, source))
}

/// The file that is meant: a path, or in pi's store the id of a session, its beginning, or `latest`.
pub(super) fn locate(file: &str) -> Result<PathBuf, String> {
    match Path::new(file).exists() {
        true => Ok(file.into()),
        false => {
            lookup::find(store().as_deref(), file).map_err(|error| format!("cannot open '{}': {error}", clean(file)))
        }
    }
}

fn unreadable(path: &str, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("cannot open {}: {}", clean(path), reason(error)))
}

/// The node that a name means.
pub(super) fn node(view: &View<'_>, name: &str) -> Result<u32, Failure> {
    let failure = |why: String| {
        let file =
            if Path::new(name).exists() { "; it is the name of a file: FILE comes first, then the entry" } else { "" };
        Failure::Usage(format!("{why}{file}"))
    };
    match view.find(name) {
        Ok(found) => Ok(found.node),
        Err(NotFound::Unknown(nearest)) => {
            let hint =
                if nearest.is_empty() { String::new() } else { format!("; the nearest: {}", nearest.join(", ")) };
            Err(failure(format!("no entry has the id or label '{name}', or an id that begins so{hint}")))
        }
        Err(NotFound::Ambiguous(count, first)) => {
            let more = if count > first.len() { ", …" } else { "" };
            Err(failure(format!("'{name}' may mean {count} entries: {}{more}", first.join(", "))))
        }
    }
}

/// The leaf: an entry that was named, or where the reader resumes.
pub(super) fn leaf(view: &View<'_>, name: Option<&str>) -> Result<Leaf, Failure> {
    match name {
        Some(name) => node(view, name).map(Leaf::Node),
        None => Ok(view.leaf),
    }
}
