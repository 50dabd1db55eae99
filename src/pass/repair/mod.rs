//! `repair`: a new file that readers open whole.
//!
//! Repairs interact, so they are not made finding by finding but on a model of the session, layer by
//! layer: lines, header, ids, parents, references. Each layer sees the session as the layers before
//! have left it. The plan comes out as one set of byte edits on the input.

mod added;
mod calls;
mod choices;
mod content;
mod contexts;
mod evidence;
mod gaps;
mod header;
mod ids;
mod indices;
mod lines;
mod model;
mod outcome;
mod parents;
mod references;
mod salvage;
mod touch;

use super::Health;
use crate::edit::{Edit, Kind, Plan, PlanError, Why};
use crate::rules::kind::FileKind;
use crate::rules::{self, Repair};
use crate::session::Session;
use crate::session::scan::{Options as ScanOptions, scan};
use crate::source::{Source, inputs};
use lines::Damage;
use model::{Model, Purpose};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;

pub use outcome::messages_after;
pub use salvage::Stamp;

/// Walks that are asked for by what stands in a file end after so many steps in all: enough for every
/// damage but one that was made to take long.
const MOST_STEPS: u32 = 10_000_000;

/// Which repairs are made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only those whose meaning cannot change.
    pub safe_only: bool,
    /// Codes of repairs that are made only on request.
    pub choose: Vec<String>,
    /// Only these codes, if there are any.
    pub select: Vec<String>,
    /// Not these codes.
    pub ignore: Vec<String>,
    /// Leave an entry where a torn record stood, with what can be read of it.
    pub salvage: bool,
    /// Leave an entry at the end that says that the file was repaired, and from what.
    pub stamp: bool,
}

impl Options {
    /// Whether the repair of a rule, of this kind, is wanted.
    fn wants(&self, code: &str, kind: Kind) -> bool {
        let names = |list: &[String]| list.iter().any(|c| code.starts_with(c.as_str()));
        if names(&self.ignore) || !self.select.is_empty() && !names(&self.select) && !names(&self.choose) {
            return false;
        }
        match kind {
            Kind::Safe => true,
            Kind::Assumed => !self.safe_only,
            Kind::Choice => names(&self.choose),
        }
    }
}

/// Why a file cannot be repaired.
#[derive(Debug)]
pub enum RepairError {
    /// It cannot be read.
    Read(io::Error),
    /// The edits make no plan.
    Plan(PlanError),
    /// More results of tool calls are lost, one for each branch and call, than could be put there.
    TooMany,
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairError::Read(error) => write!(f, "cannot read it: {}", inputs::reason(error)),
            RepairError::Plan(error) => write!(f, "cannot plan its repair: {error}"),
            RepairError::TooMany => f.write_str(
                "cannot plan its repair: results of tool calls are lost on more branches than stand-ins could be \
                 put on; leave M001 and M005 out",
            ),
        }
    }
}

impl std::error::Error for RepairError {}

impl From<io::Error> for RepairError {
    fn from(error: io::Error) -> Self {
        RepairError::Read(error)
    }
}

/// How a file is repaired.
pub struct Repairing {
    /// The plan; empty where there is nothing to do.
    pub plan: Plan,
    /// Why nothing can be done, where the file is no session.
    pub hopeless: Option<String>,
    /// The stamp that was asked for, to be [put](Stamp::put) into the plan; `None` where nothing is repaired.
    pub stamp: Option<Stamp>,
}

/// Plans the repair of a session; `path` is where it is.
///
/// # Errors
/// See [`RepairError`].
pub fn plan(source: &Source, path: Option<&Path>, options: &Options) -> Result<Repairing, RepairError> {
    let mut edits = BTreeSet::new();
    // what breaks pairs in the context shows only in the repaired file
    for _ in 0..MOST_ROUNDS {
        let (mut repairing, contexts) = plan_once(source, path, options, &edits)?;
        if !contexts {
            return Ok(repairing);
        }
        let before = edits.len();
        let broken = contexts::look(source, &repairing.plan, options)?;
        edits.extend(broken.edits);
        if let Some(kept) = broken.kept.filter(|_| edits.len() == before) {
            // what was half changed already stays as it is
            repairing.plan = repairing.plan.then(&kept).unwrap_or(repairing.plan);
            // an edit may take away what is kept now
            edits.extend(contexts::look(source, &repairing.plan, options)?.edits);
        }
        if edits.len() == before {
            repairing.stamp = repairing.stamp.filter(|_| !repairing.plan.is_empty());
            return Ok(repairing);
        }
    }
    plan_once(source, path, options, &edits).map(|(repairing, _)| repairing)
}

/// How often what is left is looked at again; a session of its own accord takes two rounds.
const MOST_ROUNDS: usize = 16;

