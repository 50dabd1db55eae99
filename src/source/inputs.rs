//! Which files to read: paths as given, folders walked, lists, standard input, pi's own store.
//!
//! What cannot be found is an item in its place, so that the rest goes on; only a list that cannot be
//! read ends the job, because then nobody knows what was meant.

use hashbrown::HashMap;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// One thing to read, or the news that it is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File {
        /// Where it is.
        path: PathBuf,
        /// The path for reports; bytes that are not UTF-8 are replaced.
        display: String,
        /// Given by its name, rather than met in a folder.
        named: bool,
        /// Met in a folder, and called like what an interrupted rewrite leaves behind.
        leftover: bool,
    },
    /// Standard input.
    Stdin,
    /// A path that is not there, or a folder that cannot be listed.
    Error {
        /// The path as it would be shown.
        path: String,
        /// What happened.
        message: String,
    },
}

impl Input {
    fn file(path: PathBuf, named: bool, leftover: bool) -> Self {
        let display = path.to_string_lossy().into_owned();
        Input::File { path, display, named, leftover }
    }

    /// Where it is, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File { path, .. } => Some(path),
            _ => None,
        }
    }

    fn error(path: &Path, message: impl Into<String>) -> Self {
        Input::Error { path: path.to_string_lossy().into_owned(), message: message.into() }
    }
}

/// What a command line asks to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The files in order.
    pub list: Vec<Input>,
    /// pi's own store, where that was read because nothing was named.
    pub store: Option<PathBuf>,
    /// Folders that hold no `*.jsonl`.
    pub empty: Vec<PathBuf>,
    /// Folders that hold none but, perhaps, in what is excluded.
    pub excluded: Vec<PathBuf>,
    /// Whether a folder was among them.
    pub folder: bool,
    /// Whether leftovers are read as well.
    leftovers: bool,
}

/// Why nothing at all can be read.
#[derive(Debug)]
pub enum InputsError {
    /// The list of files cannot be read.
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input is asked for as a session and as the list.
    StdinTwice,
    /// Standard input is asked for as a session more than once.
    StdinRepeated,
    /// Nothing was named, and this store is not there (or not even its place is known).
    NoStore(Option<PathBuf>),
}

impl fmt::Display for InputsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputsError::List { path, source } => {
                write!(f, "cannot read the list '{}': {}", path.display(), reason(source))
            }
            InputsError::StdinTwice => {
                f.write_str("standard input cannot be both a session and the list of files; put the list into a file")
            }
            InputsError::StdinRepeated => {
                f.write_str("standard input is named more than once ('-'), but holds one session; name it once")
            }
            InputsError::NoStore(Some(store)) => {
                write!(
                    f,
                    "no path given, and pi's session store '{}' does not exist; name a file or a folder",
                    store.display()
                )
            }
            InputsError::NoStore(None) => f.write_str(
                "no path given, and no home folder is known to look for pi's sessions; name a file or a folder",
            ),
        }
    }
}

