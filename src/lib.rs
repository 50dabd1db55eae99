//! A forensic and repair toolkit for the JSONL session files of coding agents.

pub mod json;
pub mod report;
pub mod rules;
