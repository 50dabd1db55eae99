//! The tree as one JSON document: flat, in the reader's order, since chains are thousands deep.

use super::{Format, Options, Tree};
use crate::report::clean::first_words;
use crate::report::digest::Digest;
use crate::report::json::{write_json, write_raw};
use crate::session::view::{Cut, Order, View};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "one JSON document, schema sesstool.tree/1, with --leaf sesstool.branch/1",
    whole: true,
    title: super::no_title,
    write,
};

/// How many columns of a text are given.
const WORDS: usize = 120;

fn write(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    let schema = if tree.only_branch { "sesstool.branch/1" } else { "sesstool.tree/1" };
    write!(out, "{{\"schema\":\"{schema}\",\"path\":")?;
    write_json(out, &tree.path)?;
    write!(out, ",\"reader\":\"{}\",\"leaf\":", tree.view.reader.name())?;
    write_id(out, tree.view, tree.leaf.node())?;
    if tree.only_branch {
        branch(out, tree, options)?
    } else {
        nodes(out, tree, options)?
    }
    writeln!(out, "}}")
}

fn nodes(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    write!(out, ",\"nodes\":[")?;
    let order = Order::of(tree.view);
    let mut walk = order.walk();
    let mut separator = "\n";
    for place in walk.by_ref().filter(|place| tree.passes(place.node, options.filter)) {
        write!(out, "{separator}")?;
        separator = ",\n";
        node(out, tree, place.node, place.depth)?;
    }
    write!(out, "]")?;
    if walk.was_cut || walk.hangs {
        write!(out, ",\"cut\":true")?;
    }
    Ok(())
}

fn node(out: &mut dyn Write, tree: &Tree<'_>, n: u32, depth: u32) -> io::Result<()> {
    let view = tree.view;
    let row = view.row(n);
    let digest = Digest::of(view, n);
    write!(out, "{{\"id\":")?;
    write_id(out, view, Some(n))?;
    write!(out, ",\"parent\":")?;
    write_raw(out, view.parent_json(n).as_deref().unwrap_or("null"))?;
    write!(out, ",\"depth\":{depth},\"line\":{},\"offset\":{},\"type\":", row.line, row.offset)?;
    write_json(out, &digest.kind)?;
    write!(out, ",\"role\":")?;
    write_json(out, &digest.role)?;
    write!(out, ",\"timestamp\":")?;
    write_raw(out, digest.timestamp.as_deref().unwrap_or("null"))?;
    write!(out, ",\"label\":")?;
    write_raw(out, view.label(n).unwrap_or("null"))?;
    write!(out, ",\"text\":")?;
    write_json(out, &first_words(&digest.text, WORDS))?;
    marks(out, tree, n)?;
    write!(out, "}}")
}

fn branch(out: &mut dyn Write, tree: &Tree<'_>, options: &Options) -> io::Result<()> {
    write!(out, ",\"entries\":[")?;
    let mut separator = "\n";
    for &n in tree.branch.nodes.iter().filter(|n| tree.passes(**n, options.filter)) {
        let digest = Digest::of(tree.view, n);
        write!(out, "{separator}{{\"id\":")?;
        separator = ",\n";
        write_id(out, tree.view, Some(n))?;
        write!(out, ",\"line\":{},\"type\":", tree.view.row(n).line)?;
        write_json(out, &digest.kind)?;
        write!(out, ",\"role\":")?;
        write_json(out, &digest.role)?;
        marks(out, tree, n)?;
        write!(out, "}}")?;
    }
    write!(out, "]")?;
    match tree.branch.cut {
        Some(Cut::Loop) => write!(out, ",\"cut\":true"),
        _ => Ok(()),
    }
}

/// What is said only of some entries.
fn marks(out: &mut dyn Write, tree: &Tree<'_>, n: u32) -> io::Result<()> {
    if tree.view.is_dropped_by_pi(n) {
        write!(out, ",\"dropped\":true")?;
    }
    if !tree.codes(n).is_empty() {
        write!(out, ",\"findings\":")?;
        write_json(out, &tree.codes(n))?;
    }
    Ok(())
}

/// The id of a node as it stands in the file; null for none.
pub(crate) fn write_id(out: &mut dyn Write, view: &View<'_>, n: Option<u32>) -> io::Result<()> {
    let id = n.and_then(|n| view.id_json(n));
    write_raw(out, id.as_deref().unwrap_or("null"))
}
