//! Many debates for a long time, a fifth of their calls failing: memory, open
//! files, tasks and the write-ahead log stay where they were. A process of its
//! own holds them, so that only they are measured.
//!
//! The long form, 4 minutes: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable soak::`.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::harness::{CHILD, answer, brief, child, size};
use agents::{CancellationToken, Panel, Speaker, Watch, cancelled};
use debate::Debate;
use debate::model::*;
use engine::run::{FailPoints, FlatPrice, Mailbox, Runner, Throttle, Watchers};
use futures::future::BoxFuture;
use store::{SpendingCaps, Store};
use tokio::time::Instant;

const AT_ONCE: usize = 50;

/// Fails every fifth time, in one way after the other.
struct Moody {
    asked: AtomicU64,
}

const MOODS: [FailureClass; 5] = [
    FailureClass::Overloaded,
    FailureClass::TimedOut,
    FailureClass::Unreachable,
    FailureClass::Unusable,
    FailureClass::Declined,
];

impl Speaker for Moody {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let number = self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::select! {
                () = cancel.cancelled() => return Err(cancelled(1)),
                () = tokio::time::sleep(Duration::from_millis(200)) => {}
            }
            if number.is_multiple_of(5) {
                let class = MOODS[(number / 5) as usize % MOODS.len()];
                return Err(Failure { class, ..Failure::unusable("It is in a mood.") });
            }
            Ok(Reply { text: answer(&ask.speaker), ..Reply::default() })
        })
    }
}

/// Megabytes in memory, open files, tasks, and megabytes of write-ahead log.
#[derive(Debug, Clone, Copy)]
struct Health {
    memory: f64,
    files: usize,
    tasks: usize,
    log: f64,
}

fn health(database: &Path) -> Health {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let wal = database.with_extension("db-wal");
    Health {
        memory: kilobytes / 1024.0,
        files: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        tasks: tokio::runtime::Handle::current().metrics().num_alive_tasks(),
        log: std::fs::metadata(wal).map_or(0, |found| found.len()) as f64 / 1048576.0,
    }
}

/// One debate after the other until the time is up.
async fn debates(store: Store, post: Mailbox, worker: usize, until: Instant) -> usize {
    let speaker: Arc<dyn Speaker> = Arc::new(Moody { asked: AtomicU64::new(worker as u64) });
    let mut held = 0;
    while Instant::now() < until {
        let id = format!("w{worker}-{held}");
        let (debate, opening) = Debate::open(brief(3, 2)).unwrap();
        let seq = store.create(&id, 1, &[opening]).await.unwrap();
        let runner = Runner {
            store: store.clone(),
            panel: Panel::new(vec![Arc::clone(&speaker); 3], None),
            embedder: None,
            watchers: Watchers::default(),
            interrupt: CancellationToken::new(),
            mailbox: post.clone(),
            throttle: Throttle::default(),
            pricing: Arc::new(FlatPrice(MicroUsd(10))),
            caps: SpendingCaps::default(),
            fail: FailPoints::default(),
            toolbox: None,
            serves: false,
        };
        runner.run(&id, debate, seq).await.unwrap();
        held += 1;
    }
    held
}

/// The slope of memory over time, in megabytes per minute.
fn slope(seen: &[(f64, f64)]) -> f64 {
    let count = seen.len() as f64;
    let (x, y) = seen.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let (x, y) = (x / count, y / count);
    let above: f64 = seen.iter().map(|one| (one.0 - x) * (one.1 - y)).sum();
    let below: f64 = seen.iter().map(|one| (one.0 - x) * (one.0 - x)).sum();
    above / below.max(f64::EPSILON)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_soaks() {
    let Some(told) = child() else { return };
    let mut told = told.split(' ').map(|number| number.parse::<u64>().unwrap());
    let (lasts, settles) = (told.next().unwrap(), told.next().unwrap());
    let path = std::env::current_dir().unwrap().join("roundtable.db");
    let store = Store::open(&path).await.unwrap();
    let post = Mailbox::open(&store);
    // Reading at the same time opens connections that stay.
    let mut readers = tokio::task::JoinSet::new();
    for _ in 0..32 {
        let store = store.clone();
        readers.spawn(async move { store.list(&Default::default()).await.unwrap().len() });
    }
    readers.join_all().await;
    let before = health(&path);
    let began = Instant::now();
    let until = began + Duration::from_secs(lasts);
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..AT_ONCE {
        workers.spawn(debates(store.clone(), post.clone(), worker, until));
    }
    let (mut seen, mut longest): (Vec<(f64, f64)>, f64) = (Vec::new(), 0.0);
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = health(&path);
        longest = longest.max(now.log);
        if began.elapsed() > Duration::from_secs(settles) {
            seen.push((began.elapsed().as_secs_f64() / 60.0, now.memory));
        }
    }
    let held: usize = workers.join_all().await.into_iter().sum();
    let after = health(&path);
    let slope = slope(&seen);
    println!(
        "SOAK {held} debates in {lasts} s: {:.0} MiB at the end, {slope:+.2} MiB a minute, files \
         {} to {}, tasks {} to {}, log at most {longest:.1} MiB",
        after.memory, before.files, after.files, before.tasks, after.tasks,
    );
    assert!(held >= AT_ONCE, "{held} debates");
    assert!(after.files <= before.files + 5, "{before:?} {after:?}");
    assert!(after.tasks <= before.tasks + 5, "{before:?} {after:?}");
    assert!(longest <= 64.0, "{longest} MiB of log");
    // A few seconds say nothing about a slope.
    assert!(settles < 60 || slope <= 1.0, "{slope} MiB a minute");
}

#[test]
fn a_long_day_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let told = if size(0, 1) == 0 { "5 1" } else { "240 60" };
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "soak::child_soaks", "--nocapture"])
        .env(CHILD, told)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let complained = String::from_utf8_lossy(&done.stderr);
    said.lines().filter(|line| line.contains("SOAK")).for_each(|line| println!("{line}"));
    assert!(done.status.success(), "{said}\n{complained}");
}
