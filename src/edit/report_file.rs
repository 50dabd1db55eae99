//! Files that say something about sessions: reports, baselines, pages of a manual.
//!
//! They are the only outputs that may take the place of something, namely of an older one of their own
//! kind: a CI job writes the same report again and again. What that is, whoever writes it knows, and says
//! so by looking at the first bytes. Everything else that exists stays, an input above all, and no such
//! file bears the name of a session. Like every output it is written under another name, synced, and
//! moved into place whole.

use super::draft::{self, Draft};
use super::write::{WriteError, is_same_file, what_is};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// How many of a file's first bytes tell what it is.
const HEAD: u64 = 4096;

/// Whether the first bytes of a file (up to 4,096, never none) are those of an older one of its kind.
pub type IsOwn = fn(&[u8]) -> bool;

/// A file under way. Dropped before it is [finished](ReportFile::finish), it is removed.
pub struct ReportFile {
    out: BufWriter<Draft>,
    target: PathBuf,
    kind: &'static str,
    is_own: IsOwn,
}

impl ReportFile {
    /// Begins one that will stand at `target`; `kind` names it: a report of that format.
    ///
    /// # Errors
    /// The target is one of the inputs, has the name of a session, is there and no older one of its kind,
    /// or its folder cannot be written to.
    pub fn begin<'i>(
        target: &Path,
        kind: &'static str,
        is_own: IsOwn,
        inputs: impl IntoIterator<Item = &'i Path>,
    ) -> Result<ReportFile, WriteError> {
        refuse_inputs(target, inputs)?;
        refuse_others(target, kind, is_own)?;
        let draft = Draft::beside(target, None)
            .map_err(|error| WriteError::Folder(draft::folder_of(target).to_path_buf(), error))?;
        Ok(ReportFile { out: BufWriter::with_capacity(draft::BUFFER, draft), target: target.into(), kind, is_own })
    }

    /// Where it will stand.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Waits until it is on the disk and moves it into its place, an older one's if there is one.
    ///
    /// # Errors
    /// Writing fails, or something else stands there by now.
    pub fn finish(self) -> Result<(), WriteError> {
        let ReportFile { out, target, kind, is_own } = self;
        let failed = |error: io::Error| WriteError::Write(target.clone(), error);
        let draft = out.into_inner().map_err(|error| failed(error.into_error()))?;
        draft.sync().map_err(failed)?;
        refuse_others(&target, kind, is_own)?;
        draft::replace(draft, &target).map_err(failed)
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Adds text at the end of a file that another program keeps for such notes (a summary of a CI job), and
/// makes it where it is not there.
///
/// # Errors
/// The file is one of the inputs, has the name of a session, is no regular file, or cannot be written to.
pub fn append_note<'i>(
    target: &Path,
    text: &str,
    inputs: impl IntoIterator<Item = &'i Path>,
) -> Result<(), WriteError> {
    refuse_inputs(target, inputs)?;
    if let Ok(found) = target.symlink_metadata()
        && !found.is_file()
    {
        return Err(WriteError::Exists(target.into(), what_is(found.file_type())));
    }
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(target)
        .map_err(|error| WriteError::Write(target.into(), error))?;
    file.write_all(text.as_bytes()).map_err(|error| WriteError::Write(target.into(), error))
}

fn refuse_inputs<'i>(target: &Path, inputs: impl IntoIterator<Item = &'i Path>) -> Result<(), WriteError> {
    let is_session = |name: &str| name.ends_with(".jsonl") || name.ends_with(".manifest.json");
    if target.file_name().is_none_or(|name| is_session(&name.to_string_lossy().to_lowercase())) {
        return Err(WriteError::SessionName(target.into()));
    }
    if target.exists() && inputs.into_iter().any(|input| is_same_file(target, input)) {
        return Err(WriteError::IsInput(target.into()));
    }
    Ok(())
}

