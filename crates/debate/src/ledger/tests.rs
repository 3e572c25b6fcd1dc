//! The effect of a turn on the ledger, step by step and for any sequence of turns.

use proptest::prelude::*;

use super::*;
use crate::model::*;

pub(super) fn turn(seat: usize, round: Round) -> Turn {
    Turn {
        seat: SeatId(seat),
        agent: format!("agent {seat}"),
        model: "m".into(),
        round,
        wave: 0,
        role: "r".into(),
        perspective: None,
        anchor: Anchor::RiskAttentive,
        debate_alignment: String::new(),
        answer: Answer::default(),
        confidence_change: None,
        tool_calls: Vec::new(),
        sources: Vec::new(),
        requests: Vec::new(),
        searches: 0,
        bill: Bill::default(),
        earlier: Vec::new(),
        notes: Vec::new(),
        repaired: false,
        stance_forced: false,
        cut_off: false,
        raw: String::new(),
    }
}

pub(super) fn made(text: &str) -> ClaimMade {
    ClaimMade {
        text: text.into(),
        label: Label::Infer,
        evidence_type: EvidenceType::Logical,
        citations: Vec::new(),
        supports: Vec::new(),
        opposes: Vec::new(),
        retracts: Vec::new(),
    }
}

fn says(seat: usize, round: Round, claims: Vec<ClaimMade>) -> Turn {
    let mut turn = turn(seat, round);
    turn.answer.claims = claims;
    turn
}

fn cited(number: u32, title: &str, url: Option<&str>) -> Citation {
    Citation { number, title: title.into(), url: url.map(Into::into), ..Citation::default() }
}

fn critique(claim: u32, outcome: CritiqueOutcome, counter: Option<&str>) -> Critique {
    Critique {
        claim: ClaimId(claim),
        evidence_type: EvidenceType::Logical,
        strength: Strength::Low,
        counter_evidence: counter.map(Into::into),
        outcome,
        text: String::new(),
    }
}

fn ids(numbers: &[u32]) -> Vec<ClaimId> {
    numbers.iter().copied().map(ClaimId).collect()
}

fn seats(numbers: &[usize]) -> Vec<SeatId> {
    numbers.iter().copied().map(SeatId).collect()
}

const SAFE: &str = "The new parser is safe for untrusted input";

/// A ledger with C1 by seat 0.
fn one_claim() -> Ledger {
    let mut ledger = Ledger::default();
    enter(&mut ledger, &says(0, 1, vec![made(SAFE)]));
    ledger
}

/// Covers: 6-status
#[test]
fn a_claim_made_by_two_seats_is_one_accepted_claim() {
    let mut ledger = one_claim();
    let entered =
        enter(&mut ledger, &says(1, 1, vec![made("New parser is safe for untrusted inputs.")]));
    assert_eq!(ledger.claims.len(), 1);
    assert_eq!(ledger.claims[0].holders, seats(&[0, 1]));
    assert_eq!(ledger.claims[0].status, ClaimStatus::Accepted);
    assert_eq!(entered.touched.reinforced, ids(&[1]));
    assert!(entered.new_claims.is_empty());
}

#[test]
fn the_negation_is_a_claim_of_its_own() {
    let mut ledger = one_claim();
    let entered = enter(
        &mut ledger,
        &says(1, 1, vec![made("The new parser is not safe for untrusted input")]),
    );
    assert_eq!(entered.touched.introduced, ids(&[2]));
    assert_eq!(ledger.claims[0].status, ClaimStatus::Open);
}

#[test]
fn a_supporting_claim_reinforces_and_stands_below() {
    let mut ledger = one_claim();
    let support = ClaimMade { supports: ids(&[1]), ..made("It was fuzzed for 400 hours") };
    let entered = enter(&mut ledger, &says(1, 2, vec![support]));
    assert_eq!(ledger.claims[0].holders, seats(&[0, 1]));
    assert_eq!(ledger.claims[0].supported_by, ids(&[2]));
    assert_eq!(ledger.claims[0].last_updated_round, 2);
    assert_eq!(entered.touched.introduced, ids(&[2]));
    assert_eq!(entered.touched.reinforced, ids(&[1]));
    assert_eq!(entered.touched.replies_to, seats(&[0]));
}

#[test]
fn naming_an_id_and_saying_nothing_new_makes_no_claim() {
    for text in [SAFE, "C1", "I agree with [C1]."] {
        let mut ledger = one_claim();
        let agree = ClaimMade { supports: ids(&[1]), ..made(text) };
        enter(&mut ledger, &says(1, 2, vec![agree]));
        assert_eq!(ledger.claims.len(), 1, "{text}");
        assert_eq!(ledger.claims[0].status, ClaimStatus::Accepted, "{text}");
        assert!(ledger.claims[0].supported_by.is_empty(), "{text}");
    }
}

