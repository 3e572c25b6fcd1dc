//! Chooses the depth of a debate: a complexity score with every addend shown, and
//! a gate that compares the gain with the price today.

use crate::model::{
    Brief, ChosenDepth, ComplexityRating, DecisionCase, Depth, DepthFactor, Horizon, Impact,
    Importance, MicroUsd,
};

const BASE: f64 = 0.3;
const DETAILED_TOPIC_CHARS: usize = 200;
const MANY_STAKEHOLDERS: u32 = 3;
const MANY_DOMAINS: u32 = 2;
/// The share of the clerk's rating in the score.
const RATING_PART: f64 = 0.2;
/// The value used when there is no rating.
const NO_RATING: f64 = 0.5;
const HIGH_RATING: f64 = 0.7;
const THREE_ROUNDS_FROM: f64 = 0.8;
const EXTENDED_ABOVE: f64 = 0.8;
const EXTENDED_ABOVE_IF_HIGH: f64 = 0.7;
const SLACK: f64 = 1e-9;
/// The assumed cost of a debate when prices are not known.
const EXTENDED_COST: MicroUsd = MicroUsd(1_250_000);
const STANDARD_COST: MicroUsd = MicroUsd(500_000);
const ROUNDS: u32 = 2;
const DEEP_ROUNDS: u32 = 3;

/// Returns the depth for a brief. `rated`: the clerk's view; `None` without a
/// clerk or if it failed.
pub fn choose_depth(brief: &Brief, rated: Option<&ComplexityRating>) -> ChosenDepth {
    let (score, factors) = complexity(brief, rated);
    let case = &brief.case;
    let (depth, why) = gate(case, score);
    let usual = match depth {
        Depth::Extended if score >= THREE_ROUNDS_FROM - SLACK => DEEP_ROUNDS,
        Depth::Extended | Depth::Standard | Depth::Auto => ROUNDS,
    };
    ChosenDepth { depth, rounds: case.rounds.unwrap_or(usual), score, factors, why }
}

/// Returns the score, 0 to 1, and its addends.
pub fn complexity(brief: &Brief, rated: Option<&ComplexityRating>) -> (f64, Vec<DepthFactor>) {
    let own = &brief.case.counts;
    let clerk = rated.map(|rated| &rated.counts);
    let chars = brief.topic.chars().count();
    let stakeholders = known(own.stakeholders, clerk.and_then(|c| c.stakeholders));
    let domains = known(own.technical_domains, clerk.and_then(|c| c.technical_domains));
    let horizon = known(own.horizon, clerk.and_then(|c| c.horizon));
    let impact = known(own.budget_impact, clerk.and_then(|c| c.budget_impact));
    let mut factors = vec![factor("base", BASE, "every decision".into())];
    if chars > DETAILED_TOPIC_CHARS {
        let from = format!("the topic has {chars} characters, over {DETAILED_TOPIC_CHARS}");
        factors.push(factor("detailed_topic", 0.10, from));
    }
    if let Some((count, by)) = stakeholders.filter(|(count, _)| *count > MANY_STAKEHOLDERS) {
        let from = format!("{count} stakeholders, over {MANY_STAKEHOLDERS}, {by}");
        factors.push(factor("stakeholders", 0.15, from));
    }
    if let Some((count, by)) = domains.filter(|(count, _)| *count > MANY_DOMAINS) {
        let from = format!("{count} technical domains, over {MANY_DOMAINS}, {by}");
        factors.push(factor("technical_domains", 0.15, from));
    }
    if let Some((_, by)) = horizon.filter(|(horizon, _)| *horizon == Horizon::Long) {
        factors.push(factor("long_term", 0.10, format!("a long horizon, {by}")));
    }
    if let Some((_, by)) = impact.filter(|(impact, _)| *impact == Impact::High) {
        factors.push(factor("budget_impact", 0.10, format!("a high budget impact, {by}")));
    }
    factors.push(rating_factor(rated.and_then(|rated| rated.rating)));
    let sum: f64 = factors.iter().map(|factor| factor.points).sum();
    (sum.min(1.0), factors)
}

fn factor(name: &str, points: f64, from: String) -> DepthFactor {
    DepthFactor { name: name.into(), points, from }
}

/// Returns the caller's figure, else the clerk's, with its source.
fn known<T>(own: Option<T>, clerk: Option<T>) -> Option<(T, &'static str)> {
    own.map(|value| (value, "given by the caller"))
        .or_else(|| clerk.map(|value| (value, "estimated by the clerk")))
}

fn rating_factor(rating: Option<f64>) -> DepthFactor {
    let (name, from) = match rating {
        Some(rating) if rating > HIGH_RATING => {
            ("high_rating", format!("the clerk rates it {rating:.2}, which is high"))
        }
        Some(rating) => ("rating", format!("the clerk rates it {rating:.2}")),
        None => ("rating", format!("no rating is available; {NO_RATING:.2} is assumed")),
    };
    factor(name, RATING_PART * rating.unwrap_or(NO_RATING).clamp(0.0, 1.0), from)
}

/// Decides if the deeper form is worth its price, with the reason.
fn gate(case: &DecisionCase, score: f64) -> (Depth, String) {
    let cost = case.extended_cost.unwrap_or(EXTENDED_COST);
    let standard = case.standard_cost.unwrap_or(STANDARD_COST);
    let guessed = if case.extended_cost.is_none() { " (prices are not known)" } else { "" };
    if let Some(left) = case.day_budget_left.filter(|left| cost > *left) {
        let why = format!(
            "standard: an extended debate would cost about {cost}{guessed}, a standard one \
             {standard}, and {left} is left of the day's budget"
        );
        return (Depth::Standard, why);
    }
    let importance = case.importance;
    let price = format!("about {cost} instead of {standard}{guessed}");
    if importance == Importance::Critical {
        return (Depth::Extended, format!("extended: the importance is critical; {price}"));
    }
    if score > EXTENDED_ABOVE + SLACK {
        let why = format!("extended: complexity {score:.2} is above {EXTENDED_ABOVE:.2}; {price}");
        return (Depth::Extended, why);
    }
    if score > EXTENDED_ABOVE_IF_HIGH + SLACK && importance == Importance::High {
        let why = format!(
            "extended: complexity {score:.2} is above {EXTENDED_ABOVE_IF_HIGH:.2} and the \
             importance is high; {price}"
        );
        return (Depth::Extended, why);
    }
    let why = format!(
        "standard: complexity {score:.2} with {} importance; extended above {EXTENDED_ABOVE:.2}, \
         or above {EXTENDED_ABOVE_IF_HIGH:.2} with high importance",
        importance.word()
    );
    (Depth::Standard, why)
}

#[cfg(test)]
#[path = "depth_tests.rs"]
mod tests;
