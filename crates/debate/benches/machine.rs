//! How fast the machine alone is: scripted answers, no model, no disk. Prints
//! debates per second, where the time goes, what a round costs as rounds grow,
//! and the size of views beside the full transcript.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/support/rooms.rs"]
mod rooms;
#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use debate::analysis::{self, AnalysisInputs, Similarities};
use debate::briefing::{self, SharedParts, ViewReader};
use debate::model::*;
use debate::reading::{self, ExpectedAnswer, RepairChance};
use debate::{Debate, ledger};

/// The debate that is meant when debates a second are spoken of.
const AGENTS: usize = 3;
const ROUNDS: u32 = 3;

fn machine(criterion: &mut Criterion) {
    let (brief, script) = (support::brief("collaborative", AGENTS, ROUNDS), Script::short());
    criterion.bench_function("debate 3 agents x 3 rounds", |bencher| {
        bencher.iter(|| whole(brief.clone(), &script));
    });
    debates_a_second();
    where_the_time_goes();
    cost_per_round();
    cost_of_a_view();
    view_sizes();
}

/// Answers written beforehand, so that writing them is not measured.
struct Script {
    replies: Vec<Vec<Reply>>,
}

impl Script {
    fn new(rounds: u32, agents: usize, write: impl Fn(&AskId) -> Reply) -> Script {
        let ask = |round, seat| AskId {
            round,
            wave: 1,
            party: Party::Seat(SeatId(seat)),
            task: Task::Speak,
            about: None,
        };
        let replies = (1..=rounds)
            .map(|round| (0..agents).map(|seat| write(&ask(round, seat))).collect())
            .collect();
        Script { replies }
    }

    fn short() -> Script {
        Script::new(20, support::NAMES.len(), support::reply)
    }

    /// Answers of 400 words, about what a model writes.
    fn long() -> Script {
        Script::new(20, support::NAMES.len(), |ask| {
            let mut reply = support::reply(ask);
            let mut answer: serde_json::Value =
                serde_json::from_str(&reply.text).expect("the script is JSON");
            let seat = ask.party.seat().map_or(0, SeatId::index);
            let sentences = (0..25).map(|number| {
                format!(
                    "In point {number} seat {seat} weighs what round {} brought against the cost \
                     of running two pipelines.",
                    ask.round
                )
            });
            answer["reasoning"] = sentences.collect::<Vec<_>>().join(" ").into();
            reply.text = answer.to_string();
            reply
        })
    }

    fn reply(&self, ask: &AskId) -> Box<Reply> {
        let seat = ask.party.seat().map_or(0, SeatId::index);
        Box::new(self.replies[ask.round as usize - 1][seat].clone())
    }
}

fn whole(brief: Brief, script: &Script) -> Debate {
    let (mut debate, _) = support::open(brief);
    debate.hear(Input::Go);
    loop {
        match debate.next_step() {
            Step::Ask(asks) => {
                for ask in asks {
                    black_box(
                        debate.hear(Input::Replied { ask: ask.id, reply: script.reply(&ask.id) }),
                    );
                }
            }
            Step::Done(_) => return debate,
            other => panic!("{other:?}"),
        }
    }
}

fn micros(time: Duration, runs: u32) -> f64 {
    time.as_secs_f64() * 1e6 / f64::from(runs)
}

/// The processor time this thread has had, which other programs do not lengthen;
/// the clock where the system does not tell it.
fn processor_time(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|line| line.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn debates_a_second() {
    const RUNS: u32 = 3000;
    let (brief, script) = (support::brief("collaborative", AGENTS, ROUNDS), Script::short());
    let epoch = Instant::now();
    let best = (0..5).map(|_| {
        let started = processor_time(epoch);
        for _ in 0..RUNS {
            black_box(whole(brief.clone(), &script));
        }
        processor_time(epoch).saturating_sub(started)
    });
    let times: Vec<f64> = best.map(|time| micros(time, RUNS)).collect();
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "\n{:.0} debates a second on one core ({AGENTS} agents, {ROUNDS} rounds); \
         processor microseconds per debate in five runs of {RUNS}: {times:.0?}",
        1e6 / best
    );
}

