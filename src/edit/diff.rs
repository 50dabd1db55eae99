//! A plan as a unified diff: the lines that it touches, before and after.
//!
//! The lines of a session are long, so of each only the part around what differs is kept.

use super::plan::{Plan, Segment};
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
    /// The first line of the input that differs, from 1, and how many.
    pub before: (u64, u64),
    /// The first line of the output, from 1, and how many.
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
