//! The blocks of a message's content, each with its members.

use super::Record;
use crate::json::{self, Kind, Member, Span};

/// One element of a message's content.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// Its bytes.
    pub value: &'a Span,
    /// Its type; only objects have members.
    pub kind: Kind,
    bytes: &'a [u8],
    members: &'a [Member],
    name: Option<&'a [u8]>,
}

impl<'a> Block<'a> {
    /// An element of `bytes` that was found elsewhere.
    pub fn new(bytes: &'a [u8], value: &'a Span, kind: Kind, members: &'a [Member]) -> Self {
        let mut block = Block { value, kind, bytes, members, name: None };
        // it is asked for more than once
        block.name = block.raw(b"type");
        block
    }

    /// The last member of that name: the one that counts.
    #[inline(always)]
    pub fn get(&self, name: &[u8]) -> Option<&'a Member> {
        json::get(self.members, self.bytes, name)
    }

    /// The raw bytes of a string member, without its quotes.
    #[inline(always)]
    pub fn raw(&self, name: &[u8]) -> Option<&'a [u8]> {
        let member = self.get(name).filter(|m| m.kind == Kind::String)?;
        Some(&self.bytes[super::unquoted(&member.value)])
    }

    /// What kind of block it says it is, not decoded.
    pub fn name(&self) -> Option<&'a [u8]> {
        self.name
    }

    /// The id of a tool call, a string that is not empty; `None` for any other block.
    pub fn call_id(&self) -> Option<&'a Member> {
        let member = self.get(b"id").filter(|_| self.name() == Some(b"toolCall"))?;
        (member.kind == Kind::String && member.value.len() > 2).then_some(member)
    }
}

impl<'a> Record<'a> {
    /// The message's `nth` tool call that has an id, as they are counted in the index.
    pub fn call(&self, nth: usize) -> Option<Block<'a>> {
        self.blocks().filter(|block| block.call_id().is_some()).nth(nth)
    }

    /// The elements of the message's content, if that is an array.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let bytes = self.bytes;
        let blocks = self.scanner.blocks_with_members();
        blocks.map(move |(block, members)| Block::new(bytes, &block.value, block.kind, members))
    }
}
