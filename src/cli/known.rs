//! The baseline of a run: which findings are known, and what a new one would list.

use super::{Failure, output, say};
use crate::check::between;
use crate::edit::ReportFile;
use crate::report::baseline::{Baseline, Compared, Gone, LookedFor, is_baseline};
use crate::report::clean::clean;
use crate::report::layout::{plural, thousands};
use crate::report::{FileReport, StoreReport};
use crate::rules::{self, Policy, StoreFinding};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// How many of those that are gone are named.
const NAMED: usize = 10;

/// What a baseline calls the place of findings between files.
const STORE: &str = "(store)";

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
        let is_on = |code: &str| is_on(policy, code);
        let looked_for = LookedFor { code: &is_on, file: &|_| true };
        if let Some(next) = &mut self.next {
            next.record(&path, report, &looked_for, &|_| BTreeSet::new());
        }
        self.baseline.compare(&path, report, &looked_for, &mut self.compared);
        self.seen.insert(path);
    }

    /// The same for what was found between files, after all of these.
    pub(super) fn take_out_store(&mut self, store: &mut StoreReport, policy: &Policy) {
        let files = store.findings.iter().map(|f| f.files.iter().map(|path| self.key(path)).collect());
        let files: Vec<BTreeSet<String>> = files.collect();
        // names alone recur in other folders
        let print = |(finding, files): (&StoreFinding, &BTreeSet<String>)| {
            between(finding.rule.code, files.iter().map(String::as_str))
        };
        let prints: Vec<String> = store.findings.iter().zip(&files).map(print).collect();
        let is_on = |code: &str| is_on(policy, code);
        let is_known = |path: &str| self.seen.contains(path) || !is_there(&self.folder, path);
        let looked_for = LookedFor { code: &is_on, file: &is_known };
        let files_of = |code: &str| {
            let of_code = store.findings.iter().zip(&files).filter(|(finding, _)| finding.rule.code == code);
            of_code.flat_map(|(_, files)| files.clone()).collect()
        };
        let mut report = store.as_file(STORE, &prints);
        if let Some(next) = &mut self.next {
            next.record(STORE, &report, &looked_for, &files_of);
        }
        self.baseline.compare(STORE, &mut report, &looked_for, &mut self.compared);
        self.seen.insert(STORE.to_string());
        store.keep(&report, &prints);
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
        if path == "-" || path == STORE {
            return path.to_string();
        }
        let full =
            Path::new(path).canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into());
        let below = full.strip_prefix(&self.folder).unwrap_or(&full);
        let text = below.to_string_lossy();
        if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
    }
}

/// Whether findings of a code count.
fn is_on(policy: &Policy, code: &str) -> bool {
    rules::find(code).is_none_or(|rule| policy.severity(rule, rule.severity).is_some())
}

/// Whether a file that a baseline names is there; of standard input nobody knows.
fn is_there(folder: &Path, path: &str) -> bool {
    path == "-" || path == STORE || folder.join(path).symlink_metadata().is_ok()
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
