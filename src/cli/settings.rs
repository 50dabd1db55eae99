//! What is in force in a run: the command line, then the file of settings, then what goes without saying.

use super::config_file::{self, Config, LevelName, NAME};
use super::session::ReaderArg;
use super::{Failure, say};
use crate::report::clean::clean;
use crate::rules::policy::Overrides;
use crate::rules::{Policy, Severity};
use crate::source::globs::Globs;
use crate::source::inputs::{self, Input, Inputs};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// What can be settled for a project, or said for one run.
#[derive(Debug, clap::Args)]
pub(super) struct Chosen {
    /// Files, folders (every *.jsonl below), or - for standard input; without any the paths of
    /// sesstool.toml, or else pi's own store.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read further paths from a list (- for standard input): lines, or separated by NULs.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// Leave these out in folders: names, or with a slash paths from the current folder on.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Leave out what is excluded also where it is named, as hooks do that name every changed file.
    #[arg(long)]
    force_exclude: bool,
    /// Read settings from this file, not from the sesstool.toml of this folder or the nearest above.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read no file of settings.
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
    /// Report these rules only: codes, names, or beginnings of codes such as G or G00.
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "What counts")]
    select: Vec<String>,
    /// Do not report these rules; of two selectors that fit a rule the closer one decides.
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "What counts")]
    ignore: Vec<String>,
    /// Give rules another severity: error, warning, info or off.
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', help_heading = "What counts")]
    severity: Vec<String>,
    /// Exit with 1 for findings of this severity or above [default: error].
    #[arg(long, value_name = "SEVERITY", value_enum, help_heading = "What counts")]
    fail_on: Option<FailOn>,
    /// Leave out the findings that this file lists, and do not fail for them; tell those that are gone.
    #[arg(long, value_name = "FILE", help_heading = "What counts")]
    baseline: Option<PathBuf>,
    /// Whose leaf and context are told [default: sesstool].
    #[arg(long, value_enum)]
    reader: Option<ReaderArg>,
}

/// From which severity on findings make the exit status 1.
#[derive(Clone, Copy, Debug, ValueEnum, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum FailOn {
    /// For errors.
    Error,
    /// For errors and warnings.
    Warning,
    /// For every finding.
    Info,
    /// For none.
    Never,
}

impl FailOn {
    /// The least severity that fails.
    pub(super) fn least(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        }
    }
}

/// What is in force.
pub(super) struct Settings {
    paths: Vec<PathBuf>,
    files_from: Option<PathBuf>,
    exclude: Vec<Globs>,
    force_exclude: bool,
    pub(super) policy: Policy,
    pub(super) overrides: Overrides,
    pub(super) fail_on: FailOn,
    pub(super) reader: ReaderArg,
    pub(super) baseline: Option<PathBuf>,
    /// What `config show` tells.
    pub(super) rows: Vec<Row>,
    /// The file of settings.
    pub(super) file: Option<PathBuf>,
    /// Whether it was not to be read.
    pub(super) no_config: bool,
}

/// A value in force, and where it comes from.
#[derive(Debug, serde::Serialize)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) from: String,
}

const COMMAND_LINE: &str = "command line";
const DEFAULT: &str = "default";

impl Settings {
    /// Settles what is in force.
    ///
    /// # Errors
    /// The file of settings cannot be read or says what has no meaning, or the command line does.
    pub(super) fn new(chosen: &Chosen) -> Result<Settings, Failure> {
        let config = match chosen.no_config {
            true => None,
            false => config_file::find(chosen.config.as_deref()).map_err(Failure::Usage)?,
        };
        let file = config.as_ref().map(|config| config.path.clone());
        let config = config.unwrap_or_default();
        let mut settings = Settings {
            paths: Vec::new(),
            files_from: chosen.files_from.clone(),
            exclude: Vec::new(),
            force_exclude: chosen.force_exclude,
            policy: Policy::default(),
            overrides: Overrides::default(),
            fail_on: FailOn::Error,
            reader: ReaderArg::default(),
            baseline: None,
            rows: Vec::new(),
            file,
            no_config: chosen.no_config,
        };
        settings.settle_paths(chosen, &config);
        settings.settle_exclude(chosen, &config)?;
        settings.settle_rules(chosen, &config)?;
        settings.settle_rest(chosen, &config);
        Ok(settings)
    }

