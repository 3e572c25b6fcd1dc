//! kill -9 at random instants and at every named fail point. The log must hold
//! every answer that was acknowledged, once; the fake provider's own ledger must
//! show no call that was not announced, and none for an answer that was stored.
//!
//! The long form, 200 kills and 40 on a server: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable crash::`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::harness::{AGENTS, Dice, Engine, Home, Running, on_both_engines, provider, size};
use debate::Debate;
use debate::model::*;
use fake_provider::FakeProvider;
use store::LogEntry;

const POINTS: [&str; 7] = [
    "before_T1",
    "after_T1",
    "after_send",
    "mid_stream",
    "after_terminal",
    "before_T2",
    "after_T2",
];
const START: [&str; 8] =
    ["debate", "--clerk=none", "--rounds", "2", "--json", "--agents", AGENTS, "In stages?"];

on_both_engines! {
    #[test]
    fn killed_at_any_instant_nothing_acknowledged_is_lost_and_nothing_is_paid_for_twice;
}

/// Answers that a process has told the world it stored: number and ask.
fn acknowledged(run: &Running) -> Vec<(u64, String)> {
    let said = run.said();
    // The last line may have been cut by the kill.
    let whole =
        said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    whole
        .filter(|event| event["type"] == "answered")
        .map(|event| (event["seq"].as_u64().unwrap(), event["ask"].as_str().unwrap().to_owned()))
        .collect()
}

/// Runs debates one after the other, each killed as `kills` says.
struct Arena {
    home: Home,
    provider: FakeProvider,
    _folder: tempfile::TempDir,
    seen_debates: usize,
    seen_calls: BTreeMap<String, usize>,
    killed: usize,
    extra_calls: usize,
    /// How long the last process lived.
    lived: Duration,
}

/// How a process is made to end.
enum Kill {
    At(String),
    After(Duration),
}

