//! `shared-entries`: a fork and its source.

use super::check::{Check, Neighbours, StoreSink};
use super::{Repair, Rule, Severity, StoreFinding, counted};

/// S002.
pub static RULE: Rule = Rule {
    code: "S002",
    name: "shared-entries",
    severity: Severity::Info,
    also: &[],
    found: "Entries with the same id and the same bytes stand in files of different sessions. Told once for \
        all files that hang together by such entries. Files of one session are rule S003's.",
    why: "It is what a fork looks like: a new file that begins with a branch of another one. Whoever adds up \
        tokens or cost over the files counts these entries more than once.",
    readers: "Readers see each file for itself. `sesstool stats` counts such entries once, and `sesstool \
        family` shows who was forked from whom.",
    example: r#"a.jsonl: {"type":"message","id":"5c1d0e2f","parentId":null,…}
b.jsonl: {"type":"message","id":"5c1d0e2f","parentId":null,…}"#,
    repair: Repair::None,
    remedy: "None: nothing is wrong with it.",
    checks: &[Check::Store(check)],
};

fn check(store: &Neighbours<'_>, sink: &mut StoreSink<'_>) {
    for shared in &store.compared.shared {
        let entries = counted(shared.entries as usize, "entry").replace("entrys", "entries");
        let message = match shared.files.len() {
            2 => format!("2 files share {entries}: a fork and its source, or two forks"),
            files => {
                let places = shared.places;
                format!("{files} files share entries: {entries} in more than one of them, {places} times in all")
            }
        };
        let finding = StoreFinding::new(&RULE, store.names(&shared.files), message);
        sink.add(finding.effect("sums over these files count them more than once"));
    }
}
