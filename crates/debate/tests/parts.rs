//! Answers in two parts: the working is logged before its record is asked for,
//! its lines stand, and only what is missing is asked for again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::Debate;
use debate::model::*;

const TWO_CALLS: AnswerStyle = AnswerStyle { parts: AnswerParts::TwoCalls, small: false };
const SMALL: AnswerStyle = AnswerStyle { parts: AnswerParts::TwoCalls, small: true };
const ONE_GO: AnswerStyle = AnswerStyle { parts: AnswerParts::OneGo, small: false };
const PAID: MicroUsd = MicroUsd(1500);

fn brief(style: AnswerStyle) -> Brief {
    Brief {
        question: Question::Number { unit: None },
        styles: vec![style; 2],
        ..support::brief("collaborative", 2, 1)
    }
}

fn ask(seat: usize, task: Task) -> AskId {
    AskId { round: 1, wave: 1, party: Party::Seat(SeatId(seat)), task, about: None }
}

fn said(text: &str) -> Reply {
    Reply { text: text.into(), ..support::reply(&ask(0, Task::Speak)) }
}

fn begun(style: AnswerStyle) -> (Debate, Vec<Event>) {
    let (mut debate, opening) = support::open(brief(style));
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    (debate, log)
}

fn hear(debate: &mut Debate, ask: AskId, reply: Reply) -> Vec<Event> {
    debate.hear(Input::Replied { ask, reply: Box::new(reply) })
}

fn open_ask(debate: &Debate, wanted: AskId) -> Ask {
    let Step::Ask(asks) = debate.next_step() else { panic!("nothing is asked") };
    asks.into_iter().find(|ask| ask.id == wanted).unwrap()
}

fn turn(events: &[Event]) -> Turn {
    let turn = events.iter().find_map(|event| match event {
        Event::Answered { turn, .. } => Some((**turn).clone()),
        _ => None,
    });
    turn.unwrap_or_else(|| panic!("no answer in {events:?}"))
}

const WORKING: &str = "Nine and nine are eighteen.\n\nAnswer: 18\nConfidence: 0.9";
const RECORD: &str = r#"{"citations":[],"claims":[{"text":"9 + 9 = 18","label":"INFER",
    "evidenceType":"LOGICAL","citations":[]}],"position":"It is 18.","keyPoints":["9 + 9"],
    "answer":81,"cannotSay":null,"confidence":0.3}"#;

/// Covers: 3-working
#[test]
fn the_working_is_free_and_the_record_a_form() {
    let (mut debate, mut log) = begun(TWO_CALLS);
    let first = open_ask(&debate, ask(0, Task::Speak));
    assert_eq!(first.form, ReplyForm::Words);
    assert!(!first.system.contains("JSON"), "{}", first.system);
    assert!(first.system.contains("Answer: <the number alone"), "{}", first.system);
    let events = hear(&mut debate, ask(0, Task::Speak), said(WORKING));
    assert!(matches!(&events[..], [Event::Worked { .. }]), "{events:?}");
    log.extend(events);

    // A kill between the two: the working is there, and only the record is asked for.
    let mut debate = Debate::replay(log).unwrap();
    assert_eq!(debate.room().spent.calls, 1);
    assert_eq!(debate.awaited(), [ask(0, Task::Record), ask(1, Task::Speak)]);
    let second = open_ask(&debate, ask(0, Task::Record));
    assert_eq!((second.form, second.tools), (ReplyForm::Json, ToolPolicy::NONE));
    assert!(second.user.contains("Nine and nine are eighteen."), "{}", second.user);
    assert!(second.schema.pointer("/properties/reasoning").is_none());
    let turn = turn(&hear(&mut debate, ask(0, Task::Record), said(RECORD)));
    assert_eq!(turn.answer.answer, Some(Choice::Number(18.0)), "the line stands");
    assert_eq!(turn.answer.confidence, Some(0.9));
    assert_eq!(turn.answer.reasoning, WORKING);
    assert_eq!((turn.answer.claims.len(), turn.repaired), (1, false));
    assert_eq!(turn.raw, RECORD);
    let spent = debate.room().spent;
    assert_eq!((spent.calls, spent.cost), (2, PAID + PAID));
    // The turn at the table holds both calls, and is billed once.
    let kept = debate.room().round(1).unwrap().turn(SeatId(0)).unwrap();
    assert_eq!((kept.bills().count(), kept.whole_bill().cost), (2, Some(PAID + PAID)));
    assert_eq!(kept.bill.cost, Some(PAID));
}

