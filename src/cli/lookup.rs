//! A session by its id, the beginning of it, or `latest`: looked up in pi's own store.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use walkdir::WalkDir;

/// The word for the session that was written to last.
pub(super) const LATEST: &str = "latest";

/// Why no session was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LookupError {
    /// Nothing by that name; the store that was searched, where there is one.
    Unknown(Option<PathBuf>),
    /// Several ids begin so: how many, and the first of the files.
    Ambiguous(usize, Vec<PathBuf>),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::Unknown(Some(store)) => {
                write!(f, "neither a file, nor the id of a session in pi's store '{}'", store.display())
            }
            LookupError::Unknown(None) => {
                f.write_str("no such file, and there is no store of pi's to look for a session")
            }
            LookupError::Ambiguous(count, files) => {
                let names: Vec<String> = files.iter().map(|file| format!("'{}'", file.display())).collect();
                let more = if *count > files.len() { ", …" } else { "" };
                write!(f, "{count} sessions have ids that begin so: {}{more}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for LookupError {}

/// How many files a message lists.
const MOST_NAMED: usize = 5;

/// How many bytes of a file are looked at for its header's id.
const HEAD: u64 = 16 << 10;

/// The file of a session in `store`.
///
/// # Errors
/// None has that id, or several have ids that begin so.
pub(super) fn find(store: Option<&Path>, name: &str) -> Result<PathBuf, LookupError> {
    let unknown = || LookupError::Unknown(store.map(Path::to_path_buf));
    let Some(folder) = store.filter(|store| store.is_dir() && !name.is_empty()) else { return Err(unknown()) };
    let files = sessions(folder);
    if name == LATEST {
        return files.into_iter().max_by_key(|file| modified(file)).ok_or_else(unknown);
    }
    // a file is named after its session; one that was renamed still tells its id inside
    for id_of in [id_in_name, id_in_header] {
        let named: Vec<(String, &PathBuf)> = files.iter().filter_map(|f| Some((id_of(f)?, f))).collect();
        let mut fits: Vec<&PathBuf> = named.iter().filter(|(id, _)| id == name).map(|(_, f)| *f).collect();
        if fits.is_empty() {
            fits = named.iter().filter(|(id, _)| id.starts_with(name)).map(|(_, f)| *f).collect();
        }
        match fits[..] {
            [] => {}
            [file] => return Ok(file.clone()),
            _ => return Err(LookupError::Ambiguous(fits.len(), fits.into_iter().take(MOST_NAMED).cloned().collect())),
        }
    }
    Err(unknown())
}

/// Every `*.jsonl` below, sorted by path.
fn sessions(folder: &Path) -> Vec<PathBuf> {
    let found = WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let files = found.filter(|e| e.file_type().is_file() && e.file_name().as_encoded_bytes().ends_with(b".jsonl"));
    let mut files: Vec<PathBuf> = files.map(walkdir::DirEntry::into_path).collect();
    files.sort();
    files
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// What stands behind the `_` of `<time>_<id>.jsonl`.
fn id_in_name(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    stem.split_once('_').map(|(_, id)| id.to_string())
}

/// The id in the header, if that is short and the first line.
fn id_in_header(file: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let line = head.split(|b| *b == b'\n').next()?;
    let mut scanner = crate::json::Scanner::new();
    scanner.scan(line, 0).ok()?;
    crate::record::Record::new(line, &scanner).text(b"id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::disallowed_methods, reason = "tests make their own files")]
    fn store(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder for the test");
        std::fs::create_dir(folder.path().join("--project--")).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join("--project--").join(name), text).expect("a file");
        }
        folder
    }

    #[test]
    fn sessions_are_found_by_id_and_beginning() {
        let store = store(&[
            ("2026-01-01T00-00-00-000Z_abc1.jsonl", ""),
            ("2026-01-02T00-00-00-000Z_abd2.jsonl", ""),
            ("renamed.jsonl", "{\"type\":\"session\",\"id\":\"zzz9\"}\n"),
        ]);
        let name = |name: &str| {
            let found = find(Some(store.path()), name)?;
            Ok::<_, LookupError>(found.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default())
        };
        assert_eq!(name("abc"), Ok("2026-01-01T00-00-00-000Z_abc1.jsonl".to_string()));
        assert_eq!(name("zz"), Ok("renamed.jsonl".to_string()));
        assert!(matches!(name("ab"), Err(LookupError::Ambiguous(2, _))));
        assert!(matches!(name("nope"), Err(LookupError::Unknown(Some(_)))));
        assert!(name(LATEST).is_ok());
        assert!(matches!(find(None, "abc"), Err(LookupError::Unknown(None))));
    }
}
