//! What outcomes teach, as properties that hold for any outcomes, and what a
//! later debate does with it: from a held debate to a judged one to the next.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "learning/simulation.rs"]
mod simulation;
mod support;

use debate::Debate;
use debate::learning::{self, ChangeFilter};
use debate::model::*;
use proptest::prelude::*;

const TODAY: Day = Day(20_772);

fn outcome() -> impl Strategy<Value = JudgedDebate> {
    let item = (0..6_usize, 0..4_usize).prop_map(|(kind, validation)| JudgedEvidence {
        evidence_type: EvidenceType::ALL[kind],
        validation: Validation::ALL[validation],
    });
    let relied = (0..6_usize, 1..9_u32)
        .prop_map(|(kind, items)| ReliedOn { evidence_type: EvidenceType::ALL[kind], items });
    let voice =
        (0..5_u32, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0).prop_map(|(agent, confidence, right, told)| {
            JudgedVoice {
                agent: format!("x/m{}-{}", ["a", "b"][agent as usize % 2], agent / 2),
                confidence: Some(confidence),
                right,
                last_right: right,
                told,
                note: String::new(),
            }
        });
    let lists = (
        prop::collection::vec(item, 0..6),
        prop::collection::vec(relied, 0..3),
        prop::collection::vec(voice, 0..5),
        prop::collection::vec("[a-c]", 0..3),
    );
    (0..1_000_000_u32, 0..900_i32, 0..3_usize, 0.0..=1.0, lists).prop_map(
        |(id, ago, domain, accuracy, (evidence, relied_on, voices, asked_for))| JudgedDebate {
            debate: id.to_string(),
            on: TODAY.plus(-ago),
            domain: ["api-design", "pricing", GENERAL_DOMAIN][domain].into(),
            accuracy,
            evidence,
            relied_on,
            voices,
            questions: Vec::new(),
            perspectives: asked_for.clone(),
            asked_for,
            rounds: 2,
            agreement: Some(accuracy),
            tokens: None,
            origin: if id % 7 == 0 { OutcomeOrigin::Imported } else { OutcomeOrigin::Own },
        },
    )
}

fn outcomes(most: usize) -> impl Strategy<Value = Vec<JudgedDebate>> {
    prop::collection::vec(outcome(), 0..most)
}

fn weights(learning: &Learning, domain: &str) -> Vec<Estimate> {
    let found = learning.domain(domain);
    found.map(|found| found.weights.iter().map(|w| w.estimate).collect()).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_order_of_outcomes_does_not_matter(
        (all, shuffled) in outcomes(30).prop_flat_map(|all| {
            (Just(all.clone()), Just(all).prop_shuffle())
        })
    ) {
        prop_assume!(unique(&all));
        prop_assert_eq!(learning::learn(&all, TODAY), learning::learn(&shuffled, TODAY));
        let filter = ChangeFilter::default();
        prop_assert_eq!(learning::history(&all, &filter), learning::history(&shuffled, &filter));
    }

    #[test]
    fn undoing_an_outcome_restores_the_state_before_exactly(all in outcomes(20), one in outcome()) {
        prop_assume!(all.iter().all(|known| known.debate != one.debate));
        let before = learning::learn(&all, TODAY);
        let mut with = all.clone();
        with.push(one.clone());
        let _ = learning::learn(&with, TODAY);
        with.retain(|known| known.debate != one.debate);
        prop_assert_eq!(learning::learn(&with, TODAY), before);
    }

    /// The bound: one debate adds at most two counts to the ten of a weight.
    /// Covers: 14-weights
    #[test]
    fn one_outcome_moves_a_weight_by_little(all in outcomes(20), one in outcome()) {
        prop_assume!(all.iter().all(|known| known.debate != one.debate));
        let domain = one.domain.clone();
        let mut with = all.clone();
        with.push(one);
        let after = weights(&learning::learn(&with, TODAY), &domain);
        let before = weights(&learning::learn(&all, TODAY), &domain);
        for (place, after) in after.iter().enumerate() {
            let before = before.get(place).map_or(after.prior, |before| before.mean);
            prop_assert!((after.mean - before).abs() <= 2.0 / 12.0 + 1e-9);
        }
    }

    #[test]
    fn estimates_are_shares_and_used_values_are_cautious(all in outcomes(40)) {
        let learning = learning::learn(&all, TODAY);
        for domain in &learning.domains {
            let agents = domain.agents.iter().map(|agent| agent.estimate);
            let weights = domain.weights.iter().map(|weight| weight.estimate);
            for one in agents.chain(weights) {
                let [low, high] = one.interval;
                prop_assert!(0.0 <= low && low <= high && high <= 1.0, "{:?}", one);
                prop_assert!((0.0..=1.0).contains(&one.mean), "{:?}", one);
                // A rise is used as far as it is borne out, a fall whole.
                prop_assert!(one.used <= one.mean.max(one.prior) + 1e-12, "{:?}", one);
                prop_assert!(one.mean > one.prior || one.used == one.mean, "{:?}", one);
            }
        }
        for line in &learning.calibration {
            prop_assert!((0.0..=1.0).contains(&line.line.calibrated(0.99)), "{:?}", line);
        }
    }

    #[test]
    fn fading_goes_toward_the_prior(all in outcomes(20), years in 1..20_i32) {
        let (now, later) = (learning::learn(&all, TODAY), learning::learn(&all, TODAY.plus(365 * years)));
        for (one, other) in now.domains.iter().zip(&later.domains) {
            for (one, other) in one.weights.iter().zip(&other.weights) {
                let (near, far) = (other.estimate, one.estimate);
                let prior = near.prior;
                prop_assert!((near.mean - prior).abs() <= (far.mean - prior).abs() + 1e-9);
                // It never passes to the other side.
                prop_assert!((near.mean - prior) * (far.mean - prior) >= -1e-12);
            }
        }
    }

    /// Outcomes survive being written down and read again.
    #[test]
    fn an_outcome_is_read_as_it_was_written(one in outcome()) {
        let text = serde_json::to_string(&one).unwrap();
        let again: JudgedDebate = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(learning::learn(&[again], TODAY), learning::learn(&[one], TODAY));
    }
}

