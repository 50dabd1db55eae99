//! Times: the format's own, and what JavaScript's `Date` makes of others.

use crate::json::beyond_nine;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::fmt;

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

/// The form that nearly every line has, `2026-01-02T03:04:05.678Z`, eight bytes at a time.
fn common(text: &[u8]) -> Option<i64> {
    const FORM: [u64; 3] = eights(b"0000-00-00T00:00:00.000Z");
    // where it has no digits
    const SIGNS: [u64; 3] = [0xFF00_00FF_0000_0000, 0x0000_FF00_00FF_0000, 0xFF00_0000_FF00_00FF];
    let text = eights(text.try_into().ok()?);
    // a digit becomes what it is worth, a sign 0
    let [a, b, c] = [text[0] ^ FORM[0], text[1] ^ FORM[1], text[2] ^ FORM[2]];
    let bad = |worth: u64, signs: u64| worth & signs | beyond_nine(worth);
    if bad(a, SIGNS[0]) | bad(b, SIGNS[1]) | bad(c, SIGNS[2]) != 0 {
        return None;
    }
    // each byte as the tens of the one behind it
    let pairs = |worth: u64| (worth * 10 + (worth >> 8)).to_le_bytes().map(i64::from);
    let ([y, _, yy, _, _, month, ..], [day, _, _, hour, _, _, minute, _]) = (pairs(a), pairs(b));
    let ([_, second, _, _, ms, ..], last) = (pairs(c), (c >> 48 & 0xF) as i64);
    // days up to 28 exist in every month; the rest is for the calendar
    if !(1..=12).contains(&month) || !(1..=28).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((((days(y * 100 + yy, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms * 10 + last)
}

/// The bytes of a time in eights, the first one lowest.
const fn eights(text: &[u8; 24]) -> [u64; 3] {
    let (eights, _) = text.as_chunks::<8>();
    [u64::from_le_bytes(eights[0]), u64::from_le_bytes(eights[1]), u64::from_le_bytes(eights[2])]
}

/// Days since 1970 of a real date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // counted from a year long before all others that the calendar begins like, and from its March
    const ERAS: i64 = 1000;
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let y = (y + 400 * ERAS) as u64;
    let before = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m as u64 + 2) / 5;
    before as i64 + day - 1 - 719_468 - 146_097 * ERAS
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
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

/// The furthest that JavaScript's `Date` gets from 1970, in milliseconds.
const FURTHEST: i64 = 100_000_000 * DAY;

/// A time in UTC as JavaScript prints it, `2026-01-02T03:04:05.678Z`, with six digits and a sign for years beyond
/// four digits; `None` of a time that no `Date` has.
pub fn to_iso(ms: i64) -> Option<String> {
    let date = CivilDay::of(ms)?;
    let rest = ms.rem_euclid(DAY);
    let (second, milli) = (rest / 1000, rest % 1000);
    Some(format!("{date}T{:02}:{:02}:{:02}.{milli:03}Z", second / 3600, second / 60 % 60, second % 60))
}

/// A time for people, in UTC.
pub fn show(ms: i64) -> String {
    to_iso(ms).unwrap_or_else(|| format!("{ms} ms"))
}

/// How precisely a time is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// `2026-01-02`.
    Day,
    /// `2026-01-02 03:04`.
    Minute,
    /// `2026-01-02 03:04:05`.
    Second,
}

/// A time for people, in UTC, in short.
pub fn brief(ms: i64, to: To) -> String {
    let full = show(ms);
    let Some((day, time)) = full.split_once('T') else { return full };
    match to {
        To::Day => day.to_string(),
        To::Minute => format!("{day} {}", &time[..5]),
        To::Second => format!("{day} {}", &time[..8]),
    }
}

/// What the clocks of a zone show at a time, as if it were a time in UTC. Close to the ends of the years that the
/// calendar knows (0 to 9999 are in the files, and a little more with an offset) the last offset holds on.
pub fn local(ms: i64, zone: &TimeZone) -> i64 {
    ms.saturating_add(offset(ms, zone))
}

/// The time at which the clocks of a zone show what is given as if it were UTC; where they show it twice the
/// first time, and where never the time behind the gap.
pub fn of_local(local: i64, zone: &TimeZone) -> i64 {
    let civil = Timestamp::from_millisecond(local).map(|utc| TimeZone::UTC.to_datetime(utc));
    match civil.and_then(|civil| civil.to_zoned(zone.clone())) {
        Ok(zoned) => zoned.timestamp().as_millisecond(),
        Err(_) => local.saturating_sub(offset(local, zone)),
    }
}

fn offset(ms: i64, zone: &TimeZone) -> i64 {
    let end = if ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let at = Timestamp::from_millisecond(ms).unwrap_or(end);
    i64::from(zone.to_offset(at).seconds()) * 1000
}

/// A day of the Gregorian calendar in any year that a time can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilDay {
    /// The year; 0 is the one before the year 1.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day, from 1.
    pub day: i64,
}

impl CivilDay {
    /// The day of a time in UTC, see [`local`] for other zones; `None` of a time that no `Date` has.
    pub fn of(ms: i64) -> Option<CivilDay> {
        if !(-FURTHEST..=FURTHEST).contains(&ms) {
            return None;
        }
        // years are counted from March, so that the leap day is the last one
        let days = ms.div_euclid(DAY) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Some(CivilDay { year: era * 400 + year + i64::from(month <= 2), month, day })
    }

    /// Its first moment in UTC.
    pub fn start(self) -> i64 {
        days(self.year, self.month, self.day) * DAY
    }

    /// The year and the number of its week by ISO 8601, and the week's Monday.
    pub fn week(self) -> (i64, i64, i64) {
        let day = days(self.year, self.month, self.day);
        let monday = day - (day + 3).rem_euclid(7);
        // a week belongs to the year of its Thursday
        let thursday = CivilDay::of((monday + 3) * DAY).unwrap_or(self);
        let week = (monday + 3 - days(thursday.year, 1, 1)) / 7 + 1;
        (thursday.year, week, monday * DAY)
    }
}

impl fmt::Display for CivilDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}-{:02}", year(self.year), self.month, self.day)
    }
}

