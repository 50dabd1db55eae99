//! A point in time as people type it.

use super::Failure;
use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp, ToSpan, Zoned};

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
pub(super) fn parse(option: &str, text: &str, now: &Zoned, day: Day) -> Result<i64, Failure> {
    read(text, now, day).ok_or_else(|| {
        let forms = "2026-03-14, 2026-03-14T09:30, 2026-03-14T09:30:00Z, or how long ago: 7d, 12h, 2w";
        Failure::Usage(format!("{option} '{text}' is no time; write {forms}"))
    })
}

fn read(text: &str, now: &Zoned, day: Day) -> Option<i64> {
    let zoned = |date: DateTime| date.to_zoned(now.time_zone().clone()).ok().map(|zoned| zoned.timestamp());
    let moment = if let Ok(timestamp) = text.parse::<Timestamp>() {
        timestamp
    } else if let (10, Ok(date)) = (text.len(), text.parse::<Date>()) {
        zoned(if day == Day::Ends { date.checked_add(1.day()).ok()? } else { date }.into())?
    } else if let Ok(date) = text.parse::<DateTime>() {
        zoned(date)?
    } else {
        now.checked_sub(text.parse::<Span>().ok()?.abs()).ok()?.timestamp()
    };
    Some(moment.as_millisecond())
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
        for odd in ["", "d", "yesterday", "7", "7x", "é", "4294967296d", "2026-13-01", "99999-01-01"] {
            assert_eq!(ms(odd), None, "{odd}");
        }
    }
}
