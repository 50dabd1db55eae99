//! `sesstool repair`: a new file that readers open whole.

use super::new_file::{self, Places};
use super::{CLEAN, FAILED, FINDINGS, Failure, output, signals};
use crate::edit::{self, Account, Change, Edit, Original, Plan, WriteError};
use crate::pass::Health;
use crate::pass::repair::{self, Options, Repairing};
use crate::report::clean::{clean, clean_bytes};
use crate::report::layout::{plural, thousands};
use crate::report::text::write_table;
use crate::rules;
use crate::source::Source;
use crate::source::inputs::Input;
use clap::ValueEnum;
use comfy_table::{ContentArrangement, Table, presets};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write new files that readers open whole; the damaged ones stay as they are.
///
/// Each repair is safe (the meaning cannot change), assumed (it rests on an assumption that the
/// manifest names) or made on request. No byte is lost: `sesstool restore` gives the original back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (every *.jsonl below), or - for standard input (with -o).
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    places: Places,
    /// Make only repairs that cannot change a meaning.
    #[arg(long)]
    safe_only: bool,
    /// Make these repairs too, which are made only on request.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    choose: Vec<String>,
    /// Make only the repairs of these rules: codes, or beginnings of codes such as L.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    select: Vec<String>,
    /// Leave the findings of these rules alone.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Leave an entry of type custom where a torn record stood, with what can be read of it.
    #[arg(long)]
    salvage: bool,
    /// Leave an entry of type custom at the end that says that the file was repaired, and from what.
    #[arg(long)]
    stamp: bool,
    /// Copy files without a repair to do as well; with --out-dir.
    #[arg(long, requires = "out_dir")]
    copy_healthy: bool,
    /// Show what would be done, and the difference, long lines in part; write nothing.
    #[arg(long)]
    dry_run: bool,
    /// How the outcome is told.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  sesstool repair session.jsonl                    writes session.repaired.jsonl and its manifest
  sesstool repair session.jsonl --dry-run          what would be done
  sesstool repair session.jsonl -o fixed.jsonl --safe-only
  sesstool repair ~/sessions --out-dir repaired    a whole folder, the tree of folders kept

Exit status:
  0  repaired, or there was nothing to do
  1  errors remain that no repair takes away (they are named)
  2  wrong usage, or a file could not be read or written (the others are all the same)";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people.
    Text,
    /// One document for programs.
    Json,
}

/// How many repairs of a file are listed for people.
const LISTED: usize = 40;

/// How many files are repaired at once before they are told of.
const ROUND: usize = 64;

/// Repairs the files.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let options = options(args)?;
    let inputs = new_file::inputs(&args.paths)?;
    args.places.check(&inputs)?;
    signals::clean_up_on_signals();
    let mut out = output::stdout();
    let mut told = Told { schema: "sesstool.repair/1", files: Vec::new(), errors: Vec::new() };
    let (mut unread, mut left, mut repaired) = (0, 0, 0u64);
    for round in inputs.chunks(ROUND) {
        let done: Vec<_> = round.par_iter().map(|input| one(args, &options, input)).collect();
        for file in done {
            match file {
                Ok(files) => {
                    for file in files {
                        left += u64::from(!file.left.is_empty());
                        repaired += u64::from(file.output.is_some());
                        match args.format {
                            Format::Json => told.files.push(file),
                            Format::Text if inputs.len() > 1 => file.print_line(&mut out)?,
                            Format::Text => file.print(&mut out)?,
                        }
                    }
                }
                Err(error) => {
                    unread += 1;
                    out.flush()?;
                    output::error(&format!("{}: {}", error.path, error.message));
                    told.errors.push(error);
                }
            }
        }
    }
    match args.format {
        Format::Json => {
            serde_json::to_writer(&mut out, &told).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text if inputs.len() > 1 => {
            let files = plural(inputs.len() as u64, "file");
            writeln!(out, "{files}; {repaired} written, {left} keep errors, {unread} could not be done")?;
        }
        Format::Text => {}
    }
    out.flush()?;
    Ok(match (unread, left) {
        (1.., _) => ExitCode::from(FAILED),
        (0, 1..) => ExitCode::from(FINDINGS),
        _ => CLEAN,
    })
}

fn options(args: &Args) -> Result<Options, Failure> {
    let codes = |list: &[String]| list.iter().map(|given| code(given)).collect::<Result<Vec<_>, _>>();
    Ok(Options {
        safe_only: args.safe_only,
        choose: codes(&args.choose)?,
        select: codes(&args.select)?,
        ignore: codes(&args.ignore)?,
        salvage: args.salvage,
        stamp: args.stamp,
    })
}

