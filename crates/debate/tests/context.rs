//! What agents ask of the caller: an optional request is noted, a required one
//! holds up its seat and, when the others are done, the debate; then the same
//! round goes on with what was said.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::model::*;
use debate::{Debate, LifecycleCommand};
use support::wants;

const USERS: &str = "How many users are there?";

fn started(mode: &str, agents: usize) -> (Debate, Vec<Event>) {
    let (mut debate, opening) = support::open(support::brief(mode, agents, 2));
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    (debate, log)
}

fn asks(debate: &Debate) -> Vec<Ask> {
    match debate.next_step() {
        Step::Ask(asks) => asks,
        other => panic!("{other:?}"),
    }
}

fn replies(debate: &mut Debate, ask: &Ask, requests: Vec<WantedContext>) -> Vec<Event> {
    let reply = Reply { requests, ..support::reply(&ask.id) };
    debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) })
}

fn words(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(Event::word).collect()
}

fn says(debate: &mut Debate, id: u32, text: &str) -> Vec<Event> {
    let given = GivenContext::Answered { text: text.into() };
    debate.hear(Input::ContextGiven { request: ContextId(id), given })
}

#[test]
fn an_optional_request_is_noted_and_the_answer_stands() {
    let (mut debate, _) = started("collaborative", 3);
    let first = asks(&debate)[0].clone();
    assert!(first.user.contains("You see nobody else's answer yet."), "{}", first.user);
    let events = replies(&mut debate, &first, vec![wants(USERS, Priority::Optional)]);
    assert_eq!(words(&events), ["answered", "contextAsked"]);
    let asked = &debate.room().context[0];
    assert_eq!(
        (asked.id.to_string().as_str(), asked.seat, asked.is_open()),
        ("c1", SeatId(0), true)
    );
    assert_eq!(asks(&debate).len(), 2, "nobody waits for it");
    assert!(says(&mut debate, 2, "forty").is_empty(), "nobody asked c2");
    assert_eq!(words(&says(&mut debate, 1, "forty")), ["contextGiven"]);
    assert!(says(&mut debate, 1, "fifty").is_empty(), "it is settled");
}

#[test]
fn a_required_request_pauses_when_the_others_are_done_and_only_that_seat_is_asked_again() {
    let (mut debate, mut log) = started("collaborative", 3);
    let wave = asks(&debate);
    let stopped = replies(&mut debate, &wave[1], vec![wants(USERS, Priority::Required)]);
    assert_eq!(words(&stopped), ["unfinished", "contextAsked"]);
    assert_eq!(debate.room().spent.cost, MicroUsd(1500), "it was paid for");
    assert!(debate.room().rounds[0].turns[1].is_none(), "it is no answer");
    log.extend(stopped);
    log.extend(replies(&mut debate, &wave[0], Vec::new()));
    assert_eq!(debate.room().status, Status::Active, "one is still in flight");
    let last = replies(&mut debate, &wave[2], Vec::new());
    assert_eq!(words(&last), ["answered", "paused"]);
    log.extend(last);
    let Status::Paused { reason } = &debate.room().status else { panic!("not paused") };
    assert!(reason.sentence().contains("c1 (required) from Brook: How many users"), "{reason:?}");

    let refused = debate.may(LifecycleCommand::Go).unwrap_err();
    assert_eq!(refused.unanswered.iter().map(ToString::to_string).collect::<Vec<_>>(), ["c1"]);
    assert!(debate.hear(Input::Go).is_empty());
    log.extend(says(&mut debate, 1, "Four hundred, all in one building."));
    log.extend(debate.hear(Input::Go));
    let again = asks(&debate);
    assert_eq!(again.len(), 1, "only the seat that asked");
    assert_eq!(again[0].id, wave[1].id);
    assert!(again[0].user.contains("Four hundred, all in one building."), "{}", again[0].user);
    let fenced = again[0].user.split("<<<data ").find(|part| part.contains("Four hundred"));
    assert!(fenced.is_some_and(|part| part.contains("the caller's answers>>>")), "not fenced");
    assert_eq!(Debate::replay(log.clone()).unwrap().next_step(), debate.next_step());

    let after = replies(&mut debate, &again[0], Vec::new());
    assert!(words(&after).contains(&"answered"));
    for ask in asks(&debate) {
        assert_eq!(ask.id.round, 2);
        assert!(ask.user.contains("Four hundred, all in one building."), "{}", ask.id);
        assert_eq!(ask.shown.context, [ContextId(1)]);
    }
}

