//! Ids for entries that have none (version 1): derived from the content, so that the views and
//! `migrate` give the same ones, today and tomorrow, whatever the number of threads.
//!
//! The recipe. For the entry with the ordinal n (from 0, over all entries of the file, headers not
//! counted) the id is the first eight hexadecimal digits of
//!
//! ```text
//! SHA-256( session id ‖ 0x00 ‖ n as eight bytes, big-endian ‖ attempt as four bytes, big-endian ‖ bytes of the record )
//! ```
//!
//! The session id is the header's `id` as UTF-8, empty where there is none. The bytes of the record are
//! those of the file, from its first brace to its last. The attempt is 0, and counts up while the id
//! is taken: by an id that stands in the file, or by one that an earlier entry was given.

use super::reread::Reread;
use super::{Session, flags};
use crate::source::Source;
use hashbrown::HashSet;
use sha2::{Digest, Sha256};

/// An id of eight hexadecimal digits.
pub type Derived = [u8; 8];

/// The ids of the entries, by ordinal; `None` for those that keep the one they have. An entry keeps
/// its id if it is the last one with it. Behind the entries come the values that only pi takes for
/// entries; their ordinals go on.
pub fn of_session(source: &Source, session: &Session) -> Vec<Option<Derived>> {
    let name = session.header.as_ref().and_then(|h| h.text("id")).unwrap_or_default();
    let keeps = |n: u32| session.entries[n as usize].flags & (flags::ID | flags::EARLIER_COPY) == flags::ID;
    let count = session.entries.len() as u32;
    let mut taken: HashSet<Vec<u8>> = (0..count).filter(|n| keeps(*n)).filter_map(|n| session.id(n)).collect();
    let mut reread = Reread::new(source);
    let rows = session.entries.iter().chain(&session.facts.extras);
    (0..)
        .zip(rows)
        .map(|(n, row)| {
            if n < count && keeps(n) {
                return None;
            }
            let bytes = reread.bytes(row).unwrap_or_default();
            let id =
                (0..).map(|attempt| derive(name.as_bytes(), n, attempt, bytes)).find(|id| !taken.contains(&id[..]));
            // 2^32 attempts outnumber the ids that can be taken
            let id = id.unwrap_or_default();
            taken.insert(id.to_vec());
            Some(id)
        })
        .collect()
}

/// One id by the recipe above.
pub fn derive(session_id: &[u8], ordinal: u32, attempt: u32, record: &[u8]) -> Derived {
    let mut hash = Sha256::new();
    hash.update(session_id);
    hash.update([0]);
    hash.update(u64::from(ordinal).to_be_bytes());
    hash.update(attempt.to_be_bytes());
    hash.update(record);
    let digest = hash.finalize();
    let digit = |n: usize| {
        let byte = digest[n / 2];
        b"0123456789abcdef"[usize::from(if n.is_multiple_of(2) { byte >> 4 } else { byte & 15 })]
    };
    std::array::from_fn(digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::scan::scan;

    fn ids(text: &str) -> Vec<Option<String>> {
        let source = Source::bytes(text.as_bytes().to_vec());
        let (session, ()) = scan(&source, &Default::default()).expect("a scan");
        let text = |id: Derived| String::from_utf8_lossy(&id).into_owned();
        of_session(&source, &session).into_iter().map(|id| id.map(text)).collect()
    }

    #[test]
    fn ids_follow_the_recipe() {
        assert_eq!(&derive(b"s", 0, 0, b"{}"), b"a52c5bfa");
        assert_ne!(derive(b"s", 0, 0, b"{}"), derive(b"s", 1, 0, b"{}"), "the place counts");
        assert_ne!(derive(b"s", 0, 0, b"{}"), derive(b"s", 0, 1, b"{}"), "so does the attempt");
    }

    #[test]
    fn equal_lines_get_different_ids_and_others_keep_theirs() {
        let header = r#"{"type":"session","id":"s"}"#;
        let line = r#"{"type":"message","message":{"role":"user","content":"a"}}"#;
        let own = r#"{"type":"message","id":"own","message":{"role":"user","content":"b"}}"#;
        let found = ids(&format!("{header}\n{line}\n{line}\n{own}\n{line}\n"));
        assert_eq!(found.len(), 4);
        assert!(found[2].is_none() && found[0] != found[1] && found[1] != found[3], "{found:?}");
        assert_eq!(found, ids(&format!("{header}\n{line}\n{line}\n{own}\n{line}\n")));
    }

    #[test]
    fn a_taken_id_is_passed_over() {
        let line = r#"{"type":"message","message":{"role":"user","content":"a"}}"#;
        let first = String::from_utf8_lossy(&derive(b"s", 0, 0, line.as_bytes())).into_owned();
        let own = format!(r#"{{"type":"message","id":"{first}","message":{{"role":"user","content":"b"}}}}"#);
        let found = ids(&format!("{{\"type\":\"session\",\"id\":\"s\"}}\n{line}\n{own}\n{line}\n"));
        let second = String::from_utf8_lossy(&derive(b"s", 0, 1, line.as_bytes())).into_owned();
        assert_eq!(found[0], Some(second));
    }
}
