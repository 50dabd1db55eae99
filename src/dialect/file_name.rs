//! What a session file's name says: `<time with - for : and .>_<session id>.jsonl`.

use super::time;

/// What a file name says.
pub struct FileName {
    /// The session id.
    pub id: String,
    /// The time in milliseconds since 1970.
    pub time: Option<i64>,
}

/// Reads a file name as pi makes them, or one that holds a UUID; `None` for any other.
pub fn parse(name: &str) -> Option<FileName> {
    let stem = name.split_once(".jsonl").map_or(name, |(stem, _)| stem);
    if let Some((stamp, id)) = stem.split_once('_')
        && let Some(time) = stamp_time(stamp).filter(|_| !id.is_empty())
    {
        return Some(FileName { id: id.to_string(), time: Some(time) });
    }
    let is_uuid = |part: &str| {
        part.len() == 36
            && part
                .bytes()
                .enumerate()
                .all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { b == b'-' } else { b.is_ascii_hexdigit() })
    };
    let id = stem.split('_').find(|part| is_uuid(part))?;
    Some(FileName { id: id.to_string(), time: None })
}

/// The time of `2026-01-02T03-04-05-678Z`.
fn stamp_time(stamp: &str) -> Option<i64> {
    let bytes = stamp.as_bytes();
    if bytes.len() != 24 || !stamp.is_ascii() {
        return None;
    }
    let text = format!("{}:{}:{}.{}", &stamp[..13], &stamp[14..16], &stamp[17..19], &stamp[20..]);
    match time::read(text.as_bytes()) {
        time::Time::Proper(ms) => Some(ms),
        _ => None,
    }
}
