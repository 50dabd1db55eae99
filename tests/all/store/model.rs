//! Random operations against a naive model: a list of entries and a pointer, everything else worked out by
//! walking over all of it. After every step a session in memory and one in a file are as the model is.

use super::*;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use sesstool::dialect::time;
use sesstool::session::Session;
use sesstool::session::scan::scan;
use sesstool::source::Source;
use sesstool::store::{BranchSummary, Compaction, CustomMessage, Durability, Usage};
use std::collections::{BTreeMap, BTreeSet};

/// Something that can be done to a log. An [`Index`] picks among the entries that there are.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Message(&'static str, String),
    ModelChange(String),
    Thinking(String),
    Compact(Option<Index>),
    Summary,
    Custom(Option<i32>),
    CustomMessage(String, bool),
    Edit(Index, Option<String>),
    Usage,
    Label(Index, Option<String>),
    Name(String),
    Branch(Index),
    BranchWithSummary(Option<Index>, String),
    Reset,
    MoveTo(Option<Index>),
    /// A whole entry that hangs anywhere, with a time of its own.
    Raw(Index, i64),
    /// Anything that names an entry which is not there.
    Unknown(u8),
    /// Lets go of the session and opens it again.
    Reopen,
    /// Goes on in a new session of one branch.
    Fork(Index),
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}( [a-z]{1,8}){0,3}",
        Just("日本 👍🏽 naïve \"quoted\" \\ tab\t line\nfeed \u{1} \u{7f}".to_string()),
        Just("{\"type\":\"message\",\"id\":\"x\"}".to_string()),
    ]
}

pub(super) fn op() -> impl Strategy<Value = Op> {
    let index = any::<Index>;
    let some = || prop::option::of(any::<Index>());
    prop_oneof![
        6 => (prop::sample::select(vec!["user", "assistant", "system", "toolResult", "bashExecution"]), words())
            .prop_map(|(role, text)| Op::Message(role, text)),
        1 => "[a-c]".prop_map(Op::ModelChange),
        1 => prop::sample::select(vec!["off", "low", "high"]).prop_map(|level| Op::Thinking(level.to_string())),
        1 => some().prop_map(Op::Compact),
        1 => Just(Op::Summary),
        1 => prop::option::of(any::<i32>()).prop_map(Op::Custom),
        1 => (words(), any::<bool>()).prop_map(|(text, display)| Op::CustomMessage(text, display)),
        1 => (index(), prop::option::of(words())).prop_map(|(target, text)| Op::Edit(target, text)),
        1 => Just(Op::Usage),
        2 => (index(), prop::option::of(prop_oneof![words(), Just(String::new())])).prop_map(|(n, l)| Op::Label(n, l)),
        1 => words().prop_map(Op::Name),
        3 => index().prop_map(Op::Branch),
        1 => (some(), words()).prop_map(|(target, text)| Op::BranchWithSummary(target, text)),
        1 => Just(Op::Reset),
        1 => some().prop_map(Op::MoveTo),
        2 => (index(), -5i64..5).prop_map(|(parent, seconds)| Op::Raw(parent, seconds)),
        1 => (0u8..8).prop_map(Op::Unknown),
        1 => Just(Op::Reopen),
        1 => index().prop_map(Op::Fork),
    ]
}

/// An entry as the model has it. Entries are named by their place in the list.
#[derive(Clone, Debug)]
struct Entry {
    parent: Option<usize>,
    /// The entry without `id`, `parentId` and `timestamp`; ids in it are written as `#` and the place.
    fields: Value,
}

#[derive(Clone, Debug, Default)]
struct Model {
    entries: Vec<Entry>,
    leaf: Option<usize>,
}

impl Model {
    fn kind(&self, n: usize) -> &str {
        self.entries[n].fields["type"].as_str().unwrap_or_default()
    }

    fn role(&self, n: usize) -> &str {
        self.entries[n].fields["message"]["role"].as_str().unwrap_or_default()
    }

    fn path(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = leaf;
        while let Some(n) = at {
            path.insert(0, n);
            at = self.entries[n].parent;
        }
        path
    }

