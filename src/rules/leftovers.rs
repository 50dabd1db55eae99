//! What interrupted rewrites left behind, compared with the session it belongs to (rule S005).
//!
//! All of it is looked at before anything else is checked: such files are few, and what is said of one
//! depends on the others.

use super::beside::file_name;
use super::check::{Audit, Checker};
use super::kind::FileKind;
use super::{Policy, Severity, counted, judge};
use crate::dialect::file_name::parse;
use crate::session::Shape;
use crate::session::kin::copies::{Records, Sameness, overlap};
use crate::session::kin::heads::Head;
use crate::session::scan::{random_seed, scan};
use crate::source::Source;
use crate::source::inputs::Input;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What there is to say of a leftover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What it holds beside the session, and which is the best copy.
    pub message: String,
}

/// The leftovers among the inputs.
#[derive(Debug, Default)]
pub struct Leftovers {
    told: HashMap<u32, Advice>,
}

/// Files that belong to one session of a folder.
#[derive(Debug, Default)]
struct Group {
    session: Option<u32>,
    leftovers: Vec<u32>,
}

impl Leftovers {
    /// Reads those of the inputs that are leftovers, and the sessions they belong to.
    pub fn read(inputs: &[Input]) -> Leftovers {
        let groups = groups(inputs);
        let told = groups.par_iter().flat_map_iter(|group| tell(inputs, group)).collect::<Vec<_>>();
        Leftovers { told: told.into_iter().collect() }
    }

    /// What there is to say of one; `None` if it is none, or none of a session's.
    pub fn get(&self, n: u32) -> Option<&Advice> {
        self.told.get(&n)
    }
}

/// The leftovers by the session that each belongs to: by its name, else by the id in it.
fn groups(inputs: &[Input]) -> Vec<Group> {
    let is_leftover = |input: &Input| matches!(input, Input::File { leftover: true, .. });
    if !inputs.iter().any(is_leftover) {
        return Vec::new();
    }
    let all = || (0u32..).zip(inputs).filter_map(|(n, input)| Some((n, input.path()?, is_leftover(input))));
    let sessions: HashMap<&Path, u32> = all().filter(|(.., left)| !left).map(|(n, path, _)| (path, n)).collect();
    let mut ids: HashMap<PathBuf, HashMap<String, u32>> = HashMap::new();
    let mut groups: BTreeMap<PathBuf, Group> = BTreeMap::new();
    for (n, path, _) in all().filter(|(.., left)| *left) {
        let mut owner = owner_names(path).into_iter().find_map(|owner| sessions.get(&*owner).copied());
        if owner.is_none()
            && let Some(id) = Head::read(path).ok().and_then(|head| head.id)
        {
            let folder = path.parent().unwrap_or(Path::new(""));
            let ids = ids.entry_ref(folder).or_insert_with(|| ids_of(folder, &sessions));
            owner = ids.get(&id).copied();
        }
        let key = match owner.and_then(|owner| inputs[owner as usize].path()) {
            Some(session) => session.to_path_buf(),
            None => owner_names(path).swap_remove(0),
        };
        let group = groups.entry(key).or_default();
        group.session = owner;
        group.leftovers.push(n);
    }
    groups.into_values().collect()
}

/// The ids of the sessions of a folder.
fn ids_of(folder: &Path, sessions: &HashMap<&Path, u32>) -> HashMap<String, u32> {
    let mut own: Vec<(&Path, u32)> =
        sessions.iter().filter(|(path, _)| path.parent() == Some(folder)).map(|(path, n)| (*path, *n)).collect();
    own.sort_unstable_by_key(|(_, n)| *n);
    let mut ids = HashMap::new();
    for (path, n) in own {
        if let Some(id) = Head::read(path).ok().and_then(|head| head.id) {
            ids.entry(id).or_insert(n);
        }
    }
    ids
}

/// What the session of a leftover may be called: `.x.jsonl.14cf.tmp` belongs to `x.jsonl` (or to one that is
/// hidden itself), and so does `x.bak`.
fn owner_names(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name.rfind(".jsonl") {
        Some(at) if at > 0 => name[..at].to_string(),
        _ => name.rsplit_once('.').map_or(&*name, |(stem, _)| stem).to_string(),
    };
    let bare = stem.trim_start_matches('.');
    let mut names = vec![path.with_file_name(format!("{bare}.jsonl"))];
    if bare != stem {
        names.push(path.with_file_name(format!("{stem}.jsonl")));
    }
    names
}

/// Whether a leftover is named after a session, there or not.
fn is_named_after_a_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".jsonl") || parse(name.trim_start_matches('.')).is_some()
}

/// A file of a group, as far as it can be read.
struct Member {
    input: u32,
    /// Whether it holds a session, damaged or not.
    is_session: bool,
    bytes: u64,
    errors: u64,
    shape: Shape,
    version: Option<i64>,
    records: Option<Records>,
    /// How many different entries it holds.
    entries: u64,
}

