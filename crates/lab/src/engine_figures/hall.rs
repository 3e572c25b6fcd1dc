//! A hall for many debates: a database of its own, a provider that takes its
//! time, and a stopwatch. The provider is a timer in this process and costs next
//! to nothing, so what is measured is the engine and the disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use futures::future::BoxFuture;
use serde_json::json;
use store::{SpendingCaps, Store};

use engine::clock;
use engine::error::EngineError;
use engine::run::{FailPoints, FlatPrice, Mailbox, RunEnd, Runner, RunnerPool, Throttle, Watchers};

pub const ROUNDS: u32 = 3;
pub const AGENTS: [&str; 3] = ["Ann", "Bea", "Cem"];

/// What was measured while debates were held.
#[derive(Default)]
pub struct HallTimes {
    /// For each wave but the first, from the last answer before it to its first
    /// call: the disk, the reading, the analysis, the views and the prompts.
    pub between_waves: Vec<f64>,
    /// For each debate, from the moment all were handed over to its first call.
    pub until_begun: Vec<f64>,
    /// For each debate, the sum over its waves of the slowest answer.
    pub slowest_answers: Vec<f64>,
    pub running: usize,
    pub most_running: usize,
}

type SharedTimes = Arc<Mutex<HallTimes>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The provider of one debate.
struct Slow {
    takes: Duration,
    handed_over: Instant,
    watch: Mutex<Stopwatch>,
    measured: SharedTimes,
}

#[derive(Default)]
struct Stopwatch {
    round: Round,
    last_return: Option<Instant>,
    /// The slowest answer of the round so far, and of all before it together.
    slowest: Duration,
    earlier: Duration,
}

impl Slow {
    fn called(&self, round: Round, now: Instant) {
        let mut watch = lock(&self.watch);
        if round <= watch.round {
            return;
        }
        let begins = watch.round == 0;
        watch.round = round;
        let slowest = std::mem::take(&mut watch.slowest);
        watch.earlier += slowest;
        let last = watch.last_return.take();
        let mut measured = lock(&self.measured);
        if begins {
            measured.until_begun.push(milliseconds(now - self.handed_over));
            measured.running += 1;
            measured.most_running = measured.most_running.max(measured.running);
        }
        if let Some(last) = last {
            measured.between_waves.push(milliseconds(now.saturating_duration_since(last)));
        }
    }

    fn returned(&self, called: Instant) {
        let now = Instant::now();
        let mut watch = lock(&self.watch);
        watch.slowest = watch.slowest.max(now - called);
        watch.last_return = Some(now);
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let watch = lock(&self.watch);
        let mut measured = lock(&self.measured);
        if watch.round > 0 {
            measured.running -= 1;
            measured.slowest_answers.push(milliseconds(watch.earlier + watch.slowest));
        }
    }
}

impl Speaker for Slow {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let called = Instant::now();
            self.called(ask.id.round, called);
            tokio::time::sleep(self.takes).await;
            let bill = Bill { cost: Some(MicroUsd(900)), ..Bill::default() };
            let text = answer(&ask.speaker, ask.id.round);
            self.returned(called);
            Ok(Reply { text, model: "slow".into(), bill, ..Reply::default() })
        })
    }
}

fn answer(name: &str, round: Round) -> String {
    let claim = |text: String, label: &str, kind: &str| json!({"text": text, "label": label, "evidenceType": kind, "citations": []});
    json!({
        "position": format!("{name} holds in round {round} that it should be done in stages."),
        "reasoning": format!("{name} has seen it both ways [ASSUME]. ").repeat(30),
        "keyPoints": [format!("{name}'s point of round {round}"), "stages are cheaper"],
        "confidence": 0.6,
        "vote": {"ballot": "MINOR", "objection": "name an owner"},
        "claims": [
            claim(format!("{name} says that stage {round} costs less"), "ASSUME", "SPECULATIVE"),
            claim(format!("Stage {round} can be undone, says {name}"), "INFER", "LOGICAL"),
        ],
        "citations": [],
    })
    .to_string()
}

