//! `dangling-leaf-target`: a `leaf` entry points at an entry that is not in the file.

use super::{Repair, Rule, Severity};

/// R001.
pub static RULE: Rule = Rule {
    code: "R001",
    name: "dangling-leaf-target",
    severity: Severity::Error,
    also: &[],
    found: "The `targetId` of a `leaf` entry names no entry of the file. `null` is lawful and means \
        before everything; an absent key is `E006`.",
    why: "A `leaf` entry says where the conversation goes on. If its target is missing, a reader \
        that obeys it has no place to go on from.",
    readers: "agent-core stops with an error: entry not found. pi does not obey `leaf` entries; for it \
        this is an ordinary entry.",
    example: r#"{"type":"message","id":"5c1d0e2f","parentId":"9a8b7c6d","timestamp":"…","message":{…}}
{"type":"leaf","id":"b7e4a910","parentId":"5c1d0e2f","timestamp":"…","targetId":"d4d4d4d4"}"#,
    repair: Repair::Assumed,
    remedy: "Points it at the last entry before it. The assumption is that the conversation went on \
        where it stood; the manifest names it, with the old target.",
};
