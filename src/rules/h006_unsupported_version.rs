//! `unsupported-version`: the header's version is none that exists.

use super::{Repair, Rule, Severity};

/// H006.
pub static RULE: Rule = Rule {
    code: "H006",
    name: "unsupported-version",
    severity: Severity::Error,
    also: &[],
    found: "The header's `version` is there but is not 1, 2 or 3: 4, 99, 2.5, `\"3\"`, `null`, `true` \
        and so on. `H007` and `H008` are then not told.",
    why: "The version decides how the entries are read and whether the file is rewritten on opening. \
        A wrong one can be harmless or cost every id of the file.",
    readers: "The finding says what pi makes of the value. pi opens 4 and 99 as if they were 3. `null`, \
        0 and `true` count as 1: opening the file makes every id anew. agent-core 0.83 accepts \
        exactly 3.",
    example: r#"{"type":"session","version":null,"id":"019c2b7e-…","timestamp":"…","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::None,
    remedy: "None: the file may come from a newer program whose entries mean something else. If the \
        entries look like version 3 (ids, parents), set the version to 3 in a copy and validate \
        that before an agent opens it.",
};
