//! A plan as a unified diff: the lines that it touches, before and after.
//!
//! The lines of a session are long, so of each only the part around what differs is kept.

use super::lines::{line_end, line_start};
use super::plan::{Plan, Segment, copy};
use super::{Edit, Put};
use crate::source::Source;
use std::io;
use std::ops::Range;

/// How many bytes of a line are shown before and behind what differs.
const MARGIN: usize = 60;
/// How many bytes of what differs are shown at its start and at its end.
const MOST: usize = 120;

/// A place where the output differs from the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The first line of the input that differs, from 1, and how many; if none, the line before.
    pub before: (u64, u64),
    /// Likewise for the output.
    pub after: (u64, u64),
    /// The lines, those of the input first.
    pub lines: Vec<Line>,
}

/// One line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `-` for a line of the input, `+` for one of the output.
    pub sign: char,
    /// The part of it that is shown, with `…` where something was left out, without its end.
    pub text: Vec<u8>,
}

/// Bytes that stand in the place of a span of the input.
struct Swap {
    span: Range<u64>,
    bytes: Vec<u8>,
}

/// Gives the places where a plan changes lines of its input, in order, to `take`.
///
/// # Errors
/// What reading or `take` says.
pub fn changes(plan: &Plan, input: &Source, take: &mut dyn FnMut(Change) -> io::Result<()>) -> io::Result<()> {
    let swaps = swaps(plan, input)?;
    let mut rest = swaps.as_slice();
    let mut count = LineCount { at: 0, lines: 0 };
    let mut grown = 0i64;
    while let Some(first) = rest.first() {
        let start = line_start(input, first.span.start)?;
        let mut end = end_of(input, first, start)?;
        let mut n = 1;
        while let Some(swap) = rest.get(n).filter(|swap| swap.span.start < end) {
            end = end.max(end_of(input, swap, start)?);
            n += 1;
        }
        let (group, later) = rest.split_at(n);
        rest = later;
        count.up_to(input, start)?;
        let before = input.read_range(start, end - start)?;
        let after = swapped(&before, start, group);
        let (old, new) = (split(&before), split(&after));
        let place = |lines: u64, count: usize| (lines + u64::from(count > 0), count as u64);
        let change = Change {
            before: place(count.lines, old.len()),
            after: place((count.lines as i64 + grown) as u64, new.len()),
            lines: lines(&old, &new),
        };
        grown += new.len() as i64 - old.len() as i64;
        take(change)?;
    }
    Ok(())
}

/// The edits by input offset; one that moves bytes as two.
fn swaps(plan: &Plan, input: &Source) -> io::Result<Vec<Swap>> {
    let mut swaps = Vec::with_capacity(plan.edits().len());
    plan.walk(|segment| {
        let Segment::Put(_, Edit { span, at, put, .. }) = segment else { return Ok(()) };
        let bytes = match put {
            Put::Bytes(bytes) => bytes.clone(),
            Put::Own => input.read_range(span.start, span.end - span.start)?,
        };
        if *at == span.start {
            swaps.push(Swap { span: span.clone(), bytes });
        } else {
            swaps.push(Swap { span: span.clone(), bytes: Vec::new() });
            swaps.push(Swap { span: *at..*at, bytes });
        }
        Ok::<(), io::Error>(())
    })?;
    swaps.sort_by_key(|swap| swap.span.start);
    Ok(swaps)
}

/// Where the lines end that a swap touches; `start` is where they begin.
fn end_of(input: &Source, swap: &Swap, start: u64) -> io::Result<u64> {
    let Range { start: from, end } = swap.span;
    let ends_a_line = end == start || input.read_range(end - 1, 1)? == b"\n";
    let is_whole = from == start && ends_a_line && (swap.bytes.is_empty() || swap.bytes.ends_with(b"\n"));
    if is_whole { Ok(end) } else { line_end(input, end) }
}