impl std::error::Error for InputsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InputsError::List { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The files that the paths name, then those that the list `files_from` names (`-`: standard input); a file that
/// several of them lead to is taken once, as it is called first. Without either, those of pi's own store.
///
/// # Errors
/// The list cannot be read, standard input is asked for twice, or there is nothing to fall back on.
pub fn collect(paths: &[PathBuf], files_from: Option<&Path>) -> Result<Inputs, InputsError> {
    collect_except(paths, files_from, &|_| false, false)
}

/// The same without what `excluded` says so of: in folders, and also of what is named itself if `forced`.
///
/// # Errors
/// As for [`collect`].
pub fn collect_except(
    paths: &[PathBuf],
    files_from: Option<&Path>,
    excluded: &dyn Fn(&Path) -> bool,
    forced: bool,
) -> Result<Inputs, InputsError> {
    Inputs::default().collect(paths, files_from, excluded, forced)
}

/// The same, and in folders also what interrupted rewrites leave behind: `*.tmp` and `*.bak`, hidden or not.
///
/// # Errors
/// As for [`collect`].
pub fn collect_with_leftovers(
    paths: &[PathBuf],
    files_from: Option<&Path>,
    excluded: &dyn Fn(&Path) -> bool,
    forced: bool,
) -> Result<Inputs, InputsError> {
    Inputs { leftovers: true, ..Inputs::default() }.collect(paths, files_from, excluded, forced)
}

impl Inputs {
    fn collect(
        mut self,
        paths: &[PathBuf],
        files_from: Option<&Path>,
        excluded: &dyn Fn(&Path) -> bool,
        forced: bool,
    ) -> Result<Inputs, InputsError> {
        let mut seen = Seen::default();
        let mut add = |inputs: &mut Inputs, path: &Path| {
            if !(forced && !is_stdin(path) && excluded(path)) {
                inputs.add(path, excluded, &mut seen);
            }
        };
        match files_from {
            None if paths.is_empty() => {
                let store = existing(store())?;
                self.add(&store, excluded, &mut seen);
                self.store = Some(store);
            }
            None => {
                stdin_once(paths.iter())?;
                paths.iter().for_each(|path| add(&mut self, path));
            }
            Some(list) => {
                let listed = read_list(list)?;
                if is_stdin(list) && paths.iter().chain(&listed).any(|path| is_stdin(path)) {
                    return Err(InputsError::StdinTwice);
                }
                stdin_once(paths.iter().chain(&listed))?;
                paths.iter().chain(&listed).for_each(|path| add(&mut self, path));
            }
        }
        Ok(self)
    }

    fn add(&mut self, path: &Path, excluded: &dyn Fn(&Path) -> bool, seen: &mut Seen) {
        if is_stdin(path) {
            return self.list.push(Input::Stdin);
        }
        let real = path.canonicalize().unwrap_or_else(|_| path.into());
        match path.metadata() {
            Ok(found) if found.is_dir() => self.add_folder(path, &real, excluded, seen),
            Ok(_) => self.push(Input::file(path.into(), true, false), real, seen),
            Err(error) => self.push(Input::error(path, format!("cannot open: {}", reason(&error))), real, seen),
        }
    }

    /// Adds an input that is really `real`, unless it is there already: then it keeps its place and its name.
    fn push(&mut self, input: Input, real: PathBuf, seen: &mut Seen) {
        let place = *seen.entry(real).or_insert(self.list.len());
        if place == self.list.len() {
            return self.list.push(input);
        }
        // what was met in a folder may be named after that
        if let (Input::File { named, leftover, .. }, Input::File { named: true, .. }) = (&mut self.list[place], &input)
        {
            (*named, *leftover) = (true, false);
        }
    }