/// One debate taken apart: the same work, done once more piece by piece beside
/// the machine, so that each piece can be timed alone.
#[derive(Default)]
struct Parts {
    opening: Duration,
    next_step: Duration,
    views: Duration,
    hear: Duration,
    reading: Duration,
    entering: Duration,
    weighing: Duration,
    summary: Duration,
    analysis: Duration,
    verdict: Duration,
}

fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    *sum += started.elapsed();
    result
}

fn where_the_time_goes() {
    const RUNS: u32 = 2000;
    let (brief, script) = (support::brief("collaborative", AGENTS, ROUNDS), Script::short());
    let mut parts = Parts::default();
    for _ in 0..RUNS {
        taken_apart(brief.clone(), &script, &mut parts);
    }
    let of = |time: Duration| micros(time, RUNS);
    let rows = [
        ("opening", of(parts.opening)),
        ("next_step", of(parts.next_step)),
        ("  views", of(parts.views)),
        ("  prompts and schemas", of(parts.next_step.saturating_sub(parts.views))),
        ("hear", of(parts.hear)),
        ("  reading", of(parts.reading)),
        ("  ledger: entering", of(parts.entering)),
        ("  ledger: weighing", of(parts.weighing)),
        ("  summaries", of(parts.summary)),
        ("  analysis", of(parts.analysis)),
        ("  verdict", of(parts.verdict)),
    ];
    println!("\nwhere the time goes, microseconds per debate (pieces are timed once more alone)");
    for (name, time) in rows {
        println!("  {name:<24}{time:>8.1}");
    }
}

fn taken_apart(brief: Brief, script: &Script, parts: &mut Parts) {
    let (mut debate, _) = timed(&mut parts.opening, || support::open(brief));
    debate.hear(Input::Go);
    let mut index = ledger::LedgerIndex::default();
    let mut book = Ledger::default();
    loop {
        let asks = match timed(&mut parts.next_step, || debate.next_step()) {
            Step::Ask(asks) => asks,
            Step::Done(_) => break,
            other => panic!("{other:?}"),
        };
        let shared = SharedParts::default();
        for ask in &asks {
            timed(&mut parts.views, || view_of(&debate, &ask.id, &shared));
        }
        let wave = asks.first().map(|ask| ask.id);
        for ask in asks {
            let reply = script.reply(&ask.id);
            let expected = ExpectedAnswer {
                evidence: false,
                round: ask.id.round,
                stance: None,
                vote: ask.id.round > 1,
                critiques: false,
                ruling: false,
                question: &Question::Open,
                known_claims: debate.room().ledger.claims.len(),
                sources: &[],
            };
            timed(&mut parts.reading, || {
                black_box(reading::read(&reply.text, &expected, RepairChance::First))
            });
            timed(&mut parts.hear, || {
                black_box(debate.hear(Input::Replied { ask: ask.id, reply }))
            });
        }
        let round = wave.map_or(1, |ask| ask.round);
        after_round(&debate, round, &mut index, &mut book, parts);
    }
    let exit = Exit { rule: "rounds".into(), details: String::new() };
    timed(&mut parts.verdict, || black_box(analysis::verdict(debate.room(), debate.plan(), &exit)));
}

fn view_of(debate: &Debate, ask: &AskId, shared: &SharedParts) -> briefing::View {
    let fence = Fence::new(&debate.room().brief.fence_key, ask);
    briefing::view(&ViewReader {
        room: debate.room(),
        plan: debate.plan(),
        seat: ask.party.seat().unwrap_or(SeatId(0)),
        round: ask.round,
        wave: ask.wave as usize - 1,
        fence: &fence,
        shared,
    })
}

fn after_round(
    debate: &Debate,
    round: Round,
    index: &mut ledger::LedgerIndex,
    book: &mut Ledger,
    parts: &mut Parts,
) {
    let weights = EvidenceWeights::default();
    for turn in debate.room().round(round).into_iter().flat_map(RoundRecord::answered) {
        timed(&mut parts.entering, || black_box(index.enter(book, turn)));
    }
    timed(&mut parts.weighing, || ledger::weigh(book, &|kind| weights.of(kind)));
    timed(&mut parts.summary, || black_box(briefing::summarise(debate.room(), round)));
    timed(&mut parts.analysis, || {
        black_box(analysis::analyse(&AnalysisInputs {
            room: debate.room(),
            plan: debate.plan(),
            round,
            clerk: None,
            similarities: Similarities::absent("no embedder is set"),
            weights: &weights,
        }))
    });
}

