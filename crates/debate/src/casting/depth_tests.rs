//! The depth of a moderated debate follows the published score.

use super::*;
use crate::casting::tests::brief;
use crate::model::ComplexityFigures;

fn case(counts: ComplexityFigures) -> Brief {
    Brief {
        depth: Depth::Auto,
        case: DecisionCase { counts, ..DecisionCase::default() },
        ..brief(3)
    }
}

fn all() -> ComplexityFigures {
    ComplexityFigures {
        stakeholders: Some(4),
        technical_domains: Some(3),
        horizon: Some(Horizon::Long),
        budget_impact: Some(Impact::High),
    }
}

fn rated(rating: f64) -> ComplexityRating {
    ComplexityRating { rating: Some(rating), counts: ComplexityFigures::default() }
}

fn score(brief: &Brief, rated: Option<&ComplexityRating>) -> f64 {
    (complexity(brief, rated).0 * 1000.0).round() / 1000.0
}

/// Covers: 11-depth
#[test]
fn every_addend_counts_as_published() {
    assert_eq!(score(&case(ComplexityFigures::default()), None), 0.4, "base and half a rating");
    let long = Brief { topic: "x".repeat(201), ..case(ComplexityFigures::default()) };
    assert_eq!(score(&long, None), 0.5);
    let short = Brief { topic: "x".repeat(200), ..case(ComplexityFigures::default()) };
    assert_eq!(score(&short, None), 0.4);
    let rows = [
        (ComplexityFigures { stakeholders: Some(4), ..ComplexityFigures::default() }, 0.55),
        (ComplexityFigures { stakeholders: Some(3), ..ComplexityFigures::default() }, 0.4),
        (ComplexityFigures { technical_domains: Some(3), ..ComplexityFigures::default() }, 0.55),
        (ComplexityFigures { technical_domains: Some(2), ..ComplexityFigures::default() }, 0.4),
        (ComplexityFigures { horizon: Some(Horizon::Long), ..ComplexityFigures::default() }, 0.5),
        (ComplexityFigures { horizon: Some(Horizon::Medium), ..ComplexityFigures::default() }, 0.4),
        (
            ComplexityFigures { budget_impact: Some(Impact::High), ..ComplexityFigures::default() },
            0.5,
        ),
        (
            ComplexityFigures {
                budget_impact: Some(Impact::Medium),
                ..ComplexityFigures::default()
            },
            0.4,
        ),
        (all(), 0.9),
    ];
    for (counts, expected) in rows {
        assert_eq!(score(&case(counts.clone()), None), expected, "{counts:?}");
    }
    let everything = Brief { topic: "x".repeat(201), ..case(all()) };
    assert_eq!(score(&everything, Some(&rated(1.0))), 1.0, "at most 1");
    assert_eq!(
        score(&case(ComplexityFigures::default()), Some(&rated(7.0))),
        0.5,
        "a rating is at most 1"
    );
}

/// Covers: 11-depth
#[test]
fn a_high_rating_is_named_and_the_callers_figures_win() {
    let names = |rating| -> Vec<String> {
        let (_, factors) = complexity(&case(ComplexityFigures::default()), Some(&rated(rating)));
        factors.into_iter().map(|factor| factor.name).collect()
    };
    assert_eq!(names(0.7), ["base", "rating"]);
    assert_eq!(names(0.71), ["base", "high_rating"]);
    let clerk = ComplexityRating { rating: Some(0.5), counts: all() };
    assert_eq!(
        score(&case(ComplexityFigures::default()), Some(&clerk)),
        0.9,
        "the clerk's estimates"
    );
    let own = ComplexityFigures { stakeholders: Some(1), ..ComplexityFigures::default() };
    assert_eq!(score(&case(own), Some(&clerk)), 0.75, "the caller knows better");
}

/// Covers: 11-gate
#[test]
fn the_gate_asks_for_importance_and_for_money() {
    let at = |rating: f64, importance| {
        // 0.3 + 0.15 + 0.15 + 0.10 = 0.70, plus a fifth of the rating.
        let counts = ComplexityFigures { budget_impact: None, ..all() };
        let mut brief = case(counts);
        brief.case.importance = importance;
        let chosen = choose_depth(&brief, Some(&rated(rating)));
        (chosen.depth, chosen.rounds)
    };
    assert_eq!(at(0.0, Importance::High), (Depth::Standard, 2), "0.70 is not above 0.70");
    assert_eq!(at(0.1, Importance::High), (Depth::Extended, 2));
    assert_eq!(at(0.1, Importance::Normal), (Depth::Standard, 2));
    assert_eq!(at(0.5, Importance::Normal), (Depth::Standard, 2), "0.80 is not above 0.80");
    assert_eq!(at(0.5, Importance::High), (Depth::Extended, 3), "three rounds from 0.80");
    assert_eq!(at(0.6, Importance::Normal), (Depth::Extended, 3));
    assert_eq!(at(0.0, Importance::Critical), (Depth::Extended, 2));
}

/// Covers: 11-gate
#[test]
fn the_days_budget_closes_the_gate() {
    let with = |left, cost| {
        let mut brief = case(all());
        brief.case.importance = Importance::Critical;
        brief.case.day_budget_left = left;
        brief.case.extended_cost = cost;
        choose_depth(&brief, None)
    };
    let usd = |usd| Some(MicroUsd::from_usd(usd));
    assert_eq!(with(usd(1.25), None).depth, Depth::Extended, "exactly enough");
    let poor = with(usd(1.24), None);
    assert_eq!(poor.depth, Depth::Standard);
    assert!(poor.why.contains("$1.25") && poor.why.contains("not known"), "{}", poor.why);
    assert_eq!(with(usd(1.24), usd(0.2)).depth, Depth::Extended, "a known price is used");
    assert_eq!(with(None, None).depth, Depth::Extended, "no limit");
}

#[test]
fn rounds_the_caller_insists_on_stay() {
    let mut brief = case(all());
    brief.case.rounds = Some(7);
    assert_eq!(choose_depth(&brief, None).rounds, 7);
}
