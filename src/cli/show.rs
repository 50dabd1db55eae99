//! `sesstool show`: single entries, with everything that is known of them.

use super::session::{Opened, ReaderArg, node};
use super::{CLEAN, Failure, output};
use crate::report::entry::{Entry, line, pretty, raw, text};
use crate::report::tree::codes_by_entry;
use std::io::Write;
use std::process::ExitCode;

/// Show single entries: where they stand, what they hang on, what is in them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, - for standard input, or in pi's store the id of a session, its beginning, or latest.
    #[arg(value_name = "FILE")]
    file: String,
    /// The entries: ids, beginnings of ids, or labels.
    #[arg(value_name = "ID", required_unless_present = "line")]
    entries: Vec<String>,
    /// A line by its number, from 1, whether it holds an entry or not.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    line: Vec<u64>,
    /// Write the bytes as they are in the file, and nothing else.
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Write the JSON laid out in lines.
    #[arg(long)]
    json: bool,
    /// Whose eyes see the session.
    #[arg(long, value_enum, default_value_t)]
    reader: ReaderArg,
}

const EXAMPLES: &str = "\
Examples:
  sesstool show session.jsonl a1b2c3d4
  sesstool show session.jsonl a1b2 --json
  sesstool show session.jsonl --line 17 --raw

Exit status: 0, or 2 if the file cannot be read, the reader refuses it, or nobody knows the entry.";

/// Prints the entries.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let opened = Opened::open(&args.file)?;
    let view = opened.view(args.reader)?;
    let nodes = args.entries.iter().map(|name| node(&view, name)).collect::<Result<Vec<u32>, _>>()?;
    if let Some(beyond) = args.line.iter().find(|n| **n > opened.session.facts.lines) {
        let lines = opened.session.facts.lines;
        return Err(Failure::Usage(format!("there is no line {beyond}: the file has {lines}")));
    }
    let codes = codes_by_entry(&view, &opened.findings);
    let context = view.context(view.leaf).ok();
    let out = &mut output::stdout();
    let mut first = true;
    for node in nodes {
        let entry = Entry { view: &view, node, findings: &opened.findings, codes: &codes, context: context.as_ref() };
        match (args.raw, args.json) {
            (true, _) => raw(out, &entry)?,
            (_, true) => pretty(out, &entry)?,
            _ => {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                text(out, &entry)?;
            }
        }
    }
    for &number in &args.line {
        line(out, &view, &opened.findings, number, args.raw)?;
    }
    out.flush()?;
    Ok(CLEAN)
}
