//! Many debates in one process, stored as every debate is: what the engine adds
//! to the time of the answers, how many it holds in a second, what memory and
//! processor they take, and how long looking at them takes afterwards.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use futures::future::BoxFuture;
use serde_json::json;
use store::{Caps, ListFilter, Store, StoreError};

use super::super::Progress;
use super::super::statistics::quantile;
use super::{Row, Size, process};
use crate::clock;
use crate::config::Config;
use crate::operations::Trouble;
use crate::runner::{Bus, Crowd, FailPoints, Flat, Outcome, Post, Runner};

const GROUP: &str = "load";
const ROUNDS: u32 = 3;
const AGENTS: [&str; 3] = ["Ann", "Bea", "Cem"];
/// As many debates run at once; further ones wait.
const AT_ONCE: usize = 1_000;

/// A provider that takes its time, and a stopwatch: what is measured is the time
/// between the last answer of a wave and the first call of the next.
struct Slow {
    takes: Duration,
    watch: Mutex<Stopwatch>,
    gaps: Arc<Mutex<Vec<f64>>>,
}

#[derive(Default)]
struct Stopwatch {
    round: Round,
    last_return: Option<Instant>,
}

impl Slow {
    fn lock(&self) -> std::sync::MutexGuard<'_, Stopwatch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
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
            let now = Instant::now();
            let gap = {
                let mut watch = self.lock();
                let is_next = ask.id.round > watch.round;
                watch.round = watch.round.max(ask.id.round);
                if is_next { watch.last_return.take() } else { None }
            };
            if let Some(last) = gap {
                let gap = now.saturating_duration_since(last).as_secs_f64() * 1e3;
                self.gaps.lock().unwrap_or_else(PoisonError::into_inner).push(gap);
            }
            tokio::time::sleep(self.takes).await;
            let bill = Bill { cost: Some(MicroUsd(900)), ..Bill::default() };
            let text = answer(&ask.speaker, ask.id.round);
            self.lock().last_return = Some(Instant::now());
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
    brief.flags.groupthink_detection.enabled = false;
    brief
}

/// A database of its own, removed when it is not needed any more.
struct Hall {
    folder: PathBuf,
    store: Store,
    post: Post,
    gaps: Arc<Mutex<Vec<f64>>>,
    takes: Duration,
}

