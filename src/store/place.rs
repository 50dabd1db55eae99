//! Where sessions are kept, and what their files are called, as pi does it.

use super::Error;
use crate::session::scan::scan;
use crate::session::view::{Reader, View};
use crate::source::{Source, inputs};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// The file name of a session: `2026-01-31T12-00-00-000Z_<id>.jsonl`. The time is the header's, as ISO 8601.
pub fn file_name(timestamp: &str, id: &str) -> String {
    format!("{}_{id}.jsonl", timestamp.replace([':', '.'], "-"))
}

/// The folder in which pi keeps the sessions of a working directory:
/// `~/.pi/agent/sessions/--home-me-project--`. `PI_CODING_AGENT_DIR` moves the store;
/// `PI_CODING_AGENT_SESSION_DIR` is one folder for all directories. `None` without a home folder.
pub fn default_folder(cwd: &Path) -> Option<PathBuf> {
    let store = inputs::store()?;
    Some(if is_shared() { store } else { store.join(folder_name(&absolute(cwd))) })
}

/// Whether the default folder is one for all working directories.
fn is_shared() -> bool {
    std::env::var_os("PI_CODING_AGENT_SESSION_DIR").is_some_and(|folder| !folder.is_empty())
}

/// `/home/me/project` as `--home-me-project--`.
fn folder_name(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let path = path.strip_prefix(['/', '\\']).unwrap_or(&path);
    format!("--{}--", path.replace(['/', '\\', ':'], "-"))
}

/// A path from the root on, without `.` and `..`; links are not looked up.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Whether pi takes this for the id of a session: letters and digits, inside also `-`, `_` and `.`.
pub fn is_session_id(id: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let ends = [id.chars().next(), id.chars().last()];
    id.chars().all(inner) && ends.iter().all(|c| c.is_some_and(|c| c.is_ascii_alphanumeric()))
}

/// A session file in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// The working directory, where the header has one.
    pub cwd: Option<PathBuf>,
    /// When the file was last written to.
    pub modified: SystemTime,
}

/// The sessions in a folder, the one that was written to last first; of one working directory, if `cwd` is
/// given. Files that are not called `*.jsonl`, or that pi would not open, are left out. A folder that is not
/// there has none. Of each file only the header is read.
///
/// # Errors
/// The folder cannot be listed.
pub fn list(folder: &Path, cwd: Option<&Path>) -> io::Result<Vec<Listed>> {
    let mut found: Vec<Listed> =
        files(folder)?.into_iter().filter_map(|(path, modified)| listed(path, modified, cwd)).collect();
    found.sort_by(newest_first(|session: &Listed| (session.modified, session.path.clone())));
    Ok(found)
}

/// The session in a folder that was written to last; of one working directory, if `cwd` is given. What was
/// said of [`list`] holds here too, but no more files are read than need be.
///
/// # Errors
/// The folder cannot be listed.
pub fn most_recent(folder: &Path, cwd: Option<&Path>) -> io::Result<Option<Listed>> {
    let mut files = files(folder)?;
    files.sort_by(newest_first(|(path, modified): &(PathBuf, SystemTime)| (*modified, path.clone())));
    Ok(files.into_iter().find_map(|(path, modified)| listed(path, modified, cwd)))
}

fn newest_first<T, K: Ord>(key: impl Fn(&T) -> K) -> impl Fn(&T, &T) -> std::cmp::Ordering {
    move |a, b| key(b).cmp(&key(a))
}

/// The files that are called `*.jsonl`, and when they were written to.
fn files(folder: &Path) -> io::Result<Vec<(PathBuf, SystemTime)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let named = entries.filter_map(Result::ok).map(|entry| entry.path());
    let named = named.filter(|path| path.as_os_str().as_encoded_bytes().ends_with(b".jsonl"));
    let file = |path: PathBuf| {
        let metadata = path.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((path, metadata.modified().ok()?))
    };
    Ok(named.filter_map(file).collect())
}

fn listed(path: PathBuf, modified: SystemTime, cwd: Option<&Path>) -> Option<Listed> {
    let (id, own) = head(&path)?;
    let own = own.filter(|own| !own.is_empty()).map(PathBuf::from);
    let wanted = |cwd: &Path| own.as_deref().is_some_and(|own| absolute(own) == absolute(cwd));
    cwd.is_none_or(wanted).then_some(Listed { path, id, cwd: own, modified })
}

/// How many bytes of a file are looked at for its header: these, and if that is not enough, these.
const HEADS: [u64; 2] = [16 << 10, 1 << 20];

/// The id and the working directory in a file's header, if pi finds one.
fn head(path: &Path) -> Option<(String, Option<String>)> {
    HEADS.iter().find_map(|size| {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(*size).read_to_end(&mut bytes).ok()?;
        if bytes.is_empty() {
            return None;
        }
        let source = Source::bytes(bytes);
        let (session, ()) = scan(&source, &Default::default()).ok()?;
        View::new(&source, &session, Reader::Pi).ok()?;
        let header = session.header.as_ref()?;
        Some((header.text("id")?.to_string(), header.text("cwd").map(str::to_string)))
    })
}

/// The folder for the sessions of a working directory, and whether others keep theirs there too.
pub(super) fn folder_of(cwd: &Path, given: Option<&Path>) -> Result<(PathBuf, bool), Error> {
    let default = default_folder(cwd);
    match given {
        Some(folder) => {
            Ok((folder.into(), default.is_none_or(|own| is_shared() || absolute(&own) != absolute(folder))))
        }
        None => default.map(|folder| (folder, is_shared())).ok_or(Error::NoFolder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_named_as_pi_names_them() {
        assert_eq!(folder_name(Path::new("/home/me/a.b c")), "--home-me-a.b c--");
        assert_eq!(folder_name(Path::new("/")), "----");
        assert_eq!(folder_name(Path::new("C:\\work")), "--C--work--");
        assert_eq!(file_name("2026-01-31T12:00:00.000Z", "a.b"), "2026-01-31T12-00-00-000Z_a.b.jsonl");
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_absolute_without_dots() {
        assert_eq!(absolute(Path::new("/a/./b/../c/")), Path::new("/a/c"));
        assert_eq!(absolute(Path::new("/../a")), Path::new("/a"));
    }
}
