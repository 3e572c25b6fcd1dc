//! The names of the accounts that calls are booked on, and the days and months they are for.

use debate::model::Day;

const DAY_MS: i64 = 86_400_000;

pub(crate) fn debate_account(id: &str) -> String {
    format!("debate {id}")
}

pub(crate) fn day_account(day: i64) -> String {
    format!("day {day}")
}

pub(crate) fn person_day_account(person: &str, day: i64) -> String {
    format!("person {person} day {day}")
}

pub(crate) fn person_month_account(person: &str, day: i64) -> String {
    format!("person {person} month {}", month_of(day))
}

/// The number of the day of a moment, by which calls are booked.
pub(crate) fn day_of(at: i64) -> i64 {
    at.div_euclid(DAY_MS)
}

/// The month of a day, as `2026-11`.
pub(crate) fn month_of(day: i64) -> String {
    let date = Day(i32::try_from(day).unwrap_or(i32::MAX)).to_string();
    date.rsplit_once('-').map_or(date.clone(), |(month, _)| month.into())
}

/// The first day of the month of a day.
pub(crate) fn month_begins(day: i64) -> i64 {
    let first = format!("{}-01", month_of(day)).parse::<Day>();
    first.map_or(day, |first| i64::from(first.0))
}
