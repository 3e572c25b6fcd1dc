//! Votes are votes: the seats' own answers decide, whatever a clerk says.

use debate::analysis::{verdict, weigh};
use debate::model::*;
use proptest::prelude::*;

use super::cases;
use super::near;
use super::table::*;

fn number(value: f64) -> Said {
    says(&format!("It is {value}")).chooses(Choice::Number(value)).sure(0.9)
}

fn cannot_say() -> Said {
    says("I cannot know this").sure(0.5)
}

fn decided(table: &Table) -> Verdict {
    let exit = Exit { rule: "rounds".into(), details: "all rounds were held".into() };
    verdict(&table.room, table.plan, &exit)
}

/// A clerk that sees all seats on one side.
fn agreeing_clerk(seats: usize, text: &str) -> ClerkConsensus {
    let stands = (0..seats).map(|at| SeatStand { seat: SeatId(at), side: Side::For }).collect();
    let all = (0..seats).map(SeatId).collect();
    ClerkConsensus {
        propositions: vec![Proposition { text: text.into(), stands, ..Default::default() }],
        clusters: vec![Cluster { theme: text.into(), seats: all, summary: text.into() }],
        summary: "All agree.".into(),
        rating: Some(1.0),
        ..ClerkConsensus::default()
    }
}

/// Covers: 7.1-votes
#[test]
fn three_different_answers_are_no_agreement_whatever_the_clerk_says() {
    let mut table = Table::seats(3).asks(Question::Number { unit: None });
    table.round(vec![number(4.5), number(4.0), number(2.0)]);
    table.clerk = Some(Ok(agreeing_clerk(3, "The answer is 4")));
    let found = table.analyse();
    near(found.consensus.agreement_level, 0.0);
    assert_eq!(found.consensus.clusters.len(), 3);
    assert!(found.consensus.fallback_reason.unwrap().starts_with("no usable clerk"));
    assert!(found.consensus.propositions.is_empty(), "its table is not used");
    let result = decided(&table);
    assert_eq!(result.decision.consensus_level, ConsensusLevel::Low);
    assert_eq!(result.decision.action_recommendation, Action::QueryDetail);
    assert!(result.decision.warnings.iter().any(|warning| warning.contains("no usable clerk")));
}

#[test]
fn a_clerk_that_fits_the_votes_adds_its_words() {
    let mut table = Table::seats(3).asks(Question::YesNo);
    let pick = |word: &str| says(&format!("I say {word}")).chooses(option(word));
    table.round(vec![pick("yes"), pick("yes"), pick("no")]);
    let side = |seat, side| SeatStand { seat: SeatId(seat), side };
    let mut clerk = agreeing_clerk(3, "The answer is yes");
    clerk.propositions[0].stands =
        vec![side(0, Side::For), side(1, Side::For), side(2, Side::Against)];
    clerk.summary = "Two are for it.".into();
    table.clerk = Some(Ok(clerk.clone()));
    let found = table.analyse().consensus;
    near(found.agreement_level, 1.0 / 3.0);
    assert_eq!((found.by, found.summary.as_str()), (AnalysedBy::Votes, "Two are for it."));
    assert_eq!(found.propositions.len(), 1);
    // Turned round, it contradicts what the seats answered.
    for stand in &mut clerk.propositions[0].stands {
        stand.side = if stand.side == Side::For { Side::Against } else { Side::For };
    }
    table.clerk = Some(Ok(clerk));
    let found = table.analyse().consensus;
    assert!(found.fallback_reason.unwrap().contains("other side of the answer"));
}

#[test]
fn equal_positions_are_one_and_a_clerk_that_parts_them_is_dropped() {
    let mut table = Table::seats(3);
    table.round(vec![says("Build the index."), says("Build an index"), says("Buy one")]);
    let side = |seat, side| SeatStand { seat: SeatId(seat), side };
    let alone = |seat: usize| Cluster {
        theme: format!("view {seat}"),
        seats: vec![SeatId(seat)],
        summary: String::new(),
    };
    let clerk = |second| ClerkConsensus {
        propositions: vec![Proposition {
            text: "It is built".into(),
            stands: vec![side(0, Side::For), side(1, second), side(2, Side::Against)],
            ..Default::default()
        }],
        clusters: (0..3).map(alone).collect(),
        ..ClerkConsensus::default()
    };
    table.clerk = Some(Ok(clerk(Side::Open)));
    let found = table.analyse().consensus;
    assert_eq!(found.by, AnalysedBy::Clerk);
    assert_eq!(found.clusters.len(), 2, "{:?}", found.clusters);
    near(found.agreement_level, 1.0 / 3.0);
    table.clerk = Some(Ok(clerk(Side::Against)));
    let found = table.analyse().consensus;
    assert_eq!(found.by, AnalysedBy::Basic);
    assert!(found.fallback_reason.unwrap().starts_with("no usable clerk"));
}

