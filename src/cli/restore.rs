//! `sesstool restore`: the original, bit for bit, from a file and its manifest.

use super::{CLEAN, FAILED, FINDINGS, Failure, new_file, output, signals};
use crate::edit::restore::{Recipe, RestoreError};
use crate::edit::{self, Manifest, Original};
use crate::report::clean::clean;
use crate::source::Source;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Rebuild the original, bit for bit, from a migrated or repaired file and its manifest.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file that migrate or repair has made.
    #[arg(value_name = "OUT")]
    file: PathBuf,
    /// Its manifest (default: OUT.manifest.json).
    #[arg(long, value_name = "M")]
    manifest: Option<PathBuf>,
    /// Write the original to this file (default: NAME.restored.jsonl beside OUT).
    #[arg(long, short, value_name = "ORIGINAL", conflicts_with = "check")]
    output: Option<PathBuf>,
    /// Only prove that it could be rebuilt; nothing is written.
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  sesstool restore session.v3.jsonl -o session.jsonl
  sesstool restore --check session.v3.jsonl

Exit status:
  0  the original is restored, or can be
  1  with --check: it cannot be
  2  it cannot be restored: OUT was altered, the manifest is missing or damaged, wrong usage";

/// Restores, or proves that it could be done.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    signals::clean_up_on_signals();
    match restore(args) {
        Ok(sentence) => {
            let mut out = output::stdout();
            writeln!(out, "{}", clean(&sentence))?;
            out.flush()?;
            Ok(CLEAN)
        }
        Err(sentence) => {
            output::error(&sentence);
            Ok(ExitCode::from(if args.check { FINDINGS } else { FAILED }))
        }
    }
}

/// What was done, or why it was not, as a sentence.
fn restore(args: &Args) -> Result<String, String> {
    let path = &args.file;
    let target = args.output.clone().unwrap_or_else(|| new_file::tagged(path, "restored"));
    if !args.check {
        edit::refuse_one(&target, Some(path)).map_err(|error| error.to_string())?;
    }
    let of_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let source = Source::open(path).map_err(|error| of_file(&format!("cannot open: {}", output::reason(&error))))?;
    let manifest = read_manifest(&args.manifest.clone().unwrap_or_else(|| edit::manifest_path(path)))?;
    let recipe = Recipe::new(&manifest).map_err(|error| of_file(&error))?;
    let original = Original::take(&source, Some(path)).map_err(|error| of_file(&RestoreError::Read(error)))?;
    recipe.prove(&source).map_err(|error| of_file(&error))?;
    let digest = &manifest.input.digest;
    if args.check {
        return Ok(format!("{}: '{}' can be rebuilt from it: {digest}", path.display(), manifest.input.name));
    }
    let content = |sink: &mut dyn FnMut(&[u8]) -> io::Result<()>| recipe.feed(&source, sink);
    edit::write_alone(&original, &content, &target, digest).map_err(|error| error.to_string())?;
    Ok(format!("{}: '{}' as it was: {digest}", target.display(), manifest.input.name))
}

fn read_manifest(path: &Path) -> Result<Manifest, String> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!(
                "no manifest at {}; without it the original cannot be rebuilt (name it with --manifest)",
                path.display()
            )
        }
        _ => format!("{}: cannot open: {}", path.display(), output::reason(&error)),
    })?;
    serde_json::from_reader(BufReader::new(file))
        .map_err(|error| format!("{}: the manifest cannot be read: {error}", path.display()))
}
