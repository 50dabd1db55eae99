//! The context as one JSON document.

use super::{Format, Options, Seen};
use crate::report::json::{write_json, write_raw};
use crate::report::tree::write_id;
use crate::session::view::{Cut, Fate, View};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "json", help: "one JSON document, schema sesstool.context/1", write };

fn write(out: &mut dyn Write, seen: &Seen<'_>, options: &Options) -> io::Result<()> {
    let context = seen.context;
    write!(out, "{{\"schema\":\"sesstool.context/1\",\"path\":")?;
    write_json(out, &seen.path)?;
    write!(out, ",\"reader\":\"{}\",\"leaf\":", seen.view.reader.name())?;
    write_id(out, seen.view, seen.leaf.node())?;
    write!(out, ",\"model\":")?;
    match &context.model {
        None => write!(out, "null")?,
        Some(model) => {
            write!(out, "{{\"provider\":")?;
            write_raw(out, &model.provider)?;
            write!(out, ",\"modelId\":")?;
            write_raw(out, &model.id)?;
            write!(out, "}}")?;
        }
    }
    write!(out, ",\"thinkingLevel\":")?;
    write_raw(out, &context.thinking)?;
    write!(out, ",\n \"entries\":[")?;
    for (at, &n) in context.entries.iter().enumerate() {
        write!(out, "{}", if at > 0 { "," } else { "" })?;
        write_id(out, seen.view, Some(n))?;
    }
    write!(out, "],\n \"messages\":[")?;
    let mut separator = "\n  ";
    seen.each_message(|message| {
        write!(out, "{separator}{{\"entry\":")?;
        separator = ",\n  ";
        write_id(out, seen.view, Some(message.node))?;
        write!(out, ",\"line\":{},\"message\":", seen.view.row(message.node).line)?;
        write_raw(out, &message.json)?;
        write!(out, "}}")
    })?;
    write!(out, "]")?;
    if options.explain {
        explain(out, seen)?;
    }
    if context.branch.cut == Some(Cut::Loop) {
        write!(out, ",\n \"cut\":true")?;
    }
    writeln!(out, "}}")
}

/// What became of each entry of the branch.
fn explain(out: &mut dyn Write, seen: &Seen<'_>) -> io::Result<()> {
    write!(out, ",\n \"branch\":[")?;
    let entries = seen.context.branch.nodes.iter().zip(&seen.context.fates);
    for (at, (&n, &fate)) in entries.enumerate() {
        write!(out, "{}\n  {{\"id\":", if at > 0 { "," } else { "" })?;
        write_id(out, seen.view, Some(n))?;
        write!(out, ",\"line\":{},\"in\":{},\"why\":", seen.view.row(n).line, fate.is_in())?;
        write_json(out, &why(seen.view, fate))?;
        write!(out, "}}")?;
    }
    write!(out, "]")
}

/// Why an entry is in the context or not, in a few words.
pub(crate) fn why(view: &View<'_>, fate: Fate) -> String {
    let edit = |n: u32| view.id_text(n).unwrap_or_else(|| format!("line {}", view.row(n).line));
    match fate {
        Fate::Message => "message".to_string(),
        Fate::Kept => "kept by the compaction".to_string(),
        Fate::Edited(n) => format!("edited by {}", edit(n)),
        Fate::Removed(n) => format!("removed by edit {}", edit(n)),
        Fate::Compaction => "summary of what came before".to_string(),
        Fate::Summary => "summary of a branch that was left".to_string(),
        Fate::BeforeKept => "before the kept range".to_string(),
        Fate::ReplacedSystem => "system message from before the compaction".to_string(),
        Fate::OlderCompaction => "older compaction".to_string(),
        Fate::EmptySummary => "empty summary".to_string(),
        Fate::NoMessage => "no message in it".to_string(),
        Fate::Bookkeeping => "bookkeeping".to_string(),
    }
}
