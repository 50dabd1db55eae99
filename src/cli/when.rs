//! A point in time as people type it.

use crate::dialect::time;
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads a day, a time (both UTC), or how long ago it was: `2026-03-14`, `2026-03-14T09:26`, `7d`, `12h`, `2w`.
/// In milliseconds since 1970.
///
/// # Errors
/// A sentence that says what can be typed.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    if let Some(ago) = span(text) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as i64);
        return Ok(now.saturating_sub(ago));
    }
    let date = text.len() >= 8 && text.starts_with(|c: char| c.is_ascii_digit());
    let found = if date { time::read(text.as_bytes()).millis() } else { None };
    found
        .ok_or_else(|| "it is a day (2026-03-14), a time (2026-03-14T09:26), or how long ago (7d, 12h, 2w)".to_string())
}

/// A number of hours, days or weeks in milliseconds.
fn span(text: &str) -> Option<i64> {
    const HOUR: i64 = 3_600_000;
    let unit = match text.bytes().last()? {
        b'h' => HOUR,
        b'd' => 24 * HOUR,
        b'w' => 7 * 24 * HOUR,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    Some(i64::from(number).saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_spans() {
        assert_eq!(parse("2026-03-14"), Ok(1_773_446_400_000));
        assert_eq!(parse("2026-03-14T09:26"), Ok(1_773_480_360_000));
        assert_eq!(parse("2026-03-14T09:26:50.000Z"), Ok(1_773_480_410_000));
        assert_eq!((span("7d"), span("12h"), span("2w")), (Some(604_800_000), Some(43_200_000), Some(1_209_600_000)));
        for odd in ["", "d", "-1d", "yesterday", "7", "7x", "é", "4294967296d", "12h30"] {
            assert!(parse(odd).is_err(), "{odd}");
        }
    }
}
