//! The audit as one JSON document.

use super::{Audited, Format, OUTCOMES, Texts, Totals};
use crate::report::json::{write_json, write_raw};
use crate::report::tree::write_id;
use crate::session::tools::ToolCall;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "json", help: "one JSON document, schema sesstool.tools/1", write };

fn write(out: &mut dyn Write, audited: &Audited<'_>, _: usize) -> io::Result<()> {
    write!(out, "{{\"schema\":\"sesstool.tools/1\",\"path\":")?;
    write_json(out, &audited.path)?;
    write!(out, ",\"allBranches\":{},\"leaf\":", audited.leaf.is_none())?;
    write_id(out, audited.view, audited.leaf.and_then(|leaf| leaf.node()))?;
    write!(out, ",\n \"calls\":[")?;
    let mut totals = Totals::default();
    for (at, call) in audited.calls.iter().enumerate() {
        let texts = Texts::of(audited, call);
        write!(out, "{}\n  ", if at > 0 { "," } else { "" })?;
        write_call(out, audited, call, &texts)?;
        totals.add(call, &texts.tool);
    }
    write!(out, "],\n \"totals\":[")?;
    for (at, (tool, total)) in totals.sorted().into_iter().enumerate() {
        write!(out, "{}\n  {{\"tool\":", if at > 0 { "," } else { "" })?;
        write_json(out, &tool)?;
        write!(out, ",\"calls\":{}", total.calls)?;
        for outcome in OUTCOMES {
            write!(out, ",\"{}\":{}", outcome.name(), total.count(outcome))?;
        }
        write!(out, ",\"unanswered\":{},\"ms\":{},\"bytes\":{}}}", total.unanswered, total.ms, total.bytes)?;
    }
    let (all, failed) = (&totals.all, totals.of_failed_turns);
    writeln!(
        out,
        "],\n \"summary\":{{\"calls\":{},\"unanswered\":{},\"unansweredOfFailedTurns\":{failed}}}}}",
        all.calls, all.unanswered
    )
}

/// One call.
pub(super) fn write_call(out: &mut dyn Write, audited: &Audited<'_>, call: &ToolCall, texts: &Texts) -> io::Result<()> {
    let view = audited.view;
    write!(out, "{{\"line\":{},\"entry\":", view.session.entries[call.entry as usize].line)?;
    write_id(out, view, view.node_of(call.entry))?;
    write!(out, ",\"callId\":")?;
    write_raw(out, &texts.id)?;
    write!(out, ",\"tool\":")?;
    write_json(out, &texts.tool)?;
    write!(out, ",\"arguments\":")?;
    // in valid JSON a carriage return or tab can only stand between tokens
    write_raw(out, &texts.arguments.replace(['\r', '\n', '\t'], " "))?;
    write!(out, ",\"result\":\"{}\",\"failedTurn\":{},\"results\":[", call.outcome.name(), call.failed_turn)?;
    for (at, &result) in call.results.iter().enumerate() {
        let line = view.session.entries[result as usize].line;
        write!(out, "{}{{\"line\":{line},\"entry\":", if at > 0 { "," } else { "" })?;
        write_id(out, view, view.node_of(result))?;
        write!(out, "}}")?;
    }
    let ms = call.ms.map_or("null".to_string(), |ms| ms.to_string());
    write!(out, "],\"ms\":{ms},\"bytes\":{}}}", call.bytes)
}