    fn row(&mut self, key: &str, value: impl Into<String>, from: impl Into<String>) {
        self.rows.push(Row { key: key.into(), value: value.into(), from: from.into() });
    }

    fn settle_paths(&mut self, chosen: &Chosen, config: &Config) {
        if !chosen.paths.is_empty() || chosen.files_from.is_some() {
            self.paths = chosen.paths.clone();
            let list = chosen.files_from.iter().map(|list| format!("those in {}", list.display()));
            let all: Vec<String> = shown(&chosen.paths).into_iter().chain(list).collect();
            self.row("paths", all.join(", "), COMMAND_LINE);
        } else if let Some(paths) = &config.file.paths {
            self.paths = paths.get_ref().iter().map(|path| config.path_of(path)).collect();
            self.row("paths", shown(&self.paths).join(", "), config.origin(paths));
        } else {
            let store = inputs::store().map_or_else(String::new, |store| store.display().to_string());
            self.row("paths", store, "default: pi's session store");
        }
    }

    /// What the command line excludes counts from the current folder on, and is added.
    fn settle_exclude(&mut self, chosen: &Chosen, config: &Config) -> Result<(), Failure> {
        let no_glob = |(glob, why): (String, String)| Failure::Usage(format!("'{glob}' is no glob: {why}"));
        if let Some(exclude) = &config.file.exclude {
            self.exclude.push(Globs::new(&config.folder, exclude.get_ref()).map_err(no_glob)?);
            self.row("exclude", exclude.get_ref().join(", "), config.origin(exclude));
        }
        if !chosen.exclude.is_empty() {
            self.exclude.push(Globs::new(Path::new(""), &chosen.exclude).map_err(no_glob)?);
            self.row("exclude", chosen.exclude.join(", "), COMMAND_LINE);
        }
        if self.exclude.is_empty() {
            self.row("exclude", "nothing", DEFAULT);
        }
        Ok(())
    }

    fn settle_rules(&mut self, chosen: &Chosen, config: &Config) -> Result<(), Failure> {
        let file = &config.file;
        let upper = Policy::new(&chosen.select, &chosen.ignore, &chosen.severity).map_err(Failure::usage)?;
        for (key, ours, theirs, none) in
            [("select", &chosen.select, &file.select, "all"), ("ignore", &chosen.ignore, &file.ignore, "none")]
        {
            if !ours.is_empty() {
                self.row(key, ours.join(", "), COMMAND_LINE);
            }
            if let Some(theirs) = theirs {
                self.row(key, theirs.get_ref().join(", "), config.origin(theirs));
            }
            if ours.is_empty() && theirs.is_none() {
                self.row(key, none, DEFAULT);
            }
        }
        for assignment in &chosen.severity {
            let (rule, level) = assignment.split_once('=').unwrap_or((assignment, ""));
            self.row(&format!("severity.{}", rule.trim()), level.trim(), COMMAND_LINE);
        }
        for (rule, level) in &file.severity {
            self.row(&format!("severity.{rule}"), level.get_ref().name(), config.origin(level));
        }
        if chosen.severity.is_empty() && file.severity.is_empty() {
            self.row("severity", "as the rules have it", DEFAULT);
        }
        let list =
            |list: &Option<toml::Spanned<Vec<String>>>| list.as_ref().map_or(Vec::new(), |l| l.get_ref().clone());
        let severity = assignments(file.severity.iter().map(|(rule, level)| (rule, level.get_ref())));
        let lower = Policy::new(&list(&file.select), &list(&file.ignore), &severity).map_err(Failure::usage)?;
        self.policy = upper.over(&lower);
        self.overrides = Overrides { lower, list: Vec::new(), upper };
        self.settle_overrides(config)
    }

    fn settle_overrides(&mut self, config: &Config) -> Result<(), Failure> {
        for (n, spanned) in (1..).zip(&config.file.overrides) {
            let ours = spanned.get_ref();
            let globs = Globs::new(&config.folder, &ours.paths)
                .map_err(|(glob, why)| Failure::Usage(format!("'{glob}' is no glob: {why}")))?;
            let severity = assignments(ours.severity.iter());
            let policy = Policy::new(&[], &ours.ignore, &severity).map_err(Failure::usage)?;
            self.overrides.list.push((globs, policy));
            let ignored = ours.ignore.iter().map(|rule| format!("{rule}=off"));
            let levels: Vec<String> = severity.into_iter().chain(ignored).collect();
            let value = format!("{}: {}", ours.paths.join(", "), levels.join(", "));
            self.row(&format!("override {n}"), value, config.origin(spanned));
        }
        Ok(())
    }

