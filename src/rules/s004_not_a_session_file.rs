//! `not-a-session-file`: a `.jsonl` in a folder that is something else.

use super::check::{Audit, Check, Sink};
use super::kind::FileKind;
use super::{Finding, Repair, Rule, Severity};
use crate::dialect::UNKNOWN;

/// S004.
pub static RULE: Rule = Rule {
    code: "S004",
    name: "not-a-session-file",
    severity: Severity::Info,
    also: &[],
    found: "A file whose name ends in `.jsonl` was met in a folder, and is no session: it belongs to another \
        program, or nothing in it looks like a session. A file that is named on the command line is told \
        with `H010` instead.",
    why: "Other programs and extensions write `.jsonl` files too, and some keep them beside sessions.",
    readers: "pi does not list it. It is skipped here, and counts in no total.",
    example: r#"artifact.jsonl: {"version":1,"recordType":"message","role":"assistant","text":"hi",…}"#,
    repair: Repair::None,
    remedy: "None: nothing is wrong with it.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    let message = match audit.kind() {
        FileKind::Foreign(dialect) if dialect.name == UNKNOWN.name => {
            "the file is of no format that is known here".into()
        }
        FileKind::Foreign(dialect) => format!("the file is {}, read by {}", dialect.title, dialect.read_by),
        _ => "nothing in the file looks like a session".to_string(),
    };
    sink.add(Finding::new(&RULE, None, message).effect("skipped; it counts in no total"));
}
