//! A plan: edits in order, free of overlaps, accounting for every byte of the input.

use super::{Edit, Put};
use crate::source::{Piece, Source, shrunk};
use std::fmt;
use std::io;
use std::ops::Range;

/// Input is copied in pieces of this size, in bytes.
pub(super) const CHUNK: u64 = 1 << 20;

/// Edits of an input of a known size. What no edit takes is kept as it is.
#[derive(Clone, Debug)]
pub struct Plan {
    size: u64,
    edits: Vec<Edit>,
    /// The spans that are taken, none of them empty, in input order.
    taken: Vec<Range<u64>>,
    /// The edits in the order in which they appear in the output.
    order: Vec<u32>,
}

/// Why edits make no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// A span that ends before it starts, or past the end of the input.
    OutOfRange {
        /// The span.
        span: Range<u64>,
        /// The size of the input.
        size: u64,
    },
    /// Two edits take the same byte.
    Overlap {
        /// The first byte that both take.
        at: u64,
    },
    /// An edit puts something in the middle of what another one takes.
    InsideTaken {
        /// Where it puts it.
        at: u64,
    },
    /// More edits than can be counted.
    TooMany,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::OutOfRange { span, size } => {
                write!(f, "an edit of bytes {} to {} does not fit an input of {size} bytes", span.start, span.end)
            }
            PlanError::Overlap { at } => write!(f, "two edits take byte {at}"),
            PlanError::InsideTaken { at } => write!(f, "an edit puts bytes before byte {at}, which another one takes"),
            PlanError::TooMany => f.write_str("more than 4,294,967,295 edits"),
        }
    }
}

impl std::error::Error for PlanError {}

/// A piece of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Input bytes that no edit touches.
    Kept(Range<u64>),
    /// What an edit puts there; its number in [`Plan::edits`].
    Put(usize, &'a Edit),
}

/// Where the bytes that an edit puts stand in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<'a> {
    /// The edit.
    pub edit: &'a Edit,
    /// Offsets in the output.
    pub output: Range<u64>,
}

