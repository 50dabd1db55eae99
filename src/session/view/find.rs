//! An entry named by a person: by id, by the beginning of one, or by label.

use super::View;
use super::value::IdValue;

/// The entry that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The node.
    pub node: u32,
}

/// Why nobody knows which entry was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// Nothing has that name; these come close.
    Unknown(Vec<String>),
    /// More than one has it: how many, and the first of them.
    Ambiguous(usize, Vec<String>),
}

/// How many names a message lists.
const MOST_NAMED: usize = 5;

impl View<'_> {
    /// The node that a name means: an id, else a label, else the beginning of one id.
    ///
    /// # Errors
    /// None has the name, or several have.
    pub fn find(&self, name: &str) -> Result<Found, NotFound> {
        let id = IdValue::Text(name.as_bytes().to_vec());
        if let Some(node) = self.target(&id) {
            return Ok(Found { node });
        }
        let labelled = self.with_label(name);
        match labelled[..] {
            [node] => return Ok(Found { node }),
            [] => {}
            _ => return Err(self.ambiguous(labelled)),
        }
        let begun = self.beginning_with(name);
        match begun[..] {
            [node] => Ok(Found { node }),
            [] => Err(NotFound::Unknown(self.nearest(name))),
            _ => Err(self.ambiguous(begun)),
        }
    }

    fn with_label(&self, name: &str) -> Vec<u32> {
        let has = |n: &u32| self.label_text(*n).is_some_and(|label| label == name || label.trim() == name);
        let mut found: Vec<u32> = self.labels().keys().copied().filter(has).collect();
        found.sort_unstable();
        found
    }

    /// The nodes whose ids begin so; an id that is whole counts alone.
    fn beginning_with(&self, name: &str) -> Vec<u32> {
        let text = |n: u32| self.id_text(n).unwrap_or_default();
        let nodes = (0..self.len()).filter(|n| self.standing(*n) == *n && !self.is_earlier_copy(*n));
        let mut found: Vec<u32> = nodes.filter(|n| !name.is_empty() && text(*n).starts_with(name)).collect();
        if let Some(whole) = found.iter().copied().find(|n| text(*n) == name) {
            found = vec![whole];
        }
        found
    }

    /// Whether a later entry has the same id.
    fn is_earlier_copy(&self, n: u32) -> bool {
        self.row(n).has(crate::session::flags::EARLIER_COPY) && self.ids.is_none() && !self.line
    }

    fn ambiguous(&self, nodes: Vec<u32>) -> NotFound {
        NotFound::Ambiguous(nodes.len(), nodes.iter().take(MOST_NAMED).map(|n| self.describe(*n)).collect())
    }

    /// The names that come closest, labels among them.
    fn nearest(&self, name: &str) -> Vec<String> {
        let score = |text: &str| strsim::jaro_winkler(&name.to_lowercase(), &text.to_lowercase());
        let mut best: Vec<(f64, u32)> = Vec::new();
        for n in 0..self.len() {
            let Some(id) = self.id_text(n) else { continue };
            let label = self.label_text(n).map_or(0.0, |label| score(&label));
            let close = score(&id).max(label);
            if close > 0.5 {
                best.push((close, n));
            }
            if best.len() > 4096 {
                keep_best(&mut best);
            }
        }
        keep_best(&mut best);
        best.into_iter().map(|(_, n)| self.describe(n)).collect()
    }

    /// An entry's id, and its label if it has one.
    fn describe(&self, n: u32) -> String {
        let id = self.id_text(n).unwrap_or_default();
        match self.label_text(n) {
            Some(label) => format!("{id} ({label})"),
            None => id,
        }
    }
}

fn keep_best(best: &mut Vec<(f64, u32)>) {
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    best.dedup_by_key(|(_, n)| *n);
    best.truncate(MOST_NAMED);
}
