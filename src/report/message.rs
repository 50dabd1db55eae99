//! A message as people read it: its text, what it thinks, calls and returns.

use super::clean::clean_bytes;
use crate::json::{Kind, Scanner, get, text};
use crate::record::{Record, unquoted};

/// A message laid out: who says it, and its lines, safe for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// The role, and what names it further.
    pub who: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is said, or what is done.
    pub said: bool,
    /// The line.
    pub text: String,
}

impl Readable {
    /// Lays out the JSON of a message.
    pub fn of(json: &str) -> Readable {
        // as if it were the message of an entry, so that its content is taken apart
        let wrapped = format!("{{\"message\":{json}}}");
        let mut scanner = Scanner::new();
        let mut readable = Readable::default();
        if scanner.scan(wrapped.as_bytes(), 0).is_err() {
            return readable;
        }
        let r = Record::new(wrapped.as_bytes(), &scanner);
        let string = |name: &[u8]| r.get_inner(name).and_then(|m| r.raw_string(m)).map(text::to_text);
        readable.who = string(b"role").unwrap_or_else(|| "no role".to_string());
        for name in [&b"toolName"[..], b"customType"] {
            if let Some(more) = string(name) {
                readable.who += &format!(" {more}");
            }
        }
        readable.who = clean_bytes(readable.who.as_bytes());
        for name in [&b"command"[..], b"output", b"summary", b"content", b"errorMessage"] {
            if let Some(said) = string(name) {
                readable.say(&said);
            }
        }
        readable.blocks(&r);
        if r.get_inner(b"isError").is_some_and(|m| r.raw(&m.value) == "true") {
            readable.add("(an error)");
        }
        readable
    }

    fn blocks(&mut self, r: &Record<'_>) {
        for (_, members) in r.scanner.blocks_with_members().filter(|(_, members)| !members.is_empty()) {
            let string = |name: &[u8]| {
                let member = get(members, r.bytes, name).filter(|m| m.kind == Kind::String)?;
                Some(text::to_text(&r.bytes[unquoted(&member.value)]))
            };
            match string(b"type").as_deref() {
                Some("text") => self.say(&string(b"text").unwrap_or_default()),
                Some("thinking") => self.add_lines("thinking: ", &string(b"thinking").unwrap_or_default()),
                Some("toolCall") => {
                    let arguments = get(members, r.bytes, b"arguments").map(|m| r.raw(&m.value)).unwrap_or_default();
                    let name = string(b"name").unwrap_or_default();
                    self.add(&format!("calls {name} {arguments}"));
                }
                Some("image") => {
                    let length = string(b"data").unwrap_or_default().len();
                    let kind = string(b"mimeType").unwrap_or_default();
                    self.add(&format!("image {kind}, {}", super::layout::size(length as u64 / 4 * 3)));
                }
                other => self.add(&format!("a block of type {}", other.unwrap_or("?"))),
            }
        }
    }

    fn say(&mut self, said: &str) {
        let lines = said.lines().map(|line| Line { said: true, text: clean_line(line) });
        self.lines.extend(lines);
    }

    fn add(&mut self, text: &str) {
        self.lines.push(Line { said: false, text: clean_line(text) });
    }

    fn add_lines(&mut self, title: &str, text: &str) {
        for (at, line) in text.lines().enumerate() {
            let title = if at == 0 { title } else { "  " };
            self.add(&format!("{title}{line}"));
        }
    }
}

/// A line safe for a terminal; tabs are what they are in text: some room.
fn clean_line(line: &str) -> String {
    clean_bytes(line.trim_end_matches('\r').replace('\t', "    ").as_bytes())
}
