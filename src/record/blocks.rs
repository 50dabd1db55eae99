//! The blocks of a message's content, each with its members.

use super::Record;
use crate::json::{BlockMember, Kind, Member, Span};

/// One element of a message's content.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// Its bytes.
    pub value: &'a Span,
    /// Its type; only objects have members.
    pub kind: Kind,
    bytes: &'a [u8],
    members: &'a [BlockMember],
    name: Option<&'a [u8]>,
}

impl<'a> Block<'a> {
    /// An element of `bytes` that was found elsewhere.
    pub fn new(bytes: &'a [u8], value: &'a Span, kind: Kind, members: &'a [BlockMember]) -> Self {
        let mut block = Block { value, kind, bytes, members, name: None };
        // it is asked for more than once
        block.name = block.raw(b"type");
        block
    }

    /// The last member of that name: the one that counts.
    #[inline]
    pub fn get(&self, name: &[u8]) -> Option<&'a Member> {
        self.members.iter().rev().map(|m| &m.member).find(|m| m.is(self.bytes, name))
    }

    /// The raw bytes of a string member, without its quotes.
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
    pub fn blocks(&self) -> Blocks<'a> {
        Blocks { record: *self, next: 0, members: &self.scanner.block_members }
    }
}

/// Iterator of [`Record::blocks`].
pub struct Blocks<'a> {
    record: Record<'a>,
    next: usize,
    members: &'a [BlockMember],
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let block = self.record.scanner.blocks.get(self.next)?;
        let count = self.members.iter().take_while(|m| m.block as usize == self.next).count();
        let (own, rest) = self.members.split_at(count);
        self.members = rest;
        self.next += 1;
        Some(Block::new(self.record.bytes, &block.value, block.kind, own))
    }
}
