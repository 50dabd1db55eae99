//! `sesstool restore`: the original, bit for bit, from a file and its manifest.

use super::{CLEAN, FAILED, FINDINGS, Failure, new_file, output, signals};
use crate::edit::manifest::{File, STAMP};
use crate::edit::restore::Recipe;
use crate::edit::{self, Manifest, Original, WriteError};
use crate::report::clean::clean;
use crate::source::Source;
use serde_json::Value;
use std::fmt::Display;
use std::fs;
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
  1  with --check: it cannot be, since OUT was altered or the manifest is missing or damaged
  2  without --check likewise; and wrong usage, or a file that cannot be read or written";

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
        Err(stop) => {
            output::error(&stop.sentence);
            Ok(ExitCode::from(if args.check && stop.is_answer { FINDINGS } else { FAILED }))
        }
    }
}

/// Why nothing was restored.
struct Stop {
    sentence: String,
    /// Whether it answers the question that `--check` asks: it cannot be restored.
    is_answer: bool,
}

impl Stop {
    /// It cannot be restored.
    fn cannot(path: &Path, why: impl Display) -> Stop {
        Stop { sentence: format!("{}: {why}", path.display()), is_answer: true }
    }

    /// It could not be tried.
    fn failed(sentence: impl ToString) -> Stop {
        Stop { sentence: sentence.to_string(), is_answer: false }
    }

    fn unread(path: &Path, error: &io::Error) -> Stop {
        Stop::failed(format!("{}: cannot read: {}", path.display(), output::reason(error)))
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Stop {
        Stop::failed(error)
    }
}

/// What was done, as a sentence.
fn restore(args: &Args) -> Result<String, Stop> {
    let path = args.file.as_path();
    let target = args.output.clone().unwrap_or_else(|| new_file::tagged(path, "restored"));
    if !args.check {
        edit::refuse_one(&target, Some(path))?;
    }
    let source = Source::open(path).map_err(|error| Stop::unread(path, &error))?;
    let manifest = read_manifest(&args.manifest.clone().unwrap_or_else(|| edit::manifest_path(path)))?;
    let recipe = Recipe::new(&manifest).map_err(|error| Stop::cannot(path, error))?;
    let original = Original::take(&source, Some(path)).map_err(|error| Stop::unread(path, &error))?;
    recipe.prove(&source).map_err(|error| Stop::cannot(path, error))?;
    let File { name, digest } = &manifest.input;
    if args.check {
        let stamp = match check_stamp(&manifest, &source).map_err(|error| Stop::unread(path, &error))? {
            None => "",
            Some(true) => "; its stamp names this manifest",
            Some(false) => return Err(Stop::cannot(path, "its stamp names another manifest: this one was altered")),
        };
        return Ok(format!("{}: '{name}' can be rebuilt from it: {digest}{stamp}", path.display()));
    }
    let content = |sink: &mut dyn FnMut(&[u8]) -> io::Result<()>| recipe.feed(&source, sink);
    edit::write_alone(&original, &content, &target, digest)?;
    Ok(format!("{}: '{name}' as it was: {digest}", target.display()))
}

/// Whether the stamp in a file names the manifest; `None` where there is no stamp.
fn check_stamp(manifest: &Manifest, output: &Source) -> io::Result<Option<bool>> {
    let Some(stamp) = manifest.edits.iter().find(|edit| edit.cause == STAMP) else { return Ok(None) };
    // no stamp is as long as that
    let line = output.read_range(stamp.output.offset, stamp.output.length.min(1 << 16))?;
    let entry: Option<Value> = serde_json::from_slice(&line).ok();
    let named = entry.as_ref().and_then(|entry| entry["data"]["manifestSha256"].as_str());
    Ok(Some(named == Some(manifest.unstamped()?.sha256.as_str())))
}

fn read_manifest(path: &Path) -> Result<Manifest, Stop> {
    let file = fs::File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            Stop::cannot(path, "no manifest there, and without it nothing can be rebuilt; name it with --manifest")
        }
        _ => Stop::unread(path, &error),
    })?;
    let manifest = serde_json::from_reader(BufReader::new(file));
    manifest.map_err(|error| Stop::cannot(path, format!("the manifest cannot be read: {error}")))
}