impl Hall {
    async fn open(bench: &Path, takes: Duration) -> Result<Hall, Trouble> {
        let folder = bench.join(format!("engine-{}", clock::new_id()));
        std::fs::create_dir_all(&folder).map_err(|error| {
            Trouble::Tape(format!("cannot write to {}: {error}", folder.display()))
        })?;
        let store = Store::open(&folder.join("roundtable.db")).await?;
        let post = Post::open(&store);
        Ok(Hall { folder, store, post, gaps: Arc::default(), takes })
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

    /// Holds so many debates; how long that took, openings not counted.
    async fn hold(&self, debates: usize) -> Result<Duration, Trouble> {
        let (_, opening) = Debate::open(brief())?;
        for number in 0..debates {
            self.store.create(&format!("d{number}"), 1, std::slice::from_ref(&opening)).await?;
        }
        let started = Instant::now();
        let mut crowd = Crowd::new(AT_ONCE);
        for number in 0..debates {
            crowd.add(self.runner(), format!("d{number}"));
        }
        while let Some((id, outcome)) = crowd.next().await {
            match outcome? {
                Outcome::Done(_) => {}
                Outcome::Paused(reason) => {
                    return Err(Trouble::Tape(format!("{id}: {}", reason.sentence())));
                }
            }
        }
        Ok(started.elapsed())
    }

    fn gaps(&self) -> Vec<f64> {
        let mut gaps =
            std::mem::take(&mut *self.gaps.lock().unwrap_or_else(PoisonError::into_inner));
        gaps.sort_by(f64::total_cmp);
        gaps
    }

    async fn leave(self) {
        self.store.close().await;
        // What is left behind is only disk space, in a folder that says whose it is.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub async fn load(
    config: &Config,
    size: Size,
    progress: &dyn Progress,
) -> Result<Vec<Row>, Trouble> {
    let bench = &config.paths.bench;
    let mut rows = alone(bench, size).await?;
    let scales: &[usize] = size.of(&[1, 100, 1_000, 10_000], &[1, 20]);
    let takes = size.of(Duration::from_millis(200), Duration::from_millis(20));
    let largest = scales.last().copied().unwrap_or(1);
    for debates in scales.iter().copied() {
        progress.step(5, 6, &format!("{debates} debates at once"));
        let hall = Hall::open(bench, takes).await?;
        let measured = at_scale(&hall, debates).await;
        let listed = match debates == largest {
            true => listing(&hall, debates, config).await,
            false => Ok(Vec::new()),
        };
        hall.leave().await;
        rows.extend(measured?);
        rows.extend(listed?);
    }
    Ok(rows)
}

/// One debate: what the engine adds to the slowest answers.
async fn alone(bench: &Path, size: Size) -> Result<Vec<Row>, Trouble> {
    let mut rows = Vec::new();
    for takes in size.of(&[200_u64, 2_000][..], &[50][..]) {
        let takes = Duration::from_millis(*takes);
        let hall = Hall::open(bench, takes).await?;
        let took = hall.hold(1).await;
        let gaps = hall.gaps();
        hall.leave().await;
        let path = (takes * ROUNDS).as_secs_f64();
        let over = 100.0 * (took?.as_secs_f64() / path - 1.0);
        let middle = quantile(&gaps, 0.5).unwrap_or_default();
        let what = format!("overhead over the critical path, answers of {} ms", takes.as_millis());
        rows.push(
            Row::new("overhead", what, over, "%")
                .noting(format!("one debate, 3 agents, 3 rounds; {middle:.1} ms between waves")),
        );
    }
    Ok(rows)
}

async fn at_scale(hall: &Hall, debates: usize) -> Result<Vec<Row>, Trouble> {
    let before = process::processor_time();
    let took = hall.hold(debates).await?;
    let spent = before.zip(process::processor_time()).map(|(a, b)| b.saturating_sub(a));
    let gaps = hall.gaps();
    let at = |share| quantile(&gaps, share).unwrap_or_default();
    let name = match debates {
        1 => "1 debate".to_owned(),
        many if many > AT_ONCE => format!("{many} debates, {AT_ONCE} at once"),
        many => format!("{many} debates at once"),
    };
    let mut rows = vec![
        Row::new(GROUP, name.clone(), debates as f64 / took.as_secs_f64(), "debates/s").noting(
            format!(
                "{:.1} s; between waves p50 {:.1} ms, p99 {:.1} ms",
                took.as_secs_f64(),
                at(0.5),
                at(0.99)
            ),
        ),
    ];
    if let Some((most, _)) = process::memory() {
        rows.push(Row::new(GROUP, format!("{name}: memory at most"), most, "MiB"));
    }
    if let Some(spent) = spent.filter(|_| debates > 1) {
        let each = spent.as_secs_f64() * 1e3 / (debates as f64 * f64::from(ROUNDS));
        rows.push(
            Row::new(GROUP, format!("{name}: processor time per round"), each, "ms")
                .noting("storing included"),
        );
    }
    Ok(rows)
}

async fn listing(hall: &Hall, debates: usize, config: &Config) -> Result<Vec<Row>, Trouble> {
    const RUNS: usize = 5;
    let mut rows = Vec::new();
    let all = u32::try_from(debates).unwrap_or(u32::MAX);
    for (what, limit) in [("the newest 20", 20), ("all", all)] {
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            let listed = list(&hall.store, limit).await?;
            if listed != debates.min(limit as usize) {
                return Err(Trouble::Tape(format!("{listed} debates were listed, not {limit}")));
            }
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
        let what = format!("listing {what} of {debates} debates");
        rows.push(Row::new("looking", what, best, "ms"));
    }
    for (what, words) in [
        ("start-up (--version)", &["--version"][..]),
        ("start-up with a listing of 20", &["sessions", "list"][..]),
    ] {
        if let Some(best) = started(config, &hall.folder, words, RUNS) {
            rows.push(Row::new("looking", what, best, "ms"));
        }
    }
    Ok(rows)
}

async fn list(store: &Store, limit: u32) -> Result<usize, StoreError> {
    let filter = ListFilter { limit: Some(limit), ..ListFilter::default() };
    Ok(store.list(&filter).await?.len())
}

/// The shortest time in which this program starts, does something and ends.
fn started(config: &Config, data: &Path, words: &[&str], runs: usize) -> Option<f64> {
    let program = config.environment.program.as_ref()?;
    let once = |_| {
        let mut command = std::process::Command::new(program);
        command.args(words).env("ROUNDTABLE_DATA_DIR", data).stdin(std::process::Stdio::null());
        let begun = Instant::now();
        let output = command.output().ok().filter(|output| output.status.success());
        output.map(|_| begun.elapsed().as_secs_f64() * 1e3)
    };
    (0..runs).filter_map(once).min_by(f64::total_cmp)
}
