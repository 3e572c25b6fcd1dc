//! What holds a debate up without ending it: a database that another process
//! has locked, a call whose task breaks, a provider that must be asked again,
//! one that another model takes over from. Whoever watches is told, and the log
//! says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::harness::{Home, answer, brief, provider, size};
use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use engine::run::{FailPoints, FlatPrice, Mailbox, RunEnd, RunNews, Runner, Throttle, Watchers};
use fake_provider::FakeProvider;
use futures::future::BoxFuture;
use store::{SpendingCaps, Store, StoreError};

/// Answers, or breaks in the hands of Bea in round 1.
struct Frail {
    breaks: bool,
    asked: AtomicU64,
}

impl Speaker for Frail {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(30)).await;
            assert!(!(self.breaks && ask.speaker == "Bea" && ask.id.round == 1), "Bea breaks");
            Ok(Reply { text: answer(&ask.speaker), ..Reply::default() })
        })
    }
}

struct Scene {
    store: Store,
    runner: Runner,
    frail: Arc<Frail>,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn new(breaks: bool) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("roundtable.db")).await.unwrap();
        let frail = Arc::new(Frail { breaks, asked: AtomicU64::new(0) });
        let (_, opening) = Debate::open(brief(3, 2)).unwrap();
        store.create("d", 1, &[opening]).await.unwrap();
        let speaker: Arc<dyn Speaker> = Arc::<Frail>::clone(&frail);
        let runner = Runner {
            store: store.clone(),
            panel: Panel::new(vec![speaker; 3], None),
            embedder: None,
            watchers: Watchers::default(),
            interrupt: CancellationToken::new(),
            mailbox: Mailbox::open(&store),
            throttle: Throttle::default(),
            pricing: Arc::new(FlatPrice(MicroUsd(10))),
            caps: SpendingCaps::default(),
            fail: FailPoints::default(),
            toolbox: None,
            serves: false,
        };
        Scene { store, runner, frail, folder }
    }

    async fn run(&self) -> RunEnd {
        let log = self.store.log("d").await.unwrap();
        let seq = log.last().unwrap().seq;
        let debate = Debate::replay(log.into_iter().map(|entry| entry.event)).unwrap();
        self.runner.run("d", debate, seq).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_breaks_leaves_a_gap_and_the_debate_goes_on() {
    let scene = Scene::new(true).await;
    let RunEnd::Done(_) = scene.run().await else { panic!("it did not end") };
    let log = scene.store.log("d").await.unwrap();
    let gaps: Vec<&Gap> = log
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Missed { gap, .. } => Some(gap),
            _ => None,
        })
        .collect();
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].agent == "Bea" && gaps[0].message.contains("broke"), "{:?}", gaps[0]);
    let answers = log.iter().filter(|entry| matches!(entry.event, Event::Answered { .. })).count();
    assert_eq!(answers, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_stops_the_asking_and_loses_no_answer() {
    let scene = Scene::new(false).await;
    let mut news = scene.runner.watchers.watch();
    let locking = async {
        // Locked while the first answers are on their way, for longer than SQLite waits.
        loop {
            match news.recv().await.unwrap() {
                RunNews::Event(entry) if matches!(entry.event, Event::Asked { .. }) => break,
                _ => {}
            }
        }
        let lock = Store::lock_out(&scene.folder.path().join("roundtable.db")).await.unwrap();
        let held_up = loop {
            match news.recv().await.unwrap() {
                RunNews::HeldUp(why) => break why,
                RunNews::Event(entry) => panic!("{:?} was stored", entry.event.word()),
                RunNews::Delta { .. } => {}
            }
        };
        assert_eq!(held_up, StoreError::Locked);
        assert_eq!(scene.frail.asked.load(Ordering::SeqCst), 3, "somebody was asked meanwhile");
        lock.let_go().await.unwrap();
    };
    let (outcome, ()) = tokio::join!(scene.run(), locking);
    assert!(matches!(outcome, RunEnd::Done(_)));
    assert_eq!(scene.frail.asked.load(Ordering::SeqCst), 6, "3 agents, 2 rounds");
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_and_fallbacks_are_shown_and_stand_in_the_log() {
    let provider = FakeProvider::start(provider(0, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    let agents = "Ann=custom/fault:rate_ms@1,Bea=custom/fault:overloaded|spare,Cem=custom/m2";
    let start = ["debate", "--clerk=none", "--rounds", "1", "--agents", agents, "In stages?"];
    let (code, out, err) = tokio::task::block_in_place(|| home.run(&start));
    assert_eq!(code, 0, "{err}");
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Ann is held up and continues in"), "{said}");
    assert!(said.contains("Bea is held up") && said.contains("spare takes over"), "{said}");
    let store = Store::open(&home.database()).await.unwrap();
    let log = store.log(&home.ids().remove(0)).await.unwrap();
    let delayed: Vec<(AskId, &str)> = log
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Delayed { ask, why, .. } => Some((*ask, why.as_str())),
            _ => None,
        })
        .collect();
    let of = |seat| delayed.iter().filter(move |(ask, _)| ask.party == Party::Seat(SeatId(seat)));
    assert_eq!(of(0).count(), 1, "{delayed:?}");
    assert!(of(1).any(|(_, why)| why.contains("takes over")), "{delayed:?}");
    assert_eq!(of(2).count(), 0, "{delayed:?}");
}

/// Covers: 12-breaker
#[tokio::test(flavor = "multi_thread")]
async fn a_rested_model_is_not_asked_and_the_others_of_its_provider_are() {
    let provider = FakeProvider::start(provider(0, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    // Two seats with one model that keeps failing; the others share provider and key.
    let agents = "Ann=custom/fault:overloaded|spare,Bea=custom/fault:overloaded|spare,Cem=custom/m";
    let start =
        ["debate", "--clerk=none", "--rounds", "3", "--json", "--agents", agents, "In stages?"];
    let (code, out, err) = tokio::task::block_in_place(|| home.run(&start));
    assert_eq!(code, 0, "{err}");
    // Five failures rest it, and until the end nobody asks it again.
    assert_eq!(provider.asked("fault:overloaded").len(), 5);
    assert_eq!((provider.asked("spare").len(), provider.asked("m").len()), (6, 3));
    let events: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let delayed = events.iter().filter(|event| event["type"] == "delayed");
    let rested = delayed.filter(|event| event["why"].as_str().unwrap().contains("are paused"));
    // One of the two in the first round, both in the two that follow.
    assert_eq!(rested.count(), 5);
    let id = home.ids().remove(0);
    let (_, shown, _) = tokio::task::block_in_place(|| home.run(&["sessions", "show", &id]));
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in
        ["Held up on the way", "Ann is held up", "calls to it are paused", "spare takes over"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let json = ["sessions", "show", &id, "--json"];
    let (_, shown, _) = tokio::task::block_in_place(|| home.run(&json));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(shown["delays"].as_array().unwrap().len() >= 6, "{:#}", shown["delays"]);
    let turn = &shown["rounds"][0]["answers"][0]["turn"];
    assert!(
        turn["model"] == "spare" && turn["notes"].to_string().contains("in place of"),
        "{turn}"
    );
}

/// Waits out a rest of 30 s, so only in the long form.
#[tokio::test(flavor = "multi_thread")]
async fn who_has_no_other_model_waits_until_it_is_rested_and_goes_on() {
    if size(0, 1) == 0 {
        return;
    }
    let provider = FakeProvider::start(provider(0, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    let agents = "Ann=custom/fault:overloaded@5,Bea=custom/fault:overloaded@5,Cem=custom/m";
    let start =
        ["debate", "--clerk=none", "--rounds", "1", "--json", "--agents", agents, "In stages?"];
    let mut run = home.start(&start, &[]);
    run.wait_for(&run.stdout, "kept failing, so calls to it are paused");
    assert_eq!(tokio::task::block_in_place(|| run.wait()), 0, "{}", run.complained());
    // Nobody failed: the one that had used up its tries is a gap, the other waited.
    assert_eq!(provider.asked("fault:overloaded@5").len(), 6);
    let verdict = home.verdict(&home.ids().remove(0));
    assert_eq!(verdict["metadata"]["gaps"].as_array().unwrap().len(), 1, "{verdict:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_debate_is_listed_as_cut_off_with_the_command_to_resume() {
    let provider = FakeProvider::start(provider(20, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    let start = [
        "debate",
        "--clerk=none",
        "--rounds",
        "1",
        "--agents",
        crate::harness::AGENTS,
        "In stages?",
    ];
    let mut run = home.start(&start, &[("ROUNDTABLE_FAILPOINT", "after_T1")]);
    assert_eq!(tokio::task::block_in_place(|| run.wait()), -1);
    let id = home.ids().remove(0);
    let resume = format!("roundtable resume {}", &id[..13]);
    for args in [vec!["sessions", "list"], vec!["sessions", "show", &id]] {
        let (code, out, _) = tokio::task::block_in_place(|| home.run(&args));
        assert_eq!(code, 0);
        assert!(out.contains("cut off: no process runs it") && out.contains(&resume), "{out}");
    }
    let (_, out, _) = tokio::task::block_in_place(|| home.run(&["sessions", "list", "--json"]));
    let rows: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&rows[0]["status"], &rows[0]["cutOff"]), (&"active".into(), &true.into()));
    let (code, _, err) =
        tokio::task::block_in_place(|| home.run(&["sessions", "resume", &id, "-q"]));
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = tokio::task::block_in_place(|| home.run(&["sessions", "list"]));
    assert!(!out.contains("cut off"), "{out}");
}
