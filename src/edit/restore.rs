//! Rebuilding an input, bit for bit, from an output and its manifest.
//!
//! A manifest may have been altered, by accident or on purpose. [`Recipe::new`] accepts only what fits
//! together; nothing is trusted before, and nothing is allocated by a number that a manifest names.

use super::manifest::{Extent, File, Manifest, Op, Piece, Record, SCHEMA};
use super::plan::{CHUNK, copy};
use super::{Digest, Hasher};
use crate::source::Source;
use std::fmt;
use std::io;
use std::ops::Range;

/// Why an input cannot be rebuilt.
#[derive(Debug)]
pub enum RestoreError {
    /// The manifest is of another format or of a later version.
    Schema(String),
    /// The output is a session of its own, made from the named one.
    Provenance {
        /// The verb that made it.
        verb: String,
        /// What it was made from.
        input: File,
    },
    /// The output is not as it was written.
    Altered {
        /// What the manifest says.
        expected: Digest,
        /// What was read.
        found: Digest,
    },
    /// The manifest contradicts itself: in which edit (from 1), and how.
    Edit(usize, &'static str),
    /// Its parts do not come to the sizes that it names.
    Sizes,
    /// What comes out is not the input.
    Input {
        /// What the manifest says.
        expected: Digest,
        /// What came out.
        found: Digest,
    },
    /// The output cannot be read.
    Read(io::Error),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Schema(schema) => {
                write!(f, "the manifest is of schema '{schema}'; this program knows '{SCHEMA}'")
            }
            RestoreError::Provenance { verb, input } => write!(
                f,
                "it is a session of its own, made by {verb}; its manifest only says from what: {} ({})",
                input.name, input.digest
            ),
            RestoreError::Altered { expected, found } => {
                write!(f, "it was altered since it was written: it had {expected}, and has {found}")
            }
            RestoreError::Edit(n, what) => write!(f, "the manifest is damaged: edit {n} {what}"),
            RestoreError::Sizes => f.write_str("the manifest is damaged: its edits do not come to the sizes it names"),
            RestoreError::Input { expected, found } => {
                write!(f, "the manifest is damaged: the original had {expected}, and what would be rebuilt has {found}")
            }
            RestoreError::Read(error) => write!(f, "cannot read it: {}", crate::source::inputs::reason(error)),
        }
    }
}

impl std::error::Error for RestoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RestoreError::Read(error) => Some(error),
            _ => None,
        }
    }
}

/// How an input is put together again.
pub struct Recipe<'a> {
    manifest: &'a Manifest,
    /// The spans of the output that edits put there, none of them empty, in output order.
    put: Vec<Range<u64>>,
}