impl Arena {
    async fn new(engine: Engine) -> Arena {
        let provider = FakeProvider::start(provider(60, 8)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = engine.home(folder.path(), &provider.base_url()).await;
        Arena {
            home,
            provider,
            _folder: folder,
            seen_debates: 0,
            seen_calls: BTreeMap::new(),
            killed: 0,
            extra_calls: 0,
            lived: Duration::ZERO,
        }
    }

    /// One debate to its end, through these kills; returns its id.
    async fn survive(&mut self, kills: Vec<Kill>) -> String {
        let mut acknowledged = Vec::new();
        let mut id: Option<String> = None;
        let mut kills = kills.into_iter();
        for _ in 0..30 {
            let kill = kills.next();
            let args: Vec<&str> = match &id {
                Some(id) => vec!["sessions", "resume", id, "--json"],
                None => START.to_vec(),
            };
            let armed = match &kill {
                Some(Kill::At(point)) => vec![("ROUNDTABLE_FAILPOINT", point.as_str())],
                _ => vec![],
            };
            let started = Instant::now();
            let mut run = self.home.start(&args, &armed);
            if let Some(Kill::After(wait)) = &kill {
                tokio::time::sleep(*wait).await;
                run.child.kill().unwrap();
            }
            let code = tokio::task::block_in_place(|| run.wait());
            self.lived = started.elapsed();
            acknowledged.extend(self::acknowledged(&run));
            let ids = self.home.ids();
            id = id.or_else(|| ids.first().filter(|_| ids.len() > self.seen_debates).cloned());
            match code {
                0 => break,
                -1 => self.killed += 1,
                // It had ended and only its last words were cut off.
                2 if run.complained().contains("is over") => break,
                other => panic!("exit {other}: {}", run.complained()),
            }
        }
        let id = id.unwrap();
        self.seen_debates += 1;
        self.judge(&id, &acknowledged).await;
        id
    }

    async fn judge(&mut self, id: &str, acknowledged: &[(u64, String)]) {
        let store = self.home.store().await;
        let log = store.log(id).await.unwrap();
        assert_eq!(store.check().await, Ok(vec![]));
        store.close().await;
        for (seq, ask) in acknowledged {
            let kept = &log[*seq as usize - 1];
            assert!(
                matches!(&kept.event, Event::Answered { ask: kept, .. } if kept.to_string() == *ask),
                "entry {seq} was acknowledged as the answer to {ask} and is {:?}",
                kept.event.word()
            );
        }
        assert!(matches!(log.last().unwrap().event, Event::Ended { .. }), "it does not end");
        let sent = judge_asks(&log, 6);
        for seat in 0..3 {
            let model = format!("m{seat}");
            let calls = self.provider.asked(&model).len();
            let before = self.seen_calls.insert(model.clone(), calls).unwrap_or(0);
            let announced = sent.get(&seat).copied().unwrap_or(0);
            assert!(
                calls - before <= announced,
                "{model} was called {} times and announced {announced} times",
                calls - before
            );
            self.extra_calls += (calls - before).saturating_sub(2);
        }
    }
}

/// Every ask is announced, then answered once or abandoned; none is
/// announced again once it was answered. Returns announcements by seat.
pub fn judge_asks(log: &[LogEntry], answers: usize) -> BTreeMap<usize, usize> {
    let mut announced: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open: Vec<AskId> = Vec::new();
    let mut done: Vec<AskId> = Vec::new();
    for entry in log {
        match &entry.event {
            Event::Asked { intents } => {
                for intent in intents {
                    assert!(!done.contains(&intent.ask), "{} is asked again", intent.ask);
                    assert!(!open.contains(&intent.ask), "{} is asked twice", intent.ask);
                    open.push(intent.ask);
                    *announced.entry(intent.ask.party.seat().unwrap().index()).or_default() += 1;
                }
            }
            Event::Ambiguous { intents } => {
                assert!(intents.iter().all(|intent| open.contains(&intent.ask)));
                open.retain(|ask| intents.iter().all(|intent| intent.ask != *ask));
            }
            Event::Answered { ask, .. } => {
                assert!(open.contains(ask), "{ask} was answered and never announced");
                open.retain(|other| other != ask);
                done.push(*ask);
            }
            Event::Missed { gap, .. } => panic!("a gap: {}", gap.message),
            _ => {}
        }
    }
    assert_eq!((done.len(), open.len()), (answers, 0), "answers, and calls without an end");
    announced
}

fn positions(log: Vec<LogEntry>) -> Vec<Vec<Option<String>>> {
    let debate = Debate::replay(log.into_iter().map(|entry| entry.event)).unwrap();
    let rounds = debate.room().rounds.iter();
    rounds
        .map(|round| {
            round.turns.iter().map(|turn| Some(turn.as_ref()?.answer.position.clone())).collect()
        })
        .collect()
}

async fn killed_at_any_instant_nothing_acknowledged_is_lost_and_nothing_is_paid_for_twice(
    engine: Engine,
) {
    let mut arena = Arena::new(engine).await;
    let mut dice = Dice(11);
    let undisturbed = arena.survive(vec![]).await;
    let usual = u64::try_from(arena.lived.as_millis()).unwrap();
    let mut ids = Vec::new();
    for nth in 1..=size(1, engine.either(7, 2)) {
        for point in POINTS {
            ids.push(arena.survive(vec![Kill::At(format!("{point}:{}", nth.min(2)))]).await);
        }
    }
    // A random instant may lie after the end, so it is the hits that are counted.
    let wanted_kills = size(engine.either(12, 10), engine.either(200, 40));
    for _ in 0..3 * wanted_kills {
        if arena.killed >= wanted_kills {
            break;
        }
        let mut when = || Kill::After(Duration::from_millis(dice.below(usual)));
        let kills = vec![when(), when()];
        ids.push(arena.survive(kills).await);
    }
    let store = arena.home.store().await;
    let wanted = positions(store.log(&undisturbed).await.unwrap());
    for id in &ids {
        assert_eq!(positions(store.log(id).await.unwrap()), wanted, "{id}");
    }
    println!(
        "{} kills over {} debates: 0 lost, 0 repeated; {} calls were cut off and made again",
        arena.killed,
        ids.len(),
        arena.extra_calls
    );
    assert!(arena.killed >= wanted_kills, "only {} kills hit", arena.killed);
}