/// A code, the code of a name, or the beginning of codes.
fn code(given: &str) -> Result<String, Failure> {
    let upper = given.to_ascii_uppercase();
    match rules::find(given) {
        Some(rule) => Ok(rule.code.to_string()),
        None if rules::RULES.iter().any(|r| !upper.is_empty() && r.code.starts_with(&upper)) => Ok(upper),
        None => Err(Failure::Usage(match rules::policy::nearest(rules::RULES, given) {
            Some(near) => format!("unknown rule '{given}'; did you mean '{near}'?"),
            None => format!("unknown rule '{given}'; `sesstool explain` lists them"),
        })),
    }
}

/// What happened to all inputs.
#[derive(Serialize)]
struct Told {
    schema: &'static str,
    files: Vec<File>,
    errors: Vec<FileError>,
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
    /// `repaired`, `planned` (a dry run), `healthy` (nothing to do), `copied`, or `hopeless` (nothing can be done).
    status: &'static str,
    output: Option<String>,
    manifest: Option<String>,
    edits: Vec<Step>,
    /// Errors that are left, by code.
    left: BTreeMap<&'static str, u64>,
    /// Why nothing can be done.
    reason: Option<String>,
    /// Commands that put the repaired file in place of the damaged one.
    commands: Vec<String>,
    #[serde(skip)]
    diff: Option<String>,
}

/// One edit, told.
#[derive(Serialize)]
struct Step {
    code: &'static str,
    name: &'static str,
    kind: &'static str,
    line: u64,
    offset: u64,
    length: u64,
    reason: String,
}

/// Repairs one input; one file for each session in it.
fn one(args: &Args, options: &Options, input: &Input) -> Result<Vec<File>, FileError> {
    let (display, path, source) = match input {
        Input::Error { path, message } => return Err(FileError { path: path.clone(), message: message.clone() }),
        Input::Stdin => ("-".to_string(), None, Source::stdin()),
        Input::File { path, display, .. } => (display.clone(), Some(path.as_path()), Source::open(path)),
    };
    let fail = |message: String| FileError { path: display.clone(), message };
    let unread = |error: io::Error| fail(format!("cannot read: {}", output::reason(&error)));
    let source = source.map_err(unread)?;
    let original = Original::take(&source, path).map_err(unread)?;
    let repairings = repair::plans(&source, path, options).map_err(|error| fail(error.to_string()))?;
    let several = repairings.len() > 1;
    let parts = repairings.into_iter().zip(1..).map(|(repairing, part)| {
        let work = Work { args, options, original: &original, path, display: &display };
        work.file(repairing, several.then_some(part)).map_err(&fail)
    });
    parts.collect()
}

/// One input at work.
struct Work<'a> {
    args: &'a Args,
    options: &'a Options,
    original: &'a Original<'a>,
    path: Option<&'a Path>,
    display: &'a str,
}

impl Work<'_> {
    /// Makes the file of one plan; `part` is its number where there are several.
    fn file(&self, repairing: Repairing, part: Option<u32>) -> Result<File, String> {
        let Work { args, options, original, path, display } = *self;
        let source = original.source;
        let unread = |error: io::Error| format!("cannot read: {}", output::reason(&error));
        let mut file = File::new(display);
        let mut target = args.places.output(path.unwrap_or(Path::new("-")), &args.paths, "repaired");
        if let Some(part) = part {
            target = new_file::tagged(&target, &part.to_string());
        }
        if repairing.plan.is_empty() {
            file.left = repair::errors_left(&Health::of(source).map_err(unread)?);
            file.reason = repairing.hopeless;
            file.status = if file.left.is_empty() { "healthy" } else { "hopeless" };
            if args.copy_healthy && file.status == "healthy" {
                copy(args, original, &target).map_err(|error| error.to_string())?;
                file.status = "copied";
                file.output = Some(target.to_string_lossy().into_owned());
            }
            return Ok(file);
        }
        let account = account(options);
        let plan = match &repairing.stamp {
            None => repairing.plan,
            Some(stamp) => {
                let manifest = edit::unstamped(original, &repairing.plan, &account).map_err(unread)?;
                let stamped = stamp.put(&repairing.plan, &original.digest.sha256, &manifest.sha256);
                stamped.map_err(|error| error.to_string())?
            }
        };
        file.edits = steps(&plan, source).map_err(unread)?;
        file.status = "planned";
        if args.dry_run {
            file.left = after(&plan, source).map_err(unread)?;
            if args.format == Format::Text {
                file.diff = Some(diff(display, &plan, source).map_err(unread)?);
            }
            return Ok(file);
        }
        file.left = write(args, options, original, &plan, account, &target).map_err(|error| error.to_string())?;
        let manifest = edit::manifest_path(&target);
        file.status = "repaired";
        if part.is_none() {
            file.commands = path.map_or_else(Vec::new, |path| commands(path, &target, &manifest));
        }
        file.output = Some(target.to_string_lossy().into_owned());
        file.manifest = Some(manifest.to_string_lossy().into_owned());
        Ok(file)
    }
}

