//! A forensic and repair toolkit for the JSONL session files of coding agents.

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
