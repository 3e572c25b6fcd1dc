//! Figures in words: one name and one rounding for each, used by every face.

use debate::model::{Choice, MicroUsd, Searches, Tally};

pub use debate::model::counted as count;

/// A share that may be unknown.
pub fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "not known".into(), |value| format!("{value:.2}"))
}

pub fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// A number as a person would write it: whole or short ones as they are, long ones
/// with four digits that matter.
pub fn number(value: f64) -> String {
    let text = value.to_string();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if value == 0.0 || !value.is_finite() || value.fract() == 0.0 || digits <= 6 {
        return text;
    }
    let before = value.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - before).unwrap_or(0);
    let rounded = format!("{value:.decimals$}");
    if rounded.contains('.') {
        rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        rounded
    }
}

/// The answer to a question that has a form.
pub fn choice(choice: &Choice) -> String {
    match choice {
        Choice::Option(option) => option.clone(),
        Choice::Number(value) => number(*value),
        Choice::Probability(share) => percent(*share),
    }
}

/// The beginning of a debate's id, short enough to be read and typed: the whole moment at
/// which it began, so that it is unique unless another debate began in the same millisecond.
pub fn short_id(id: &str) -> &str {
    id.get(..13).unwrap_or(id)
}

/// A moment as people write it, in this machine's time.
pub fn local_time(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => {
            let here = moment.to_zoned(jiff::tz::TimeZone::system());
            here.strftime("%Y-%m-%d %H:%M").to_string()
        }
        Err(_) => "?".into(),
    }
}

/// A moment as people write it, in UTC.
pub fn when(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "?".into(),
    }
}

/// The day of a moment, in UTC.
pub fn day(ms: i64) -> String {
    when(ms).chars().take(10).collect()
}

/// A duration as minutes and seconds.
pub fn duration(ms: u64) -> String {
    let seconds = (ms + 500) / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Searches in words; nothing where there were none.
pub fn searches(searches: &Searches) -> Vec<String> {
    let count = |number: u32| match number {
        1 => "1 search".to_owned(),
        more => format!("{more} searches"),
    };
    let mut facts = Vec::new();
    if searches.asked > 0 {
        facts.push(format!("{} asked for, {} made", count(searches.asked), searches.made));
    }
    if searches.native > 0 {
        facts.push(format!("{} by the providers themselves", count(searches.native)));
    }
    facts
}

/// Words what was spent; `None` if no model was asked. "Free" is used only for a
/// known price of zero, never for an unknown price.
pub fn money(spent: &Tally) -> Option<String> {
    let answered = spent.calls.saturating_sub(spent.ambiguous_calls);
    let known = cost(answered, spent.cost, spent.unpriced_calls);
    if spent.possibly_billed == MicroUsd::ZERO {
        return known;
    }
    let calls = count(spent.ambiguous_calls as usize, "call");
    let possibly = format!("{calls} possibly billed, at most {}", spent.possibly_billed);
    Some(known.map_or_else(|| possibly.clone(), |known| format!("{known} and {possibly}")))
}

/// The same from its parts: calls, known cost, and calls without a known price.
pub fn cost(calls: u32, cost: MicroUsd, unpriced: u32) -> Option<String> {
    match (cost > MicroUsd::ZERO, unpriced) {
        _ if calls == 0 => None,
        (true, 0) => Some(cost.to_string()),
        (true, some) => {
            Some(format!("{cost} and {} without a known price", count(some as usize, "call")))
        }
        (false, 0) => Some("free".into()),
        (false, all) if all == calls => Some("price not known".into()),
        (false, some) => Some(format!("{} without a known price", count(some as usize, "call"))),
    }
}

/// Calls, tokens and money in one line.
pub fn spent(spent: &Tally) -> String {
    let mut facts = vec![count(spent.calls as usize, "call")];
    facts.extend(spent.usage.total().map(|tokens| format!("{} tokens", thousands(tokens))));
    facts.extend(money(spent));
    facts.join(" · ")
}
