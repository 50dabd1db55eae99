//! `diverged-copies`: one session in several files.

use super::check::{Check, Neighbours, StoreSink};
use super::{Repair, Rule, Severity, StoreFinding, counted};
use crate::session::kin::copies::{Copies, How};

/// S003.
pub static RULE: Rule = Rule {
    code: "S003",
    name: "diverged-copies",
    severity: Severity::Warning,
    also: &[Severity::Info],
    found: "Files with one session id begin with the same entries, and each goes on with entries that others \
        lack. An info where one file holds everything that the other has: the same, its beginning, or a part \
        of it. Compared are the records, not the bytes: white space, the order of members, escapes and the \
        spelling of numbers do not count, nor, where the versions differ, the ids that a migration made up.",
    why: "The session was continued in two places, on two machines or by two programs, and none of the files \
        has everything. A file that is only a part of another one is an older copy.",
    readers: "Readers see each file for itself, and know nothing of what the other one has.",
    example: r#"a.jsonl: {"type":"message","id":"5c1d0e2f",…}
         {"type":"message","id":"9a8b7c6d","parentId":"5c1d0e2f",…}
b.jsonl: {"type":"message","id":"5c1d0e2f",…}
         {"type":"message","id":"b7e4a910","parentId":"5c1d0e2f",…}"#,
    repair: Repair::None,
    remedy: "None: keep all of them. What one has and the other lacks can be seen with `sesstool tree`; both \
        branches fit into one file, since entries name their parents.",
    checks: &[Check::Store(check)],
};

/// How many files of a divergence are named in the message.
const MOST: usize = 3;

fn check(store: &Neighbours<'_>, sink: &mut StoreSink<'_>) {
    for (id, copies) in &store.compared.copies {
        let id = super::quote(id.as_bytes());
        match copies {
            Copies::Part { file, of, how, entries, of_entries } => {
                let names = store.short_names(&[*file, *of]);
                let (own, other) = (&names[0], &names[1]);
                let all = entries_of(*of_entries);
                let message = match (how, entries) {
                    (How::Same, _) => format!("{own} holds the same {all} of session {id} as {other}"),
                    (_, 0) => format!("{own} holds none of the {all} of session {id}; {other} has them all"),
                    (How::Prefix, 1) => {
                        format!("{own} holds the first of the {all} of session {id}; {other} has them all")
                    }
                    (How::Prefix, _) => {
                        format!("{own} holds the first {entries} of the {all} of session {id}; {other} has them all")
                    }
                    (How::Within, _) => {
                        format!(
                            "{own} holds {entries} of the {all} of session {id}, and no other; {other} has them all"
                        )
                    }
                };
                let effect = match how {
                    How::Same => "one of them is enough",
                    _ => "nothing is lost with the smaller file",
                };
                let finding = StoreFinding::new(&RULE, store.names(&[*file, *of]), message);
                sink.add(finding.severity(Severity::Info).effect(effect));
            }
            Copies::Diverged { files, common, own } => {
                let names = store.short_names(&files[..files.len().min(MOST)]);
                let each: Vec<String> =
                    names.iter().zip(own).map(|(name, own)| format!("{own} only in {name}")).collect();
                let more = if files.len() > MOST { ", …" } else { "" };
                let message = format!(
                    "session {id} goes on differently in {} files: {} in common, then {}{more}",
                    files.len(),
                    entries_of(*common),
                    each.join(", ")
                );
                sink.add(StoreFinding::new(&RULE, store.names(files), message).effect("none of them has everything"));
            }
        }
    }
}

fn entries_of(number: u64) -> String {
    counted(number as usize, "entry").replace("entrys", "entries")
}
