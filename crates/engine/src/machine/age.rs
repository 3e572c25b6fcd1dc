//! The age of this program, by the date of its table of models and prices. Nothing is sent
//! and nothing is looked up: an old table is reason enough to look for a newer release.

use debate::model::Day;

use crate::clock;
use crate::config::Config;

/// Models and prices of so many days ago mislead.
const OLD_DAYS: f64 = 180.0;

/// Returns a sentence if this program is old; none where the user wants none.
pub fn notice(config: &Config) -> Option<String> {
    let wanted = config.file.update_notice != Some(false);
    wanted.then(|| outdated(agents::models::date(), &clock::today())).flatten()
}

fn outdated(built: &str, today: &str) -> Option<String> {
    let (built, today): (Day, Day) = (built.parse().ok()?, today.parse().ok()?);
    let days = today.since(built);
    (days > OLD_DAYS).then(|| {
        format!(
            "This Roundtable knows models and prices of {built}, {days} days ago. A newer release may \
             know better. (`roundtable config set update_notice false` turns this off.)"
        )
    })
}

#[cfg(test)]
#[path = "age_tests.rs"]
mod tests;
