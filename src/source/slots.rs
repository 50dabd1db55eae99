//! A source in blocks of whole lines.
//!
//! A file is cut into slots of fixed size; a line belongs to the slot of its first byte. So every
//! slot can be read on its own, in any order, and each line is read once.

use super::{Source, Stream, shrunk};
use std::io::{self, Read};

/// The size of a slot.
pub const SLOT: u64 = 1 << 20;

/// How much is read at first, and at most, of a line that goes on behind its slot.
const FIRST_STEP: usize = 16 << 10;
const STEP: usize = 1 << 20;

/// A buffer of this size grows by an eighth.
const LARGE: usize = 8 * STEP;

/// Whole lines that follow each other in the file.
pub struct Block<'a> {
    /// The offset of the first byte in the file.
    pub offset: u64,
    /// The lines; only the very last of a file may lack its LF.
    pub bytes: &'a [u8],
}

/// What follows a block, for records that go on in lines behind it.
pub trait Tail {
    /// The bytes behind the block from `from` on (counted from the block's end); empty at the end
    /// of the file.
    ///
    /// # Errors
    /// What reading says.
    fn after(&mut self, from: usize) -> io::Result<&[u8]>;
}

/// How many slots a source of `size` bytes has.
pub fn count(size: u64) -> u64 {
    size.div_ceil(SLOT)
}

/// Slots are read from a page boundary to a page boundary of memory: the kernel copies several
/// times as fast when both sides are aligned alike.
const PAGE: usize = 4096;

/// Reads the lines that begin in slot `index` into `buffer`; `None` if none does.
///
/// # Errors
/// What reading says; a file that became shorter than `size` is an error.
pub fn read<'a>(source: &Source, size: u64, index: u64, buffer: &'a mut Vec<u8>) -> io::Result<Option<Block<'a>>> {
    let start = index * SLOT;
    let end = (start + SLOT).min(size);
    if buffer.len() > 8 * STEP {
        *buffer = Vec::new();
    }
    let least = 2 * PAGE + SLOT as usize;
    if buffer.len() < least {
        buffer.resize(least, 0);
    }
    let pad = buffer.as_ptr().align_offset(PAGE).min(PAGE);
    // the byte before tells whether a line begins at the slot's first byte
    let from = start.saturating_sub(PAGE as u64);
    let mut used = pad + (end - from) as usize;
    fill(source, from, buffer, pad, used)?;
    let first = match index {
        0 => pad,
        _ => match memchr::memchr(b'\n', &buffer[pad + PAGE - 1..used]) {
            Some(at) if at + 1 < used - (pad + PAGE - 1) => pad + PAGE + at,
            _ => return Ok(None),
        },
    };
    let in_slot = used;
    while buffer[used - 1] != b'\n' && from + ((used - pad) as u64) < size {
        let at = from + (used - pad) as u64;
        // a line that goes on is mostly short: what is read too much is read twice
        let step = (used - in_slot).clamp(FIRST_STEP, STEP).max(used / 8 * usize::from(used > LARGE));
        let step = step.min(usize::try_from(size - at).unwrap_or(usize::MAX));
        fill(source, at, buffer, used, used + step)?;
        let more = &buffer[used..used + step];
        used += memchr::memchr(b'\n', more).map_or(step, |at| at + 1);
    }
    Ok(Some(Block { offset: from + (first - pad) as u64, bytes: &buffer[first..used] }))
}

/// Reads what stands from `offset` on to `buffer[at..end]`. The buffer only grows: filling it with
/// zeros each time would cost as much as reading.
fn fill(source: &Source, offset: u64, buffer: &mut Vec<u8>, at: usize, end: usize) -> io::Result<()> {
    if buffer.len() < end {
        buffer.reserve_exact(end - buffer.len());
        buffer.resize(end, 0);
    }
    match source.read_at(offset, &mut buffer[at..end])? {
        n if n < end - at => Err(shrunk()),
        _ => Ok(()),
    }
}