/// Covers: 6-status
#[test]
fn a_seat_that_opposes_stops_holding_and_the_claim_is_contested() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(1, 1, vec![made(SAFE)]));
    let against = ClaimMade { opposes: ids(&[1]), ..made("It crashes on deep nesting") };
    let entered = enter(&mut ledger, &says(1, 2, vec![against]));
    let claim = &ledger.claims[0];
    assert_eq!((claim.holders.clone(), claim.opposers.clone()), (seats(&[0]), seats(&[1])));
    assert_eq!(claim.status, ClaimStatus::Contested);
    assert_eq!(claim.opposition, ids(&[2]));
    assert_eq!(entered.touched.challenged, ids(&[1]));
}

#[test]
fn repeating_what_one_opposes_or_retracts_does_not_make_it_a_claim() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(1, 2, vec![ClaimMade { opposes: ids(&[1]), ..made(SAFE) }]));
    assert_eq!(ledger.claims.len(), 1);
    assert_eq!(ledger.claims[0].opposers, seats(&[1]));
    enter(&mut ledger, &says(0, 2, vec![ClaimMade { retracts: ids(&[1]), ..made(SAFE) }]));
    assert_eq!(ledger.claims.len(), 1);
    assert_eq!(ledger.claims[0].status, ClaimStatus::Retracted);
}

#[test]
fn only_the_author_withdraws_a_claim() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(1, 1, vec![made(SAFE)]));
    let withdraw = ClaimMade { retracts: ids(&[1]), ..made("I withdraw C1") };
    enter(&mut ledger, &says(1, 2, vec![withdraw.clone()]));
    assert_eq!(ledger.claims[0].holders, seats(&[0]));
    assert_eq!(ledger.claims[0].status, ClaimStatus::Open);
    enter(&mut ledger, &says(0, 3, vec![withdraw]));
    assert_eq!(ledger.claims[0].status, ClaimStatus::Retracted);
    assert!(ledger.claims[0].holders.is_empty());
    assert_eq!(ledger.claims.len(), 1);
}

#[test]
fn a_withdrawn_claim_made_again_is_a_new_claim() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(0, 2, vec![ClaimMade { retracts: ids(&[1]), ..made("C1") }]));
    let mut index = LedgerIndex::default();
    index.enter(&mut ledger, &says(1, 3, vec![made(SAFE)]));
    index.enter(&mut ledger, &says(2, 3, vec![made(SAFE)]));
    assert_eq!(ledger.claims.len(), 2);
    assert_eq!(ledger.claims[0].status, ClaimStatus::Retracted);
    assert_eq!(ledger.claims[1].holders, seats(&[1, 2]));
}

#[test]
fn support_for_a_withdrawn_claim_goes_to_its_standing_copy() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(0, 2, vec![ClaimMade { retracts: ids(&[1]), ..made("C1") }]));
    enter(&mut ledger, &says(1, 3, vec![made(SAFE)]));
    enter(&mut ledger, &says(2, 4, vec![ClaimMade { supports: ids(&[1]), ..made(SAFE) }]));
    assert_eq!(ledger.claims.len(), 2);
    assert!(ledger.claims[0].holders.is_empty());
    assert_eq!(ledger.claims[1].status, ClaimStatus::Accepted);
}

#[test]
fn a_claim_is_found_among_thousands_by_a_few_lookups() {
    let (mut ledger, mut index) = (Ledger::default(), LedgerIndex::default());
    let text = |n: usize| format!("Component {n} keeps read latency low under heavy load");
    for n in 0..2000 {
        index.enter(&mut ledger, &says(n % 10, 1, vec![made(&text(n))]));
    }
    assert_eq!(ledger.claims.len(), 2000);
    // Alike as they are, no key may gather them: what is compared stays one claim.
    assert_eq!(index.longest_list(), 1);
    let again = says(9, 2, vec![made(&format!("{} everywhere", text(1234)))]);
    assert_eq!(index.enter(&mut ledger, &again).touched.reinforced, ids(&[1235]));
}

#[test]
fn a_claim_without_holders_and_with_an_opposer_is_open() {
    let mut ledger = one_claim();
    enter(&mut ledger, &says(0, 2, vec![ClaimMade { opposes: ids(&[1]), ..made("C1 is wrong") }]));
    assert_eq!(ledger.claims[0].opposers, seats(&[0]));
    assert_eq!(ledger.claims[0].status, ClaimStatus::Open);
    assert_eq!(ledger.claims.len(), 1);
}