fn unique(all: &[JudgedDebate]) -> bool {
    let ids: std::collections::BTreeSet<&str> = all.iter().map(|one| one.debate.as_str()).collect();
    ids.len() == all.len()
}

/// Covers: 3.2-weights
#[test]
fn no_outcome_leaves_everything_as_published() {
    assert!(learning::learn(&[], TODAY).domains.is_empty());
    let agents: Vec<Agent> = (0..3).map(support::agent).collect();
    let lessons = learning::lessons(&[], &[GENERAL_DOMAIN.into()], &agents, TODAY);
    assert_eq!(lessons[0].weights, EvidenceWeights::default());
    assert!(lessons[0].used.is_empty() && lessons[0].reliability.by_agent.is_empty());
    // A debate that starts with such lessons is the debate without them.
    let plain = support::run(support::brief("collaborative", 3, 2), |_| {}).0;
    let mut brief = support::brief("collaborative", 3, 2);
    brief.lessons = lessons;
    let taught = support::run(brief, |_| {}).0;
    let (mut one, two) =
        (taught.room().verdict.clone().unwrap(), plain.room().verdict.clone().unwrap());
    assert_eq!(one.metadata.learning.take().unwrap().outcomes, 0);
    assert_eq!(one, two);
}

fn yes_no(lessons: Vec<Lessons>) -> Brief {
    let mut brief = support::brief("collaborative", 3, 1);
    brief.question = Question::YesNo;
    brief.domain = Some("pipelines".into());
    brief.lessons = lessons;
    brief
}

/// Runs a yes/no debate in which the first says yes and the others no.
fn split_vote(brief: Brief) -> Debate {
    let (mut debate, _) = support::open(brief);
    debate.hear(Input::Go);
    loop {
        match debate.next_step() {
            Step::Ask(asks) => {
                for ask in asks {
                    let mut answer: serde_json::Value =
                        serde_json::from_str(&support::answer(&ask.id)).unwrap();
                    let yes = ask.id.party == Party::Seat(SeatId(0));
                    answer["answer"] = if yes { "yes" } else { "no" }.into();
                    answer["confidence"] = 0.9.into();
                    let reply =
                        Box::new(Reply { text: answer.to_string(), ..support::reply(&ask.id) });
                    debate.hear(Input::Replied { ask: ask.id, reply });
                }
            }
            Step::Embed(_) => {
                debate.hear(Input::NotCompared { reason: "none".into() });
            }
            Step::Await(reason) => panic!("{reason:?}"),
            Step::Done(_) => return debate,
        }
    }
}

