//! `sesstool.toml`: what a project has settled for all its runs.

use super::session::ReaderArg;
use super::settings::FailOn;
use crate::report::clean::clean;
use crate::rules::Policy;
use crate::source::globs::Globs;
use crate::source::inputs::reason;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Its name, by which it is found from the current folder upward.
pub(super) const NAME: &str = "sesstool.toml";

/// The settings of sesstool for the files of a project.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ConfigFile {
    /// Files and folders to check where none is named, from the folder of this file on.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub(super) paths: Option<Spanned<Vec<PathBuf>>>,
    /// Globs of files and folders to leave out. One with a slash counts from the folder of this file on, one
    /// without fits a name at any depth.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub(super) exclude: Option<Spanned<Vec<String>>>,
    /// The rules that are reported: codes, names, or beginnings of codes. Without it all are.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub(super) select: Option<Spanned<Vec<String>>>,
    /// The rules that are not reported: codes, names, or beginnings of codes.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub(super) ignore: Option<Spanned<Vec<String>>>,
    /// The severity of rules: code, name, or beginning of codes, and the level.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, LevelName>"))]
    #[serde(default)]
    pub(super) severity: BTreeMap<String, Spanned<LevelName>>,
    /// From which severity on the exit status is 1.
    #[cfg_attr(test, schemars(with = "Option<FailOn>"))]
    pub(super) fail_on: Option<Spanned<FailOn>>,
    /// Whose leaf and context are told.
    #[cfg_attr(test, schemars(with = "Option<ReaderArg>"))]
    pub(super) reader: Option<Spanned<ReaderArg>>,
    /// The file of known findings, from the folder of this file on.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) baseline: Option<Spanned<PathBuf>>,
    /// What differs for some paths; of several that fit a later one goes before an earlier one.
    #[cfg_attr(test, schemars(with = "Vec<Override>"))]
    #[serde(default, rename = "override")]
    pub(super) overrides: Vec<Spanned<Override>>,
}

/// What differs for some paths.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Override {
    /// Globs of the files and folders it is for, as for `exclude`.
    pub(super) paths: Vec<String>,
    /// The rules that are not reported there.
    #[serde(default)]
    pub(super) ignore: Vec<String>,
    /// The severity of rules there.
    #[serde(default)]
    pub(super) severity: BTreeMap<String, LevelName>,
}

/// What a rule can be: of a severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum LevelName {
    /// It loses data or stops a reader.
    Error,
    /// It breaks a later step.
    Warning,
    /// It breaks nothing.
    Info,
    /// It is not reported.
    Off,
}

impl LevelName {
    /// The word.
    pub(super) fn name(self) -> &'static str {
        match self {
            LevelName::Error => "error",
            LevelName::Warning => "warning",
            LevelName::Info => "info",
            LevelName::Off => "off",
        }
    }
}

const KEYS: &[&str] =
    &["baseline", "exclude", "fail-on", "ignore", "override", "paths", "reader", "select", "severity"];
const OVERRIDE_KEYS: &[&str] = &["ignore", "paths", "severity"];

/// A file that was read.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// Where it is, as it is shown.
    pub(super) path: PathBuf,
    /// The folder that its paths begin at, from the current one on where that is shorter.
    pub(super) folder: PathBuf,
    /// What it says.
    pub(super) file: ConfigFile,
    lines: Vec<usize>,
}

/// The file that `--config` names, or the one that is found from the current folder upward, if any.
///
/// # Errors
/// It cannot be read, or says something that has no meaning: where, and what does.
pub(super) fn find(named: Option<&Path>) -> Result<Option<Config>, String> {
    if let Some(path) = named {
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = std::fs::read_to_string(path).map_err(|error| cannot_read(path, &error))?;
        return Config::read(path, folder, &text).map(Some);
    }
    let Ok(here) = std::env::current_dir() else { return Ok(None) };
    let mut folder = PathBuf::new();
    for above in here.ancestors() {
        match std::fs::read_to_string(above.join(NAME)) {
            Ok(text) => return Config::read(&folder.join(NAME), &folder, &text).map(Some),
            // a folder of that name, or none that may be looked into, is no file of settings
            Err(error) if is_absent(&error) => folder.push(".."),
            Err(error) => return Err(cannot_read(&folder.join(NAME), &error)),
        }
    }
    Ok(None)
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!("cannot read the settings '{}': {}", clean(&path.to_string_lossy()), reason(error))
}

