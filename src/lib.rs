//! A forensic and repair toolkit for the JSONL session files of coding agents.

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod json;
pub mod report;
pub mod rules;
pub mod source;
