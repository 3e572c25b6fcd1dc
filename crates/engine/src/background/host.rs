//! Debates that live in the background of a process, for faces whose callers
//! come and go. A debate is started or resumed here as a task of its own; it
//! ends, pauses or waits for its turn whether or not anybody watches. Nothing is
//! resumed unasked: a debate of a process that died costs money to go on with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::CancellationToken;
use debate::Debate;
use debate::model::{MicroUsd, Status, Synthesis};
use store::{Store, StoreError};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::config::Config;
use crate::error::EngineError;
use crate::run::{self, Mailbox, RunError, RunNews, Throttle, Watchers};
use crate::sessions::resume::{self, OtherSpeakers};
use crate::sessions::start::{self, OpenedDebate, PreparedDebate};
use crate::sessions::{list, synthesise};
use crate::table::money;
use crate::table::order::Order;

pub use super::client_seat::{ClientAsk, ClientSeat};
pub use super::progress::{DebatePhase, DebateProgress};
pub use super::same_start::StartedUnderKey;

/// How many debates run at the same time where the config file says nothing.
const MOST_DEBATES: usize = 8;
/// How often a debate that another process runs is looked at.
const LOOK: Duration = Duration::from_millis(400);
/// A debate that has a place runs within this time, or is slow to.
const BEGINS: Duration = Duration::from_secs(1);

/// Cheap to clone; all clones are one host.
#[derive(Clone)]
pub struct Host {
    pub(super) inner: Arc<HostState>,
}

pub(super) struct HostState {
    config: Config,
    /// Opened by the first who needs it, so that greeting a client costs nothing.
    store: OnceCell<Store>,
    post: OnceCell<Mailbox>,
    pace: Throttle,
    places: Arc<Semaphore>,
    running: Mutex<HashMap<String, RunningDebate>>,
    pub(super) starts: super::same_start::StartKeys,
    /// Syntheses that are being written.
    writing: Mutex<HashMap<String, watch::Receiver<PendingSynthesis>>>,
    /// Fires when the process is about to end.
    leaving: CancellationToken,
    /// How many debates are not at rest yet.
    busy: watch::Sender<usize>,
}

/// A debate that this process runs or is about to run.
#[derive(Clone)]
pub(super) struct RunningDebate {
    standing: watch::Sender<DebateProgress>,
    seat: ClientSeat,
}

/// A synthesis, once it is there or has failed.
type PendingSynthesis = Option<Result<Synthesis, Arc<EngineError>>>;

/// A debate as it is now.
pub struct DebateSnapshot {
    pub id: String,
    pub debate: Debate,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
    pub attended: RunsWhere,
    /// The last entry of its log.
    pub seq: u64,
}

/// Who runs a debate right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsWhere {
    /// This process will, when there is a place.
    Queued,
    Here,
    /// This process; it is paused and waits for answers on their way.
    Draining,
    Elsewhere,
    Nobody,
}

/// A debate that was asked for.
pub struct HostedDebate {
    pub id: String,
    /// What a person must know about who debates here.
    pub notices: Vec<String>,
    pub joined: StartOrigin,
}

/// Whether a debate is new or the one that was running already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartOrigin {
    New,
    Running,
}

impl Host {
    pub fn new(config: Config) -> Host {
        let most = config.file.server.most_debates.unwrap_or(MOST_DEBATES).max(1);
        let inner = HostState {
            config,
            store: OnceCell::new(),
            post: OnceCell::new(),
            pace: Throttle::default(),
            places: Arc::new(Semaphore::new(most)),
            running: Mutex::default(),
            starts: super::same_start::StartKeys::default(),
            writing: Mutex::default(),
            leaving: CancellationToken::new(),
            busy: watch::Sender::new(0),
        };
        Host { inner: Arc::new(inner) }
    }

    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Fires when the process is about to end; nobody should wait any longer.
    pub fn leaving(&self) -> CancellationToken {
        self.inner.leaving.clone()
    }

