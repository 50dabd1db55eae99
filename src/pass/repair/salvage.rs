//! Entries that a repair adds on request: one where a torn record stood, one that says that the file
//! was repaired.

use super::RepairError;
use super::added::Tails;
use super::lines::OddLine;
use super::model::Model;
use crate::dialect::time;
use crate::edit::manifest::STAMP;
use crate::edit::{Edit, Kind, Plan, PlanError, Why};
use crate::json::{Scanner, text::to_json};
use crate::record::{PieceKind, Record};
use crate::session::NO_TIME;

/// The most of a torn record's text that is kept in an entry, in bytes; the manifest has it all.
const LONGEST: usize = 1 << 20;

/// The edits that add entries where torn records stood, and what a stamp is made from where one is asked
/// for.
pub(super) fn edits(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<Option<Stamp>, RepairError> {
    let mut last = None;
    // a line of version 1 has no side branch to put an entry on, and its indices would shift
    if model.options.salvage && !model.is_line() {
        let tails = model.tails();
        for line in &model.damage.lines {
            torn(model, line, &tails, edits, &mut last)?;
        }
    }
    Ok(model.options.stamp.then(|| stamp(model, last)))
}

/// Adds an entry for each torn record of a line, in front of the line.
fn torn(
    model: &mut Model<'_>,
    line: &OddLine,
    tails: &Tails,
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
        let (id, text) = entry(model, tails, offset, &bytes);
        let why = Why { cause: "L005", kind: Kind::Choice, reason: "what can be read of a torn record".into() };
        // behind the line where that is the last one, else in front of it
        let at = if line.ended { line.offset } else { line.end };
        edits.push(Edit::insert(at, text, why));
        *last = Some(id).filter(|_| !line.ended);
    }
    Ok(())
}

fn entry(model: &mut Model<'_>, tails: &Tails, offset: u64, bytes: &[u8]) -> (String, String) {
    let entries = &model.session.entries;
    let n = entries.partition_point(|e| e.offset < offset);
    let parent = model.last_before(n as u32, tails);
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
    let id = model.new_id(&offset.to_be_bytes(), u32::MAX, bytes);
    let id = String::from_utf8_lossy(&id).into_owned();
    let text = format!(
        "{{\"type\":\"custom\",\"id\":\"{id}\",\"parentId\":{},\"timestamp\":{},\"customType\":\"sesstool.salvaged\",\"data\":{{{data}\"text\":{}}}}}\n",
        parent.unwrap_or_else(|| "null".to_string()),
        to_json(time::show(time).as_bytes()),
        to_json(bytes)
    );
    (id, text)
}

/// The entry that says that the file was repaired, but for what it says: the last one in the file, a child
/// of the leaf.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// Where it stands: the size of the input.
    pub(super) at: u64,
    head: String,
}

impl Stamp {
    /// The plan with the stamp: it names the SHA-256 of the input and that of the manifest
    /// ([`Manifest::unstamped`](crate::edit::Manifest::unstamped)), in hexadecimal digits.
    ///
    /// # Errors
    /// The edits make no plan.
    pub fn put(&self, plan: &Plan, input: &str, manifest: &str) -> Result<Plan, PlanError> {
        let (input, manifest) = (to_json(input.as_bytes()), to_json(manifest.as_bytes()));
        let text = format!("{}\"inputSha256\":{input},\"manifestSha256\":{manifest}}}}}\n", self.head);
        let why = Why { cause: STAMP, kind: Kind::Choice, reason: "a stamp was asked for".into() };
        let edits = plan.edits().iter().cloned().chain([Edit::insert(self.at, text, why)]);
        Plan::new(plan.size(), edits.collect())
    }
}

fn stamp(model: &mut Model<'_>, last: Option<String>) -> Stamp {
    let parent = last.map(|id| to_json(id.as_bytes())).or_else(|| model.last_before(model.len(), &model.tails()));
    let time = model.session.entries.iter().rev().map(|e| e.time).find(|t| *t != NO_TIME).unwrap_or(0);
    let at = model.session.facts.bytes;
    let id = to_json(&model.new_id(&at.to_be_bytes(), u32::MAX, b"sesstool.repair"));
    let link = match model.is_line() {
        true => String::new(),
        false => format!("\"id\":{id},\"parentId\":{},", parent.unwrap_or_else(|| "null".to_string())),
    };
    let head = format!(
        "{{\"type\":\"custom\",{link}\"timestamp\":{},\"customType\":\"sesstool.repair\",\"data\":{{\"tool\":{},",
        to_json(time::show(time).as_bytes()),
        to_json(format!("sesstool {}", env!("CARGO_PKG_VERSION")).as_bytes()),
    );
    Stamp { at, head }
}
