//! Sets of paths, given by globs that count from one folder on.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Component, Path, PathBuf};

/// Globs, and the folder that they begin at.
///
/// A glob with a slash fits a path from that folder on; one without fits a name at any depth. What fits a
/// folder fits all that is in it. `*` and `?` do not go over a slash, `**` does.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    folder: PathBuf,
    set: GlobSet,
    given: Vec<String>,
}

impl Globs {
    /// The set of what any of the globs fits.
    ///
    /// # Errors
    /// A glob that is none: which, and why.
    pub fn new(folder: &Path, globs: &[String]) -> Result<Globs, (String, String)> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            for glob in compile(glob).map_err(|why| (glob.clone(), why))? {
                set.add(glob);
            }
        }
        let set = set.build().map_err(|error| (String::new(), error.kind().to_string()))?;
        Ok(Globs { folder: normal(folder), set, given: globs.to_vec() })
    }

    /// The globs as they were given.
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// Whether a path, absolute or from the current folder on, is in the set.
    pub fn fit(&self, path: &Path) -> bool {
        if self.set.is_empty() {
            return false;
        }
        let path = normal(path);
        match path.strip_prefix(&self.folder) {
            Ok(below) => self.set.is_match(below),
            // perhaps it is there by another name
            Err(_) => match (path.canonicalize(), self.folder.canonicalize()) {
                (Ok(path), Ok(folder)) => path.strip_prefix(folder).is_ok_and(|below| self.set.is_match(below)),
                _ => false,
            },
        }
    }
}

/// A glob, and what is below.
fn compile(given: &str) -> Result<[Glob; 2], String> {
    let anchored = given.trim_end_matches('/').contains('/');
    let plain = given.strip_prefix("./").unwrap_or(given);
    let plain = plain.strip_prefix('/').unwrap_or(plain).trim_end_matches('/');
    if plain.is_empty() {
        return Err("it is empty".to_string());
    }
    let glob = if anchored { plain.to_string() } else { format!("**/{plain}") };
    let build =
        |glob: &str| GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| error.kind().to_string());
    Ok([build(&glob)?, build(&format!("{glob}/**"))?])
}

/// An absolute path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let full = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut normal = PathBuf::new();
    for part in full.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(glob: &str, path: &str) -> bool {
        Globs::new(Path::new("/project"), &[glob.to_string()]).expect("a glob").fit(Path::new(path))
    }

    #[test]
    fn names_fit_at_any_depth_and_paths_from_the_folder_on() {
        for (glob, inside) in [
            ("tmp", "tmp/a.jsonl"),
            ("tmp", "x/tmp/y/a.jsonl"),
            ("tmp/", "x/tmp/a.jsonl"),
            ("*.old.jsonl", "x/y/a.old.jsonl"),
            ("x/*.jsonl", "x/a.jsonl"),
            ("./x", "x/y/a.jsonl"),
            ("/tmp", "tmp/a.jsonl"),
            ("x/**", "x/y/a.jsonl"),
            ("**/y/*.jsonl", "x/y/a.jsonl"),
            ("{a,b}.jsonl", "x/b.jsonl"),
        ] {
            assert!(fits(glob, &format!("/project/{inside}")), "{glob} {inside}");
        }
        for (glob, outside) in [
            ("tmp", "tmpx/a.jsonl"),
            ("x/*.jsonl", "x/y/a.jsonl"),
            ("x/*.jsonl", "y/x/a.jsonl"),
            ("/tmp", "x/tmp/a.jsonl"),
            ("*.old.jsonl", "a.jsonl"),
        ] {
            assert!(!fits(glob, &format!("/project/{outside}")), "{glob} {outside}");
        }
        assert!(fits("tmp", "/project/x/../tmp/./a.jsonl"));
        assert!(!fits("tmp", "/elsewhere/tmp/a.jsonl"));
    }

    #[test]
    fn an_empty_folder_is_the_current_one() {
        let here = std::env::current_dir().expect("a folder");
        let globs = Globs::new(Path::new(""), &["x/*".into()]).expect("a glob");
        assert!(globs.fit(Path::new("x/a")) && globs.fit(&here.join("x/a")) && !globs.fit(Path::new("/x/a")));
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        for glob in ["", "/", "a[", "{a"] {
            let (given, why) = Globs::new(Path::new("/"), &["x".into(), glob.into()]).expect_err("no glob");
            assert!(given == glob && !why.is_empty(), "{glob}");
        }
    }
}