#[test]
fn ids_that_a_seat_cannot_have_seen_are_ignored() {
    let mut ledger = Ledger::default();
    let mut index = LedgerIndex::default();
    let guess = |text| ClaimMade { opposes: ids(&[1, 7]), ..made(text) };
    index.enter(&mut ledger, &says(0, 1, vec![guess("Alpha holds")]));
    index.enter(&mut ledger, &says(1, 1, vec![guess("Beta holds")]));
    assert!(ledger.claims.iter().all(|claim| claim.opposers.is_empty()));
    assert!(ledger.claims.iter().all(|claim| claim.opposition.is_empty()));
    index.enter(&mut ledger, &says(1, 2, vec![guess("Gamma holds")]));
    assert_eq!(ledger.claims[0].opposers, seats(&[1]));
}

/// Covers: 3.4-critique
#[test]
fn a_critique_opposes_only_with_counter_evidence_and_a_concession_holds() {
    let mut ledger = one_claim();
    let mut enter_critique = |critique: Critique| {
        let mut turn = turn(1, 2);
        turn.answer.critiques = vec![critique];
        let entered = enter(&mut ledger, &turn);
        (ledger.claims[0].status, entered.touched)
    };
    let (status, touched) = enter_critique(critique(1, CritiqueOutcome::Alternative, Some(" ")));
    assert_eq!(status, ClaimStatus::Open);
    assert_eq!((touched.challenged, touched.replies_to), (ids(&[1]), seats(&[0])));
    let (status, _) =
        enter_critique(critique(1, CritiqueOutcome::Synthesis, Some("A crash report")));
    assert_eq!(status, ClaimStatus::Contested);
    let (status, touched) = enter_critique(critique(1, CritiqueOutcome::Concession, None));
    assert_eq!(status, ClaimStatus::Accepted);
    assert_eq!(touched.reinforced, ids(&[1]));
}

#[test]
fn a_later_holder_strengthens_evidence_and_label() {
    let mut ledger = one_claim();
    let fact = ClaimMade {
        label: Label::Fact,
        evidence_type: EvidenceType::Documented,
        citations: vec![1],
        ..made(SAFE)
    };
    let uncited = ClaimMade { citations: vec![], ..fact.clone() };
    enter(&mut ledger, &says(1, 1, vec![uncited]));
    assert_eq!(ledger.claims[0].label, Label::Infer);
    let mut turn = says(2, 2, vec![fact]);
    turn.answer.citations = vec![cited(1, "Audit", Some("https://a.example/audit"))];
    let entered = enter(&mut ledger, &turn);
    let claim = &ledger.claims[0];
    assert_eq!((claim.label, claim.evidence_type), (Label::Fact, EvidenceType::Documented));
    assert_eq!(claim.support, vec![EvidenceId(1)]);
    assert_eq!(ledger.evidence[0].supports, ids(&[1]));
    assert_eq!(entered.new_evidence, vec![EvidenceId(1)]);
    assert_eq!(entered.touched.citations_used, vec![EvidenceId(1)]);
}

#[test]
fn a_provider_source_enters_only_when_cited_by_number() {
    let mut ledger = Ledger::default();
    let mut turn = says(0, 1, vec![ClaimMade { citations: vec![2], ..made("Alpha holds") }]);
    turn.answer.reasoning = "As shown [4-5].".into();
    turn.sources = (1..=5).map(|n| cited(n, &format!("Source {n}"), None)).collect();
    enter(&mut ledger, &turn);
    let titles: Vec<&str> = ledger.evidence.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles, ["Source 2", "Source 4", "Source 5"]);
    assert_eq!(ledger.claims[0].support, vec![EvidenceId(1)]);
}

#[test]
fn decisions_are_numbered() {
    let mut ledger = Ledger::default();
    assert_eq!(decide(&mut ledger, 1, "Budget is 5 USD"), DecisionId(1));
    assert_eq!(decide(&mut ledger, 2, " Only Linux "), DecisionId(2));
    assert_eq!(ledger.decisions[1].text, "Only Linux");
}

const TEXTS: [&str; 6] = [
    "The cache reduces read latency in production",
    "The cache does not reduce read latency in production",
    "The cache greatly reduces read latency in production",
    "Writes become slower when the cache is warm",
    "Is the cache warm?",
    "C1",
];

const URLS: [Option<&str>; 4] = [
    Some("https://www.Example.org/a/?utm_source=x#top"),
    Some("http://example.org:80/a"),
    Some("https://example.org/b"),
    None,
];

