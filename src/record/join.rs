//! Records that raw line feeds have spread over several lines.
//!
//! A writer that did not escape a line feed inside a string leaves a record in pieces: a line that
//! is cut inside a string, lines that are nothing by themselves, and a line that closes it. Joined
//! with the escape `\n` they are one object again.

use crate::json::{Kind, Reason, Scanner, skip_space};
use crate::line::Lines;
use crate::source::slots::Tail;
use std::io;

/// The longest record that is joined. A longer one stays in pieces, each with its own finding.
pub const LONGEST: usize = 16 << 20;

/// A record that was joined from several lines.
#[derive(Debug)]
pub struct Joined {
    /// Its bytes, each line feed inside written as `\n`.
    pub bytes: Vec<u8>,
    /// Offsets in `bytes` of those escapes.
    pub joints: Vec<usize>,
    /// How many lines it covers.
    pub lines: u64,
    /// How many bytes of the file it covers, from its first one to the end of its last line.
    pub length: usize,
    /// How many bytes of the file belong to it behind the block.
    pub behind: usize,
    /// Whether an LF ends its last line.
    pub ended: bool,
}

impl Joined {
    /// Where a byte of [`bytes`](Self::bytes) stands, counted from the record's first byte.
    pub fn place(&self, at: usize) -> usize {
        // an escape has one byte more than the line feed
        at - self.joints.partition_point(|joint| *joint < at)
    }
}

/// Tries to join the object that `block[start..]` begins (cut inside a string at its line's end)
/// with the lines behind it.
///
/// # Errors
/// What reading behind the block says.
pub fn join(scanner: &mut Scanner, block: &[u8], start: usize, tail: &mut dyn Tail) -> io::Result<Option<Joined>> {
    let mut run = Run::new(block, start, tail);
    let Some(first) = run.next_line()? else { return Ok(None) };
    run.bytes.extend_from_slice(&first);
    let mut attempt = 1;
    loop {
        let line = run.next_line()?;
        let stop = match &line {
            None => true,
            Some(line) => stands_alone(scanner, line) || run.bytes.len() + line.len() + 2 > LONGEST,
        };
        if let (false, Some(line)) = (stop, &line) {
            run.append(line);
        }
        if stop || run.ends.len() >= attempt {
            attempt = run.ends.len() * 2;
            match scanner.scan(&run.bytes, 0) {
                Ok(value) if value.kind == Kind::Object => {
                    let end = skip_space(&run.bytes, value.span.end);
                    return Ok(run.finish(end));
                }
                Ok(_) => return Ok(None),
                Err(fail) if !stop && fail.reason == Reason::Truncated && fail.in_string => {}
                Err(_) => return Ok(None),
            }
        }
    }
}

/// Whether a line is an object by itself: then it is no part of another record.
fn stands_alone(scanner: &mut Scanner, line: &[u8]) -> bool {
    let start = skip_space(line, 0);
    line.get(start) == Some(&b'{')
        && scanner.scan(line, start).is_ok_and(|v| skip_space(line, v.span.end) == line.len())
}

struct Run<'a> {
    block: &'a [u8],
    at: usize,
    behind: usize,
    ended: bool,
    tail: &'a mut dyn Tail,
    bytes: Vec<u8>,
    joints: Vec<usize>,
    /// For each appended line: where it ends in `bytes`, how many bytes behind the block it took, and whether an LF ends it.
    ends: Vec<(usize, usize, bool)>,
}

impl<'a> Run<'a> {
    fn new(block: &'a [u8], start: usize, tail: &'a mut dyn Tail) -> Self {
        Run { block, at: start, behind: 0, ended: true, tail, bytes: Vec::new(), joints: Vec::new(), ends: Vec::new() }
    }

    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(line) = Lines::new(self.block, self.at).next() {
            self.at = line.next();
            self.ended = line.ended;
            return Ok(Some(self.block[line.span].to_vec()));
        }
        let mut line = Vec::new();
        loop {
            let more = self.tail.after(self.behind)?;
            if more.is_empty() {
                self.ended = false;
                return Ok((!line.is_empty()).then_some(line));
            }
            let found = memchr::memchr(b'\n', more);
            line.extend_from_slice(&more[..found.unwrap_or(more.len())]);
            self.behind += found.map_or(more.len(), |at| at + 1);
            if found.is_some() || line.len() > LONGEST {
                self.ended = true;
                return Ok(Some(line));
            }
        }
    }

    fn append(&mut self, line: &[u8]) {
        self.joints.push(self.bytes.len());
        self.bytes.extend_from_slice(b"\\n");
        self.bytes.extend_from_slice(line);
        self.ends.push((self.bytes.len(), self.behind, self.ended));
    }

    /// The record that ends at `end`, if a line ends there.
    fn finish(mut self, end: usize) -> Option<Joined> {
        let last = self.ends.iter().position(|(at, ..)| *at == end)?;
        let (_, behind, ended) = self.ends[last];
        self.bytes.truncate(end);
        self.joints.truncate(last + 1);
        Some(Joined {
            length: end - (last + 1),
            lines: last as u64 + 2,
            bytes: self.bytes,
            joints: self.joints,
            behind,
            ended,
        })
    }
}