    /// Depth and place of each node, siblings by time.
    fn tree(&self, times: &[i64]) -> Vec<(u32, usize)> {
        let mut nodes = Vec::new();
        let roots: Vec<usize> = (0..self.entries.len()).filter(|n| self.entries[*n].parent.is_none()).collect();
        let mut open: Vec<(u32, usize)> = roots.into_iter().rev().map(|n| (0, n)).collect();
        while let Some((depth, n)) = open.pop() {
            nodes.push((depth, n));
            let mut children: Vec<usize> =
                (0..self.entries.len()).filter(|c| self.entries[*c].parent == Some(n)).collect();
            children.sort_by_key(|c| times[*c]);
            open.extend(children.into_iter().rev().map(|c| (depth + 1, c)));
        }
        nodes
    }

    fn labels(&self) -> BTreeMap<usize, String> {
        let mut labels = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.fields["type"] == "label") {
            let target = place(&entry.fields["targetId"]).expect("a place");
            match entry.fields["label"].as_str() {
                Some(label) if !label.is_empty() => drop(labels.insert(target, label.to_string())),
                _ => drop(labels.remove(&target)),
            }
        }
        labels
    }

    fn name(&self) -> Option<String> {
        let last = self.entries.iter().rev().find(|entry| entry.fields["type"] == "session_info")?;
        let name = last.fields["name"].as_str()?.trim();
        (!name.is_empty()).then(|| name.to_string())
    }

    fn context(&self, times: &[i64]) -> Shown {
        let path = self.path(self.leaf);
        let (mut model, mut level) = (None, "off".to_string());
        for &n in &path {
            let fields = &self.entries[n].fields;
            match (self.kind(n), self.role(n)) {
                ("model_change", _) => model = Some((text(&fields["provider"]), text(&fields["modelId"]))),
                (_, "assistant") => {
                    model = Some((text(&fields["message"]["provider"]), text(&fields["message"]["model"])))
                }
                ("thinking_level_change", _) => level = text(&fields["thinkingLevel"]),
                _ => {}
            }
        }
        let selected = match path.iter().rposition(|n| self.kind(*n) == "compaction") {
            None => path,
            Some(at) => {
                let kept = place(&self.entries[path[at]].fields["firstKeptEntryId"]);
                let from = path[..at].iter().position(|n| Some(*n) == kept).unwrap_or(at);
                let kept = path[from..at].iter().filter(|n| self.role(**n) != "system");
                std::iter::once(&path[at]).chain(kept).chain(&path[at + 1..]).copied().collect()
            }
        };
        let edits: BTreeMap<usize, &Value> = selected
            .iter()
            .filter(|n| self.kind(**n) == "context_edit")
            .filter_map(|n| {
                Some((place(&self.entries[*n].fields["targetId"])?, &self.entries[*n].fields["replacement"]))
            })
            .collect();
        let messages = selected
            .iter()
            .enumerate()
            .filter_map(|(at, n)| self.message(*n, at == 0, edits.get(n).copied(), times[*n]));
        (selected.clone(), messages.collect(), model, level)
    }

    /// The message that an entry gives, if it gives one.
    fn message(&self, n: usize, first: bool, edit: Option<&Value>, time: i64) -> Option<Value> {
        let fields = &self.entries[n].fields;
        let mut message = match self.kind(n) {
            "message" => fields["message"].clone(),
            "custom_message" => json!({
                "role": "custom", "customType": fields["customType"], "content": fields["content"],
                "display": fields["display"], "timestamp": time,
            }),
            "branch_summary" if fields["summary"] != "" => json!({
                "role": "branchSummary", "summary": fields["summary"], "fromId": fields["fromId"],
                "timestamp": time,
            }),
            "compaction" if first => json!({
                "role": "compactionSummary", "summary": fields["summary"], "tokensBefore": fields["tokensBefore"],
                "timestamp": time,
            }),
            _ => return None,
        };
        match edit {
            Some(Value::Null) => return None,
            Some(edit) => message["content"] = edit["content"].clone(),
            None => {}
        }
        Some(message)
    }

    fn add(&mut self, parent: Option<usize>, fields: Value) {
        self.entries.push(Entry { parent, fields });
        self.leaf = Some(self.entries.len() - 1);
    }

    /// Whether an entry leaves the chain in a fork.
    fn leaves(&self, n: usize) -> bool {
        matches!(self.kind(n), "label" | "leaf")
    }

    /// What is left when only one branch goes on: labels behind it, their children re-hung.
    fn fork(&self, leaf: usize) -> (Vec<usize>, Model) {
        let path = self.path(Some(leaf));
        let mut order: Vec<usize> = path.iter().copied().filter(|n| !self.leaves(*n)).collect();
        let chain = order.len();
        // of each target on the branch the label that counts, by when it was first labelled
        let mut labels: Vec<(usize, usize)> = Vec::new();
        for (n, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.fields["type"] == "label") {
            let target = place(&entry.fields["targetId"]).expect("a place");
            let known = labels.iter().position(|(labelled, _)| *labelled == target);
            let sets = entry.fields["label"].as_str().is_some_and(|label| !label.is_empty());
            match (known, sets && order[..chain].contains(&target)) {
                (Some(at), true) => labels[at].1 = n,
                (None, true) => labels.push((target, n)),
                (Some(at), false) => drop(labels.remove(at)),
                (None, false) => {}
            }
        }
        order.extend(labels.into_iter().map(|(_, label)| label));
        let mut model = Model::default();
        for (at, &n) in order.iter().enumerate() {
            let mut entry = self.entries[n].clone();
            entry.parent = at.checked_sub(1);
            if let Some(kept) = place(&entry.fields["firstKeptEntryId"]).filter(|kept| self.leaves(*kept)) {
                let from = path.iter().position(|n| *n == kept).expect("it was on the branch");
                let next = path[from..].iter().find(|n| !self.leaves(**n)).expect("the compaction at least");
                entry.fields["firstKeptEntryId"] = format!("#{next}").into();
            }
            model.entries.push(entry);
        }
        model.leaf = order.len().checked_sub(1);
        (order, model)
    }
}