fn swapped(before: &[u8], start: u64, group: &[Swap]) -> Vec<u8> {
    let mut after = Vec::with_capacity(before.len());
    let mut at = 0;
    for swap in group {
        let (from, to) = ((swap.span.start - start) as usize, (swap.span.end - start) as usize);
        after.extend_from_slice(before.get(at..from).unwrap_or_default());
        after.extend_from_slice(&swap.bytes);
        at = at.max(to);
    }
    after.extend_from_slice(&before[at..]);
    after
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let lines = bytes.split_inclusive(|&b| b == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect()
}

fn lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<Line> {
    let side = |sign, lines: &[&[u8]], others: &[&[u8]]| -> Vec<Line> {
        let other = |n: usize| if lines.len() == others.len() { others[n] } else { b"" };
        lines.iter().enumerate().map(|(n, line)| Line { sign, text: window(line, other(n)) }).collect()
    };
    [side('-', old, new), side('+', new, old)].concat()
}

/// The part of `line` in which it differs from `other`, with some of what stands around it.
fn window(line: &[u8], other: &[u8]) -> Vec<u8> {
    let common = |(a, b): &(&u8, &u8)| a == b;
    let prefix = line.iter().zip(other).take_while(common).count();
    let suffix = line[prefix..].iter().rev().zip(other[prefix..].iter().rev()).take_while(common).count();
    let (from, to) = (prefix.saturating_sub(MARGIN), (line.len() - suffix + MARGIN).min(line.len()));
    let mut shown = Vec::new();
    let mut add = |part: Range<usize>, left_out: bool| {
        if left_out {
            shown.extend_from_slice("…".as_bytes());
        }
        shown.extend_from_slice(&line[part]);
    };
    let (head, tail) = (prefix + MOST, (line.len() - suffix).saturating_sub(MOST));
    if head < tail {
        add(from..head, from > 0);
        add(tail..to, true);
    } else {
        add(from..to, from > 0);
    }
    if to < line.len() {
        shown.extend_from_slice("…".as_bytes());
    }
    shown
}

/// Counts line feeds on the way through a source.
struct LineCount {
    at: u64,
    lines: u64,
}

impl LineCount {
    fn up_to(&mut self, input: &Source, end: u64) -> io::Result<()> {
        copy(input, &(self.at..end), &mut |bytes| {
            self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
            Ok(())
        })?;
        self.at = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Why;
    use super::*;

    fn diff(input: &str, edits: Vec<Edit>) -> Vec<String> {
        let source = Source::bytes(input.as_bytes().to_vec());
        let plan = Plan::new(input.len() as u64, edits).expect("a plan");
        let mut out = Vec::new();
        changes(&plan, &source, &mut |change| {
            out.push(format!("@@ -{},{} +{},{} @@", change.before.0, change.before.1, change.after.0, change.after.1));
            let line = |line: &Line| format!("{}{}", line.sign, String::from_utf8_lossy(&line.text));
            out.extend(change.lines.iter().map(line));
            Ok(())
        })
        .expect("bytes in memory");
        out
    }

    #[test]
    fn touched_lines_are_shown_before_and_after() {
        let why = || Why::safe("test", "");
        let edits = vec![Edit::insert(4, "\n", why()), Edit::replace(8..9, "X", why())];
        let told = diff("a\nbbbb\nccc\nd\n", edits);
        assert_eq!(told, ["@@ -2,1 +2,2 @@", "-bbbb", "+bb", "+bb", "@@ -3,1 +4,1 @@", "-ccc", "+cXc"]);
        let moved = diff("a\nb\n", vec![Edit::move_to(2..4, 0, why())]);
        assert_eq!(moved, ["@@ -0,0 +1,1 @@", "+b", "@@ -2,1 +2,0 @@", "-b"]);
    }

    #[test]
    fn of_a_long_line_the_part_is_shown_that_differs() {
        let line = "x".repeat(1000);
        let told = diff(&line, vec![Edit::insert(500, "Y", Why::safe("test", ""))]);
        let around = "x".repeat(MARGIN);
        assert_eq!(told[1], format!("-…{around}{around}…"));
        assert_eq!(told[2], format!("+…{around}Y{around}…"));
    }
}
