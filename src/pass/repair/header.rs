//! The header: moved to the first line, rebuilt where it is lost, mended where a field is wrong.

use super::RepairError;
use super::lines::whole_line;
use super::model::{Change, Model, why};
use super::touch::Bytes;
use crate::dialect::pi::Role;
use crate::dialect::time::{self, Time};
use crate::edit::{Edit, Kind, Why};
use crate::json::{Kind as JsonKind, Scanner, text::to_json};
use crate::record::Record;
use crate::rules::file_name;
use crate::session::scan::header_fields;
use crate::session::{Header, HeaderField, NO_TIME, Shape, flags};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// The edits of the header's line.
pub(super) fn edits(model: &mut Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    let session = model.session;
    match &session.header {
        None => {
            edits.extend(rebuilt(model)?);
            titles(model, edits)?;
        }
        Some(header) => {
            let changes = changes(model, header);
            if session.facts.truthy.count > 0 && model.wants("H002", Kind::Safe) {
                moved(model, header, &changes, edits)?;
                titles(model, edits)?;
            } else {
                let bytes = model.source.read_range(header.offset, header.length)?;
                edits.extend(Bytes::of(bytes, header.offset).change(&changes));
            }
        }
    }
    extra(model, edits)
}

/// Puts the header first, with its changes. What stood before it stays, behind it.
fn moved(model: &Model<'_>, header: &Header, changes: &[Change], edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    let why = why("H002", Kind::Safe, "the header moves to the first line");
    let span = header.offset..header.offset + header.length;
    let line = if header.dropped { span } else { whole_line(model.source, span)? };
    let raw = model.source.read_range(header.offset, header.length)?;
    let record = Bytes::as_text(&raw);
    let mut text = record.with(&record.change(changes));
    let whole = text == raw && !header.dropped && model.ends_in_feed(line.end)?;
    if whole {
        edits.push(Edit::move_to(line, 0, why.clone()));
    } else {
        text.push(b'\n');
        edits.push(Edit::insert(0, text, why.clone()));
        edits.push(Edit::set_aside(line, why.clone()));
    }
    Ok(())
}

/// Behind the header a title line of oh-my-pi would be an entry without an id.
fn titles(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    for (offset, length) in &model.session.facts.titles {
        let why = Why::safe("H002", "the title line of oh-my-pi, which is no entry");
        let record = *offset..offset + length;
        let line = if model.is_alone(*offset) { whole_line(model.source, record)? } else { record };
        edits.push(Edit::set_aside(line, why));
    }
    Ok(())
}

/// Further headers with the first one's id are set aside.
fn extra(model: &Model<'_>, edits: &mut Vec<Edit>) -> Result<(), RepairError> {
    for header in model.same_headers() {
        let record = header.offset..header.offset + header.length;
        let span = if header.dropped { record } else { whole_line(model.source, record)? };
        edits.push(Edit::set_aside(span, why("H004", Kind::Safe, "the header stands there a second time")));
    }
    Ok(())
}

impl Model<'_> {
    /// Further headers that are the first one again.
    pub(super) fn same_headers(&self) -> impl Iterator<Item = &Header> {
        let first = self.session.header.as_ref().and_then(|h| h.text("id"));
        let wanted = first.is_some() && self.wants("H004", Kind::Safe);
        self.session.extra_headers.iter().filter(move |h| wanted && h.text("id") == first)
    }

    /// Records that leave their place though they are no entries: headers.
    pub(super) fn moved_records(&self) -> impl Iterator<Item = Range<u64>> {
        let first = self.session.header.as_ref();
        let moves = self.session.facts.truthy.count > 0 && self.wants("H002", Kind::Safe);
        let moved = first.filter(|h| moves && h.dropped);
        moved.into_iter().chain(self.same_headers().filter(|h| h.dropped)).map(|h| h.offset..h.offset + h.length)
    }

    /// The version that the header gets, if it is rebuilt or its version is wrong.
    pub(super) fn version_change(&self) -> Option<i64> {
        let rebuilt = self.session.header.is_none();
        (rebuilt || self.shape_mismatch() && self.wants("H008", Kind::Assumed)).then(|| self.shown_version())
    }

    /// The version that the file will have.
    pub(super) fn version_after(&self) -> i64 {
        match self.session.version() {
            Some(version) if !self.shape_mismatch() || !self.wants("H008", Kind::Assumed) => version,
            None if self.session.header.is_some() => 3,
            _ => self.shown_version(),
        }
    }

    /// The version that the entries show.
    fn shown_version(&self) -> i64 {
        let old_roles = self.session.entries.iter().any(|e| e.role == Role::HookMessage);
        match self.session.shape {
            Shape::Line => 1,
            Shape::Tree if old_roles => 2,
            Shape::Tree => 3,
        }
    }

    /// Whether the entries do not look like the header's version (rule H008).
    fn shape_mismatch(&self) -> bool {
        let session = self.session;
        match session.version() {
            _ if session.entries.is_empty() => false,
            Some(version) if version < 2 => session.is_tree_in_old_clothes(),
            Some(2 | 3) => session.entries.iter().all(|e| !e.has(flags::ID)),
            _ => false,
        }
    }

    /// Whether a record stands alone on its line.
    fn is_alone(&self, offset: u64) -> bool {
        super::lines::odd_line_at(self, offset).is_none()
    }

    fn ends_in_feed(&self, end: u64) -> std::io::Result<bool> {
        Ok(end > 0 && self.source.read_range(end - 1, 1)? == b"\n")
    }
}

