//! `unsigned-thinking`: a thinking block without a proper signature.

use super::check::{Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::content;
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

/// M011.
pub static RULE: Rule = Rule {
    code: "M011",
    name: "unsigned-thinking",
    severity: Severity::Info,
    also: &[],
    found: "A thinking block has no signature, or its text is empty while a signature is kept. Told once \
        a file, on the first place, with the count.",
    why: "Providers sign what their models think and want it back unchanged. Models without signatures \
        are lawful; switching from one of them to another kind may not work.",
    readers: "pi sends such a block as plain text or leaves it out. Some providers refuse it.",
    example: r#"{…"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ok"}]…}"#,
    repair: Repair::None,
    remedy: "None needed, and none possible: a signature cannot be made.",
    checks: &[Check::Record(facts::UNSIGNED, check)],
};

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let odd = || seen.record.blocks().filter_map(|block| Some((block, content::unsigned(&block)?)));
    let Some((block, what)) = odd().next() else { return };
    let make = || Finding::new(&RULE, seen.at(block.value), what).entry(seen.id_json());
    sink.add_once(b"", odd().count() as u64, make, &RULE);
}
