//! `duplicate-key`: a key occurs twice in one object.

use super::{Repair, Rule, Severity};

/// J003.
pub static RULE: Rule = Rule {
    code: "J003",
    name: "duplicate-key",
    severity: Severity::Warning,
    also: &[],
    found: "The same key occurs twice or more in one object. Keys are compared after decoding, so that \
        an escaped spelling is the same key. The finding says which value pi uses.",
    why: "The record has two values for one thing, and readers may disagree about which counts. When \
        pi rewrites the file, the value that does not count is gone.",
    readers: "pi takes the last value. Strict readers reject the line.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","parentId":null,…}"#,
    repair: Repair::None,
    remedy: "None: nobody but the author of the record knows which value was meant, so the bytes are \
        kept as they are. To settle it, remove one of the two in a copy of the file.",
};
