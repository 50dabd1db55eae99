//! Ids for entries that have none, derived from the content: the same file gives the same ids anywhere.

use sha2::{Digest, Sha256};

/// The id of an entry that has none: the first eight hex digits of the SHA-256 of session id, `ordinal` and `line`
/// for which `taken` is false. `taken` is asked for each candidate; the one it denies becomes the id.
///
/// - `session_id`: the header's id, decoded; empty where there is none.
/// - `ordinal`: the entry's place in [`Session::entries`](super::Session::entries), from 0.
/// - `line`: the entry's bytes as they stand in the file, without white space around them or a line end.
///
/// What is hashed is `session id, NUL, ordinal, NUL, attempt, NUL, line`, the numbers as decimal digits; `attempt` is
/// 0 and grows by one where the id was taken.
pub fn derive(session_id: &[u8], ordinal: u64, line: &[u8], taken: &mut dyn FnMut(&str) -> bool) -> String {
    let mut attempt = 0u64;
    loop {
        let digest = Sha256::new()
            .chain_update(session_id)
            .chain_update(format!("\0{ordinal}\0{attempt}\0"))
            .chain_update(line)
            .finalize();
        let id: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        if !taken(&id) {
            return id;
        }
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_everything_and_on_nothing_else() {
        let id = |session: &str, ordinal, line: &str| derive(session.as_bytes(), ordinal, line.as_bytes(), &mut |_| false);
        let one = id("s", 0, "{}");
        assert_eq!(one, id("s", 0, "{}"));
        assert!(one.len() == 8 && one.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{one}");
        for other in [id("t", 0, "{}"), id("s", 1, "{}"), id("s", 0, "{ }")] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_taken_id_is_passed_over() {
        let first = derive(b"s", 0, b"{}", &mut |_| false);
        let second = derive(b"s", 0, b"{}", &mut |id| id == first);
        assert_ne!(first, second);
    }
}
