//! Two plans in one: the second is for the output of the first.

use super::{Edit, Plan, PlanError, Put, Segment};
use std::fmt;
use std::ops::Range;

/// Why two plans cannot be made one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposeError {
    /// An edit of the second takes bytes of which the first has made or moved only some: where, in the
    /// output of the first.
    Across(Range<u64>),
    /// The result is no plan.
    Plan(PlanError),
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComposeError::Across(span) => {
                write!(f, "bytes {} to {} would be changed twice", span.start, span.end)
            }
            ComposeError::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ComposeError {}

/// A piece of the first plan's output: where it begins there, and what it is.
struct Piece {
    start: u64,
    length: u64,
    from: From,
}

#[derive(Clone, Copy)]
enum From {
    /// Input bytes from this offset on.
    Input(u64),
    /// What the edit of that number puts.
    Edit(usize),
}

impl Plan {
    /// The plan that does what this one does and then what `next` does to the output.
    ///
    /// # Errors
    /// See [`ComposeError`]; `next` must not move anything.
    pub fn then(&self, next: &Plan) -> Result<Plan, ComposeError> {
        let pieces = self.pieces();
        let mut edits = self.edits().to_vec();
        let mut more = Vec::new();
        // from the back, so that offsets in what an edit puts stay what they are
        for Edit { span, put, why, .. } in next.edits().iter().rev() {
            let Put::Bytes(bytes) = put else { return Err(ComposeError::Across(span.clone())) };
            // the piece that the span begins in; the last one for what is put at the end
            let n = pieces.partition_point(|p| p.start + p.length <= span.start);
            let Some(piece) = pieces.get(n).or(pieces.last()) else {
                more.push(Edit::insert(self.size(), bytes.clone(), why.clone()));
                continue;
            };
            if span.end > piece.start + piece.length {
                return Err(ComposeError::Across(span.clone()));
            }
            let (from, to) = (span.start - piece.start, span.end - piece.start);
            match (piece.from, &mut edits) {
                (From::Input(start), _) => {
                    more.push(Edit::replace(start + from..start + to, bytes.clone(), why.clone()));
                }
                (From::Edit(n), edits) => match &mut edits[n].put {
                    Put::Bytes(old) => drop(old.splice(from as usize..to as usize, bytes.iter().copied())),
                    Put::Own => return Err(ComposeError::Across(span.clone())),
                },
            }
        }
        // behind those of this plan that put something at the same place
        edits.extend(more.into_iter().rev());
        Plan::new(self.size(), edits).map_err(ComposeError::Plan)
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = 0;
        let walked: Result<(), std::convert::Infallible> = self.walk(|segment| {
            let (length, from) = match segment {
                Segment::Kept(span) => (span.end - span.start, From::Input(span.start)),
                Segment::Put(n, edit) => (edit.put_length(), From::Edit(n)),
            };
            if length > 0 {
                pieces.push(Piece { start, length, from });
                start += length;
            }
            Ok(())
        });
        walked.unwrap_or_else(|never| match never {});
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::super::Why;
    use super::*;
    use crate::source::Source;

    fn apply(plan: &Plan, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let source = Source::bytes(input.to_vec());
        plan.apply(&source, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        })
        .expect("bytes in memory");
        out
    }

    #[test]
    fn two_plans_in_one_do_what_they_do_in_turn() {
        let why = || Why::safe("test", "");
        let input = b"abcdefghij";
        let firsts: Vec<Vec<Edit>> = vec![
            vec![],
            vec![Edit::set_aside(2..4, why())],
            vec![Edit::insert(5, "XY", why()), Edit::replace(7..8, "Z", why())],
            vec![Edit::insert(0, "header", why()), Edit::insert(10, "!", why())],
            vec![Edit::move_to(6..8, 0, why())],
            vec![Edit::replace(0..10, "all new", why())],
        ];
        let mut composed = 0;
        for first in firsts {
            let first = Plan::new(10, first).expect("a plan");
            let middle = apply(&first, input);
            let size = middle.len() as u64;
            for start in 0..=size {
                for length in 0..=(size - start).min(3) {
                    for bytes in ["", "12"] {
                        let mut edits = vec![Edit::replace(start..start + length, bytes, why())];
                        if start + length + 2 <= size {
                            edits.push(Edit::replace(start + length + 1..start + length + 2, "#", why()));
                        }
                        let second = Plan::new(size, edits).expect("a plan");
                        let Ok(both) = first.then(&second) else { continue };
                        composed += 1;
                        let (got, want) = (apply(&both, input), apply(&second, &middle));
                        assert_eq!(
                            String::from_utf8_lossy(&got),
                            String::from_utf8_lossy(&want),
                            "{first:?} then {second:?}"
                        );
                    }
                }
            }
        }
        assert!(composed > 200, "{composed}");
    }
}
