//! Answers that come in two parts: the working in free words, and the record of
//! its fields. The working's own closing lines stand against the record, and a
//! field that neither of them holds is named so that it can be asked for.

mod lines;
mod person;
#[cfg(test)]
mod tests;
mod values;

use crate::model::{Answer, CountedField, Question};

pub use person::read_person;

use super::json;
use super::values::{first_sentence, note, shortened};
use super::{
    AnswerDraft, ExpectedAnswer, MAX_POSITION, MAX_REASONING, Reading, RepairChance, fields, finish,
};
use super::{validators, working::lines::ClosingLines};

/// What there is of an answer that came in parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerTexts<'a> {
    pub working: &'a str,
    /// The record, where one came.
    pub record: Option<&'a str>,
    /// The reply to a request for the fields that were missing.
    pub added: Option<&'a str>,
}

/// Reports whether a reply is a record (a JSON object with an answer's fields)
/// rather than free words.
pub fn is_record(raw: &str) -> bool {
    let body = json::without_thoughts(raw).trim_start();
    let opens = body.starts_with('{') || body.starts_with("```");
    opens && json::find(raw, &fields::ANSWER).is_some()
}

/// Reads an answer from its parts.
pub fn read_parts(
    texts: AnswerTexts<'_>,
    expected: &ExpectedAnswer<'_>,
    chance: RepairChance,
) -> Reading {
    let mut draft = AnswerDraft {
        answer: Answer::default(),
        notes: Vec::new(),
        problems: Vec::new(),
        stance_forced: false,
        chance,
    };
    let recorded = texts.record.is_some_and(|record| take_record(&mut draft, record, expected));
    let body = json::without_thoughts(texts.working);
    if body.chars().any(char::is_alphanumeric) {
        draft.answer.reasoning = shortened(body.trim(), MAX_REASONING);
    }
    let said = lines::closing_lines(body, expected.question);
    let spoke = said.is_any();
    let stands = take_lines(&mut draft, said);
    if let Some(added) = texts.added {
        take_added(&mut draft, added, expected);
    }
    if draft.answer.position.is_empty() {
        draft.answer.position = conclusion(body);
    }
    for (_, validate) in validators::VALIDATORS {
        validate(&mut draft, expected);
    }
    if !recorded {
        // Nothing but the working was asked for, so nothing else is missed.
        draft.notes.retain(|note| note.check != "required");
        draft.answer.unstructured = !spoke && texts.added.is_none();
    }
    draft.notes.extend(stands);
    let missing = missing(&draft, expected);
    draft.problems.clear();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|field| field.word()).collect();
        draft.problems.push(format!("It does not say: {}.", names.join(", ")));
    }
    Reading { missing, ..finish(draft) }
}

fn take_record(draft: &mut AnswerDraft, record: &str, expected: &ExpectedAnswer<'_>) -> bool {
    let Some(found) = json::find(record, &fields::ANSWER) else {
        note(&mut draft.notes, "json", "the record could not be read; the working stands alone");
        return false;
    };
    for repair in found.repairs {
        note(&mut draft.notes, "json", repair.sentence());
    }
    fields::fill(draft, &found.value, expected);
    true
}

