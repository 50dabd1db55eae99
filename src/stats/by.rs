//! By what the entries of a store are grouped.

use super::row::{Row, split_model};
use super::tally::NO_NAME;
use crate::dialect::time::{CivilDay, DAY, local, of_local, year};
use jiff::tz::TimeZone;

/// By what entries are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum By {
    /// The day of the entry.
    Day,
    /// Its week (ISO 8601: from Monday on).
    Week,
    /// Its month.
    Month,
    /// The model that answered.
    Model,
    /// Its provider.
    Provider,
    /// The folder that the session's header names.
    Project,
    /// The tool that was called.
    Tool,
    /// The session, by the id in its header.
    Session,
}

impl By {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            By::Day => "day",
            By::Week => "week",
            By::Month => "month",
            By::Model => "model",
            By::Provider => "provider",
            By::Project => "project",
            By::Tool => "tool",
            By::Session => "session",
        }
    }

    /// Whether the groups are parts of time.
    pub fn is_time(self) -> bool {
        matches!(self, By::Day | By::Week | By::Month)
    }

    /// Whether a file is in one group as a whole.
    pub fn is_whole(self) -> bool {
        matches!(self, By::Project | By::Session)
    }
}

/// What entries without a time are grouped under.
pub const NO_TIME: &str = "(no time)";

/// Names the group of a row. Neighbouring entries mostly have the same day, so the last one is kept.
#[derive(Debug)]
pub struct Calendar {
    by: By,
    zone: TimeZone,
    /// From when until when, in milliseconds, and what it is called.
    last: (i64, i64, String),
}

impl Calendar {
    /// Groups by `by`, with days as they are in `zone`.
    pub fn new(by: By, zone: TimeZone) -> Calendar {
        Calendar { by, zone, last: (0, 0, String::new()) }
    }

    /// The group of a row; `None` where it is in none. Not for [`By::is_whole`] and tools.
    pub fn group<'a>(&'a mut self, row: &Row, names: &'a [String]) -> Option<&'a str> {
        match self.by {
            By::Day | By::Week | By::Month => Some(self.part_of_time(row.time)),
            By::Model | By::Provider if row.model.is_none() && row.usage.is_none() => None,
            By::Model => Some(row.model.and_then(|n| names.get(n as usize)).map_or(NO_NAME, String::as_str)),
            By::Provider => {
                let provider = row.model.and_then(|n| names.get(n as usize)).map_or("", |name| split_model(name).0);
                Some(if provider.is_empty() { NO_NAME } else { provider })
            }
            By::Project | By::Session | By::Tool => None,
        }
    }

    fn part_of_time(&mut self, time: Option<i64>) -> &str {
        let Some(time) = time else { return NO_TIME };
        let (from, to, _) = self.last;
        if !(from..to).contains(&time) {
            let Some(part) = self.find(time) else { return NO_TIME };
            self.last = part;
        }
        &self.last.2
    }

    /// The day, week or month of a time; `None` for a time that no calendar has.
    fn find(&self, time: i64) -> Option<(i64, i64, String)> {
        let date = CivilDay::of(local(time, &self.zone))?;
        let (first, next, name) = match self.by {
            By::Week => {
                let (of_year, week, monday) = date.week();
                (monday, monday + 7 * DAY, format!("{}-W{week:02}", year(of_year)))
            }
            By::Month => {
                let first = CivilDay { day: 1, ..date };
                let next = match date.month {
                    12 => CivilDay { year: date.year + 1, month: 1, ..first },
                    month => CivilDay { month: month + 1, ..first },
                };
                (first.start(), next.start(), format!("{}-{:02}", year(date.year), date.month))
            }
            _ => (date.start(), date.start() + DAY, date.to_string()),
        };
        Some((of_local(first, &self.zone), of_local(next, &self.zone), name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(by: By, zone: &str, time: &str) -> String {
        let zone = TimeZone::get(zone).expect("a time zone");
        let row = Row { time: crate::dialect::time::read(time.as_bytes()).millis(), ..Row::default() };
        let mut calendar = Calendar::new(by, zone);
        let first = calendar.group(&row, &[]).expect("a group").to_string();
        assert_eq!(calendar.group(&row, &[]), Some(first.as_str()), "the same from what was kept");
        first
    }

    #[test]
    fn days_weeks_and_months_of_a_time_zone() {
        assert_eq!(group(By::Day, "UTC", "2026-03-14T23:30:00Z"), "2026-03-14");
        assert_eq!(group(By::Day, "Asia/Tokyo", "2026-03-14T23:30:00Z"), "2026-03-15");
        assert_eq!(group(By::Week, "UTC", "2026-03-15T23:30:00Z"), "2026-W11");
        assert_eq!(group(By::Week, "UTC", "2027-01-01T00:00:00Z"), "2026-W53");
        assert_eq!(group(By::Week, "Asia/Tokyo", "2026-03-15T23:30:00Z"), "2026-W12");
        assert_eq!(group(By::Month, "America/New_York", "2026-04-01T03:00:00Z"), "2026-03");
        // a day of 23 hours
        assert_eq!(group(By::Day, "Europe/Berlin", "2026-03-29T21:59:00Z"), "2026-03-29");
        assert_eq!(group(By::Day, "Europe/Berlin", "2026-03-29T22:00:00Z"), "2026-03-30");
    }

    #[test]
    fn the_first_and_the_last_years() {
        for (by, zone, time, name) in [
            (By::Day, "UTC", "9999-12-31T23:59:59.999Z", "9999-12-31"),
            (By::Day, "Asia/Tokyo", "9999-12-31T23:59:59.999Z", "+010000-01-01"),
            (By::Day, "America/New_York", "0000-01-01T00:00:00.000Z", "-000001-12-31"),
            (By::Week, "UTC", "9999-12-31T23:59:59.999Z", "9999-W52"),
            (By::Week, "UTC", "0000-01-01T00:00:00.000Z", "-000001-W52"),
            (By::Month, "UTC", "9999-12-31T23:59:59.999Z", "9999-12"),
            (By::Month, "UTC", "0000-01-01T00:00:00.000Z", "0000-01"),
        ] {
            assert_eq!(group(by, zone, time), name);
        }
    }

    #[test]
    fn times_that_no_calendar_has() {
        let mut calendar = Calendar::new(By::Day, TimeZone::UTC);
        for time in [None, Some(i64::MAX), Some(i64::MIN + 1)] {
            assert_eq!(calendar.group(&Row { time, ..Row::default() }, &[]), Some(NO_TIME));
        }
    }
}
