//! Where the lines of a source begin and end.

use crate::source::Source;
use std::io;

/// Where the line of a byte begins, found by looking back.
///
/// # Errors
/// What reading says.
pub fn line_start(input: &Source, offset: u64) -> io::Result<u64> {
    let mut end = offset;
    let mut step = 1 << 10;
    while end > 0 {
        let from = end.saturating_sub(step);
        let bytes = input.read_range(from, end - from)?;
        if let Some(at) = memchr::memrchr(b'\n', &bytes) {
            return Ok(from + at as u64 + 1);
        }
        end = from;
        step = (step * 8).min(1 << 20);
    }
    Ok(0)
}

/// Where the line ends that a span ending at `offset` belongs to; behind its LF.
///
/// # Errors
/// What reading says.
pub fn line_end(input: &Source, offset: u64) -> io::Result<u64> {
    let size = input.size().unwrap_or(0);
    let mut at = offset;
    let mut step = 1 << 10;
    while at < size {
        let bytes = input.read_range(at, step.min(size - at))?;
        if let Some(found) = memchr::memchr(b'\n', &bytes) {
            return Ok(at + found as u64 + 1);
        }
        at += bytes.len() as u64;
        step = (step * 8).min(1 << 20);
    }
    Ok(size)
}
