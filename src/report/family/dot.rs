//! The forest as a graph for Graphviz.

use super::{Forest, Format, Node, Options, Stated, Tie, labels};
use crate::dialect::time;
use crate::report::clean::first_words;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "dot", help: "a graph for Graphviz", write };

/// How many columns of a text stand in a node.
const WORDS: usize = 40;

fn write(out: &mut dyn Write, forest: &Forest, options: &Options) -> io::Result<()> {
    writeln!(out, "digraph sessions {{")?;
    writeln!(out, "  rankdir=LR; node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    let nodes: Vec<&Node> = forest.shown(options.all).map(|(_, node)| node).collect();
    for ((at, node), label) in forest.shown(options.all).zip(labels(&nodes)) {
        let asked = if node.asked { ", style=\"rounded,bold,filled\", fillcolor=\"#d7f5d7\"" } else { "" };
        writeln!(out, "  n{at} [label=\"{}\"{asked}];", quoted(&caption(node, &label)))?;
        if let Some(parent) = node.parent {
            writeln!(
                out,
                "  n{parent} -> n{at} [label=\"{}\"{}];",
                node.tie.name().unwrap_or_default(),
                line(node.tie)
            )?;
        } else if let (Some(named), Stated::Missing | Stated::Elsewhere) = (&node.parent_session, node.stated) {
            writeln!(
                out,
                "  p{at} [label=\"{}\", style=\"rounded,dashed\"];",
                quoted(&[first_words(end(named), WORDS)])
            )?;
            writeln!(out, "  p{at} -> n{at} [style=dashed];")?;
        }
    }
    writeln!(out, "}}")
}

/// How the edge is drawn: what the header says, what was concluded, what is the same session.
fn line(tie: Tie) -> &'static str {
    match tie {
        Tie::Entries => ", style=dashed",
        tie if tie.is_copy() => ", style=dotted, dir=none",
        _ => "",
    }
}

/// The last part of a path.
fn end(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

fn caption(node: &Node, label: &str) -> Vec<String> {
    let day: String = node.created.map_or(String::new(), |ms| time::brief(ms, time::To::Day));
    let lines = [
        first_words(label, WORDS),
        first_words(node.title(), WORDS),
        format!("{day} {} entries, {} shared", node.entries, node.shared).trim().to_string(),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn quoted(lines: &[String]) -> String {
    let escaped: Vec<String> = lines.iter().map(|l| l.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    escaped.join("\\n")
}
