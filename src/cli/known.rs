//! The baseline of a run: which findings are known, and what a new one would list.

use super::{Failure, output, say};
use crate::edit::ReportFile;
use crate::report::FileReport;
use crate::report::baseline::{Baseline, Compared, Gone, is_baseline};
use crate::report::clean::clean;
use crate::report::layout::{plural, thousands};
use crate::rules::{self, Policy};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// How many of those that are gone are named.
const NAMED: usize = 10;

/// A baseline in use.
pub(super) struct Known {
    file: PathBuf,
    /// The folder that its paths begin at.
    folder: PathBuf,
    baseline: Baseline,
    /// The one that takes its place.
    next: Option<Baseline>,
    seen: BTreeSet<String>,
    compared: Compared,
}

impl Known {
    /// Reads the baseline; where it is to be updated it need not be there.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is none.
    pub(super) fn open(file: &Path, update: bool) -> Result<Known, Failure> {
        let name = clean(&file.to_string_lossy()).into_owned();
        let baseline = match std::fs::read(file) {
            Ok(text) if text.is_empty() && update => Baseline::default(),
            Ok(text) => Baseline::parse(&text)
                .map_err(|why| Failure::Usage(format!("'{name}' is no baseline: {}", clean(&why))))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && update => Baseline::default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failure::Usage(format!(
                    "the baseline '{name}' does not exist; --update-baseline makes it of what is found now"
                )));
            }
            Err(error) => {
                return Err(Failure::Usage(format!("cannot read the baseline '{name}': {}", output::reason(&error))));
            }
        };
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().map_err(|error| {
            Failure::Usage(format!("cannot find the folder of the baseline '{name}': {}", output::reason(&error)))
        })?;
        Ok(Known {
            file: file.into(),
            folder,
            next: update.then(|| baseline.clone()),
            baseline,
            seen: BTreeSet::new(),
            compared: Compared::default(),
        })
    }

    /// Takes what is known out of a report.
    pub(super) fn take_out(&mut self, report: &mut FileReport, policy: &Policy) {
        let path = self.key(&report.path);
        let is_on = |code: &str| rules::find(code).is_none_or(|rule| policy.severity(rule, rule.severity).is_some());
        if let Some(next) = &mut self.next {
            next.record(&path, report, &is_on);
        }
        self.baseline.compare(&path, report, &is_on, &mut self.compared);
        self.seen.insert(path);
    }

    /// Notes that a file is there, though it could not be read.
    pub(super) fn unreadable(&mut self, path: &str) {
        self.seen.insert(self.key(path));
    }

    /// What it came to, once all files are through.
    pub(super) fn compared(&mut self) -> Compared {
        let folder = self.folder.clone();
        let is_there = |path: &str| is_there(&folder, path);
        self.baseline.compare_missing(&is_there, &self.seen, &mut self.compared);
        self.compared.gone.sort_by(|a, b| (&a.path, &a.code).cmp(&(&b.path, &b.code)));
        self.compared.clone()
    }

    /// Says what is gone, or writes the new baseline and says what is in it.
    ///
    /// # Errors
    /// The new one cannot be written.
    pub(super) fn finish<'i>(
        self,
        new: u64,
        quiet: bool,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<(), Failure> {
        let gone = self.compared.gone();
        let name = clean(&self.file.to_string_lossy()).into_owned();
        let Some(mut next) = self.next else {
            if gone > 0 && !quiet {
                let (are, them) = if gone == 1 { ("is", "it") } else { ("are", "them") };
                say(&format!(
                    "{} of the baseline {name} {are} gone; --update-baseline takes {them} out:",
                    plural(gone, "finding")
                ));
                tell(&self.compared.gone);
            }
            return Ok(());
        };
        next.forget(&|path| is_there(&self.folder, path));
        let mut file = ReportFile::begin(&self.file, "baseline", is_baseline, inputs).map_err(Failure::usage)?;
        next.write(&mut file)?;
        file.finish().map_err(Failure::usage)?;
        if !quiet {
            let (all, files) = (plural(next.count(), "finding"), plural(next.files() as u64, "file"));
            say(&format!("{name}: {all} in {files} ({} new, {} gone)", thousands(new), thousands(gone)));
        }
        Ok(())
    }

    /// The name of a file in the baseline: its path from there on, with slashes.
    fn key(&self, path: &str) -> String {
        if path == "-" {
            return path.to_string();
        }
        let full =
            Path::new(path).canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into());
        let below = full.strip_prefix(&self.folder).unwrap_or(&full);
        let text = below.to_string_lossy();
        if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
    }
}

/// Whether a file that a baseline names is there; of standard input nobody knows.
fn is_there(folder: &Path, path: &str) -> bool {
    path == "-" || folder.join(path).symlink_metadata().is_ok()
}

fn tell(gone: &[Gone]) {
    for Gone { path, code, count } in gone.iter().take(NAMED) {
        let times = if *count > 1 { format!(" × {}", thousands(*count)) } else { String::new() };
        say(&format!("  {}: {}{times}", clean(path), clean(code)));
    }
    if let more @ 1.. = gone.len().saturating_sub(NAMED) {
        say(&format!("  and {} more", thousands(more as u64)));
    }
}