impl Plan {
    /// Puts edits of an input of `size` bytes in order. Edits that put something before the same byte
    /// do so in the order in which they are given.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn new(size: u64, mut edits: Vec<Edit>) -> Result<Plan, PlanError> {
        let count = u32::try_from(edits.len()).map_err(|_| PlanError::TooMany)?;
        for Edit { span, at, .. } in &edits {
            if span.start > span.end || span.end > size {
                return Err(PlanError::OutOfRange { span: span.clone(), size });
            }
            if *at > size {
                return Err(PlanError::OutOfRange { span: *at..*at, size });
            }
        }
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&n| edits[n as usize].at);
        let mut rank = vec![0; edits.len()];
        (0u32..).zip(&order).for_each(|(place, &n)| rank[n as usize] = place);
        // in input order; those that take nothing go by their place in the output
        let mut by_input: Vec<u32> = (0..count).collect();
        by_input.sort_by_key(|&n| (edits[n as usize].span.start, edits[n as usize].span.end, rank[n as usize]));
        let mut new_number = vec![0; edits.len()];
        (0u32..).zip(&by_input).for_each(|(place, &n)| new_number[n as usize] = place);
        order.iter_mut().for_each(|n| *n = new_number[*n as usize]);
        permute(&mut edits, new_number);
        let taken: Vec<Range<u64>> = edits.iter().map(|e| e.span.clone()).filter(|s| !s.is_empty()).collect();
        if let Some(pair) = taken.windows(2).find(|pair| pair[1].start < pair[0].end) {
            return Err(PlanError::Overlap { at: pair[1].start });
        }
        if let Some(edit) = edits.iter().find(|edit| is_inside(&taken, edit.at)) {
            return Err(PlanError::InsideTaken { at: edit.at });
        }
        Ok(Plan { size, edits, taken, order })
    }

    /// The size of the input in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The edits in input order.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Gives the pieces of the output in order to `take`, until it errs.
    ///
    /// # Errors
    /// What `take` says.
    pub fn walk<'a, E>(&'a self, mut take: impl FnMut(Segment<'a>) -> Result<(), E>) -> Result<(), E> {
        let mut kept = Kept { taken: &self.taken, at: 0 };
        for &n in &self.order {
            let edit = &self.edits[n as usize];
            kept.up_to(edit.at, &mut |span| take(Segment::Kept(span)))?;
            take(Segment::Put(n as usize, edit))?;
        }
        kept.up_to(self.size, &mut |span| take(Segment::Kept(span)))
    }

    /// Where each edit's bytes stand in the output, in the order of [`edits`](Self::edits).
    pub fn placed(&self) -> Vec<Placed<'_>> {
        let mut placed: Vec<_> = self.edits.iter().map(|edit| Placed { edit, output: 0..0 }).collect();
        let mut at = 0;
        self.walk(|segment| {
            match segment {
                Segment::Kept(span) => at += span.end - span.start,
                Segment::Put(n, edit) => {
                    placed[n].output = at..at + edit.put_length();
                    at = placed[n].output.end;
                }
            }
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        placed
    }

    /// Where bytes of the output, in ascending order, stand in the input; without those that edits put there.
    pub fn input_of(&self, output: &[u64]) -> Vec<u64> {
        let (mut found, mut left, mut at) = (Vec::new(), output, 0);
        let walked: Result<(), std::convert::Infallible> = self.walk(|segment| {
            let (length, from) = match segment {
                Segment::Kept(span) => (span.end - span.start, Some(span.start)),
                Segment::Put(_, Edit { put: Put::Own, span, .. }) => (span.end - span.start, Some(span.start)),
                Segment::Put(_, edit) => (edit.put_length(), None),
            };
            let here = left.partition_point(|offset| *offset < at + length);
            found.extend(left[..here].iter().filter_map(|offset| Some(from? + offset - at)));
            (left, at) = (&left[here..], at + length);
            Ok(())
        });
        walked.unwrap_or_else(|never| match never {});
        found
    }

    /// The output as a source that reads through the edits; nothing of the input is copied.
    ///
    /// # Errors
    /// What the system says; always for a long pipe.
    pub fn view(&self, input: &Source) -> io::Result<Source> {
        let mut pieces = Vec::new();
        let walked: Result<(), std::convert::Infallible> = self.walk(|segment| {
            pieces.push(match segment {
                Segment::Kept(span) => Piece::Base(span),
                Segment::Put(_, Edit { put: Put::Bytes(bytes), .. }) => Piece::Bytes(bytes),
                Segment::Put(_, Edit { put: Put::Own, span, .. }) => Piece::Base(span.clone()),
            });
            Ok(())
        });
        walked.unwrap_or_else(|never| match never {});
        Source::patched(input, &pieces)
    }

    /// Writes the output to `sink`, piece by piece; the input is never in memory as a whole.
    ///
    /// # Errors
    /// What reading or `sink` says; an input that has become shorter.
    pub fn apply(&self, input: &Source, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.walk(|segment| match segment {
            Segment::Kept(span) => copy(input, &span, sink),
            Segment::Put(_, Edit { put: Put::Bytes(bytes), .. }) => sink(bytes),
            Segment::Put(_, Edit { put: Put::Own, span, .. }) => copy(input, span, sink),
        })
    }
}

/// Hands a span of a source to `sink` in pieces.
///
/// # Errors
/// What reading or `sink` says; a source that has become shorter.
pub fn copy(source: &Source, span: &Range<u64>, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    thread_local! {
        static BUFFER: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    // taken out while it is in use, so that a sink may copy, too
    let mut buffer = BUFFER.take();
    buffer.resize(CHUNK as usize, 0);
    let mut at = span.start;
    let mut result = Ok(());
    while at < span.end && result.is_ok() {
        let piece = &mut buffer[..(span.end - at).min(CHUNK) as usize];
        result = match source.read_at(at, piece) {
            Ok(n) if n < piece.len() => Err(shrunk()),
            Ok(_) => sink(piece),
            Err(error) => Err(error),
        };
        at += piece.len() as u64;
    }
    BUFFER.set(buffer);
    result
}

/// Puts the value that stands at `n` to the place `places[n]`.
fn permute(edits: &mut [Edit], mut places: Vec<u32>) {
    for n in 0..edits.len() {
        while places[n] as usize != n {
            let place = places[n] as usize;
            edits.swap(n, place);
            places.swap(n, place);
        }
    }
}

/// Whether `at` lies behind the first byte of one of the spans, and not behind its last.
fn is_inside(spans: &[Range<u64>], at: u64) -> bool {
    let before = spans.partition_point(|span| span.start < at);
    before.checked_sub(1).is_some_and(|n| at < spans[n].end)
}

/// The bytes between the spans that are taken, as a walk.
pub(super) struct Kept<'a> {
    pub(super) taken: &'a [Range<u64>],
    pub(super) at: u64,
}