    /// Every `*.jsonl` below, and what cannot be listed, sorted by the bytes of the path.
    fn add_folder(&mut self, folder: &Path, real: &Path, excluded: &dyn Fn(&Path) -> bool, seen: &mut Seen) {
        self.folder = true;
        let walk = WalkDir::new(folder).into_iter();
        // an excluded folder is not entered; the one that was named is
        let left_out = Cell::new(false);
        let walk = walk.filter_entry(|entry| {
            if entry.depth() == 0 || !excluded(entry.path()) {
                return true;
            }
            let counts = entry.file_type().is_dir() || entry.file_name().as_encoded_bytes().ends_with(b".jsonl");
            left_out.set(left_out.get() || counts);
            false
        });
        let mut found: Vec<(PathBuf, Input)> = walk.filter_map(|step| met(step, self.leftovers)).collect();
        found.sort_by(|(a, _), (b, _)| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        if found.iter().all(|(_, input)| matches!(input, Input::File { leftover: true, .. })) {
            let list = if left_out.get() { &mut self.excluded } else { &mut self.empty };
            list.push(folder.into());
        }
        for (path, input) in found {
            // the walk follows no links
            let real = path.strip_prefix(folder).map_or_else(|_| path.clone(), |below| real.join(below));
            self.push(input, real, seen);
        }
    }
}

/// The places of what is in the list, by their paths without links.
type Seen = HashMap<PathBuf, usize>;

fn stdin_once<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Result<(), InputsError> {
    if paths.filter(|path| is_stdin(path)).count() > 1 { Err(InputsError::StdinRepeated) } else { Ok(()) }
}

/// What one step of the walk gives to read, if anything.
fn met(step: walkdir::Result<walkdir::DirEntry>, leftovers: bool) -> Option<(PathBuf, Input)> {
    match step {
        Ok(entry) => {
            let name = entry.file_name().as_encoded_bytes();
            let leftover = leftovers && is_leftover(name);
            let wanted = entry.file_type().is_file() && (leftover || name.ends_with(b".jsonl"));
            wanted.then(|| (entry.path().into(), Input::file(entry.into_path(), false, leftover)))
        }
        Err(error) => {
            let path = error.path().unwrap_or(Path::new("")).to_path_buf();
            let why = error.io_error().map_or_else(|| error.to_string(), reason);
            let input = Input::error(&path, format!("cannot list the folder: {why}"));
            Some((path, input))
        }
    }
}

/// Whether a file is called like what an interrupted rewrite leaves behind.
fn is_leftover(name: &[u8]) -> bool {
    let ending = name.len().checked_sub(4).map(|at| &name[at..]);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b".tmp") || ending.eq_ignore_ascii_case(b".bak"))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An I/O error in words, without the number of the system call's result.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn read_list(list: &Path) -> Result<Vec<PathBuf>, InputsError> {
    let mut bytes = Vec::new();
    let read = match is_stdin(list) {
        true => io::stdin().lock().read_to_end(&mut bytes),
        false => std::fs::File::open(list).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|source| InputsError::List { path: list.into(), source })?;
    Ok(parse_list(&bytes))
}

