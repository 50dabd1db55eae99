//! `blank-file`: the file holds only blanks, line ends or NULs.

use super::check::{Audit, Check, Sink};
use super::kind::FileKind;
use super::{Finding, Repair, Rule, Severity};

/// L018.
pub static RULE: Rule = Rule {
    code: "L018",
    name: "blank-file",
    severity: Severity::Error,
    also: &[],
    found: "The file is not empty, but it holds nothing except blanks, line ends and NULs. Nothing \
        else is reported for it.",
    why: "Nothing of a session is left in it. A file of NULs in full length is what some file \
        systems leave after a power cut: the size was recorded, the data never written.",
    readers: "pi refuses the file. pi 0.73 overwrote it with a fresh header.",
    example: r#"<00 00 00 … 18,432 bytes … 00><end of file>"#,
    repair: Repair::None,
    remedy: "None: the file holds no byte of the session. Look for a backup, or for a leftover `*.tmp` \
        or `*.bak` beside it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    if matches!(audit.kind(), FileKind::Blank) {
        let message = format!(
            "the file holds only blanks, line ends or NULs: {}",
            super::counted(audit.session.facts.bytes as usize, "byte")
        );
        sink.add(Finding::new(&RULE, None, message));
    }
}
