//! A line as records and debris.
//!
//! [`take_apart`] finds the pieces of a line at its top level: whole objects, cut objects, junk,
//! NULs, byte order marks. Each whole object is a record; the rest is debris that a repair sets
//! aside. A brace inside a string never counts: objects are found by scanning, not by searching.

pub mod blocks;
pub mod join;
mod pieces;
pub mod readable;

pub use pieces::{Known, Piece, PieceKind, Pieces, take_apart};

use crate::json::{self, Kind, Member, Scanner, Span};
use std::borrow::Cow;

/// A scanned record: its members, and the bytes they point into.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// The bytes that the members' spans point into.
    pub bytes: &'a [u8],
    /// Members of the record.
    pub top: &'a [Member],
    /// Members of its `message`, if that is an object.
    pub inner: &'a [Member],
    /// What the scanner kept of `message.content`, and what else it saw.
    pub scanner: &'a Scanner,
}

impl<'a> Record<'a> {
    /// The record that `scanner` has just read from `bytes`.
    pub fn new(bytes: &'a [u8], scanner: &'a Scanner) -> Self {
        Record { bytes, top: &scanner.top, inner: &scanner.inner, scanner }
    }

    /// The last member of that name: the one that counts.
    #[inline(always)]
    pub fn get(&self, name: &[u8]) -> Option<&'a Member> {
        json::get(self.top, self.bytes, name)
    }

    /// The last member of that name of the message.
    #[inline(always)]
    pub fn get_inner(&self, name: &[u8]) -> Option<&'a Member> {
        json::get(self.inner, self.bytes, name)
    }

    /// The raw bytes of a string value, without its quotes; `None` if it is no string.
    pub fn raw_string(&self, member: &Member) -> Option<&'a [u8]> {
        (member.kind == Kind::String).then(|| &self.bytes[unquoted(&member.value)])
    }

    /// A string value, decoded; `None` if it is no string.
    pub fn string(&self, member: &Member) -> Option<Cow<'a, [u8]>> {
        (member.kind == Kind::String).then(|| json::text::decode_at(self.bytes, unquoted(&member.value)))
    }

    /// The decoded text of a string member; bytes that are no UTF-8 as U+FFFD.
    pub fn text(&self, name: &[u8]) -> Option<String> {
        self.get(name).and_then(|m| self.raw_string(m)).map(json::text::to_text)
    }

    /// A value as it stands in the file, made valid UTF-8.
    pub fn raw(&self, span: &Span) -> String {
        String::from_utf8_lossy(&self.bytes[span.clone()]).into_owned()
    }
}

/// A string's span without the quotes.
pub fn unquoted(span: &Span) -> Span {
    span.start + 1..span.end - 1
}
