//! Edits, plans, manifests, restoring, and the writing of new files.
//!
//! A pass makes [`Edit`]s on byte spans of its input; a [`Plan`] puts them in order and proves that
//! every input byte is accounted for; [`write_plan`] makes a new file of it, with a [`Manifest`] from which
//! [`restore`] rebuilds the input bit for bit. Beside the store this is the only layer that writes, and
//! it never writes to what it reads nor over anything that exists, but for an older [`ReportFile`].

mod compose;
mod create;
mod diff;
mod digest;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod draft;
mod lines;
pub mod manifest;
mod members;
mod plan;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod report_file;
pub mod restore;
#[allow(clippy::disallowed_methods, reason = "this layer writes")]
mod write;

pub use crate::source::manifest_path;
pub use compose::ComposeError;
pub(crate) use create::create;
pub use diff::{Change, Line, changes};
pub use digest::{Digest, Hasher};
pub use draft::remove_drafts;
pub(crate) use draft::{folder_of, sync_folder};
pub use lines::{line_end, line_start};
pub use manifest::Manifest;
pub(crate) use members::Members;
pub use plan::{Placed, Plan, PlanError, Segment, copy};
pub use report_file::{IsOwn, ReportFile, append_note};
pub use write::{
    Account, Content, Original, WriteError, make_folder, refuse, refuse_one, unstamped, write_alone, write_plan,
    write_with_manifest,
};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// How sure an edit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The meaning cannot change.
    Safe,
    /// It rests on an assumption that the reason names.
    Assumed,
    /// It was asked for by name.
    Choice,
}

impl Kind {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Safe => "safe",
            Kind::Assumed => "assumed",
            Kind::Choice => "choice",
        }
    }
}

/// Why an edit is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The code of the rule, or the name of the pass, that asks for it.
    pub cause: &'static str,
    /// How sure it is.
    pub kind: Kind,
    /// The reason, a sentence without a full stop.
    pub reason: Cow<'static, str>,
}

impl Why {
    /// A safe edit.
    pub fn safe(cause: &'static str, reason: impl Into<Cow<'static, str>>) -> Why {
        Why { cause, kind: Kind::Safe, reason: reason.into() }
    }

    /// An edit that assumes something.
    pub fn assumed(cause: &'static str, reason: impl Into<Cow<'static, str>>) -> Why {
        Why { cause, kind: Kind::Assumed, reason: reason.into() }
    }
}

/// What an edit puts into the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// These bytes; none for an edit that only sets aside.
    Bytes(Vec<u8>),
    /// The bytes of its own span, unchanged.
    Own,
}

/// Takes a span of input bytes away from its place, and puts something into the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The input bytes that it takes (offsets in the input); empty for an insertion.
    pub span: Range<u64>,
    /// Before which input byte it puts something; the span's start, except where something is moved.
    pub at: u64,
    /// What it puts there.
    pub put: Put,
    /// Why.
    pub why: Why,
}

impl Edit {
    /// Other bytes in the place of a span.
    pub fn replace(span: Range<u64>, bytes: impl Into<Vec<u8>>, why: Why) -> Edit {
        Edit { at: span.start, span, put: Put::Bytes(bytes.into()), why }
    }

    /// New bytes before the input byte `at`.
    pub fn insert(at: u64, bytes: impl Into<Vec<u8>>, why: Why) -> Edit {
        Edit::replace(at..at, bytes, why)
    }

    /// Leaves a span out of the output; the manifest keeps it.
    pub fn set_aside(span: Range<u64>, why: Why) -> Edit {
        Edit::replace(span, Vec::new(), why)
    }

    /// Moves a span, unchanged, before the input byte `at`.
    pub fn move_to(span: Range<u64>, at: u64, why: Why) -> Edit {
        Edit { span, at, put: Put::Own, why }
    }

    /// How many bytes it puts into the output.
    pub fn put_length(&self) -> u64 {
        match &self.put {
            Put::Bytes(bytes) => bytes.len() as u64,
            Put::Own => self.span.end - self.span.start,
        }
    }
}