    /// The database; `None` where no debate has been held yet. Looking makes none.
    pub async fn store(&self) -> Result<Option<Store>, EngineError> {
        let path = &self.config().paths.database;
        match self.inner.store.get_or_try_init(|| Store::open_existing(path)).await {
            Ok(store) => Ok(Some(store.clone())),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The database of a debate that must be in it.
    pub async fn store_of(&self, id: &str) -> Result<Store, EngineError> {
        self.store().await?.ok_or_else(|| EngineError::Store(unknown(id)))
    }

    /// Everything that is checked before a debate is written down.
    pub async fn prepare(&self, order: &Order) -> Result<PreparedDebate, EngineError> {
        start::prepare(self.config(), order).await
    }

    /// Writes a prepared debate down and lets it run.
    pub async fn start(
        &self,
        prepared: PreparedDebate,
        seat: ClientSeat,
    ) -> Result<HostedDebate, EngineError> {
        let path = &self.config().paths.database;
        let store = self.inner.store.get_or_try_init(|| Store::open(path)).await?;
        let opened = prepared.write(store.clone()).await?;
        let (id, notices) = (opened.id.clone(), opened.table.notices.clone());
        let joined = self.launch(opened, seat, None).await?;
        Ok(HostedDebate { id, notices, joined })
    }

    /// Goes on with a debate that is paused or was cut off; joins it where it runs.
    /// `cap`: the most it may cost from now on, instead of its own limit.
    pub async fn resume(
        &self,
        id: &str,
        cap: Option<MicroUsd>,
        seat: ClientSeat,
    ) -> Result<HostedDebate, EngineError> {
        let store = self.store_of(id).await?;
        let id = store.find(id).await?.id;
        if !self.has_drained(&id).await {
            return Ok(HostedDebate { id, notices: Vec::new(), joined: StartOrigin::Running });
        }
        let voices = OtherSpeakers { script: None, client: Some(seat.speaker()) };
        let opened = resume::resume_in(self.config(), store, &id, &voices).await?;
        let notices = opened.table.notices.clone();
        let joined = self.launch(opened, seat, cap).await?;
        Ok(HostedDebate { id, notices, joined })
    }

    /// Waits until a debate that was paused has taken in the answers on their
    /// way. `false` where it is not paused but running.
    async fn has_drained(&self, id: &str) -> bool {
        let Some(live) = self.running().get(id).cloned() else { return true };
        let mut standing = live.standing.subscribe();
        loop {
            let now = standing.borrow_and_update().clone();
            match (now.phase, now.paused) {
                (DebatePhase::AtRest, _) => return true,
                (DebatePhase::Running, Some(_)) => {}
                _ => return false,
            }
            if standing.changed().await.is_err() {
                return true;
            }
        }
    }

    /// The seat through which the caller's model speaks in a debate of this
    /// process.
    pub fn client_seat(&self, id: &str) -> Option<ClientSeat> {
        self.running().get(id).map(|live| live.seat.clone())
    }

    /// A debate whole, by its id or the beginning of it.
    pub async fn look(&self, id: &str) -> Result<DebateSnapshot, EngineError> {
        let store = self.store_of(id).await?;
        let row = store.find(id).await?;
        // Before the log: what is read of it then holds all that was told so far, and
        // a debate that has just come to rest is not taken for one that was cut off.
        let attended = self.attended(&store, &row.id).await?;
        let (id, log) = list::log(&store, &row.id).await?;
        let seq = log.last().map_or(0, |recorded| recorded.seq);
        let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
        Ok(DebateSnapshot { id, debate, created: row.created, updated: row.updated, attended, seq })
    }

    async fn attended(&self, store: &Store, id: &str) -> Result<RunsWhere, EngineError> {
        let here = self.running().get(id).map(|live| {
            let standing = live.standing.borrow();
            (standing.phase, standing.paused.is_some())
        });
        Ok(match here {
            Some((DebatePhase::Queued, _)) => RunsWhere::Queued,
            Some((DebatePhase::Running, false)) => RunsWhere::Here,
            Some((DebatePhase::Running, true)) => RunsWhere::Draining,
            Some((DebatePhase::AtRest, _)) => RunsWhere::Nobody,
            None if run::is_attended(store, id).await? => RunsWhere::Elsewhere,
            None => RunsWhere::Nobody,
        })
    }

    /// How a debate stands, from now on, wherever it runs. `id` must be whole.
    pub async fn follow(&self, id: &str) -> Result<watch::Receiver<DebateProgress>, EngineError> {
        if let Some(live) = self.running().get(id) {
            return Ok(live.standing.subscribe());
        }
        let store = self.store_of(id).await?;
        let log = store.log(id).await?;
        let seq = log.last().map_or(0, |recorded| recorded.seq);
        let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
        let mut standing = DebateProgress::of(debate.room());
        let attended = run::is_attended(&store, id).await?;
        standing.phase = if attended { DebatePhase::Running } else { DebatePhase::AtRest };
        let (sender, receiver) = watch::channel(standing);
        if attended {
            tokio::spawn(look_elsewhere(store, id.to_owned(), seq, sender));
        }
        Ok(receiver)
    }

    /// Pauses every debate of this process and waits for the answers on their
    /// way, at most this long. What is not in by then may have been billed, and
    /// is asked again when the debate goes on.
    pub async fn leave(&self, patience: Duration) {
        self.inner.leaving.cancel();
        let mut busy = self.inner.busy.subscribe();
        let _ = timeout(patience, busy.wait_for(|busy| *busy == 0)).await;
        if *busy.borrow() == 0
            && let Some(store) = self.inner.store.get()
        {
            store.close().await;
        }
    }

    /// The synthesis of a finished debate; `None` where it is still being
    /// written. It goes on being written when nobody waits any more.
    pub async fn synthesise(
        &self,
        id: &str,
        patience: Duration,
    ) -> Result<Option<Synthesis>, EngineError> {
        let mut writing = {
            let mut all = self.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
            match all.get(id) {
                Some(writing) => writing.clone(),
                None => {
                    let (sender, receiver) = watch::channel(None);
                    all.insert(id.into(), receiver.clone());
                    let (host, id) = (self.clone(), id.to_owned());
                    tokio::spawn(async move {
                        let written = synthesise::synthesise(host.config(), &id, None).await;
                        let mut all =
                            host.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
                        all.remove(&id);
                        let told = written.map(|(_, synthesis)| synthesis);
                        let _ = sender.send(Some(told.map_err(Arc::new)));
                    });
                    receiver
                }
            }
        };
        let written = tokio::select! {
            () = self.inner.leaving.cancelled() => return Ok(None),
            written = timeout(patience, writing.wait_for(Option::is_some)) => written,
        };
        match written {
            Err(_) => Ok(None),
            Ok(Err(_)) => Err(EngineError::Clerk { why: "its task broke off".into() }),
            Ok(Ok(told)) => match told.as_ref() {
                Some(Ok(synthesis)) => Ok(Some(synthesis.clone())),
                // Whoever asked first and whoever asked meanwhile are told the same.
                Some(Err(trouble)) if trouble.is_input() => {
                    Err(EngineError::input(trouble.to_string()))
                }
                Some(Err(trouble)) => Err(EngineError::Clerk { why: trouble.to_string() }),
                None => Ok(None),
            },
        }
    }

    async fn launch(
        &self,
        opened: OpenedDebate,
        seat: ClientSeat,
        cap: Option<MicroUsd>,
    ) -> Result<StartOrigin, EngineError> {
        let bus = Watchers::default();
        let news = bus.watch();
        let interrupt = self.inner.leaving.child_token();
        let room = opened.debate.room();
        let watched = (bus, interrupt);
        let mut runner =
            money::runner(self.config(), &room.brief, &opened.table, &opened.store, watched)?;
        // One look for commands serves all debates of the process.
        runner.post =
            self.inner.post.get_or_init(async || Mailbox::open(&opened.store)).await.clone();
        runner.pace = self.inner.pace.clone();
        runner.caps.debate = cap.or(runner.caps.debate);
        // Whatever it was paused for, it is about to go on.
        let standing =
            watch::Sender::new(DebateProgress { paused: None, ..DebateProgress::of(room) });
        let place = Arc::clone(&self.inner.places).try_acquire_owned().ok();
        if place.is_some() {
            standing.send_modify(|standing| standing.phase = DebatePhase::Running);
        }
        {
            let mut running = self.running();
            if running.contains_key(&opened.id) {
                return Ok(StartOrigin::Running);
            }
            let live = RunningDebate { standing: standing.clone(), seat };
            running.insert(opened.id.clone(), live);
            self.inner.busy.send_modify(|busy| *busy += 1);
        }
        let told = tokio::spawn(tell(news, standing.clone()));
        let mut begins = place.is_some().then(|| standing.subscribe());
        let host = self.clone();
        let OpenedDebate { id, debate, seq, .. } = opened;
        tokio::spawn(async move {
            let ended = match host.place(place).await {
                Some(_place) => host.run(runner, &id, debate, seq, &standing).await,
                None => Ok(()),
            };
            // The last news first, then the end.
            let _ = told.await;
            host.running().remove(&id);
            standing.send_modify(|standing| standing.end(ended.err().map(|e| e.to_string())));
            host.inner.busy.send_modify(|busy| *busy -= 1);
        });
        // Whoever is told of it now finds it running, from any process.
        if let Some(begins) = &mut begins {
            let begun = |now: &DebateProgress| now.told > 0 || now.phase == DebatePhase::AtRest;
            let _ = timeout(BEGINS, begins.wait_for(begun)).await;
        }
        Ok(StartOrigin::New)
    }

    /// A place to run in; `None` where the process ends before there is one.
    async fn place(&self, taken: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        if taken.is_some() {
            return taken;
        }
        tokio::select! {
            () = self.inner.leaving.cancelled() => None,
            place = Arc::clone(&self.inner.places).acquire_owned() => place.ok(),
        }
    }

    async fn run(
        &self,
        runner: run::Runner,
        id: &str,
        mut debate: Debate,
        mut seq: u64,
        standing: &watch::Sender<DebateProgress>,
    ) -> Result<(), RunError> {
        // While it waited somebody may have stopped it, or run it elsewhere.
        let since = runner.store.log_after(id, seq).await?;
        if let Some(last) = since.last() {
            seq = last.seq;
            let log = runner.store.log(id).await?;
            debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))
                .map_err(|error| RunError::Broken(error.to_string()))?;
            if !matches!(debate.room().status, Status::Created | Status::Active) {
                return Ok(());
            }
        }
        standing.send_modify(|standing| standing.phase = DebatePhase::Running);
        runner.run(id, debate, seq).await.map(drop)
    }

