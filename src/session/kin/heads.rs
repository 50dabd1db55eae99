//! The header of a file, without the rest.

use crate::dialect::pi;
use crate::json::{Kind, Scanner};
use crate::record::{PieceKind, Record, take_apart};
use crate::session::HeaderField;
use crate::session::scan::header_fields;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a header says about where the session belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The session's id.
    pub id: Option<String>,
    /// The session it was forked from: a path, or an id.
    pub parent: Option<String>,
}

/// How much is read at first, and at most.
const FIRST: u64 = 4 << 10;
const MOST: u64 = 1 << 20;

/// How many lines are looked at.
const LINES: usize = 16;

impl Head {
    /// Reads the beginning of a file; empty where no header stands there.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(path: &Path) -> io::Result<Head> {
        // a pipe would never end
        if !path.metadata()?.is_file() {
            return Ok(Head::default());
        }
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        let mut limit = FIRST;
        loop {
            let before = bytes.len() as u64;
            file.by_ref().take(limit - before).read_to_end(&mut bytes)?;
            let ended = (bytes.len() as u64) < limit;
            if let Some(head) = Head::of(&bytes) {
                return Ok(head);
            }
            let enough = memchr::memchr_iter(b'\n', &bytes).nth(LINES - 1).is_some();
            if ended || enough || limit >= MOST {
                return Ok(Head::default());
            }
            limit *= 16;
        }
    }

    /// The first header in the bytes.
    fn of(bytes: &[u8]) -> Option<Head> {
        let mut scanner = Scanner::new();
        for line in bytes.split(|b| *b == b'\n').take(LINES) {
            let pieces = take_apart(&mut scanner, line, pi::knows);
            for piece in pieces.list.iter().filter(|piece| piece.kind == PieceKind::Whole) {
                if scanner.scan(line, piece.span.start).is_err() {
                    continue;
                }
                let record = Record::new(&line[..piece.span.end], &scanner);
                if record.get(b"type").and_then(|m| record.raw_string(m)) == Some(b"session") {
                    return Some(Head::of_fields(&header_fields(&record, |_| (0, 0))));
                }
            }
        }
        None
    }

    /// What the members of a header say.
    pub fn of_fields(fields: &[HeaderField]) -> Head {
        let text = |name: &str| {
            let field = fields.iter().rev().find(|f| f.name == name).filter(|f| f.kind == Kind::String)?;
            Some(field.text.clone()).filter(|text| !text.is_empty())
        };
        // what it was called before version 2
        Head { id: text("id"), parent: text("parentSession").or_else(|| text("branchedFrom")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> (Option<String>, Option<String>) {
        let head = Head::of(text.as_bytes()).unwrap_or_default();
        (head.id, head.parent)
    }

    #[test]
    fn headers_are_found_whole_glued_or_behind_something() {
        let found = (Some("a".to_string()), Some("/b.jsonl".to_string()));
        let header = r#"{"type":"session","id":"a","parentSession":"/b.jsonl"}"#;
        for text in [
            header.to_string(),
            format!("\n{header}\n{{\"type\":\"message\""),
            format!("{{\"type\":\"title\"}}\n{header}"),
            format!("\u{feff}{header}{{\"type\":\"message\",\"id\":\"b\"}}"),
            header.replace("parentSession", "branchedFrom"),
        ] {
            assert_eq!(head(&text), found, "{text}");
        }
        for text in ["", "{\"type\":\"session\",\"id\":\"a", "{\"type\":\"message\",\"id\":\"a\"}", "\0\0"] {
            assert_eq!(head(text), (None, None), "{text}");
        }
    }
}
