//! The fields of an answer, found under any known name and in any type the model
//! sent. A field is never filled from another one's content, with one exception
//! that is noted: a missing position is the reasoning's first sentence.

use std::borrow::Cow;

use super::json::JsonShape;
use super::tree::{Json, JsonObject};
use super::values::{
    NumberWithUnit, STANCES, figure, first_sentence, member, note, plain, quoted, shortened, text,
    texts, word_of,
};
use super::{AnswerDraft, ExpectedAnswer, MAX_POSITION, MAX_REASONING, MAX_TEXT, lists};
use crate::model::{Ballot, Choice, Question, Ruling, TurnNote, Vote};

/// The names of each field: our own first, then other names that models use.
const POSITION: &[&str] =
    &["position", "coreposition", "positionstatement", "mainposition", "thesis"];
const REASONING: &[&str] =
    &["reasoning", "argument", "fullargument", "rationale", "justification", "explanation"];
const KEY_POINTS: &[&str] = &["keypoints", "mainpoints", "keyarguments", "keytakeaways", "points"];
const CONFIDENCE: &[&str] = &["confidence", "confidencescore", "confidencelevel", "certainty"];
const CONFIDENCE_REASON: &[&str] =
    &["confidencereason", "confidencechangereason", "confidencerationale", "reasonforchange"];
const STANCE: &[&str] = &["stance", "assignedstance"];
const VOTE: &[&str] = &["vote", "ballot"];
const OBJECTION: &[&str] = &["objection", "voteobjection", "reason", "comment", "explanation"];
const CLAIMS: &[&str] = &["claims", "claimsmade", "atomicclaims"];
const CITATIONS: &[&str] = &["citations", "references", "sources", "bibliography"];
const ANSWER_NAMES: &[&str] = &["answer", "finalanswer", "choice", "selectedoption", "probability"];
const CANNOT_SAY: &[&str] = &["cannotsay", "whycannotsay"];
const CRITIQUES: &[&str] = &["critiques", "critique", "criticisms"];
const RULING: &[&str] = &["ruling", "nextstep"];
const RULINGS: &[(&str, Ruling)] = &[
    ("continue", Ruling::Continue),
    ("conclude", Ruling::Conclude),
    ("concluded", Ruling::Conclude),
];

const FIELDS: [&[&str]; 11] = [
    POSITION,
    REASONING,
    KEY_POINTS,
    CONFIDENCE,
    CONFIDENCE_REASON,
    STANCE,
    VOTE,
    CLAIMS,
    CITATIONS,
    ANSWER_NAMES,
    CRITIQUES,
];

/// Names under which a text that broke off is still worth having.
const PROSE: [&[&str]; 6] = [
    POSITION,
    REASONING,
    KEY_POINTS,
    CONFIDENCE_REASON,
    OBJECTION,
    &["text", "claim", "statement", "title", "snippet", "quote", "counterevidence", "summary"],
];

pub(super) const ANSWER: JsonShape = JsonShape {
    opens: &['{'],
    score: |value, enough| inner(value).map_or(0, |object| known_fields(object, enough)),
    keeps_cut: |key| PROSE.iter().any(|names| names.contains(&plain(key).as_str())),
};

/// The most members of the root that are searched for a wrapped answer.
const MAX_WRAPPERS: usize = 20;

/// Counts no further than is enough.
fn known_fields(object: &JsonObject<'_>, enough: usize) -> usize {
    FIELDS.iter().filter(|names| member(object, names).is_some()).take(enough).count()
}

/// Returns the object that holds the fields: the root, or the one member of it
/// that does, such as `{"response": {…}}`. A schema sent back is not an answer.
fn inner<'v, 't>(value: &'v Json<'t>) -> Option<&'v JsonObject<'t>> {
    let root = value.as_object()?;
    if member(root, POSITION).is_some() || member(root, REASONING).is_some() {
        return Some(root);
    }
    let wrapped = root
        .iter()
        .take(MAX_WRAPPERS)
        .filter(|(key, _)| *key != "properties")
        .filter_map(|(_, value)| value.as_object())
        .find(|object| known_fields(object, 2) >= 2 && member(object, POSITION).is_some());
    Some(wrapped.unwrap_or(root))
}

