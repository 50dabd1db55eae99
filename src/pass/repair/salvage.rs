//! Entries that a repair adds on request: one where a torn record stood, one that says that the file
//! was repaired.

use super::lines::OddLine;
use super::model::Model;
use super::{RepairError, Stamp};
use crate::dialect::time;
use crate::edit::{Edit, Kind, Why};
use crate::json::{Scanner, text::to_json};
use crate::record::{PieceKind, Record};
use crate::session::derived_ids::derive;
use crate::session::{NO_TIME, Shape};

/// The most of a torn record's text that is kept in an entry, in bytes; the manifest has it all.
const LONGEST: usize = 1 << 20;

/// The edits that add entries.
pub(super) fn edits(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    // a line of version 1 has no side branch to put an entry on, and its indices would shift
    if model.session.shape == Shape::Line {
        return Ok(());
    }
    let mut last = None;
    if model.options.salvage {
        for line in &model.damage.lines {
            torn(model, line, edits, &mut last)?;
        }
    }
    if let Some(stamp) = &model.options.stamp {
        stamped(model, stamp, edits, last);
    }
    Ok(())
}

/// Adds an entry for each torn record of a line, in front of the line.
fn torn(
    model: &Model<'_>,
    line: &OddLine,
    edits: &mut Vec<Edit>,
    last: &mut Option<String>,
) -> Result<(), RepairError> {
    let Some(pieces) = &line.pieces else { return Ok(()) };
    let joined = !line.feeds.is_empty();
    let end = pieces.list.len().saturating_sub(usize::from(joined));
    if pieces.wholes() == 0 && pieces.first(|k| k == PieceKind::Junk).is_some() {
        return Ok(());
    }
    for piece in pieces.list[..end].iter().filter(|p| matches!(p.kind, PieceKind::Cut { .. })) {
        let offset = line.offset + piece.span.start as u64;
        let length = piece.span.len().min(LONGEST);
        let bytes = model.source.read_range(offset, length as u64)?;
        let (id, text) = entry(model, offset, &bytes);
        let why = Why { cause: "L005", kind: Kind::Choice, reason: "what can be read of a torn record".into() };
        // behind the line where that is the last one, else in front of it
        let at = if line.ended { line.offset } else { line.end };
        edits.push(Edit::insert(at, text, why));
        *last = Some(id).filter(|_| !line.ended);
    }
    Ok(())
}

fn entry(model: &Model<'_>, offset: u64, bytes: &[u8]) -> (String, String) {
    let entries = &model.session.entries;
    let n = entries.partition_point(|e| e.offset < offset);
    let parent = (0..n as u32).rev().find(|m| model.stays(*m));
    let time = entries[..n].iter().rev().map(|e| e.time).find(|t| *t != NO_TIME).unwrap_or(0);
    let mut scanner = Scanner::new();
    let start = bytes.iter().position(|b| *b == b'{').unwrap_or(0);
    let _ = scanner.scan(bytes, start);
    let record = Record::new(bytes, &scanner);
    let mut data = String::new();
    for name in ["type", "id", "parentId", "timestamp"] {
        if let Some(text) = record.text(name.as_bytes()) {
            data.push_str(&format!("\"{name}\":{},", to_json(text.as_bytes())));
        }
    }
    let id = new_id(model, offset, bytes);
    let text = format!(
        "{{\"type\":\"custom\",\"id\":\"{id}\",\"parentId\":{},\"timestamp\":{},\"customType\":\"sesstool.salvaged\",\"data\":{{{data}\"text\":{}}}}}\n",
        parent.map_or_else(|| "null".to_string(), |p| model.id_json(p)),
        to_json(time::show(time).as_bytes()),
        to_json(bytes)
    );
    (id, text)
}

/// An id for an added entry, from its place and content.
fn new_id(model: &Model<'_>, offset: u64, bytes: &[u8]) -> String {
    let taken = |id: &str| model.session.find(id.as_bytes()).is_some() || model.ids.values().any(|i| i == id);
    let ids = (0..).map(|attempt| derive(&offset.to_be_bytes(), u32::MAX, attempt, bytes));
    ids.map(|id| String::from_utf8_lossy(&id).into_owned()).find(|id| !taken(id)).unwrap_or_default()
}

/// Adds the entry that says that the file was repaired, behind everything, as a child of the leaf.
fn stamped(model: &Model<'_>, stamp: &Stamp, edits: &mut Vec<Edit>, last: Option<String>) {
    if edits.is_empty() {
        return;
    }
    let entries = &model.session.entries;
    let leaf = (0..entries.len() as u32).rev().find(|n| model.stays(*n));
    let parent = last.map(|id| to_json(id.as_bytes())).or_else(|| leaf.map(|n| model.id_json(n)));
    let time = entries.iter().rev().map(|e| e.time).find(|t| *t != NO_TIME).unwrap_or(0);
    let size = model.session.facts.bytes;
    let id = new_id(model, size, stamp.input.as_bytes());
    let text = format!(
        "{{\"type\":\"custom\",\"id\":\"{id}\",\"parentId\":{},\"timestamp\":{},\"customType\":\"sesstool.repair\",\"data\":{{\"tool\":{},\"inputSha256\":{}}}}}\n",
        parent.unwrap_or_else(|| "null".to_string()),
        to_json(time::show(time).as_bytes()),
        to_json(format!("sesstool {}", env!("CARGO_PKG_VERSION")).as_bytes()),
        to_json(stamp.input.as_bytes())
    );
    let why = Why { cause: "stamp", kind: Kind::Choice, reason: "a stamp was asked for".into() };
    edits.push(Edit::insert(size, text, why));
}
