//! How much the engine adds: many debates at once in one process, a queue of
//! many more, and one debate alone. `cargo bench -p roundtable --bench load`;
//! `-- 200` makes 200 debates instead of 1,000 and queues ten times as many.
//!
//! What is measured for each wave is the time between the return of its last
//! answer and the moment the first call of the next wave starts: the commit on
//! the disk, the reading, the analysis, the views and the prompts. The provider
//! is a timer in this process and costs next to nothing.
//!
//! Debates that begin in the same instant and are answered in the same 200 ms
//! stay in step: a thousand waves then want the processor at once, and the last
//! of them waits for the work of all. No order of work can help that, so what
//! one wave costs the processor is printed too: in step, the last of n waves
//! waits n times that, divided by the cores. Debates that begin one after the
//! other wait only for the disk and for those few that happen to coincide.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use futures::future::BoxFuture;
use roundtable::runner::{Bus, Crowd, FailPoints, Flat, Outcome, Post, Runner};
use serde_json::json;
use store::{Caps, Store};

const ROUNDS: u32 = 3;
const AGENTS: [&str; 3] = ["Ann", "Bea", "Cem"];

/// A provider that takes its time, and a stopwatch.
struct Slow {
    takes: Duration,
    watch: Mutex<Stopwatch>,
    gaps: Arc<Mutex<Vec<Duration>>>,
}

#[derive(Default)]
struct Stopwatch {
    round: Round,
    last_return: Option<Instant>,
}

impl Speaker for Slow {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let now = Instant::now();
            {
                let mut watch = self.watch.lock().unwrap();
                if ask.id.round > watch.round {
                    watch.round = ask.id.round;
                    if let Some(last) = watch.last_return.take() {
                        self.gaps.lock().unwrap().push(now - last);
                    }
                }
            }
            tokio::time::sleep(self.takes).await;
            let bill = Bill { cost: Some(MicroUsd(900)), ..Bill::default() };
            let text = answer(&ask.speaker, ask.id.round);
            self.watch.lock().unwrap().last_return = Some(Instant::now());
            Ok(Reply { text, model: "slow".into(), bill, ..Reply::default() })
        })
    }
}

fn answer(name: &str, round: Round) -> String {
    json!({
        "position": format!("{name} holds in round {round} that it should be done in stages."),
        "reasoning": format!("{name} has seen it both ways [ASSUME]. ").repeat(30),
        "keyPoints": [format!("{name}'s point of round {round}"), "stages are cheaper"],
        "confidence": 0.6,
        "vote": {"ballot": "MINOR", "objection": "name an owner"},
        "claims": [
            {"text": format!("{name} says that stage {round} costs less"), "label": "ASSUME",
             "evidenceType": "SPECULATIVE", "citations": []},
            {"text": format!("Stage {round} can be undone, says {name}"), "label": "INFER",
             "evidenceType": "LOGICAL", "citations": []},
        ],
        "citations": [],
    })
    .to_string()
}

