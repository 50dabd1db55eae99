//! What an entry has to be before it is taken: what `validate` would call an error never gets in.

use super::{Error, SessionLog};
use crate::dialect::pi::{EntryType, Role};
use crate::rules::Severity;
use crate::rules::check::Checker;
use crate::session::grow::Staged;
use crate::session::{Entry, Ref, RefKind, RefValue, flags};

impl SessionLog {
    /// Whether an entry may follow those that are there.
    pub(super) fn admit(&self, staged: &Staged<Checker>) -> Result<(), Error> {
        let entry = staged.entry().ok_or_else(|| Error::Entry(what_it_is(staged)))?;
        fields(entry, staged)?;
        let id = staged.id();
        if self.is_taken(&id) {
            return Err(Error::TakenId(text(&id)));
        }
        let parent = match entry.has(flags::PARENT_NULL) {
            true => None,
            false => Some(self.hook(&staged.parent())?),
        };
        staged.refs().try_for_each(|(reference, named)| self.reference(reference, named, &id, parent))
    }

    /// Whether what an entry names is there; `id` is its own, `parent` what it hangs on.
    fn reference(&self, reference: &Ref, named: Option<Vec<u8>>, id: &[u8], parent: Option<u32>) -> Result<(), Error> {
        let Some(named) = named else { return self.unnamed(reference) };
        match reference.kind {
            RefKind::FirstKept if named == id => Ok(()),
            RefKind::FirstKept => {
                let kept = self.known(&named)?;
                let on_branch = parent.is_some_and(|parent| self.session.path(parent).any(|n| n == kept));
                if on_branch { Ok(()) } else { Err(Error::OffBranch(text(&named))) }
            }
            // words that pi writes where there was no entry
            RefKind::SummarySource if matches!(&named[..], b"root" | b"unknown") => Ok(()),
            RefKind::LeafTarget => self.hook(&named).map(drop),
            _ => self.known(&named).map(drop),
        }
    }

    /// Whether an entry may do without naming anything.
    fn unnamed(&self, reference: &Ref) -> Result<(), Error> {
        match (reference.kind, reference.value) {
            (RefKind::LeafTarget, RefValue::Null) | (RefKind::SummarySource, RefValue::Absent | RefValue::Null) => {
                Ok(())
            }
            (RefKind::FirstKeptIndex, _) => Ok(()),
            (RefKind::FirstKept, _) => Err(Error::Entry("the compaction does not say what it keeps".to_string())),
            _ => Err(Error::Entry("its target is no id".to_string())),
        }
    }
}

/// Whether an entry has what every entry has, and what its type needs.
fn fields(entry: &Entry, staged: &Staged<Checker>) -> Result<(), Error> {
    let lacks = |what: &str| Err(Error::Entry(what.to_string()));
    if let Some(finding) = staged.observer().sink.findings.iter().find(|f| f.severity == Severity::Error) {
        return Err(Error::Entry(format!("{} ({})", finding.message, finding.rule.code)));
    }
    match entry {
        _ if entry.kind == EntryType::Missing => lacks("it has no `type`"),
        _ if !entry.has(flags::ID) => lacks("it has no `id`, or one that is no text"),
        _ if entry.has(flags::PARENT_ABSENT | flags::PARENT_NO_STRING) => {
            lacks("its `parentId` is absent, or neither a text nor null")
        }
        _ if entry.has(flags::TIME_ABSENT | flags::TIME_NO_STRING) => lacks("it has no `timestamp`"),
        _ if entry.kind == EntryType::Message && entry.role == Role::None => lacks("its message has no role"),
        _ => Ok(()),
    }
}

/// What a line is that is no entry.
fn what_it_is(staged: &Staged<Checker>) -> String {
    let sink = &staged.observer().sink;
    match sink.findings.iter().find(|f| f.severity == Severity::Error) {
        Some(finding) => format!("{} ({})", finding.message, finding.rule.code),
        None => "it is not one JSON object that is an entry".to_string(),
    }
}

fn text(id: &[u8]) -> String {
    String::from_utf8_lossy(id).into_owned()
}
