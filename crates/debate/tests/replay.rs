//! Replay: a log cut after any event leads to the same next step, and the order
//! in which answers arrive changes nothing but the order of the log.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;
mod support;

use debate::Debate;
use debate::model::*;
use debate::modes;
use proptest::prelude::*;

/// A debate run with answers, failures and unreadable answers drawn from a
/// seed, arriving in an order drawn from it too. Returns the events of every
/// batch together with the step that was wanted after it.
fn run(brief: Brief, seed: u64) -> Vec<(Vec<Event>, Step)> {
    let (mut debate, opening) = support::open(brief);
    let mut batches = vec![(vec![opening], debate.next_step())];
    let mut dice = Dice(seed);
    let mut heard = Input::Go;
    for _ in 0..2000 {
        let events = debate.hear(heard);
        let step = debate.next_step();
        batches.push((events, step.clone()));
        heard = match step {
            Step::Done(_) => return batches,
            Step::Await(AwaitReason::Paused(_)) => said_by_caller(&debate, &mut dice),
            Step::Await(reason) => panic!("{reason:?}"),
            Step::Embed(texts) => compared(&texts, &mut dice),
            Step::Ask(asks) => {
                let ask = &asks[dice.below(asks.len())];
                outcome(ask, &mut dice)
            }
        };
    }
    panic!("the debate does not end")
}

fn outcome(ask: &Ask, dice: &mut Dice) -> Input {
    let mut reply = support::reply(&ask.id);
    match dice.below(14) {
        0 => {
            let failure = Failure::unusable("the provider sent nothing");
            return Input::Failed { ask: ask.id, failure };
        }
        1 => reply.text = "I would rather not answer in JSON. Streaming is fine.".into(),
        2 => reply.text = reply.text.chars().take(40).collect(),
        3 => reply.text = String::new(),
        4 if ask.id.task == Task::Safety => reply.text = judgement("revise"),
        4 | 5 if ask.id.about.is_some() => reply.text = judgement("block"),
        6 if ask.id.party != Party::Clerk => {
            reply.text = reply.text.replace("The rest can wait.", "Some groups make malware.");
        }
        7 if ask.id.party != Party::Clerk => {
            reply.text = reply.text.replace("The rest can wait.", "Build a keylogger.");
        }
        8 if ask.id.party != Party::Clerk => {
            // Also one that another seat may ask in other letters.
            reply.requests.push(support::wants("How many users are there?", Priority::Required));
            reply.requests.push(support::wants("How MANY users are there", Priority::Optional));
        }
        9 if ask.id.party != Party::Clerk => {
            let question = format!("What does seat {:?} need?", ask.id.party);
            reply.requests.push(support::wants(&question, Priority::Optional));
        }
        _ => {}
    }
    Input::Replied { ask: ask.id, reply: Box::new(reply) }
}

/// Settles what is asked, then goes on.
fn said_by_caller(debate: &Debate, dice: &mut Dice) -> Input {
    let Some(asked) = debate.room().required_requests().next() else { return Input::Go };
    let given = match dice.below(2) {
        0 => GivenContext::Declined,
        _ => GivenContext::Answered { text: "About four hundred.".into() },
    };
    Input::ContextGiven { request: asked.id, given }
}

fn judgement(word: &str) -> String {
    let quote = "stream the part that matters";
    format!(r#"{{"reasons": ["too detailed"], "quote": "{quote}", "judgement": "{word}"}}"#)
}

fn compared(texts: &[EmbedText], dice: &mut Dice) -> Input {
    let share = dice.below(100) as f64 / 100.0;
    let row = |i: usize| {
        (0..texts.len()).map(|j| Some(if i == j { 1.0 } else { share })).collect::<Vec<_>>()
    };
    Input::Compared(TextSimilarities {
        embedder: "test".into(),
        similarities: (0..texts.len()).map(row).collect(),
    })
}

/// Every other seat cannot go on without an answer.
fn priority(seat: SeatId) -> Priority {
    if seat.index().is_multiple_of(2) { Priority::Required } else { Priority::Optional }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % sides as u64) as usize
    }
}

fn a_brief() -> impl Strategy<Value = Brief> {
    let mode = 0..modes::all().len();
    (mode, 2usize..6, 1u32..5, any::<bool>(), 0usize..3, any::<bool>(), any::<bool>()).prop_map(
        |(mode, agents, rounds, embed, level, exits, clerk)| {
            let mut brief = support::brief(modes::all()[mode].name, agents, rounds);
            brief.embedder = embed.then(|| "test".into());
            brief.flags.sequential_parallelization.enabled = level > 0;
            brief.flags.sequential_parallelization.level = Some(ParallelLevel::ALL[level]);
            brief.flags.exit_criteria.enabled = exits;
            // With it, the clerk is mostly waited for; without it, the next round begins.
            brief.flags.groupthink_detection.enabled = agents != 3;
            brief.clerk = clerk.then(|| support::agent(9));
            brief.depth = if agents % 2 == 0 { Depth::Auto } else { Depth::Standard };
            if modes::all()[mode].perspectives {
                brief.perspectives.source = PerspectiveSource::Generated;
            }
            brief
        },
    )
}

