//! The manifest: what was done to an input, and the bytes that the output no longer has.
//!
//! Its JSON is described in `docs/manifest.md`.

use super::plan::{Placed, Plan, copy};
use super::{Digest, Hasher, Kind, Put};
use crate::source::Source;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// The name and version of the format.
pub const SCHEMA: &str = "sesstool.manifest/1";

/// The cause under which a stamp stands among the edits: an entry of the output that names the manifest.
pub const STAMP: &str = "stamp";

/// From how many equal bytes on a run is stored as a length.
const LONG_RUN: usize = 64;

/// What was done to an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that made the output.
    pub tool: Tool,
    /// The verb that made it.
    pub verb: String,
    /// The options that had a part in what it looks like.
    pub options: BTreeMap<String, Value>,
    /// Whether the input can be rebuilt; otherwise the manifest only says where the output comes from.
    pub restorable: bool,
    /// The input.
    pub input: File,
    /// The output.
    pub output: File,
    /// What was changed, by input offset.
    pub edits: Vec<Record>,
}

/// The program and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name, without folders.
    pub name: String,
    /// Its size and SHA-256.
    #[serde(flatten)]
    pub digest: Digest,
}

/// A manifest without its output and its edits.
#[derive(Serialize)]
struct Unstamped<'a> {
    schema: &'a str,
    tool: &'a Tool,
    verb: &'a str,
    options: &'a BTreeMap<String, Value>,
    restorable: bool,
    input: &'a File,
    edits: [(); 0],
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// Other bytes stand in the place of the original ones.
    Replace,
    /// Bytes that the input does not have.
    Insert,
    /// The original bytes are not in the output.
    SetAside,
    /// The bytes stand elsewhere, unchanged.
    Move,
}

/// Bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// The offset of the first one.
    pub offset: u64,
    /// How many.
    pub length: u64,
}

impl Extent {
    /// The offset behind the last byte; `None` where that is no number.
    pub fn end(self) -> Option<u64> {
        self.offset.checked_add(self.length)
    }
}

impl From<Range<u64>> for Extent {
    fn from(span: Range<u64>) -> Self {
        Extent { offset: span.start, length: span.end - span.start }
    }
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What it does.
    pub op: Op,
    /// The code of the rule, or the name of the pass, that asked for it.
    pub cause: Cow<'static, str>,
    /// How sure it is.
    pub kind: Kind,
    /// Why.
    pub reason: Cow<'static, str>,
    /// The input bytes that it took.
    pub input: Extent,
    /// The output bytes that it put.
    pub output: Extent,
    /// The input bytes, where the output does not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub original: Vec<Piece>,
}

/// Original bytes, or a part of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Piece {
    /// Bytes as they were.
    Bytes {
        /// In JSON as base64 with padding (RFC 4648, section 4).
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        base64: Vec<u8>,
    },
    /// One byte, many times.
    Run {
        /// The byte.
        byte: u8,
        /// How often.
        length: u64,
    },
}

impl Piece {
    /// How many bytes it stands for.
    pub fn length(&self) -> u64 {
        match self {
            Piece::Bytes { base64 } => base64.len() as u64,
            Piece::Run { length, .. } => *length,
        }
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    STANDARD.decode(text.as_bytes()).map_err(D::Error::custom)
}

impl Manifest {
    /// The manifest of a plan that was applied to `input`.
    ///
    /// # Errors
    /// What reading the original bytes says.
    pub fn of_plan(plan: &Plan, input: &Source) -> io::Result<Vec<Record>> {
        plan.placed().into_iter().map(|placed| record(placed, input)).collect()
    }

    /// Writes it as JSON, one edit a line, so that it can be read and compared by people, too.
    ///
    /// # Errors
    /// What `sink` says.
    pub fn print(&self, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let head = serde_json::to_string(&self.without_edits())?;
        let head = head.strip_suffix("]}").ok_or_else(|| io::Error::other("the edits are not the last member"))?;
        sink(head.as_bytes())?;
        for (n, edit) in self.edits.iter().enumerate() {
            sink(if n == 0 { b"\n" } else { b",\n" })?;
            sink(&serde_json::to_vec(edit)?)?;
        }
        sink(if self.edits.is_empty() { b"]}\n" } else { b"\n]}\n" })
    }

