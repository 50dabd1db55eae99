//! `duplicate-session-id`: two files carry one id and are different sessions.

use super::check::{Check, Neighbours, StoreSink};
use super::{Repair, Rule, Severity, StoreFinding};

/// S001.
pub static RULE: Rule = Rule {
    code: "S001",
    name: "duplicate-session-id",
    severity: Severity::Warning,
    also: &[],
    found: "Two or more files have the same `id` in their headers, and do not begin with the same entry: \
        they are different sessions. Told once for each id.",
    why: "An id is to name one session. Mostly a file was copied and emptied to start another one, or a \
        tool wrote a fixed id.",
    readers: "pi takes the first file that fits when a session is opened by its id, so which one it is \
        depends on the order of the folder.",
    example: r#"a.jsonl: {"type":"session","version":3,"id":"019c2b7e-…",…}
         {"type":"message","id":"5c1d0e2f","parentId":null,…}
b.jsonl: {"type":"session","version":3,"id":"019c2b7e-…",…}
         {"type":"message","id":"9a8b7c6d","parentId":null,…}"#,
    repair: Repair::None,
    remedy: "None: which of them keeps the id, nobody but you can tell. `sesstool fork FILE --all-branches` \
        copies one of them under an id of its own.",
    checks: &[Check::Store(check)],
};

fn check(store: &Neighbours<'_>, sink: &mut StoreSink<'_>) {
    for clash in &store.compared.clashes {
        let (sessions, id) = (clash.sessions, super::quote(clash.id.as_bytes()));
        let message = match clash.files.len() as u64 {
            files if files == sessions => format!("{files} files have the session id {id} and share no first entry"),
            files => format!("{files} files have the session id {id}, but they hold {sessions} different sessions"),
        };
        sink.add(StoreFinding::new(&RULE, store.names(&clash.files), message));
    }
}
