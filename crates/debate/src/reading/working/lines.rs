//! The closing lines of a working (`Answer: …`, `Confidence: …`, `Vote: …`),
//! found however a model dresses them up. The last line that can be read
//! counts; a line that cannot be read is no answer.

use crate::model::{Choice, Question, Vote};

use super::values::{cannot_say, choice_in, cleaned, confidence_in, vote_in};

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

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
    let mut pieces = Vec::new();
    body.lines().for_each(|line| cut_into_pieces(line, &mut pieces));
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
        confidence: values(LineLabel::Confidence)
            .find_map(|value| confidence_in(&value))
            .or_else(|| sure(pieces)),
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
        .or_else(|| called_right(pieces, question))
        .or_else(|| boxed(body).and_then(|inner| choice_in(inner, question)))
        .or_else(|| marked(pieces).and_then(|value| choice_in(value, question)))
        .or_else(|| bold(body).find_map(|span| bold_choice(span, question)))
        .or_else(|| concluded(pieces, question));
    said
}

/// Cuts a line into its closing lines, where several were written on one.
fn cut_into_pieces<'t>(line: &'t str, pieces: &mut Vec<&'t str>) {
    let mut cuts = Vec::new();
    // One sign is found in many bytes at a time, one of two in each character. The cuts are
    // sorted below.
    for (colon, _) in line.match_indices(':').chain(line.match_indices('：')) {
        let head = line.get(..colon).unwrap_or("").trim_end_matches(['*', '_', ' ']);
        let labels = LABELS.iter().filter(|(word, _)| ends_with(head, word));
        cuts.extend(labels.map(|(word, _)| head.len() - word.len()).filter(|at| {
            let before = line.get(..*at).unwrap_or("");
            let begins = before.ends_with(|c: char| !c.is_alphanumeric());
            // "Final answer:" is one label, and is not cut in two.
            let alone = !BEFORE.iter().any(|word| ends_with(before, word));
            begins && alone && before.chars().any(char::is_alphanumeric)
        }));
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut from = 0;
    // No label begins a line that something stands before, so no cut is at its start.
    for to in cuts.into_iter().chain([line.len()]) {
        pieces.extend(line.get(from..to));
        from = to;
    }
}

fn ends_with(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|from| text.get(from..));
    tail.is_some_and(|tail| is_word(tail, word))
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| is_word(head, word))
}

/// Returns whether a text is a word that is written in lower case, in any case.
fn is_word(text: &str, word: &str) -> bool {
    if text.is_ascii() { text.eq_ignore_ascii_case(word) } else { text.to_lowercase() == word }
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

/// The words after which a sentence gives its answer.
const GIVEN_AFTER: &[&str] = &[
    "answer is",
    "answer would be",
    "answer should be",
    "answer must be",
    "correct option is",
    "right option is",
    "best option is",
    "correct choice is",
    "right choice is",
    "best choice is",
];

/// The value of the last "the answer is …" inside a sentence.
fn stated(pieces: &[&str], question: &Question) -> Option<Choice> {
    pieces.iter().rev().find_map(|piece| {
        let lower = piece.to_ascii_lowercase();
        let ends = GIVEN_AFTER.iter().filter_map(|given| Some(lower.rfind(given)? + given.len()));
        let value = piece.get(ends.max()?..)?.trim_start_matches([':', ' ', '*']);
        choice_in(value, question)
    })
}

/// Lines from the end in which an option may be called the right one, or a
/// conclusion drawn: before them every option may be talked about.
const AT_THE_END: usize = 3;

/// The words that call what stands before them right.
const CALLED_RIGHT: &[&str] =
    &[" is the correct ", " is the right ", " is the best ", " is correct", " is right"];

/// The last lines that say something.
fn last_lines<'p>(pieces: &'p [&'p str]) -> impl Iterator<Item = &'p str> {
    let said = |piece: &&&str| piece.chars().any(char::is_alphanumeric);
    pieces.iter().rev().filter(said).take(AT_THE_END).copied()
}

/// "Option B is the correct answer".
fn called_right(pieces: &[&str], question: &Question) -> Option<Choice> {
    if !matches!(question, Question::Options { .. }) {
        return None;
    }
    last_lines(pieces).find_map(|piece| {
        let lower = piece.to_ascii_lowercase();
        let at = CALLED_RIGHT.iter().filter_map(|words| lower.find(words)).min()?;
        let before = piece.get(..at)?.rsplit(['.', ',', ';']).next()?.trim();
        let opened = |word: &&&str| starts_with(before, word);
        let skipped = ["so ", "thus ", "therefore ", "hence "].iter().find(opened);
        choice_in(before.get(skipped.map_or(0, |word| word.len())..)?, question)
    })
}

/// Words with which a conclusion begins.
const CONCLUDING: &[&str] = &["so", "thus", "therefore", "hence", "in total", "altogether"];

/// The figure of a conclusion that holds only one.
fn concluded(pieces: &[&str], question: &Question) -> Option<Choice> {
    if !matches!(question, Question::Number { .. }) {
        return None;
    }
    let line = last_lines(pieces).find(|line| labelled(line).is_none())?;
    let line = line.trim_start_matches(DRESS);
    let begins = |word: &&&str| {
        starts_with(line, word)
            && line.get(word.len()..).is_some_and(|rest| rest.starts_with([',', ' ', ':']))
    };
    CONCLUDING.iter().find(begins)?;
    let figures = line.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    let alone = figures.filter(|part| part.chars().any(|c| c.is_ascii_digit())).count() == 1;
    alone.then(|| choice_in(line, question)).flatten()
}

/// "I am 90 % confident" near the end.
fn sure(pieces: &[&str]) -> Option<f64> {
    last_lines(pieces).find_map(|piece| {
        let lower = piece.to_ascii_lowercase();
        let at =
            ["confident", "certain", "sure"].iter().filter_map(|word| lower.find(word)).min()?;
        let before = lower.get(..at)?.trim_end();
        let share = before.strip_suffix('%').or_else(|| before.strip_suffix("percent"))?.trim_end();
        let from = share.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |at| at + 1);
        confidence_in(&format!("{}%", share.get(from..)?))
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
