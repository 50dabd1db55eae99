//! From single findings to a verdict: the session rules, and which findings yield to which.

use super::check::{Audit, Check, Checker, Sink};
use super::finding::{Finding, Repair, Severity};
use super::kind::FileKind;
use super::{Policy, RULES, Rule};
use std::collections::BTreeMap;

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Findings {
    /// Those about the whole file first, then by offset and code.
    pub list: Vec<Finding>,
    /// How many there are by code and severity, also those that are not listed.
    pub counts: BTreeMap<(&'static str, Severity), u64>,
    /// Whether anything was found, counted or not, that is repaired without being asked for.
    pub repairable: bool,
}

/// Runs the session rules, and settles what one damage is called.
pub fn judge(audit: &Audit<'_>, checker: Checker, policy: &Policy) -> Findings {
    let mut sink = checker.sink;
    sink.settle_groups();
    let kind = audit.kind();
    match kind {
        FileKind::Session => {}
        FileKind::Foreign(_) => {
            sink.keep_codes(|code| matches!(code, "L001" | "L002" | "L003" | "L004" | "L005" | "L010"))
        }
        _ => sink.keep_codes(|_| false),
    }
    let (on_calls, others): (Vec<&Rule>, Vec<&Rule>) =
        RULES.iter().filter(|r| stands(kind, r.code)).partition(|r| r.code.starts_with('M'));
    let run = |rules: &[&Rule], sink: &mut Sink| {
        for check in rules.iter().flat_map(|r| r.checks) {
            if let Check::Session(run) = check {
                run(audit, sink);
            }
        }
    };
    // what the rules about calls look at takes as long to find out as all the others take
    audit.side_by_side(
        || run(&others, &mut sink),
        || {
            if matches!(kind, FileKind::Session) {
                audit.pairs();
            }
        },
    );
    run(&on_calls, &mut sink);
    let repairable = sink
        .counts
        .keys()
        .any(|(code, _)| RULES.iter().any(|r| r.code == *code && matches!(r.repair, Repair::Safe | Repair::Assumed)));
    let mut list: Vec<Finding> =
        std::mem::take(&mut sink.findings).into_iter().filter_map(|f| policy.apply(f)).collect();
    list.sort_by(|a, b| {
        let key = |f: &Finding| f.place.as_ref().map(|p| p.offset);
        key(a).cmp(&key(b)).then(a.rule.code.cmp(b.rule.code))
    });
    let mut counts = BTreeMap::new();
    for ((code, severity), n) in sink.counts {
        let rule = RULES.iter().find(|r| r.code == code);
        if let Some(severity) = rule.and_then(|r| policy.severity(r, severity)) {
            *counts.entry((code, severity)).or_default() += n;
        }
    }
    Findings { list, counts, repairable }
}

/// Whether the session check of a rule runs on a file of this kind: on anything but a session only
/// the one that names the kind.
fn stands(kind: FileKind, code: &str) -> bool {
    match kind {
        FileKind::Session => true,
        FileKind::Empty => code == "L014",
        FileKind::Blank => code == "L018",
        FileKind::NotText(..) => code == "L012",
        FileKind::Foreign(_) => code == "H010",
    }
}