impl Kept<'_> {
    /// Gives what is kept from here up to `end`; no taken span may go beyond it.
    fn up_to<E>(&mut self, end: u64, take: &mut dyn FnMut(Range<u64>) -> Result<(), E>) -> Result<(), E> {
        while self.at < end {
            let next = self.taken.first().filter(|span| span.start < end);
            let stop = next.map_or(end, |span| span.start);
            if self.at < stop {
                take(self.at..stop)?;
            }
            self.at = next.map_or(end, |span| span.end);
            self.taken = &self.taken[usize::from(next.is_some())..];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Why;
    use super::*;

    fn why() -> Why {
        Why::safe("test", "")
    }

    fn output(input: &str, edits: Vec<Edit>) -> Result<String, PlanError> {
        let plan = Plan::new(input.len() as u64, edits)?;
        let mut out = Vec::new();
        let source = Source::bytes(input.as_bytes().to_vec());
        plan.apply(&source, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        })
        .expect("bytes in memory");
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn edits_replace_insert_set_aside_and_move() {
        let edits = vec![
            Edit::move_to(7..9, 0, why()),
            Edit::insert(9, "!", why()),
            Edit::replace(1..2, "xyz", why()),
            Edit::set_aside(3..5, why()),
            Edit::insert(9, "?", why()),
        ];
        assert_eq!(output("abcdefghi", edits).as_deref(), Ok("hiaxyzcfg!?"));
    }

    #[test]
    fn what_is_put_before_one_byte_keeps_its_order() {
        let edits = vec![
            Edit::move_to(4..5, 0, why()),
            Edit::insert(0, "-", why()),
            Edit::move_to(5..6, 0, why()),
            Edit::replace(0..1, "A", why()),
        ];
        assert_eq!(output("abcdef", edits).as_deref(), Ok("e-fAbcd"));
        let edits = vec![Edit::insert(2, "x", why()), Edit::set_aside(0..2, why()), Edit::set_aside(2..3, why())];
        assert_eq!(output("abc", edits).as_deref(), Ok("x"));
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let refused = |edits| output("abcdef", edits).expect_err("no plan");
        let outside = Edit::set_aside(5..7, why());
        assert_eq!(refused(vec![outside]), PlanError::OutOfRange { span: 5..7, size: 6 });
        assert_eq!(refused(vec![Edit::insert(7, "", why())]), PlanError::OutOfRange { span: 7..7, size: 6 });
        let twice = vec![Edit::set_aside(3..5, why()), Edit::replace(1..4, "", why())];
        assert_eq!(refused(twice), PlanError::Overlap { at: 3 });
        let inside = vec![Edit::set_aside(1..4, why()), Edit::insert(2, "", why())];
        assert_eq!(refused(inside), PlanError::InsideTaken { at: 2 });
        assert_eq!(refused(vec![Edit::move_to(1..4, 2, why())]), PlanError::InsideTaken { at: 2 });
    }

    #[test]
    fn every_edit_knows_its_place_in_the_output() {
        let edits = vec![Edit::move_to(4..6, 1, why()), Edit::insert(6, "xy", why()), Edit::set_aside(0..1, why())];
        let plan = Plan::new(6, edits).expect("a plan");
        let places: Vec<_> = plan.placed().into_iter().map(|p| (p.edit.span.clone(), p.output)).collect();
        assert_eq!(places, [(0..1, 0..0), (4..6, 0..2), (6..6, 5..7)]);
    }
}
