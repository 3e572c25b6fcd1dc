//! Consensus: positions, levels and opposition.
#![allow(dead_code)]
use debate::analysis::polarity::{NormalisedPosition, Relation};
use debate::model::*;

use super::near;
use super::table::*;

fn level_of(positions: &[&str]) -> Option<f64> {
    let mut table = Table::seats(positions.len());
    table.round(positions.iter().map(|position| says(position)).collect());
    table.analyse().consensus.agreement_level
}

fn basic_of(positions: &[&str]) -> Option<f64> {
    let mut table = Table::seats(positions.len());
    table.round(positions.iter().map(|position| says(position)).collect());
    table.analyse().consensus.basic_agreement
}

/// Covers: 7.1-unknown
#[test]
fn without_a_clerk_other_words_leave_the_level_unknown() {
    near(level_of(&["Use Rust.", "use rust", "Use Rust!"]), 1.0);
    assert_eq!(level_of(&["Use Rust.", "use rust", "Use Go"]), None);
    assert_eq!(level_of(&["Use Rust"]), None);
}

#[test]
fn distinct_positions_make_the_basic_figure() {
    near(basic_of(&["Use Rust.", "use rust", "Use Rust!"]), 1.0);
    near(basic_of(&["Use Rust.", "use rust", "Use Go"]), 2.0 / 3.0);
    near(basic_of(&["Use Rust.", "Use Zig", "Use Go"]), 1.0 / 3.0);
    near(basic_of(&["Use Rust", "Use Go", "Use Rust", "Use Go"]), 0.75);
    assert_eq!(basic_of(&["Use Rust"]), None);
}

#[test]
fn a_negation_is_another_position() {
    let pairs = [
        ("The bridge is safe", "The bridge is not safe"),
        ("The bridge is safe", "The bridge is unsafe"),
        ("The bridge is safe", "The bridge isn’t safe"),
        ("Use a queue", "Don't use a queue"),
        ("Use a queue", "Never use a queue"),
        ("Deploy with a canary", "Deploy without a canary"),
        ("There is risk", "There is no risk"),
        ("We can ship", "We cannot ship"),
        ("We can ship", "We can't ship"),
        ("We will ship", "We won't ship"),
        ("Raise 5 million", "Raise 50 million"),
        ("Set it to -5", "Set it to 5"),
        ("Keep it < 5", "Keep it > 5"),
        ("Alice sued Bob", "Bob sued Alice"),
        ("Use C", "Use C++"),
        ("Ship it", "Ship it?"),
        ("Price: 3.5 euros", "Price: 35 euros"),
    ];
    for (one, other) in pairs {
        assert_eq!(level_of(&[one, other]), None, "{one} / {other}");
        near(basic_of(&[one, other]), 0.5);
    }
}

#[test]
fn punctuation_and_case_do_not_make_a_position() {
    let pairs = [
        ("**Use** the queue.", "use a queue"),
        ("We don't ship", "We do not ship"),
        ("The servers need 1,000 GB", "the server needs 1000 gb"),
        ("It’s the team's choice", "It's the team’s choice"),
        ("Wait two weeks", "Wait 2 weeks"),
    ];
    for (one, other) in pairs {
        near(level_of(&[one, other]), 1.0);
    }
}

#[test]
fn opposition_is_seen_where_words_are_shared() {
    let relation = |one: &str, other: &str| {
        NormalisedPosition::of(one).relation(&NormalisedPosition::of(other))
    };
    assert_eq!(
        relation("The drug is safe for children", "The drug is not safe for children"),
        Relation::Opposed
    );
    assert_eq!(relation("Ship before the audit", "Ship after the audit"), Relation::Opposed);
    assert_eq!(relation("The dog bit the man", "The man bit the dog"), Relation::Opposed);
    assert_eq!(relation("Cut costs by 10 %", "Cut costs by 30 %"), Relation::Opposed);
    assert_eq!(relation("Ship before the audit", "Paint the shed green"), Relation::Different);
    assert_eq!(relation("", ""), Relation::Different);
}

#[test]
fn opposed_positions_are_named_as_a_conflict() {
    let mut table = Table::seats(2);
    table.round(vec![says("The tower is safe"), says("The tower is not safe")]);
    let found = table.analyse();
    let seats: Vec<SeatId> =
        found.consensus.conflicts[0].positions.iter().map(|side| side.seat).collect();
    assert_eq!(seats, [SeatId(0), SeatId(1)]);
}