pub(super) fn fill(draft: &mut AnswerDraft, value: &Json<'_>, expected: &ExpectedAnswer<'_>) {
    let Some(object) = inner(value) else { return };
    if value.as_object().is_some_and(|root| !std::ptr::eq(root, object)) {
        note(&mut draft.notes, "json", "the answer was wrapped in another object");
    }
    let notes = &mut draft.notes;
    let answer = &mut draft.answer;
    answer.reasoning = long_text(object, REASONING, MAX_REASONING, notes).unwrap_or_default();
    answer.position = long_text(object, POSITION, MAX_TEXT, notes).unwrap_or_default();
    if answer.position.is_empty() && !answer.reasoning.is_empty() {
        answer.position = first_sentence(&answer.reasoning, MAX_POSITION);
        note(notes, "required", "no position was given; it is the first sentence of the reasoning");
    }
    let points = named(object, KEY_POINTS, notes).map(texts).unwrap_or_default();
    answer.key_points = points.iter().map(|point| shortened(point, MAX_TEXT)).collect();
    answer.confidence = named(object, CONFIDENCE, notes).and_then(|value| confidence(value, notes));
    answer.confidence_reason = long_text(object, CONFIDENCE_REASON, MAX_TEXT, notes);
    answer.stance = named(object, STANCE, notes).and_then(|value| {
        let word = text(value)?;
        let stance = word_of(&word, STANCES);
        if stance.is_none() {
            note(notes, "stance", format!("{} is no stance", quoted(&word)));
        }
        stance
    });
    answer.ruling = named(object, RULING, notes).and_then(|value| {
        let word = text(value)?;
        let ruling = word_of(&word, RULINGS);
        if ruling.is_none() {
            note(notes, "ruling", format!("{} is no ruling", quoted(&word)));
        }
        ruling
    });
    answer.vote = named(object, VOTE, notes).and_then(|value| vote(value, object, notes));
    answer.citations = named(object, CITATIONS, notes)
        .map(|value| lists::citations(value, notes))
        .unwrap_or_default();
    answer.claims = named(object, CLAIMS, notes)
        .map(|value| lists::claims(value, &answer.citations, notes))
        .unwrap_or_default();
    answer.critiques = named(object, CRITIQUES, notes)
        .map(|value| lists::critiques(value, notes))
        .unwrap_or_default();
    answer.answer = named(object, ANSWER_NAMES, notes)
        .and_then(|value| choice(value, expected.question, notes));
    if answer.answer.is_none() && !matches!(expected.question, Question::Open) {
        let given = member(object, CANNOT_SAY);
        let reason = given.and_then(text);
        // An empty reason is one, too.
        let abstains = reason.is_some()
            || given.is_some_and(|value| value.is_string())
            || is_null(object, ANSWER_NAMES);
        answer.cannot_say = abstains.then(|| shortened(&reason.unwrap_or_default(), MAX_TEXT));
    }
}

/// Returns whether a field stands there with nothing in it.
fn is_null(object: &JsonObject<'_>, names: &[&str]) -> bool {
    let named = |key: &str| names.contains(&plain(key).as_str());
    object.iter().any(|(key, value)| value.is_null() && named(key))
}

/// Finds a field by its names; a name other than our own is noted.
fn named<'v>(
    object: &'v JsonObject<'v>,
    names: &[&str],
    notes: &mut Vec<TurnNote>,
) -> Option<&'v Json<'v>> {
    let (place, value) = object.named(names)?;
    if let (Some(own), Some(name)) = (names.first(), names.get(place).filter(|_| place > 0)) {
        note(notes, "json", format!("\"{name}\" was read as \"{own}\""));
    }
    Some(value)
}

fn long_text(
    object: &JsonObject<'_>,
    names: &[&str],
    max: usize,
    notes: &mut Vec<TurnNote>,
) -> Option<String> {
    let value = named(object, names, notes)?;
    let name = names.first().copied().unwrap_or_default();
    let Some(found) = text(value) else {
        if !value.as_str().is_some_and(|text| text.trim().is_empty()) {
            note(notes, "json", format!("\"{name}\" holds no text"));
        }
        return None;
    };
    if !value.is_string() {
        note(notes, "json", format!("\"{name}\" was not a string; its words were taken"));
    }
    let short = shortened(&found, max);
    if short.len() != found.len() {
        note(notes, "json", format!("\"{name}\" was cut after {max} characters"));
    }
    Some(short)
}

