//! `extra-header`: there is a second header.

use super::{Repair, Rule, Severity};

/// H004.
pub static RULE: Rule = Rule {
    code: "H004",
    name: "extra-header",
    severity: Severity::Warning,
    also: &[],
    found: "After the header another record of type `session` follows. The finding says whether it \
        looks like two sessions that were concatenated, or like the same one written twice.",
    why: "A file is one session. If two were joined, entries of the second stand in the first one's \
        file, and ids may collide. If the same one was written again, the header is merely \
        superfluous.",
    readers: "pi ignores the further header. agent-core refuses the file.",
    example: r#"{"type":"session","version":3,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}
{"type":"session","version":3,"id":"019c3004-…","timestamp":"…","cwd":"/project"}"#,
    repair: Repair::Safe,
    remedy: "If its id equals the first header's, the further header is set aside, which changes \
        nothing for pi. If the id is another, the file may hold two sessions: then it is left \
        alone unless you ask for it (`--choose H004`), and split into two files.",
};
