//! `wrong-field-type`: a known field has a value of the wrong JSON type.

use super::{Repair, Rule, Severity};

/// E005.
pub static RULE: Rule = Rule {
    code: "E005",
    name: "wrong-field-type",
    severity: Severity::Warning,
    also: &[],
    found: "A known field of an entry holds another JSON type than the format gives it: a `name` that \
        is no string, a `label` that is an object. Not meant here: a `parentId` that is neither \
        string nor null (`G003`), and content that is neither string nor array (`M007`).",
    why: "Readers rely on the type without looking. Often the file opens, and a later step that uses \
        the field fails.",
    readers: "pi may throw later, or hide the session from its list.",
    example: r#"{"type":"session_info","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","name":42}"#,
    repair: Repair::None,
    remedy: "None: the right value is not in the file. Correct the field in a copy if you know it; a \
        later entry of the same kind may already have replaced it.",
};
