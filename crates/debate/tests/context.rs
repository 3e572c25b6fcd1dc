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

/// A table where a person has the first seat, begun.
fn with_person(question: Question) -> (Debate, Vec<Event>) {
    let mut brief = support::brief("collaborative", 3, 2);
    brief.question = question;
    brief.effort = DebateEffort::Debate;
    brief.agents[0].provider = PERSON_PROVIDER.into();
    let (mut debate, opening) = support::open(brief);
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    (debate, log)
}

/// Covers: 18-person
#[test]
fn a_person_answers_first_unseen_by_the_others_and_is_not_billed() {
    let (mut debate, mut log) = with_person(Question::Open);
    assert_eq!(words(&log)[2..], ["roundOpened", "contextAsked", "paused"], "nobody else is asked");
    let said = "In stages. It is cheaper.\n\nConfidence: 80 %";
    let answered = says(&mut debate, 1, said);
    assert_eq!(words(&answered), ["answered"], "an answer like any other");
    log.extend(answered);
    assert!(says(&mut debate, 1, "Once more.").is_empty(), "it is given once");
    log.extend(debate.hear(Input::Go));
    let turn = debate.room().rounds[0].turn(SeatId(0)).unwrap().clone();
    let read = (turn.answer.position.as_str(), turn.answer.confidence, turn.model.as_str());
    assert_eq!(read, ("In stages.", Some(0.8), PERSON_MODEL));
    assert_eq!(turn.answer.reasoning, "In stages. It is cheaper.");
    assert_eq!(debate.room().spent, Tally::default(), "a person is not billed");
    // The others are asked now, and see nothing of it.
    let others = asks(&debate);
    assert_eq!(others.len(), 2);
    assert!(others.iter().all(|ask| !ask.user.contains("cheaper")), "{}", others[0].user);
    for ask in &others {
        log.extend(replies(&mut debate, ask, Vec::new()));
    }
    assert_eq!(debate.room().rounds.len(), 2, "{:?}", words(&log));
    let Status::Paused { reason } = &debate.room().status else { panic!("not paused") };
    assert!(reason.sentence().contains("It is your turn in round 2 of 2"), "{reason:?}");
    assert_eq!(Debate::replay(log).unwrap().next_step(), debate.next_step());
    // Going on without an answer asks again.
    assert_eq!(words(&debate.hear(Input::Go)), ["started", "paused"]);
    says(&mut debate, 2, "Still.");
    debate.hear(Input::Go);
    let seen = asks(&debate);
    assert!(seen.iter().all(|ask| ask.user.contains("It is cheaper.")), "{}", seen[0].user);
}

#[test]
fn a_person_may_pass_and_is_asked_again_where_too_few_answered() {
    let (mut debate, _) = with_person(Question::Open);
    let pass = |debate: &mut Debate, id| {
        let given = GivenContext::Declined;
        let events = debate.hear(Input::ContextGiven { request: ContextId(id), given });
        debate.hear(Input::Go);
        words(&events)
    };
    assert_eq!(pass(&mut debate, 1), ["missed"]);
    let gap = debate.room().rounds[0].gap(SeatId(0)).unwrap().clone();
    assert_eq!((gap.class, gap.bill.cost), (FailureClass::Passed, Some(MicroUsd::ZERO)));
    let others = asks(&debate);
    replies(&mut debate, &others[0], Vec::new());
    let failure = Failure::unusable("nothing");
    let lost = debate.hear(Input::Failed { ask: others[1].id, failure });
    assert_eq!(words(&lost), ["missed", "paused"], "one answer is too few");
    debate.hear(Input::Go);
    assert_eq!(debate.room().open_requests().count(), 1, "the person is asked once more");
    says(&mut debate, 2, "Then in stages.");
    assert!(debate.room().rounds[0].turn(SeatId(0)).is_some());
}

#[test]
fn a_person_answers_a_closed_question_as_people_write() {
    let options = vec!["SQLite".to_owned(), "PostgreSQL".to_owned()];
    for (question, said, wanted) in [
        (Question::YesNo, "Yes, because it is cheaper.", Some("yes")),
        (Question::YesNo, "nein", Some("no")),
        (Question::YesNo, "Perhaps some day.", None),
        (Question::Options { options: options.clone() }, "SQLite: it is one file.", Some("SQLite")),
        (Question::Options { options }, "Answer: PostgreSQL", Some("PostgreSQL")),
        (Question::Number { unit: None }, "40, as last year", Some("40")),
        (Question::Probability, "70 %, it nearly always rains", Some("0.7")),
    ] {
        let (mut debate, _) = with_person(question);
        let asked = debate.room().context[0].clone();
        assert_eq!(debate.is_countable(&asked, said), wanted.is_some(), "{said}");
        says(&mut debate, 1, said);
        let turn = debate.room().rounds[0].turn(SeatId(0)).unwrap();
        let chosen = turn.answer.answer.as_ref().map(|choice| match choice {
            Choice::Option(option) => option.clone(),
            Choice::Number(number) | Choice::Probability(number) => number.to_string(),
        });
        assert_eq!(chosen.as_deref(), wanted, "{said}");
    }
}