/// The places of the selected entries, the messages, the model, the thinking level.
type Shown = (Vec<usize>, Vec<Value>, Option<(String, String)>, String);

/// The place that a reference names.
fn place(reference: &Value) -> Option<usize> {
    reference.as_str()?.strip_prefix('#')?.parse().ok()
}

/// A log, and the ids of the model's entries in it.
struct Subject {
    log: SessionLog,
    ids: Vec<String>,
    /// Their times: the clock moves on between one log and the next.
    times: Vec<i64>,
    /// Ids that a fork left behind.
    left: BTreeSet<String>,
    folder: Option<tempfile::TempDir>,
}

impl Subject {
    fn id(&self, n: usize) -> &str {
        &self.ids[n]
    }

    /// Ids in a value as `#` and the place.
    fn named(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.ids.iter().position(|id| id == text) {
                Some(n) => format!("#{n}").into(),
                None if self.left.contains(text) => "gone".into(),
                None => value.clone(),
            },
            Value::Array(list) => list.iter().map(|value| self.named(value)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.named(value))).collect(),
            _ => value.clone(),
        }
    }

    fn place_of(&self, id: &str) -> usize {
        self.ids.iter().position(|known| known == id).unwrap_or_else(|| panic!("{id} is not in the model"))
    }

    /// What is in the log, compared with the model.
    fn is(&self, model: &Model) -> Result<(), TestCaseError> {
        let log = &self.log;
        prop_assert_eq!(log.len(), model.entries.len());
        prop_assert_eq!(log.leaf().map(|id| self.place_of(&id)), model.leaf);
        for (n, (entry, expected)) in entries(log).iter().zip(&model.entries).enumerate() {
            prop_assert_eq!(entry.parent.as_ref().map(|id| self.place_of(id)), expected.parent);
            prop_assert_eq!(entry.time, Some(self.times[n]));
            let mut fields = value(&entry.json);
            let map = fields.as_object_mut().expect("an object");
            ["id", "parentId", "timestamp"].iter().for_each(|name| drop(map.remove(*name)));
            prop_assert_eq!(self.named(&fields), expected.fields.clone());
        }
        let branch: Vec<usize> = path(log).iter().map(|id| self.place_of(id)).collect();
        prop_assert_eq!(branch, model.path(model.leaf));
        let labels = model.labels();
        let shown: Vec<_> =
            tree(log).into_iter().map(|(depth, id, label)| (depth, self.place_of(&id), label)).collect();
        let expected = model.tree(&self.times).into_iter().map(|(depth, n)| (depth, n, labels.get(&n).cloned()));
        prop_assert_eq!(shown, expected.collect::<Vec<_>>());
        prop_assert_eq!(ok(log.name()), model.name());
        let context = ok(log.context());
        let (selected, messages, model, level) = model.context(&self.times);
        prop_assert_eq!(context.entries.iter().map(|id| self.place_of(id)).collect::<Vec<_>>(), selected);
        let shown: Vec<Value> = context.messages.iter().map(|message| self.named(&value(&message.json))).collect();
        prop_assert_eq!(shown, messages);
        prop_assert_eq!(context.model.map(|model| (model.provider, model.id)), model);
        prop_assert_eq!(context.thinking_level, level);
        Ok(())
    }

    /// The index that grew entry by entry is the one that a scan of the bytes gives.
    fn is_indexed(&self) -> Result<(), TestCaseError> {
        let source = Source::bytes(ok(self.log.lines()));
        let (fresh, ()) = scan(&source, &Default::default()).expect("a scan");
        prop_assert_eq!(index(self.log.session()), index(&fresh));
        if self.log.is_stored()
            && let Some(path) = self.log.path()
        {
            prop_assert_eq!(std::fs::read(path).expect("the file"), ok(self.log.lines()));
        }
        Ok(())
    }

    /// Lets go of the session and opens it again, if it is stored.
    fn reopen(&mut self) -> bool {
        let lines = ok(self.log.lines());
        let path = self.log.path().map(Path::to_path_buf);
        if !self.log.is_stored() {
            return false;
        }
        self.log = in_memory();
        self.log = match path {
            Some(path) => ok(SessionLog::open(path, Durability::Buffered)),
            None => ok(SessionLog::adopt(&lines, &options())),
        };
        true
    }
}