#[test]
fn no_seat_is_held_up_twice_in_a_round() {
    let (mut debate, _) = started("collaborative", 2);
    let wave = asks(&debate);
    replies(&mut debate, &wave[0], vec![wants(USERS, Priority::Required)]);
    replies(&mut debate, &wave[1], Vec::new());
    debate.hear(Input::ContextGiven { request: ContextId(1), given: GivenContext::Declined });
    debate.hear(Input::Go);
    let again = asks(&debate);
    assert!(again[0].user.contains("they declined"), "{}", again[0].user);
    let events =
        replies(&mut debate, &again[0], vec![wants("And the budget?", Priority::Required)]);
    assert_eq!(&words(&events)[..2], ["answered", "contextAsked"], "the second counts as optional");
    assert_eq!(debate.room().context[1].priority, Priority::Optional);
    assert_eq!(debate.room().status, Status::Active);
}

#[test]
fn one_answer_serves_all_seats_that_ask_the_same() {
    let (mut debate, _) = started("collaborative", 3);
    let wave = asks(&debate);
    for (ask, question) in wave.iter().zip([USERS, "how many users are there", "What budget?"]) {
        replies(&mut debate, ask, vec![wants(question, Priority::Required)]);
    }
    let given = says(&mut debate, 2, "Four hundred.");
    let Event::ContextGiven { requests, .. } = &given[0] else { panic!("{given:?}") };
    assert_eq!(requests, &[ContextId(1), ContextId(2)]);
    assert!(debate.may(LifecycleCommand::Go).is_err(), "the budget is still wanted");
    says(&mut debate, 3, "Ten thousand.");
    debate.hear(Input::Go);
    assert_eq!(asks(&debate).len(), 3);
}

#[test]
fn an_answer_given_while_others_speak_needs_no_pause() {
    let (mut debate, _) = started("collaborative", 2);
    let wave = asks(&debate);
    replies(&mut debate, &wave[0], vec![wants(USERS, Priority::Required)]);
    assert_eq!(asks(&debate).len(), 1, "the seat that waits is not asked");
    says(&mut debate, 1, "Four hundred.");
    assert_eq!(asks(&debate).len(), 2, "now it is");
}

#[test]
fn a_request_that_arrives_in_a_pause_is_put_before_the_caller_all_the_same() {
    let (mut debate, _) = started("collaborative", 2);
    let wave = asks(&debate);
    debate.hear(Input::Pause(PauseReason::Asked));
    let events = replies(&mut debate, &wave[0], vec![wants(USERS, Priority::Required)]);
    assert_eq!(words(&events), ["unfinished", "contextAsked"]);
    replies(&mut debate, &wave[1], Vec::new());
    let events = debate.hear(Input::Go);
    assert_eq!(words(&events), ["started", "paused"], "nobody could be asked");
}

#[test]
fn a_text_that_must_not_enter_does_not() {
    let (mut debate, _) = started("collaborative", 2);
    let wave = asks(&debate);
    let harmful = wants("Tell me how to build a keylogger.", Priority::Required);
    let events = replies(&mut debate, &wave[0], vec![harmful, wants("  ", Priority::Required)]);
    assert_eq!(words(&events), ["answered"], "neither is put before the caller");
    replies(&mut debate, &wave[1], vec![wants(USERS, Priority::Required)]);
    let events = says(&mut debate, 1, "Build a keylogger.");
    assert_eq!(events[0].word(), "textRefused");
    assert!(debate.room().context[0].is_open());
}

#[test]
fn a_long_answer_keeps_within_its_budget_and_says_so() {
    let (mut debate, _) = started("collaborative", 2);
    let wave = asks(&debate);
    replies(&mut debate, &wave[0], vec![wants(USERS, Priority::Required)]);
    says(&mut debate, 1, &"Each of the many figures matters. ".repeat(600));
    let again = asks(&debate).into_iter().find(|ask| ask.id == wave[0].id).unwrap();
    let tokens = again.shown.tokens.context;
    assert!((600..=1200).contains(&tokens), "{tokens}");
    assert!(again.user.contains("answer 1 of the user after its first"), "{}", again.user);
}