/// Covers: 3-cannot-say
#[test]
fn who_cannot_say_has_no_vote() {
    let mut table = Table::seats(4).asks(Question::Number { unit: Some("weeks".into()) });
    let unsure = number(0.0).sure(0.05);
    table.round(vec![number(6.0), number(6.0), cannot_say(), unsure]);
    let found = table.analyse();
    near(found.consensus.agreement_level, 1.0);
    assert_eq!(found.abstained, [SeatId(2), SeatId(3)]);
    let result = decided(&table);
    let weighing = &result.evidence.weighing;
    assert_eq!(weighing.final_vote.len(), 1);
    assert_eq!(weighing.final_vote[0].seats, [SeatId(0), SeatId(1)]);
    assert_eq!(weighing.abstained, [SeatId(2), SeatId(3)]);
    let abstained: Vec<bool> = result.agent_responses.iter().map(|word| word.abstained).collect();
    assert_eq!(abstained, [false, false, true, true]);
    assert!(result.decision.answer.starts_with("6 weeks"), "{}", result.decision.answer);
}

#[test]
fn all_abstaining_is_no_decision() {
    let mut table = Table::seats(3).asks(Question::Number { unit: Some("weeks".into()) });
    table.round(vec![cannot_say(), number(0.0).sure(0.0), cannot_say()]);
    table.analyse();
    let decision = decided(&table).decision;
    assert_eq!(decision.answer, "No decision: A, B and C could not say.");
    assert_eq!(decision.consensus_level, ConsensusLevel::Unknown);
    assert_eq!(decision.action_recommendation, Action::QueryDetail);
    assert_eq!((decision.probability, decision.agreement_score), (None, None));
}

/// Covers: 7.1-numbers
#[test]
fn the_value_that_most_hold_leads_and_is_not_averaged() {
    let mut table = Table::seats(5).asks(Question::Number { unit: None });
    table.round([7.0, 900.0, 7.0, 7.0, 12.0].map(number).to_vec());
    table.analyse();
    let decision = decided(&table).decision;
    assert!(decision.answer.starts_with("7:"), "{}", decision.answer);
    assert!(decision.probability.is_some());
}

#[test]
fn first_votes_stay_the_answer_until_evidence_moves_them() {
    let pick = |word: &str| says(&format!("I say {word}")).chooses(option(word));
    let talk = |cites: &[u32]| {
        let mut table = Table::seats(3).asks(Question::YesNo);
        table.round(vec![pick("yes"), pick("yes"), pick("no")]);
        table.analyse();
        table.round(vec![pick("no").cites(cites), pick("no").cites(cites), pick("no")]);
        table.analyse();
        table
    };
    let held = talk(&[]);
    let found = weigh(&held.room, held.plan, &Reliability::default());
    assert_eq!(found.answers[0].answer, "yes");
    assert_eq!(found.held_first.as_deref(), Some("yes"));
    assert!(found.flags.contains(&WeighingFlag::Collapse));
    // The answer that leads is held by nobody any more: that is no consensus.
    let decision = decided(&held).decision;
    assert_eq!(decision.consensus_level, ConsensusLevel::Low);
    assert_eq!(decision.action_recommendation, Action::QueryDetail);
    // The unanimity of the end is worth no more than the first vote was.
    let mut first = held.room.clone();
    first.rounds.truncate(1);
    let before = weigh(&first, held.plan, &Reliability::default());
    near(found.answers[0].probability, before.answers[0].probability);

    let moved = talk(&[1]);
    let found = weigh(&moved.room, moved.plan, &Reliability::default());
    assert_eq!((found.answers[0].answer.as_str(), found.held_first), ("no", None));

    // A source that was made up moves nobody.
    let mut invented = talk(&[1]);
    for source in &mut invented.room.ledger.evidence {
        source.url = Some("https://www.example.com/study".into());
    }
    let found = weigh(&invented.room, invented.plan, &Reliability::default());
    assert_eq!(found.answers[0].answer, "yes");
    assert!(found.changes.iter().all(|change| change.basis == ChangeBasis::PressureOnly));
}

