//! `deep-nesting`: values are nested very deeply.

use super::{Repair, Rule, Severity};

/// J006.
pub static RULE: Rule = Rule {
    code: "J006",
    name: "deep-nesting",
    severity: Severity::Warning,
    also: &[Severity::Error],
    found: "Arrays and objects of a record are nested more than 128 deep. In a v1 or v2 file, a \
        nesting of more than about 4,000 is an error, because opening the file in pi rewrites it.",
    why: "Many parsers stop at a fixed depth (128 is a common limit), so other tools may not read \
        the record. Far deeper, pi itself can no longer write what it has read.",
    readers: "pi 1.6.0 parses the record, but beyond about 4,000 levels it cannot write it again. When \
        it migrates a v1 or v2 file, the write fails there and the file is cut at that place: keep \
        a copy before you open it.",
    example: r#"{"type":"custom","id":"5c1d0e2f",…,"customType":"ast","data":[[[[…]]]]}"#,
    repair: Repair::None,
    remedy: "None: the nesting is the content of the record. `sesstool migrate` brings an old file to \
        version 3 without writing such a record anew.",
};