/// What the manifest tells of how the file was made.
fn account(options: &Options) -> Account {
    let list = |codes: &[String]| Value::from(codes.to_vec());
    let options = [
        ("safeOnly", Value::from(options.safe_only)),
        ("choose", list(&options.choose)),
        ("select", list(&options.select)),
        ("ignore", list(&options.ignore)),
        ("salvage", Value::from(options.salvage)),
        ("stamp", Value::from(options.stamp)),
    ];
    Account { verb: "repair", options: options.into_iter().map(|(name, value)| (name.to_string(), value)).collect() }
}

/// Writes the repaired file; the errors that are left in it.
fn write(
    args: &Args,
    options: &Options,
    original: &Original<'_>,
    plan: &Plan,
    account: Account,
    target: &Path,
) -> Result<BTreeMap<&'static str, u64>, WriteError> {
    args.places.make_folder(target)?;
    let before = Health::of(original.source).map_err(WriteError::Read)?;
    let left = std::cell::RefCell::new(BTreeMap::new());
    edit::write_plan(original, plan, target, account, &|output| {
        let after = Health::of(output).map_err(|error| output::reason(&error))?;
        let (was, is) = (repair::errors_left(&before), repair::errors_left(&after));
        // what the damage has hidden may show, but a repair must not bring errors of its own
        let new = is.iter().find(|(code, n)| !repair::is_left(code) && **n > was.get(*code).copied().unwrap_or(0));
        if let (Some((code, n)), true) =
            (new, options.select.is_empty() && options.ignore.is_empty() && !options.safe_only)
        {
            return Err(format!("{n} findings of {code} would be new"));
        }
        *left.borrow_mut() = is;
        Ok(())
    })?;
    Ok(left.into_inner())
}

/// Copies a file that needs no repair.
fn copy(args: &Args, original: &Original<'_>, target: &Path) -> Result<(), WriteError> {
    args.places.make_folder(target)?;
    let plan = Plan::new(original.digest.size, Vec::new()).map_err(|error| WriteError::Check(error.to_string()))?;
    edit::write_alone(original, &|sink| plan.apply(original.source, sink), target, &original.digest)
}

/// The errors that would be left.
fn after(plan: &Plan, source: &Source) -> io::Result<BTreeMap<&'static str, u64>> {
    Ok(repair::errors_left(&Health::of(&plan.view(source)?)?))
}

/// The edits with their lines.
fn steps(plan: &Plan, source: &Source) -> io::Result<Vec<Step>> {
    let mut lines = LineCounter { source, at: 0, line: 1 };
    plan.edits()
        .iter()
        .map(|Edit { span, why, .. }| {
            let name = rules::find(why.cause).map_or("", |rule| rule.name);
            let (offset, length) = (span.start, span.end - span.start);
            let line = lines.line_of(span.start)?;
            Ok(Step {
                code: why.cause,
                name,
                kind: why.kind.name(),
                line,
                offset,
                length,
                reason: why.reason.to_string(),
            })
        })
        .collect()
}

/// Counts lines up to offsets that ascend.
struct LineCounter<'a> {
    source: &'a Source,
    at: u64,
    line: u64,
}

impl LineCounter<'_> {
    fn line_of(&mut self, offset: u64) -> io::Result<u64> {
        let mut buffer = vec![0; 1 << 16];
        while self.at < offset {
            let want = (offset - self.at).min(buffer.len() as u64) as usize;
            let n = self.source.read_at(self.at, &mut buffer[..want])?;
            if n == 0 {
                break;
            }
            self.line += memchr::memchr_iter(b'\n', &buffer[..n]).count() as u64;
            self.at += n as u64;
        }
        Ok(self.line)
    }
}

