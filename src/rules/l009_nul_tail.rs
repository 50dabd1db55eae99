//! `nul-tail`: the file ends in NUL bytes and nothing else.

use super::{Repair, Rule, Severity};

/// L009.
pub static RULE: Rule = Rule {
    code: "L009",
    name: "nul-tail",
    severity: Severity::Warning,
    also: &[],
    found: "From some point on, the file holds only NULs, blanks and line ends. A last line that has \
        both a record and NULs is `L008`, and a file with nothing else at all is `L018`.",
    why: "The file had already grown when the machine went down, but the data behind its end never \
        reached the disk. Entries may have been lost there; the NULs hold no trace of them.",
    readers: "pi adds a line feed after the NULs, so that they stay in the file as a bad line.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
<00 00 00 … 4,096 bytes … 00><end of file>"#,
    repair: Repair::Safe,
    remedy: "Sets the NULs, and the blanks and line ends among them, aside. The file ends with its last \
        record.",
};