    /// The digest that a stamp in the output names. It is that of the text that [`print`](Self::print) gives,
    /// without the member `output` and without the stamp's line: a file cannot hold the hash of a text that
    /// holds the file's own.
    ///
    /// # Errors
    /// None that is expected: what is printed goes to memory.
    pub fn unstamped(&self) -> io::Result<Digest> {
        let Manifest { schema, tool, verb, options, restorable, input, output: _, edits: _ } = self;
        let head = Unstamped { schema, tool, verb, options, restorable: *restorable, input, edits: [] };
        let head = serde_json::to_string(&head)?;
        let mut hasher = Hasher::default();
        hasher.add(head.trim_end_matches("]}").as_bytes());
        for edit in self.edits.iter().filter(|edit| edit.cause != STAMP) {
            hasher.add(b"\n");
            hasher.add(&serde_json::to_vec(edit)?);
            hasher.add(b",");
        }
        hasher.add(b"\n]}\n");
        Ok(hasher.finish())
    }

    fn without_edits(&self) -> Manifest {
        let Manifest { schema, tool, verb, options, restorable, input, output, edits: _ } = self;
        Manifest {
            schema: schema.clone(),
            tool: tool.clone(),
            verb: verb.clone(),
            options: options.clone(),
            restorable: *restorable,
            input: input.clone(),
            output: output.clone(),
            edits: Vec::new(),
        }
    }

    /// The program that is running.
    pub fn this_tool() -> Tool {
        Tool { name: env!("CARGO_PKG_NAME").to_string(), version: env!("CARGO_PKG_VERSION").to_string() }
    }
}

fn record(placed: Placed<'_>, input: &Source) -> io::Result<Record> {
    let Placed { edit, output } = placed;
    let op = match &edit.put {
        Put::Own => Op::Move,
        Put::Bytes(_) if edit.span.is_empty() => Op::Insert,
        Put::Bytes(bytes) if bytes.is_empty() => Op::SetAside,
        Put::Bytes(_) => Op::Replace,
    };
    Ok(Record {
        op,
        cause: edit.why.cause.into(),
        kind: edit.why.kind,
        reason: edit.why.reason.clone(),
        input: edit.span.clone().into(),
        output: output.into(),
        original: if op == Op::Move { Vec::new() } else { original(input, &edit.span)? },
    })
}

/// The bytes of a span, with long runs of one byte as their length.
fn original(input: &Source, span: &Range<u64>) -> io::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    copy(input, span, &mut |mut bytes| {
        while let Some(&first) = bytes.first() {
            let run = bytes.iter().take_while(|b| **b == first).count();
            match pieces.last_mut() {
                Some(Piece::Run { byte, length }) if *byte == first => *length += run as u64,
                _ if run >= LONG_RUN => pieces.push(Piece::Run { byte: first, length: run as u64 }),
                Some(Piece::Bytes { base64 }) => base64.extend_from_slice(&bytes[..run]),
                _ => pieces.push(Piece::Bytes { base64: bytes[..run].to_vec() }),
            }
            bytes = &bytes[run..];
        }
        Ok(())
    })?;
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_stored_as_lengths() {
        let pieces = |bytes: &[u8]| {
            let source = Source::bytes(bytes.to_vec());
            serde_json::to_string(&original(&source, &(0..bytes.len() as u64)).expect("bytes in memory")).expect("JSON")
        };
        assert_eq!(pieces(b""), "[]");
        assert_eq!(pieces(b"ab"), r#"[{"base64":"YWI="}]"#);
        let long = [b"a".as_slice(), &[0; 3 << 20], b"b"].concat();
        assert_eq!(pieces(&long), r#"[{"base64":"YQ=="},{"byte":0,"length":3145728},{"base64":"Yg=="}]"#);
        assert_eq!(pieces(&[0; 10]), r#"[{"base64":"AAAAAAAAAAAAAA=="}]"#);
    }
}