/// How long each round of one debate took.
fn rounds(brief: Brief, script: &Script) -> Vec<Duration> {
    let (mut debate, _) = support::open(brief);
    let mut rounds = Vec::new();
    debate.hear(Input::Go);
    loop {
        let started = Instant::now();
        let Step::Ask(asks) = debate.next_step() else { return rounds };
        for ask in asks {
            black_box(debate.hear(Input::Replied { ask: ask.id, reply: script.reply(&ask.id) }));
        }
        rounds.push(started.elapsed());
    }
}

fn cost_per_round() {
    const RUNS: u32 = 100;
    let script = Script::short();
    let fastest = |agents: usize| {
        let brief = quiet(support::brief("collaborative", agents, 20));
        let mut best = vec![Duration::MAX; 20];
        for _ in 0..RUNS {
            for (best, round) in best.iter_mut().zip(rounds(brief.clone(), &script)) {
                *best = round.min(*best);
            }
        }
        best.into_iter().map(|time| micros(time, 1)).collect::<Vec<f64>>()
    };
    println!(
        "\nmicroseconds per round (the last one includes the verdict), best of {RUNS} debates"
    );
    println!("  round    3 agents   5 agents  10 agents");
    let (three, five, ten) = (fastest(3), fastest(5), fastest(10));
    for (index, ((three, five), ten)) in three.iter().zip(&five).zip(&ten).enumerate() {
        println!("  {:>5}  {three:>10.0} {five:>10.0} {ten:>10.0}", index + 1);
    }
}

/// Views of rooms made at random, long answers in many languages included: each as the
/// first of its wave, which makes the parts that the others share.
fn cost_of_a_view() {
    const RUNS: u32 = 200;
    println!(
        "\nmicroseconds per view (best of {RUNS}), 10 agents, 300-word answers in many scripts"
    );
    println!("  round     named  anonymous");
    for finished in [1, 4, 9, 14, 18] {
        let shape = rooms::Shape {
            seed: 7,
            agents: 10,
            rounds: finished,
            words: 300,
            claims: 3,
            contested: 30,
            window: None,
            gaps: 0,
        };
        let mut room = rooms::room(&shape);
        rooms::open_round(&mut room, &shape, 0);
        let time = |plan: ViewPlan| {
            let (plan, round) = (rooms::plan(plan), finished + 1);
            let fence = rooms::fence(&room, round, SeatId(0));
            let once = |_| {
                let reader = ViewReader {
                    room: &room,
                    plan: &plan,
                    seat: SeatId(0),
                    round,
                    wave: 0,
                    fence: &fence,
                    shared: &SharedParts::default(),
                };
                let started = Instant::now();
                black_box(briefing::view(black_box(&reader)));
                started.elapsed()
            };
            micros((0..RUNS).map(once).min().unwrap_or_default(), 1)
        };
        let named = time(rooms::EVERYTHING);
        let anonymous = time(rooms::ANONYMOUS);
        println!("  {:>5}  {named:>8.0}  {anonymous:>9.0}", finished + 1);
    }
}

fn view_sizes() {
    println!("\nestimated tokens of a view beside the full transcript, 5 agents, 400-word answers");
    let script = Script::long();
    let (mut debate, _) = support::open(quiet(support::brief("collaborative", 5, 20)));
    debate.hear(Input::Go);
    let mut transcript = 0;
    while let Step::Ask(asks) = debate.next_step() {
        if let Some(ask) = asks.first() {
            let (round, view) = (ask.id.round, ask.shown.tokens.view);
            println!("  round {round:>2}  view {view:>6}  transcript {transcript:>7}");
        }
        for ask in asks {
            let reply = script.reply(&ask.id);
            transcript += tokens(&reply.text);
            debate.hear(Input::Replied { ask: ask.id, reply });
        }
    }
}

fn quiet(mut brief: Brief) -> Brief {
    brief.flags.groupthink_detection.enabled = false;
    brief
}

criterion_group!(benches, machine);
criterion_main!(benches);
