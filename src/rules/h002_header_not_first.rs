//! `header-not-first`: something stands before the header.

use super::{Repair, Rule, Severity};

/// H002.
pub static RULE: Rule = Rule {
    code: "H002",
    name: "header-not-first",
    severity: Severity::Error,
    also: &[],
    found: "The header is there, but before it stands another value that parses and that JavaScript \
        takes for true: a message, oh-my-pi's `title` line, an array such as `[]`. The finding \
        stands on the header's line.",
    why: "The header must be the first record. Nothing is lost, but the file cannot be opened.",
    readers: "pi refuses the file, because the first record that parses is no header. Lines that do not \
        parse, and blank lines, do not matter to it. oh-my-pi, a fork, writes such a `title` line \
        itself.",
    example: r#"{"type":"title","title":"Parser fixes"}
{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}"#,
    repair: Repair::Safe,
    remedy: "Moves the header to the first line. All other lines keep their order and their bytes.",
};
