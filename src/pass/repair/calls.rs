//! Tool calls and results, on request: what stands alone is set aside, what stands in a wrong place moves
//! behind its call, what was lost gets a stand-in.

use super::RepairError;
use super::added::Item;
use super::gaps::{Gap, Gaps};
use super::model::{Model, why};
use super::parents;
use crate::edit::{Kind, Why};
use crate::session::RefKind;
use crate::session::graph::Children;
use crate::session::pairs::{Forest, Pairs};
use crate::session::reread::Reread;
use hashbrown::{HashMap, HashSet};

/// Settles calls and results.
pub(super) fn settle(model: &mut Model<'_>) -> Result<(), RepairError> {
    if model.session.calls.is_empty() {
        return Ok(());
    }
    // where a branch ends otherwise than before, or a result answers more of them, another one may have
    // nothing to answer
    for _ in 0..super::MOST_ROUNDS {
        let changed = set_aside(model);
        let moved = model.wants("M005", Kind::Choice) && move_back(model)?;
        if !changed && !moved {
            break;
        }
    }
    if model.wants("M001", Kind::Choice) {
        // so that bookkeeping on a branch that nobody takes up does not ask for stand-ins
        parents::stale_leaf(model);
        stand_in(model)?;
    }
    Ok(())
}

/// The forest as the repair has left it so far.
struct State {
    pairs: Pairs,
    children: Children,
}

impl State {
    fn of(model: &Model<'_>) -> State {
        let parent = |n: u32| model.parent(n).filter(|_| model.stays(n));
        let children = Children::of(model.len() as usize, parent);
        let counts = |n| model.stays(n);
        let leaf = model.last();
        let forest = Forest { session: model.session, children: &children, parent: &parent, counts: &counts, leaf };
        State { pairs: Pairs::of(&forest), children }
    }
}

/// The entry that holds a call or a result.
fn entry(model: &Model<'_>, call: u32) -> u32 {
    model.session.calls[call as usize].entry
}

/// Sets results aside that have no call, or whose call has one already.
/// Whether there were any.
fn set_aside(model: &mut Model<'_>) -> bool {
    if !model.wants("M002", Kind::Choice) && !model.wants("M004", Kind::Choice) {
        return false;
    }
    let pairs = State::of(model).pairs;
    let stray = pairs.stray.iter().map(|(result, _)| (*result, "M002", "a result without its call"));
    let repeated = pairs.repeated.iter().map(|pair| (pair.result, "M004", "a second result for one call"));
    let mut found = false;
    for (result, code, reason) in stray.chain(repeated) {
        if model.wants(code, Kind::Choice) && !model.added.has_moved(entry(model, result)) {
            model.set_aside(entry(model, result), why(code, Kind::Choice, reason));
            found = true;
        }
    }
    if found {
        model.prune_copies();
        parents::pass_over_chosen(model);
    }
    found
}

/// Moves results that stand in a wrong place right behind their calls. Of several for one call on one
/// branch the first is moved, and the others are set aside. Whether there were any.
fn move_back(model: &mut Model<'_>) -> Result<bool, RepairError> {
    let State { pairs, children } = State::of(model);
    if pairs.misplaced.is_empty() {
        return Ok(false);
    }
    let may_move = |result: u32| !model.added.has_moved(entry(model, result));
    let misplaced: HashSet<u32> = pairs.misplaced.iter().map(|pair| pair.result).filter(|r| may_move(*r)).collect();
    let early = pairs.early.iter().filter(|pair| may_move(pair.result)).map(|pair| (pair.call, pair.result));
    let early: HashMap<u32, u32> = early.collect();
    let displaced = pairs.answers.iter().filter(|pair| misplaced.contains(&pair.result)).map(|pair| pair.call);
    let calls: Vec<u32> = displaced.chain(early.keys().copied()).collect();
    let mut moves: Vec<(Gap, Vec<u32>)> = Vec::new();
    let (mut taken, mut spare) = (HashSet::new(), Vec::new());
    for gap in Gaps::of(model, &children, &pairs, &calls, false)?.list {
        let mut moved = Vec::new();
        for filler in &gap.calls {
            let result = match gap.displaced {
                true => filler.result,
                // a result before the call stands in for what is lost behind it
                false => early.get(&filler.call).copied(),
            };
            moved.extend(result.filter(|result| may_move(*result) && taken.insert(*result)));
            spare.extend(filler.others.iter().copied().filter(|other| gap.displaced && may_move(*other)));
        }
        moves.push((gap, moved));
    }
    moves.retain(|(_, moved)| !moved.is_empty());
    if moves.is_empty() {
        return Ok(false);
    }
    // for the others the way is free: what hangs on them hangs on what they hung on
    let reason = why("M005", Kind::Choice, "the result moves to its place right behind its call");
    let moved: Vec<u32> = moves.iter().flat_map(|(_, moved)| moved).map(|result| entry(model, *result)).collect();
    moved.iter().for_each(|n| model.set_aside(*n, reason.clone()));
    for result in spare.into_iter().filter(|result| !taken.contains(result)) {
        let n = entry(model, result);
        if model.stays(n) {
            model.set_aside(n, why("M005", Kind::Choice, "another result for a call that has one now"));
        }
    }
    parents::pass_over_chosen(model);
    let mut reread = Reread::new(model.source);
    for (gap, results) in moves {
        // what stood there may be set aside, or moved itself
        let heirs = still_there(model, &children, &gap.heirs);
        let items = results.iter().map(|result| Item::Moved(entry(model, *result))).collect();
        let reason = format!("the result of a call before it stands there now, {}", names(model, &results));
        model.add(&mut reread, gap.behind, &heirs, items, why("M005", Kind::Choice, reason));
    }
    Ok(true)
}

