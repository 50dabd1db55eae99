//! The tree as a flow chart for Mermaid, which Markdown renderers draw.

use super::dot::caption;
use super::rows::{Rows, What};
use super::{Format, Options, Tree};
use crate::session::view::NONE;
use hashbrown::HashSet;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "mermaid",
    help: "a flow chart for Mermaid, chains folded unless --all is given",
    whole: false,
    title: super::no_title,
    write,
};

fn write(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    writeln!(out, "flowchart TB")?;
    writeln!(out, "  classDef branch stroke-width:3px")?;
    writeln!(out, "  classDef leaf stroke-width:3px,fill:#d7f5d7,color:#000")?;
    writeln!(out, "  classDef fold stroke-dasharray:4")?;
    let on_branch: HashSet<u32> = tree.branch.nodes.iter().copied().collect();
    for (at, row) in Rows::of(tree, options).list.iter().enumerate() {
        let class = match row.what {
            What::Entry(n) if tree.leaf.node() == Some(n) => ":::leaf",
            What::Entry(n) if on_branch.contains(&n) => ":::branch",
            What::Entry(_) => "",
            What::Fold(_) | What::Stub(..) => ":::fold",
        };
        writeln!(out, "  n{at}[\"{}\"]{class}", quoted(&caption(tree, row)))?;
        if row.parent != NONE {
            writeln!(out, "  n{} --> n{at}", row.parent)?;
        }
    }
    Ok(())
}

/// Lines as Mermaid wants them: what is no letter, digit or harmless sign as an entity.
fn quoted(lines: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .,:/_-…?!()+=~'".contains(c) || !c.is_ascii();
    let entity = |c: char| if plain(c) { c.to_string() } else { format!("#{};", u32::from(c)) };
    let escaped: Vec<String> = lines.iter().map(|line| line.chars().map(entity).collect()).collect();
    escaped.join("<br/>")
}