#[test]
fn a_chosen_value_decides_over_the_words() {
    let mut table = Table::seats(3).asks(Question::YesNo);
    table.round(vec![
        says("We should go ahead").chooses(option("yes")),
        says("Certainly, build it").chooses(option("Yes")),
        says("We should go ahead").chooses(option("no")),
    ]);
    let found = table.analyse();
    near(found.consensus.agreement_level, 1.0 / 3.0);
    assert_eq!(found.consensus.by, AnalysedBy::Votes);
    assert_eq!(found.consensus.clusters[0].seats, [SeatId(0), SeatId(1)]);
    assert_eq!(found.consensus.clusters[1].theme, "no");
}

/// Covers: 7.1-numbers
#[test]
fn values_are_equal_or_not_and_estimates_within_a_margin() {
    let level = |question: Question, number: NumberReading, one: Choice, other: Choice| {
        let mut table = Table::seats(2).asks(question);
        table.room.brief.number = number;
        table.round(vec![says("x").chooses(one), says("x").chooses(other)]);
        table.analyse().consensus.agreement_level
    };
    let figure = || Question::Number { unit: None };
    let found = NumberReading::default();
    let estimate = NumberReading { estimate: true, tolerance: None };
    let within =
        |tolerance| NumberReading { estimate: false, tolerance: Tolerance::parse(tolerance) };
    let (a, b) = (Choice::Number(100.0), Choice::Number(101.0));
    near(level(figure(), found, a.clone(), a.clone()), 1.0);
    near(level(figure(), found, a.clone(), b.clone()), 0.0);
    near(level(figure(), within("1"), a.clone(), b.clone()), 1.0);
    near(level(figure(), within("0.5 %"), a.clone(), b), 0.0);
    near(level(figure(), estimate, a.clone(), Choice::Number(125.0)), 1.0);
    near(level(figure(), estimate, a, Choice::Number(140.0)), 0.0);
    let odds = |p| Choice::Probability(p);
    near(level(Question::Probability, found, odds(0.20), odds(0.30)), 1.0);
    near(level(Question::Probability, found, odds(0.20), odds(0.31)), 0.0);
}

#[test]
fn unlike_stances_are_never_one_position_and_given_ones_are_no_votes() {
    let mut table = Table::seats(2);
    table.round(vec![says("Ban it").stance(Stance::Yes), says("Ban it").stance(Stance::No)]);
    near(table.analyse().consensus.basic_agreement, 0.5);
    table.room.seats[0].stance = Some(Stance::Yes);
    let found = table.analyse();
    assert_eq!(found.consensus.agreement_level, None);
    assert!(found.consensus.notes[0].contains("assigned"));
}

fn stands(sides: &[(usize, Side)]) -> Proposition {
    let stand = |(seat, side): &(usize, Side)| SeatStand { seat: SeatId(*seat), side: *side };
    Proposition {
        text: "It pays off".into(),
        stands: sides.iter().map(stand).collect(),
        ..Default::default()
    }
}

/// Covers: 7.1-clerk
#[test]
fn the_clerks_table_makes_the_level_and_its_rating_stands_beside() {
    use Side::{Against, For, Open};
    let mut table = Table::seats(3);
    table.round(vec![says("one"), says("two"), says("three")]);
    table.clerk = Some(Ok(ClerkConsensus {
        propositions: vec![
            stands(&[(0, For), (1, For), (2, Against)]),
            stands(&[(0, Open), (1, Open), (2, For)]),
            // Seat 7 does not exist and seat 0 stands twice: both are passed over.
            stands(&[(0, For), (0, Against), (1, For), (7, Against)]),
        ],
        clusters: vec![Cluster {
            theme: "t".into(),
            seats: vec![SeatId(1), SeatId(0)],
            summary: "s".into(),
        }],
        rating: Some(0.9),
        ..ClerkConsensus::default()
    }));
    let found = table.analyse().consensus;
    assert_eq!(found.by, AnalysedBy::Clerk);
    // 1, 0, 0 | both open left out, ½, ½ | 1
    near(found.agreement_level, 3.0 / 6.0);
    near(found.model_rating, 0.9);
    assert_eq!(found.clusters[0].seats, [SeatId(0), SeatId(1)]);
    assert_eq!(found.clusters[1].seats, [SeatId(2)], "a forgotten seat stands alone");
}