/// A session in a file.
pub(super) struct File {
    pub(super) path: PathBuf,
    _folder: tempfile::TempDir,
}

/// All that an index says of its entries.
fn index(session: &Session) -> Vec<String> {
    let entry = |n: usize| {
        let e = &session.entries[n];
        let place = (e.offset, e.length, e.line, e.time, e.flags, e.kind, e.role, e.id_span(), e.parent_span());
        format!("{:?} {:?} {:?}", session.id_text(n as u32), place, session.hangs_on(n as u32))
    };
    let references =
        session.refs.iter().map(|r| format!("{} {:?} {} {} {:?}", r.entry, r.kind, r.offset, r.length, r.target));
    let calls =
        session.calls.iter().map(|c| format!("{} {} {:x}", c.entry, c.is_result, session.call_ids.hash_of(c.id)));
    let traits = [format!("{:?}", session.traits)];
    (0..session.entries.len()).map(entry).chain(references).chain(calls).chain(traits).collect()
}

/// A memory and a file session, and the model of both.
pub(super) struct Test {
    subjects: Vec<Subject>,
    model: Model,
    /// How many entries were given an id.
    given: usize,
}

impl Test {
    pub(super) fn new() -> Self {
        let folder = super::folder();
        let in_file = in_file(folder.path());
        let subject = |log, folder| Subject { log, ids: Vec::new(), times: Vec::new(), left: BTreeSet::new(), folder };
        Test {
            subjects: vec![subject(in_memory(), None), subject(in_file, Some(folder))],
            model: Model::default(),
            given: 0,
        }
    }

    /// Appends to every log and to the model.
    fn append(
        &mut self,
        parent: Option<usize>,
        fields: Value,
        append: impl Fn(&mut Subject) -> Result<String, Error>,
    ) -> Result<(), TestCaseError> {
        for subject in &mut self.subjects {
            let id = append(subject).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let entry = ok(subject.log.entry(&id)).expect("it was appended");
            subject.times.push(entry.time.expect("a time"));
            subject.ids.push(id);
        }
        self.model.add(parent, fields);
        Ok(())
    }

