//! `sesstool migrate`: version 1 and 2 to version 3, in a new file.

use super::new_file::{self, Places};
use super::{CLEAN, FAILED, Failure, output, signals};
use crate::edit::{self, Account, Change, Manifest, Original, Plan, WriteError};
use crate::pass::Health;
use crate::pass::migrate::{self, Migration, TARGET};
use crate::pass::repair;
use crate::report::clean::{clean, clean_bytes};
use crate::report::layout::plural;
use crate::source::Source;
use crate::source::inputs::Input;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Bring session files of version 1 and 2 to version 3, in new files.
///
/// Only the spans that have to change are changed: the version, ids and parents, kept ranges, one
/// renamed role. Damaged lines are copied as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (every *.jsonl below), or - for standard input (with -o).
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    places: Places,
    /// The version to migrate to.
    #[arg(long, value_name = "VERSION", default_value_t = TARGET, value_parser = clap::value_parser!(u32).range(3..=3))]
    to: u32,
    /// Repair what is damaged first, in the same new file (see `sesstool repair`).
    #[arg(long)]
    repair: bool,
    /// Show what would change as a diff, long lines in part, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// How the outcome is told.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  sesstool migrate old.jsonl                       writes old.v3.jsonl and old.v3.jsonl.manifest.json
  sesstool migrate old.jsonl -o new.jsonl
  sesstool migrate ~/sessions --out-dir migrated   every file of the folder, the tree of folders kept
  sesstool migrate old.jsonl --repair              what is damaged is repaired first
  sesstool migrate old.jsonl --dry-run

Exit status:
  0  migrated, or there was nothing to do
  2  wrong usage, or a file could not be migrated (the others are all the same)

`sesstool restore OUT` gives the original back, bit for bit.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people.
    Text,
    /// One document for programs.
    Json,
}

