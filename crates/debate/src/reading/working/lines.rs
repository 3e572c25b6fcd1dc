//! The closing lines of a working (`Answer: …`, `Confidence: …`, `Vote: …`),
//! found however a model dresses them up. The last line that can be read
//! counts; a line that cannot be read is no answer.

use crate::model::{Choice, Question, Vote};

use super::values::{cannot_say, choice_in, cleaned, confidence_in, vote_in};

/// What the closing lines say.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClosingLines {
    pub answer: Option<Choice>,
    pub cannot_say: Option<String>,
    pub confidence: Option<f64>,
    pub vote: Option<Vote>,
}

impl ClosingLines {
    pub fn is_any(&self) -> bool {
        *self != ClosingLines::default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineLabel {
    Answer,
    Confidence,
    Vote,
}

/// The words a closing line begins with.
const LABELS: &[(&str, LineLabel)] = &[
    ("answer", LineLabel::Answer),
    ("antwort", LineLabel::Answer),
    ("réponse", LineLabel::Answer),
    ("respuesta", LineLabel::Answer),
    ("confidence", LineLabel::Confidence),
    ("konfidenz", LineLabel::Confidence),
    ("zuversicht", LineLabel::Confidence),
    ("confiance", LineLabel::Confidence),
    ("confianza", LineLabel::Confidence),
    ("vote", LineLabel::Vote),
    ("ballot", LineLabel::Vote),
    ("votum", LineLabel::Vote),
];

/// Words that may stand before the label.
const BEFORE: &[&str] = &[
    "the ",
    "my ",
    "our ",
    "i ",
    "so ",
    "so, ",
    "thus ",
    "thus, ",
    "therefore ",
    "therefore, ",
    "hence ",
    "hence, ",
    "final ",
    "correct ",
    "overall ",
    "stated ",
    "right ",
    "best ",
    "meine ",
    "die ",
    "endgültige ",
];

/// Words that may stand between the label and its value.
const BETWEEN: &[&str] = &["level", "score", "rating", "choice", "option", "value"];

/// Signs a model puts around a line.
const DRESS: [char; 9] = ['#', '*', '_', '>', '•', '`', '|', ' ', '\t'];

/// Longest line without a separator that is read as a closing line.
const SHORT: usize = 60;
/// Lines from the end in which closing lines are looked for.
const LOOKED_AT: usize = 400;

/// Returns whether a line is one of the closing lines.
pub(super) fn is_closing(line: &str) -> bool {
    labelled(line).is_some()
}

pub(super) fn closing_lines(body: &str, question: &Question) -> ClosingLines {
    let pieces: Vec<&str> = body.lines().flat_map(pieces).collect();
    let from = pieces.len().saturating_sub(LOOKED_AT);
    let pieces = pieces.get(from..).unwrap_or(&[]);
    let values = |wanted: LineLabel| {
        pieces.iter().enumerate().rev().filter_map(move |(at, piece)| {
            let (label, value) = labelled(piece).filter(|(label, _)| *label == wanted)?;
            debug_assert_eq!(label, wanted);
            if !cleaned(value).is_empty() {
                return Some(value.to_owned());
            }
            // The value may stand on the next line that holds anything.
            let mut below = pieces.iter().skip(at + 1).filter(|line| !line.trim().is_empty());
            below.next().filter(|line| labelled(line).is_none()).map(|line| (*line).to_owned())
        })
    };
    let mut said = ClosingLines {
        confidence: values(LineLabel::Confidence).find_map(|value| confidence_in(&value)),
        vote: values(LineLabel::Vote).find_map(|value| vote_in(&value)),
        ..ClosingLines::default()
    };
    if matches!(question, Question::Open) {
        return said;
    }
    for value in values(LineLabel::Answer) {
        if let Some(choice) = choice_in(&value, question) {
            said.answer = Some(choice);
            return said;
        }
        if let Some(reason) = cannot_say(&value) {
            said.cannot_say = Some(reason);
            return said;
        }
    }
    said.answer = stated(pieces, question)
        .or_else(|| boxed(body).and_then(|inner| choice_in(inner, question)))
        .or_else(|| marked(pieces).and_then(|value| choice_in(value, question)))
        .or_else(|| bold(body).find_map(|span| bold_choice(span, question)));
    said
}

/// A line as its closing lines, where several were written on one.
fn pieces(line: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    for (word, _) in LABELS {
        for (at, _) in line.char_indices() {
            let Some(rest) = line.get(at..) else { continue };
            let fits = starts_with(rest, word)
                && rest.get(word.len()..).is_some_and(|after| {
                    after.trim_start_matches(['*', '_', ' ']).starts_with([':', '：'])
                });
            let before = line.get(..at).unwrap_or("");
            let begins = before.ends_with(|c: char| !c.is_alphanumeric());
            // "Final answer:" is one label, and is not cut in two.
            let alone = !ends_in_word(before, BEFORE);
            if fits && begins && alone && before.chars().any(char::is_alphanumeric) {
                cuts.push(at);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let ends = cuts.iter().skip(1).copied().chain([line.len()]);
    cuts.iter().zip(ends).filter_map(|(from, to)| line.get(*from..to)).collect()
}

fn ends_in_word(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.ends_with(word))
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.to_lowercase() == word)
}

/// The label a line begins with, and what follows it.
fn labelled(line: &str) -> Option<(LineLabel, &str)> {
    let whole = line.trim_start_matches(DRESS).trim_start_matches("- ").trim_start_matches(DRESS);
    let mut rest = whole;
    while let Some(word) = BEFORE.iter().find(|word| starts_with(rest, word)) {
        rest = rest.get(word.len()..)?;
    }
    let (word, label) = LABELS.iter().find(|(word, _)| starts_with(rest, word))?;
    rest = rest.get(word.len()..)?;
    if rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    rest = rest.trim_start_matches(DRESS);
    if let Some(word) = BETWEEN.iter().find(|word| starts_with(rest, word)) {
        rest = rest.get(word.len()..)?.trim_start_matches(DRESS);
    }
    if let Some(inside) = rest.strip_prefix('(')
        && let Some((_, after)) = inside.split_once(')')
        && after.trim_start_matches(DRESS).starts_with([':', '=', '：'])
    {
        rest = after.trim_start_matches(DRESS);
    }
    let is = ["is ", "is: ", "is:", "would be ", "ist ", "est ", "es "];
    let separated = rest
        .strip_prefix([':', '=', '：', '–', '—'])
        .or_else(|| rest.strip_prefix("- "))
        .or_else(|| is.iter().find(|is| starts_with(rest, is)).and_then(|is| rest.get(is.len()..)));
    match separated {
        Some(value) => Some((*label, value)),
        None if whole.chars().count() <= SHORT => Some((*label, rest)),
        None => None,
    }
}

/// The value of the last "the answer is …" inside a sentence.
fn stated(pieces: &[&str], question: &Question) -> Option<Choice> {
    pieces.iter().rev().find_map(|piece| {
        let lower = piece.to_ascii_lowercase();
        let at = lower.rfind("answer is")? + "answer is".len();
        let value = piece.get(at..)?.trim_start_matches([':', ' ', '*']);
        choice_in(value, question)
    })
}

/// The inside of the last `\boxed{…}`.
fn boxed(body: &str) -> Option<&str> {
    let inside = body.rsplit_once("boxed{")?.1;
    let mut depth = 1_usize;
    let end = inside.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    inside.get(..end.0)
}

/// The value of a last line that begins with `####`.
fn marked<'p>(pieces: &[&'p str]) -> Option<&'p str> {
    pieces.iter().rev().find_map(|piece| piece.trim().strip_prefix("####"))
}

/// Bold spans, the last one first.
fn bold(body: &str) -> impl Iterator<Item = &str> {
    let mut parts: Vec<&str> = body.split("**").collect();
    // Between an opening and a closing mark lies every second part.
    if parts.len().is_multiple_of(2) {
        parts.pop();
    }
    let inside: Vec<&str> = parts.into_iter().skip(1).step_by(2).collect();
    inside.into_iter().rev()
}

/// A bold span that is a value and nothing but a value.
fn bold_choice(span: &str, question: &Question) -> Option<Choice> {
    let few = span.split_whitespace().count() <= 3;
    let figure = span.chars().any(|c| c.is_ascii_digit());
    let fits = match question {
        Question::Number { .. } | Question::Probability => figure && few,
        Question::YesNo => few,
        Question::Options { .. } => true,
        Question::Open => false,
    };
    fits.then(|| choice_in(span, question)).flatten()
}