    /// Does the same to all, or nothing where it would not be lawful.
    pub(super) fn apply(&mut self, op: &Op) -> Result<(), TestCaseError> {
        let count = self.model.entries.len();
        let leaf = self.model.leaf;
        let pick = |index: &Index| (count > 0).then(|| index.index(count.max(1)));
        match op {
            Op::Message(role, text) => {
                let message = message(role, text);
                let fields = json!({ "type": "message", "message": message });
                self.append(leaf, fields, |s| s.log.append_message(&message))
            }
            Op::ModelChange(name) => {
                let fields = json!({ "type": "model_change", "provider": "p", "modelId": name });
                self.append(leaf, fields, |s| s.log.append_model_change("p", name))
            }
            Op::Thinking(level) => {
                let fields = json!({ "type": "thinking_level_change", "thinkingLevel": level });
                self.append(leaf, fields, |s| s.log.append_thinking_level_change(level))
            }
            Op::Compact(kept) => {
                let path = self.model.path(leaf);
                let kept = kept.as_ref().filter(|_| !path.is_empty()).map(|kept| path[kept.index(path.len())]);
                let named = kept.unwrap_or(count);
                let fields = json!({ "type": "compaction", "summary": "sum", "tokensBefore": 9,
                    "firstKeptEntryId": format!("#{named}") });
                self.append(leaf, fields, |s| {
                    let first_kept = kept.map(|n| s.id(n).to_string());
                    let first_kept = first_kept.as_deref();
                    s.log.append_compaction(&Compaction {
                        summary: "sum",
                        first_kept,
                        tokens_before: 9,
                        ..Default::default()
                    })
                })
            }
            Op::Summary => {
                let from = leaf.map_or("root".to_string(), |n| format!("#{n}"));
                let fields = json!({ "type": "branch_summary", "fromId": from, "summary": "here" });
                self.append(leaf, fields, |s| {
                    let from = leaf.map(|n| s.id(n).to_string());
                    let summary = BranchSummary { summary: "here", ..Default::default() };
                    s.log.append_branch_summary(from.as_deref(), &summary)
                })
            }
            Op::Custom(data) => {
                let mut fields = json!({ "type": "custom", "customType": "ext" });
                if let Some(data) = data {
                    fields["data"] = json!({ "n": data });
                }
                let data = data.map(|data| json!({ "n": data }));
                self.append(leaf, fields, |s| s.log.append_custom("ext", data.as_ref()))
            }
            Op::CustomMessage(text, display) => {
                let content = Value::from(text.as_str());
                let fields =
                    json!({ "type": "custom_message", "customType": "ext", "content": text, "display": display });
                self.append(leaf, fields, |s| {
                    let message =
                        CustomMessage { custom_type: "ext", content: &content, display: *display, details: None };
                    s.log.append_custom_message(&message)
                })
            }
            Op::Edit(target, text) => self.edit(target, text.as_deref()),
            Op::Usage => {
                let usage = json!({ "input": 1 });
                let fields =
                    json!({ "type": "usage", "kind": "k", "provider": "p", "model": "m", "usage": usage, "note": "n" });
                self.append(leaf, fields, |s| {
                    s.log.append_usage(&Usage { kind: "k", provider: "p", model: "m", usage: &usage, note: Some("n") })
                })
            }
            Op::Label(target, label) => {
                let Some(target) = pick(target) else { return Ok(()) };
                let mut fields = json!({ "type": "label", "targetId": format!("#{target}") });
                if let Some(label) = label {
                    fields["label"] = label.as_str().into();
                }
                self.append(leaf, fields, |s| {
                    let target = s.id(target).to_string();
                    s.log.set_label(&target, label.as_deref())
                })
            }
            Op::Name(name) => {
                let plain = name.split(['\n', '\r']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
                let fields = json!({ "type": "session_info", "name": plain.trim() });
                self.append(leaf, fields, |s| s.log.set_name(name))
            }
            Op::Branch(target) => {
                let Some(target) = pick(target) else { return Ok(()) };
                self.subjects.iter_mut().for_each(|s| {
                    let id = s.id(target).to_string();
                    ok(s.log.branch(&id));
                });
                self.model.leaf = Some(target);
                Ok(())
            }
            Op::BranchWithSummary(target, text) => {
                let target = target.as_ref().and_then(pick);
                let from = leaf.map_or("root".to_string(), |n| format!("#{n}"));
                let fields = json!({ "type": "branch_summary", "fromId": from, "summary": text });
                self.append(target, fields, |s| {
                    let target = target.map(|n| s.id(n).to_string());
                    let summary = BranchSummary { summary: text, ..Default::default() };
                    s.log.branch_with_summary(target.as_deref(), &summary)
                })
            }
            Op::Reset => {
                self.subjects.iter_mut().for_each(|s| s.log.reset());
                self.model.leaf = None;
                Ok(())
            }
            Op::MoveTo(target) => {
                let target = target.as_ref().and_then(pick);
                let named = target.map_or(Value::Null, |n| format!("#{n}").into());
                let fields = json!({ "type": "leaf", "targetId": named });
                self.append(leaf, fields, |s| {
                    let target = target.map(|n| s.id(n).to_string());
                    s.log.move_to(target.as_deref())
                })?;
                self.model.leaf = target;
                Ok(())
            }
            Op::Raw(parent, seconds) => {
                let parent = pick(parent);
                self.given += 1;
                let id = format!("given-{}", self.given);
                let timestamp = time::show(1_767_225_600_000 + seconds * 1000);
                let fields = json!({ "type": "message", "message": user("given") });
                self.append(parent, fields, |s| {
                    let parent = parent.map(|n| s.id(n));
                    let entry = json!({ "type": "message", "id": id, "parentId": parent, "timestamp": timestamp,
                        "message": user("given") });
                    s.log.append(&entry.to_string())
                })
            }
            Op::Unknown(which) => {
                for subject in &mut self.subjects {
                    let before = ok(subject.log.lines());
                    let error = unknown(&mut subject.log, *which).expect_err("there is no such entry");
                    prop_assert!(matches!(&error, Error::UnknownId(id) if id == "gone"), "{}", error);
                    prop_assert_eq!(ok(subject.log.lines()), before);
                }
                Ok(())
            }
            Op::Reopen => {
                let reopened: BTreeSet<bool> = self.subjects.iter_mut().map(Subject::reopen).collect();
                prop_assert_eq!(reopened.len(), 1, "both are stored, or none is");
                if reopened.contains(&true) {
                    self.model.leaf = match count.checked_sub(1) {
                        Some(last) if self.model.kind(last) == "leaf" => {
                            place(&self.model.entries[last].fields["targetId"])
                        }
                        last => last,
                    };
                }
                Ok(())
            }
            Op::Fork(leaf) => {
                let Some(leaf) = pick(leaf) else { return Ok(()) };
                self.fork(leaf)
            }
        }
    }

    fn edit(&mut self, target: &Index, text: Option<&str>) -> Result<(), TestCaseError> {
        let editable = |n: &usize| {
            self.model.kind(*n) == "custom_message"
                || matches!(self.model.role(*n), "user" | "assistant" | "toolResult")
        };
        let path: Vec<usize> = self.model.path(self.model.leaf).into_iter().filter(editable).collect();
        if path.is_empty() {
            return Ok(());
        }
        let target = path[target.index(path.len())];
        let blocks = matches!(self.model.role(target), "assistant" | "toolResult");
        let content = text.map(Value::from);
        let replacement = match text {
            None => Value::Null,
            Some(text) if blocks => json!({ "content": [{ "type": "text", "text": text }] }),
            Some(text) => json!({ "content": text }),
        };
        let fields = json!({ "type": "context_edit", "targetId": format!("#{target}"), "replacement": replacement });
        self.append(self.model.leaf, fields, |s| {
            let target = s.id(target).to_string();
            s.log.append_context_edit(&target, content.as_ref())
        })
    }

    fn fork(&mut self, leaf: usize) -> Result<(), TestCaseError> {
        let (order, mut model) = self.model.fork(leaf);
        for entry in &mut model.entries {
            rename(&mut entry.fields, &order);
        }
        for subject in &mut self.subjects {
            let fork = ok(subject.log.fork(subject.id(leaf), &Options::new()));
            prop_assert_ne!(fork.id(), subject.log.id());
            let kept: Vec<String> = order.iter().map(|n| subject.ids[*n].clone()).collect();
            subject.left.extend(subject.ids.drain(..).filter(|id| !kept.contains(id)));
            subject.ids = kept;
            subject.times = order.iter().map(|n| subject.times[*n]).collect();
            subject.log = fork;
        }
        self.model = model;
        Ok(())
    }

    /// The session in a file, which nobody has open any more, if it was stored.
    pub(super) fn into_file(mut self) -> Option<File> {
        let Subject { log, folder, .. } = self.subjects.pop()?;
        let path = log.path().filter(|path| path.exists())?.to_path_buf();
        Some(File { path, _folder: folder? })
    }

    fn holds(&self) -> Result<(), TestCaseError> {
        self.subjects.iter().try_for_each(|subject| subject.is(&self.model).and_then(|()| subject.is_indexed()))
    }
}

/// References to entries by their new places; what is not in the fork keeps a name that nothing has.
fn rename(value: &mut Value, order: &[usize]) {
    match value {
        Value::String(text) => {
            if let Some(n) = place(&Value::String(text.clone())) {
                *text = match order.iter().position(|old| *old == n) {
                    Some(new) => format!("#{new}"),
                    None => "gone".to_string(),
                };
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, order)),
        Value::Object(map) => map.values_mut().for_each(|value| rename(value, order)),
        _ => {}
    }
}

fn message(role: &str, text: &str) -> Value {
    match role {
        "assistant" => assistant(text),
        "toolResult" => json!({ "role": role, "toolCallId": "c", "toolName": "t", "isError": false, "timestamp": 1,
            "content": [{ "type": "text", "text": text }] }),
        "bashExecution" => json!({ "role": role, "command": text, "output": "", "exitCode": 0, "cancelled": false,
            "truncated": false, "timestamp": 1 }),
        role => json!({ "role": role, "content": text, "timestamp": 1 }),
    }
}

/// Something that names the entry `gone`, which there is not.
fn unknown(log: &mut SessionLog, which: u8) -> Result<String, Error> {
    let summary = BranchSummary { summary: "s", ..Default::default() };
    match which {
        0 => log.branch("gone").map(|()| String::new()),
        1 => log.branch_with_summary(Some("gone"), &summary),
        2 => log.move_to(Some("gone")),
        3 => log.set_label("gone", Some("mark")),
        4 => log.append_context_edit("gone", None),
        5 => log.append_compaction(&Compaction { first_kept: Some("gone"), ..Default::default() }),
        6 => log.append_branch_summary(Some("gone"), &summary),
        _ => log.fork("gone", &options()).map(|fork| fork.id().to_string()),
    }
}

/// Findings that lawful operations lead to; none of them is an error.
const LAWFUL: &[(&str, &str)] = &[
    ("E008", "a given entry may be older than its parent"),
    ("G007", "a reset makes another root"),
    ("G008", "bookkeeping was appended after going back"),
    ("G009", "two branches grew in turns"),
    ("G010", "the same words were said on two branches"),
    ("M002", "a tool result was appended, or kept by a compaction, without its call"),
    ("M004", "two results of one call"),
    ("R006", "a fork leaves out the branch that a summary came from"),
    ("R009", "pi does not obey a `leaf` entry"),
];

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(), rng_seed: RngSeed::Fixed(9), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn memory_and_file_agree_with_the_model_after_every_step(ops in prop::collection::vec(op(), 1..40)) {
        let mut test = Test::new();
        for op in &ops {
            test.apply(op)?;
            test.holds().map_err(|error| TestCaseError::fail(format!("after {op:?}: {error}")))?;
        }
        for subject in &test.subjects {
            let report = crate::support::check_bytes(&ok(subject.log.lines()));
            for finding in &report.findings {
                let lawful = LAWFUL.iter().any(|(code, _)| *code == finding.rule.code);
                prop_assert!(lawful, "{} {}", finding.rule.code, finding.message);
            }
            prop_assert_eq!(report.totals.errors, 0);
            let _keep = &subject.folder;
        }
    }
}