#[test]
fn a_failed_or_empty_clerk_falls_back_with_the_reason() {
    let mut table = Table::seats(2);
    table.round(vec![says("yes to it"), says("yes to it")]);
    table.clerk = Some(Err("the clerk timed out".into()));
    let found = table.analyse().consensus;
    assert_eq!(found.by, AnalysedBy::Basic);
    assert_eq!(found.fallback_reason.as_deref(), Some("the clerk timed out"));
    near(found.agreement_level, 1.0);

    table.clerk = Some(Ok(ClerkConsensus { rating: Some(0.2), ..ClerkConsensus::default() }));
    let found = table.analyse().consensus;
    assert_eq!(found.by, AnalysedBy::Basic);
    assert!(found.fallback_reason.is_some());
}

/// Covers: 3.2-band
#[test]
fn confidence_above_the_band_of_the_best_claim_is_flagged() {
    use EvidenceType::*;
    type Made<'a> = &'a [(EvidenceType, &'a [u32])];
    let rows: &[(Made<'_>, f64, f64)] = &[
        (&[(Documented, &[1, 2])], 0.95, 0.96),
        (&[(Documented, &[1, 1])], 0.84, 0.85),
        (&[(Empirical, &[1])], 0.84, 0.85),
        (&[(Precedent, &[]), (Logical, &[])], 0.69, 0.70),
        (&[(Precedent, &[])], 0.54, 0.55),
        (&[(Logical, &[])], 0.54, 0.55),
        (&[(Documented, &[])], 0.54, 0.55),
        (&[(Preferential, &[])], 0.39, 0.40),
        (&[(Speculative, &[])], 0.24, 0.25),
        (&[(Speculative, &[]), (Documented, &[1])], 0.84, 0.85),
    ];
    for (claims, fits, too_much) in rows {
        let mut table = Table::seats(3);
        table.round(vec![
            says("a").sure(*fits).claims(claims),
            says("b").sure(*too_much).claims(claims),
            says("c").sure(1.0),
        ]);
        let flagged: Vec<SeatId> = table.analyse().overconfident.iter().map(|o| o.seat).collect();
        assert_eq!(flagged, [SeatId(1)], "{claims:?}");
    }
}

#[test]
fn the_analysis_says_over_how_many_it_was_made() {
    let mut table = Table::seats(3);
    table.round(vec![says("a").sure(0.4), silence(), says("b").sure(0.8)]);
    let found = table.analyse();
    assert_eq!((found.answered, found.seats), (2, 3));
    near(found.confidence.mean, 0.6);
    near(found.confidence.variance, 0.04);
    near(found.confidence.median, 0.6);
    assert_eq!(found.confidence.quartiles.map(|q| q.map(|v| (v * 10.0).round())), Some([5.0, 7.0]));
}

proptest::proptest! {
    #![proptest_config(crate::cases::cases(64))]

    #[test]
    fn a_negator_put_anywhere_is_never_the_same_position(
        words in proptest::collection::vec("[a-zA-Z]{1,9}|[0-9]{1,4}", 1..14),
        place in 0_usize..14,
        negator in proptest::sample::select(vec!["not", "never", "no", "without", "hardly"]),
    ) {
        let mut denied = words.clone();
        denied.insert(place.min(words.len()), negator.into());
        let (one, other) = (NormalisedPosition::of(&words.join(" ")), NormalisedPosition::of(&denied.join(" ")));
        proptest::prop_assert_ne!(one.relation(&other), Relation::Same);
        proptest::prop_assert_eq!(one.relation(&other), other.relation(&one));
    }

    #[test]
    fn any_text_can_be_compared(one in "\\PC{0,80}", other in "\\PC{0,80}") {
        let (a, b) = (NormalisedPosition::of(&one), NormalisedPosition::of(&other));
        proptest::prop_assert_eq!(a.relation(&b), b.relation(&a));
        proptest::prop_assert_eq!(a.relation(&a) == Relation::Same, !a.is_empty());
    }
}