/// One round; these context edits are set aside. Whether contexts have to be looked at.
fn plan_once(
    source: &Source,
    path: Option<&Path>,
    options: &Options,
    set_aside: &BTreeSet<u64>,
) -> Result<(Repairing, bool), RepairError> {
    let (session, damage) = scan::<Damage>(source, &ScanOptions::default())?;
    let kind = FileKind::of(source, &session);
    let size = session.facts.bytes;
    let hopeless = match kind {
        FileKind::Session => None,
        FileKind::Empty => Some("the file is empty".to_string()),
        FileKind::Blank => Some("the file holds nothing but blanks, line ends and NULs".to_string()),
        FileKind::NotText(what, hint) => Some(format!("the file is {what}; {hint}")),
        FileKind::Foreign(dialect) => Some(format!("the file is {}, read by {}", dialect.title, dialect.read_by)),
    };
    if hopeless.is_some() {
        let plan = Plan::new(size, Vec::new()).map_err(RepairError::Plan)?;
        return Ok((Repairing { plan, hopeless, stamp: None }, false));
    }
    let mut model = Model::new(source, &session, &damage, path, options, Purpose::Plan);
    settle(&mut model, set_aside)?;
    let mut edits = Vec::new();
    model.added_edits(&mut edits)?;
    content::edits(&model, &mut edits)?;
    header::edits(&mut model, &mut edits)?;
    touch::edits(&mut model, &mut edits)?;
    lines::edits(&model, &mut edits)?;
    let stamp = salvage::edits(&mut model, &mut edits)?;
    let plan = Plan::new(size, disjoint(edits)).map_err(RepairError::Plan)?;
    let contexts = contexts::are_wanted(&session, options);
    let stamp = stamp.filter(|_| contexts || !plan.is_empty());
    Ok((Repairing { plan, hopeless, stamp }, contexts))
}

/// Repairs the model, layer by layer.
fn settle(model: &mut Model<'_>, edits: &BTreeSet<u64>) -> Result<(), RepairError> {
    ids::settle(model);
    choices::set_aside(model, edits);
    model.prune_copies();
    parents::settle(model);
    calls::settle(model)?;
    parents::stale_leaf(model);
    references::settle(model);
    calls::follow_kept(model);
    choices::kept_ranges(model);
    indices::settle(model);
    Ok(())
}

/// Plans the repair of each of the sessions that stand in one file behind each other (rule H004): one
/// plan a session, each of which sets the others aside. One plan for a file with one session, or where
/// a split was not asked for.
///
/// # Errors
/// See [`RepairError`].
pub fn plans(source: &Source, path: Option<&Path>, options: &Options) -> Result<Vec<Repairing>, RepairError> {
    let whole = plan(source, path, options)?;
    if !options.wants("H004", Kind::Choice) || whole.hopeless.is_some() {
        return Ok(vec![whole]);
    }
    let (session, _) = scan::<()>(source, &ScanOptions::default())?;
    let starts = session_starts(source, &session)?;
    if starts.is_empty() {
        return Ok(vec![whole]);
    }
    let size = session.facts.bytes;
    let bounds: Vec<u64> = [0].into_iter().chain(starts).chain([size]).collect();
    bounds.windows(2).map(|part| part_of(source, part[0]..part[1], size, options)).collect()
}

/// Where further sessions begin: lines of headers with other ids than the first one's.
fn session_starts(source: &Source, session: &Session) -> io::Result<Vec<u64>> {
    let first = session.header.as_ref().and_then(|h| h.text("id"));
    let others = session.extra_headers.iter().filter(|h| h.text("id") != first && !h.dropped);
    others.map(|h| Ok(lines::whole_line(source, h.offset..h.offset + h.length)?.start)).collect()
}

/// The repair of one of several sessions.
fn part_of(source: &Source, part: Range<u64>, size: u64, options: &Options) -> Result<Repairing, RepairError> {
    let own = Source::bytes(source.read_range(part.start, part.end - part.start)?);
    let Repairing { plan: own, hopeless, mut stamp } = plan(&own, None, options)?;
    let others = [0..part.start, part.end..size].into_iter().filter(|span| !span.is_empty());
    let why =
        || Why { cause: "H004", kind: Kind::Choice, reason: "another session, which gets a file of its own".into() };
    let mut edits: Vec<Edit> = others.map(|span| Edit::set_aside(span, why())).collect();
    edits.extend(own.edits().iter().cloned().map(|mut edit| {
        edit.span = edit.span.start + part.start..edit.span.end + part.start;
        edit.at += part.start;
        edit
    }));
    if let Some(stamp) = &mut stamp {
        stamp.at += part.start;
    }
    Ok(Repairing { plan: Plan::new(size, edits).map_err(RepairError::Plan)?, hopeless, stamp })
}

/// Drops edits inside what a wider edit takes: bytes that are no UTF-8 in an id that is replaced, a
/// line feed in a line that is set aside.
fn disjoint(mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|&n| (edits[n].span.start, std::cmp::Reverse(edits[n].span.end)));
    let mut drop = vec![false; edits.len()];
    let mut end = 0;
    let mut start = 0;
    for n in order {
        let Edit { span, at, .. } = &edits[n];
        let inside = span.start < end && span.end <= end && (span.start > start || !span.is_empty());
        if inside && *at >= start && *at < end {
            drop[n] = true;
        } else if !span.is_empty() {
            (start, end) = (span.start, span.end.max(end));
        }
    }
    let mut n = 0;
    edits.retain(|_| {
        n += 1;
        !drop[n - 1]
    });
    edits
}

/// The errors that a repaired file may still have: those that no default repair takes away.
pub fn is_left(code: &str) -> bool {
    rules::find(code).is_some_and(|rule| matches!(rule.repair, Repair::None | Repair::Choice))
}

/// The errors of a file that are left after a repair, by code.
pub fn errors_left(health: &Health) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for (code, ..) in &health.errors {
        *counts.entry(*code).or_default() += 1;
    }
    counts
}