/// The commands that put the repaired file in place, keeping the damaged one.
fn commands(input: &Path, output: &Path, manifest: &Path) -> Vec<String> {
    let quote = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"));
    let mut damaged = input.as_os_str().to_owned();
    damaged.push(".damaged");
    let damaged = PathBuf::from(damaged);
    vec![
        format!("mv -n {} {}", quote(input), quote(&damaged)),
        format!("mv -n {} {}", quote(output), quote(input)),
        format!("mv -n {} {}", quote(manifest), quote(&edit::manifest_path(input))),
    ]
}

fn diff(path: &str, plan: &Plan, source: &Source) -> io::Result<String> {
    let mut out = Vec::new();
    writeln!(out, "--- {}\n+++ {} (repaired)", clean(path), clean(path))?;
    edit::changes(plan, source, &mut |change| print_change(&mut out, &change))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn print_change(out: &mut dyn Write, change: &Change) -> io::Result<()> {
    let place = |(line, count): (u64, u64)| if count == 1 { line.to_string() } else { format!("{line},{count}") };
    writeln!(out, "@@ -{} +{} @@", place(change.before), place(change.after))?;
    change.lines.iter().try_for_each(|line| writeln!(out, "{}{}", line.sign, clean_bytes(&line.text)))
}

impl File {
    fn new(path: &str) -> File {
        File {
            path: path.to_string(),
            status: "healthy",
            output: None,
            manifest: None,
            edits: Vec::new(),
            left: BTreeMap::new(),
            reason: None,
            commands: Vec::new(),
            diff: None,
        }
    }

    /// `code × n` for each code.
    fn counts(&self) -> String {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for step in &self.edits {
            *counts.entry(step.code).or_default() += 1;
        }
        counts.iter().map(|(code, n)| format!("{code} × {}", thousands(*n))).collect::<Vec<_>>().join(", ")
    }

    fn left_text(&self) -> String {
        let codes: Vec<String> = self.left.iter().map(|(code, n)| format!("{code} × {}", thousands(*n))).collect();
        codes.join(", ")
    }

    fn print_line(&self, out: &mut dyn Write) -> io::Result<()> {
        let path = clean(&self.path);
        let left = if self.left.is_empty() { String::new() } else { format!("; left: {}", self.left_text()) };
        match (&self.output, self.status) {
            (Some(output), "copied") => writeln!(out, "{path} → {}: nothing to do, copied", clean(output)),
            (Some(output), _) => writeln!(out, "{path} → {}: {}{left}", clean(output), self.counts()),
            (None, "planned") => writeln!(out, "{path}: would do {}{left}", self.counts()),
            (None, "healthy") => writeln!(out, "{path}: nothing to do"),
            (None, _) => writeln!(out, "{path}: nothing can be done{left}"),
        }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let path = clean(&self.path);
        if let Some(reason) = &self.reason {
            writeln!(out, "{path}: nothing can be done: {}", clean(reason))?;
        } else if self.edits.is_empty() && self.left.is_empty() {
            writeln!(out, "{path}: nothing to do")?;
        } else if self.edits.is_empty() {
            writeln!(out, "{path}: no repair for what is wrong")?;
        }
        if !self.edits.is_empty() {
            self.print_edits(out)?;
        }
        if let Some(diff) = &self.diff {
            writeln!(out, "{}", diff.trim_end_matches('\n'))?;
        }
        self.print_left(out)?;
        if let (Some(output), Some(manifest)) = (&self.output, &self.manifest) {
            writeln!(out, "\nWritten: {}\nManifest: {}", clean(output), clean(manifest))?;
        }
        if !self.commands.is_empty() {
            writeln!(out, "\nTo put it in place, keeping the damaged file:")?;
            self.commands.iter().try_for_each(|command| writeln!(out, "  {}", clean(command)))?;
        }
        Ok(())
    }

    fn print_edits(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(output::width().min(usize::from(u16::MAX)) as u16);
        table.set_header(["line", "rule", "kind", "what"]);
        for step in self.edits.iter().take(LISTED) {
            let rule = format!("{} {}", step.code, step.name);
            table.add_row([&step.line.to_string(), &rule, step.kind, &*clean(&step.reason)]);
        }
        write_table(out, &table)?;
        if let more @ 1.. = self.edits.len().saturating_sub(LISTED) {
            writeln!(out, "… and {} more; in all {}", thousands(more as u64), self.counts())?;
        }
        Ok(())
    }

    fn print_left(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.left.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nErrors that are left:")?;
        for (code, count) in &self.left {
            let rule = rules::find(code);
            let (name, remedy) = rule.map_or(("", ""), |r| (r.name, rules::first_sentence(r.remedy)));
            writeln!(out, "  {code} {name} × {}: {remedy}", thousands(*count))?;
        }
        Ok(())
    }
}