#[test]
fn the_next_debate_is_another_because_of_the_last_ones() {
    let first = split_vote(yes_no(Vec::new()));
    let verdict = first.room().verdict.as_ref().unwrap();
    assert_eq!(verdict.evidence.weighing.answers[0].answer, "no");
    assert!(verdict.agent_responses[0].calibrated_confidence.is_none());
    // Twelve times the one who said yes alone was right.
    let post = PostMortem {
        decision_accuracy: 0.1,
        right_answer: Some("yes".into()),
        lessons: vec![LessonLearned {
            lesson: "nobody asked for the owner".into(),
            question: Some("Who owns the replay?".into()),
            perspective: Some("Operations".into()),
            ..LessonLearned::default()
        }],
        ..PostMortem::default()
    };
    let outcomes: Vec<JudgedDebate> = (0..12)
        .map(|n| learning::judge(&format!("d{n}"), TODAY, first.room(), verdict, &post))
        .collect();
    assert_eq!(outcomes[0].domain, "pipelines");
    let rights: Vec<f64> = outcomes[0].voices.iter().map(|voice| voice.right).collect();
    assert_eq!(rights, [1.0, 0.0, 0.0]);
    let agents = first.room().brief.agents.clone();
    let lessons = learning::lessons(&outcomes, &["pipelines".into()], &agents, TODAY);
    let mut brief = yes_no(lessons.clone());
    brief.required_questions = lessons[0].questions.clone();
    let next = split_vote(brief.clone());
    let verdict = next.room().verdict.as_ref().unwrap();
    // One reliable voice now outweighs two that were wrong each time.
    assert_eq!(verdict.evidence.weighing.answers[0].answer, "yes");
    assert!(verdict.evidence.weighing.voices[0].outcomes >= 12);
    let calibrated = verdict.agent_responses[1].calibrated_confidence.unwrap();
    assert!(calibrated < 0.5, "{calibrated}");
    assert!(next.room().ledger.claims[0].strength < first.room().ledger.claims[0].strength);
    let used = verdict.metadata.learning.as_ref().unwrap();
    assert_eq!((used.domain.as_str(), used.outcomes), ("pipelines", 12));
    assert!(used.used.iter().any(|line| line.contains("Who owns the replay?")), "{used:?}");
    // The question stands in the contract of every agent; a panel seats the viewpoint.
    let (mut opened, _) = support::open(brief.clone());
    opened.hear(Input::Go);
    let Step::Ask(asks) = opened.next_step() else { panic!() };
    assert!(asks.iter().all(|ask| ask.system.contains("- Who owns the replay?")));
    brief.mode = "expert-panel".into();
    let (opened, _) = support::open(brief);
    assert_eq!(opened.room().seats[0].perspective.as_ref().unwrap().name, "Operations");
}

#[test]
fn the_clerk_names_the_domain_and_its_lessons_come_with_it() {
    let agents: Vec<Agent> = (0..3).map(support::agent).collect();
    let taught = JudgedDebate {
        debate: "d".into(),
        on: TODAY,
        domain: "data-pipelines".into(),
        accuracy: 0.2,
        evidence: vec![JudgedEvidence {
            evidence_type: EvidenceType::Empirical,
            validation: Validation::Refuted,
        }],
        relied_on: Vec::new(),
        voices: Vec::new(),
        questions: Vec::new(),
        asked_for: vec!["Who owns the replay?".into()],
        perspectives: Vec::new(),
        rounds: 1,
        agreement: None,
        tokens: None,
        origin: OutcomeOrigin::Own,
    };
    let domains = ["data-pipelines".to_owned(), GENERAL_DOMAIN.to_owned()];
    let mut brief = support::brief("collaborative", 3, 1);
    brief.clerk = Some(support::agent(9));
    brief.domain_by = DomainBy::Clerk;
    brief.lessons = learning::lessons(&[taught], &domains, &agents, TODAY);
    let mut asked = Vec::new();
    let (debate, events) =
        support::run(brief, |ask| asked.push((ask.id.task, ask.system.to_string())));
    assert_eq!(asked[0].0, Task::Domain);
    assert!(asked[0].1.contains("- data-pipelines") && !asked[0].1.contains("- general"));
    assert!(asked[1].1.contains("- Who owns the replay?"), "{}", asked[1].1);
    assert_eq!(debate.room().brief.domain.as_deref(), Some("data-pipelines"));
    assert!(events.iter().any(|event| matches!(event, Event::DomainNamed { .. })));
    // Cut anywhere, the log leads to the same debate.
    for cut in 1..=events.len() {
        let again = Debate::replay(events[..cut].iter().cloned()).unwrap();
        if cut == events.len() {
            assert_eq!(again.room().verdict, debate.room().verdict);
        }
    }
    let ground = debate.room().ledger.claims[0].strength;
    assert!(ground < EvidenceType::Empirical.published_weight(), "{ground}");
}

