//! Reads the evaluator's judgement of an answer and the clerk's rating of a
//! topic. A judgement that cannot be read is refused: an answer is never let
//! through, or kept out, by a guess.

use super::clerk::{score, strings};
use super::json::{JsonShape, find};
use super::values::{figure, member, text, word_of};
use crate::model::{
    ComplexityFigures, ComplexityRating, HarmKind, Horizon, Impact, Judgement, clip,
};

const REASONS: &[&str] = &["reasons", "reason", "explanation"];
const JUDGEMENT: &[&str] = &["judgement", "judgment", "verdict", "decision", "action"];
const QUOTES: &[&str] = &["quote", "quotes", "passage", "passages"];
const MAX_REASONS: usize = 5;
const REASON_TOKENS: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadJudgement {
    pub judgement: Judgement,
    pub reasons: Vec<String>,
    /// The harm it finds; absent where it names none of the known kinds.
    pub harm: Option<HarmKind>,
    /// The passages it says do harm.
    pub quotes: Vec<String>,
}

/// The error gives the reason why the reply cannot be used.
pub fn read_judgement(raw: &str) -> Result<ReadJudgement, String> {
    const SHAPE: JsonShape = JsonShape {
        opens: &['{'],
        score: |value, _| score(value, &[JUDGEMENT, REASONS]),
        keeps_cut: |_| false,
    };
    const WORDS: &[(&str, Judgement)] = &[
        ("allow", Judgement::Allow),
        ("allowed", Judgement::Allow),
        ("revise", Judgement::Revise),
        ("revision", Judgement::Revise),
        ("block", Judgement::Block),
        ("blocked", Judgement::Block),
    ];
    let found = find(raw, &SHAPE);
    let object = found.as_ref().and_then(|found| found.value.as_object());
    let word = object.and_then(|object| member(object, JUDGEMENT)).and_then(text);
    let Some(judgement) = word.and_then(|word| word_of(&word, WORDS)) else {
        return Err("the evaluator's reply holds no judgement".to_owned());
    };
    let reasons = object.map(|object| strings(object, REASONS)).unwrap_or_default();
    let reasons = reasons.iter().take(MAX_REASONS);
    let quotes = object.map(|object| strings(object, QUOTES)).unwrap_or_default();
    Ok(ReadJudgement {
        judgement,
        harm: object
            .and_then(|object| member(object, &["harm"]))
            .and_then(text)
            .and_then(|word| word_of(&word, &HarmKind::ALL.map(|kind| (kind.word(), kind)))),
        reasons: reasons.map(|reason| clip(reason, REASON_TOKENS).into_owned()).collect(),
        quotes,
    })
}

/// Returns `None` if the reply has no rating between 0 and 1: the estimates
/// beside it are then no better.
pub fn read_complexity(raw: &str) -> Option<ComplexityRating> {
    const RATING: &[&str] = &["rating", "complexity", "score"];
    const SHAPE: JsonShape = JsonShape {
        opens: &['{'],
        score: |value, _| score(value, &[RATING, &["stakeholders"], &["horizon"]]),
        keeps_cut: |_| false,
    };
    let found = find(raw, &SHAPE)?;
    let object = found.value.as_object()?;
    let number = |names: &[&str]| member(object, names).and_then(figure);
    let rating = number(RATING).map(|found| match found.unit.as_str() {
        "%" => found.number / 100.0,
        _ => found.number,
    });
    let rating = rating.filter(|rating| (0.0..=1.0).contains(rating))?;
    let count = |names: &[&str]| {
        let value = number(names)?.number.round();
        (0.0..=1000.0).contains(&value).then_some(value as u32)
    };
    let word = |names: &[&str]| member(object, names).and_then(text);
    let horizons = Horizon::ALL.map(|horizon| (horizon.word(), horizon));
    let impacts = Impact::ALL.map(|impact| (impact.word(), impact));
    Some(ComplexityRating {
        rating: Some(rating),
        counts: ComplexityFigures {
            stakeholders: count(&["stakeholders", "stakeholdercount"]),
            technical_domains: count(&["technicaldomains", "domains"]),
            horizon: word(&["horizon", "timehorizon"]).and_then(|word| word_of(&word, &horizons)),
            budget_impact: word(&["budgetimpact", "impact"])
                .and_then(|word| word_of(&word, &impacts)),
        },
    })
}

#[cfg(test)]
#[path = "judging_tests.rs"]
mod tests;
