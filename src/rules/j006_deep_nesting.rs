//! `deep-nesting`: values are nested very deeply.

use super::check::{Audit, Check, Sink};
use super::{Finding, Repair, Rule, Severity};
use crate::session::envelope::facts;
use crate::session::scan::RecordView;

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
    checks: &[Check::Record(facts::DEEP, check), Check::Session(raise)],
};

/// Beyond this depth pi cannot write the record again.
const UNWRITABLE: usize = 4000;

fn check(seen: &RecordView<'_>, sink: &mut Sink) {
    let depth = seen.record.scanner.notes.depth;
    sink.add_with(&RULE, RULE.severity, || {
        let effect = if depth > UNWRITABLE {
            "pi 1.6.0 parses it, but cannot write it again"
        } else {
            "pi 1.6.0 reads it; strict parsers give up at 128 levels"
        };
        let message = format!("nesting {depth} levels deep");
        Finding::new(&RULE, seen.at(&seen.span()), message).entry(seen.id_json()).effect(effect)
    });
}

/// In a file that pi migrates, what cannot be written again is lost.
fn raise(audit: &Audit<'_>, sink: &mut Sink) {
    if audit.session.version().is_none_or(|v| v > 2) {
        return;
    }
    let mut raised = 0;
    for finding in sink.findings.iter_mut().filter(|f| f.rule.code == RULE.code) {
        if finding.effect.ends_with("cannot write it again") {
            finding.severity = Severity::Error;
            finding.effect =
                "pi migrates the file when it opens it, and the write fails here: the file is cut at this place"
                    .to_string();
            raised += 1;
        }
    }
    if raised > 0 {
        let warnings = sink.counts.entry((RULE.code, Severity::Warning)).or_default();
        *warnings -= raised;
        *sink.counts.entry((RULE.code, Severity::Error)).or_default() += raised;
        sink.counts.retain(|_, n| *n > 0);
    }
}
