//! How much is asked for: sealed first answers until one is clear, talk only
//! where they are split, and the same after every cut of the log.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::Debate;
use debate::model::*;
use serde_json::{Value, json};

/// What a seat answers in a round.
type Says = fn(seat: usize, round: Round) -> Value;

fn brief(effort: DebateEffort, seats: usize) -> Brief {
    let mut brief = support::brief("collaborative", seats, 3);
    brief.question = Question::Number { unit: None };
    brief.effort = effort;
    brief.clerk = Some(support::agent(9));
    brief
}

struct Held {
    debate: Debate,
    /// The events of each moment with the step they lead to.
    batches: Vec<(Vec<Event>, Step)>,
    asks: Vec<Ask>,
}

impl Held {
    fn verdict(&self) -> &Verdict {
        self.debate.room().verdict.as_ref().unwrap()
    }

    fn kinds(&self) -> Vec<RoundKind> {
        self.debate.room().rounds.iter().map(|round| round.kind).collect()
    }

    fn used(&self) -> &EffortUsed {
        self.verdict().metadata.effort.as_ref().unwrap()
    }
}

fn hold(brief: Brief, says: Says) -> Held {
    hold_with(brief, says, |_, _| {})
}

fn hold_with(brief: Brief, says: Says, change: fn(&Ask, &mut Reply)) -> Held {
    let (mut debate, opening) = support::open(brief);
    let mut batches = vec![(vec![opening], debate.next_step())];
    let mut asked = Vec::new();
    let events = debate.hear(Input::Go);
    batches.push((events, debate.next_step()));
    for _ in 0..200 {
        let asks = match debate.next_step() {
            Step::Ask(asks) => asks,
            Step::Done(_) => return Held { debate, batches, asks: asked },
            other => panic!("{other:?}"),
        };
        for ask in asks {
            let mut reply = support::reply(&ask.id);
            if let Party::Seat(seat) = ask.id.party {
                let mut answer: Value = serde_json::from_str(&reply.text).unwrap();
                answer["answer"] = says(seat.index(), ask.id.round);
                reply.text = answer.to_string();
            }
            change(&ask, &mut reply);
            asked.push(ask.clone());
            let events = debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) });
            batches.push((events, debate.next_step()));
        }
    }
    panic!("the debate does not end")
}

const AGREED: Says = |_, _| json!(42);
/// Two answers that stay level for as long as anybody asks.
const SPLIT: Says =
    |seat, round| json!(if (seat as u32 + round).is_multiple_of(2) { 1 } else { 2 });

/// Covers: 7.8-adaptive
#[test]
fn three_equal_answers_are_enough() {
    let held = hold(brief(DebateEffort::Adaptive, 3), AGREED);
    assert_eq!(held.kinds(), [RoundKind::Sample]);
    assert_eq!(held.asks.len(), 3, "neither talk nor a clerk");
    let verdict = held.verdict();
    assert_eq!(verdict.metadata.exit_reason, "agreed");
    assert!(verdict.decision.answer.starts_with("42"), "{}", verdict.decision.answer);
    assert_eq!(verdict.decision.consensus_level, ConsensusLevel::High);
    assert!(verdict.decision.reason.contains("No talk was needed"), "{}", verdict.decision.reason);
    let used = held.used();
    assert_eq!((used.first_answers, used.calls, used.talked), (3, 3, false));
    assert_eq!(used.debate_calls, 12, "3 rounds of 3 seats and a clerk");
    assert_eq!(used.cost, Some(MicroUsd(4500)));
    assert_eq!(used.debate_cost, Some(MicroUsd(18_000)));
    assert!((used.posterior.unwrap() - 0.9375).abs() < 1e-6, "{used:?}");
}

#[test]
fn more_are_asked_for_while_none_is_clear() {
    // 2 to 1, then 5 to 1.
    let says: Says = |seat, round| json!(if seat == 2 && round == 1 { 7 } else { 42 });
    let held = hold(brief(DebateEffort::Adaptive, 3), says);
    assert_eq!(held.kinds(), [RoundKind::Sample, RoundKind::Sample]);
    let weighing = &held.verdict().evidence.weighing;
    assert_eq!(weighing.first_vote[0].count(), 5);
    assert!(weighing.changes.is_empty(), "another sample is no change of mind");
    let agreement = held.verdict().decision.agreement_score.unwrap();
    assert!((agreement - 10.0 / 15.0).abs() < 1e-9, "{agreement}");
    // Each sealed answer is asked for in the same words and shown nothing.
    let first = |round: Round| {
        let ask = held.asks.iter().find(|ask| ask.id.round == round).unwrap();
        (ask.system.clone(), ask.user.split("fence").next().unwrap().to_owned())
    };
    assert_eq!(first(1).0, first(2).0);
    assert!(held.asks.iter().all(|ask| ask.shown.answers.is_empty()));
    assert!(!first(2).1.contains("Position 0 of round 1"));
}

/// Covers: 7.8-adaptive
#[test]
fn a_split_is_talked_about_and_the_first_answers_keep_their_weight() {
    let held = hold(brief(DebateEffort::Adaptive, 3), SPLIT);
    use RoundKind::{Planned, Sample};
    // One round of talk: nobody found anything that can be checked.
    assert_eq!(held.kinds(), [Sample, Sample, Sample, Planned]);
    let talk = held.asks.iter().find(|ask| ask.id.round == 4 && ask.agent.is_some()).unwrap();
    assert!(talk.user.contains("Talk about these only"), "{}", talk.user);
    assert!(talk.user.contains("- 1 (") && talk.user.contains("- 2 ("), "{}", talk.user);
    assert!(!talk.shown.answers.is_empty());
    let used = held.used();
    assert_eq!((used.first_answers, used.talked), (9, true));
    let weighing = &held.verdict().evidence.weighing;
    let votes: usize = weighing.first_vote.iter().map(VoteShare::count).sum();
    assert_eq!(votes, 9);
    assert_eq!(held.verdict().metadata.exit_reason, "nothing_new");
}