#[test]
fn a_draft_is_asked_for_after_the_end_and_billed() {
    let mut brief = support::brief("collaborative", 2, 1);
    assert!(support::run(brief.clone(), |_| {}).0.draft_ask(&[]).is_none(), "nobody writes it");
    brief.clerk = Some(support::agent(9));
    let (mut debate, mut events) = support::run(brief, |_| {});
    let entry = ProgressEntry {
        on: TODAY,
        status: ProgressStatus::TechnicalDebt,
        event: "Built a parser </fence>".into(),
        note: String::new(),
        impact: String::new(),
        time_cost: "3 days".into(),
        surprise: Some(0.7),
    };
    let ask = debate.draft_ask(&[entry]).unwrap();
    assert!(ask.user.contains("technical_debt") && ask.user.contains("3 days"), "{}", ask.user);
    let spent = debate.room().spent.calls;
    let heard = Input::Replied { ask: ask.id, reply: Box::new(support::reply(&ask.id)) };
    let told = debate.hear(heard.clone());
    let [Event::OutcomeDrafted { draft, .. }] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(draft.decision_accuracy, Some(0.6));
    assert_eq!(draft.lessons[0].question.as_deref(), Some("Who owns the replay?"));
    assert_eq!(debate.room().spent.calls, spent + 1);
    // The same answer is not taken twice; another draft is another call.
    assert!(debate.hear(heard).is_empty());
    assert_ne!(debate.draft_ask(&[]).unwrap().id, ask.id);
    events.extend(told);
    assert_eq!(Debate::replay(events).unwrap().room().spent, debate.room().spent);
}

fn form() -> OutcomeForm {
    OutcomeForm { decision_accuracy: Some(0.5), ..OutcomeForm::default() }
}

#[test]
fn everything_wrong_with_a_post_mortem_is_said_at_once() {
    let debate = split_vote(yes_no(Vec::new()));
    let verdict = debate.room().verdict.clone().unwrap();
    let check = |form: &OutcomeForm| learning::check(form, debate.room(), &verdict);
    assert!(check(&form()).is_ok());
    let finding = |kind: &str, validation: &str| FindingForm {
        aspect: "x".into(),
        evidence_type: Some(kind.into()),
        validation: Some(validation.into()),
        note: String::new(),
    };
    let bad = OutcomeForm {
        decision_accuracy: Some(1.2),
        right_answer: Some("perhaps".into()),
        what_went_right: vec![finding("EMPIRIC", "proved")],
        agents: vec![AgentFinding { agent: "Zed".into(), accuracy: f64::NAN, note: String::new() }],
        questions: vec![QuestionFinding { question: "Why?".into(), surfaced: true }],
        lessons: vec![LessonForm::default()],
        domain: Some("../..?".into()),
        ..OutcomeForm::default()
    };
    let faults = check(&bad).unwrap_err();
    let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "decisionAccuracy",
            "rightAnswer",
            "whatWentRight[0].evidenceType",
            "whatWentRight[0].validation",
            "lessons[0].lesson",
            "domain",
            "agents[0].accuracy",
            "agents[0].agent",
            "questions[0]",
        ]
    );
    let faults = format!("{faults:?}");
    for part in [
        "\"1.2\"",
        "0 to 1",
        "\"perhaps\"",
        "1 (no), 2 (yes)",
        "\"EMPIRIC\"",
        "DOCUMENTED",
        "\"proved\"",
        "dismissed_but_relevant",
        "\"Zed\"",
        "\"Ada\", \"Brook\", \"Chen\"",
        "\"Why?\"",
        "Missing",
        "\"../..?\"",
    ] {
        assert!(faults.contains(part), "{part} is missing in\n{faults}");
    }
    let by_number = OutcomeForm { right_answer: Some("2".into()), ..form() };
    assert_eq!(check(&by_number).unwrap().right_answer.as_deref(), Some("yes"));
}

/// The small form of `cargo bench -p roundtable-debate --bench learning`.
#[test]
fn with_known_truth_learning_helps_and_a_lucky_streak_does_not_hurt() {
    use simulation::{Arm, Found, Size, World, simulate};
    let size = Size { world: World::Steady, runs: 16, debates: 200, held_out: 120 };
    let table = simulate(size, &[0, 3, 45]);
    let accuracy = |after: usize, arm: Arm| Found::mean(&table[&(after, arm)].accuracy);
    let tail = |after: usize, arm: Arm| Found::tail(&table[&(after, arm)].accuracy);
    let stated = |after: usize, arm: Arm| Found::mean(&table[&(after, arm)].confidence_error);
    // Without outcomes nothing differs.
    assert_eq!(accuracy(0, Arm::Ours), accuracy(0, Arm::None));
    assert_eq!(stated(0, Arm::Ours), stated(0, Arm::None));
    // Few outcomes: naive averages pay for their luck, ours does not.
    assert!(accuracy(3, Arm::Ours) > accuracy(3, Arm::Naive), "{table:?}");
    assert!(tail(3, Arm::Ours) >= tail(3, Arm::None) - 0.03, "{table:?}");
    // Many: the verdict is right more often, and confidence means more.
    assert!(accuracy(45, Arm::Ours) > accuracy(45, Arm::None) + 0.01, "{table:?}");
    assert!(tail(45, Arm::Ours) >= tail(45, Arm::None) - 0.01, "{table:?}");
    assert!(stated(45, Arm::Ours) < stated(45, Arm::None) / 2.0, "{table:?}");
}
