//! The content of messages, on request: `null` becomes an empty array, text blocks that say nothing go.

use super::RepairError;
use super::model::{Model, why};
use super::touch::Bytes;
use crate::dialect::pi::EntryType;
use crate::edit::{Edit, Kind, Why};
use crate::json::Scanner;
use crate::record::Record;
use crate::session::content::is_empty_text;

/// The edits inside messages.
pub(super) fn edits(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    if model.wants("M006", Kind::Choice) {
        let why = why("M006", Kind::Choice, "the content that is not there becomes an empty array");
        each(model, &model.damage.no_content, &mut |bytes, record, kind| {
            empty_array(bytes, record, kind, &why, edits)
        })?;
    }
    if model.wants("M008", Kind::Choice) {
        let why = why("M008", Kind::Choice, "a text block that says nothing");
        each(model, &model.damage.empty_text, &mut |bytes, record, _| without_empty(bytes, record, &why, edits))?;
    }
    Ok(())
}

/// Reads the entries at these offsets again.
fn each(
    model: &Model<'_>,
    offsets: &[u64],
    edit: &mut dyn FnMut(&Bytes, &Record<'_>, EntryType),
) -> Result<(), RepairError> {
    let mut scanner = Scanner::new();
    for &offset in offsets {
        let n = model.session.entries.partition_point(|e| e.offset < offset);
        let entry = model.session.entries.get(n).filter(|e| e.offset == offset && model.stays(n as u32));
        let Some(entry) = entry else { continue };
        let bytes = Bytes::of(model.source.read_range(offset, entry.length)?, offset);
        if scanner.scan(bytes.bytes(), 0).is_ok() {
            edit(&bytes, &Record::new(bytes.bytes(), &scanner), entry.kind);
        }
    }
    Ok(())
}

fn empty_array(bytes: &Bytes, record: &Record<'_>, kind: EntryType, why: &Why, edits: &mut Vec<Edit>) {
    let message = kind == EntryType::Message;
    let content = if message { record.get_inner(b"content") } else { record.get(b"content") };
    if let Some(member) = content {
        edits.push(Edit::replace(bytes.span(&member.value), "[]", why.clone()));
        return;
    }
    // behind the last member of what should hold it; neither is empty, since there is a role or a type
    let members = if message { record.inner } else { record.top };
    if let Some(last) = members.last() {
        let end = bytes.span(&last.value).end;
        edits.push(Edit::insert(end, ",\"content\":[]", why.clone()));
    }
}

/// Removes the blocks, each with one comma: those before any that stays with the comma behind them.
fn without_empty(bytes: &Bytes, record: &Record<'_>, why: &Why, edits: &mut Vec<Edit>) {
    let blocks: Vec<_> = record.blocks().collect();
    let mut stays = false;
    for (n, block) in blocks.iter().enumerate() {
        if !is_empty_text(block) {
            stays = true;
            continue;
        }
        let span = match (stays, blocks.get(n + 1)) {
            (true, _) => blocks[n - 1].value.end..block.value.end,
            (false, Some(next)) => block.value.start..next.value.start,
            (false, None) => block.value.clone(),
        };
        edits.push(Edit::set_aside(bytes.span(&span), why.clone()));
    }
}
