//! Groupthink: its signs, and when they make a warning.
#![allow(dead_code)]
use debate::analysis::needs_critical_objection;
use debate::model::*;

use super::table::*;

fn all(seats: usize, said: &Said) -> Vec<Said> {
    vec![said.clone(); seats]
}

fn signs(turns: Vec<Said>) -> (Vec<GroupthinkSign>, bool) {
    let mut table = Table::seats(turns.len());
    table.round(turns);
    let found = table.analyse().groupthink;
    (found.signs, found.warning)
}

/// Covers: 7.4-warning
#[test]
fn two_signs_make_a_warning_and_one_does_not() {
    use GroupthinkSign::*;
    let (found, warning) = signs(all(2, &says("Keep it").sure(0.85)));
    assert_eq!((found.as_slice(), warning), (&[AllConfident, HighAgreement][..], true));
    let (found, warning) = signs(vec![says("Keep it").sure(0.85), says("Sell the lot").sure(0.85)]);
    assert_eq!((found.as_slice(), warning), (&[AllConfident][..], false));
}

#[test]
fn confidence_is_a_sign_only_where_all_are_sure() {
    let confident = |one: f64, other: f64| {
        signs(vec![says("Keep it").sure(one), says("Sell the lot").sure(other)])
            .0
            .contains(&GroupthinkSign::AllConfident)
    };
    assert!(confident(0.80, 0.90));
    assert!(!confident(0.80, 0.89), "the mean is below 0.85");
    assert!(!confident(0.79, 0.99), "one is below 0.80");
    let (found, _) = signs(vec![says("Keep it").sure(0.9), says("Sell the lot")]);
    assert_eq!(found, [], "one did not say");
}

#[test]
fn dissent_is_a_stance_or_a_vote() {
    let dissents =
        |one: Said, other: Said| !signs(vec![one, other]).0.contains(&GroupthinkSign::NoDissent);
    let (a, b) = (says("Keep it"), says("Sell the lot"));
    let vote = |said: &Said, ballot| said.clone().votes(ballot);
    assert!(!dissents(vote(&a, Ballot::Accept), vote(&b, Ballot::Accept)));
    assert!(dissents(vote(&a, Ballot::Accept), vote(&b, Ballot::Minor)));
    assert!(!dissents(a.clone().stance(Stance::No), b.clone().stance(Stance::No)));
    assert!(dissents(a.clone().stance(Stance::No), b.clone().stance(Stance::Neutral)));
    assert!(dissents(a, b), "nobody was asked, so nothing is shown");
}

#[test]
fn agreement_is_a_sign_from_the_flags_threshold_on() {
    let mut table = Table::seats(2);
    table.room.brief.flags.groupthink_detection.threshold = 0.5;
    table.round(vec![says("Keep it"), says("Sell the lot")]);
    assert_eq!(table.analyse_groups(0.5, 2).groupthink.signs, [GroupthinkSign::HighAgreement]);
    table.room.brief.flags.groupthink_detection.threshold = 0.51;
    assert_eq!(table.analyse_groups(0.5, 2).groupthink.signs, []);
}

#[test]
fn it_is_off_where_the_mode_or_the_flag_says_so() {
    let mut table = Table::seats(2);
    table.round(all(2, &says("Keep it").sure(0.95)));
    assert!(table.analyse().groupthink.checked);
    table.plan = &UNWATCHED;
    assert_eq!(table.analyse().groupthink, Groupthink::default());
    table.plan = &PLAN;
    table.room.brief.flags.groupthink_detection.enabled = false;
    assert_eq!(table.analyse().groupthink, Groupthink::default());
}

/// Three rounds of four seats; what changes in the last decides.
struct Idle {
    confidence: [f64; 3],
    facts: [usize; 3],
    last: [Ballot; 4],
}

impl Default for Idle {
    fn default() -> Idle {
        Idle { confidence: [0.5, 0.6, 0.7], facts: [0, 3, 3], last: [Ballot::Minor; 4] }
    }
}

fn idle(script: &Idle) -> Option<GroupthinkTrigger> {
    let mut table = Table::seats(4);
    let mut found = None;
    for round in 0..3 {
        let ballots = if round == 2 { script.last } else { [Ballot::Minor; 4] };
        let said = |(seat, ballot): (usize, &Ballot)| {
            says(&format!("Way {seat}")).sure(script.confidence[round]).votes(*ballot)
        };
        table.round(ballots.iter().enumerate().map(said).collect());
        for _ in 0..script.facts[round] {
            table.claim(Label::Fact, ClaimStatus::Open, &[0]);
        }
        found = table.analyse().groupthink.trigger;
    }
    found
}

/// Covers: 7.4-triggers
#[test]
fn standing_still_for_two_rounds_triggers() {
    use Ballot::{Accept, Minor};
    assert_eq!(idle(&Idle::default()), Some(GroupthinkTrigger::Stagnation));
    let near_misses = [
        Idle { facts: [0, 3, 4], ..Idle::default() },
        Idle { facts: [0, 4, 3], ..Idle::default() },
        Idle { confidence: [0.5, 0.6, 0.71], ..Idle::default() },
        Idle { confidence: [0.5, 0.61, 0.71], ..Idle::default() },
        // 0.5, 0.5, 0.5, 1: standard deviation 0.217.
        Idle { last: [Minor, Minor, Minor, Accept], ..Idle::default() },
    ];
    for script in &near_misses {
        assert_eq!(idle(script), None);
    }
}

