//! `extra-root`: the file has more than one root.

use super::{Repair, Rule, Severity};

/// G007.
pub static RULE: Rule = Rule {
    code: "G007",
    name: "extra-root",
    severity: Severity::Info,
    also: &[],
    found: "More than one entry has `parentId` `null`. Entries without the key are `E004`, those with \
        an unknown parent `G003`.",
    why: "Going back to the very beginning makes a second root lawfully. It is worth knowing where \
        it was not intended: the trees share nothing, and the context holds only the one the leaf \
        is in.",
    readers: "pi shows several trees, in the order of the file.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":null,"timestamp":"…","message":{…}}
{"type":"message","id":"b7e4a910","parentId":null,"timestamp":"…","message":{…}}"#,
    repair: Repair::None,
    remedy: "None needed: several roots are lawful. The other trees are reached by choosing a leaf in \
        them, for example with `sesstool context FILE --leaf ID`.",
};
