//! `empty-file`: the file has no bytes.

use super::check::{Audit, Check, Sink};
use super::kind::FileKind;
use super::{Finding, Repair, Rule, Severity};

/// L014.
pub static RULE: Rule = Rule {
    code: "L014",
    name: "empty-file",
    severity: Severity::Warning,
    also: &[],
    found: "The file has no bytes at all. Nothing else is reported for it.",
    why: "There is no session in it. Either it never got any content, or a rewrite was interrupted \
        after the file had been emptied. In that case a copy may lie beside it, such as a `*.tmp` \
        or a `*.bak` file.",
    readers: "pi writes a header into the file and starts a new session there.",
    example: r#"<end of file>"#,
    repair: Repair::None,
    remedy: "None: there is nothing to recover in the file. Look for a backup or a temporary copy \
        before an agent opens it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    if matches!(audit.kind(), FileKind::Empty) {
        sink.add(Finding::new(&RULE, None, "the file has no bytes"));
    }
}
