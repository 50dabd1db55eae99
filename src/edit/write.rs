//! The one way in which a file is made.
//!
//! The input stays as it is: it is compared before and after. The output is written beside its place,
//! synced, read again and checked, its manifest likewise; the input is rebuilt from both and compared
//! by its SHA-256; only then both are moved into place, where nothing may be.

use super::draft::{self, Draft};
use super::manifest::{File, Manifest, SCHEMA};
use super::plan::Plan;
use super::restore::{Recipe, RestoreError};
use super::{Digest, Hasher};
use crate::source::inputs::reason;
use crate::source::{Source, manifest_path};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, FileType, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not made.
#[derive(Debug)]
pub enum WriteError {
    /// The output is the input, by this name or another.
    IsInput(PathBuf),
    /// Something is there already: what.
    Exists(PathBuf, &'static str),
    /// The output's manifest is there, but no output.
    LeftManifest(PathBuf),
    /// A report would have the name of a session or of its manifest.
    SessionName(PathBuf),
    /// Something other than an older file of the kind named is there.
    NotOwn(PathBuf, &'static str),
    /// The folder is not there, or nothing can be written to it.
    Folder(PathBuf, io::Error),
    /// Something appeared there while the file was made.
    Appeared(PathBuf),
    /// The input has changed: how.
    Changed(String),
    /// The input cannot be read.
    Read(io::Error),
    /// Writing failed.
    Write(PathBuf, io::Error),
    /// It is in its place, but perhaps not yet on the disk.
    Unsynced(PathBuf, io::Error),
    /// What was written is not what it should be: what is wrong.
    Check(String),
    /// The input cannot be rebuilt from what was written.
    Restore(RestoreError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::IsInput(path) => {
                write!(f, "'{}' is the input itself, which is never written to; name another file", path.display())
            }
            WriteError::Exists(path, what) => {
                write!(f, "'{}' is there already ({what}), and nothing is replaced; name another file", path.display())
            }
            WriteError::LeftManifest(path) => write!(
                f,
                "the manifest '{}' is there without its file, left by a run that was stopped; remove it, or name \
                 another file",
                path.display()
            ),
            WriteError::SessionName(path) => write!(
                f,
                "'{}' has the name of a session or its manifest, which a report is not; name another file",
                path.display()
            ),
            WriteError::NotOwn(path, kind) => write!(
                f,
                "'{}' is there already and is none of ours ({kind}); only an older one of these is replaced; remove it, \
                 or name another file",
                path.display()
            ),
            WriteError::Folder(path, error) => {
                write!(f, "cannot write to the folder '{}': {}", path.display(), reason(error))
            }
            WriteError::Appeared(path) => write!(
                f,
                "'{}' appeared while it was being made, perhaps by another run; it was left alone, and nothing else \
                 was written",
                path.display()
            ),
            WriteError::Changed(how) => {
                write!(f, "the input changed while it was read: {how}; nothing was written; try again when it is quiet")
            }
            WriteError::Read(error) => write!(f, "cannot read the input: {}; nothing was written", reason(error)),
            WriteError::Write(path, error) => {
                write!(f, "cannot write '{}': {}; nothing was left there", path.display(), reason(error))
            }
            WriteError::Unsynced(path, error) => write!(
                f,
                "'{}' is complete and in its place, but its folder could not be synced to the disk: {}",
                path.display(),
                reason(error)
            ),
            WriteError::Check(what) => write!(f, "what was written did not pass the check: {what}; it was removed"),
            WriteError::Restore(error) => {
                write!(f, "the input could not be rebuilt from what was written: {error}; it was removed")
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Folder(_, error)
            | WriteError::Read(error)
            | WriteError::Write(_, error)
            | WriteError::Unsynced(_, error) => Some(error),
            WriteError::Restore(error) => Some(error),
            _ => None,
        }
    }
}

/// An input as it is before anything is done with it.
pub struct Original<'a> {
    /// Its bytes.
    pub source: &'a Source,
    /// Where it is, unless it is a pipe.
    pub path: Option<&'a Path>,
    /// What it has.
    pub digest: Digest,
}

impl<'a> Original<'a> {
    /// Reads an input whole, before it is scanned.
    ///
    /// # Errors
    /// What reading says; a pipe that is too long to be read twice.
    pub fn take(source: &'a Source, path: Option<&'a Path>) -> io::Result<Original<'a>> {
        Ok(Original { source, path, digest: Digest::of(source)? })
    }

    /// Its name without folders; `-` for a pipe. Bytes that are no UTF-8 are replaced.
    pub fn name(&self) -> String {
        file_name(self.path.unwrap_or(Path::new("-")))
    }

    /// The permissions that its outputs get; `None` for a pipe.
    fn permissions(&self) -> Result<Option<Permissions>, WriteError> {
        self.path.map(fs::metadata).transpose().map(|m| m.map(|m| m.permissions())).map_err(WriteError::Read)
    }