    fn settle_rest(&mut self, chosen: &Chosen, config: &Config) {
        let file = &config.file;
        let (fail_on, from) = choose(chosen.fail_on, file.fail_on.as_ref(), config);
        self.fail_on = fail_on.unwrap_or(FailOn::Error);
        self.row("fail-on", word(self.fail_on), from);
        let (reader, from) = choose(chosen.reader, file.reader.as_ref(), config);
        self.reader = reader.unwrap_or_default();
        self.row("reader", word(self.reader), from);
        let (baseline, from) = match (&chosen.baseline, &file.baseline) {
            (Some(ours), _) => (Some(ours.clone()), COMMAND_LINE.to_string()),
            (None, Some(theirs)) => (Some(config.path_of(theirs.get_ref())), config.origin(theirs)),
            (None, None) => (None, DEFAULT.to_string()),
        };
        let name = baseline.as_ref().map_or("none".to_string(), |path| path.display().to_string());
        self.baseline = baseline;
        self.row("baseline", name, from);
    }

    /// The files to check, and what they are compared with: each other, and the files of `store`; `None` where
    /// one file stands alone. Without a path `store` is what is checked.
    ///
    /// # Errors
    /// Nothing can be read at all: see [`inputs::collect`].
    pub(super) fn inputs_beside(&self, store: Option<&Path>) -> Result<(Inputs, Option<Vec<Input>>), Failure> {
        let excluded = |path: &Path| self.exclude.iter().any(|globs| globs.fit(path));
        let files_from = self.files_from.as_deref();
        let folder: Vec<PathBuf> = store.map(Path::to_path_buf).into_iter().collect();
        let alone = self.paths.is_empty() && files_from.is_none();
        let paths = if alone { &folder } else { &self.paths };
        let inputs = inputs::collect_with_leftovers(paths, files_from, &excluded, self.force_exclude);
        let inputs = inputs.map_err(Failure::usage)?;
        let beside = match store {
            Some(_) if !alone => inputs::collect_except(&folder, None, &excluded, false).map_err(Failure::usage)?.list,
            _ => Vec::new(),
        };
        let together = inputs.folder || inputs.list.len() > 1 || store.is_some();
        Ok((inputs, together.then_some(beside)))
    }
}

/// Says what is read where the command line does not say it.
pub(super) fn tell(inputs: &Inputs) {
    if let Some(store) = &inputs.store {
        say(&format!("no path given: reading pi's session store {}", clean(&store.to_string_lossy())));
    }
    for folder in &inputs.empty {
        say(&format!("no *.jsonl file below {}", clean(&folder.to_string_lossy())));
    }
    for folder in &inputs.excluded {
        say(&format!("no *.jsonl file below {} but what is excluded", clean(&folder.to_string_lossy())));
    }
}

fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn choose<T: Copy>(ours: Option<T>, theirs: Option<&toml::Spanned<T>>, config: &Config) -> (Option<T>, String) {
    match (ours, theirs) {
        (Some(ours), _) => (Some(ours), COMMAND_LINE.to_string()),
        (None, Some(theirs)) => (Some(*theirs.get_ref()), config.origin(theirs)),
        (None, None) => (None, DEFAULT.to_string()),
    }
}

fn word<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

fn assignments<'a>(levels: impl Iterator<Item = (&'a String, &'a LevelName)>) -> Vec<String> {
    levels.map(|(rule, level)| format!("{rule}={}", level.name())).collect()
}

/// The sentence about the file of settings that `config show` begins with.
pub(super) fn file_sentence(settings: &Settings) -> String {
    match &settings.file {
        Some(path) => format!("Settings from {}", clean(&path.to_string_lossy())),
        None if settings.no_config => format!("{NAME} is not read (--no-config)"),
        None => format!("No {NAME} in this folder or above"),
    }
}
