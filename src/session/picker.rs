//! What pi's list of sessions makes of a file.
//!
//! The list reads files on its own, and more carelessly than pi opens them: it takes them apart with Node's
//! `readline`, which also ends lines at a lone carriage return, and where one entry makes it throw the whole
//! file is left out without a word. Observed with pi 1.6.0 on Node 22.

use super::Session;
use super::envelope;
use super::scan::{LineView, Observer, RecordView};
use crate::dialect::time;
use crate::json::{Kind, Scanner, text};
use crate::record::Record;

/// Goes through a file as the list does, while it is scanned.
#[derive(Debug, Default)]
pub struct Picker {
    /// The first record: its line, and whether it is a header.
    first: Option<(u64, bool)>,
    /// The first entry that makes the list throw: its line, and what is wrong with it.
    fault: Option<(u64, &'static str)>,
    messages: u64,
    words: Option<String>,
    /// The last name, if there is any; one that was cleared is `None`.
    name: Option<Option<String>>,
    /// The time of the latest message.
    said: Option<i64>,
}

impl Observer for Picker {
    fn line(&mut self, line: &LineView<'_>) {
        if !is_split(line.bytes) {
            return;
        }
        Scanner::lend(|scanner| {
            for part in line.bytes.split(|byte| *byte == b'\r') {
                let whole = scanner
                    .scan(part, 0)
                    .is_ok_and(|value| value.kind == Kind::Object && part[value.span.end..].trim_ascii().is_empty());
                if whole {
                    self.take(&Record::new(part, scanner), line.number);
                }
            }
        });
    }

    fn record(&mut self, _: &RecordView<'_>) {}

    fn every(&mut self, record: &RecordView<'_>) {
        if record.line.pieces.is_none() && !is_split(record.line.bytes) {
            self.take(&record.record, record.line.number);
        }
    }

    fn append(&mut self, later: Self, base: u64) {
        self.first = self.first.or(later.first.map(|(line, header)| (line + base, header)));
        self.fault = self.fault.or(later.fault.map(|(line, what)| (line + base, what)));
        self.messages += later.messages;
        self.words = self.words.take().or(later.words);
        self.name = later.name.or(self.name.take());
        self.said = self.said.max(later.said);
    }
}

/// Whether `readline` takes a line for several.
fn is_split(line: &[u8]) -> bool {
    memchr::memchr(b'\r', line.strip_suffix(b"\r").unwrap_or(line)).is_some()
}

/// What the list shows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Why it is left out; `None` if it is shown.
    pub hidden: Option<String>,
    /// How many messages it sees.
    pub messages: u64,
    /// The text of the first message of a user that has any; its beginning.
    pub words: String,
    /// What the session is called.
    pub name: Option<String>,
    /// When the user or the model last said something, in milliseconds since 1970; else the header's time.
    pub modified: Option<i64>,
}

/// How many bytes of a text are kept.
const ENOUGH: usize = 4096;

impl Picker {
    /// Goes past a record.
    fn take(&mut self, record: &Record<'_>, line: u64) {
        let kind = record.get(b"type").and_then(|m| record.raw_string(m));
        let header = kind == Some(b"session");
        self.first.get_or_insert((line, header));
        if self.fault.is_none() {
            self.fault = fault(record, kind).map(|what| (line, what));
        }
        match kind {
            Some(b"session_info") => {
                let name = record.text(b"name").map(|name| name.trim().to_string());
                self.name = Some(name.filter(|name| !name.is_empty()));
            }
            Some(b"message") => self.message(record),
            _ => {}
        }
    }

    fn message(&mut self, record: &Record<'_>) {
        self.messages += 1;
        let role = record.get_inner(b"role").and_then(|m| record.raw_string(m));
        if !matches!(role, Some(b"user" | b"assistant")) || record.get_inner(b"content").is_none() {
            return;
        }
        self.said = self.said.max(said_at(record));
        if role == Some(b"user") && self.words.is_none() {
            self.words = words(record);
        }
    }

    /// What the list shows of the session that was scanned.
    pub fn list(self, session: &Session) -> Listed {
        Listed {
            hidden: self.hidden(session),
            messages: self.messages,
            words: self.words.unwrap_or_default(),
            name: self.name.flatten(),
            modified: self.said.filter(|said| *said > 0).or_else(|| header_time(session)),
        }
    }

