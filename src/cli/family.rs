//! `sesstool family`: which sessions were forked from which.

use super::progress::Progress;
use super::session::locate;
use super::settings::tell;
use super::{CLEAN, FAILED, Failure, by_name, output};
use crate::check::family::forest;
use crate::report::family::{FORMATS, Format, Options};
use crate::source::inputs::{self, Input, Inputs, store};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show the forest of forks: which session was forked from which, by path, by id, by the entries they share.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folders, or several files; or one file (or in pi's store the id of a session, its beginning, or latest) whose
    /// family is looked for. Without any, pi's own store.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where the family of one file is looked for (default: pi's own store if the file lies there, else its folder).
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Sessions that stand alone, too.
    #[arg(long)]
    all: bool,
    /// How the forest is shown.
    #[arg(long, default_value = FORMATS[0].name, value_parser = by_name(FORMATS, |f| (f.name, f.help)))]
    format: &'static Format,
}

const EXAMPLES: &str = "\
Examples:
  sesstool family                              the families of pi's own store
  sesstool family ~/backup --all
  sesstool family session.jsonl                its ancestors, its forks, and their kin
  sesstool family . --format dot | dot -Tsvg > family.svg

What ties a session to the one above it:
  path, name, id   its header names the file, a file of that name elsewhere, or the id
  entries          its header names none that is here, but both have entries with one id and the same bytes
  same, older      it is the same session, and the other file holds the same, or more
  diverged         it is the same session, and each file has entries that the other lacks
  output           sesstool wrote it, and its manifest lies beside it
  lost, outside, loop   its header names a session that is not found, is not among those read, leads back to it

Exit status: 0, or 2 if a file could not be read.";

/// Prints the forest.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (inputs, asked) = args.inputs()?;
    tell(&inputs);
    let progress = Progress::of_files(inputs.list.len(), false);
    let forest = forest(inputs.list, asked, &|| progress.step(|| ()));
    drop(progress);
    for error in &forest.errors {
        output::error(&format!("{}: {}", error.path, error.message));
    }
    let out = &mut output::stdout();
    let options = Options { width: output::width(), all: args.all || asked.is_some(), ascii: !output::draws_lines() };
    (args.format.write)(out, &forest, &options)?;
    out.flush()?;
    Ok(if forest.errors.is_empty() { CLEAN } else { ExitCode::from(FAILED) })
}

impl Args {
    /// What is read, and which of it is asked for.
    fn inputs(&self) -> Result<(Inputs, Option<usize>), Failure> {
        let read = |paths: &[PathBuf]| inputs::collect(paths, None).map_err(Failure::usage);
        let one = match &self.paths[..] {
            // a file that is named twice is one file
            [path, more @ ..] if !path.is_dir() && path.as_os_str() != "-" && is_one(path, more) => path,
            [] => return Ok((read(self.store.as_slice())?, None)),
            _ => return Ok((read(&[&self.paths[..], self.store.as_slice()].concat())?, None)),
        };
        let file = locate(&one.to_string_lossy()).map_err(Failure::Usage)?;
        let folder = self.store.clone().unwrap_or_else(|| around(&file));
        let mut inputs = read(&[folder])?;
        let real = file.canonicalize().ok();
        let is_it = |input: &Input| input.path().is_some_and(|path| path.canonicalize().ok() == real);
        let asked = inputs.list.iter().position(is_it).unwrap_or_else(|| {
            // it lies elsewhere, or has a name that is not looked for
            let display = file.to_string_lossy().into_owned();
            inputs.list.push(Input::File { path: file, display, named: true, leftover: false });
            inputs.list.len() - 1
        });
        Ok((inputs, Some(asked)))
    }
}

/// Whether all paths lead to one file.
fn is_one(path: &Path, more: &[PathBuf]) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    more.is_empty() || more.iter().all(|other| real(other) == real(path))
}

/// The folder in which a file's family is looked for.
fn around(file: &Path) -> PathBuf {
    let inside = |store: &PathBuf| {
        let (store, file) = (store.canonicalize().ok(), file.canonicalize().ok());
        store.zip(file).is_some_and(|(store, file)| file.starts_with(store))
    };
    if let Some(store) = store().filter(inside) {
        return store;
    }
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => ".".into(),
    }
}
