//! The life of a debate under two controllers who race, with runners that come
//! and go: no illegal state is ever stored, and no call starts between a pause
//! or stop that was acknowledged and the next time somebody resumes it.
//!
//! The long form, 10,000 sequences and 1,000 on a server: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable lifecycle::`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::harness::{AGENTS, Dice, Engine, answer, brief, on_both_engines, provider, size};
use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use engine::run::{
    CommandResult, ControlError, FailPoints, FlatPrice, Mailbox, RunError, Runner, Throttle,
    Watchers, control,
};
use fake_provider::FakeProvider;
use futures::future::BoxFuture;
use store::{DebateCommand, SpendingCaps, Store, StoreError};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

on_both_engines! {
    #[test]
    fn two_controllers_who_race_never_bring_about_an_illegal_state;
    #[test]
    fn another_process_remarks_pauses_and_stops_a_debate_that_runs;
    #[test]
    fn a_second_process_may_not_run_what_another_runs;
}

/// Answers after a little while and counts how often it was asked.
struct Counting {
    asked: Arc<AtomicU64>,
}

impl Speaker for Counting {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let nth = self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5 + nth % 4 * 40)).await;
            let bill = Bill { cost: Some(MicroUsd(10)), ..Bill::default() };
            Ok(Reply { text: answer(&ask.speaker), bill, ..Reply::default() })
        })
    }
}

/// One debate, its runner, and who runs it or is about to.
struct Table {
    id: String,
    runner: Runner,
    asked: Arc<AtomicU64>,
    /// Times somebody set out to run it, and how many of those are not back yet.
    resumes: AtomicU64,
    running: AtomicU64,
    said: AtomicU64,
    checked: AtomicU64,
}