#[test]
fn a_record_that_fails_leaves_what_the_lines_say() {
    let (mut debate, _) = begun(TWO_CALLS);
    hear(&mut debate, ask(0, Task::Speak), said(WORKING));
    let failure = Failure::unusable("it answered with nothing");
    let events = debate.hear(Input::Failed { ask: ask(0, Task::Record), failure });
    let turn = turn(&events);
    assert_eq!(turn.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(turn.answer.position, "Nine and nine are eighteen.");
    assert!(!turn.answer.unstructured && !turn.repaired);
}

/// Covers: 3-missing-fields
#[test]
fn only_what_is_missing_is_asked_for_again() {
    let (mut debate, mut log) = begun(SMALL);
    let cut = Reply { finish: Finish::CutOff, ..said("First nine. Then nine more, which") };
    log.extend(hear(&mut debate, ask(0, Task::Speak), cut));
    let mut debate = Debate::replay(log).unwrap();
    let repair = open_ask(&debate, ask(0, Task::Repair));
    let fields = repair.schema.pointer("/properties").unwrap().as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["answer", "confidence", "cannotSay"]);
    assert!(repair.user.contains("Then nine more, which"), "{}", repair.user);
    let added = said(r#"{"answer": 18, "cannotSay": null, "confidence": 0.6}"#);
    let turn = turn(&hear(&mut debate, ask(0, Task::Repair), added));
    assert_eq!(turn.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(turn.answer.confidence, Some(0.6));
    assert_eq!(turn.answer.reasoning, "First nine. Then nine more, which");
    assert!(turn.repaired);
}

#[test]
fn where_nothing_better_comes_the_working_stands_alone() {
    let (mut debate, _) = begun(SMALL);
    hear(&mut debate, ask(0, Task::Speak), said("I would say eighteen."));
    let failure = Failure::unusable("it answered with nothing");
    let turn = turn(&debate.hear(Input::Failed { ask: ask(0, Task::Repair), failure }));
    assert_eq!((turn.answer.answer, turn.answer.confidence), (None, None));
    assert_eq!(turn.answer.reasoning, "I would say eighteen.");
}

#[test]
fn a_small_model_is_not_asked_to_copy_what_its_lines_say() {
    let (mut debate, _) = begun(SMALL);
    let first = open_ask(&debate, ask(0, Task::Speak));
    let words = |text: &str| text.split_whitespace().count();
    assert!(words(&first.system) <= 25, "{}", first.system);
    let topic = words(&debate.room().brief.topic);
    assert!(words(&first.user) <= topic + 40, "{}", first.user);
    let turn = turn(&hear(&mut debate, ask(0, Task::Speak), said(WORKING)));
    assert_eq!(turn.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(debate.room().spent.calls, 1);
    // Nor is an abstention asked again.
    let unsure = said("The price is missing.\nAnswer: cannot say, no price\nConfidence: 0.1");
    let events = hear(&mut debate, ask(1, Task::Speak), unsure);
    let Event::Answered { turn, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(turn.answer.cannot_say.as_deref(), Some("no price"));
}

/// Covers: 3-working
#[test]
fn in_one_go_the_words_come_before_the_record() {
    let (mut debate, _) = begun(ONE_GO);
    let first = open_ask(&debate, ask(0, Task::Speak));
    assert_eq!(first.form, ReplyForm::WordsThenRecord);
    assert!(first.system.contains("submit_response"), "{}", first.system);
    let both = Reply { working: WORKING.into(), ..said(RECORD) };
    let read = turn(&hear(&mut debate, ask(0, Task::Speak), both));
    assert_eq!(read.answer.answer, Some(Choice::Number(18.0)));
    assert_eq!(read.answer.reasoning, WORKING);
    assert_eq!(debate.room().spent.calls, 1);
    // A model that only wrote is asked for the record as others are.
    let events = hear(&mut debate, ask(1, Task::Speak), said(WORKING));
    assert!(matches!(&events[..], [Event::Worked { .. }]), "{events:?}");
    let events = hear(&mut debate, ask(1, Task::Record), said(RECORD));
    assert_eq!(turn(&events).answer.claims.len(), 1);
}

#[test]
fn a_whole_object_is_taken_as_it_is() {
    let (mut debate, _) = begun(TWO_CALLS);
    let whole = said(&RECORD.replacen('{', r#"{"reasoning":"Nine and nine.","#, 1));
    let turn = turn(&hear(&mut debate, ask(0, Task::Speak), whole));
    assert_eq!(turn.answer.reasoning, "Nine and nine.");
    assert_eq!(turn.answer.answer, Some(Choice::Number(81.0)));
}