#[test]
fn talk_goes_on_while_it_finds_something() {
    let mut brief = brief(DebateEffort::Adaptive, 3);
    brief.flags.groupthink_detection.enabled = false;
    let found = hold_with(brief, SPLIT, |ask, reply| {
        if ask.id.round == 4 && ask.agent.is_some() {
            let mut answer: Value = serde_json::from_str(&reply.text).unwrap();
            answer["citations"] = json!([{
                "number": 1, "title": "A table of figures", "url": "https://figures.org/4",
                "source": null, "snippet": null
            }]);
            reply.text = answer.to_string();
            reply.searches = 1;
        }
    });
    use RoundKind::{Planned, Sample};
    assert_eq!(found.kinds(), [Sample, Sample, Sample, Planned, Planned]);
}

/// Seats 0 and 1 are of one family, seat 2 of another.
#[test]
fn other_families_are_asked_before_more_samples_of_one() {
    let mut brief = brief(DebateEffort::Vote, 3);
    for (agent, family) in brief.agents.iter_mut().zip(["opal", "opal", "jade"]) {
        agent.family = Some(family.into());
    }
    let says: Says = |seat, round| json!(10 * round as usize + seat);
    let held = hold(brief, says);
    let waves: Vec<Vec<usize>> = held
        .debate
        .room()
        .rounds
        .iter()
        .map(|round| round.waves.concat().iter().map(|seat| seat.index()).collect())
        .collect();
    assert_eq!(waves, [vec![0, 1, 2], vec![0, 2], vec![1, 2], vec![0, 2]]);
}

/// Covers: 7.8-vote
#[test]
fn a_vote_never_talks_and_a_debate_always_does() {
    let vote = hold(brief(DebateEffort::Vote, 3), SPLIT);
    assert_eq!(vote.kinds(), [RoundKind::Sample; 3]);
    assert_eq!(vote.verdict().metadata.exit_reason, "vote");
    let mut small = brief(DebateEffort::Vote, 3);
    small.samples = 3;
    assert_eq!(hold(small, SPLIT).kinds(), [RoundKind::Sample]);
    let mut talk = brief(DebateEffort::Debate, 3);
    talk.flags.groupthink_detection.enabled = false;
    let talk = hold(talk, AGREED);
    assert_eq!(talk.kinds(), [RoundKind::Planned; 3]);
    assert_eq!(talk.verdict().metadata.effort, None);
    let mut open = brief(DebateEffort::Vote, 3);
    open.question = Question::Open;
    let open = hold(open, |_, _| Value::Null);
    assert_eq!(open.kinds(), [RoundKind::Planned]);
}

#[test]
fn all_abstaining_ends_at_once_without_a_decision() {
    let held = hold(brief(DebateEffort::Adaptive, 3), |_, _| Value::Null);
    assert_eq!(held.kinds(), [RoundKind::Sample]);
    let decision = &held.verdict().decision;
    assert_eq!(held.verdict().metadata.exit_reason, "abstained");
    assert_eq!(decision.consensus_level, ConsensusLevel::Unknown);
    assert_eq!(decision.action_recommendation, Action::QueryDetail);
    assert!(decision.answer.starts_with("No decision"), "{}", decision.answer);
}

#[test]
fn a_log_cut_anywhere_leads_to_the_same_step() {
    let abstains: Says = |seat, round| if seat == 0 { Value::Null } else { SPLIT(seat, round) };
    for says in [AGREED, SPLIT, abstains] {
        for effort in DebateEffort::ALL {
            let held = hold(brief(effort, 4), says);
            let mut log: Vec<Event> = Vec::new();
            for (events, step) in &held.batches {
                for event in events {
                    let text = serde_json::to_string(event).unwrap();
                    log.push(serde_json::from_str(&text).unwrap());
                    let debate = Debate::replay(log.clone()).unwrap();
                    assert!(debate.next_step() == *step, "cut after {}", event.word());
                }
            }
        }
    }
}

#[test]
fn effort_is_refused_where_it_has_no_meaning() {
    let refused = |set: fn(&mut Brief)| {
        let mut brief = brief(DebateEffort::Adaptive, 3);
        set(&mut brief);
        Debate::open(brief).unwrap_err().to_string()
    };
    let open = refused(|brief| brief.question = Question::Open);
    assert!(open.contains("effort") && open.contains("debate or vote"), "{open}");
    let moderated = refused(|brief| brief.mode = "moderated".into());
    assert!(moderated.contains("modes where all vote: collaborative, "), "{moderated}");
    assert!(!moderated.contains("devils-advocate"), "{moderated}");
    let samples = refused(|brief| brief.samples = 0);
    assert!(samples.contains("samples"), "{samples}");
}

#[test]
fn a_brief_of_an_older_log_is_a_debate() {
    let mut text = serde_json::to_value(brief(DebateEffort::Adaptive, 3)).unwrap();
    for field in ["effort", "samples", "number", "calibration"] {
        text.as_object_mut().unwrap().remove(field);
    }
    let old: Brief = serde_json::from_value(text).unwrap();
    assert_eq!((old.effort, old.samples), (DebateEffort::Debate, DEFAULT_SAMPLES));
}