/// Migrates the files, one after the other.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let inputs = new_file::inputs(&args.paths)?;
    args.places.check(&inputs)?;
    signals::clean_up_on_signals();
    let mut out = output::stdout();
    let mut told = Told::default();
    for input in &inputs {
        match one(args, input, &mut out) {
            Ok(file) => {
                if args.format == Format::Text {
                    file.print(&mut out)?;
                }
                told.files.push(file);
            }
            Err(Stop::Output(error)) => return Err(error.into()),
            Err(Stop::File(error)) => {
                out.flush()?;
                output::error(&format!("{}: {}", error.path, error.message));
                told.errors.push(error);
            }
        }
    }
    if args.format == Format::Json {
        serde_json::to_writer(&mut out, &told).map_err(io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(if told.errors.is_empty() { CLEAN } else { ExitCode::from(FAILED) })
}

/// Why a file was not migrated.
enum Stop {
    /// Because of the file.
    File(FileError),
    /// Because nobody can be told.
    Output(io::Error),
}

/// What happened to one input, and what could not be done.
#[derive(Default, Serialize)]
struct Told {
    schema: Schema,
    files: Vec<File>,
    errors: Vec<FileError>,
}

/// The name of the JSON format.
struct Schema(&'static str);

impl Default for Schema {
    fn default() -> Self {
        Schema("sesstool.migrate/1")
    }
}

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

#[derive(Serialize)]
struct FileError {
    path: String,
    message: String,
}

/// What happened to one file.
#[derive(Serialize)]
struct File {
    path: String,
    /// `migrated`, `planned` (a dry run) or `current` (nothing to do).
    status: &'static str,
    output: Option<String>,
    manifest: Option<String>,
    from: Option<String>,
    to: u32,
    changes: Map<String, Value>,
    damaged_lines: u64,
    unseen_records: u64,
    notes: Vec<String>,
}

fn one(args: &Args, input: &Input, out: &mut dyn Write) -> Result<File, Stop> {
    let (display, path, source) = match input {
        Input::Error { path, message } => {
            return Err(Stop::File(FileError { path: path.clone(), message: message.clone() }));
        }
        Input::Stdin => ("-".to_string(), None, Source::stdin()),
        Input::File { path, display, .. } => (display.clone(), Some(path.as_path()), Source::open(path)),
    };
    let fail = |message: String| Stop::File(FileError { path: display.clone(), message });
    let unread = |error: io::Error| fail(format!("cannot read: {}", output::reason(&error)));
    let source = source.map_err(unread)?;
    let original = Original::take(&source, path).map_err(unread)?;
    let repaired = if args.repair { repaired(&source, path).map_err(fail)? } else { None };
    let base = repaired.as_ref().map_or(&source, |(_, output)| output);
    let health = Health::of(base).map_err(unread)?;
    let migration = migrate::plan(base, &health).map_err(|error| fail(error.to_string()))?;
    let Some(mut migration) = migration else {
        let mut file = File::new(&display, "current");
        if repaired.is_some() {
            file.notes.push("it is of version 3 once it is repaired: `sesstool repair` is enough".to_string());
        }
        return Ok(file);
    };
    if let Some((repair, _)) = &repaired {
        migration.plan = repair.then(&migration.plan).map_err(|error| {
            fail(format!("cannot repair and migrate it in one step: {error}; run `sesstool repair`, then `migrate`"))
        })?;
        migration.notes.push(plural(repair.edits().len() as u64, "repair") + " made first; the manifest tells each");
    }
    let file = File::new(&display, "planned").migrated(&migration);
    if args.dry_run {
        if args.format == Format::Text {
            print_diff(out, &display, &migration.plan, &source).map_err(Stop::Output)?;
        }
        return Ok(file);
    }
    let target = args.places.output(path.unwrap_or(Path::new("-")), &args.paths, "v3");
    write(args, &original, &migration, &health, &target).map_err(|error| fail(error.to_string()))?;
    let manifest = edit::manifest_path(&target);
    let shown = |path: &Path| Some(path.to_string_lossy().into_owned());
    Ok(File { status: "migrated", output: shown(&target), manifest: shown(&manifest), ..file })
}

/// The repair of a file and what it gives; `None` where there is nothing to repair.
fn repaired(source: &Source, path: Option<&Path>) -> Result<Option<(Plan, Source)>, String> {
    let repairing = repair::plan(source, path, &repair::Options::default()).map_err(|error| error.to_string())?;
    if repairing.plan.is_empty() {
        return Ok(None);
    }
    let output = repairing.plan.view(source).map_err(|error| format!("cannot read: {}", output::reason(&error)))?;
    Ok(Some((repairing.plan, output)))
}

fn write(
    args: &Args,
    original: &Original<'_>,
    migration: &Migration,
    health: &Health,
    target: &Path,
) -> Result<Manifest, WriteError> {
    args.places.make_folder(target)?;
    let options = [("to".to_string(), Value::from(args.to)), ("repair".to_string(), Value::from(args.repair))].into();
    let account = Account { verb: "migrate", options };
    edit::write_plan(original, &migration.plan, target, account, &|output| migration.verify(health, output))
}

impl File {
    fn new(path: &str, status: &'static str) -> File {
        File {
            path: path.to_string(),
            status,
            output: None,
            manifest: None,
            from: None,
            to: TARGET,
            changes: Map::new(),
            damaged_lines: 0,
            unseen_records: 0,
            notes: Vec::new(),
        }
    }

    fn migrated(mut self, migration: &Migration) -> File {
        let done = &migration.done;
        for (name, count) in [
            ("headers", done.headers),
            ("entries", done.linked),
            ("kept", done.kept),
            ("keptNothing", done.kept_nothing),
            ("roles", done.roles),
        ] {
            self.changes.insert(name.to_string(), count.into());
        }
        self.from = Some(migration.from.clone());
        self.damaged_lines = migration.damaged;
        self.unseen_records = migration.unseen;
        self.notes.clone_from(&migration.notes);
        self
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let path = clean(&self.path);
        match (&self.output, self.status) {
            (_, "current") => {
                let what = self.notes.first().map_or("version 3 already, nothing to do", String::as_str);
                return writeln!(out, "{path}: {what}");
            }
            (Some(output), _) => writeln!(out, "{path} → {}", clean(output))?,
            (None, _) => writeln!(out, "{path}: would be migrated; nothing was written")?,
        }
        let from = self.from.as_deref().unwrap_or("none");
        self.row(out, "headers", "header", &format!("version {} → {}", clean(from), self.to))?;
        self.row(out, "entries", "entry", "id and parent given")?;
        self.row(out, "kept", "compaction", "firstKeptEntryIndex → firstKeptEntryId")?;
        self.row(out, "keptNothing", "compaction", "firstKeptEntryIndex removed: it names nothing")?;
        self.row(out, "roles", "message", "role hookMessage → custom")?;
        for note in &self.notes {
            writeln!(out, "  note: {}", clean(note))?;
        }
        if self.damaged_lines > 0 {
            self.print_damage(out)?;
        }
        match &self.output {
            Some(output) => writeln!(out, "  `sesstool restore {}` gives the original back", clean(output)),
            None => Ok(()),
        }
    }

    fn row(&self, out: &mut dyn Write, change: &str, noun: &str, what: &str) -> io::Result<()> {
        match self.changes.get(change).and_then(Value::as_u64) {
            Some(count @ 1..) => writeln!(out, "  {:<16} {what}", counted(count, noun)),
            _ => Ok(()),
        }
    }

    fn print_damage(&self, out: &mut dyn Write) -> io::Result<()> {
        let lines = counted(self.damaged_lines, "line");
        let records = counted(self.unseen_records, "record");
        writeln!(out, "  {lines:<16} damaged, copied unchanged; {records} there got no id, as in pi")?;
        let file = self.output.as_ref().unwrap_or(&self.path);
        writeln!(out, "  hint: damage remains; `sesstool repair {}` makes a whole file of it", clean(file))
    }
}

/// A number and its noun.
fn counted(count: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if count != 1 => plural(count, &format!("{stem}ie")),
        _ => plural(count, noun),
    }
}

/// The plan as a unified diff.
fn print_diff(out: &mut dyn Write, path: &str, plan: &Plan, source: &Source) -> io::Result<()> {
    writeln!(out, "--- {}\n+++ {} (version {TARGET})", clean(path), clean(path))?;
    edit::changes(plan, source, &mut |change| print_change(out, &change))
}

fn print_change(out: &mut dyn Write, change: &Change) -> io::Result<()> {
    let place = |(line, count): (u64, u64)| if count == 1 { line.to_string() } else { format!("{line},{count}") };
    writeln!(out, "@@ -{} +{} @@", place(change.before), place(change.after))?;
    change.lines.iter().try_for_each(|line| writeln!(out, "{}{}", line.sign, clean_bytes(&line.text)))
}