impl Member {
    fn read(inputs: &[Input], input: u32) -> Option<Member> {
        let source = Source::reopen(inputs[input as usize].path()?).ok()?;
        let (session, checker) = scan::<Checker>(&source, &Default::default()).ok()?;
        let audit = Audit::new(&source, &session, None);
        let facts = &session.facts;
        let shows =
            session.header.is_some() || facts.native > 0 || facts.first_line.as_ref().is_some_and(|l| l.broken_header);
        let found = judge(&audit, checker, &Policy::default());
        let errors =
            found.counts.iter().filter(|((_, severity), _)| *severity == Severity::Error).map(|(_, n)| n).sum();
        Some(Member {
            input,
            is_session: matches!(audit.kind(), FileKind::Session) && shows,
            bytes: facts.bytes,
            errors,
            shape: session.shape,
            version: session.version(),
            records: None,
            entries: 0,
        })
    }

    fn read_records(&mut self, inputs: &[Input], seed: u64, sameness: Sameness) {
        let path = inputs[self.input as usize].path();
        let source = path.filter(|_| self.is_session).and_then(|path| Source::reopen(path).ok());
        self.records = source.and_then(|source| Records::read(&source, seed, sameness).ok());
        let entries = self.records.iter().flat_map(|records| &records.entries);
        self.entries = entries.collect::<HashSet<_>>().len() as u64;
    }
}

/// Compares the files of a group.
fn tell(inputs: &[Input], group: &Group) -> Vec<(u32, Advice)> {
    let order = group.session.iter().chain(&group.leftovers).copied().collect::<Vec<_>>();
    let read = order.par_iter().filter_map(|n| Member::read(inputs, *n));
    let path = |member: &Member| inputs[member.input as usize].path().unwrap_or(Path::new(""));
    let belongs =
        |member: &Member| group.session.is_some() || member.is_session || is_named_after_a_session(path(member));
    let mut members: Vec<Member> = read.collect::<Vec<_>>().into_iter().filter(belongs).collect();
    let whole = members.iter().filter(|member| member.is_session);
    let sameness = Sameness::of(whole.map(|member| (member.shape, member.version)));
    let seed = random_seed();
    members.par_iter_mut().for_each(|member| member.read_records(inputs, seed, sameness));
    // of equals the first: the session itself stands there
    let best = members
        .iter()
        .filter(|member| member.entries > 0)
        .rev()
        .max_by_key(|member| (member.entries, std::cmp::Reverse(member.errors)));
    let session = members.iter().find(|member| Some(member.input) == group.session);
    let leftovers = members.iter().filter(|member| Some(member.input) != group.session);
    leftovers.map(|own| (own.input, Advice { message: message(inputs, own, session, best) })).collect()
}

fn message(inputs: &[Input], own: &Member, session: Option<&Member>, best: Option<&Member>) -> String {
    let name = |member: &Member| file_name(&inputs[member.input as usize]);
    let state = match (own, session) {
        (own, _) if own.bytes == 0 => "left over, and empty".to_string(),
        (own, _) if !own.is_session => "left over, and nothing in it can be read as a session".to_string(),
        (own, None) => format!("left over without its session: it holds {}", entries(own.entries)),
        (own, Some(session)) => format!("left over beside {}: {}", name(session), beside(own, session)),
    };
    let is_best = if state.ends_with("keep both") { "most is in" } else { "the best copy is" };
    let damage = match own.errors {
        _ if own.bytes == 0 || !own.is_session => String::new(),
        0 => String::new(),
        errors => format!(", with {}", counted(errors as usize, "error")),
    };
    let advice = match best {
        Some(best) if best.input == own.input && session.is_none() => "; it may be the only copy".to_string(),
        Some(best) if best.input == own.input => match is_best {
            "most is in" => "; most is in this one".to_string(),
            _ => "; this one is the best copy".to_string(),
        },
        Some(best) => format!("; {is_best} {} with {}", name(best), entries(best.entries)),
        None => String::new(),
    };
    format!("{state}{damage}{advice}")
}

/// What a leftover holds, measured by the session.
fn beside(own: &Member, session: &Member) -> String {
    let (Some(a), Some(b)) = (&own.records, &session.records) else {
        return format!("it holds {}, that one none", entries(own.entries));
    };
    match overlap(a, b) {
        (0, 0, _) => "it holds no entries".to_string(),
        (0, own, _) => format!("it holds {}, none of which is there", entries(own)),
        (common, 0, 0) => format!("it holds the same {}", entries(common)),
        (common, 0, lacks) => format!("it holds {common} of the {} there, and no other", entries(common + lacks)),
        (1, more, 0) => format!("it holds the one entry there and {more} more"),
        (common, more, 0) => format!("it holds all {} there and {more} more", entries(common)),
        (_, more, lacks) => {
            format!("it holds {} that are missing there, and lacks {lacks} of those there: keep both", entries(more))
        }
    }
}

fn entries(number: u64) -> String {
    counted(number as usize, "entry").replace("entrys", "entries")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_by_name() {
        let names = |path: &str| {
            let owners = owner_names(Path::new(path)).into_iter().map(|name| name.display().to_string());
            owners.collect::<Vec<_>>()
        };
        assert_eq!(names("/s/x.jsonl.14cf.bak"), ["/s/x.jsonl"]);
        assert_eq!(names("/s/.x.jsonl.tmp"), ["/s/x.jsonl", "/s/.x.jsonl"]);
        assert_eq!(names("x.bak"), ["x.jsonl"]);
        assert_eq!(names(".tmp"), [".jsonl"]);
        assert!(is_named_after_a_session(Path::new("2026-01-02T03-04-05-000Z_019b.tmp")));
        assert!(!is_named_after_a_session(Path::new("notes.bak")));
    }
}