/// Reads a stated confidence as a bare number; the validator decides over its
/// range. A percentage and a share of ten or a hundred are arithmetic; a word is
/// no number.
fn confidence(value: &Json<'_>, notes: &mut Vec<TurnNote>) -> Option<f64> {
    const SHARES: [(&str, f64); 2] = [("/10", 10.0), ("/100", 100.0)];
    if let Json::Number(number) = value {
        return number.as_f64();
    }
    let said = text(value)?;
    let compact: String = said.split_whitespace().collect();
    let share = SHARES.iter().find_map(|(ending, whole)| {
        let part = figure(&Json::from(compact.strip_suffix(ending)?))?;
        (part.unit.is_empty() && part.number <= *whole).then_some(part.number / whole)
    });
    let number = share.or_else(|| match figure(&Json::from(&*said))? {
        NumberWithUnit { number, unit } if unit.is_empty() => Some(number),
        NumberWithUnit { number, unit } if unit == "%" => Some(number / 100.0),
        NumberWithUnit { .. } => None,
    });
    let text = match number {
        Some(number) => format!("{} was read as {number}", quoted(&said)),
        None => format!("{} is no number; the confidence stays absent", quoted(&said)),
    };
    note(notes, "confidence", text);
    number
}

pub(super) fn vote(
    value: &Json<'_>,
    answer: &JsonObject<'_>,
    notes: &mut Vec<TurnNote>,
) -> Option<Vote> {
    const BALLOTS: &[(&str, Ballot)] = &[
        ("accept", Ballot::Accept),
        ("accepted", Ballot::Accept),
        ("minor", Ballot::Minor),
        ("minoredits", Ballot::Minor),
        ("minorchanges", Ballot::Minor),
        ("blocker", Ballot::Blocker),
        ("block", Ballot::Blocker),
    ];
    const INSIDE: &[&str] = &["ballot", "vote", "value", "choice", "decision"];
    let (said, mut objection) = match value {
        Json::Object(object) => {
            (member(object, INSIDE).and_then(text), member(object, OBJECTION).and_then(text))
        }
        other => (text(other), None),
    };
    let said = said?;
    let mut ballot = word_of(&said, BALLOTS);
    if ballot.is_none() {
        // "BLOCKER: it leaks" is a vote with its objection.
        let end = said.find(|c: char| !c.is_alphanumeric()).unwrap_or(said.len());
        let (word, rest) = said.split_at_checked(end)?;
        ballot = word_of(word, BALLOTS);
        let rest = rest.trim_matches([':', '-', '–', '—', ',', '.', '(', ')', ' ']).trim();
        if ballot.is_some() {
            note(notes, "vote", format!("the vote was taken from {}", quoted(&said)));
            objection = objection
                .or(Some(rest.to_owned().into()).filter(|rest: &Cow<'_, str>| !rest.is_empty()));
        }
    }
    let Some(ballot) = ballot else {
        note(notes, "vote", format!("{} is none of ACCEPT, MINOR, BLOCKER", quoted(&said)));
        return None;
    };
    if !value.is_object() {
        let beside = member(answer, OBJECTION.get(..2).unwrap_or(OBJECTION)).and_then(text);
        objection = objection.or(beside);
    }
    Some(Vote { ballot, objection: objection.map(|text| shortened(&text, MAX_TEXT)) })
}

pub(super) fn choice(
    value: &Json<'_>,
    question: &Question,
    notes: &mut Vec<TurnNote>,
) -> Option<Choice> {
    const INSIDE: &[&str] = &["value", "answer", "option", "choice", "probability", "number"];
    let value = value.as_object().map_or(Some(value), |object| member(object, INSIDE))?;
    let said = match value {
        Json::Bool(true) => "true".into(),
        Json::Bool(false) => "false".into(),
        other => text(other)?,
    };
    let (chosen, wanted) = match question {
        Question::Open => {
            note(notes, "answer", "an answer was given where the question asks for none; ignored");
            return None;
        }
        Question::YesNo => (yes_or_no(&said).map(|word| Choice::Option(word.into())), "yes or no"),
        Question::Options { options } => {
            (option(&said, options).map(Choice::Option), "one of the options")
        }
        Question::Number { unit } => (
            number(value, unit.as_deref(), notes).map(Choice::Number),
            "a number in the unit asked for",
        ),
        Question::Probability => {
            (probability(value, notes).map(Choice::Probability), "a probability")
        }
    };
    if chosen.is_none() {
        note(notes, "answer", format!("{} is not {wanted}; no answer was read", quoted(&said)));
    }
    chosen
}

/// Yes or no, alone or as the first word of a sentence.
fn yes_or_no(said: &str) -> Option<&'static str> {
    const WORDS: &[(&str, &str)] = &[
        ("yes", "yes"),
        ("true", "yes"),
        ("ja", "yes"),
        ("oui", "yes"),
        ("sí", "yes"),
        ("no", "no"),
        ("false", "no"),
        ("nein", "no"),
        ("non", "no"),
    ];
    word_of(said, WORDS).or_else(|| {
        let first = said.trim().split(|c: char| !c.is_alphanumeric()).next()?;
        word_of(first, WORDS)
    })
}

/// Returns the option that is meant. Punctuation tells some apart (`C`, `C++`),
/// so the strictest comparison that finds one decides, and two matches count as
/// none.
fn option(said: &str, options: &[String]) -> Option<String> {
    const LEVELS: [fn(&str) -> String; 3] =
        [|text| text.trim().to_owned(), |text| text.trim().to_lowercase(), plain];
    let by_words = |said: &str| {
        LEVELS.iter().find_map(|level| {
            let said = level(said);
            let mut same =
                options.iter().filter(|option| !said.is_empty() && level(option) == said);
            same.next().filter(|_| same.next().is_none()).cloned()
        })
    };
    by_words(said)
        .or_else(|| {
            let (letter, rest) = lettered(said, options)?;
            by_words(rest).or_else(|| options.get(letter).cloned())
        })
        .or_else(|| mentioned(said, options))
}

/// The place of the option a text names by its letter (`B`, `(b)`, `B) …`,
/// `Option B`), and the words behind the letter.
fn lettered<'s>(said: &'s str, options: &[String]) -> Option<(usize, &'s str)> {
    if !crate::model::has_letters(options) {
        return None;
    }
    let text = said.trim();
    let lower = text.to_ascii_lowercase();
    let skipped = ["option ", "choice ", "answer "].iter().find(|word| lower.starts_with(**word));
    let text = text.get(skipped.map_or(0, |word| word.len())..)?;
    let text = text.trim_start_matches(['(', '[', ' ']);
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let rest = letters.as_str();
    let ends = rest.is_empty() || rest.starts_with([')', ']', '.', ':', ',', ';', ' ', '-', '–']);
    // "A cat" begins with an article, not with a letter.
    let spaced = rest.starts_with(' ') && !rest.trim_start().starts_with(['(', '-', '–', '=']);
    let place = (letter.to_ascii_uppercase() as usize).checked_sub('A' as usize)?;
    let fits = ends && !spaced && place < options.len();
    fits.then(|| (place, rest.trim_start_matches([')', ']', '.', ':', ',', ';', ' ', '-', '–'])))
}

