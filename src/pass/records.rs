//! The records of a file as pi counts them.

use crate::json::{Kind, Scanner, skip_space};
use crate::line::Lines;
use crate::session::scan::is_truthy;
use crate::source::Source;
use crate::source::slots;
use std::io;

/// The offsets of what pi 1.6 takes for records, in file order, the header first where it stands
/// first: every line that is one JSON value, unless that is falsy in JavaScript.
///
/// # Errors
/// What reading says.
pub(super) fn offsets(source: &Source) -> io::Result<Vec<u64>> {
    let size = source.size().unwrap_or(0);
    let (mut buffer, mut scanner, mut found) = (Vec::new(), Scanner::new(), Vec::new());
    for slot in 0..slots::count(size) {
        let Some(block) = slots::read(source, size, slot, &mut buffer)? else { continue };
        for line in Lines::new(block.bytes, 0) {
            let bytes = &block.bytes[line.span.clone()];
            if let Some(start) = record_at(&mut scanner, bytes) {
                found.push(block.offset + (line.span.start + start) as u64);
            }
        }
    }
    Ok(found)
}

/// Where the value begins that a line is, if pi takes it for a record.
fn record_at(scanner: &mut Scanner, line: &[u8]) -> Option<usize> {
    let start = skip_space(line, 0);
    let value = scanner.scan(line, start).ok().filter(|value| skip_space(line, value.span.end) == line.len())?;
    let falsy = match value.kind {
        Kind::Object | Kind::Array => false,
        _ => !is_truthy(&line[value.span]),
    };
    (!falsy).then_some(start)
}
