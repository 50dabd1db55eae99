//! A source in blocks of whole lines.
//!
//! A file is cut into slots of fixed size; a line belongs to the slot of its first byte. So every
//! slot can be read on its own, in any order, and each line is read once.

use super::{Source, Stream, shrunk};
use std::io::{self, Read};

/// The size of a slot.
pub const SLOT: u64 = 512 << 10;

/// How much a buffer grows at least when a line does not fit.
const STEP: usize = 1 << 20;

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

/// Reads the lines that begin in slot `index` into `buffer`; `None` if none does.
///
/// # Errors
/// What reading says; a file that became shorter than `size` is an error.
pub fn read<'a>(source: &Source, size: u64, index: u64, buffer: &'a mut Vec<u8>) -> io::Result<Option<Block<'a>>> {
    let start = index * SLOT;
    let end = (start + SLOT).min(size);
    // the byte before tells whether a line begins at the slot's first byte
    let from = start.saturating_sub(1);
    fill(source, from, (end - from) as usize, buffer)?;
    let skip = if index == 0 {
        0
    } else {
        match memchr::memchr(b'\n', buffer) {
            Some(at) if from + (at as u64) + 1 < end => at + 1,
            _ => return Ok(None),
        }
    };
    while buffer.last() != Some(&b'\n') {
        let have = buffer.len();
        let at = from + have as u64;
        if at >= size {
            break;
        }
        let step = STEP.max(have / 8).min(usize::try_from(size - at).unwrap_or(usize::MAX));
        buffer.reserve_exact(step);
        buffer.resize(have + step, 0);
        let n = source.read_at(at, &mut buffer[have..])?;
        if n < step {
            return Err(shrunk());
        }
        if let Some(lf) = memchr::memchr(b'\n', &buffer[have..]) {
            buffer.truncate(have + lf + 1);
        }
    }
    Ok(Some(Block { offset: from + skip as u64, bytes: &buffer[skip..] }))
}

fn fill(source: &Source, from: u64, length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    if buffer.capacity() > 8 * STEP {
        *buffer = Vec::new();
    }
    buffer.resize(length, 0);
    if source.read_at(from, buffer)? < length {
        return Err(shrunk());
    }
    Ok(())
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