#[test]
fn a_tie_of_the_first_votes_is_broken_by_the_talk() {
    let pick = |word: &str| says(&format!("I say {word}")).chooses(option(word));
    let mut table = Table::seats(2).asks(Question::YesNo);
    table.round(vec![pick("yes"), pick("no")]);
    table.round(vec![pick("yes"), pick("yes")]);
    let found = weigh(&table.room, table.plan, &Reliability::default());
    assert_eq!((found.answers[0].answer.as_str(), found.held_first), ("yes", None));
}

#[test]
fn stated_confidence_enters_only_as_it_was_calibrated() {
    let pick = |word: &str, sure| says(word).chooses(option(word)).sure(sure);
    let mut table = Table::seats(2).asks(Question::YesNo);
    table.round(vec![pick("yes", 0.99), pick("no", 0.6)]);
    let plain = weigh(&table.room, table.plan, &Reliability::default());
    near(plain.answers[0].probability, 0.5);
    let line = |alpha, beta| CalibrationLine { alpha, beta, outcomes: 100, effective: 100.0 };
    let row = |at: usize| CalibrationRow {
        model: format!("scripted/model-{at}"),
        question: QuestionKind::YesNo,
        questions: 100,
        right: 0.6,
        confidence: Some(line(0.0, 0.5)),
        verdict: Some(line(-0.3, 1.0)),
    };
    table.room.brief.calibration.rows = (0..2).map(row).collect();
    let found = weigh(&table.room, table.plan, &Reliability::default());
    let worth = |stated: f64| line(0.0, 0.5).calibrated(stated);
    near(found.voices[0].calibrated, worth(0.99));
    near(found.voices[1].calibrated, worth(0.6));
    assert_eq!(found.answers[0].answer, "yes");
    let before = found.uncalibrated.unwrap();
    near(found.answers[0].probability, line(-0.3, 1.0).calibrated(before));
    near(found.answers.iter().map(|answer| answer.probability).sum::<f64>(), 1.0);
    let text = serde_json::to_string(&table.room.brief.calibration).unwrap();
    let back: CalibrationTable = serde_json::from_str(&text).unwrap();
    assert_eq!(back, table.room.brief.calibration);
}

proptest! {
    #![proptest_config(cases::cases(200))]

    /// For questions with a form the agreement is the share of equal pairs of
    /// votes, and groupthink needs a majority.
    #[test]
    fn agreement_is_the_share_of_equal_pairs(
        votes in prop::collection::vec(prop::option::of(0u8..4), 2..9),
        sure in 0u8..=100,
    ) {
        let mut table = Table::seats(votes.len()).asks(Question::Number { unit: None });
        let said = |vote: &Option<u8>| match vote {
            Some(value) => number(f64::from(*value)).sure(0.06 + f64::from(sure) * 0.0094),
            None => cannot_say(),
        };
        table.round(votes.iter().map(said).collect());
        table.clerk = Some(Ok(agreeing_clerk(votes.len(), "They agree")));
        let found = table.analyse();
        let given: Vec<u8> = votes.iter().copied().flatten().collect();
        let mut pairs = Vec::new();
        for (at, one) in given.iter().enumerate() {
            pairs.extend(given.iter().skip(at + 1).map(|other| one == other));
        }
        let equal = pairs.iter().filter(|same| **same).count() as f64;
        let share = (!pairs.is_empty()).then(|| equal / pairs.len() as f64);
        prop_assert_eq!(found.consensus.agreement_level, share);
        prop_assert_eq!(found.convergence.similarity, share);
        prop_assert_eq!(found.abstained.len(), votes.len() - given.len());
        let most = (0..4u8).map(|v| given.iter().filter(|one| **one == v).count()).max();
        if most.is_some_and(|most| 2 * most <= given.len()) {
            prop_assert!(!found.groupthink.warning && found.groupthink.trigger.is_none());
            prop_assert!(decided(&table).decision.consensus_level != ConsensusLevel::High);
        }
        if found.groupthink.critical_objection.is_some() {
            prop_assert_eq!(share, Some(1.0), "objections are forced on unanimity only");
        }
    }
}
