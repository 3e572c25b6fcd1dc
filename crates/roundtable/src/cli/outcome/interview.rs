//! The post-mortem by question and answer. What is typed is only taken down; it
//! is checked where a file is checked. An empty line leaves a thing out.

use std::io::BufRead;

use debate::model::{
    Day, EvidenceType, FindingForm, LessonForm, OutcomeForm, QuestionFinding, Room, Validation,
};

use crate::document::escape::clean_line;
use engine::error::EngineError;

/// Shows a question to the person.
type AskPerson<'a> = dyn FnMut(&str) + 'a;

/// Goes on only if an earlier post-mortem may be replaced.
pub fn replace(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
    on: Day,
) -> Result<(), EngineError> {
    let question = format!("This decision was judged on {on}. Replace that? [y/N]");
    if yes(&said(lines, ask, &question)?) {
        Ok(())
    } else {
        Err(EngineError::input("nothing was changed"))
    }
}

pub fn interview(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
    room: &Room,
) -> Result<OutcomeForm, EngineError> {
    let verdict = room.verdict.as_ref();
    ask(&format!("Topic: {}", clean_line(&room.brief.topic)));
    let decision = verdict.map_or("", |verdict| &verdict.decision.answer);
    ask(&format!("Decision: {}", clean_line(decision)));
    ask("An empty line leaves a thing out. Nothing is stored before the end.");
    let decision_accuracy = accuracy(lines, ask)?;
    let answers = verdict.map_or(&[][..], |verdict| &verdict.evidence.weighing.answers);
    for (answer, number) in answers.iter().zip(1..) {
        ask(&format!("  {number}. {}", clean_line(&answer.answer)));
    }
    let right_answer =
        some(said(lines, ask, "Which answer turned out right (number, words, or none)?")?);
    let what_went_right = findings(lines, ask, "What went right")?;
    let what_went_wrong = findings(lines, ask, "What went wrong")?;
    let mut questions = Vec::new();
    for question in &room.brief.required_questions {
        let asked = format!("Did asking “{}” bring up what mattered? [y/n]", clean_line(question));
        let answer = said(lines, ask, &asked)?;
        if !answer.is_empty() {
            questions.push(QuestionFinding { question: question.clone(), surfaced: yes(&answer) });
        }
    }
    Ok(OutcomeForm {
        decision_accuracy,
        right_answer,
        what_went_right,
        what_went_wrong,
        questions,
        lessons: lessons(lines, ask)?,
        summary: said(lines, ask, "In two sentences, how did it turn out?")?,
        human_override: some(said(lines, ask, "If somebody decided otherwise, what?")?),
        ..OutcomeForm::default()
    })
}

fn accuracy(lines: &mut dyn BufRead, ask: &mut AskPerson<'_>) -> Result<Option<f64>, EngineError> {
    loop {
        let text = said(lines, ask, "How right was the decision, 0 (wrong) to 1 (right)?")?;
        match text.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => return Ok(Some(share)),
            _ => ask("A number from 0 to 1, such as 0.75."),
        }
    }
}

fn findings(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
    what: &str,
) -> Result<Vec<FindingForm>, EngineError> {
    let kinds = EvidenceType::ALL.map(EvidenceType::word);
    let words: Vec<&str> = Validation::ALL.iter().map(|one| one.word()).collect();
    let mut findings = Vec::new();
    loop {
        let aspect = said(lines, ask, &format!("{what}, in a few words?"))?;
        if aspect.is_empty() {
            return Ok(findings);
        }
        let kind = one_of(lines, ask, "  What had that rested on", &kinds)?;
        // How it turned out can be said only of a kind, and must be said of one.
        let mut validation = None;
        while kind.is_some() && validation.is_none() {
            validation = one_of(lines, ask, "  It turned out", &words)?;
        }
        let note = said(lines, ask, "  Anything more?")?;
        findings.push(FindingForm { aspect, evidence_type: kind, validation, note });
    }
}

/// One of these words, or nothing; asked until it is: a word that nobody knows would
/// be refused only at the end, with all that was said after it.
fn one_of(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
    question: &str,
    words: &[&str],
) -> Result<Option<String>, EngineError> {
    let all = words.join(", ");
    loop {
        let word = said(lines, ask, &format!("{question} ({all})?"))?.replace([' ', '-'], "_");
        if word.is_empty() || words.iter().any(|known| known.eq_ignore_ascii_case(&word)) {
            return Ok(some(word));
        }
        ask(&format!("  One of these words, or nothing: {all}."));
    }
}

fn lessons(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
) -> Result<Vec<LessonForm>, EngineError> {
    let mut lessons = Vec::new();
    loop {
        let lesson = said(lines, ask, "A lesson?")?;
        if lesson.is_empty() {
            return Ok(lessons);
        }
        lessons.push(LessonForm {
            lesson,
            action: said(lines, ask, "  What is to be done?")?,
            expected_effect: said(lines, ask, "  What will that change?")?,
            question: some(said(lines, ask, "  A question later debates should have to answer?")?),
            perspective: some(said(lines, ask, "  A viewpoint that was missing at the table?")?),
        });
    }
}

fn said(
    lines: &mut dyn BufRead,
    ask: &mut AskPerson<'_>,
    question: &str,
) -> Result<String, EngineError> {
    ask(question);
    let mut line = String::new();
    match lines.read_line(&mut line) {
        Ok(0) => Err(EngineError::input("the answers ended early; nothing was stored")),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(EngineError::input(format!("cannot read your answer: {error}"))),
    }
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn yes(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
#[path = "interview_tests.rs"]
mod tests;