/// What follows a block of a source that can be read by position.
pub struct SourceTail<'a> {
    source: &'a Source,
    size: u64,
    end: u64,
    buffer: Vec<u8>,
}

impl<'a> SourceTail<'a> {
    /// The tail of a block that ends at offset `end`.
    pub fn new(source: &'a Source, size: u64, end: u64) -> Self {
        SourceTail { source, size, end, buffer: Vec::new() }
    }
}

impl Tail for SourceTail<'_> {
    fn after(&mut self, from: usize) -> io::Result<&[u8]> {
        let at = self.end + from as u64;
        let length = (self.size.saturating_sub(at) as usize).min(256 << 10);
        self.buffer.resize(length, 0);
        let n = self.source.read_at(at, &mut self.buffer)?;
        self.buffer.truncate(n);
        Ok(&self.buffer)
    }
}

/// Reads a pipe block by block.
pub struct StreamBlocks<'s> {
    stream: &'s mut Stream,
    /// Bytes that were read; those before `start` are done with.
    buffer: Vec<u8>,
    start: usize,
    /// How many bytes behind `start` the last block took.
    given: usize,
    offset: u64,
    ended: bool,
}

impl<'s> StreamBlocks<'s> {
    pub(crate) fn new(stream: &'s mut Stream) -> Self {
        let buffer = std::mem::take(&mut stream.held);
        StreamBlocks { stream, buffer, start: 0, given: 0, offset: 0, ended: false }
    }

    /// Lets the next block begin `n` bytes later: they were part of a record that began before.
    pub fn skip(&mut self, n: usize) {
        self.given = (self.given + n).min(self.buffer.len() - self.start);
    }

    /// Gives the next block, and what follows it, to `work`; `None` at the end.
    ///
    /// # Errors
    /// What the reader or `work` says.
    pub fn next<T>(&mut self, work: impl FnOnce(Block<'_>, &mut dyn Tail) -> io::Result<T>) -> io::Result<Option<T>> {
        self.offset += self.given as u64;
        self.start += self.given;
        self.given = 0;
        if self.start > 8 * STEP || self.start == self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let length = self.block_length()?;
        if length == 0 {
            return Ok(None);
        }
        self.given = length;
        // a copy, since looking at what follows may move the buffer
        let head = self.buffer[self.start..self.start + length].to_vec();
        let block = Block { offset: self.offset, bytes: &head };
        let mut tail = StreamTail { end: length, blocks: self };
        work(block, &mut tail).map(Some)
    }

    /// How many of the bytes at hand make the next block; reads until there are enough.
    fn block_length(&mut self) -> io::Result<usize> {
        let slot = SLOT as usize;
        let mut searched = 0;
        loop {
            let at_hand = &self.buffer[self.start..];
            if at_hand.len() >= slot {
                let last_in_slot = if searched == 0 { memchr::memrchr(b'\n', &at_hand[..slot]) } else { None };
                let first_behind = || memchr::memchr(b'\n', &at_hand[searched..]).map(|at| searched + at);
                if let Some(at) = last_in_slot.or_else(first_behind) {
                    return Ok(at + 1);
                }
                searched = at_hand.len();
            }
            if !self.more()? {
                return Ok(self.buffer.len() - self.start);
            }
        }
    }

    /// Reads on; whether there was anything.
    fn more(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let n = self.stream.rest.by_ref().take(STEP as u64).read_to_end(&mut self.buffer)?;
        self.ended = n == 0;
        Ok(n > 0)
    }
}

struct StreamTail<'b, 's> {
    blocks: &'b mut StreamBlocks<'s>,
    end: usize,
}

impl Tail for StreamTail<'_, '_> {
    fn after(&mut self, from: usize) -> io::Result<&[u8]> {
        let blocks = &mut *self.blocks;
        let at = blocks.start + self.end + from;
        if blocks.buffer.len() <= at {
            blocks.more()?;
        }
        Ok(blocks.buffer.get(at..).unwrap_or_default())
    }
}
