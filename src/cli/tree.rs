//! `sesstool tree`: the branches of a session, and which one is current.

use super::session::{Opened, ReaderArg, leaf};
use super::{CLEAN, Failure, by_name, output};
use crate::report::clean::clean;
use crate::report::tree::{FORMATS, Filter, Format, Options, Tree, codes_by_entry};
use crate::session::view::Branch;
use std::io::Write;
use std::process::ExitCode;

/// Show the tree of a session: its branches, and which one is current.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, - for standard input, or in pi's store the id of a session, its beginning, or latest.
    #[arg(value_name = "FILE")]
    file: String,
    /// Show one branch, root to leaf: that of the entry with this id, beginning of an id or label (default: the current).
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    leaf: Option<Option<String>>,
    /// Show every entry of a chain, and every entry of the file unless --filter says otherwise.
    #[arg(long)]
    all: bool,
    /// Which entries are shown [default: default in text and graphs, all in json and with --all].
    #[arg(long, value_enum)]
    filter: Option<Filter>,
    /// Show when each entry was written (UTC).
    #[arg(long)]
    timestamps: bool,
    /// Show ids in full.
    #[arg(long)]
    full_ids: bool,
    /// Draw lines with ASCII only.
    #[arg(long)]
    ascii: bool,
    /// How the tree is shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
    /// Whose eyes see the session.
    #[arg(long, value_enum, default_value_t)]
    reader: ReaderArg,
}

const EXAMPLES: &str = "\
Examples:
  sesstool tree session.jsonl
  sesstool tree session.jsonl --leaf            the current branch
  sesstool tree session.jsonl --leaf a1b2       the branch of an entry
  sesstool tree latest --filter user-only
  sesstool tree session.jsonl --format dot | dot -Tsvg > tree.svg

Exit status: 0, or 2 if the file cannot be read, the reader refuses it, or nobody knows the entry.";

/// Prints the tree.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let out = &mut output::stdout();
    let mut told = false;
    let opened = Opened::open_telling(&args.file, |path| {
        told = true;
        (args.format.title)(out, path, &args.options())?;
        out.flush()
    })?;
    let view = opened.view(args.reader)?;
    let only_branch = args.leaf.is_some();
    let leaf = leaf(&view, args.leaf.as_ref().and_then(|name| name.as_deref()))?;
    let branch = match view.branch(leaf) {
        Ok(branch) => branch,
        Err(refusal) if only_branch => return Err(Failure::Usage(format!("{}: {refusal}", clean(&opened.path)))),
        // the tree is there all the same
        Err(_) => Branch::default(),
    };
    let findings = codes_by_entry(&view, &opened.findings);
    let tree = Tree { view: &view, path: &opened.path, findings: &findings, leaf, branch: &branch, only_branch };
    if !told {
        (args.format.title)(out, &opened.path, &args.options())?;
    }
    (args.format.write)(out, &tree, &args.options())?;
    out.flush()?;
    Ok(CLEAN)
}

impl Args {
    fn options(&self) -> Options {
        let usual = if self.all || self.format.whole { Filter::All } else { Filter::Default };
        Options {
            width: output::width(),
            all: self.all,
            filter: self.filter.unwrap_or(usual),
            timestamps: self.timestamps,
            full_ids: self.full_ids,
            ascii: self.ascii || !output::draws_lines(),
            colors: output::has_colors(),
        }
    }
}