/// A year in four digits, or as JavaScript writes those that have more or are before the year 0.
pub fn year(year: i64) -> String {
    if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+07}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_takes_nothing_else() {
        let good = *b"2026-01-02T03:04:05.678Z";
        assert!(common(&good).is_some());
        for at in 0..good.len() {
            for byte in 0..=u8::MAX {
                let mut text = good;
                text[at] = byte;
                let known = std::str::from_utf8(&text).ok().and_then(iso).filter(|(_, proper)| *proper);
                if let Some(ms) = common(&text) {
                    assert_eq!(known, Some((ms, true)), "{}", text.escape_ascii());
                }
                // what it leaves to the long way are the last days of months, and other zones
                assert!(known.is_none() || common(&text).is_some() || at == 8 || at == 23, "{}", text.escape_ascii());
            }
        }
    }

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

    /// Days, times and weeks agree with another calendar as far as that goes, and come back where it ends.
    #[test]
    fn every_time_is_shown() {
        let mut ms = -80_000_000 * DAY;
        let mut compared = 0;
        while ms < 80_000_000 * DAY {
            let text = to_iso(ms).expect("within a Date");
            let day = CivilDay::of(ms).expect("within a Date");
            assert_eq!(day.start(), ms - ms.rem_euclid(DAY), "{text}");
            if let Ok(known) = Timestamp::from_millisecond(ms) {
                assert_eq!(text, format!("{known:.3}"));
                let week = TimeZone::UTC.to_datetime(known).date().iso_week_date();
                assert_eq!((day.week().0, day.week().1), (week.year().into(), week.week().into()), "{text}");
                compared += 1;
            }
            if (0..=9999).contains(&day.year) {
                assert_eq!(read(text.as_bytes()), Time::Proper(ms));
            }
            ms += 76_543_210_987;
        }
        assert!(compared > 4000, "{compared}");
        assert_eq!(show(i64::MAX), "9223372036854775807 ms");
    }

    /// Times of the format at both ends of its years.
    #[test]
    fn the_first_and_the_last_times() {
        for (text, shown, week) in [
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z", (9999, 52)),
            ("9999-12-31T23:59:59.999-01:00", "+010000-01-01T00:59:59.999Z", (9999, 52)),
            ("0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z", (-1, 52)),
            ("0000-01-01T00:00:00.000+01:00", "-000001-12-31T23:00:00.000Z", (-1, 52)),
        ] {
            let Time::Proper(ms) = read(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(show(ms), shown);
            let day = CivilDay::of(ms).expect("a day");
            assert_eq!((day.week().0, day.week().1), week, "{text}");
            for zone in ["UTC", "Asia/Tokyo", "America/New_York"].map(|name| TimeZone::get(name).expect("a zone")) {
                assert_eq!(of_local(local(ms, &zone), &zone), ms, "{text} {zone:?}");
            }
        }
        let tokyo = TimeZone::get("Asia/Tokyo").expect("a zone");
        assert_eq!(show(local(253_402_300_799_999, &tokyo)), "+010000-01-01T08:59:59.999Z");
        assert_eq!(
            [To::Day, To::Minute, To::Second].map(|to| brief(253_402_300_799_999, to)),
            ["9999-12-31", "9999-12-31 23:59", "9999-12-31 23:59:59"]
        );
        assert_eq!(year(-1), "-000001");
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
