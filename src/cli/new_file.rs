//! Where new files go: beside the input, to a named file, or below a folder.

use super::Failure;
use crate::edit::{self, WriteError};
use crate::source::inputs::{self, Input};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where new files go.
#[derive(Debug, clap::Args)]
pub(super) struct Places {
    /// Write to this file; for one input only.
    #[arg(long, short, value_name = "OUT", conflicts_with = "out_dir")]
    output: Option<PathBuf>,
    /// Write below this folder, under the names and in the sub-folders that the inputs have.
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

impl Places {
    /// Refuses what cannot be meant.
    pub(super) fn check(&self, inputs: &[Input]) -> Result<(), Failure> {
        let stdin = inputs.iter().any(|input| matches!(input, Input::Stdin));
        match &self.output {
            Some(output) if inputs.len() != 1 => Err(Failure::Usage(format!(
                "-o '{}' names one file, but there are {} inputs; use --out-dir",
                output.display(),
                inputs.len()
            ))),
            None if stdin => Err(Failure::usage("what comes from standard input has no name; say where to with -o")),
            _ => Ok(()),
        }
    }

    /// The output for an input; `tag` is what its name gets where it stands beside the input.
    pub(super) fn output(&self, input: &Path, roots: &[PathBuf], tag: &str) -> PathBuf {
        match (&self.output, &self.out_dir) {
            (Some(output), _) => output.clone(),
            (None, Some(folder)) => folder.join(below(input, roots)),
            (None, None) => tagged(input, tag),
        }
    }

    /// Makes the folder of an output, where that is below `--out-dir`.
    pub(super) fn make_folder(&self, output: &Path) -> Result<(), WriteError> {
        match (&self.out_dir, output.parent()) {
            (Some(_), Some(folder)) => edit::make_folder(folder),
            _ => Ok(()),
        }
    }
}

/// `NAME.jsonl` → `NAME.TAG.jsonl`.
pub(super) fn tagged(path: &Path, tag: &str) -> PathBuf {
    let extension = path.extension().filter(|extension| *extension == "jsonl");
    let mut name = OsString::from(match extension {
        Some(_) => path.file_stem().unwrap_or_default(),
        None => path.file_name().unwrap_or_default(),
    });
    name.push(format!(".{tag}.jsonl"));
    path.with_file_name(name)
}

/// The path of an input below the folder that was named, or its name alone.
fn below<'p>(input: &'p Path, roots: &[PathBuf]) -> &'p Path {
    let found = roots.iter().filter(|root| root.is_dir()).filter_map(|root| input.strip_prefix(root).ok());
    // of folders inside each other the outermost, so that no two inputs meet
    let longest = found.max_by_key(|path| path.components().count());
    longest.or_else(|| input.file_name().map(Path::new)).unwrap_or(input)
}

/// The inputs that the paths name; at least one has to.
pub(super) fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let inputs = inputs::collect(paths, None).map_err(Failure::usage)?;
    super::settings::tell(&inputs);
    Ok(inputs.list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_stands_before_the_extension() {
        let name = |path: &str| tagged(Path::new(path), "v3").display().to_string();
        assert_eq!(name("a/b.jsonl"), "a/b.v3.jsonl");
        assert_eq!(name("b"), "b.v3.jsonl");
        assert_eq!(name("b.txt"), "b.txt.v3.jsonl");
        assert_eq!(name("x.y.jsonl"), "x.y.v3.jsonl");
    }
}