fn brief() -> Brief {
    let agent = |name: &str| Agent {
        name: name.into(),
        provider: "ollama".into(),
        model: name.to_lowercase(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    };
    let agents = AGENTS.into_iter().map(agent).collect();
    let key = "00112233445566778899aabbccddeeff";
    let mut brief = Brief::new("Should it be done in stages?", "collaborative", agents, key);
    brief.rounds = ROUNDS;
    // A round of critical objections would be one more wave than is counted.
    brief.flags.groupthink_detection.enabled = false;
    brief
}

struct Hall {
    store: Store,
    post: Post,
    gaps: Arc<Mutex<Vec<Duration>>>,
    takes: Duration,
}

impl Hall {
    async fn open(folder: &Path, takes: Duration) -> Hall {
        let store = Store::open(&folder.join("roundtable.db")).await.unwrap();
        let post = Post::open(&store);
        Hall { store, post, gaps: Arc::default(), takes }
    }

    fn runner(&self) -> Arc<Runner> {
        let slow: Arc<dyn Speaker> = Arc::new(Slow {
            takes: self.takes,
            watch: Mutex::default(),
            gaps: Arc::clone(&self.gaps),
        });
        Arc::new(Runner {
            store: self.store.clone(),
            panel: Panel::new(AGENTS.iter().map(|_| Arc::clone(&slow)).collect(), None),
            embedder: None,
            bus: Bus::default(),
            interrupt: CancellationToken::new(),
            post: self.post.clone(),
            pricing: Arc::new(Flat(MicroUsd(1000))),
            caps: Caps { day: Some(MicroUsd::from_usd(1e6)), ..Caps::default() },
            fail: FailPoints::default(),
            toolbox: None,
        })
    }

    async fn create(&self, id: &str) {
        let (_, opening) = Debate::open(brief()).unwrap();
        self.store.create(id, 1, &[opening]).await.unwrap();
    }

    /// Runs so many debates, `most` at once; returns how long it took.
    async fn hold(&self, debates: usize, most: usize, seen: impl FnMut(usize)) -> Duration {
        self.hold_over(debates, most, Duration::ZERO, seen).await
    }

    /// The same, with their beginnings spread evenly over a time.
    async fn hold_over(
        &self,
        debates: usize,
        most: usize,
        over: Duration,
        mut seen: impl FnMut(usize),
    ) -> Duration {
        let ids: Vec<String> = (0..debates).map(|number| format!("d{number}")).collect();
        for some in ids.chunks(500) {
            futures::future::join_all(some.iter().map(|id| self.create(id))).await;
        }
        let started = Instant::now();
        let mut crowd = Crowd::new(most);
        let mut ended = 0;
        let mut count = |(id, outcome): (String, Result<Outcome, _>)| {
            match outcome {
                Ok(Outcome::Done(_)) => ended += 1,
                other => panic!("{id}: {other:?}"),
            }
            seen(ended);
        };
        for (number, id) in ids.into_iter().enumerate() {
            let turn = started + over.mul_f64(number as f64 / debates as f64);
            while let Ok(Some(one)) = tokio::time::timeout_at(turn.into(), crowd.next()).await {
                count(one);
            }
            tokio::time::sleep_until(turn.into()).await;
            crowd.add(self.runner(), id);
        }
        while let Some(one) = crowd.next().await {
            count(one);
        }
        assert_eq!(ended, debates);
        started.elapsed()
    }

    fn report(&self) -> String {
        let mut gaps = std::mem::take(&mut *self.gaps.lock().unwrap());
        gaps.sort_unstable();
        let at = |share: f64| {
            let index = ((gaps.len() as f64 - 1.0) * share) as usize;
            gaps.get(index).map_or(0.0, |gap| gap.as_secs_f64() * 1e3)
        };
        format!(
            "added per wave: p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
            at(0.5),
            at(0.99),
            at(1.0)
        )
    }
}

/// What the process has in memory, and the most it had, in MiB.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
            / 1024
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// What the processor has done for this process, all threads together.
fn worked() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = |at: usize| after_name.split(' ').nth(at).and_then(|t| t.parse::<u64>().ok());
    // User and system time, in hundredths of a second.
    Duration::from_millis((ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0)) * 10)
}

fn per_wave(debates: usize, before: Duration) -> f64 {
    (worked() - before).as_secs_f64() * 1e3 / (debates * ROUNDS as usize) as f64
}

#[tokio::main]
async fn main() {
    let asked = std::env::args().skip(1).find_map(|word| word.parse::<usize>().ok());
    let many = asked.unwrap_or(1_000);
    let takes = Duration::from_millis(200);

    for takes in [takes, Duration::from_secs(2)] {
        let folder = tempfile::tempdir().unwrap();
        let hall = Hall::open(folder.path(), takes).await;
        let took = hall.hold(1, 1, |_| {}).await;
        let answers = takes * ROUNDS;
        println!(
            "one debate, answers of {takes:?}: wall ÷ slowest answers = {:.4}; {}",
            took.as_secs_f64() / answers.as_secs_f64(),
            hall.report()
        );
    }

    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::open(folder.path(), takes).await;
    let before = worked();
    let took = hall.hold(many, many, |_| {}).await;
    println!(
        "{many} debates in step: {took:?}, {:.0} answers/s, {}; {:.2} ms of processor per wave of \
         {}; memory at most {} MiB; {} commits",
        (many * AGENTS.len() * ROUNDS as usize) as f64 / took.as_secs_f64(),
        hall.report(),
        per_wave(many, before),
        AGENTS.len(),
        memory().1,
        hall.store.commits(),
    );

    for over in [Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(10)] {
        let folder = tempfile::tempdir().unwrap();
        let hall = Hall::open(folder.path(), takes).await;
        let before = worked();
        hall.hold_over(many, many, over, |_| {}).await;
        println!(
            "{many} debates that begin within {over:?}: {}; {:.2} ms of processor per wave",
            hall.report(),
            per_wave(many, before),
        );
    }

    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::open(folder.path(), takes).await;
    let queued = many * 10;
    let mut samples = Vec::new();
    let took = hall
        .hold(queued, many / 4, |ended| {
            if ended % (queued / 10).max(1) == 0 {
                samples.push(memory().0);
            }
        })
        .await;
    println!(
        "{queued} queued, {} at once: {took:?}; memory after each tenth, MiB: {samples:?}",
        many / 4
    );
    assert_eq!(hall.store.check().await, Ok(vec![]));
}