/// These entries, and in the place of each that was set aside what hung on it.
fn still_there(model: &Model<'_>, children: &Children, entries: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open: Vec<u32> = entries.iter().rev().copied().collect();
    while let Some(n) = open.pop() {
        match model.stays(n) && !model.added.has_moved(n) {
            true => found.push(n),
            false => open.extend(children.get(n).iter().rev()),
        }
    }
    found
}

fn names(model: &Model<'_>, results: &[u32]) -> String {
    let names: Vec<String> = results.iter().take(3).map(|result| model.name(entry(model, *result))).collect();
    let more = if results.len() > 3 { ", …" } else { "" };
    names.join(", ") + more
}

/// Puts results in the place of lost ones.
fn stand_in(model: &mut Model<'_>) -> Result<(), RepairError> {
    let State { pairs, children } = State::of(model);
    let mut gaps = Gaps::of(model, &children, &pairs, &pairs.lost, true)?.list;
    // a displaced result further down: one put here would be a second one there
    gaps.retain(|gap| !gap.displaced);
    let mut reread = Reread::new(model.source);
    for gap in gaps {
        let items = gap.calls.iter().map(|filler| Item::StandIn(filler.call)).collect();
        let reason = format!("stands in for {} lost behind {}", results(gap.calls.len()), model.name(gap.behind));
        model.add(&mut reread, gap.behind, &gap.heirs, items, why("M001", Kind::Choice, reason));
    }
    Ok(())
}

/// A number of results, in words.
fn results(count: usize) -> String {
    if count == 1 { "a result".to_string() } else { format!("{count} results") }
}

/// A compaction that kept what was set aside on request, or has moved, keeps what came after that on its
/// path.
pub(super) fn follow_kept(model: &mut Model<'_>) {
    let session = model.session;
    if model.is_line() {
        return;
    }
    let mut left = super::MOST_STEPS;
    for reference in session.refs.iter().filter(|r| r.kind == RefKind::FirstKept) {
        let Some(target) = reference.target.map(|t| model.copy_for(reference.entry, t)) else { continue };
        let Some(why) = model.left_by_choice(target).cloned().filter(|_| model.stays(reference.entry)) else {
            continue;
        };
        if let Some(next) = next_kept(model, reference.entry, target, &mut left) {
            let reason = format!("the entry it kept first was set aside; {} follows", model.name(next));
            model.change(
                reference.entry,
                "firstKeptEntryId",
                model.id_json(next),
                Why { reason: reason.into(), ..why },
            );
        }
    }
}

/// What stood behind `target` on the way to `from`; `from` itself if nothing did, and `None` where the
/// target was not on the way, or it is too far.
fn next_kept(model: &Model<'_>, from: u32, target: u32, left: &mut u32) -> Option<u32> {
    let mut at = from;
    loop {
        *left = left.checked_sub(1)?;
        // what stood between an entry and its parent before that was set aside, too
        let mut between = model.parent_before(at);
        while let Some(n) = between.filter(|n| model.left_by_choice(*n).is_some()) {
            if n == target {
                return Some(at);
            }
            *left = left.checked_sub(1)?;
            between = model.parent_before(n);
        }
        at = between?;
    }
}
