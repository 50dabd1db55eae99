//! Who was forked from whom, by what the headers say.
//!
//! A header names the session that it was forked from by its path, by its id in some forks of pi. Stores are
//! moved and copied, so a path that leads nowhere is looked up by its last part, and by the id in it.

use super::heads::Head;
use crate::dialect::file_name;
use crate::session::graph;
use crate::source::inputs::Input;
use hashbrown::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// What a session says it was forked from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It names none.
    None,
    /// A file among the inputs.
    Input(u32, By),
    /// A file that is there, but not among the inputs.
    Elsewhere,
    /// What it names is not found.
    Missing,
}

/// By what a session was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// It stands where the path says.
    Path,
    /// A file of that name stands elsewhere.
    Name,
    /// It has that id.
    Id,
}

/// The inputs of one name: the first two, and how many there are.
#[derive(Clone, Copy)]
struct Named {
    first: u32,
    second: Option<u32>,
    count: u32,
}

/// The inputs by path, name and id.
pub struct Links {
    inputs: Arc<[Input]>,
    heads: Vec<Head>,
    by_path: HashMap<PathBuf, u32>,
    by_name: HashMap<OsString, Named>,
    by_id: HashMap<String, u32>,
    /// For each input the members of the loop that it is in, if it is in one.
    loop_of: HashMap<u32, usize>,
    loops: Vec<Vec<u32>>,
}

impl Links {
    /// Reads the headers of all inputs, in so many threads.
    pub fn read(inputs: &Arc<[Input]>, threads: usize) -> Links {
        let mut heads: Vec<Head> = vec![Head::default(); inputs.len()];
        let share = inputs.len().div_ceil(threads.max(1)).max(1);
        // threads of their own: one that waits for this must not be given a part of it to do
        thread::scope(|scope| {
            for (inputs, heads) in inputs.chunks(share).zip(heads.chunks_mut(share)) {
                scope.spawn(move || {
                    for (input, head) in inputs.iter().zip(heads) {
                        *head = input.path().and_then(|path| Head::read(path).ok()).unwrap_or_default();
                    }
                });
            }
        });
        Links::new(inputs, heads)
    }

    /// The links of inputs with these headers, one each.
    pub fn new(inputs: &Arc<[Input]>, heads: Vec<Head>) -> Links {
        let mut links = Links {
            inputs: Arc::clone(inputs),
            heads: Vec::new(),
            by_path: HashMap::with_capacity(inputs.len()),
            by_name: HashMap::with_capacity(inputs.len()),
            by_id: HashMap::new(),
            loop_of: HashMap::new(),
            loops: Vec::new(),
        };
        for (n, input) in (0..).zip(&inputs[..]) {
            let Some(path) = input.path() else { continue };
            links.by_path.entry(plain(path)).or_insert(n);
            let named = links.by_name.entry_ref(path.file_name().unwrap_or_default());
            let named = named.or_insert(Named { first: n, second: None, count: 0 });
            named.count += 1;
            if named.count == 2 {
                named.second = Some(n);
            }
        }
        let is_leftover = |n: &u32| matches!(inputs[*n as usize], Input::File { leftover: true, .. });
        // a session itself goes before what is left of its rewriting
        let mut order: Vec<u32> = (0..inputs.len() as u32).collect();
        order.sort_by_key(is_leftover);
        for n in order {
            let id = heads[n as usize].id.clone().or_else(|| id_in_name(inputs[n as usize].path()?));
            if let Some(id) = id {
                links.by_id.entry(id).or_insert(n);
            }
        }
        links.heads = heads;
        let parents: Vec<Option<u32>> = (0..inputs.len() as u32).map(|n| links.parent(n)).collect();
        links.loops = graph::loops(inputs.len(), |n| parents[n as usize]);
        for (at, members) in links.loops.iter().enumerate() {
            links.loop_of.extend(members.iter().map(|n| (*n, at)));
        }
        links
    }

    /// What the header of an input says.
    pub fn head(&self, n: u32) -> &Head {
        &self.heads[n as usize]
    }

    /// The input that an input says it was forked from.
    fn parent(&self, n: u32) -> Option<u32> {
        match self.origin(n) {
            Origin::Input(parent, _) => Some(parent),
            _ => None,
        }
    }

    /// What an input was forked from.
    pub fn origin(&self, n: u32) -> Origin {
        match &self.heads[n as usize].parent {
            Some(parent) => self.find(n, parent),
            None => Origin::None,
        }
    }

    /// The members of the loop that an input is in: sessions that name each other as parents.
    pub fn loop_of(&self, n: u32) -> Option<&[u32]> {
        self.loop_of.get(&n).map(|at| &self.loops[*at][..])
    }

    /// What a session names that is the input `me`.
    pub fn find(&self, me: u32, named: &str) -> Origin {
        if self.heads[me as usize].id.as_deref() == Some(named) {
            return Origin::Input(me, By::Id);
        }
        if let Some(found) = self.by_id.get(named) {
            return Origin::Input(*found, By::Id);
        }
        let folder = self.inputs[me as usize].path().and_then(Path::parent).unwrap_or(Path::new(""));
        let path = plain(&folder.join(named));
        if let Some(found) = self.by_path.get(&path) {
            return Origin::Input(*found, By::Path);
        }
        // the path may come from another system
        let name = named.rsplit(['/', '\\']).next().unwrap_or_default();
        let near = self.by_path.get(&plain(&folder.join(name)));
        if let Some(found) = near.filter(|found| **found != me) {
            return Origin::Input(*found, By::Name);
        }
        let id = id_in_name(Path::new(name));
        if let Some(found) = self.by_file_name(me, name, id.is_some()) {
            return Origin::Input(found, By::Name);
        }
        if let Some(found) = id.and_then(|id| self.by_id.get(&id)).filter(|found| **found != me) {
            return Origin::Input(*found, By::Id);
        }
        if is_local(&path) && path.is_file() { Origin::Elsewhere } else { Origin::Missing }
    }

