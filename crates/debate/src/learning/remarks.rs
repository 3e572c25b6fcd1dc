//! Remarks on how rounds and agreement went with the accuracy of decisions, in
//! words with their figures. Too few outcomes give no remark.

use crate::model::JudgedDebate;

/// Decisions below this accuracy had gaps.
const GOOD: f64 = 0.8;
/// Agreement from which the table counts as agreed.
const AGREED: f64 = 0.7;
/// Comparing means of fewer debates would be guessing.
const ENOUGH: usize = 3;
const MANY_ROUNDS: u32 = 3;
/// A difference of means below this is none.
const DIFFERENCE: f64 = 0.05;

pub(super) fn remarks(outcomes: &[&JudgedDebate]) -> Vec<String> {
    [missing_at_the_table(outcomes), rounds(outcomes), agreement(outcomes)]
        .into_iter()
        .flatten()
        .collect()
}

/// Remarks on agreement that missed something a further viewpoint could have
/// brought.
fn missing_at_the_table(outcomes: &[&JudgedDebate]) -> Option<String> {
    let agreed_with_gaps = |one: &&&JudgedDebate| {
        one.accuracy < GOOD && one.agreement.is_some_and(|agreement| agreement >= AGREED)
    };
    let found: Vec<&&JudgedDebate> = outcomes.iter().filter(agreed_with_gaps).collect();
    let lacking =
        found.iter().filter(|one| !one.perspectives.is_empty() || !one.asked_for.is_empty());
    let lacking = lacking.count();
    (lacking > 0).then(|| {
        format!(
            "In {lacking} of {} debates that agreed and still had gaps, what was missing was a \
             question or a viewpoint: seat it rather than hold more rounds.",
            found.len()
        )
    })
}

fn rounds(outcomes: &[&JudgedDebate]) -> Option<String> {
    let (many, few): (Vec<&&JudgedDebate>, Vec<&&JudgedDebate>) =
        outcomes.iter().partition(|one| one.rounds >= MANY_ROUNDS);
    if many.len() < ENOUGH || few.len() < ENOUGH {
        return None;
    }
    let (long, short) = (mean(&many), mean(&few));
    let verdict = match long - short {
        gain if gain > DIFFERENCE => "went with better decisions",
        gain if gain < -DIFFERENCE => "went with worse decisions (harder questions may need more)",
        _ => "made no difference that can be seen",
    };
    Some(format!(
        "Three rounds or more {verdict}: accuracy {long:.2} over {} debates, {short:.2} over {} \
         shorter ones.",
        many.len(),
        few.len()
    ))
}

/// Remarks on the accuracy of decisions with high agreement.
fn agreement(outcomes: &[&JudgedDebate]) -> Option<String> {
    let known = outcomes.iter().filter(|one| one.agreement.is_some());
    let (agreed, split): (Vec<&&JudgedDebate>, Vec<&&JudgedDebate>) =
        known.partition(|one| one.agreement.is_some_and(|agreement| agreement >= AGREED));
    if agreed.len() < ENOUGH || split.len() < ENOUGH {
        return None;
    }
    let (together, apart) = (mean(&agreed), mean(&split));
    let word = if together - apart > DIFFERENCE { "a" } else { "no" };
    Some(format!(
        "Agreement was {word} sign of being right: accuracy {together:.2} over {} debates that \
         agreed, {apart:.2} over {} that did not.",
        agreed.len(),
        split.len()
    ))
}

fn mean(outcomes: &[&&JudgedDebate]) -> f64 {
    outcomes.iter().map(|one| one.accuracy).sum::<f64>() / outcomes.len() as f64
}
