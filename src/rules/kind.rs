//! What kind of file it is: only a session is checked further.

use crate::dialect::{self, Dialect};
use crate::session::Session;
use crate::source::Source;

/// What kind of file it is.
#[derive(Clone, Copy, Debug)]
pub enum FileKind {
    /// A session, damaged or not.
    Session,
    /// No bytes.
    Empty,
    /// Only blanks, line ends and NULs.
    Blank,
    /// Not UTF-8 text: what it is, and what to do.
    NotText(&'static str, &'static str),
    /// A session file of another program or storage.
    Foreign(&'static Dialect),
}

impl FileKind {
    /// Looks at a file's first bytes, and at what was counted.
    pub fn of(source: &Source, session: &Session) -> FileKind {
        let facts = &session.facts;
        if facts.bytes == 0 {
            return FileKind::Empty;
        }
        if session.header.is_none() && facts.native == 0 {
            let mut head = vec![0; 4096];
            let n = source.read_at(0, &mut head).unwrap_or(0);
            if let Some((what, hint)) = sniff(&head[..n]) {
                return FileKind::NotText(what, hint);
            }
        }
        if facts.content_end == 0 {
            return FileKind::Blank;
        }
        let broken_header = facts.first_line.as_ref().is_some_and(|l| l.broken_header);
        let only_strange = facts.native == 0 && facts.strange > 0 && facts.strange == session.entries.len() as u64;
        match &session.header {
            _ if facts.native > 0 || broken_header => FileKind::Session,
            Some(_) if facts.foreign.count == 0 && !only_strange => FileKind::Session,
            None if facts.foreign.count == 0 && !only_strange => FileKind::Session,
            _ => FileKind::Foreign(facts.foreign_dialect.unwrap_or(&dialect::UNKNOWN)),
        }
    }
}

/// The first bytes of files that are no text, what they are, and what to do.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"\xFF\xFE", "UTF-16 (little-endian)", "convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xFE\xFF", "UTF-16 (big-endian)", "convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\x1F\x8B", "compressed by gzip", "unpack it with `gzip -dc`"),
    (b"\x28\xB5\x2F\xFD", "compressed by zstd", "unpack it with `zstd -dc`"),
    (b"\xFD7zXZ\0", "compressed by xz", "unpack it with `xz -dc`"),
    (b"BZh", "compressed by bzip2", "unpack it with `bzip2 -dc`"),
    (b"PK\x03\x04", "a zip archive", "unpack it with `unzip -p`"),
    (b"\x04\x22\x4D\x18", "compressed by lz4", "unpack it with `lz4 -dc`"),
    (b"SQLite format 3\0", "an SQLite database", "it needs another tool"),
];

fn sniff(head: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some((_, what, hint)) = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Some((what, hint));
    }
    // text in UTF-16 without a mark has a NUL in every other byte, while runs of NULs have them in all
    let pairs = head.chunks_exact(2).count();
    let share = |f: fn(&[u8]) -> bool| head.chunks_exact(2).filter(|p| f(p)).count() * 10 >= pairs * 9;
    if pairs >= 8 && share(|p| p[0] != 0 && p[1] == 0) {
        return Some(("UTF-16 (little-endian, without a mark)", "convert it with `iconv -f UTF-16LE -t UTF-8`"));
    }
    if pairs >= 8 && share(|p| p[0] == 0 && p[1] != 0) {
        return Some(("UTF-16 (big-endian, without a mark)", "convert it with `iconv -f UTF-16BE -t UTF-8`"));
    }
    let odd = head.iter().filter(|b| matches!(b, 1..=8 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F)).count();
    let text = std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true);
    (!text && odd * 20 > head.len())
        .then_some(("binary data", "it is no session, or was overwritten: look for a backup"))
}
