//! `not-utf8-text`: the file is UTF-16, compressed or binary.

use super::check::{Audit, Check, Sink};
use super::kind::FileKind;
use super::{Finding, Repair, Rule, Severity};

/// L012.
pub static RULE: Rule = Rule {
    code: "L012",
    name: "not-utf8-text",
    severity: Severity::Error,
    also: &[],
    found: "The file as a whole is no UTF-8 text: UTF-16, known by its byte order mark or by \
        alternating NULs, compressed data, or other binary data. Nothing else is then reported for \
        the file.",
    why: "Nothing has to be damaged. A file re-saved by an editor or redirected in some shells is \
        UTF-16; an archived one may be compressed under its old name. No reader can open it as it \
        is.",
    readers: "pi refuses the file. pi 0.73 overwrote it with a fresh header: do not open it there.",
    example: r#"<FF FE>{<00>"<00>t<00>y<00>p<00>e<00>"<00>:<00>"<00>s<00>e<00>s<00>s<00>i<00>…"#,
    repair: Repair::None,
    remedy: "None here: the right way back is to convert the file, not to edit it. The finding names \
        the encoding and the command that converts it. Write the result to a new file and validate \
        that.",
    checks: &[Check::Session(check)],
};

fn check(audit: &Audit<'_>, sink: &mut Sink) {
    if let FileKind::NotText(what, hint) = audit.kind() {
        sink.add(Finding::new(&RULE, None, format!("the file is {what}, not UTF-8 text; {hint}")));
    }
}