impl Config {
    /// Reads the text of a file; its paths begin at `folder`.
    pub(super) fn read(path: &Path, folder: &Path, text: &str) -> Result<Config, String> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut config = Config { path: path.into(), folder: folder.into(), file: ConfigFile::default(), lines };
        let spot = |span: Option<Range<usize>>, why: &str| {
            let at = span.map_or(0, |span| span.start);
            let line = config.line(at);
            let column = text[config.lines[line - 1]..at].chars().count() + 1;
            format!("{}:{line}:{column}: {}", clean(&path.to_string_lossy()), clean(why.trim()))
        };
        let table = DeTable::parse(text).map_err(|error| spot(error.span(), error.message()))?;
        check(table.get_ref()).map_err(|(span, why)| spot(Some(span), &why))?;
        let file = toml::from_str(text).map_err(|error| spot(error.span(), error.message()))?;
        config.file = file;
        Ok(config)
    }

    /// The line of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).max(1)
    }

    /// Where a value stands: `sesstool.toml:3`.
    pub(super) fn origin<T>(&self, value: &Spanned<T>) -> String {
        format!("{}:{}", self.path.display(), self.line(value.span().start))
    }

    /// A path that the file names, from the current folder on.
    pub(super) fn path_of(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}

type Complaint = (Range<usize>, String);

/// What reading into types does not say, or not well: keys that are none, rules and globs that are none.
fn check(table: &DeTable<'_>) -> Result<(), Complaint> {
    keys(table, KEYS)?;
    rules(table)?;
    globs(table.get("exclude"))?;
    let overrides = table.get("override").and_then(|value| value.get_ref().as_array());
    for table in overrides.into_iter().flat_map(|list| list.iter()).filter_map(|value| value.get_ref().as_table()) {
        keys(table, OVERRIDE_KEYS)?;
        rules(table)?;
        globs(table.get("paths"))?;
    }
    Ok(())
}

fn keys(table: &DeTable<'_>, known: &[&str]) -> Result<(), Complaint> {
    for (key, _) in table.iter() {
        let name: &str = key.get_ref();
        if !known.contains(&name) {
            return Err((key.span(), unknown(name, known)));
        }
    }
    Ok(())
}

fn unknown(given: &str, known: &[&str]) -> String {
    let plain = given.to_lowercase().replace('_', "-");
    let nearest = known.iter().min_by_key(|key| strsim::damerau_levenshtein(key, &plain));
    match nearest.filter(|key| strsim::damerau_levenshtein(key, &plain) <= (key.len() / 3).max(2)) {
        Some(key) => format!("unknown key '{given}'; did you mean '{key}'?"),
        None => format!("unknown key '{given}'; there are {}", known.join(", ")),
    }
}

/// The rules that a table names.
fn rules(table: &DeTable<'_>) -> Result<(), Complaint> {
    let check = |span: Range<usize>, name: &str| {
        Policy::new(&[name.to_string()], &[], &[]).map(drop).map_err(|error| (span, error.to_string()))
    };
    for item in ["select", "ignore"].iter().flat_map(|key| strings(table.get(*key))) {
        check(item.span(), item.get_ref().as_str().unwrap_or_default())?;
    }
    let severity = table.get("severity").and_then(|value| value.get_ref().as_table());
    severity.into_iter().flat_map(|table| table.iter()).try_for_each(|(key, _)| check(key.span(), key.get_ref()))
}

fn globs(value: Option<&Spanned<DeValue<'_>>>) -> Result<(), Complaint> {
    for item in strings(value) {
        let glob = item.get_ref().as_str().unwrap_or_default().to_string();
        Globs::new(Path::new(""), std::slice::from_ref(&glob))
            .map_err(|(_, why)| (item.span(), format!("'{glob}' is no glob: {why}")))?;
    }
    Ok(())
}

