//! Remarks on how rounds and agreement went with the accuracy of decisions, in
//! words with their figures. Too few outcomes give no remark.

use super::Beta;
use super::counts::{AGENT_HALF_LIFE, DEFAULT_RELIABILITY};
use crate::model::JudgedDebate;

/// Outcomes that the usual accuracy is worth beside those that were judged.
const PROJECTED_COUNTS: f64 = 2.0;

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
    [
        missing_at_the_table(outcomes),
        rounds(outcomes),
        agreement(outcomes),
        projected(outcomes),
        efficiency(outcomes),
    ]
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

/// The accuracy that the next decision can be expected to have: recent outcomes
/// count more, and few outcomes say little.
fn projected(outcomes: &[&JudgedDebate]) -> Option<String> {
    let last = outcomes.iter().map(|one| one.on).max()?;
    if outcomes.len() < ENOUGH {
        return None;
    }
    let (mut good, mut all, mut plain) = (0.0, 0.0, 0.0);
    for one in outcomes {
        let left = 0.5_f64.powf(last.since(one.on) / AGENT_HALF_LIFE);
        good += left * one.accuracy;
        all += left;
        plain += one.accuracy;
    }
    let expected = Beta::centred(DEFAULT_RELIABILITY, PROJECTED_COUNTS).with(good, all - good);
    Some(format!(
        "Projected accuracy of the next decision: {:.2} ({:.2} to {:.2}); so far it was {:.2} over \
         {} outcomes.",
        expected.mean(),
        expected.quantile(0.05),
        expected.quantile(0.95),
        plain / outcomes.len() as f64,
        outcomes.len()
    ))
}

/// The tokens and rounds of a decision, and the accuracy they bought.
fn efficiency(outcomes: &[&JudgedDebate]) -> Option<String> {
    let counted: Vec<(&&JudgedDebate, u64)> =
        outcomes.iter().filter_map(|one| Some((one, one.tokens?))).collect();
    let tokens: u64 = counted.iter().map(|(_, tokens)| tokens).sum();
    if counted.len() < ENOUGH || tokens == 0 {
        return None;
    }
    let rounds: u32 = counted.iter().map(|(one, _)| one.rounds).sum();
    let right: f64 = counted.iter().map(|(one, _)| one.accuracy).sum();
    let debates = counted.len() as f64;
    Some(format!(
        "Efficiency: {:.1} rounds and {:.0} tokens a decision, {:.2} of accuracy for every 10,000 \
         tokens.",
        f64::from(rounds) / debates,
        tokens as f64 / debates,
        right / (tokens as f64 / 10_000.0)
    ))
}

fn mean(outcomes: &[&&JudgedDebate]) -> f64 {
    outcomes.iter().map(|one| one.accuracy).sum::<f64>() / outcomes.len() as f64
}
