//! A forensic and repair toolkit for the JSONL session files of coding agents.

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
