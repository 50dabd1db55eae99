//! `header-field`: a field of the header is missing or malformed.

use super::{Repair, Rule, Severity};

/// H005.
pub static RULE: Rule = Rule {
    code: "H005",
    name: "header-field",
    severity: Severity::Error,
    also: &[Severity::Warning],
    found: "Error: the header's `id` is missing or no string. Warning: the `id` is empty; `timestamp` \
        is missing or malformed; `cwd` is missing, empty or no string. The version has its own \
        rule, `H006`.",
    why: "Without a string id the session cannot be opened; with the other defects it can, but it is \
        found, sorted or resumed wrongly, or refused by a stricter reader.",
    readers: "pi refuses a header without a string `id`. agent-core refuses the other cases too.",
    example: r#"{"type":"session","version":3,"timestamp":"2026-02-03T10:14:58.001Z","cwd":"/project"}
{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::Assumed,
    remedy: "Fills in or replaces the field, as for a missing header: from the file name, the folder \
        name and the first timestamp. The assumption is that these still are the original ones; \
        the old bytes are recorded in the manifest.",
};
