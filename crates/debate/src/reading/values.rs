//! Single values as models write them: names in any spelling, numbers as words of
//! digits, ids with and without their letter. Values that need a guess are
//! refused: "high" is no number and "49 miles" is not 49 kilometres.

use std::borrow::Cow;

pub(super) use super::tree::is_named;
use super::tree::{Json, JsonObject};
use crate::model::{ClaimId, EvidenceType, Label, Stance, TurnNote};

/// A quotation of the agent's own words in a note is cut at this many characters.
const QUOTED: usize = 60;
/// The most numbers expanded from one list of citations; ranges can name
/// billions.
const MAX_NUMBERS: usize = 100;

pub(super) fn note(notes: &mut Vec<TurnNote>, check: &str, text: impl Into<String>) {
    notes.push(TurnNote { check: check.to_owned(), text: text.into() });
}

/// Returns a few words of the agent's own, for a note.
pub(super) fn quoted(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", line.get(..end).unwrap_or("")),
        None => format!("\"{line}\""),
    }
}

/// Letters and digits only, in lower case: `key_points`, `keyPoints` and
/// `Key Points` are one name.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The first member whose plain name stands in `names`, by the order of `names`.
pub(super) fn member<'v, 't>(object: &'v JsonObject<'t>, names: &[&str]) -> Option<&'v Json<'t>> {
    object.named(names).map(|(_, value)| value)
}

/// The words of a value: a string, a figure, or the words inside an object or a
/// list of them. Blank is nothing.
pub(super) fn text<'v>(value: &'v Json<'_>) -> Option<Cow<'v, str>> {
    const INSIDE: &[&str] = &["text", "content", "value", "statement", "description", "summary"];
    let text = match value {
        Json::String(text) => Cow::Borrowed(text.trim()),
        Json::Number(number) => Cow::Owned(number.to_string()),
        Json::Array(items) => {
            Cow::Owned(items.iter().filter_map(flat_text).collect::<Vec<_>>().join("\n\n"))
        }
        Json::Object(object) => member(object, INSIDE).and_then(flat_text).unwrap_or_default(),
        Json::Bool(_) | Json::Null => Cow::Borrowed(""),
    };
    (!text.is_empty()).then_some(text)
}

/// The same, for those who keep it.
pub(super) fn own_text(value: &Json<'_>) -> Option<String> {
    text(value).map(Cow::into_owned)
}

fn flat_text<'v>(value: &'v Json<'_>) -> Option<Cow<'v, str>> {
    const INSIDE: &[&str] = &["text", "content", "point", "value", "statement", "summary"];
    match value {
        Json::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(Cow::Borrowed),
        Json::Number(number) => Some(Cow::Owned(number.to_string())),
        Json::Object(object) => {
            member(object, INSIDE)?.as_str().map(|text| Cow::Borrowed(text.trim()))
        }
        Json::Array(_) | Json::Bool(_) | Json::Null => None,
    }
}

/// A list of texts; one text alone is a list of one, or of its lines.
pub(super) fn texts<'v>(value: &'v Json<'_>) -> Vec<Cow<'v, str>> {
    const BULLETS: [char; 4] = ['-', '*', '•', ' '];
    match value {
        Json::Array(items) => items.iter().filter_map(flat_text).collect(),
        Json::String(text) => {
            let lines = text.lines().map(|line| line.trim().trim_start_matches(BULLETS).trim());
            lines.filter(|line| !line.is_empty()).map(Cow::Borrowed).collect()
        }
        other => flat_text(other).into_iter().collect(),
    }
}

