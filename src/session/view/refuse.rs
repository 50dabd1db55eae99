//! Which files the readers refuse, and with what reason.

use super::{Reader, Refusal};
use crate::dialect::pi::EntryType;
use crate::json::Kind;
use crate::session::reread::Reread;
use crate::session::scan::LONGEST_STRING;
use crate::session::{Entry, Header, HeaderField, RefKind, RefValue, Session, flags};
use crate::source::Source;

/// The nesting beyond which pi cannot write what it has migrated: the stack overflows. Where exactly
/// depends on the stack; 4,000 is what pi 1.6.0 on Node 22 was seen to do.
const DEEPEST: usize = 4000;

/// Whether `reader` opens the file at all.
pub(super) fn check(source: &Source, session: &Session, reader: Reader) -> Result<(), Refusal> {
    let reason = match reader {
        Reader::Sesstool => return Ok(()),
        Reader::Pi => pi(session),
        Reader::AgentCore => agent_core(session).or_else(|| bad_name(source, session)),
    };
    match reason {
        Some(reason) => Err(Refusal { reader, reason }),
        None => Ok(()),
    }
}

/// The header's version as pi compares it with numbers: `null` and an absent one are 1, a string is
/// converted, and what is no number is less than nothing.
pub(super) fn js_version(session: &Session) -> f64 {
    let field = session.header.as_ref().and_then(|h| h.get("version"));
    let Some(HeaderField { kind, text, .. }) = field else { return 1.0 };
    match kind {
        Kind::Null => 1.0,
        Kind::Bool => f64::from(u8::from(text == "true")),
        Kind::String if text.trim().is_empty() => 0.0,
        Kind::Number | Kind::String => text.trim().parse().unwrap_or(f64::NAN),
        Kind::Array | Kind::Object => f64::NAN,
    }
}

/// Where a value of the file stands.
type At = (u64, u64);

/// The first value that pi parses must be the header; an empty file becomes a new session.
fn pi(session: &Session) -> Option<String> {
    if session.facts.bytes == 0 {
        return None;
    }
    let header = session.header.iter().chain(&session.extra_headers).find(|h| !h.dropped);
    let entry = session.entries.iter().find(|e| !e.has(flags::DROPPED)).into_iter();
    let first: Option<At> = entry.chain(session.facts.extras.first()).map(|e| (e.offset, e.line)).min();
    let Some(header) = header else {
        return Some(match first {
            Some((_, line)) => format!("its first record (line {line}) is no session header"),
            None => "no line of it parses as JSON".to_string(),
        });
    };
    match first {
        Some((offset, line)) if offset < header.offset => {
            return Some(format!("its first record (line {line}) is no session header"));
        }
        _ => {}
    }
    if header.text("id").is_none() {
        return Some("the header's id is no string".to_string());
    }
    if session.traits.longest() > LONGEST_STRING
        && let Some(long) = session.entries.iter().find(|e| e.length > LONGEST_STRING)
    {
        return Some(format!("line {} is longer than a JavaScript string may be", long.line));
    }
    let version = js_version(session);
    if version < 3.0 && session.facts.deepest > DEEPEST {
        return Some(format!("migrating it overflows the stack (nesting of {})", session.facts.deepest));
    }
    // an id cannot be set on a number, a string or `true`; it can on an array
    (version < 2.0 && session.facts.scalars > 0)
        .then(|| "migrating it throws: a line holds a value that cannot be given an id".to_string())
}

/// agent-core looks at each line in turn.
fn agent_core(session: &Session) -> Option<String> {
    let facts = &session.facts;
    let Some(header) = &session.header else { return Some("it has no session header".to_string()) };
    if facts.first_line.as_ref().is_none_or(|first| first.line != header.line) || header.dropped {
        return Some("its first line is no session header".to_string());
    }
    if let Some(reason) = strict_header(session, header) {
        return Some(reason);
    }
    let mut worst: Option<At> = None;
    let mut reason = String::new();
    let mut tell = |at: Option<At>, text: &str| {
        if let Some(at) = at.filter(|at| worst.is_none_or(|before| *at < before)) {
            worst = Some(at);
            reason = format!("line {} {text}", at.1);
        }
    };
    let tally = |tally: &crate::session::facts::Tally| tally.first.map(|(line, start, ..)| (start, line));
    tell(tally(&facts.not_json), "is not valid JSON");
    tell(tally(&facts.falsy), "is no session entry");
    tell(facts.extras.first().map(|e| (e.offset, e.line)), "is no session entry");
    tell(session.extra_headers.first().map(|h| (h.offset, h.line)), "is a second header");
    if let Some((entry, text)) = session.entries.iter().find_map(|e| strict(e).map(|text| (e, text))) {
        tell(Some((entry.offset, entry.line)), text);
    }
    tell(bad_leaf(session), "has an invalid targetId");
    worst.map(|_| reason)
}

/// What agent-core wants of the header.
fn strict_header(session: &Session, header: &Header) -> Option<String> {
    if header.get("version").is_none_or(|field| field.kind != Kind::Number) || js_version(session) != 3.0 {
        return Some("the version is not 3".to_string());
    }
    let lacks = |name: &&&str| header.text(name).is_none_or(str::is_empty);
    ["id", "timestamp", "cwd"].iter().find(lacks).map(|name| format!("the header lacks {name}"))
}

/// What agent-core misses in an entry.
fn strict(entry: &Entry) -> Option<&'static str> {
    let parent = flags::PARENT_ABSENT | flags::PARENT_NO_STRING;
    match entry {
        _ if entry.kind == EntryType::Missing => Some("lacks a type"),
        _ if !entry.has(flags::ID) => Some("lacks an id"),
        _ if entry.has(parent) => Some("has an invalid parentId"),
        _ if entry.has(flags::TIME_NO_STRING) => Some("lacks a timestamp"),
        _ => None,
    }
}

/// The first `leaf` entry whose target is neither a string nor null.
fn bad_leaf(session: &Session) -> Option<At> {
    let bad = |value: RefValue| !matches!(value, RefValue::Null | RefValue::Id(_));
    let found = session.refs.iter().find(|r| r.kind == RefKind::LeafTarget && bad(r.value))?;
    let entry = &session.entries[found.entry as usize];
    Some((entry.offset, entry.line))
}

/// agent-core trims the last name while it opens the file; only a string can be trimmed.
fn bad_name(source: &Source, session: &Session) -> Option<String> {
    let last = session.entries.iter().rev().find(|e| e.kind == EntryType::SessionInfo)?;
    let bad = Reread::new(source)
        .record(last, |r| r.get(b"name").is_some_and(|m| !matches!(m.kind, Kind::String | Kind::Null)));
    (bad == Some(true)).then(|| format!("line {} has a name that is no string", last.line))
}
