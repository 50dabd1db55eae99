//! What entries and the session are called. Both are told by the whole file: the last word counts.

use super::value::{IdValue, is_truthy};
use super::{Reader, View};
use crate::dialect::pi::EntryType;
use hashbrown::HashMap;

impl View<'_> {
    /// The label of a node, as JSON (a string in all files but odd ones).
    pub fn label(&self, n: u32) -> Option<&str> {
        self.labels().get(&self.standing(n)).map(String::as_str)
    }

    /// The label of a node as text.
    pub fn label_text(&self, n: u32) -> Option<String> {
        self.label(n).map(plain)
    }

    /// Every labelled node with its label as JSON.
    pub fn labels(&self) -> &HashMap<u32, String> {
        self.labels.get_or_init(|| {
            let mut found = HashMap::new();
            for n in (0..self.len()).filter(|n| self.row(*n).kind == EntryType::Label) {
                let Some((target, label)) = self.record(n, |r| {
                    let label = r.get(b"label").filter(|m| is_truthy(r, m));
                    (IdValue::of(r, r.get(b"targetId")), label.map(|m| r.raw(&m.value)))
                }) else {
                    continue;
                };
                let Some(target) = self.target(&target) else { continue };
                match label.and_then(|label| self.as_label(label)) {
                    Some(label) => found.insert(target, label),
                    None => found.remove(&target),
                };
            }
            found
        })
    }

    /// The node that a label or an edit names. The ids of a file of version 1 are new to pi, so
    /// nothing that stands in the file names them.
    pub(super) fn target(&self, id: &IdValue) -> Option<u32> {
        if self.line && self.reader == Reader::Pi { None } else { self.find_value(id) }
    }

    /// A label as the reader has it: agent-core takes off white space, and what is left empty clears.
    fn as_label(&self, label: String) -> Option<String> {
        if self.reader != Reader::AgentCore || !label.starts_with('"') {
            return Some(label);
        }
        let text = plain(&label);
        let text = text.trim();
        (!text.is_empty()).then(|| crate::json::text::to_json(text.as_bytes()))
    }

    /// The session's name: that of the last `session_info`, without white space around it.
    pub fn name(&self) -> Option<String> {
        let last = (0..self.len()).rev().find(|n| self.row(*n).kind == EntryType::SessionInfo)?;
        let name = self.record(last, |r| r.text(b"name")).flatten()?;
        Some(name.trim().to_string()).filter(|name| !name.is_empty())
    }
}

/// A JSON value as text: a string without its quotes and escapes, anything else as it stands.
pub fn plain(json: &str) -> String {
    let inner = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or_else(|| json.to_string(), |raw| crate::json::text::to_text(raw.as_bytes()))
}
