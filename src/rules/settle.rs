//! From single findings to a verdict: the session rules, and which findings yield to which.

use super::check::{Audit, Check, Checker, Level, Neighbours, Sink, StoreSink};
use super::finding::{Finding, Repair, Severity, StoreFinding};
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
        _ if audit.is_leftover() || audit.is_stranger() => sink.keep_codes(|_| false),
        FileKind::Session => {}
        FileKind::Foreign(_) => {
            sink.keep_codes(|code| matches!(code, "L001" | "L002" | "L003" | "L004" | "L005" | "L010"))
        }
        _ => sink.keep_codes(|_| false),
    }
    let (on_calls, others): (Vec<&Rule>, Vec<&Rule>) =
        RULES.iter().filter(|r| stands(audit, r.code)).partition(|r| r.code.starts_with('M'));
    let run = |rule: &Rule, sink: &mut Sink| {
        for check in rule.checks {
            if let Check::Session(run) = check {
                run(audit, sink);
            }
        }
    };
    // what the rules about calls look at takes longest to find out
    audit.side_by_side(
        || {
            if matches!(kind, FileKind::Session) {
                audit.pairs();
            }
        },
        || others.iter().for_each(|rule| run(rule, &mut sink)),
    );
    // they do not look at what was found before, and read many entries again
    let found = audit.each(&on_calls, |rule| {
        let mut own = Sink::default();
        run(rule, &mut own);
        own
    });
    found.into_iter().for_each(|own| sink.append(own, 0));
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
    Findings { list, counts: applied(sink.counts, policy), repairable }
}

/// What was found between files.
#[derive(Debug, Default)]
pub struct StoreFindings {
    /// The findings, by code, each in the order of the first file concerned.
    pub list: Vec<StoreFinding>,
    /// How many there are by code and severity, also those that are not listed.
    pub counts: BTreeMap<(&'static str, Severity), u64>,
}

/// Runs the rules about several files.
pub fn judge_store(store: &Neighbours<'_>, level: Level<'_>) -> StoreFindings {
    let mut sink = StoreSink::new(level);
    for check in RULES.iter().flat_map(|r| r.checks) {
        if let Check::Store(run) = check {
            run(store, &mut sink);
        }
    }
    StoreFindings { list: sink.findings, counts: sink.counts }
}

/// The counts as the policy has them.
fn applied(found: BTreeMap<(&'static str, Severity), u64>, policy: &Policy) -> BTreeMap<(&'static str, Severity), u64> {
    let mut counts = BTreeMap::new();
    for ((code, severity), n) in found {
        let rule = RULES.iter().find(|r| r.code == code);
        if let Some(severity) = rule.and_then(|r| policy.severity(r, severity)) {
            *counts.entry((code, severity)).or_default() += n;
        }
    }
    counts
}

/// Whether the session check of a rule runs on a file: on anything but a session only the one that names
/// what it is.
fn stands(audit: &Audit<'_>, code: &str) -> bool {
    match audit.kind() {
        _ if audit.is_leftover() => code == "S005",
        _ if audit.is_stranger() => code == "S004",
        _ if matches!(code, "S004" | "S005") => false,
        FileKind::Session => true,
        FileKind::Empty => code == "L014",
        FileKind::Blank => code == "L018",
        FileKind::NotText(..) => code == "L012",
        FileKind::Foreign(_) => code == "H010",
    }
}