    /// The one other file of that name. A name that holds no id is no proof where several have it.
    fn by_file_name(&self, me: u32, name: &str, has_id: bool) -> Option<u32> {
        let named = self.by_name.get(OsStr::new(name))?;
        let own = self.inputs[me as usize].path().and_then(Path::file_name) == Some(OsStr::new(name));
        let other = if named.first == me { named.second } else { Some(named.first) };
        other.filter(|_| has_id || named.count - u32::from(own) == 1)
    }
}

/// A path from the root on, with its dots resolved as far as that can be done without asking for links.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_default().components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The session id in a file's name, as pi gives them.
fn id_in_name(path: &Path) -> Option<String> {
    file_name::parse(path.file_name()?.to_str()?).map(|name| name.id)
}

/// Whether a path that stands in a file may be asked for: on another machine nothing is.
fn is_local(path: &Path) -> bool {
    #[cfg(windows)]
    {
        use std::path::Prefix;
        match path.components().next() {
            Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)),
            _ => true,
        }
    }
    #[cfg(not(windows))]
    !path.as_os_str().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(paths: &[&str]) -> Arc<[Input]> {
        let file = |path: &&str| Input::File {
            path: path.into(),
            display: path.to_string(),
            named: false,
            leftover: path.ends_with(".bak"),
        };
        paths.iter().map(file).collect()
    }

    /// Headers from `id parent`, either of them `-` for none.
    fn heads(all: &[&str]) -> Vec<Head> {
        let word = |word: Option<&str>| word.filter(|word| *word != "-").map(str::to_string);
        all.iter().map(|both| Head { id: word(both.split(' ').next()), parent: word(both.split(' ').nth(1)) }).collect()
    }

    const NAMED: &str = "2026-01-02T03-04-05-000Z_019b0000-0000-7000-8000-000000000001.jsonl";

    #[test]
    fn parents_are_found_by_path_name_and_id() {
        let named = format!("/s/p/{NAMED}");
        let inputs = inputs(&["/s/a.jsonl", "/s/b.jsonl", "/s/p/a.jsonl", "/s/p/b.jsonl", &named, "/s/a.jsonl.bak"]);
        let links = Links::new(&inputs, heads(&["A /s/b.jsonl", "B", "-", "D", "-", "A"]));
        assert_eq!(links.origin(0), Origin::Input(1, By::Path));
        assert_eq!(links.origin(1), Origin::None);
        for (parent, found) in [
            ("a.jsonl", Origin::Input(2, By::Path)),
            ("../a.jsonl", Origin::Input(0, By::Path)),
            ("/old/place/a.jsonl", Origin::Input(2, By::Name)),
            ("C:\\old\\place\\a.jsonl", Origin::Input(2, By::Name)),
            ("A", Origin::Input(0, By::Id)),
            ("D", Origin::Input(3, By::Id)),
            (&format!("/old/{NAMED}"), Origin::Input(4, By::Name)),
            ("019b0000-0000-7000-8000-000000000001", Origin::Input(4, By::Id)),
            ("/no/such/c.jsonl", Origin::Missing),
            ("", Origin::Missing),
        ] {
            assert_eq!(links.find(3, parent), found, "{parent}");
        }
        // of two files elsewhere none is meant more than the other
        assert_eq!(links.find(4, "/old/x/../b.jsonl"), Origin::Input(3, By::Name), "the one in the same folder");
        let own = std::env::current_exe().expect("a program");
        assert_eq!(links.find(0, &own.to_string_lossy()), Origin::Elsewhere);
    }

    #[test]
    fn a_name_without_an_id_proves_little() {
        let inputs = inputs(&["/s/a/x.jsonl", "/s/b/x.jsonl", "/s/c/y.jsonl", "/s/d/z.jsonl"]);
        let links = Links::new(&inputs, heads(&["-", "-", "-", "-"]));
        assert_eq!(links.find(2, "/old/x.jsonl"), Origin::Missing);
        assert_eq!(links.find(2, "/old/z.jsonl"), Origin::Input(3, By::Name));
        assert_eq!(links.find(2, "/old/y.jsonl"), Origin::Missing, "a session is not found by its own name");
    }

    #[test]
    fn loops_are_found() {
        let inputs = inputs(&["/s/a.jsonl", "/s/b.jsonl", "/s/c.jsonl", "/s/d.jsonl", "/s/e.jsonl"]);
        let links = Links::new(&inputs, heads(&["A /s/b.jsonl", "B A", "C /s/b.jsonl", "D D", "E /s/e.jsonl"]));
        let mut members = links.loop_of(0).expect("a loop").to_vec();
        members.sort_unstable();
        assert_eq!(members, [0, 1]);
        assert_eq!(links.loop_of(0), links.loop_of(1));
        assert_eq!(links.loop_of(2), None);
        assert_eq!((links.loop_of(3), links.loop_of(4)), (Some(&[3][..]), Some(&[4][..])));
    }

    #[test]
    fn a_chain_of_many_forks() {
        let paths: Vec<String> = (0..20_000).map(|n| format!("/s/{n}.jsonl")).collect();
        let inputs = inputs(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        let stated: Vec<String> = (0..20_000).map(|n| format!("{n} {}", (n + 1) % 20_000)).collect();
        let links = Links::new(&inputs, heads(&stated.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(links.loop_of(7).map(<[u32]>::len), Some(20_000));
    }
}