/// The members of a list, or the one value that should have been a list.
pub(super) fn items<'v, 't>(value: &'v Json<'t>) -> &'v [Json<'t>] {
    match value {
        Json::Array(items) => items,
        Json::Null => &[],
        other => std::slice::from_ref(other),
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberWithUnit {
    pub number: f64,
    /// The text after the digits, such as a unit or `%`.
    pub unit: String,
}

/// A figure: a JSON number, or a string that is one number with perhaps a sign of
/// currency before it and a unit behind.
pub(super) fn figure(value: &Json<'_>) -> Option<NumberWithUnit> {
    match value {
        Json::Number(number) => {
            number.as_f64().map(|number| NumberWithUnit { number, unit: String::new() })
        }
        Json::String(text) => figure_in(text),
        _ => None,
    }
}

fn figure_in(text: &str) -> Option<NumberWithUnit> {
    let text = unboxed(text.trim()).trim_matches(['$', '€', '£', '*', ' ']);
    let text = text.strip_suffix('.').unwrap_or(text);
    let end = text
        .char_indices()
        .find(|(at, c)| !is_of_number(text, *at, *c))
        .map_or(text.len(), |(at, _)| at);
    let (digits, unit) = text.split_at_checked(end)?;
    let number = ungrouped(digits.trim())?.parse::<f64>().ok().filter(|n| n.is_finite())?;
    let unit = unit.trim();
    let clean = unit.chars().all(|c| !c.is_numeric());
    clean.then(|| NumberWithUnit { number, unit: unit.to_owned() })
}

fn is_of_number(text: &str, at: usize, c: char) -> bool {
    let digit_at = |at: usize| text.as_bytes().get(at).is_some_and(|b| b.is_ascii_digit());
    let signed =
        |at: usize| matches!(text.as_bytes().get(at), Some(b'+' | b'-')) && digit_at(at + 1);
    match c {
        '0'..='9' | '.' | ',' | '_' => true,
        '+' | '-' => at == 0 || matches!(text.as_bytes().get(at - 1), Some(b'e' | b'E')),
        'e' | 'E' => at > 0 && (digit_at(at + 1) || signed(at + 1)),
        // A thin or plain space groups digits; elsewhere it ends the number.
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => digit_at(at + c.len_utf8()),
        _ => false,
    }
}

/// The number without separators of thousands; `None` where a comma or space
/// stands where none belongs.
fn ungrouped(digits: &str) -> Option<String> {
    let separator = digits.chars().find(|c| !matches!(c, '0'..='9' | '.' | '+' | '-' | 'e' | 'E'));
    let Some(separator) = separator else { return Some(digits.to_owned()) };
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.split(separator);
    let head = groups.next()?.trim_start_matches(['+', '-']);
    let right = (1..=3).contains(&head.len())
        && groups.all(|group| group.len() == 3)
        && !rest.contains(separator);
    right.then(|| digits.chars().filter(|c| *c != separator).collect())
}

/// The inside of `\boxed{…}`. Written into JSON without a second backslash, its
/// `\b` arrives as a backspace.
fn unboxed(text: &str) -> &str {
    ["\\boxed{", "\u{8}oxed{", "$\\boxed{"]
        .iter()
        .find_map(|open| text.strip_prefix(open))
        .and_then(|inner| inner.trim_end_matches('$').strip_suffix('}'))
        .map_or(text, str::trim)
}

/// Citation numbers: `2`, `"2"`, `"[1][2]"`, `"1-3"`, and lists of them.
pub(super) fn citation_numbers(value: &Json<'_>) -> Vec<u32> {
    let mut numbers = Vec::new();
    for item in items(value) {
        match item {
            Json::Number(number) => {
                numbers.extend(number.as_u64().and_then(|n| u32::try_from(n).ok()));
            }
            Json::String(text) => {
                let marks = text.trim().trim_start_matches(['[', '#', '^']).trim_end_matches(']');
                numbers.extend(marks.replace("][", ",").split(',').flat_map(range));
            }
            Json::Object(object) => {
                let inner = member(object, &["number", "id", "index", "citation", "n"]);
                numbers.extend(inner.and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok()));
            }
            _ => {}
        }
    }
    once(&mut numbers);
    numbers.truncate(MAX_NUMBERS);
    numbers
}

/// The numbers cited in running text as `[1]`, `[1][2]`, `[1, 2]` or `[1-3]`.
pub(super) fn cited_in(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for (at, _) in text.match_indices('[') {
        let inside = text.get(at + 1..).unwrap_or("");
        // A mark is short: looking no further keeps this linear.
        let end = inside.char_indices().take(24).find(|(_, c)| matches!(c, ']' | '['));
        if let Some((end, ']')) = end {
            let mark = inside.get(..end).unwrap_or("");
            if let Ok(number) = mark.parse() {
                numbers.push(number);
                continue;
            }
            let parts: Vec<Vec<u32>> = mark.split(',').map(range).collect();
            if parts.iter().all(|part| !part.is_empty()) {
                numbers.extend(parts.into_iter().flatten());
            }
        }
    }
    once(&mut numbers);
    numbers
}

fn range(part: &str) -> Vec<u32> {
    let part = part.trim();
    let (from, to) = part.split_once(['-', '–', '—']).unwrap_or((part, part));
    match (from.trim().parse::<u32>(), to.trim().parse::<u32>()) {
        (Ok(from), Ok(to)) if from <= to => (from..=to).take(MAX_NUMBERS).collect(),
        _ => Vec::new(),
    }
}

/// Each value once, in the order of first mention.
pub(super) fn once<T: Copy + Ord>(values: &mut Vec<T>) {
    if values.len() < 2 {
        return;
    }
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(*value));
}

