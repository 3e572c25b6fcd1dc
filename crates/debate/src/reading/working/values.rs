//! The values of closing lines, stripped of what models put around them and
//! handed to the one reader that also reads the record's fields.

use super::super::fields;
use super::super::tree::Json;
use crate::model::{Choice, Question, Vote};

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;

/// Signs around a value that mean nothing.
const AROUND: [char; 12] = ['*', '_', '`', '"', '\'', '<', '>', '“', '”', ' ', '\t', '|'];

/// The ways in which models say that they cannot say, in plain letters.
const UNABLE: &[&str] = &[
    "cannotsay",
    "cantsay",
    "icannotsay",
    "icantsay",
    "cannotbedetermined",
    "cannotdetermine",
    "cannotanswer",
    "unknown",
    "undetermined",
    "idontknow",
    "idonotknow",
    "notenoughinformation",
    "insufficientinformation",
    "null",
    "na",
    "kannichnichtsagen",
    "nichtzusagen",
];

/// A value without its dress: bold, quotes, TeX and a closing full stop.
pub(super) fn cleaned(value: &str) -> String {
    let value = value.trim();
    // All that is replaced begins with one of these signs, and few values hold any.
    if !value.contains(['\\', '*', '{']) {
        return undressed(value).to_owned();
    }
    undressed(&plain(value)).to_owned()
}

/// A value without TeX and without signs of bold.
fn plain(value: &str) -> String {
    let mut text = value.to_owned();
    for (from, to) in [
        ("\\(", ""),
        ("\\)", ""),
        ("\\[", ""),
        ("\\]", ""),
        ("\\$", "$"),
        ("\\%", "%"),
        ("\\,", ""),
        ("\\!", ""),
        ("**", ""),
        ("{,}", ","),
    ] {
        text = text.replace(from, to);
    }
    for open in ["\\boxed{", "\\text{", "\\mathrm{", "\\textbf{", "\\mathbf{"] {
        while let Some((before, rest)) = text.split_once(open) {
            let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
            text = format!("{before}{inside}{after}");
        }
    }
    if let Some((before, rest)) = text.split_once("\\frac{")
        && let Some((above, rest)) = rest.split_once("}{")
        && let Some((below, after)) = rest.split_once('}')
    {
        text = format!("{before}{above}/{below}{after}");
    }
    text
}

/// A value without the signs around it.
fn undressed(text: &str) -> &str {
    let text = text.trim_matches(AROUND);
    let text = text.strip_suffix('.').unwrap_or(text).trim_matches(AROUND);
    let dollars = text.strip_prefix('$').and_then(|inner| inner.strip_suffix('$'));
    dollars.unwrap_or(text).trim()
}

/// The choice a value makes, if it makes one.
pub(super) fn choice_in(value: &str, question: &Question) -> Option<Choice> {
    let text = cleaned(value);
    if text.is_empty() {
        return None;
    }
    let read = |text: &str| {
        let mut unread = Vec::new();
        fields::choice(&Json::from(text), question, &mut unread)
    };
    match question {
        Question::Open => None,
        Question::YesNo | Question::Options { .. } => read(&text),
        Question::Number { unit } => {
            let text = text.trim_start_matches(['=', '≈', '~', ' ']);
            read(text)
                .or_else(|| fraction(text).map(Choice::Number))
                .or_else(|| last_figure(text, unit.as_deref()).map(Choice::Number))
        }
        Question::Probability => read(&text)
            .or_else(|| fraction(&text).and_then(|share| read(&share.to_string())))
            .or_else(|| confidence_in(&text).map(Choice::Probability)),
    }
}

/// `3/4`, or `1 1/2`.
fn fraction(text: &str) -> Option<f64> {
    let (whole, text) = match text.split_once(' ') {
        Some((whole, rest)) if rest.contains('/') => (whole.parse::<f64>().ok()?, rest),
        _ => (0.0, text),
    };
    let (above, below) = text.split_once('/')?;
    let above: f64 = above.trim().parse().ok()?;
    let below: f64 = below.trim().parse().ok().filter(|below| *below != 0.0)?;
    Some(whole + above / below).filter(|number| number.is_finite())
}

/// The last figure of a sentence, where nothing but the unit asked for follows it.
fn last_figure(text: &str, unit: Option<&str>) -> Option<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let head = text.get(..end)?;
    let start = head.rfind(|c: char| !is_part(c)).map_or(0, |at| {
        at + head.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let before = head.get(..start)?;
    let figure = head.get(start..)?.trim_start_matches([',', '.']);
    // A figure that is part of a fraction, a date or a word is not the value.
    if before.ends_with(['/', ':']) || before.ends_with(char::is_alphabetic) {
        return None;
    }
    if let Some(unit) = unit {
        let after = text.get(end..)?.trim_matches([' ', '.', ',', ')']).to_lowercase();
        if !after.is_empty() && !after.starts_with(&unit.to_lowercase()) {
            return None;
        }
    }
    let negative = before.ends_with('-')
        && !before.trim_end_matches('-').ends_with(|c: char| c.is_alphanumeric());
    let number: f64 = figure.replace(',', "").parse().ok()?;
    Some(if negative { -number } else { number })
}

/// A confidence from 0 to 1, from a figure, a percentage or a share.
pub(super) fn confidence_in(value: &str) -> Option<f64> {
    let text = cleaned(value).replace("out of", "/").replace(" of ", "/");
    let from = text.find(|c: char| c.is_ascii_digit() || c == '.')?;
    let figure = |text: &str| -> Option<(f64, usize)> {
        let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
        let end = end.unwrap_or(text.len());
        let digits = text.get(..end)?.trim_end_matches(['.', ',']);
        Some((digits.replace(',', ".").parse().ok()?, end))
    };
    // "Confidence: low, 2 steps are unsure" holds no figure of confidence.
    if text.get(..from)?.ends_with(['-', '−'])
        || text.get(..from)?.chars().filter(|c| c.is_alphabetic()).count() > 20
    {
        return None;
    }
    let (number, end) = figure(text.get(from..)?)?;
    let rest = text.get(from + end..)?.trim_start();
    let share = match (rest.chars().next(), number) {
        (Some('%'), number) => number / 100.0,
        (Some('/'), number) => {
            let (whole, _) = figure(rest.get(1..)?.trim_start())?;
            if whole <= 0.0 || number > whole {
                return None;
            }
            number / whole
        }
        (_, number) if starts_with_word(rest, "percent") || starts_with_word(rest, "prozent") => {
            number / 100.0
        }
        (_, number)
            if number > 1.0 && number <= 100.0 && number.fract() == 0.0 && number >= 2.0 =>
        {
            number / 100.0
        }
        (_, number) => number,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.to_lowercase().starts_with(word)
}

pub(super) fn vote_in(value: &str) -> Option<Vote> {
    let text = cleaned(value);
    let mut unread = Vec::new();
    fields::vote(&Json::from(&*text), &Default::default(), &mut unread)
}

/// The reason (possibly empty) of a value that says that nothing can be said.
pub(super) fn cannot_say(value: &str) -> Option<String> {
    let text = cleaned(value);
    let plain: String =
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    UNABLE.iter().find(|unable| match **unable {
        "na" | "null" => plain == **unable,
        unable => plain.starts_with(unable),
    })?;
    let reason = text.split_once([':', ',', '–', '—', '(', '.', ';']).map_or("", |(_, rest)| rest);
    Some(reason.trim_matches([')', ' ', '-']).to_owned())
}
