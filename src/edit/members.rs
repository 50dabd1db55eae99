//! Changes to the members of one record, as edits.

use super::{Edit, Why};
use crate::json::{Member, Span};
use crate::record::Record;

/// Changes members of one record, which stands in the file from `base` on and is no joined one.
pub(crate) struct Members<'a> {
    /// The record.
    pub(crate) record: Record<'a>,
    base: u64,
    edits: Vec<Edit>,
    /// Members to add behind the last one, as JSON with a comma before each.
    added: Vec<u8>,
}

impl<'a> Members<'a> {
    /// No change to `record` yet.
    pub(crate) fn new(record: Record<'a>, base: u64) -> Self {
        Members { record, base, edits: Vec::new(), added: Vec::new() }
    }

    /// Grows with every change.
    pub(crate) fn changes(&self) -> usize {
        self.edits.len() + self.added.len()
    }

    fn span(&self, span: Span) -> std::ops::Range<u64> {
        self.base + span.start as u64..self.base + span.end as u64
    }

    /// Puts other bytes in the place of a part of the record.
    pub(crate) fn replace(&mut self, span: Span, bytes: &[u8], why: Why) {
        self.edits.push(Edit::replace(self.span(span), bytes, why));
    }

    /// Gives the member `name` this value (JSON); it is added where it is not there. Of a repeated key
    /// the last one is changed: the one that counts. No edit where it has that value already.
    pub(crate) fn set(&mut self, name: &str, value: &[u8], why: &Why) {
        match self.record.get(name.as_bytes()) {
            Some(member) if &self.record.bytes[member.value.clone()] == value => {}
            Some(member) => self.replace(member.value.clone(), value, why.clone()),
            None => self.add(name, value),
        }
    }

    fn add(&mut self, name: &str, value: &[u8]) {
        self.added.extend_from_slice(format!(",\"{name}\":").as_bytes());
        self.added.extend_from_slice(value);
    }

    /// Removes every member of that name except the one that is `kept`, each with one comma.
    pub(crate) fn remove(&mut self, name: &[u8], kept: Option<&Member>, why: &Why) {
        let (top, bytes) = (self.record.top, self.record.bytes);
        let goes = |n: usize| {
            let member = &top[n];
            member.is(bytes, name) && kept.is_none_or(|kept| kept.value != member.value)
        };
        let mut n = 0;
        while n < top.len() {
            let end = (n..top.len()).find(|&m| !goes(m)).unwrap_or(top.len());
            if end > n {
                let key = |m: usize| top[m].key.start - 1;
                let span = match n.checked_sub(1) {
                    Some(before) => top[before].value.end..top[end - 1].value.end,
                    None if end < top.len() => key(n)..key(end),
                    None => key(n)..top[end - 1].value.end,
                };
                self.replace(span, b"", why.clone());
            }
            n = end + 1;
        }
    }

    /// The edits; `why` is the reason of what was added.
    pub(crate) fn finish(mut self, why: &Why) -> Vec<Edit> {
        if !self.added.is_empty() {
            let (at, added) = match self.record.top.last() {
                Some(last) => (last.value.end, self.added.as_slice()),
                // an empty object: behind its brace, and no comma
                None => (crate::json::skip_space(self.record.bytes, 0) + 1, &self.added[1..]),
            };
            self.edits.push(Edit::insert(self.base + at as u64, added, why.clone()));
        }
        self.edits
    }
}