fn any_claim() -> impl Strategy<Value = ClaimMade> {
    let ids = || proptest::collection::vec((1..12u32).prop_map(ClaimId), 0..2);
    let kind = proptest::sample::select(EvidenceType::ALL.to_vec());
    (0..TEXTS.len(), ids(), ids(), ids(), proptest::collection::vec(1..3u32, 0..2), kind).prop_map(
        |(text, supports, opposes, retracts, citations, evidence_type)| ClaimMade {
            supports,
            opposes,
            retracts,
            citations,
            evidence_type,
            ..made(TEXTS[text])
        },
    )
}

fn any_critique() -> impl Strategy<Value = Critique> {
    let outcome = proptest::sample::select(vec![
        CritiqueOutcome::Alternative,
        CritiqueOutcome::Synthesis,
        CritiqueOutcome::Concession,
    ]);
    (1..12u32, outcome, any::<bool>())
        .prop_map(|(id, outcome, countered)| critique(id, outcome, countered.then_some("Data")))
}

/// Three seats over a few rounds, all in one wave per round.
fn any_debate() -> impl Strategy<Value = Vec<Turn>> {
    let claims = proptest::collection::vec(any_claim(), 0..4);
    let critiques = proptest::collection::vec(any_critique(), 0..2);
    let answer = (claims, critiques, 0..URLS.len());
    proptest::collection::vec(answer, 1..18).prop_map(|answers| {
        let place = |at: usize| (at % 3, u32::try_from(at / 3 + 1).unwrap());
        answers
            .into_iter()
            .enumerate()
            .map(|(at, (claims, critiques, url))| {
                let (seat, round) = place(at);
                let mut turn = says(seat, round, claims);
                turn.answer.critiques = critiques;
                turn.answer.citations = vec![cited(1, "A page", URLS[url])];
                turn
            })
            .collect()
    })
}

fn entered(turns: &[Turn]) -> Ledger {
    let (mut ledger, mut index) = (Ledger::default(), LedgerIndex::default());
    for turn in turns {
        index.enter(&mut ledger, turn);
    }
    weigh(&mut ledger, &EvidenceType::published_weight);
    ledger
}

proptest! {
    #![proptest_config(crate::cases::cases(200))]

    #[test]
    fn any_debate_leaves_a_sound_ledger(turns in any_debate()) {
        let ledger = entered(&turns);
        for (place, claim) in ledger.claims.iter().enumerate() {
            prop_assert_eq!(claim.id, ClaimId::from_index(place));
            let expected = match (claim.holders.len(), claim.opposers.len()) {
                _ if claim.status == ClaimStatus::Retracted => ClaimStatus::Retracted,
                (held, 0) if held >= 2 => ClaimStatus::Accepted,
                (held, opposed) if held > 0 && opposed > 0 => ClaimStatus::Contested,
                _ => ClaimStatus::Open,
            };
            prop_assert_eq!(claim.status, expected);
            prop_assert!(claim.status != ClaimStatus::Retracted || claim.holders.is_empty());
            prop_assert!(claim.holders.iter().all(|seat| !claim.opposers.contains(seat)));
            prop_assert!(claim.holders.is_sorted() && claim.opposers.is_sorted());
            prop_assert!((0.0..=1.0).contains(&claim.strength));
            let links = claim.supported_by.iter().chain(&claim.opposition);
            prop_assert!(links.into_iter().all(|id| *id > claim.id));
            prop_assert!(claim.last_updated_round >= claim.introduced_round);
            for source in &claim.support {
                prop_assert!(ledger.source(*source).unwrap().supports.contains(&claim.id));
            }
        }
        // "A page" has two addresses among the four given, and a URL-less form.
        prop_assert!(ledger.evidence.len() <= 2);
        for (place, entry) in ledger.evidence.iter().enumerate() {
            prop_assert_eq!(entry.id, EvidenceId::from_index(place));
        }
    }

    #[test]
    fn a_rebuilt_index_finds_the_same(turns in any_debate(), cut in 0usize..18) {
        let (mut ledger, mut index) = (Ledger::default(), LedgerIndex::default());
        // Renewed between rounds only, as on resuming: a wave is entered whole.
        let cut = cut.min(turns.len()) / 3 * 3;
        for (at, turn) in turns.iter().enumerate() {
            if at == cut {
                index = LedgerIndex::default();
            }
            index.enter(&mut ledger, turn);
        }
        weigh(&mut ledger, &EvidenceType::published_weight);
        prop_assert_eq!(ledger, entered(&turns));
    }
}
