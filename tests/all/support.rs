//! What the tests share: fixtures, reports on bytes, and runs of the program.

use sesstool::check::{self, source_report};
use sesstool::report::{self, FileReport, Summary};
use sesstool::rules::Severity;
use sesstool::source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder of the crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A session in `fixtures/`, and what its name promises.
pub struct Fixture {
    pub path: PathBuf,
    /// The path from the crate's folder on, with `/`.
    pub name: String,
    /// The name of its folder: `G003-dangling-parent`, `healthy`.
    pub folder: String,
    pub bytes: Vec<u8>,
}

impl Fixture {
    /// The rule that the folder is about.
    pub fn code(&self) -> Option<&str> {
        self.folder.get(..4).filter(|code| sesstool::rules::find(code).is_some())
    }

    /// Further codes that the file's name lists: `a-name+G003+H004.jsonl`.
    pub fn further_codes(&self) -> Vec<&str> {
        let file = self.name.rsplit('/').next().unwrap_or_default().trim_end_matches(".jsonl");
        file.split('+').skip(1).collect()
    }

    pub fn report(&self) -> FileReport {
        let source = Source::open(&self.path).expect("a fixture");
        let mut report =
            source_report(&source, &self.name, Some(&self.path), &check::Options::default()).expect("a report");
        // a fresh check-out was written to seconds ago
        report.notes.clear();
        report
    }
}

/// The fixtures below `fixtures/<kind>`, sorted.
pub fn fixtures(kind: &str) -> Vec<Fixture> {
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(root().join("fixtures").join(kind)).sort_by_file_name() {
        let path = entry.expect("a folder that can be listed").into_path();
        if path.is_dir() {
            continue;
        }
        let relative = path.strip_prefix(root()).expect("a path below the crate");
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let bytes = std::fs::read(&path).expect("a fixture");
        all.push(Fixture { name: parts.join("/"), folder: parts[parts.len() - 2].clone(), path, bytes });
    }
    assert!(!all.is_empty(), "no fixtures/{kind}");
    all
}

/// The fixture of this path below `fixtures/`.
pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("fixtures").join(name)).unwrap_or_else(|error| panic!("fixtures/{name}: {error}"))
}

/// What is found in these bytes.
pub fn check_bytes(bytes: &[u8]) -> FileReport {
    check_source(&Source::bytes(bytes.to_vec()))
}

/// What is found in this source.
pub fn check_source(source: &Source) -> FileReport {
    source_report(source, "session", None, &check::Options::default()).expect("content is no error")
}

/// The report as `--format NAME` writes it.
pub fn written(report: &FileReport, format: &str) -> String {
    let mut out = Vec::new();
    let mut summary = Summary::default();
    summary.add(report);
    let mut writer = (report::format(format).expect("a format").new)(&report::Options::default());
    writer.file(&mut out, report).and_then(|()| writer.end(&mut out, &summary)).expect("memory takes everything");
    String::from_utf8(out).expect("reports are UTF-8")
}

/// The codes found.
pub fn codes(report: &FileReport) -> BTreeSet<&'static str> {
    report.counts.keys().copied().collect()
}

/// The codes found with a severity above info.
pub fn loud_codes(report: &FileReport) -> BTreeSet<&'static str> {
    report.findings.iter().filter(|f| f.severity > Severity::Info).map(|f| f.rule.code).collect()
}

/// Where a code was found: lines, 0 for the whole file.
pub fn lines_of(report: &FileReport, code: &str) -> Vec<u64> {
    let found = report.findings.iter().filter(|f| f.rule.code == code);
    found.map(|f| f.place.as_ref().map_or(0, |place| place.line)).collect()
}

/// A header line.
pub const HEADER: &str = concat!(
    r#"{"type":"session","version":3,"id":"019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18","#,
    r#""timestamp":"2026-03-14T09:26:50.000Z","cwd":"/project"}"#
);

/// A user's message; `parent` is the id or empty for a root. `text` is JSON without its quotes.
pub fn message(id: &str, parent: &str, text: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    format!(
        concat!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-03-14T09:26:50.000Z","#,
            r#""message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}],"timestamp":1773480410000}}}}"#
        ),
        id = id,
        parent = parent,
        text = text
    )
}

/// Lines, each with its LF.
pub fn lines<S: AsRef<[u8]>>(lines: &[S]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.as_ref());
        bytes.push(b'\n');
    }
    bytes
}

/// A run of the program: exit status, standard output, standard error.
#[cfg(feature = "cli")]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// The program in the crate's folder, without colours, and without a store of its own.
#[cfg(feature = "cli")]
pub fn sesstool<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("sesstool").expect("the binary");
    command.args(args).current_dir(root()).env_remove("CLICOLOR_FORCE");
    command.env("PI_CODING_AGENT_SESSION_DIR", "/no/such/store").env_remove("PI_CODING_AGENT_DIR");
    command
}

#[cfg(feature = "cli")]
pub fn finish(command: &mut assert_cmd::Command) -> Run {
    let output = command.output().expect("a run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Runs the program with these arguments.
#[cfg(feature = "cli")]
pub fn run<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Run {
    finish(&mut sesstool(args))
}

/// The document that a run with `--format json` wrote.
#[cfg(feature = "cli")]
pub fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", run.out, run.err))
}

/// Says that something cannot be tested on this machine.
#[allow(clippy::print_stderr, reason = "a test that tests nothing has to say so")]
pub fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
