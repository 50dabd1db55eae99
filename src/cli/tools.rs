//! `sesstool tools`: the audit of tool calls.

use super::session::{Opened, ReaderArg, leaf};
use super::{CLEAN, Failure, by_name, output};
use crate::report::clean::clean;
use crate::report::tools::{Audited, FORMATS, Format};
use crate::session::tools::calls;
use std::io::Write;
use std::process::ExitCode;

/// Show what became of each tool call: its result, how long it took, how much it gave.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, - for standard input, or in pi's store the id of a session, its beginning, or latest.
    #[arg(value_name = "FILE")]
    file: String,
    /// The entry to stop at: an id, the beginning of one, or a label (default: where the session resumes).
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,
    /// The calls of all branches, in the order of the file.
    #[arg(long, conflicts_with = "leaf")]
    all_branches: bool,
    /// How the calls are shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
}

const EXAMPLES: &str = "\
Examples:
  sesstool tools session.jsonl
  sesstool tools session.jsonl --all-branches
  sesstool tools latest --format jsonl | jq 'select(.result != \"ok\")'

What became of a call:
  ok, error   it has a result
  lost        it has none: providers refuse the next request, unless its turn failed
  waiting     it has none yet, and nothing follows
  displaced   its result does not stand right behind it
  repeated    it has more than one result
  no call     a result that answers none

Exit status: 0, or 2 if the file cannot be read, or nobody knows the entry.";

/// Prints the calls.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let opened = Opened::open(&args.file)?;
    let view = opened.view(ReaderArg::Sesstool)?;
    let leaf = leaf(&view, args.leaf.as_deref())?;
    let branch = match args.all_branches {
        true => None,
        false => {
            Some(view.branch(leaf).map_err(|refusal| Failure::Usage(format!("{}: {refusal}", clean(&opened.path))))?)
        }
    };
    let calls = calls(&view, branch.as_ref());
    let leaf = (!args.all_branches).then_some(leaf);
    let audited = Audited { view: &view, path: &opened.path, leaf, calls: &calls };
    let out = &mut output::stdout();
    (args.format.write)(out, &audited, output::width())?;
    out.flush()?;
    Ok(CLEAN)
}