    /// Why the file is left out.
    fn hidden(&self, session: &Session) -> Option<String> {
        if session.facts.bytes == 0 {
            return Some("it is empty".to_string());
        }
        let other = session.facts.extras.first().map(|row| (row.line, false));
        match self.first.into_iter().chain(other).min() {
            None => Some("no line of it parses as JSON".to_string()),
            Some((line, false)) => Some(format!("its first record (line {line}) is no session header")),
            Some((_, true)) => {
                self.fault.map(|(line, what)| format!("the entry on line {line} {what}, and pi's list throws"))
            }
        }
    }
}

/// What makes the list throw on an entry.
fn fault(record: &Record<'_>, kind: Option<&[u8]>) -> Option<&'static str> {
    match kind? {
        b"session_info" => {
            let name = record.get(b"name")?;
            (!matches!(name.kind, Kind::String | Kind::Null)).then_some("has a name that is no string")
        }
        b"message" => match record.get(b"message") {
            Some(message) if message.kind != Kind::Null => content_fault(record),
            _ => Some("has no message"),
        },
        _ => None,
    }
}

fn content_fault(record: &Record<'_>) -> Option<&'static str> {
    let role = record.get_inner(b"role").and_then(|m| record.raw_string(m))?;
    if !matches!(role, b"user" | b"assistant") {
        return None;
    }
    match record.get_inner(b"content")?.kind {
        Kind::String => None,
        Kind::Array => {
            record.blocks().any(|block| block.kind == Kind::Null).then_some("has a content block that is null")
        }
        Kind::Null => Some("has the content null"),
        _ => Some("has a content that is neither a string nor an array"),
    }
}

/// The text of a message as the list joins it.
fn words(record: &Record<'_>) -> Option<String> {
    let content = record.get_inner(b"content")?;
    let beginning = |raw: &[u8]| text::to_text(&raw[..raw.len().min(ENOUGH)]);
    let text = match record.raw_string(content) {
        Some(raw) => beginning(raw),
        None => {
            let texts = record.blocks().filter(|block| block.name() == Some(b"text"));
            let texts = texts.map(|block| beginning(block.raw(b"text").unwrap_or_default()));
            texts.collect::<Vec<_>>().join(" ")
        }
    };
    Some(text).filter(|text| !text.is_empty())
}

/// When a message was said: by its own time, else by the entry's.
fn said_at(record: &Record<'_>) -> Option<i64> {
    match record.get_inner(b"timestamp").filter(|m| m.kind == Kind::Number) {
        Some(member) => {
            let said = record.raw(&member.value).parse::<f64>().ok();
            // the range of a Date
            said.filter(|ms| ms.abs() <= 8.64e15).map(|ms| ms as i64)
        }
        None => record.get(b"timestamp").and_then(|m| envelope::read_time(record, m).millis()),
    }
}

/// The time in the header.
pub fn header_time(session: &Session) -> Option<i64> {
    session.header.as_ref()?.text("timestamp").and_then(|text| time::read(text.as_bytes()).millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::scan::scan;
    use crate::source::Source;

    const HEADER: &str = r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}"#;

    fn listed(lines: &[&str]) -> Listed {
        let source = Source::bytes(lines.join("\n").into_bytes());
        let (session, picker) = scan::<Picker>(&source, &Default::default()).expect("content is no error");
        picker.list(&session)
    }

    /// A file of a header and this message.
    fn with(message: &str) -> Listed {
        let message =
            format!(r#"{{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"{message}}}"#);
        listed(&[HEADER, &message])
    }

    #[test]
    fn a_session_is_listed_by_its_first_message_and_name() {
        let content = r#","message":{"role":"user","content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}],"timestamp":7}"#;
        let found = with(content);
        assert_eq!((found.hidden, found.messages, found.words.as_str(), found.modified), (None, 1, "one two", Some(7)));
        let named = |last: &str| {
            listed(&[
                HEADER,
                r#"{"type":"session_info","id":"b","name":" one "}"#,
                &format!(r#"{{"type":"session_info","id":"c"{last}}}"#),
            ])
        };
        assert_eq!(named(r#","name":"two""#).name.as_deref(), Some("two"));
        assert_eq!((named(r#","name":"  ""#).name, named("").name), (None, None));
        assert_eq!(
            named(r#","name":7"#).hidden.as_deref(),
            Some("the entry on line 3 has a name that is no string, and pi's list throws")
        );
    }

    #[test]
    fn files_are_left_out_for_one_entry() {
        for (message, what) in [
            ("", "has no message"),
            (r#","message":null"#, "has no message"),
            (r#","message":{"role":"user","content":null}"#, "has the content null"),
            (
                r#","message":{"role":"assistant","content":{"a":1}}"#,
                "has a content that is neither a string nor an array",
            ),
            (
                r#","message":{"role":"user","content":[{"type":"text","text":"a"},null]}"#,
                "has a content block that is null",
            ),
        ] {
            assert_eq!(
                with(message).hidden,
                Some(format!("the entry on line 2 {what}, and pi's list throws")),
                "{message}"
            );
        }
        for message in [
            r#","message":{"role":"user"}"#,
            r#","message":{"role":"toolResult","content":null}"#,
            r#","message":{"role":7,"content":null}"#,
            r#","message":7"#,
            r#","message":{"role":"user","content":[7,"a",{}]}"#,
        ] {
            assert_eq!(with(message).hidden, None, "{message}");
        }
    }

    #[test]
    fn the_first_record_must_be_a_header() {
        let message = r#"{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":"x"}}"#;
        let no_header = |line| Some(format!("its first record (line {line}) is no session header"));
        assert_eq!(listed(&[message, HEADER]).hidden, no_header(1));
        assert_eq!(listed(&["[]", HEADER]).hidden, no_header(1));
        assert_eq!(listed(&["null", "", "torn {", HEADER, message]).hidden, None);
        assert_eq!(listed(&[""]).hidden.as_deref(), Some("it is empty"));
        assert_eq!(listed(&["{"]).hidden.as_deref(), Some("no line of it parses as JSON"));
        assert_eq!(listed(&[&HEADER.replace(",\"cwd\"", ",\r\"cwd\""), message]).hidden, no_header(2));
        assert_eq!(listed(&[&HEADER.replace("\"a\"", "7"), message]).hidden, None, "its id is not looked at");
        let split =
            listed(&[HEADER, &message.replace(",\"id\"", ",\r\"id\""), &message.replace('x', "a\u{2028}b"), message]);
        assert_eq!((split.hidden, split.messages, split.words.as_str()), (None, 2, "a\u{2028}b"));
        let returns = Source::bytes([HEADER, message, message].join("\r").into_bytes());
        let (session, picker) = scan::<Picker>(&returns, &Default::default()).expect("content is no error");
        let found = picker.list(&session);
        assert_eq!((found.hidden, found.messages), (None, 2), "carriage returns end lines, too");
    }
}