impl<'a> Recipe<'a> {
    /// Holds a manifest against itself.
    ///
    /// # Errors
    /// It is none that an input can be rebuilt from.
    pub fn new(manifest: &'a Manifest) -> Result<Recipe<'a>, RestoreError> {
        if manifest.schema != SCHEMA {
            return Err(RestoreError::Schema(manifest.schema.clone()));
        }
        if !manifest.restorable {
            let (verb, input) = (manifest.verb.clone(), manifest.input.clone());
            return Err(RestoreError::Provenance { verb, input });
        }
        let taken = check_edits(manifest)?;
        let mut put: Vec<Range<u64>> = manifest.edits.iter().filter_map(|edit| span(edit.output)).collect();
        put.sort_by_key(|span| span.start);
        if put.windows(2).any(|pair| pair[1].start < pair[0].end) {
            return Err(RestoreError::Sizes);
        }
        // no overlaps and all within the output, so that the sum is less than its size
        let new: u64 = put.iter().map(|span| span.end - span.start).sum();
        match manifest.input.digest.size - taken == manifest.output.digest.size - new {
            true => Ok(Recipe { manifest, put }),
            false => Err(RestoreError::Sizes),
        }
    }

    /// Hands the input's bytes to `sink`, in order.
    ///
    /// # Errors
    /// What reading or `sink` says.
    pub fn feed(&self, output: &Source, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut kept = Rest { put: &self.put, at: 0 };
        let mut at = 0;
        for edit in &self.manifest.edits {
            kept.next(edit.input.offset - at, output, sink)?;
            at = edit.input.offset + edit.input.length;
            match edit.op {
                Op::Move => copy(output, &span(edit.output).unwrap_or_default(), sink)?,
                _ => edit.original.iter().try_for_each(|piece| emit(piece, sink))?,
            }
        }
        kept.next(self.manifest.input.digest.size - at, output, sink)
    }

    /// Proves that the input can be rebuilt, without writing anything.
    ///
    /// # Errors
    /// The output was altered, or something else comes out than the manifest says.
    pub fn prove(&self, output: &Source) -> Result<(), RestoreError> {
        let found = Digest::of(output).map_err(RestoreError::Read)?;
        let expected = &self.manifest.output.digest;
        if found != *expected {
            return Err(RestoreError::Altered { expected: expected.clone(), found });
        }
        let mut hasher = Hasher::default();
        self.feed(output, &mut |bytes| {
            hasher.add(bytes);
            Ok(())
        })
        .map_err(RestoreError::Read)?;
        let (found, expected) = (hasher.finish(), &self.manifest.input.digest);
        match found == *expected {
            true => Ok(()),
            false => Err(RestoreError::Input { expected: expected.clone(), found }),
        }
    }
}

/// Holds each edit against the one before it and against the files; how many input bytes they take.
fn check_edits(manifest: &Manifest) -> Result<u64, RestoreError> {
    let (mut at, mut taken) = (0, 0);
    for (n, edit) in (1..).zip(&manifest.edits) {
        let wrong = |what| RestoreError::Edit(n, what);
        let input_end = edit.input.end().filter(|end| *end <= manifest.input.digest.size);
        let input_end = input_end.ok_or_else(|| wrong("takes bytes behind the end of the input"))?;
        if edit.output.end().is_none_or(|end| end > manifest.output.digest.size) {
            return Err(wrong("puts bytes behind the end of the output"));
        }
        if edit.input.offset < at {
            return Err(wrong("is out of order, or takes bytes that another one takes"));
        }
        check_bytes(edit).map_err(wrong)?;
        at = input_end;
        taken += edit.input.length;
    }
    Ok(taken)
}

fn check_bytes(edit: &Record) -> Result<(), &'static str> {
    let length = edit.original.iter().try_fold(0u64, |sum, piece| sum.checked_add(piece.length()));
    match edit.op {
        Op::Move if !edit.original.is_empty() || edit.output.length != edit.input.length => {
            Err("moves bytes and does not keep them")
        }
        Op::Move => Ok(()),
        _ if length != Some(edit.input.length) => Err("has not as many original bytes as it takes"),
        _ => Ok(()),
    }
}

fn span(extent: Extent) -> Option<Range<u64>> {
    let end = extent.end()?;
    (extent.length > 0).then_some(extent.offset..end)
}

fn emit(piece: &Piece, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    match piece {
        Piece::Bytes { base64 } => sink(base64),
        Piece::Run { byte, length } => {
            let run = vec![*byte; (*length).min(CHUNK) as usize];
            let mut left = *length;
            while left > 0 {
                let n = left.min(CHUNK);
                sink(&run[..n as usize])?;
                left -= n;
            }
            Ok(())
        }
    }
}

/// The output without what edits have put there: what was kept of the input, in order.
struct Rest<'a> {
    put: &'a [Range<u64>],
    at: u64,
}

impl Rest<'_> {
    /// Hands the next `length` bytes to `sink`.
    fn next(
        &mut self,
        mut length: u64,
        output: &Source,
        sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        while length > 0 {
            let next = self.put.first();
            let room = next.map_or(length, |span| length.min(span.start - self.at));
            copy(output, &(self.at..self.at + room), sink)?;
            self.at += room;
            length -= room;
            if let Some(span) = next.filter(|span| span.start == self.at) {
                self.at = span.end;
                self.put = &self.put[1..];
            }
        }
        Ok(())
    }
}
