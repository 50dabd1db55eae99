//! The store: sessions that are written.

mod behaviour;
mod contract;
mod crash;
mod faults;
mod model;
mod oracle;

use serde_json::{Value, json};
use sesstool::store::{Error, Options, SessionLog, StoredEntry};
use std::path::{Path, PathBuf};

/// A folder for the sessions of a test.
pub(super) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

pub(super) fn options() -> Options {
    Options::new().cwd("/project")
}

pub(super) fn in_memory() -> SessionLog {
    SessionLog::in_memory(&options()).expect("a session")
}

/// A new session in a file of this folder.
pub(super) fn in_file(folder: &Path) -> SessionLog {
    SessionLog::create(&options().folder(folder)).expect("a session")
}

pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text, "timestamp": 1 })
}

pub(super) fn assistant(text: &str) -> Value {
    assistant_of("p", "m", text)
}

pub(super) fn assistant_of(provider: &str, model: &str, text: &str) -> Value {
    let cost = json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 });
    json!({
        "role": "assistant", "content": [{ "type": "text", "text": text }], "api": "a", "provider": provider,
        "model": model, "stopReason": "stop", "timestamp": 1,
        "usage": { "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": cost },
    })
}

/// Something that has to go well.
pub(super) fn ok<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn say(log: &mut SessionLog, text: &str) -> String {
    ok(log.append_message(&user(text)))
}

pub(super) fn answer(log: &mut SessionLog, text: &str) -> String {
    ok(log.append_message(&assistant(text)))
}

pub(super) fn entries(log: &SessionLog) -> Vec<StoredEntry> {
    ok(log.entries()).map(ok).collect()
}

pub(super) fn ids(entries: &[StoredEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.id.as_str()).collect()
}

/// The ids of a branch.
pub(super) fn path(log: &SessionLog) -> Vec<String> {
    ok(log.branch_path()).into_iter().map(|entry| entry.id).collect()
}

/// Depth, id and label of each node of the tree.
pub(super) fn tree(log: &SessionLog) -> Vec<(u32, String, Option<String>)> {
    ok(log.tree()).into_iter().map(|node| (node.depth, node.id, node.label)).collect()
}

pub(super) fn messages(log: &SessionLog) -> Vec<Value> {
    ok(log.context()).messages.iter().map(|message| value(&message.json)).collect()
}

/// The texts that the model sees, with the roles.
pub(super) fn said(log: &SessionLog) -> Vec<(String, String)> {
    messages(log).iter().map(|message| (text(&message["role"]), text_of(message))).collect()
}

fn text_of(message: &Value) -> String {
    match (&message["content"], &message["summary"]) {
        (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
        (content, _) => text(&content[0]["text"]),
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

pub(super) fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

pub(super) fn stored_path(log: &SessionLog) -> PathBuf {
    log.path().expect("a file").to_path_buf()
}

pub(super) fn lines_of(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.ends_with('\n'), "{text:?}");
    text.lines().map(str::to_string).collect()
}

pub(super) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}
