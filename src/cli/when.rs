//! A point in time as people type it.

use super::Failure;
use crate::dialect::time::{CivilDay, DAY, Time, of_local, read as read_time};
use jiff::civil::{Date, DateTime, Time as Clock};
use jiff::{Span, Timestamp, Zoned};

/// Whether a day stands for its first moment or for its last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    Begins,
    Ends,
}

/// Reads what an option was given: a day, a time (both in the zone of `now`, unless it names another), or how
/// long ago it was: `2026-03-14`, `2026-03-14T09:26`, `7d`, `12h`, `2w`. In milliseconds since 1970.
///
/// # Errors
/// A sentence that says what can be typed.
pub(super) fn parse(option: &str, text: Option<&str>, now: &Zoned, day: Day) -> Result<Option<i64>, Failure> {
    let Some(text) = text else { return Ok(None) };
    read(text, now, day).map(Some).ok_or_else(|| {
        let forms = "2026-03-14, 2026-03-14T09:30, 2026-03-14T09:30:00Z, or how long ago: 7d, 12h, 2w";
        Failure::Usage(format!("{option} '{text}' is no time; write {forms}"))
    })
}

fn read(text: &str, now: &Zoned, day: Day) -> Option<i64> {
    // as the clocks of the zone show it; jiff's times end a day before the year 9999 does
    let moment = |date: Date, rest: i64| {
        let date = CivilDay { year: date.year().into(), month: date.month().into(), day: date.day().into() };
        of_local(date.start() + rest, now.time_zone())
    };
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        Some(timestamp.as_millisecond())
    } else if let Time::Proper(ms) = read_time(text.as_bytes()) {
        Some(ms)
    } else if let (10, Ok(date)) = (text.len(), text.parse::<Date>()) {
        Some(moment(date, if day == Day::Ends { DAY } else { 0 }))
    } else if let Ok(date) = text.parse::<DateTime>() {
        let rest = date.time().duration_since(Clock::midnight()).as_millis();
        Some(moment(date.date(), i64::try_from(rest).ok()?))
    } else {
        Some(now.checked_sub(text.parse::<Span>().ok()?.abs()).ok()?.timestamp().as_millisecond())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn days_times_and_spans() {
        let now = "2026-03-14T09:26:50Z".parse::<Timestamp>().expect("a time").to_zoned(TimeZone::UTC);
        let ms = |text: &str| read(text, &now, Day::Begins);
        assert_eq!(ms("2026-03-14"), Some(1_773_446_400_000));
        assert_eq!(read("2026-03-13", &now, Day::Ends), ms("2026-03-14"));
        assert_eq!(ms("2026-03-14T09:26"), Some(1_773_480_360_000));
        assert_eq!(ms("2026-03-14T09:26:50.000Z"), Some(1_773_480_410_000));
        assert_eq!(ms("2026-03-14T10:26:50+01:00"), Some(1_773_480_410_000));
        assert_eq!(ms("12h"), Some(1_773_480_410_000 - 43_200_000));
        assert_eq!((ms("7d"), ms("1w")), (ms("2026-03-07T09:26:50Z"), ms("2026-03-07T09:26:50Z")));
        for text in ["9999-12-31", "9999-12-31T00:00", "9999-12-31T00:00:00Z", "9999-12-31T00:00:00.000Z"] {
            assert_eq!(ms(text), Some(253_402_214_400_000), "{text}");
        }
        assert_eq!(read("9999-12-31", &now, Day::Ends), Some(253_402_300_800_000));
        assert_eq!(read("0000-01-01", &now, Day::Begins), Some(-62_167_219_200_000));
        let tokyo = TimeZone::get("Asia/Tokyo").expect("a zone");
        assert_eq!(
            read("9999-12-31", &now.with_time_zone(tokyo), Day::Begins),
            Some(253_402_214_400_000 - 9 * 3_600_000)
        );
        for odd in ["", "d", "yesterday", "7", "7x", "é", "4294967296d", "2026-13-01", "99999-01-01"] {
            assert_eq!(ms(odd), None, "{odd}");
        }
    }
}
