//! What a line that is not JSON is instead.

use crate::json::{Fail, Reason, Scanner};
use crate::line::space_at;

/// Says what is wrong with a line that is no JSON; `fail` is where its first object failed.
pub(super) fn describe(line: &[u8], fail: Option<Fail>) -> String {
    let text = line.trim_ascii();
    match text {
        b"undefined" | b"NaN" | b"Infinity" | b"-Infinity" | b"None" | b"True" | b"False" => {
            return format!("`{}` is a word of a programming language", String::from_utf8_lossy(text));
        }
        b"[object Object]" => return "`[object Object]` is an object that was turned into a string".to_string(),
        _ => {}
    }
    if space_at(line).is_some_and(|n| n > 1) {
        return "it begins with a blank that JSON does not have".to_string();
    }
    if text.starts_with(b"//") || text.starts_with(b"/*") || text.starts_with(b"#") {
        return "a comment".to_string();
    }
    let fail = fail.or_else(|| Scanner::new().scan(line, 0).err());
    match fail {
        Some(fail) if text.starts_with(b"{") || text.starts_with(b"[") => at_failure(line, fail),
        _ if text.ends_with(b"}") && balance(text) < 0 => {
            "the end of a record whose beginning is missing: an entry was lost here".to_string()
        }
        _ => "text".to_string(),
    }
}

/// What stands where an object stops being one.
fn at_failure(line: &[u8], fail: Fail) -> String {
    let rest = &line[fail.at.min(line.len())..];
    let before = line[..fail.at.min(line.len())].trim_ascii_end().last().copied();
    match fail.reason {
        Reason::ControlCharacter => match rest.first() {
            Some(0) => "a NUL byte inside a string".to_string(),
            Some(byte) => format!("a raw control character (0x{byte:02X}) inside a string"),
            None => "a raw control character inside a string".to_string(),
        },
        Reason::BadEscape => "a backslash that begins no escape inside a string".to_string(),
        Reason::Truncated => "it ends too early".to_string(),
        Reason::Unexpected => match (before, rest) {
            (Some(b','), [b'}' | b']', ..]) => "a trailing comma".to_string(),
            (_, [b'\'', ..]) => "single quotes".to_string(),
            (_, [b'/', b'/' | b'*', ..]) => "a comment".to_string(),
            (_, rest) if rest.starts_with(b"NaN") => "`NaN` is no number of JSON".to_string(),
            (_, rest) if rest.starts_with(b"undefined") => "`undefined` is no value of JSON".to_string(),
            (_, rest) if rest.starts_with(b"Infinity") || rest.starts_with(b"-Infinity") => {
                "`Infinity` is no number of JSON".to_string()
            }
            (Some(b'{' | b','), [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) => "a key without quotes, or text".to_string(),
            (_, rest) => format!("{} cannot stand here", super::quote(first_char(rest))),
        },
    }
}

fn first_char(rest: &[u8]) -> &[u8] {
    let end = (1..rest.len()).find(|i| rest[*i] & 0xC0 != 0x80).unwrap_or(rest.len());
    &rest[..end]
}

/// Opening brackets minus closing ones, strings or not: enough to tell a tail from prose.
fn balance(text: &[u8]) -> i64 {
    text.iter()
        .map(|b| match b {
            b'{' | b'[' => 1,
            b'}' | b']' => -1,
            _ => 0,
        })
        .sum()
}
