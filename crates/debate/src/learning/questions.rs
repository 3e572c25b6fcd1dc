//! The questions that debates of a domain must answer, and the viewpoint they
//! should seat. A question earns its place by being asked for again or by
//! bringing up what mattered, and loses it by being asked to no avail.

use std::collections::BTreeMap;

use super::counts::{EVIDENCE_HALF_LIFE, Posterior, QuestionCounts, fading};
use crate::model::{
    Day, JudgedDebate, PerspectiveLearned, QuestionLearned, QuestionPriority, QuestionState,
};
use crate::sorting::SortRows;

/// A question without outcomes is as likely to help as not; this start is worth
/// few outcomes.
const START: f64 = 0.5;
const PSEUDO: f64 = 4.0;
const HIGH: f64 = 0.70;
const MEDIUM: f64 = 0.50;
/// Below this a question is no longer asked.
const RETIRED: f64 = 0.35;
/// Effective outcomes from which a missing viewpoint has this priority.
const OFTEN_MISSED: f64 = 2.5;
const AGAIN_MISSED: f64 = 1.5;

/// Returns a question without the differences that do not make it another: case,
/// spacing, the mark.
pub(super) fn plain(question: &str) -> String {
    let words: Vec<String> = question.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// Adds what one outcome says to the questions of its domain.
pub(super) fn take(questions: &mut BTreeMap<String, QuestionCounts>, judged: &JudgedDebate) {
    let weight = judged.origin.weight();
    for question in &judged.asked_for {
        let counts = of(questions, question);
        counts.words = question.clone();
        counts.asked_for += 1;
        counts.add(judged.on, weight, 0.0);
    }
    for asked in &judged.questions {
        let counts = of(questions, &asked.question);
        if counts.words.is_empty() {
            counts.words = asked.question.clone();
        }
        if asked.surfaced {
            counts.surfaced += 1;
            counts.add(judged.on, weight, 0.0);
        } else {
            counts.idle += 1;
            counts.add(judged.on, 0.0, weight);
        }
    }
}

fn of<'a>(
    questions: &'a mut BTreeMap<String, QuestionCounts>,
    question: &str,
) -> &'a mut QuestionCounts {
    questions.entry(plain(question)).or_default()
}

pub(super) fn posterior(counts: &QuestionCounts, day: Day) -> Posterior {
    Posterior::from(START, PSEUDO, counts.running.on(day, EVIDENCE_HALF_LIFE))
}

/// The questions of one domain, the most effective first.
pub(super) fn questions(
    counted: Option<&BTreeMap<String, QuestionCounts>>,
    today: Day,
) -> Vec<QuestionLearned> {
    let mut learned: Vec<QuestionLearned> = counted
        .into_iter()
        .flat_map(BTreeMap::values)
        .map(|counts| {
            let effectiveness = posterior(counts, today).estimate();
            QuestionLearned {
                question: counts.words.clone(),
                priority: match effectiveness.mean {
                    mean if mean >= HIGH => QuestionPriority::High,
                    mean if mean >= MEDIUM => QuestionPriority::Medium,
                    _ => QuestionPriority::Low,
                },
                state: if effectiveness.mean < RETIRED {
                    QuestionState::Retired
                } else {
                    QuestionState::Required
                },
                effectiveness,
                asked_for: counts.asked_for,
                surfaced: counts.surfaced,
                idle: counts.idle,
            }
        })
        .collect();
    learned.sort_rows_by(|a, b| {
        let order = b.effectiveness.mean.total_cmp(&a.effectiveness.mean);
        order.then(b.asked_for.cmp(&a.asked_for)).then_with(|| a.question.cmp(&b.question))
    });
    learned
}

/// Viewpoints that outcomes of one domain found missing, most often first.
pub(super) fn perspectives(outcomes: &[&JudgedDebate], today: Day) -> Vec<PerspectiveLearned> {
    let mut missed: BTreeMap<String, (String, u32, f64)> = BTreeMap::new();
    for judged in outcomes {
        let left = fading(today.since(judged.on), EVIDENCE_HALF_LIFE) * judged.origin.weight();
        for name in &judged.perspectives {
            let counts = missed.entry(plain(name)).or_insert((name.clone(), 0, 0.0));
            counts.1 += 1;
            counts.2 += left;
        }
    }
    let mut rows: Vec<(String, u32, f64)> = missed.into_values().collect();
    rows.sort_rows_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    rows.into_iter()
        .map(|(name, times, effective)| PerspectiveLearned {
            name,
            missed: times,
            of: super::count(outcomes.len()),
            priority: match effective {
                effective if effective >= OFTEN_MISSED => QuestionPriority::High,
                effective if effective >= AGAIN_MISSED => QuestionPriority::Medium,
                _ => QuestionPriority::Low,
            },
        })
        .collect()
}