/// The fields of the header that are wrong.
fn changes(model: &Model<'_>, header: &Header) -> Vec<Change> {
    let mut changes = Vec::new();
    if model.shape_mismatch() && model.wants("H008", Kind::Assumed) {
        let version = model.shown_version();
        let reason = format!("the entries are those of version {version}");
        changes.push(Change { member: "version", json: version.to_string(), why: Why::assumed("H008", reason) });
    }
    if !model.wants("H005", Kind::Assumed) {
        return changes;
    }
    let guess = Guess::new(model, &header.fields);
    let mut field = |member: &'static str, (value, source): (String, String)| {
        changes.push(Change { member, json: to_json(value.as_bytes()), why: Why::assumed("H005", source) });
    };
    if header.text("id").is_none_or(str::is_empty) {
        field("id", guess.id());
    }
    if header.text("timestamp").is_none_or(|t| !is_proper(t)) {
        field("timestamp", guess.time());
    }
    if header.text("cwd").is_none_or(str::is_empty) {
        field("cwd", guess.cwd());
    }
    changes
}

fn is_proper(text: &str) -> bool {
    matches!(time::read(text.as_bytes()), Time::Proper(_))
}

/// A header in the place of a lost one.
fn rebuilt(model: &Model<'_>) -> Result<Option<Edit>, RepairError> {
    let first = model.session.facts.first_line.as_ref().filter(|l| l.broken_header);
    let code = if first.is_some() { "H003" } else { "H001" };
    if !model.wants(code, Kind::Assumed) {
        return Ok(None);
    }
    let mut fields = Vec::new();
    if let Some(line) = first {
        let bytes = model.source.read_range(line.offset, line.length.min(1 << 20))?;
        fields = readable_fields(&bytes);
    }
    let guess = Guess::new(model, &fields);
    let ((id, id_from), (time, time_from), (cwd, cwd_from)) = (guess.id(), guess.time(), guess.cwd());
    let version = guess.version();
    let parent = guess
        .text("parentSession")
        .map_or_else(String::new, |p| format!(",\"parentSession\":{}", to_json(p.as_bytes())));
    let line = format!(
        "{{\"type\":\"session\",\"version\":{version},\"id\":{},\"timestamp\":{},\"cwd\":{}{parent}}}\n",
        to_json(id.as_bytes()),
        to_json(time.as_bytes()),
        to_json(cwd.as_bytes())
    );
    let reason = format!("a header: {id_from}; {time_from}; {cwd_from}; version {version}, as the entries show");
    Ok(Some(Edit::insert(0, line, Why::assumed(code, reason))))
}

fn readable_fields(bytes: &[u8]) -> Vec<HeaderField> {
    let mut scanner = Scanner::new();
    let start = bytes.iter().position(|b| *b == b'{').unwrap_or(0);
    let _ = scanner.scan(bytes, start);
    header_fields(&Record::new(bytes, &scanner), |_| (0, 0))
}

/// Where the fields of a header come from.
struct Guess<'m, 'a> {
    model: &'m Model<'a>,
    fields: &'m [HeaderField],
    name: Option<file_name::FileName>,
}

impl<'m, 'a> Guess<'m, 'a> {
    fn new(model: &'m Model<'a>, fields: &'m [HeaderField]) -> Self {
        let name = model.path.and_then(|p| p.file_name()).and_then(|n| file_name::parse(&n.to_string_lossy()));
        Guess { model, fields, name }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().rev().find(|f| f.name == name && f.kind == JsonKind::String)?;
        Some(field.text.as_str()).filter(|t| !t.is_empty())
    }

    fn version(&self) -> i64 {
        self.model.shown_version()
    }

    fn id(&self) -> (String, String) {
        if let Some(id) = self.text("id") {
            return (id.to_string(), "the id as it can be read".to_string());
        }
        if let Some(name) = &self.name {
            return (name.id.clone(), "the id from the file name".to_string());
        }
        let first = self.model.session.entries.first();
        let bytes = first.and_then(|e| self.model.source.read_range(e.offset, e.length).ok()).unwrap_or_default();
        (uuid_of(&bytes), "the id derived from the first entry".to_string())
    }

    fn time(&self) -> (String, String) {
        if let Some(time) = self.text("timestamp").filter(|t| is_proper(t)) {
            return (time.to_string(), "the time as it can be read".to_string());
        }
        if let Some(ms) = self.name.as_ref().and_then(|n| n.time) {
            return (time::show(ms), "the time from the file name".to_string());
        }
        let first = self.model.session.entries.iter().find(|e| e.time != NO_TIME);
        match first {
            Some(entry) => (time::show(entry.time), "the time of the first entry".to_string()),
            None => (time::show(0), "no time is known, 1970 stands in".to_string()),
        }
    }

    fn cwd(&self) -> (String, String) {
        if let Some(cwd) = self.text("cwd") {
            return (cwd.to_string(), "the folder as it can be read".to_string());
        }
        let folder = self.model.path.and_then(|p| p.parent()).and_then(|p| p.file_name()).map(|n| n.to_string_lossy());
        let encoded = folder.as_deref().and_then(|f| f.strip_prefix("--")?.strip_suffix("--"));
        match encoded.filter(|e| !e.is_empty()) {
            Some(encoded) => (
                format!("/{}", encoded.replace('-', "/")),
                "the folder from the name of the session's folder".to_string(),
            ),
            None => ("/".to_string(), "no folder is known, `/` stands in".to_string()),
        }
    }
}

/// A UUID (version 8, for one's own use) from a hash.
fn uuid_of(bytes: &[u8]) -> String {
    let mut digest: [u8; 32] = Sha256::digest(bytes).into();
    digest[6] = digest[6] & 0x0F | 0x80;
    digest[8] = digest[8] & 0x3F | 0x80;
    let hex: String = digest[..16].iter().map(|b| format!("{b:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