/// The paths of a list: separated by NULs if it holds one, else lines (LF or CRLF); blank ones are skipped.
fn parse_list(bytes: &[u8]) -> Vec<PathBuf> {
    let nul = bytes.contains(&0);
    let separator = if nul { 0 } else { b'\n' };
    let items = bytes.split(|&b| b == separator);
    let items = items.map(|item| if nul { item } else { item.strip_suffix(b"\r").unwrap_or(item) });
    items.filter(|item| !item.trim_ascii().is_empty()).map(path_of).collect()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Where pi keeps its sessions, as pi itself decides it; `None` without a home folder.
fn own_store(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(sessions) = set("PI_CODING_AGENT_SESSION_DIR") {
        return Some(at_home(&sessions, home.as_deref()));
    }
    if let Some(agent) = set("PI_CODING_AGENT_DIR") {
        return Some(at_home(&agent, home.as_deref()).join("sessions"));
    }
    Some(home?.join(".pi/agent/sessions"))
}

/// A path with `~` at its start replaced; a shell does that only where it sees the `~`.
fn at_home(path: &OsStr, home: Option<&Path>) -> PathBuf {
    match (Path::new(path).strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// The folder of pi's own store, where that is known; it need not exist.
pub fn store() -> Option<PathBuf> {
    own_store(|name| std::env::var_os(name), std::env::home_dir())
}

/// The folder of pi's own store, and whether sessions lie in folders of projects there.
pub fn own_shelf() -> Option<(PathBuf, bool)> {
    let flat = std::env::var_os("PI_CODING_AGENT_SESSION_DIR").is_some_and(|folder| !folder.is_empty());
    Some((store()?, !flat))
}

fn existing(store: Option<PathBuf>) -> Result<PathBuf, InputsError> {
    match store {
        Some(store) if store.is_dir() => Ok(store),
        missing => Err(InputsError::NoStore(missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A folder with these files, empty ones.
    fn folder(files: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            put(&path, b"");
        }
        folder
    }

    #[allow(clippy::disallowed_methods, reason = "tests make their own files")]
    fn put(path: &Path, bytes: &[u8]) {
        std::fs::write(path, bytes).expect("a file");
    }

    /// The list in short: paths below `folder`, `!` before what is an error, `*` before what was named.
    fn short(inputs: &Inputs, folder: &Path) -> Vec<String> {
        let below = |path: &str| path.replace(&*folder.to_string_lossy(), "").trim_start_matches('/').to_string();
        let item = |input: &Input| match input {
            Input::File { display, named, .. } => format!("{}{}", if *named { "*" } else { "" }, below(display)),
            Input::Stdin => "-".into(),
            Input::Error { path, .. } => format!("!{}", below(path)),
        };
        inputs.list.iter().map(item).collect()
    }

    fn collected(folder: &TempDir, paths: &[&str]) -> Inputs {
        let paths: Vec<PathBuf> =
            paths.iter().map(|p| if *p == "-" { "-".into() } else { folder.path().join(p) }).collect();
        collect(&paths, None).expect("inputs")
    }

    #[test]
    fn folders_are_walked_and_sorted_by_the_bytes_of_the_path() {
        let folder =
            folder(&["b.jsonl", "a/z.jsonl", "a-b/x.jsonl", ".hidden/h.jsonl", "a/notes.txt", "a/X.JSONL", ".jsonl"]);
        let inputs = collected(&folder, &[""]);
        assert_eq!(short(&inputs, folder.path()), [".hidden/h.jsonl", ".jsonl", "a-b/x.jsonl", "a/z.jsonl", "b.jsonl"]);
    }

    #[test]
    fn the_order_is_kept_and_each_file_taken_once() {
        let folder = folder(&["b.txt", "a/x.jsonl", "a/y.jsonl", "a/c/z.jsonl", "a/z.jsonl.bak"]);
        let inputs = collected(&folder, &["b.txt", "gone", "a", "-", "a/x.jsonl", "./a/../b.txt", "gone", "a/c", "."]);
        let once = ["*b.txt", "!gone", "a/c/z.jsonl", "*a/x.jsonl", "a/y.jsonl", "-"];
        assert_eq!(short(&inputs, folder.path()), once);
        let paths = ["a", "a/z.jsonl.bak"].map(|path| folder.path().join(path));
        let named = collect_with_leftovers(&paths, None, &|_| false, false).expect("inputs");
        assert!(named.list.iter().all(|input| !matches!(input, Input::File { leftover: true, .. })));
        assert!(matches!(collect(&["-".into(), "-".into()], None), Err(InputsError::StdinRepeated)));
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(folder.path().join("a"), &link).expect("a link");
            let linked = collected(&folder, &["link", "a/y.jsonl", "a"]);
            assert_eq!(short(&linked, folder.path()), ["link/c/z.jsonl", "link/x.jsonl", "*link/y.jsonl"]);
        }
        let Input::Error { message, .. } = &inputs.list[1] else { panic!("an error item") };
        assert_eq!(message, "cannot open: no such file or directory");
    }

    #[test]
    fn leftovers_are_met_where_they_are_asked_for() {
        let folder = folder(&["a.jsonl", "a.jsonl.14cf.bak", ".a.jsonl.tmp", "B.TMP", "tmp", "a.jsonl.tmp.gz"]);
        assert_eq!(short(&collected(&folder, &[""]), folder.path()), ["a.jsonl"]);
        let inputs = collect_with_leftovers(&[folder.path().into()], None, &|_| false, false).expect("inputs");
        let is_leftover = |input: &&Input| matches!(input, Input::File { leftover: true, .. });
        assert_eq!(short(&inputs, folder.path()), [".a.jsonl.tmp", "B.TMP", "a.jsonl", "a.jsonl.14cf.bak"]);
        assert_eq!((inputs.list.iter().filter(is_leftover).count(), inputs.folder), (3, true));
        let named = collect_with_leftovers(&[folder.path().join("B.TMP")], None, &|_| false, false).expect("inputs");
        assert_eq!((named.list.iter().filter(is_leftover).count(), named.folder), (0, false));
    }

    #[test]
    fn empty_folders_are_told() {
        let folder = folder(&["a/notes.txt"]);
        assert_eq!(collected(&folder, &["a"]).empty, [folder.path().join("a")]);
    }

    #[test]
    fn folders_of_which_all_is_excluded_are_told_apart() {
        let folder = folder(&["a/x.jsonl", "b/c/y.jsonl", "d/notes.txt", "e/x.jsonl", "e/y.jsonl"]);
        let paths: Vec<PathBuf> = ["a", "b", "d", "e"].iter().map(|name| folder.path().join(name)).collect();
        let excluded = |path: &Path| ["x.jsonl", "c", "notes.txt"].iter().any(|name| path.ends_with(name));
        let inputs = collect_except(&paths, None, &excluded, false).expect("inputs");
        assert_eq!(inputs.excluded, paths[..2]);
        assert_eq!(inputs.empty, paths[2..3]);
        assert_eq!(inputs.list.len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_but_where_they_were_named() {
        let folder = folder(&["a/x.jsonl", "b/y.jsonl"]);
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(folder.path().join(target), folder.path().join(name)).expect("a link");
        };
        link("b", "a/folder");
        link("b/y.jsonl", "a/file.jsonl");
        link("a", "named");
        assert_eq!(short(&collected(&folder, &["a"]), folder.path()), ["a/x.jsonl"]);
        let named = short(&collected(&folder, &["named", "a/file.jsonl"]), folder.path());
        assert_eq!(named, ["named/x.jsonl", "*a/file.jsonl"]);
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_utf8() {
        let folder = folder(&[]);
        let name = path_of(b"caf\xe9.jsonl");
        put(&folder.path().join(&name), b"");
        let Input::File { path, display, .. } = &collected(&folder, &[""]).list[0] else { panic!("a file") };
        assert!(path.ends_with(&name) && display.ends_with("caf\u{fffd}.jsonl"));
    }

    #[test]
    fn lists_hold_lines_or_nuls() {
        let paths = |list: &[u8]| parse_list(list).iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
        assert_eq!(paths(b"a b\r\n\n  \nc"), ["a b", "c"]);
        assert_eq!(paths(b"a\nb\0\0c\r\0"), ["a\nb", "c\r"]);
        assert!(paths(b"").is_empty());
    }

    #[test]
    fn a_list_comes_after_the_paths() {
        let folder = folder(&["a.jsonl", "b.jsonl"]);
        let (list, b) = (folder.path().join("list"), folder.path().join("b.jsonl"));
        put(&list, format!("{}\n", folder.path().join("a.jsonl").display()).as_bytes());
        let inputs = collect(&[b], Some(&list)).expect("inputs");
        assert_eq!(short(&inputs, folder.path()), ["*b.jsonl", "*a.jsonl"]);
        put(&list, b"\n");
        assert_eq!(collect(&[], Some(&list)).expect("inputs"), Inputs::default(), "an empty list is no store");
    }

    #[test]
    fn a_missing_list_ends_the_job() {
        let error = collect(&[], Some(Path::new("/no/such/list"))).expect_err("no list");
        assert_eq!(error.to_string(), "cannot read the list '/no/such/list': no such file or directory");
        let error = collect(&["-".into()], Some(Path::new("/dev/null"))).map(|inputs| inputs.list);
        assert_eq!(error.expect("one standard input is fine"), [Input::Stdin]);
    }

    #[test]
    fn the_store_is_where_pi_looks() {
        let store = |variables: &[(&str, &str)]| {
            let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v));
            own_store(variable, Some("/home/me".into())).expect("a store").display().to_string()
        };
        assert_eq!(store(&[]), "/home/me/.pi/agent/sessions");
        assert_eq!(store(&[("PI_CODING_AGENT_DIR", "/agent")]), "/agent/sessions");
        assert_eq!(
            store(&[("PI_CODING_AGENT_DIR", "~/a"), ("PI_CODING_AGENT_SESSION_DIR", "")]),
            "/home/me/a/sessions"
        );
        assert_eq!(store(&[("PI_CODING_AGENT_DIR", "/a"), ("PI_CODING_AGENT_SESSION_DIR", "~")]), "/home/me/");
        assert_eq!(own_store(|_| None, None), None);
    }
}
