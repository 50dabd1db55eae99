//! `sesstool fork`: a new session from one branch.

use super::{CLEAN, FAILED, Failure, output, signals};
use crate::dialect::time::{self, Time};
use crate::edit::{self, Account, Original};
use crate::pass::Health;
use crate::pass::fork::{self, Fork, Identity};
use crate::report::clean::clean;
use crate::report::layout::plural;
use crate::source::Source;
use crate::store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make a new session from one branch of another.
///
/// The new header names the old file as its parent. Labels are written again at the end; lines that need
/// no change are copied byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The session to take the branch from: a path, or in pi's store an id, its beginning, or latest.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The last entry of the branch: its id, the beginning of its id, or its label.
    #[arg(long, value_name = "ID", required_unless_present = "all_branches")]
    leaf: Option<String>,
    /// The new session's file.
    #[arg(long, short, value_name = "NEW")]
    output: PathBuf,
    /// The new session's id (default: a UUID of version 7).
    #[arg(long, value_name = "ID", value_parser = session_id)]
    id: Option<String>,
    /// The new session's time, as 2026-01-31T12:00:00.000Z (default: now).
    #[arg(long, value_name = "T", value_parser = timestamp)]
    timestamp: Option<String>,
    /// Copy the whole tree instead of one branch.
    #[arg(long, conflicts_with = "leaf")]
    all_branches: bool,
}

const EXAMPLES: &str = "\
Examples:
  sesstool fork session.jsonl --leaf b7e4a910 -o new.jsonl
  sesstool fork session.jsonl --leaf before-refactoring -o new.jsonl
  sesstool fork session.jsonl --all-branches -o copy.jsonl

Exit status: 0 written, 2 wrong usage, an unknown entry, or it could not be done.";

fn session_id(text: &str) -> Result<String, String> {
    match store::is_session_id(text) {
        true => Ok(text.to_string()),
        false => Err("a session id has letters and digits, and inside also '-', '_' and '.'".to_string()),
    }
}

fn timestamp(text: &str) -> Result<String, String> {
    match time::read(text.as_bytes()) {
        Time::Proper(_) => Ok(text.to_string()),
        _ => Err("write it as 2026-01-31T12:00:00.000Z".to_string()),
    }
}

/// Writes the new session.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.file.as_os_str() == "-" {
        return Err(Failure::usage("a fork names the file that it comes from, and standard input has no name"));
    }
    signals::clean_up_on_signals();
    match write(args) {
        Ok(sentence) => {
            let mut out = output::stdout();
            writeln!(out, "{}", clean(&sentence))?;
            out.flush()?;
            Ok(CLEAN)
        }
        Err(sentence) => {
            output::error(&sentence);
            Ok(ExitCode::from(FAILED))
        }
    }
}

/// What was written, or why it was not, as a sentence.
fn write(args: &Args) -> Result<String, String> {
    let found = match args.file.to_str() {
        Some(file) => super::session::locate(file)?,
        None => args.file.clone(),
    };
    let path = found.as_path();
    edit::refuse(&args.output, Some(path)).map_err(|error| error.to_string())?;
    let of_file = |error: &dyn Display| format!("{}: {error}", path.display());
    let unread = |error: io::Error| of_file(&format!("cannot read: {}", output::reason(&error)));
    let source = Source::open(path).map_err(unread)?;
    let original = Original::take(&source, Some(path)).map_err(unread)?;
    let health = Health::of(&source).map_err(unread)?;
    let leaf = args.leaf.as_ref().map(|name| fork::find_leaf(&source, &health.session, name)).transpose();
    let leaf = leaf.map_err(|error| of_file(&error))?;
    let identity = args.identity(path).map_err(unread)?;
    let fork = fork::fork(&source, &health, leaf, &identity).map_err(|error| of_file(&error))?;
    let account = account(&identity, leaf.map(|n| health.session.id_text(n)));
    let content = |sink: &mut dyn FnMut(&[u8]) -> io::Result<()>| fork.feed(&source, sink);
    let check = |output: &Source| fork.verify(&health, &identity, output);
    edit::write_with_manifest(&original, &content, &args.output, account, &check).map_err(|error| error.to_string())?;
    Ok(told(&args.output, &identity, &fork))
}

fn told(output: &Path, identity: &Identity, fork: &Fork) -> String {
    let labels = match fork.labels {
        0 => String::new(),
        labels => format!(", {} among them", plural(labels, "label")),
    };
    let lines = format!("{} of session {}{labels}", plural(fork.entries, "line"), identity.id);
    format!("{}: {lines}; parent: {}", output.display(), identity.parent_session)
}

impl Args {
    fn identity(&self, path: &Path) -> io::Result<Identity> {
        Ok(Identity {
            id: self.id.clone().unwrap_or_else(|| uuid::Uuid::now_v7().to_string()),
            timestamp: self.timestamp.clone().unwrap_or_else(time::now),
            parent_session: std::path::absolute(path)?.to_string_lossy().into_owned(),
        })
    }
}

fn account(identity: &Identity, leaf: Option<String>) -> Account {
    let mut options = BTreeMap::from([
        ("id".to_string(), Value::from(identity.id.as_str())),
        ("timestamp".to_string(), identity.timestamp.as_str().into()),
    ]);
    match leaf {
        Some(leaf) => options.insert("leaf".to_string(), leaf.into()),
        None => options.insert("allBranches".to_string(), true.into()),
    };
    Account { verb: "fork", options }
}