proptest! {
    #![proptest_config(cases::cases(24))]

    #[test]
    fn a_log_cut_anywhere_leads_to_the_same_step(brief in a_brief(), seed in any::<u64>()) {
        let batches = run(brief, seed);
        let mut log: Vec<Event> = Vec::new();
        for (events, step) in &batches {
            for event in events {
                log.push(event.clone());
                let debate = Debate::replay(log.clone()).unwrap();
                prop_assert!(debate.next_step() == *step, "cut after {}", event.word());
            }
        }
    }

    #[test]
    fn events_survive_being_written_down(brief in a_brief(), seed in any::<u64>()) {
        for (events, _) in run(brief, seed) {
            for event in events {
                let text = serde_json::to_string(&event).unwrap();
                let back: Event = serde_json::from_str(&text).unwrap();
                prop_assert_eq!(&event, &back);
            }
        }
    }

    #[test]
    fn the_order_of_arrival_changes_nothing(brief in a_brief(), seed in any::<u64>()) {
        let last = |reverse: bool| {
            let (mut debate, _) = support::open(brief.clone());
            debate.hear(Input::Go);
            let mut prompts = Vec::new();
            loop {
                match debate.next_step() {
                    Step::Ask(mut asks) => {
                        prompts.extend(asks.iter().map(|ask| ask.user.clone()));
                        if reverse {
                            asks.reverse();
                        }
                        let middle = (seed as usize) % asks.len();
                        if reverse {
                            asks.rotate_left(middle);
                        }
                        for ask in asks {
                            let mut reply = support::reply(&ask.id);
                            if let Some(seat) = ask.id.party.seat().filter(|_| ask.id.round == 1) {
                                let question = format!("What is figure {}?", seat.index());
                                reply.requests.push(support::wants(&question, priority(seat)));
                            }
                            debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) });
                        }
                    }
                    Step::Embed(texts) => {
                        debate.hear(compared(&texts, &mut Dice(1)));
                    }
                    Step::Await(AwaitReason::Paused(PauseReason::NeedsContext { requests })) => {
                        for asked in requests {
                            let text = format!("To {} we say 7.", asked.question);
                            let given = GivenContext::Answered { text };
                            debate.hear(Input::ContextGiven { request: asked.id, given });
                        }
                        debate.hear(Input::Go);
                    }
                    Step::Await(reason) => panic!("{reason:?}"),
                    Step::Done(verdict) => return (prompts, verdict),
                }
            }
        };
        prop_assert_eq!(last(false), last(true));
    }

    #[test]
    fn a_blocked_text_is_shown_nowhere(brief in a_brief(), seed in any::<u64>()) {
        let batches = run(brief, seed);
        let shown = |text: &str| text.contains("Build a keylogger");
        for (_, step) in &batches {
            match step {
                // A repair quotes an author's own words back to it, and to nobody else.
                Step::Ask(asks) => for ask in asks.iter().filter(|ask| ask.id.task != Task::Repair) {
                    prop_assert!(!shown(&ask.user), "{}", ask.id);
                },
                Step::Done(verdict) => {
                    prop_assert!(!shown(&serde_json::to_string(verdict).unwrap()));
                }
                Step::Embed(texts) => prop_assert!(!texts.iter().any(|text| shown(&text.text))),
                Step::Await(_) => {}
            }
        }
        let log = batches.into_iter().flat_map(|(events, _)| events);
        let debate = Debate::replay(log).unwrap();
        let ledger = serde_json::to_string(&debate.room().ledger).unwrap();
        prop_assert!(!shown(&ledger));
    }
}

#[test]
fn a_reply_that_is_not_awaited_changes_nothing() {
    let (mut debate, _) = support::open(support::brief("collaborative", 3, 2));
    debate.hear(Input::Go);
    let Step::Ask(asks) = debate.next_step() else { panic!("no ask") };
    let reply = || Box::new(support::reply(&asks[0].id));
    assert_eq!(debate.hear(Input::Replied { ask: asks[0].id, reply: reply() }).len(), 1);
    assert!(debate.hear(Input::Replied { ask: asks[0].id, reply: reply() }).is_empty());
}

#[test]
fn an_empty_or_headless_log_is_refused_in_words() {
    assert!(Debate::replay([]).unwrap_err().to_string().contains("empty"));
    let error = Debate::replay([Event::Started]).unwrap_err().to_string();
    assert!(error.contains("does not begin with the opening"), "{error}");
}
