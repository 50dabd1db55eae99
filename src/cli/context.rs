//! `sesstool context`: what the model sees.

use super::session::{Opened, ReaderArg, leaf};
use super::{CLEAN, Failure, by_name, output};
use crate::report::clean::clean;
use crate::report::context::{FORMATS, Format, Options, Seen};
use std::io::Write;
use std::process::ExitCode;

/// Show what the model sees: the messages of a branch, in order.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, - for standard input, or in pi's store the id of a session, its beginning, or latest.
    #[arg(value_name = "FILE")]
    file: String,
    /// The entry to stop at: an id, the beginning of one, or a label (default: where the reader resumes).
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,
    /// Say of each entry of the branch why the model sees it, or does not.
    #[arg(long)]
    explain: bool,
    /// Merge neighbouring messages of the user, as a provider gets them.
    #[arg(long)]
    provider_view: bool,
    /// Draw signs with ASCII only.
    #[arg(long)]
    ascii: bool,
    /// How the context is shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
    /// Whose eyes see the session.
    #[arg(long, value_enum, default_value_t)]
    reader: ReaderArg,
}

const EXAMPLES: &str = "\
Examples:
  sesstool context session.jsonl
  sesstool context session.jsonl --explain
  sesstool context session.jsonl --leaf a1b2 --format json
  sesstool context latest --format jsonl | wc -l

Exit status: 0, or 2 if the file cannot be read, the reader refuses it, or nobody knows the entry.";

/// Prints the context.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let opened = Opened::open(&args.file)?;
    let view = opened.view(args.reader)?;
    let leaf = leaf(&view, args.leaf.as_deref())?;
    let context =
        view.context(leaf).map_err(|refusal| Failure::Usage(format!("{}: {refusal}", clean(&opened.path))))?;
    let provider_view = args.provider_view;
    let seen = Seen { view: &view, path: &opened.path, leaf, context: &context, provider_view };
    let ascii = args.ascii || !output::draws_lines();
    let out = &mut output::stdout();
    (args.format.write)(out, &seen, &Options { width: output::width(), explain: args.explain, ascii })?;
    out.flush()?;
    Ok(CLEAN)
}