/// Refuses a target where something stands that is no older file of its kind.
fn refuse_others(target: &Path, kind: &'static str, is_own: IsOwn) -> Result<(), WriteError> {
    let unreadable = |error| WriteError::Folder(draft::folder_of(target).to_path_buf(), error);
    match target.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = fs::metadata(draft::folder_of(target)).map_err(unreadable)?;
            if folder.is_dir() { Ok(()) } else { Err(unreadable(io::ErrorKind::NotADirectory.into())) }
        }
        Err(error) => Err(unreadable(error)),
        Ok(found) if !found.is_file() => Err(WriteError::Exists(target.into(), what_is(found.file_type()))),
        Ok(_) => {
            let mut head = Vec::new();
            let read = File::open(target).and_then(|file| file.take(HEAD).read_to_end(&mut head));
            read.map_err(|error| WriteError::Write(target.into(), error))?;
            // an empty file holds nothing that could be lost
            if head.is_empty() || is_own(&head) { Ok(()) } else { Err(WriteError::NotOwn(target.into(), kind)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own(head: &[u8]) -> bool {
        head.starts_with(b"report")
    }

    fn write(target: &Path, text: &str, inputs: &[&Path]) -> Result<(), WriteError> {
        let mut file = ReportFile::begin(target, "report", is_own, inputs.iter().copied())?;
        file.write_all(text.as_bytes()).expect("room");
        file.finish()
    }

    #[test]
    fn an_older_one_is_replaced_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        write(&at("out"), "report 1", &[]).expect("a new file");
        write(&at("out"), "report 2", &[]).expect("an older one");
        assert_eq!(fs::read(at("out")).expect("the report"), b"report 2");
        fs::write(at("empty"), b"").expect("a file");
        write(&at("empty"), "report", &[]).expect("nothing to lose");
        fs::write(at("other"), b"{\"type\":\"session\"}\n").expect("a file");
        assert!(matches!(write(&at("other"), "report", &[]), Err(WriteError::NotOwn(..))));
        assert!(matches!(write(folder.path(), "report", &[]), Err(WriteError::Exists(_, "a folder"))));
        assert!(matches!(write(&at("none/out"), "report", &[]), Err(WriteError::Folder(..))));
        assert_eq!(fs::read(at("other")).expect("the file"), b"{\"type\":\"session\"}\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "no draft is left");
    }

    #[test]
    fn inputs_and_sessions_are_refused_by_any_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("input"), b"report that is an input").expect("a file");
        fs::hard_link(at("input"), at("linked")).expect("a link");
        for name in ["input", "linked"] {
            assert!(matches!(write(&at(name), "report", &[&at("input")]), Err(WriteError::IsInput(_))), "{name}");
            assert!(matches!(append_note(&at(name), "note", [&*at("input")]), Err(WriteError::IsInput(_))), "{name}");
        }
        for name in ["new.jsonl", "new.JSONL", "new.jsonl.manifest.json"] {
            assert!(matches!(write(&at(name), "report", &[]), Err(WriteError::SessionName(_))), "{name}");
            assert!(matches!(append_note(&at(name), "note", []), Err(WriteError::SessionName(_))), "{name}");
        }
        assert_eq!(fs::read(at("input")).expect("the input"), b"report that is an input");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, b"report").expect("a file");
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        assert!(matches!(write(&link, "report", &[]), Err(WriteError::Exists(_, "a link"))));
    }

    #[test]
    fn what_appears_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out");
        let file = ReportFile::begin(&target, "report", is_own, []).expect("a file under way");
        fs::write(&target, b"something else").expect("a file");
        assert!(matches!(file.finish(), Err(WriteError::NotOwn(..))));
        assert_eq!(fs::read(&target).expect("the file"), b"something else");
    }

    #[test]
    fn notes_are_added_at_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("summary");
        append_note(&target, "a\n", []).expect("a new file");
        append_note(&target, "b\n", []).expect("the file");
        assert_eq!(fs::read(&target).expect("the file"), b"a\nb\n");
    }
}