fn brief() -> Brief {
    let agent = |name: &str| Agent {
        name: name.into(),
        provider: "simulated".into(),
        model: name.to_lowercase(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    };
    let agents = AGENTS.into_iter().map(agent).collect();
    let mut brief =
        Brief::new("Should it be done in stages?", "collaborative", agents, &"5".repeat(32));
    brief.rounds = ROUNDS;
    // A round of critical objections would be one more wave than is counted.
    brief.flags.groupthink_detection.enabled = false;
    brief
}

/// Removed when it is not needed any more.
pub struct TimingHall {
    pub folder: PathBuf,
    pub store: Store,
    post: Mailbox,
    pace: Throttle,
    measured: SharedTimes,
    takes: Duration,
}

impl TimingHall {
    pub async fn open(bench: &Path, takes: Duration) -> Result<TimingHall, EngineError> {
        let folder = bench.join(format!("engine-{}", clock::new_id()));
        std::fs::create_dir_all(&folder).map_err(|error| {
            EngineError::Tape(format!("cannot write to {}: {error}", folder.display()))
        })?;
        let store = Store::open(&folder.join("roundtable.db")).await?;
        let post = Mailbox::open(&store);
        Ok(TimingHall {
            folder,
            store,
            post,
            pace: Throttle::default(),
            measured: SharedTimes::default(),
            takes,
        })
    }

    fn runner(&self, handed_over: Instant) -> Arc<Runner> {
        let slow: Arc<dyn Speaker> = Arc::new(Slow {
            takes: self.takes,
            handed_over,
            watch: Mutex::default(),
            measured: Arc::clone(&self.measured),
        });
        Arc::new(Runner {
            store: self.store.clone(),
            panel: Panel::new(AGENTS.iter().map(|_| Arc::clone(&slow)).collect(), None),
            embedder: None,
            watchers: Watchers::default(),
            interrupt: CancellationToken::new(),
            mailbox: self.post.clone(),
            throttle: self.pace.clone(),
            pricing: Arc::new(FlatPrice(MicroUsd(1000))),
            caps: SpendingCaps { day: Some(MicroUsd::from_usd(1e6)), ..SpendingCaps::default() },
            fail: FailPoints::default(),
            toolbox: None,
            serves: false,
        })
    }

    /// Writes down so many debates that have not begun.
    pub async fn open_debates(&self, debates: usize) -> Result<(), EngineError> {
        let (_, opening) = Debate::open(brief())?;
        for number in 0..debates {
            self.store.create(&format!("d{number}"), 1, std::slice::from_ref(&opening)).await?;
        }
        Ok(())
    }

    /// Holds the debates that were written down, at most so many at once, and
    /// tells `seen` how many have ended; how long that took.
    pub async fn hold(
        &self,
        debates: usize,
        at_once: usize,
        mut seen: impl FnMut(usize),
    ) -> Result<Duration, EngineError> {
        let started = Instant::now();
        let mut crowd = RunnerPool::new(at_once);
        for number in 0..debates {
            crowd.add(self.runner(started), format!("d{number}"));
        }
        let mut ended = 0;
        while let Some((id, outcome)) = crowd.next().await {
            match outcome? {
                RunEnd::Done(_) => ended += 1,
                RunEnd::Paused(reason) => {
                    return Err(EngineError::Tape(format!("{id}: {}", reason.sentence())));
                }
            }
            seen(ended);
        }
        if ended == debates {
            Ok(started.elapsed())
        } else {
            Err(EngineError::Tape(format!("{ended} of {debates} debates ended")))
        }
    }

    /// What was measured since it was last asked for, every list in order.
    pub fn measured(&self) -> HallTimes {
        let mut measured = std::mem::take(&mut *lock(&self.measured));
        measured.between_waves.sort_by(f64::total_cmp);
        measured.until_begun.sort_by(f64::total_cmp);
        measured
    }

    pub async fn leave(self) {
        self.store.close().await;
        // What is left behind is only disk space, in a folder that says whose it is.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