    pub(super) fn running(&self) -> MutexGuard<'_, HashMap<String, RunningDebate>> {
        self.inner.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the standing of a debate of this process up to date.
async fn tell(
    mut news: tokio::sync::mpsc::UnboundedReceiver<RunNews>,
    standing: watch::Sender<DebateProgress>,
) {
    while let Some(item) = news.recv().await {
        if let RunNews::Event(recorded) = item {
            standing.send_modify(|standing| standing.take(&recorded.event));
        }
    }
}

/// Keeps the standing of a debate of another process up to date, while anybody
/// wants to know.
async fn look_elsewhere(
    store: Store,
    id: String,
    mut seq: u64,
    standing: watch::Sender<DebateProgress>,
) {
    loop {
        tokio::select! {
            () = standing.closed() => return,
            () = sleep(LOOK) => {}
        }
        let looked = async {
            let attended = run::is_attended(&store, &id).await?;
            Ok::<_, StoreError>((attended, store.log_after(&id, seq).await?))
        };
        let Ok((attended, fresh)) = looked.await else { continue };
        if let Some(last) = fresh.last() {
            seq = last.seq;
            standing.send_modify(|standing| {
                fresh.iter().for_each(|recorded| standing.take(&recorded.event));
            });
        }
        if !attended {
            standing.send_modify(|standing| standing.end(None));
            return;
        }
    }
}

fn unknown(id: &str) -> StoreError {
    StoreError::Unknown { asked: id.into(), recent: Vec::new() }
}
