//! The tree as a graph for Graphviz.

use super::rows::{Row, Rows, What};
use super::{Format, Options, Tree};
use crate::report::clean::first_words;
use crate::report::digest::Digest;
use crate::session::view::NONE;
use hashbrown::HashSet;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "dot",
    help: "a graph for Graphviz, chains folded unless --all is given",
    whole: false,
    title: super::no_title,
    write,
};

/// How many columns of a text stand in a node.
const WORDS: usize = 40;

fn write(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    writeln!(out, "digraph session {{")?;
    writeln!(out, "  rankdir=TB; node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    let on_branch: HashSet<u32> = tree.branch.nodes.iter().copied().collect();
    for (at, row) in Rows::of(tree, options).list.iter().enumerate() {
        let style = style(tree, row, &on_branch);
        writeln!(out, "  n{at} [label=\"{}\"{style}];", quoted(&caption(tree, row)))?;
        if row.parent != NONE {
            writeln!(out, "  n{} -> n{at};", row.parent)?;
        }
    }
    writeln!(out, "}}")
}

fn style(tree: &Tree<'_>, row: &Row, on_branch: &HashSet<u32>) -> &'static str {
    match row.what {
        What::Entry(n) if tree.leaf.node() == Some(n) => ", style=\"rounded,bold,filled\", fillcolor=\"#d7f5d7\"",
        What::Entry(n) if on_branch.contains(&n) => ", style=\"rounded,bold\"",
        What::Entry(_) => "",
        What::Fold(_) | What::Stub(..) => ", style=dashed",
    }
}

/// What stands in a node: its lines, safe for a terminal.
pub(super) fn caption(tree: &Tree<'_>, row: &Row) -> Vec<String> {
    let entry = |n: u32| {
        let digest = Digest::of(tree.view, n);
        let id = tree.view.id_text(n).unwrap_or_else(|| "?".to_string());
        let mut head = format!("{} {}", first_words(&id, WORDS), first_words(digest.who(tree.view.row(n)), WORDS));
        if let Some(label) = tree.view.label_text(n) {
            head += &format!(" [{}]", first_words(&label, WORDS));
        }
        let codes = tree.codes(n).join(" ");
        [head, first_words(&digest.text, WORDS), codes].into_iter().filter(|line| !line.is_empty()).collect()
    };
    match row.what {
        What::Entry(n) => entry(n),
        What::Fold(count) => vec![format!("… {count} entries …")],
        What::Stub(n, count) => {
            let mut lines: Vec<String> = entry(n);
            lines.push(format!("a branch of {count}"));
            lines
        }
    }
}

fn quoted(lines: &[String]) -> String {
    let escaped: Vec<String> = lines.iter().map(|l| l.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    escaped.join("\\n")
}
