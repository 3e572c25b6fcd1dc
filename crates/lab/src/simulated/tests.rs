//! The simulator draws its agents and their switches as fitted.

use super::chance::{Chance, Owner, probit, sigmoid};
use super::figures::{FIGURES, NATURE, OPTIONS};
use super::item::{Grounds, OptionStand, SimulatedItem, VoicedStand};
use super::people::{Debater, Talk};
use super::score::Score;

#[test]
fn the_inverse_normal_meets_known_quantiles() {
    let known = [
        (0.5, 0.0),
        (0.8, 0.841_621_233_572_914_2),
        (0.975, 1.959_963_984_540_054),
        (0.001, -3.090_232_306_167_813),
    ];
    for (share, expected) in known {
        let found = probit(share);
        assert!((found - expected).abs() < 1e-8, "{share}: {found}");
    }
    assert!(probit(0.0).is_finite() && probit(1.0).is_finite());
    assert!((sigmoid(0.0) - 0.5).abs() < 1e-15);
}

#[test]
fn every_owner_has_a_stream_of_its_own() {
    let owners = [
        Owner::Item,
        Owner::Everyone,
        Owner::Family(0),
        Owner::Model(0),
        Owner::Turn { seat: 0, round: 1 },
        Owner::Turn { seat: 0, round: 2 },
        Owner::Turn { seat: 1, round: 1 },
    ];
    let mut drawn: Vec<u64> =
        owners.iter().map(|owner| Chance::of(1, 1, *owner).share().to_bits()).collect();
    drawn.push(Chance::of(2, 1, Owner::Item).share().to_bits());
    drawn.push(Chance::of(1, 2, Owner::Item).share().to_bits());
    let all = drawn.len();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), all);
}

#[test]
fn the_two_ties_within_one_model_add_up_to_the_fitted_one() {
    let ties = NATURE.ties;
    assert!((ties.any + ties.family + ties.model - 0.715).abs() < 1e-12);
    let mut names: Vec<&str> = FIGURES.iter().map(|figure| figure.name).collect();
    names.dedup();
    assert_eq!(names.len(), FIGURES.len());
}

#[test]
fn a_truth_and_its_misconception_differ_and_every_option_has_its_turn() {
    let mut truths = [0; OPTIONS];
    for number in 0..400 {
        let item = SimulatedItem::new(3, number);
        assert_ne!(item.truth, item.misconception);
        truths[item.truth] += 1;
    }
    assert!(truths.iter().all(|count| *count > 60), "{truths:?}");
}

/// How often a seat that holds `own` switches, over many items.
fn switches(
    talk: &Talk,
    person: &Debater,
    heard: fn(&SimulatedItem) -> (usize, Vec<VoicedStand>),
) -> f64 {
    let moved = (0..2000).filter(|number| {
        let item = SimulatedItem::new(5, *number);
        let (option, heard) = heard(&item);
        let own = OptionStand { option, confidence: 0.9, grounds: Grounds::Bare };
        item.later(person, talk, (0, 2), own, &heard).option != option
    });
    moved.count() as f64 / 2000.0
}

fn said(option: usize, heads: usize, persuasion: f64) -> Vec<VoicedStand> {
    vec![VoicedStand { option, persuasion }; heads]
}

#[test]
fn giving_in_follows_its_formula() {
    let person = Debater::new("Ada", 0.8);
    let talk = Talk::new(-1.2, 0.7);
    let near = |found: f64, log_odds: f64| {
        assert!((found - sigmoid(log_odds)).abs() < 0.04, "{found} for {log_odds}");
    };
    // Alone with the truth against three: −1.2 + 0.6 × (3 − 1) − 0.7.
    near(switches(&talk, &person, |item| (item.truth, said(item.misconception, 3, 0.0))), -0.7);
    // Alone in error against three who are right: + 0.7 instead.
    near(switches(&talk, &person, |item| (item.misconception, said(item.truth, 3, 0.0))), 0.7);
    // One persuasive liar, and somebody easily moved: −1.2 + 0 + 2 − 0.7 + 1.
    let soft = person.suggestible(1.0);
    near(switches(&talk, &soft, |item| (item.truth, said(item.misconception, 1, 2.0))), 1.1);
    // Nobody says anything else: nothing to switch to.
    let agreed = switches(&talk, &soft, |item| (item.truth, said(item.truth, 4, 0.0)));
    assert!(agreed == 0.0);
    let liar = Debater::liar("Emre", 1.0);
    let held = switches(&talk, &liar, |item| (item.misconception, said(item.truth, 4, 0.0)));
    assert!(held == 0.0);
}

#[test]
fn a_score_splits_ties_and_measures_calibration() {
    let mut score = Score::default();
    score.add(&[0.5, 0.5, 0.0, 0.0], 0);
    assert_eq!(score.accuracy(), 0.5);
    assert_eq!(score.brier(), 0.5);
    assert_eq!(score.calibration_error(), 0.0);

    let mut sure = Score::default();
    sure.add(&[1.0, 0.0, 0.0, 0.0], 0);
    sure.add(&[1.0, 0.0, 0.0, 0.0], 1);
    assert_eq!((sure.accuracy(), sure.brier(), sure.calibration_error()), (0.5, 1.0, 0.5));
}
