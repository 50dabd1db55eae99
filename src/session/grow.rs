//! A session that grows by one line: the index of the whole file is not made again.

use super::scan::{BlockPart, BlockScan, Observer, Options};
use super::{Entry, Parent, Ref, RefKind, RefValue, Session, flags};
use crate::json::Scanner;
use crate::source::slots::{Block, Tail};
use std::io;

/// A line that was scanned, and is no part of a session yet.
pub struct Staged<O> {
    part: BlockPart<O>,
}

/// Behind the line there is nothing.
struct Nothing;

impl Tail for Nothing {
    fn after(&mut self, _: usize) -> io::Result<&[u8]> {
        Ok(&[])
    }
}

impl<O: Observer> Staged<O> {
    /// Scans a line with its LF that will stand at `offset` in the file.
    ///
    /// # Errors
    /// None that content could cause.
    pub fn scan(scanner: &mut Scanner, line: &[u8], offset: u64) -> io::Result<Staged<O>> {
        let block = Block { offset, bytes: line };
        BlockScan::run(scanner, &Options::default(), &block, 0, &mut Nothing).map(|part| Staged { part })
    }

    /// What looked on while it was scanned.
    pub fn observer(&self) -> &O {
        &self.part.observer
    }

    /// The entry, if the line is one entry and nothing else.
    pub fn entry(&self) -> Option<&Entry> {
        let facts = &self.part.facts;
        let one = facts.lines == 1 && facts.objects == 1 && facts.dropped == 0 && facts.blank.count == 0;
        self.part.entries.first().filter(|_| one).map(|(row, _)| row)
    }

    /// The id of the entry, decoded.
    pub fn id(&self) -> Vec<u8> {
        self.part.entries.first().map(|(row, _)| self.part.arena.get(row.id)).unwrap_or_default()
    }

    /// What the entry names as its parent, decoded; empty where that is no string.
    pub fn parent(&self) -> Vec<u8> {
        self.part.entries.first().map(|(_, parent)| self.part.arena.get(*parent)).unwrap_or_default()
    }

    /// The references of the entry other than its parent; the id of each that is one, decoded.
    pub fn refs(&self) -> impl Iterator<Item = (&Ref, Option<Vec<u8>>)> {
        self.part.refs.iter().map(|r| match r.value {
            RefValue::Id(key) => (r, Some(self.part.arena.get(key))),
            _ => (r, None),
        })
    }
}

impl Session {
    /// Takes in a line that now stands behind all others. Its parent and what it refers to are looked up
    /// among the entries that are there. Whoever lets a session grow sees to it that no entry has the new
    /// id, and that nothing which was there before waits for it.
    ///
    /// # Errors
    /// There are too many entries to be indexed.
    pub fn grow<O>(&mut self, staged: Staged<O>) -> io::Result<()> {
        let (first, refs) = (self.entries.len() as u32, self.refs.len());
        self.take_in(staged.part, |_, _| {})?;
        for n in first..self.entries.len() as u32 {
            if self.entries[n as usize].has(flags::ID) {
                self.table.insert(&self.entries, &self.arena, n);
            }
        }
        if let Some(&(n, key)) = self.pending.last()
            && n >= first
            && let Some(parent) = self.find_key(key)
        {
            self.pending.pop();
            self.links[n as usize] = Parent::Entry(parent).link();
        }
        for n in refs..self.refs.len() {
            if let RefValue::Id(key) = self.refs[n].value {
                self.refs[n].target = self.find_key(key);
            }
        }
        Ok(())
    }

    /// The reference of an entry of that kind.
    pub fn reference(&self, entry: u32, kind: RefKind) -> Option<&Ref> {
        let start = self.refs.partition_point(|r| r.entry < entry);
        self.refs[start..].iter().take_while(|r| r.entry == entry).find(|r| r.kind == kind)
    }
}
