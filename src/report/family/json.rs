//! The forest as one JSON document: flat, in the order of the trees.

use super::{Forest, Format, Node, Options, Stated};
use crate::report::json::write_json;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "json", help: "one JSON document, schema sesstool.family/1", write };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeJson<'a> {
    path: &'a str,
    id: Option<&'a str>,
    name: Option<&'a str>,
    first_message: &'a str,
    created: Option<String>,
    modified: Option<String>,
    bytes: u64,
    entries: u64,
    depth: u32,
    parent: Option<&'a str>,
    tie: Option<&'static str>,
    shared: u64,
    parent_session: Option<&'a str>,
    stated: &'static str,
    output: bool,
    asked: bool,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct SummaryJson {
    sessions: u64,
    families: u64,
    alone: u64,
}

impl Stated {
    fn name(self) -> &'static str {
        match self {
            Stated::Here => "here",
            Stated::Elsewhere => "elsewhere",
            Stated::Missing => "missing",
            Stated::Loop => "loop",
        }
    }
}

fn write(out: &mut dyn Write, forest: &Forest, _: &Options) -> io::Result<()> {
    write!(out, "{{\"schema\":\"sesstool.family/1\",\n \"sessions\":[")?;
    for (at, node) in forest.nodes.iter().enumerate() {
        write!(out, "{}\n  ", if at > 0 { "," } else { "" })?;
        write_json(out, &node_json(forest, node))?;
    }
    write!(out, "],\n \"skipped\":")?;
    let skipped = forest.skipped.iter();
    let skipped = skipped.map(|file| FileJson { path: &file.path, dialect: Some(file.dialect), message: None });
    write_json(out, &skipped.collect::<Vec<_>>())?;
    write!(out, ",\n \"errors\":")?;
    let errors = forest.errors.iter();
    let errors = errors.map(|error| FileJson { path: &error.path, dialect: None, message: Some(&error.message) });
    write_json(out, &errors.collect::<Vec<_>>())?;
    write!(out, ",\n \"summary\":")?;
    let (families, alone) = forest.counts();
    write_json(out, &SummaryJson { sessions: forest.nodes.len() as u64, families, alone })?;
    writeln!(out, "}}")
}

fn node_json<'a>(forest: &'a Forest, node: &'a Node) -> NodeJson<'a> {
    let time = |ms: Option<i64>| ms.map(crate::dialect::time::show);
    NodeJson {
        path: &node.path,
        id: node.id.as_deref(),
        name: node.name.as_deref(),
        first_message: &node.first,
        created: time(node.created),
        modified: time(node.modified),
        bytes: node.bytes,
        entries: node.entries,
        depth: node.depth,
        parent: node.parent.map(|parent| forest.nodes[parent as usize].path.as_str()),
        tie: node.tie.name(),
        shared: node.shared,
        parent_session: node.parent_session.as_deref(),
        stated: node.stated.name(),
        output: node.output,
        asked: node.asked,
    }
}