/// The strings of an array; what is of another type is for others to say.
fn strings<'v, 'i>(value: Option<&'v Spanned<DeValue<'i>>>) -> impl Iterator<Item = &'v Spanned<DeValue<'i>>> {
    let list = value.and_then(|value| value.get_ref().as_array());
    list.into_iter().flat_map(|list| list.iter()).filter(|item| item.get_ref().as_str().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::read(Path::new("sesstool.toml"), Path::new(""), text)
    }

    fn complaint(text: &str) -> String {
        read(text).expect_err("a complaint")
    }

    #[test]
    fn everything_is_read_with_its_line() {
        let config = read(
            "paths = [\"sessions\"]\nexclude = [\"tmp\"]\nfail-on = \"warning\"\nreader = \"agent-core\"\n\n\
             baseline = \"known.json\"\n[severity]\nL016 = \"off\"\ndangling-parent = \"info\"\n\n\
             [[override]]\npaths = [\"old/**\"]\nseverity = { G = \"warning\" }\nignore = [\"L015\"]\n",
        )
        .expect("settings");
        let file = &config.file;
        assert_eq!(config.origin(file.fail_on.as_ref().expect("fail-on")), "sesstool.toml:3");
        assert_eq!(config.origin(file.baseline.as_ref().expect("a baseline")), "sesstool.toml:6");
        assert_eq!(config.origin(&file.severity["L016"]), "sesstool.toml:8");
        assert_eq!(*file.severity["dangling-parent"].get_ref(), LevelName::Info);
        assert_eq!(file.overrides[0].get_ref().severity["G"], LevelName::Warning);
        assert_eq!(config.origin(&file.overrides[0]), "sesstool.toml:11");
    }

    #[test]
    fn what_has_no_meaning_is_refused_with_its_place_and_a_hint() {
        for (text, expected) in [
            ("fail_on = \"error\"", "sesstool.toml:1:1: unknown key 'fail_on'; did you mean 'fail-on'?"),
            ("\nexcludes = []", "sesstool.toml:2:1: unknown key 'excludes'; did you mean 'exclude'?"),
            (
                "colour = 1",
                "sesstool.toml:1:1: unknown key 'colour'; there are baseline, exclude, fail-on, ignore, override, paths, \
                 reader, select, severity",
            ),
            (
                "[[override]]\npaths = []\nseverty = {}",
                "sesstool.toml:3:1: unknown key 'severty'; did you mean 'severity'?",
            ),
            ("[severity]\nL0016 = \"off\"", "sesstool.toml:2:1: unknown rule 'L0016'; did you mean 'L001'?"),
            (
                "ignore = [\"L001\", \"dangling-parents\"]",
                "sesstool.toml:1:19: unknown rule 'dangling-parents'; did you mean 'dangling-parent'?",
            ),
            ("exclude = [\"a[\"]", "sesstool.toml:1:12: 'a[' is no glob: unclosed character class; missing ']'"),
        ] {
            assert_eq!(complaint(text), expected);
        }
        for (text, place, word) in [
            ("[severity]\nL016 = \"of\"", ":2:8: ", "`off`"),
            ("fail-on = \"fatal\"", ":1:11: ", "`never`"),
            ("reader = 3", ":1:10: ", ""),
            ("paths = \"sessions\"", ":1:9: ", "sequence"),
            ("[[override]]\nignore = []", ":1:1: ", "paths"),
            ("paths = [", ":1:", ""),
        ] {
            let complaint = complaint(text);
            assert!(complaint.contains(place) && complaint.contains(word), "{text}: {complaint}");
        }
    }

    /// The lists of keys, the types and the schema are the same.
    #[test]
    fn the_schema_is_current() {
        let mut schema = serde_json::to_value(schemars::schema_for!(ConfigFile)).expect("a schema");
        schema["title"] = "sesstool.toml".into();
        let names = |schema: &serde_json::Value| -> Vec<String> {
            schema["properties"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default()
        };
        assert_eq!(names(&schema), KEYS);
        assert_eq!(names(&schema["$defs"]["Override"]), OVERRIDE_KEYS);
        let text = serde_json::to_string_pretty(&schema).expect("a schema") + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sesstool.schema.json");
        if std::env::var_os("SESSTOOL_WRITE_SCHEMA").is_some() {
            std::fs::write(&path, &text).expect("the schema");
        }
        let current = std::fs::read_to_string(path).unwrap_or_default();
        assert!(current == text, "run: SESSTOOL_WRITE_SCHEMA=1 cargo test --locked the_schema_is_current");
    }
}