/// Ids of claims: `"C3"`, `"c3"`, `3`, `"[C1], [C2]"`, and lists of them.
pub(super) fn claim_ids(value: &Json<'_>) -> Vec<ClaimId> {
    let mut ids = Vec::new();
    for item in items(value) {
        match item {
            Json::Number(number) => {
                ids.extend(number.as_u64().and_then(|n| id_of(n.to_string().as_str())))
            }
            Json::String(text) => ids.extend(text.split([',', ';', ' ', '/']).filter_map(id_of)),
            Json::Object(object) => {
                let inner = member(object, &["id", "claimid", "claim"]);
                ids.extend(inner.and_then(Json::as_str).and_then(id_of));
            }
            _ => {}
        }
    }
    once(&mut ids);
    ids
}

fn id_of(word: &str) -> Option<ClaimId> {
    let word = word.trim_end_matches(['.', ':']);
    word.parse().ok().or_else(|| format!("C{word}").parse().ok())
}

/// Reads a word from a fixed list, regardless of case and punctuation.
pub(super) fn word_of<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(name, _)| is_named(text, name)).map(|(_, value)| *value)
}

pub(super) const STANCES: &[(&str, Stance)] =
    &[("yes", Stance::Yes), ("no", Stance::No), ("neutral", Stance::Neutral)];

pub(super) const LABELS: &[(&str, Label)] = &[
    ("fact", Label::Fact),
    ("infer", Label::Infer),
    ("inference", Label::Infer),
    ("inferred", Label::Infer),
    ("assume", Label::Assume),
    ("assumption", Label::Assume),
    ("assumed", Label::Assume),
    ("open", Label::Open),
    ("openquestion", Label::Open),
    ("question", Label::Open),
];

pub(super) const EVIDENCE_TYPES: &[(&str, EvidenceType)] = &[
    ("documented", EvidenceType::Documented),
    ("documentation", EvidenceType::Documented),
    ("empirical", EvidenceType::Empirical),
    ("precedent", EvidenceType::Precedent),
    ("logical", EvidenceType::Logical),
    ("logic", EvidenceType::Logical),
    ("preferential", EvidenceType::Preferential),
    ("preference", EvidenceType::Preferential),
    ("speculative", EvidenceType::Speculative),
    ("speculation", EvidenceType::Speculative),
];

/// The text's first sentence, cut at a word after `max` characters.
pub(super) fn first_sentence(text: &str, max: usize) -> String {
    let line = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '*', '>', '-', ' ']).trim())
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or("");
    let ends = line.char_indices().find(|(at, c)| {
        let rest = line.get(at + c.len_utf8()..).unwrap_or("");
        let mut after = rest.chars();
        match c {
            '。' | '！' | '？' => true,
            // "e.g. this" goes on: a sentence does not begin in lower case.
            '.' | '!' | '?' => {
                after.next().is_none_or(char::is_whitespace)
                    && !after.next().is_some_and(char::is_lowercase)
            }
            _ => false,
        }
    });
    let sentence = ends.and_then(|(at, c)| line.get(..at + c.len_utf8())).unwrap_or(line);
    shortened(sentence, max)
}

/// The text cut at a word after `max` characters, ending in `…` where it was cut.
pub(super) fn shortened(text: &str, max: usize) -> String {
    // No text has more characters than bytes.
    if text.len() <= max {
        return text.to_owned();
    }
    let mut rest = text.chars();
    if let Some(last) = max.checked_sub(1) {
        rest.nth(last);
    }
    let end = text.len() - rest.as_str().len();
    if end == text.len() {
        return text.to_owned();
    }
    let head = text.get(..end).unwrap_or("");
    let word_end = head.rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head.get(..word_end).unwrap_or(head).trim_end())
}