impl Table {
    async fn open(store: &Store, post: &Mailbox, id: String) -> Table {
        let (_, opening) = Debate::open(brief(2, 3)).unwrap();
        store.create(&id, 1, &[opening]).await.unwrap();
        let asked = Arc::new(AtomicU64::new(0));
        let speaker: Arc<dyn Speaker> = Arc::new(Counting { asked: Arc::clone(&asked) });
        let runner = Runner {
            store: store.clone(),
            panel: Panel::new(vec![Arc::clone(&speaker), speaker], None),
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
        let zero = AtomicU64::default;
        Table { id, runner, asked, resumes: zero(), running: zero(), said: zero(), checked: zero() }
    }

    /// Runs it if it may be run; another may be quicker.
    async fn run(self: Arc<Self>) {
        self.resumes.fetch_add(1, Ordering::SeqCst);
        self.running.fetch_add(1, Ordering::SeqCst);
        self.run_once().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
    }

    async fn run_once(&self) {
        let log = self.runner.store.log(&self.id).await.unwrap();
        let seq = log.last().unwrap().seq;
        let debate = Debate::replay(log.into_iter().map(|entry| entry.event)).unwrap();
        let active = debate.room().status == Status::Active;
        if !active && debate.may(debate::LifecycleCommand::Go).is_err() {
            return;
        }
        match self.runner.run(&self.id, debate, seq).await {
            Ok(_) => {}
            // Another runs it, or wrote between the look and the claim.
            Err(RunError::Store(StoreError::Taken { .. } | StoreError::Conflict { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Says one thing. After a pause or stop that was acknowledged nothing
    /// starts, unless somebody resumes it.
    async fn say(&self, command: DebateCommand) {
        let quieting = matches!(command, DebateCommand::Pause | DebateCommand::Stop);
        let told = format!("{command:?}");
        self.said.fetch_add(1, Ordering::SeqCst);
        // Before it is said: whoever sets out later may rightly resume it.
        let resumes = self.resumes.load(Ordering::SeqCst);
        let about = self.running.load(Ordering::SeqCst);
        match control(&self.runner.store, &self.id, command).await {
            Ok(obeyed) if quieting => {
                // The one who obeyed may still wait for answers; nobody else may be about.
                let others = match obeyed {
                    CommandResult::ByRunner => about.saturating_sub(1),
                    CommandResult::Here => self.running.load(Ordering::SeqCst),
                };
                self.must_be_quiet(resumes, others, &told).await;
            }
            Ok(_) => {}
            Err(ControlError::Refused(why)) => {
                assert!(!why.allowed.contains(&why.command), "{why:?}");
            }
            Err(error) => panic!("{told}: {error}"),
        }
    }

    async fn must_be_quiet(&self, resumes: u64, others: u64, told: &str) {
        let before = self.asked.load(Ordering::SeqCst);
        let status = self.runner.store.get(&self.id).await.unwrap().status;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let after = self.asked.load(Ordering::SeqCst);
        if self.resumes.load(Ordering::SeqCst) == resumes && others == 0 {
            assert!(status != "active", "{told} was acknowledged and it is {status}");
            assert_eq!(before, after, "a call started after {told} was acknowledged");
            self.checked.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn controller(table: &Arc<Table>, mut dice: Dice) {
    let mut runs = JoinSet::new();
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(dice.below(80))).await;
        match dice.below(9) {
            0..=2 => table.say(DebateCommand::Pause).await,
            3 => table.say(DebateCommand::Stop).await,
            4 => table.say(DebateCommand::Remark("what about the cost?".into())).await,
            5 => table.say(DebateCommand::Focus("what breaks first?".into())).await,
            6 => table.say(DebateCommand::Drop(SeatId(dice.below(3) as usize))).await,
            _ => {
                runs.spawn(Arc::clone(table).run());
            }
        }
    }
    runs.join_all().await;
}

/// Every status the log went through, and that each step was allowed.
fn judge(events: &[Event]) {
    let mut status = "created";
    for event in events {
        let next = match event {
            Event::Started => "active",
            Event::Paused { .. } => "paused",
            Event::Ended { .. } => "completed",
            Event::Asked { .. } => {
                assert_eq!(status, "active", "a call was announced while {status}");
                continue;
            }
            _ => {
                assert!(status != "completed", "{} after the end", event.word());
                continue;
            }
        };
        let allowed: &[&str] = match status {
            "created" => &["active", "completed"],
            "active" => &["paused", "completed"],
            "paused" => &["active", "completed"],
            _ => &[],
        };
        assert!(allowed.contains(&next), "{status} became {next}");
        status = next;
    }
}

async fn two_controllers_who_race_never_bring_about_an_illegal_state(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let store = engine.home(folder.path(), "").await.store().await;
    let post = Mailbox::open(&store);
    let sequences = size(engine.either(500, 60), engine.either(10_000, 1_000));
    let places = Arc::new(Semaphore::new(150));
    let mut tasks = JoinSet::new();
    for number in 0..sequences as u64 {
        let (store, post, places) = (store.clone(), post.clone(), Arc::clone(&places));
        tasks.spawn(async move {
            let _place = places.acquire_owned().await;
            let table = Arc::new(Table::open(&store, &post, format!("d{number}")).await);
            let one = controller(&table, Dice(number * 2 + 1));
            let other = controller(&table, Dice(number * 2 + 2));
            tokio::join!(Arc::clone(&table).run(), one, other);
            let log = store.log(&table.id).await.unwrap();
            let events: Vec<Event> = log.into_iter().map(|entry| entry.event).collect();
            judge(&events);
            Debate::replay(events).unwrap();
            let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
            (count(&table.said), count(&table.checked))
        });
    }
    let all = tasks.join_all().await;
    let (said, checked) = all.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!(store.check().await, Ok(vec![]));
    println!(
        "{sequences} sequences with {said} commands: 0 illegal states; {checked} silences held"
    );
    assert!(checked > sequences as u64 / 4, "only {checked} silences could be looked at");
}

/// From another process, while the debate runs.
async fn another_process_remarks_pauses_and_stops_a_debate_that_runs(engine: Engine) {
    let provider = FakeProvider::start(provider(150, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = engine.home(folder.path(), &provider.base_url()).await;
    let start =
        ["debate", "--clerk=none", "--rounds", "20", "--json", "--agents", AGENTS, "In stages?"];
    let mut run = home.start(&start, &[]);
    run.wait_for(&run.stdout, "\"answered\"");
    let id = home.ids().remove(0);

    for (words, said) in [
        (vec!["interject", &id, "think of the cost"], "remarked"),
        (vec!["focus", &id, "what breaks first?"], "focused"),
        (vec!["pause", &id], "paused"),
    ] {
        let args: Vec<&str> = ["sessions"].into_iter().chain(words).collect();
        let (code, _, err) = home.run(&args);
        assert_eq!(code, 0, "{err}");
        run.wait_for(&run.stdout, said);
    }
    let calls = provider.ledger().len();
    assert_eq!(run.wait(), 3, "{}", run.complained());
    assert_eq!(provider.ledger().len(), calls, "a call started after the pause");

    // What its status does not allow is refused, with what it does.
    let (code, _, err) = home.run(&["sessions", "pause", &id]);
    assert_eq!(code, 2);
    assert!(err.contains("paused") && err.contains("resume, stop, interject"), "{err}");
    // Nobody runs it now: the stop is carried out at once.
    let (code, _, err) = home.run(&["sessions", "stop", &id]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(home.verdict(&id)["metadata"]["exitReason"], "stopped");
    let (code, _, err) = home.run(&["sessions", "resume", &id]);
    assert_eq!(code, 2);
    assert!(err.contains("completed"), "{err}");
}

async fn a_second_process_may_not_run_what_another_runs(engine: Engine) {
    let provider = FakeProvider::start(provider(300, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = engine.home(folder.path(), &provider.base_url()).await;
    let start =
        ["debate", "--clerk=none", "--rounds", "20", "--json", "--agents", AGENTS, "In stages?"];
    let mut run = home.start(&start, &[]);
    run.wait_for(&run.stdout, "\"asked\"");
    let id = home.ids().remove(0);
    let (code, _, err) = home.run(&["sessions", "resume", &id]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("is being run by process"), "{err}");
    let (code, _, err) = home.run(&["sessions", "delete", &id, "--yes"]);
    assert_eq!(code, 2, "{err}");
    let (code, _, err) = home.run(&["sessions", "stop", &id]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(run.wait(), 0, "{}", run.complained());
    assert_eq!(home.verdict(&id)["metadata"]["exitReason"], "stopped");
    let (code, _, err) = home.run(&["sessions", "delete", &id, "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(home.ids().is_empty());
}