/// The only option whose words stand in a text, as whole words.
fn mentioned(said: &str, options: &[String]) -> Option<String> {
    let words = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase())
    };
    let text = words(said);
    let mut found = options.iter().filter(|option| {
        let option = words(option);
        option.trim().len() > 1 && text.contains(&option)
    });
    found.next().filter(|_| found.next().is_none()).cloned()
}

fn number(value: &Json<'_>, unit: Option<&str>, notes: &mut Vec<TurnNote>) -> Option<f64> {
    const SCALES: &[(&str, f64)] =
        &[("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("trillion", 1e12)];
    // Could be a scale or a unit, so it is not interpreted.
    const UNCLEAR: [&str; 6] = ["k", "m", "mn", "b", "bn", "t"];
    let found = figure(value)?;
    let wanted = unit.map(plain).unwrap_or_default();
    let same = |rest: &str| {
        let rest = plain(rest);
        rest == wanted || rest.strip_suffix('s') == Some(wanted.as_str())
    };
    if found.unit.is_empty() || (unit.is_some() && found.unit == unit.unwrap_or_default()) {
        return Some(found.number);
    }
    let (word, rest) =
        found.unit.split_once(char::is_whitespace).unwrap_or((found.unit.as_str(), ""));
    if let Some(scale) = word_of(word, SCALES)
        && (rest.is_empty() || same(rest))
    {
        note(notes, "answer", format!("\"{word}\" was read as a factor of {scale}"));
        return Some(found.number * scale);
    }
    let fits = match unit {
        Some(_) => !plain(&found.unit).is_empty() && same(&found.unit),
        None => !UNCLEAR.contains(&plain(&found.unit).as_str()),
    };
    if fits && unit.is_none() {
        note(notes, "answer", format!("the unit {} was left out", quoted(&found.unit)));
    }
    fits.then_some(found.number)
}

/// Reads 0 to 1, or a percentage. Any other number is not brought into range:
/// that would be another answer.
fn probability(value: &Json<'_>, notes: &mut Vec<TurnNote>) -> Option<f64> {
    let found = figure(value)?;
    let percent = match found.unit.as_str() {
        "%" => true,
        "" => found.number > 1.0,
        _ => return None,
    };
    let number = if percent { found.number / 100.0 } else { found.number };
    let number = Some(number).filter(|number| (0.0..=1.0).contains(number))?;
    if percent {
        note(notes, "answer", format!("{} was read as a percentage: {number}", found.number));
    }
    Some(number)
}
