//! A forensic and repair toolkit for the JSONL session files of coding agents.
//!
//! A session is a tree: each line is an entry that names its parent. This library reads such files from any
//! bytes whatever, tells what is broken in them and what their readers do with it, shows the tree, the branch
//! and the context as a reader has them, and plans repairs as edits of bytes. The program `sesstool` is made of
//! it; without the feature `cli` (on by default) the library builds alone, without clap and what else a terminal
//! needs.
//!
//! The layers import only upward: [`source`] (bytes, read-only), [`line`](mod@line), [`json`], [`record`], [`dialect`],
//! [`session`] (the index and the views), [`rules`], [`edit`], [`store`] (sessions that are written), [`pass`]
//! (migrate, repair, fork), [`report`], [`check`].
//!
//! # Check bytes in memory
//!
//! Content is never an error, only reading is. A finding has a rule, a place in bytes, and what a reader does
//! with it.
//!
//! ```
//! use sesstool::check::{Options, source_report};
//! use sesstool::source::Source;
//!
//! # let session = concat!(
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#, "\n",
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-14T09:26:51.000Z","message":{"role":"user","content":"Hello.","timestamp":1}}"#, "\n",
//! #     r#"{"type":"message","id":"b2","parentId":"??","timestamp":"2026-03-14T09:26:52.000Z","message":{"role":"user","content":"Hello?","timestamp":2}}"#, "\n",
//! # );
//! // `session` has three lines; the parent of the last entry is not in the file
//! let source = Source::bytes(session.as_bytes().to_vec());
//! let report = source_report(&source, "a name", None, &Options::default())?;
//! let finding = &report.findings[0];
//! assert_eq!((report.verdict(), finding.rule.code), ("error", "G003"));
//! assert_eq!(finding.message, "parent `??` is not in this file");
//! let place = finding.place.as_ref().expect("a place");
//! assert_eq!((place.line, place.column()), (3, 40));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`check::files`] does the same for many files in parallel, in their order.
//!
//! # Walk the tree
//!
//! A [`View`](session::view::View) is a session as one [`Reader`](session::view::Reader) sees it; its nodes are
//! numbers in file order.
//!
//! ```
//! use sesstool::session::scan::{Options, scan};
//! use sesstool::session::view::{Order, Reader, View};
//! use sesstool::source::Source;
//!
//! # let session = concat!(
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#, "\n",
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-14T09:26:51.000Z","message":{"role":"user","content":"Hello.","timestamp":1}}"#, "\n",
//! #     r#"{"type":"message","id":"b2","parentId":"a1","timestamp":"2026-03-14T09:26:52.000Z","message":{"role":"user","content":"Hello?","timestamp":2}}"#, "\n",
//! #     r#"{"type":"message","id":"c3","parentId":"a1","timestamp":"2026-03-14T09:26:53.000Z","message":{"role":"user","content":"Or so?","timestamp":3}}"#, "\n",
//! # );
//! // a1, and two answers to it, b2 and c3
//! let source = Source::bytes(session.as_bytes().to_vec());
//! let (index, ()) = scan(&source, &Options::default())?;
//! let view = View::new(&source, &index, Reader::Pi)?;
//! let order = Order::of(&view);
//! let places: Vec<String> = order
//!     .walk()
//!     .map(|place| format!("{}{}", "  ".repeat(place.depth as usize), view.id_text(place.node).unwrap_or_default()))
//!     .collect();
//! assert_eq!(places, ["a1", "  b2", "  c3"]);
//! assert_eq!(view.leaf.node().and_then(|leaf| view.id_text(leaf)).as_deref(), Some("c3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Get the context
//!
//! What the model sees at the leaf, compactions, context edits and branch summaries included.
//!
//! ```
//! # use sesstool::session::scan::{Options, scan};
//! # use sesstool::session::view::{Reader, View};
//! # use sesstool::source::Source;
//! # let session = concat!(
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#, "\n",
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-14T09:26:51.000Z","message":{"role":"user","content":"Hello.","timestamp":1}}"#, "\n",
//! #     r#"{"type":"message","id":"b2","parentId":"a1","timestamp":"2026-03-14T09:26:52.000Z","message":{"role":"user","content":"Hello?","timestamp":2}}"#, "\n",
//! # );
//! # let source = Source::bytes(session.as_bytes().to_vec());
//! # let (index, ()) = scan(&source, &Options::default())?;
//! let view = View::new(&source, &index, Reader::Pi)?;
//! let context = view.context(view.leaf)?;
//! let messages: Vec<String> = context.shown.iter().filter_map(|shown| view.message(shown)).map(|m| m.json).collect();
//! assert_eq!(messages.len(), 2);
//! assert_eq!(messages[0], r#"{"role":"user","content":"Hello.","timestamp":1}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Plan a repair
//!
//! A plan is a list of edits, each with its reason and how sure it is; it never touches its input.
//! [`edit::write_plan`] makes a new file of it, with a manifest from which [`edit::restore`] rebuilds the input.
//!
//! ```
//! use sesstool::edit::Kind;
//! use sesstool::pass::repair::{Options, plan};
//! use sesstool::source::Source;
//!
//! # let session = concat!(
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#, "\n",
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-14T09:26:51.000Z","message":{"role":"user","content":"Hello.","timestamp":1}}"#, "\n",
//! #     r#"{"type":"message","id":"b2","parentId":"??","timestamp":"2026-03-14T09:26:52.000Z","message":{"role":"user","content":"Hello?","timestamp":2}}"#, "\n",
//! # );
//! let source = Source::bytes(session.as_bytes().to_vec());
//! let repairing = plan(&source, None, &Options::default())?;
//! let [edit] = repairing.plan.edits() else { panic!("one edit") };
//! assert_eq!((edit.why.cause, edit.why.kind), ("G003", Kind::Assumed));
//! let mut repaired = Vec::new();
//! repairing.plan.apply(&source, &mut |bytes| {
//!     repaired.extend_from_slice(bytes);
//!     Ok(())
//! })?;
//! assert_eq!(String::from_utf8(repaired)?, session.replace(r#""??""#, r#""a1""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files that they check"))]

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod dialect;
pub mod edit;
pub mod json;
pub mod line;
pub mod pass;
pub mod record;
pub mod report;
pub mod rules;
pub mod session;
pub mod source;
pub mod stats;
pub mod store;
