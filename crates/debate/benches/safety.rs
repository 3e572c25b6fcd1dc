//! What the cheap safety checks cost, beside what a debate costs: they run on
//! every text and must stay under a fiftieth of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use debate::model::*;
use debate::safety;

const RUNS: u32 = 500;

/// An answer as long as models write them, about 600 words.
const PARAGRAPH: &str = "The load is steady and the team has run a database before, so the first \
    question is what an hour of downtime costs and who is woken by it.[FACT][1] A hosted service \
    takes the backups off the table but not the restores, which nobody practises until they are \
    needed.[INFER] Against that stands the price: at this size it is three times as much, and the \
    attack surface grows with every account that can reach it.[INFER][2] ";

fn long_answer(ask: &AskId) -> String {
    let text = support::answer(ask);
    text.replace("The rest can wait.", &PARAGRAPH.repeat(8))
}

type Answers = fn(&AskId) -> String;

fn debate_time(answer: Answers) -> Duration {
    let mut spent = Duration::ZERO;
    let (mut debate, _) = support::open(support::brief("collaborative", 3, 3));
    debate.hear(Input::Go);
    loop {
        let started = Instant::now();
        let step = debate.next_step();
        spent += started.elapsed();
        let Step::Ask(asks) = step else { return spent };
        for ask in asks {
            let reply = Box::new(Reply { text: answer(&ask.id), ..support::reply(&ask.id) });
            let started = Instant::now();
            black_box(debate.hear(Input::Replied { ask: ask.id, reply }));
            spent += started.elapsed();
        }
    }
}

/// The checks of one debate of 3 agents and 3 rounds: the brief's texts and all
/// nine answers.
fn checks_time(answer: Answers) -> Duration {
    let brief = support::brief("collaborative", 3, 3);
    let plan = debate::modes::find("collaborative").expect("a mode");
    let question = Question::Open;
    let expected = debate::reading::ExpectedAnswer {
        evidence: false,
        round: 2,
        stance: None,
        vote: true,
        critiques: true,
        ruling: false,
        question: &question,
        known_claims: 9,
        sources: &[],
    };
    let id =
        AskId { round: 2, wave: 1, party: Party::Seat(SeatId(1)), task: Task::Speak, about: None };
    let read = debate::reading::read(&answer(&id), &expected, debate::reading::RepairChance::Last);
    let started = Instant::now();
    black_box(safety::blocked_fields(&brief));
    black_box(safety::triggers(&brief, plan));
    for _ in 0..9 {
        black_box(safety::screen_answer(black_box(&read.answer)));
    }
    started.elapsed()
}

fn safety_checks(criterion: &mut Criterion) {
    let long = PARAGRAPH.repeat(8);
    criterion.bench_function("screen 600 words", |bencher| {
        bencher.iter(|| safety::screen(black_box(&long)));
    });
    let rows: [(&str, Answers); 2] =
        [("short answers", support::answer), ("answers of 600 words", long_answer)];
    for (name, answer) in rows {
        // The best of many runs: other work on the machine only ever adds time.
        let debate = (0..RUNS).map(|_| debate_time(answer)).min().unwrap_or_default();
        let checks = (0..RUNS).map(|_| checks_time(answer)).min().unwrap_or_default();
        let share = checks.as_secs_f64() / debate.as_secs_f64() * 100.0;
        println!("{name}: a debate takes {debate:?}, its checks {checks:?}: {share:.2} %");
    }
}

criterion_group!(benches, safety_checks);
criterion_main!(benches);
