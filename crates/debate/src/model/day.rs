//! A calendar day, written `2027-03-01`. Debates know no clock: days come in as
//! data. It refuses dates that do not exist.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Days since 1 January 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(pub i32);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date; write it as YYYY-MM-DD, such as 2027-03-01")]
pub struct NotADay(pub String);

const MS_PER_DAY: i64 = 86_400_000;

impl Day {
    pub fn of_ms(milliseconds: i64) -> Day {
        Day(i32::try_from(milliseconds.div_euclid(MS_PER_DAY)).unwrap_or(i32::MAX))
    }

    /// Days from an earlier day to this one; 0 if that day is later.
    pub fn since(self, earlier: Day) -> f64 {
        f64::from(self.0) - f64::from(earlier.0.min(self.0))
    }

    pub fn plus(self, days: i32) -> Day {
        Day(self.0.saturating_add(days))
    }

    /// Year, month and day of the Gregorian calendar.
    fn civil(self) -> (i64, i64, i64) {
        // Years begin in March here, so that a leap day is the last of its year.
        let days = i64::from(self.0) + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }

    fn from_civil(year: i64, month: i64, day: i64) -> Option<Day> {
        let shifted_year = if month <= 2 { year - 1 } else { year };
        let era = shifted_year.div_euclid(400);
        let year_of_era = shifted_year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        let found = Day(i32::try_from(era * 146_097 + of_era - 719_468).ok()?);
        (found.civil() == (year, month, day)).then_some(found)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Day, NotADay> {
        let wrong = || NotADay(text.to_owned());
        let parts: Vec<&str> = text.trim().split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
        let number = |part: &str, digits: usize| -> Option<i64> {
            let plain = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
            part.parse().ok().filter(|_| plain)
        };
        let found = || Day::from_civil(number(year, 4)?, number(month, 2)?, number(day, 2)?);
        found().ok_or_else(wrong)
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