/// One early round of four seats.
struct Early {
    sure: usize,
    sources: u32,
    alike: usize,
    shared_premises: usize,
    rounds_before: usize,
}

const EARLY: Early = Early { sure: 3, sources: 2, alike: 1, shared_premises: 0, rounds_before: 0 };

fn early(script: &Early) -> Option<GroupthinkTrigger> {
    let mut table = Table::seats(4);
    for _ in 0..script.rounds_before {
        table.round((0..4).map(|at| says(&format!("First thought {at}")).sure(0.1)).collect());
    }
    let said = |at: usize| {
        let text = if at < script.alike { "Keep it".into() } else { format!("Way {at}") };
        says(&text).sure(if at < script.sure { 0.85 } else { 0.84 })
    };
    let mut turns: Vec<Said> = (0..4).map(said).collect();
    turns[0].cites = (1..=script.sources).collect();
    table.round(turns);
    for at in 0..10 {
        let holders: &[usize] = if at < script.shared_premises { &[0, 1, 2, 3] } else { &[0] };
        table.claim(Label::Infer, ClaimStatus::Open, holders);
    }
    table.analyse().groupthink.trigger
}

/// Covers: 7.4-triggers
#[test]
fn early_certainty_on_little_ground_triggers() {
    let trigger = Some(GroupthinkTrigger::EarlyConvergence);
    assert_eq!(early(&EARLY), trigger, "two sources");
    assert_eq!(early(&Early { sure: 2, ..EARLY }), None, "half are sure");
    let solid = Early { sources: 3, ..EARLY };
    assert_eq!(early(&solid), None, "three sources, two clusters, no shared premises");
    assert_eq!(early(&Early { alike: 4, ..solid }), trigger, "one cluster");
    assert_eq!(early(&Early { rounds_before: 1, ..EARLY }), trigger, "round 2 is early");
    assert_eq!(early(&Early { rounds_before: 2, ..EARLY }), None, "round 3 is not");
}

#[test]
fn shared_premises_trigger_at_seven_tenths() {
    let solid = Early { sources: 3, ..EARLY };
    // Seats 1 to 3 hold only what all hold, so their three pairs overlap fully;
    // seat 0's three pairs overlap by k of 10: the mean is (1 + k/10) ÷ 2.
    let trigger = Some(GroupthinkTrigger::EarlyConvergence);
    assert_eq!(early(&Early { shared_premises: 4, ..solid }), trigger);
    assert_eq!(early(&Early { shared_premises: 3, ..solid }), None);
}

#[test]
fn a_trigger_or_a_premature_alert_calls_for_objections_once() {
    let mut table = Table::seats(2);
    table.round(all(2, &says("Keep it").sure(0.9)));
    let found = table.analyse();
    assert!(needs_critical_objection(&table.room, &found).is_some());

    let mut table = Table::seats(2);
    table.round(vec![says("Go by rail").sure(0.3), says("Take the train").sure(0.3)]);
    let apart = table.analyse();
    assert_eq!(needs_critical_objection(&table.room, &apart), None, "nobody read them as one");
    let found = table.analyse_at(0.86, 0.0);
    assert_eq!(found.groupthink.trigger, None);
    assert!(needs_critical_objection(&table.room, &found).unwrap().contains("0.86"));
    let calm = table.analyse_at(0.85, 0.0);
    assert_eq!(needs_critical_objection(&table.room, &calm), None);

    table.round(vec![says("Go by rail").sure(0.3), says("Take the train").sure(0.3)]);
    table.room.rounds[1].kind = RoundKind::CriticalObjection;
    let after = table.analyse_at(0.9, 0.1);
    assert_eq!(needs_critical_objection(&table.room, &after), None, "one is enough");
}

fn objected(before: f64, after: f64, facts: usize, says_now: &str) -> bool {
    let mut table = Table::seats(2);
    table.round(all(2, &says("Keep it").sure(before)));
    table.analyse();
    table.round(vec![says(says_now).sure(after), says("Keep it").sure(after)]);
    table.room.rounds[1].kind = RoundKind::CriticalObjection;
    for _ in 0..facts {
        table.claim(Label::Fact, ClaimStatus::Open, &[0]);
    }
    table.analyse().groupthink.escalate
}

/// Covers: 7.4-escalate
#[test]
fn objections_that_change_nothing_are_handed_to_a_person() {
    assert!(objected(0.84, 0.80, 0, "Keep it"));
    assert!(!objected(0.85, 0.80, 0, "Keep it"), "belief moved by 5 %");
    assert!(!objected(0.80, 0.79, 0, "Keep it"), "confidence fell below 0.80");
    assert!(!objected(0.84, 0.80, 1, "Keep it"), "a new FACT claim");
    assert!(!objected(0.84, 0.84, 0, "Do not keep it"), "one changed its mind");
}
