//! Files that this program made of others in the same run: what both hold is to be counted once.

use crate::edit::manifest::File;
use crate::edit::manifest_path;
use crate::rules::check::has_manifest;
use crate::session::kin::heads::Head;
use crate::source::inputs::Input;
use hashbrown::HashMap;
use serde::Deserialize;
use std::ffi::OsStr;
use std::io::BufReader;
use std::path::Path;

/// What is said of such a file.
pub const WHAT: &str = "sesstool made it of a file that is counted; name it to count it, too";

/// What a manifest says of where a file comes from; the edits are passed over.
#[derive(Deserialize)]
struct Origin {
    restorable: bool,
    input: File,
    output: File,
}

/// Which of the inputs are not counted: those that were met in a folder, whose manifest stands beside them, and
/// the original of which is among the inputs, too. A fork is a session of its own. An output that was written to
/// since then has entries that the original lacks; one that took the place of the original is all there is.
pub fn made_of_others(inputs: &[Input]) -> Vec<bool> {
    let made = |input: &Input| match input {
        Input::File { path, named: false, .. } if has_manifest(path) => origin(path),
        _ => None,
    };
    let origins: Vec<Option<Origin>> = inputs.iter().map(made).collect();
    if origins.iter().all(Option::is_none) {
        return vec![false; inputs.len()];
    }
    let mut named: HashMap<&OsStr, Vec<usize>> = HashMap::new();
    for (n, input) in inputs.iter().enumerate() {
        if let Some(name) = input.path().and_then(Path::file_name) {
            named.entry(name).or_default().push(n);
        }
    }
    let is_made = |(n, origin): (usize, &Option<Origin>)| {
        let (Some(origin), Some(own)) = (origin, inputs[n].path()) else { return false };
        let others = named.get(OsStr::new(&origin.input.name)).into_iter().flatten().filter(|other| **other != n);
        others.filter_map(|other| inputs[*other].path()).any(|other| is_origin(other, own, origin))
    };
    origins.iter().enumerate().map(is_made).collect()
}

/// Reads where a file comes from; `None` if it is no longer what was written, or is to be counted anyway.
fn origin(path: &Path) -> Option<Origin> {
    let manifest = std::fs::File::open(manifest_path(path)).ok()?;
    let origin: Origin = serde_json::from_reader(BufReader::new(manifest)).ok()?;
    let size = path.metadata().ok()?.len();
    (origin.restorable && size == origin.output.digest.size).then_some(origin)
}

/// Whether a file of the right name is the original: as large as it was, or the same session, which may have grown.
fn is_origin(other: &Path, own: &Path, origin: &Origin) -> bool {
    let id = |path: &Path| Head::read(path).ok().and_then(|head| head.id);
    other.metadata().is_ok_and(|metadata| metadata.len() == origin.input.digest.size)
        || id(other).is_some_and(|other| id(own) == Some(other))
}
