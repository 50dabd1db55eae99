//! `extra-root`: the file has more than one root.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::{Parent, Shape, flags};

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
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let session = audit.session;
    if session.shape == Shape::Line {
        return;
    }
    let is_root =
        |n: &u32| session.hangs_on(*n) == Parent::Root && !session.entries[*n as usize].has(flags::EARLIER_COPY);
    let mut roots = (0..session.entries.len() as u32).filter(is_root);
    let Some(first) = roots.next() else { return };
    for n in roots {
        sink.add_with(&RULE, RULE.severity, || {
            Finding::new(&RULE, audit.parent_place(n), "a further root: a tree of its own begins here")
                .entry(session.id_json(n))
                .related(audit.id_place(first), "the first root")
        });
    }
}