    /// Whether it still is what it was.
    fn unchanged(&self) -> Result<(), WriteError> {
        if let Some(how) = self.source.changed().map_err(WriteError::Read)? {
            return Err(WriteError::Changed(how));
        }
        match Digest::of(self.source).map_err(WriteError::Read)? {
            now if now == self.digest => Ok(()),
            _ => Err(WriteError::Changed("its bytes are others than before".to_string())),
        }
    }
}

/// What a manifest tells of how an output was made.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The verb.
    pub verb: &'static str,
    /// The options that had a part in it.
    pub options: BTreeMap<String, Value>,
}

/// What writes the bytes of a new file to a sink, and fails where reading or the sink fails.
pub type Content<'a> = &'a dyn Fn(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>;

/// Refuses an output that could not be made, before any work is done: it or its manifest is there
/// already, it is the input, or its folder is not there.
///
/// # Errors
/// The refusal.
pub fn refuse(output: &Path, input: Option<&Path>) -> Result<(), WriteError> {
    refuse_one(output, input)?;
    let manifest = manifest_path(output);
    match refuse_one(&manifest, input) {
        Err(WriteError::Exists(path, "a file")) => Err(WriteError::LeftManifest(path)),
        other => other,
    }
}

/// Refuses an output without a manifest, as [`refuse`] does.
///
/// # Errors
/// The refusal.
pub fn refuse_one(output: &Path, input: Option<&Path>) -> Result<(), WriteError> {
    match output.symlink_metadata() {
        Ok(found) => {
            // by its own name a link is a link, but what it leads to may be the input
            let same = input.is_some_and(|input| is_same_file(output, input));
            Err(match same && !found.is_symlink() {
                true => WriteError::IsInput(output.into()),
                false => WriteError::Exists(output.into(), what_is(found.file_type())),
            })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::metadata(draft::folder_of(output)) {
            Ok(folder) if folder.is_dir() && output.file_name().is_some() => Ok(()),
            Ok(_) => Err(WriteError::Folder(draft::folder_of(output).into(), io::ErrorKind::NotADirectory.into())),
            Err(error) => Err(WriteError::Folder(draft::folder_of(output).into(), error)),
        },
        Err(error) => Err(WriteError::Folder(draft::folder_of(output).into(), error)),
    }
}

pub(super) fn what_is(found: FileType) -> &'static str {
    match found {
        found if found.is_symlink() => "a link",
        found if found.is_dir() => "a folder",
        found if found.is_file() => "a file",
        _ => "a device or a pipe",
    }
}

pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) => is_same_node(&x, &y).unwrap_or_else(|| a.canonicalize().ok() == b.canonicalize().ok()),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_node(a: &Metadata, b: &Metadata) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    Some((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

#[cfg(not(unix))]
fn is_same_node(_: &Metadata, _: &Metadata) -> Option<bool> {
    None
}

/// Makes a folder, and those that it is in, where they are not there.
///
/// # Errors
/// What the system says.
pub fn make_folder(folder: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(folder).map_err(|error| WriteError::Folder(folder.into(), error))
}

/// Makes `output` from the input by a plan, with a manifest from which the input can be rebuilt.
/// `check` looks at what was written before it is moved into place.
///
/// # Errors
/// See [`WriteError`]; then neither file is there.
pub fn write_plan(
    original: &Original<'_>,
    plan: &Plan,
    output: &Path,
    account: Account,
    check: &dyn Fn(&Source) -> Result<(), String>,
) -> Result<Manifest, WriteError> {
    let edits = Manifest::of_plan(plan, original.source).map_err(WriteError::Read)?;
    let content: Content<'_> = &|sink| plan.apply(original.source, sink);
    write(original, content, output, account, Some(edits), check)
}

/// The digest that a stamp names where `output` is made by this plan: see [`Manifest::unstamped`].
///
/// # Errors
/// What reading the input says.
pub fn unstamped(original: &Original<'_>, plan: &Plan, account: &Account) -> io::Result<Digest> {
    let edits = Manifest::of_plan(plan, original.source)?;
    // the output has no part in it
    manifest(original, account.clone(), Some(edits), File { name: String::new(), digest: original.digest.clone() })
        .unstamped()
}

fn manifest(
    original: &Original<'_>,
    account: Account,
    edits: Option<Vec<super::manifest::Record>>,
    output: File,
) -> Manifest {
    Manifest {
        schema: SCHEMA.to_string(),
        tool: Manifest::this_tool(),
        verb: account.verb.to_string(),
        options: account.options,
        restorable: edits.is_some(),
        input: File { name: original.name(), digest: original.digest.clone() },
        output,
        edits: edits.unwrap_or_default(),
    }
}

/// Makes `output` with this content, and a manifest that says from what it was made.
///
/// # Errors
/// See [`WriteError`]; then neither file is there.
pub fn write_with_manifest(
    original: &Original<'_>,
    content: Content<'_>,
    output: &Path,
    account: Account,
    check: &dyn Fn(&Source) -> Result<(), String>,
) -> Result<Manifest, WriteError> {
    write(original, content, output, account, None, check)
}

fn write(
    original: &Original<'_>,
    content: Content<'_>,
    output: &Path,
    account: Account,
    edits: Option<Vec<super::manifest::Record>>,
    check: &dyn Fn(&Source) -> Result<(), String>,
) -> Result<Manifest, WriteError> {
    refuse(output, original.path)?;
    let permissions = original.permissions()?;
    let (new, digest) = new_file(output, permissions.as_ref(), content)?;
    let manifest = manifest(original, account, edits, File { name: file_name(output), digest });
    let manifest_path = manifest_path(output);
    let (new_manifest, _) = new_file(&manifest_path, permissions.as_ref(), &|sink| manifest.print(sink))?;
    let again = reopen(&new, output)?;
    check(&again).map_err(WriteError::Check)?;
    prove(&manifest, &again, &new_manifest, &manifest_path)?;
    original.unchanged()?;
    // the manifest first: an output is never there without it
    let places = vec![(new_manifest, manifest_path.as_path()), (new, output)];
    draft::place(places).map_err(|(n, error)| not_placed(if n == 0 { &manifest_path } else { output }, error))?;
    synced(output)?;
    Ok(manifest)
}

/// Makes `output` with this content and no manifest, with the permissions of `like`. What was written
/// must be `expected`.
///
/// # Errors
/// See [`WriteError`]; then the file is not there.
pub fn write_alone(
    like: &Original<'_>,
    content: Content<'_>,
    output: &Path,
    expected: &Digest,
) -> Result<(), WriteError> {
    refuse_one(output, like.path)?;
    let (new, digest) = new_file(output, like.permissions()?.as_ref(), content)?;
    if digest != *expected {
        return Err(WriteError::Check(format!("it has {digest} instead of {expected}")));
    }
    like.unchanged()?;
    draft::place(vec![(new, output)]).map_err(|(_, error)| not_placed(output, error))?;
    synced(output)
}

fn synced(path: &Path) -> Result<(), WriteError> {
    draft::sync_folder(path).map_err(|error| WriteError::Unsynced(path.into(), error))
}

fn not_placed(path: &Path, error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Appeared(path.into()),
        _ => WriteError::Write(path.into(), error),
    }
}

/// Writes a draft of `output`, and reads it again; what it has.
fn new_file(
    output: &Path,
    permissions: Option<&Permissions>,
    content: Content<'_>,
) -> Result<(Draft, Digest), WriteError> {
    let folder = |error| WriteError::Folder(draft::folder_of(output).into(), error);
    let mut new = Draft::beside(output, permissions).map_err(folder)?;
    let mut hasher = Hasher::default();
    let mut unwritten = None;
    let filled = new.fill(|out| {
        content(&mut |bytes| {
            hasher.add(bytes);
            // to tell what cannot be written from what cannot be read
            out.write_all(bytes).map_err(|error| {
                let stop = io::Error::from(error.kind());
                unwritten = Some(error);
                stop
            })
        })
    });
    match (filled, unwritten) {
        (_, Some(error)) => return Err(WriteError::Write(output.into(), error)),
        (Err(error), None) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(WriteError::Read(error)),
        (Err(error), None) => return Err(WriteError::Write(output.into(), error)),
        (Ok(()), None) => {}
    }
    let written = hasher.finish();
    match Digest::of(&reopen(&new, output)?).map_err(|error| WriteError::Write(output.into(), error))? {
        found if found == written => Ok((new, written)),
        found => Err(WriteError::Check(format!("{found} were read, and {written} had been written"))),
    }
}

fn reopen(draft: &Draft, output: &Path) -> Result<Source, WriteError> {
    Source::open(draft.path()).map_err(|error| WriteError::Write(output.into(), error))
}

/// Reads the manifest again, and rebuilds the input from it and the output.
fn prove(manifest: &Manifest, output: &Source, draft: &Draft, path: &Path) -> Result<(), WriteError> {
    let source = reopen(draft, path)?;
    let text = source.read_range(0, source.size().unwrap_or(0)).map_err(WriteError::Read)?;
    let read: Manifest = serde_json::from_slice(&text).map_err(|error| WriteError::Check(error.to_string()))?;
    if read != *manifest {
        return Err(WriteError::Check("the manifest reads otherwise than it was written".to_string()));
    }
    match read.restorable {
        true => Recipe::new(&read).and_then(|recipe| recipe.prove(output)).map_err(WriteError::Restore),
        false => Ok(()),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