/// Puts the closing lines over the record. Returns a note for each difference.
fn take_lines(draft: &mut AnswerDraft, said: ClosingLines) -> Vec<crate::model::TurnNote> {
    let mut notes = Vec::new();
    let answer = &mut draft.answer;
    let told = |notes: &mut Vec<_>, check: &str| {
        note(notes, check, "the record says otherwise; the working's own line stands");
    };
    if said.answer.is_some() || said.cannot_say.is_some() {
        let recorded = answer.answer.is_some() || answer.cannot_say.is_some();
        if recorded && answer.answer != said.answer {
            told(&mut notes, "answer");
        }
        draft.notes.retain(|note| note.check != "answer");
        answer.answer = said.answer;
        answer.cannot_say = said.cannot_say;
    }
    if let Some(confidence) = said.confidence {
        if answer.confidence.is_some_and(|recorded| (recorded - confidence).abs() > 1e-9) {
            told(&mut notes, "confidence");
        }
        draft.notes.retain(|note| note.check != "confidence");
        answer.confidence = Some(confidence);
    }
    if let Some(vote) = said.vote {
        if answer.vote.as_ref().is_some_and(|recorded| recorded.ballot != vote.ballot) {
            told(&mut notes, "vote");
        }
        draft.notes.retain(|note| note.check != "vote");
        // A record of the same vote may say more about the objection.
        let same = answer.vote.take().filter(|recorded| recorded.ballot == vote.ballot);
        let objection = vote.objection.or(same.and_then(|recorded| recorded.objection));
        answer.vote = Some(crate::model::Vote { ballot: vote.ballot, objection });
    }
    notes
}

/// Fills what is still missing from the reply that was asked for it.
fn take_added(draft: &mut AnswerDraft, added: &str, expected: &ExpectedAnswer<'_>) {
    let mut other = AnswerDraft {
        answer: Answer::default(),
        notes: Vec::new(),
        problems: Vec::new(),
        stance_forced: false,
        chance: RepairChance::Last,
    };
    match json::find(added, &fields::ANSWER) {
        Some(found) => fields::fill(&mut other, &found.value, expected),
        None => {
            let said = lines::closing_lines(json::without_thoughts(added), expected.question);
            take_lines(&mut other, said);
        }
    }
    let (answer, mut more) = (&mut draft.answer, other.answer);
    // It was asked for in per cent; from 0 to 1 it is a share all the same.
    more.confidence = more.confidence.map(|stated| match stated {
        1.0..=100.0 if stated > 1.0 => stated / 100.0,
        share => share,
    });
    let mut filled = Vec::new();
    if answer.answer.is_none() && answer.cannot_say.is_none() {
        answer.answer = more.answer;
        answer.cannot_say = more.cannot_say;
        filled.push("answer");
    }
    if answer.confidence.is_none() {
        answer.confidence = more.confidence;
        filled.push("confidence");
    }
    if answer.vote.is_none() {
        answer.vote = more.vote;
        filled.push("vote");
    }
    if answer.stance.is_none() || answer.stance != expected.stance {
        answer.stance = more.stance.or(answer.stance);
        filled.push("stance");
    }
    draft.notes.retain(|note| !filled.contains(&note.check.as_str()));
    draft.notes.extend(other.notes.into_iter().filter(|n| filled.contains(&n.check.as_str())));
}

/// The fields that the engine counts and that were not said.
fn missing(draft: &AnswerDraft, expected: &ExpectedAnswer<'_>) -> Vec<CountedField> {
    let answer = &draft.answer;
    let closed = !matches!(expected.question, Question::Open);
    let rows = [
        (CountedField::Answer, closed && answer.answer.is_none() && answer.cannot_say.is_none()),
        (CountedField::Stance, expected.stance.is_some() && answer.stance != expected.stance),
        (CountedField::Vote, expected.vote && answer.vote.is_none()),
        (CountedField::Confidence, answer.confidence.is_none()),
    ];
    rows.into_iter().filter(|(_, lacks)| *lacks).map(|(field, _)| field).collect()
}

/// The sentence a working leads to: the first of its last paragraph that is more
/// than a closing line.
fn conclusion(body: &str) -> String {
    let wordy = |part: &&str| {
        let mut lines = part.lines().filter(|line| !line.trim().is_empty());
        lines.any(|line| !lines::is_closing(line))
    };
    let paragraph = body.split("\n\n").filter(wordy).last().unwrap_or(body);
    let lines: Vec<&str> = paragraph.lines().filter(|line| !lines::is_closing(line)).collect();
    let position = first_sentence(&lines.join("\n"), MAX_POSITION);
    if position.is_empty() { first_sentence(body, MAX_POSITION) } else { position }
}
