//! Times: the format's own, and what JavaScript's `Date` makes of others.

use jiff::civil::Date;

/// A timestamp that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// As the format wants it: `YYYY-MM-DDTHH:MM[:SS[.fff]](Z|±HH:MM)`, a real date. Milliseconds since 1970.
    Proper(i64),
    /// Something else that `new Date(…)` understands; a local time is taken for UTC.
    Lax(i64),
    /// Nothing that it understands.
    Invalid,
}

impl Time {
    /// Milliseconds since 1970, where any reader understands it.
    pub fn millis(self) -> Option<i64> {
        match self {
            Time::Proper(ms) | Time::Lax(ms) => Some(ms),
            Time::Invalid => None,
        }
    }
}

/// Reads a timestamp string (decoded).
pub fn read(text: &[u8]) -> Time {
    if let Some(ms) = common(text) {
        return Time::Proper(ms);
    }
    let Ok(text) = std::str::from_utf8(text) else { return Time::Invalid };
    match iso(text) {
        Some((ms, true)) => Time::Proper(ms),
        Some((ms, false)) => Time::Lax(ms),
        None => lax(text).map_or(Time::Invalid, Time::Lax),
    }
}

/// The form that nearly every line has, `2026-01-02T03:04:05.678Z`, without detours.
fn common(text: &[u8]) -> Option<i64> {
    let t: &[u8; 24] = text.try_into().ok()?;
    if (t[4], t[7], t[10], t[13], t[16], t[19], t[23]) != (b'-', b'-', b'T', b':', b':', b'.', b'Z') {
        return None;
    }
    let number = |range: std::ops::Range<usize>| {
        t[range].iter().try_fold(0i64, |n, d| d.is_ascii_digit().then(|| n * 10 + (d - b'0') as i64))
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second, ms) = (number(11..13)?, number(14..16)?, number(17..19)?, number(20..23)?);
    // days up to 28 exist in every month; the rest is for the calendar
    if !(1..=12).contains(&month) || !(1..=28).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms)
}

/// Days since 1970 of a real date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1 - 719_468
}

/// ISO 8601 as ECMAScript has it; whether it is the format's own form too.
fn iso(text: &str) -> Option<(i64, bool)> {
    let bytes = text.as_bytes();
    let digits = |at: usize, n: usize| {
        let part = bytes.get(at..at + n)?;
        part.iter().all(u8::is_ascii_digit).then(|| text[at..at + n].parse::<i32>().ok()).flatten()
    };
    let year = digits(0, 4)?;
    let mut at = 4;
    let mut month = 1;
    let mut day = 1;
    if bytes.get(at) == Some(&b'-') {
        month = digits(at + 1, 2)?;
        at += 3;
        if bytes.get(at) == Some(&b'-') {
            day = digits(at + 1, 2)?;
            at += 3;
        }
    }
    let date_parts = at;
    let (mut hour, mut minute, mut second, mut millis) = (0, 0, 0, 0);
    let timed = bytes.get(at) == Some(&b'T');
    let mut offset = Some(0);
    if timed {
        hour = digits(at + 1, 2)?;
        if bytes.get(at + 3) != Some(&b':') {
            return None;
        }
        minute = digits(at + 4, 2)?;
        at += 6;
        if bytes.get(at) == Some(&b':') {
            second = digits(at + 1, 2)?;
            at += 3;
            if bytes.get(at) == Some(&b'.') {
                let from = at + 1;
                at = from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
                if at == from {
                    return None;
                }
                let fraction = &text[from..at.min(from + 3)];
                millis = fraction.parse::<i64>().ok()? * 10i64.pow(3 - fraction.len() as u32);
            }
        }
        match bytes.get(at) {
            Some(b'Z') => at += 1,
            Some(sign @ (b'+' | b'-')) => {
                let (h, m) = (digits(at + 1, 2)?, digits(at + 4, 2)?);
                if bytes.get(at + 3) != Some(&b':') || h > 23 || m > 59 {
                    return None;
                }
                let minutes = (h * 60 + m) as i64;
                offset = Some(if *sign == b'+' { minutes } else { -minutes });
                at += 6;
            }
            // a time without a zone is local to the reader
            _ => offset = None,
        }
    }
    if at != bytes.len() {
        return None;
    }
    let midnight = hour == 24 && (minute, second, millis) == (0, 0, 0);
    let is_time = (hour <= 23 || midnight) && minute <= 59 && second <= 59;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !is_time {
        return None;
    }
    // V8 lets a month run over: 30 February is 2 March
    let real = !midnight && Date::new(year as i16, month as i8, day as i8).is_ok();
    let minutes =
        (days(year as i64, month as i64, day as i64) * 24 + hour as i64) * 60 + minute as i64 - offset.unwrap_or(0);
    let ms = (minutes * 60 + second as i64) * 1000 + millis;
    Some((ms, real && timed && offset.is_some() && date_parts == 10))
}

/// Some of what V8's fallback parser takes beyond ISO 8601: a blank instead of `T`, RFC 2822.
fn lax(text: &str) -> Option<i64> {
    if let Some((ms, _)) =
        text.split_once(' ').and_then(|(date, time)| iso(&format!("{date}T{}", time.replace(' ', ""))))
    {
        return Some(ms);
    }
    let zoned = text.strip_suffix("GMT").map_or_else(|| text.to_string(), |t| format!("{t}+0000"));
    jiff::fmt::rfc2822::parse(&zoned).ok().map(|z| z.timestamp().as_millisecond())
}

/// The time now, as the format writes it: `2026-01-02T03:04:05.678Z`.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A time for people, in UTC.
pub fn show(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| format!("{ms} ms"), |t| format!("{t:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_and_the_calendar_agree() {
        for text in [
            "1970-01-01T00:00:00.000Z",
            "2026-01-02T03:04:05.678Z",
            "2024-02-28T23:59:59.999Z",
            "9999-12-28T23:59:59.999Z",
            "0001-01-01T00:00:00.000Z",
            "2000-03-01T00:00:00.001Z",
        ] {
            let short = common(text.as_bytes());
            assert_eq!(short, iso(text).map(|(ms, _)| ms), "{text}");
            assert!(short.is_some(), "{text}");
        }
    }

    #[test]
    fn proper_lax_and_invalid() {
        for proper in [
            "2026-01-02T03:04Z",
            "2026-01-02T03:04:05Z",
            "2026-12-31T03:04:05.1+02:00",
            "2024-02-29T00:00:00.000Z",
            "9999-12-31T23:59:59.999Z",
        ] {
            assert!(matches!(read(proper.as_bytes()), Time::Proper(_)), "{proper}");
        }
        for lax in ["2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:10", "Wed, 01 Jan 2025 00:00:02 GMT", "2026"]
        {
            assert!(matches!(read(lax.as_bytes()), Time::Lax(_)), "{lax}");
        }
        for bad in [
            "",
            "not-a-date",
            "2026-13-45T25:61:00Z",
            "2026-02-32T00:00:00.000Z",
            "2026-01-02T24:00:01.000Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T24:00:00.000Z1",
        ] {
            assert_eq!(read(bad.as_bytes()), Time::Invalid, "{bad}");
        }
        assert_eq!(read(b"2025-01-01T00:00:05+02:00"), Time::Proper(1_735_682_405_000));
        // as V8 reads them
        assert_eq!(read(b"2026-02-30T09:27:31.000Z"), Time::Lax(1_772_443_651_000));
        assert_eq!(read(b"2026-03-14T24:00:00Z"), Time::Lax(1_773_532_800_000));
    }
}
