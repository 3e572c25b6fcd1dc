//! Debates that run in the background of a process, for faces whose callers come
//! and go. Each debate is a task of its own; it ends, pauses or waits for its turn
//! whether or not a client watches. No debate is resumed unasked, because
//! continuing one costs money, except those that a server was running when it was
//! killed (`left_debates`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use agents::CancellationToken;
use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{MicroUsd, Synthesis};
use store::{ListedDebate, Reach, Store, StoreError};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, broadcast, watch};
use tokio::time::timeout;

use super::admission::{Admission, StartPermit};
use super::observing::{HostObserver, ObservedDebate};
use super::progress_feed::{MOST_NEWS, tell};
use super::rested::RestedDebates;
use crate::config::Config;
use crate::error::EngineError;
use crate::people::caller::{Caller, Operation};
use crate::people::oidc::OidcProvider;
use crate::people::tokens::TokenCache;
use crate::people::touch::{self, NotedReadings};
use crate::run::{self, Mailbox, RunError, RunNews, Throttle, Watchers};
use crate::sessions::list;
use crate::sessions::past::PastDebates;
use crate::sessions::resume::{self, OtherSpeakers};
use crate::sessions::start::OpenedDebate;
use crate::table::money;
use crate::table::notice::TableNotice;
use crate::table::order::Order;
use crate::table::prepare::{PreparedDebate, prepare_after};

pub use super::client_seat::{ClientAsk, ClientSeat};
pub use super::progress::{DebatePhase, DebateProgress};
pub use super::start_keys::StartedUnderKey;

/// A debate that was given a slot normally begins within this time.
const BEGINS: Duration = Duration::from_secs(1);

/// Cheap to clone; all clones are one host.
#[derive(Clone)]
pub struct Host {
    pub(super) inner: Arc<HostState>,
    /// The settings, with the caller for whom everything is done.
    config: Arc<Config>,
}

pub(super) struct HostState {
    /// Opened on first use, so that greeting a client costs nothing.
    pub(super) store: OnceCell<Store>,
    mailbox: OnceCell<Mailbox>,
    throttle: Throttle,
    admission: Admission,
    running: Mutex<HashMap<String, RunningDebate>>,
    pub(super) starts: super::start_keys::StartKeys,
    /// Syntheses that are being written.
    pub(super) writing: Mutex<HashMap<String, watch::Receiver<PendingSynthesis>>>,
    /// Cancelled when the process is about to exit.
    pub(super) leaving: CancellationToken,
    /// The number of debates that are not yet at rest.
    busy: watch::Sender<usize>,
    /// True in a server, which goes on with its debates after a restart.
    serves: bool,
    observers: Arc<[Arc<dyn HostObserver>]>,
    pub(super) tokens: TokenCache,
    /// The provider that people sign in with; empty: there is none.
    pub(super) oidc: OnceLock<OidcProvider>,
    pub(super) readings: NotedReadings,
    rested: RestedDebates,
}

/// A debate that this process runs or is about to run.
#[derive(Clone)]
pub(super) struct RunningDebate {
    pub(super) progress: watch::Sender<DebateProgress>,
    seat: ClientSeat,
    pub(super) news: broadcast::Sender<RunNews>,
}

/// A synthesis, once it is written or has failed.
pub(super) type PendingSynthesis = Option<Result<Synthesis, Arc<EngineError>>>;

/// The current state of a debate.
pub struct DebateSnapshot {
    pub id: String,
    pub debate: Debate,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
    pub attended: RunsWhere,
    /// The number of the last entry of its log.
    pub seq: u64,
    /// The person whose debate it is; `None`: the machine's own.
    pub owner: Option<String>,
    /// True if the whole team may read it.
    pub shared: bool,
}

/// The process that runs a debate right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsWhere {
    /// This process, once a slot is free.
    Queued,
    Here,
    /// This process; the debate is paused and waits for answers in flight.
    Draining,
    Elsewhere,
    Nowhere,
}

/// A debate that was started, resumed or joined.
pub struct HostedDebate {
    pub id: String,
    /// Notices about the table that a person must see.
    pub notices: Vec<TableNotice>,
    pub joined: StartOrigin,
}

/// Tells a new debate from one that was already running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartOrigin {
    New,
    Running,
}

impl Host {
    /// A host whose debates end with its process.
    pub fn new(config: Config) -> Host {
        Host::with(config, false, Vec::new())
    }

    /// The host of a server: the starts of its callers are counted, and its debates go on
    /// when it is started again. The observers are told of everything they do.
    pub fn server(config: Config, observers: Vec<Arc<dyn HostObserver>>) -> Host {
        Host::with(config, true, observers)
    }

    fn with(config: Config, serves: bool, observers: Vec<Arc<dyn HostObserver>>) -> Host {
        let admission = Admission::new(&config, serves);
        let inner = HostState {
            store: OnceCell::new(),
            mailbox: OnceCell::new(),
            throttle: match admission.pace.clone() {
                Some(pace) => Throttle::telling(move |took| pace.answered(took)),
                None => Throttle::default(),
            },
            admission,
            running: Mutex::default(),
            starts: super::start_keys::StartKeys::default(),
            writing: Mutex::default(),
            leaving: CancellationToken::new(),
            busy: watch::Sender::new(0),
            serves,
            observers: observers.into(),
            tokens: TokenCache::default(),
            oidc: OnceLock::new(),
            readings: NotedReadings::default(),
            rested: RestedDebates::default(),
        };
        Host { inner: Arc::new(inner), config: Arc::new(config) }
    }

    /// The same host for another caller.
    pub fn for_caller(&self, caller: &Caller) -> Host {
        if self.config.caller == *caller {
            return self.clone();
        }
        let config = Arc::new(self.config.for_caller(caller.clone()));
        Host { inner: Arc::clone(&self.inner), config }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Cancelled when the process is about to exit; callers should stop waiting.
    pub fn leaving(&self) -> CancellationToken {
        self.inner.leaving.clone()
    }

    /// Returns the database with the debates that the caller may read; `None` if no debate
    /// has been held yet. Does not create one.
    #[boxed]
    pub async fn store(&self) -> Result<Option<Store>, EngineError> {
        let reach = self.config().caller.reach(Operation::Read);
        Ok(self.whole_store().await?.map(|store| store.reaching(reach)))
    }

    /// Returns the database with all debates, for the program itself.
    pub(super) async fn whole_store(&self) -> Result<Option<Store>, EngineError> {
        let place = &self.config().store;
        match self.inner.store.get_or_try_init(|| Store::open_existing(place)).await {
            Ok(store) => Ok(Some(store.clone())),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the database, which must exist because this debate is in it.
    #[boxed]
    pub async fn store_of(&self, id: &str) -> Result<Store, EngineError> {
        self.store().await?.ok_or_else(|| EngineError::Store(unknown(id)))
    }

    /// Counts a start of this caller, and refuses it if there were too many or too many
    /// debates wait.
    pub fn admit(&self, caller: &str) -> Result<(), EngineError> {
        let who = &self.config().caller;
        who.allowed(Operation::Start)?;
        drop(self.inner.admission.slot()?);
        self.inner.admission.count(if who.is_machine() { caller } else { who.name() })
    }

    /// Makes all checks that come before a debate is written.
    #[boxed]
    pub async fn prepare(&self, order: &Order) -> Result<PreparedDebate, EngineError> {
        self.config().caller.allowed(Operation::Start)?;
        let past = PastDebates::of(self.config(), self.store().await?);
        prepare_after(self.config(), order, &past).await
    }

    /// Stores a prepared debate and runs it.
    #[boxed]
    pub async fn start(
        &self,
        prepared: PreparedDebate,
        seat: ClientSeat,
    ) -> Result<HostedDebate, EngineError> {
        let permit = self.inner.admission.slot()?;
        let place = &self.config().store;
        let store = self.inner.store.get_or_try_init(|| Store::open(place)).await?;
        let own = store.reaching(self.config().caller.reach(Operation::Start));
        // Kept off the stack, here and below: a whole debate is moved about in there.
        let opened = Box::pin(prepared.write(own)).await?;
        let (id, notices) = (opened.id.clone(), opened.table.notices.clone());
        let joined = Box::pin(self.launch(opened, seat, (None, permit))).await?;
        Ok(HostedDebate { id, notices, joined })
    }

    /// Resumes a debate that is paused or was cut off, or joins it if it is
    /// running. `cap`: the most it may cost from now on, instead of its own limit.
    #[boxed]
    pub async fn resume(
        &self,
        id: &str,
        cap: Option<MicroUsd>,
        seat: ClientSeat,
    ) -> Result<HostedDebate, EngineError> {
        let store = self.whole_store().await?.ok_or_else(|| EngineError::Store(unknown(id)))?;
        let caller = &self.config().caller;
        let row = store.reaching(caller.reach(Operation::Steer)).find(id).await?;
        touch::note(caller, &store, &row, "resumed a debate").await?;
        let id = row.id;
        if !self.has_drained(&id).await {
            return Ok(HostedDebate { id, notices: Vec::new(), joined: StartOrigin::Running });
        }
        let permit = self.inner.admission.slot()?;
        let voices = OtherSpeakers { script: None, client: Some(seat.speaker()) };
        let opened = resume::resume_in(self.config(), store, &id, &voices).await?;
        let notices = opened.table.notices.clone();
        let joined = Box::pin(self.launch(opened, seat, (cap, permit))).await?;
        Ok(HostedDebate { id, notices, joined })
    }

    /// Waits until a paused debate has stored the answers in flight. Returns
    /// `false` if it is running, not paused.
    async fn has_drained(&self, id: &str) -> bool {
        let Some(live) = self.running().get(id).cloned() else { return true };
        let mut progress = live.progress.subscribe();
        loop {
            let now = progress.borrow_and_update().clone();
            match (now.phase, now.paused) {
                (DebatePhase::AtRest, _) => return true,
                (DebatePhase::Running, Some(_)) => {}
                _ => return false,
            }
            if progress.changed().await.is_err() {
                return true;
            }
        }
    }

    /// Returns the seat of the caller's model in a debate of this process.
    pub fn client_seat(&self, id: &str) -> Option<ClientSeat> {
        self.running().get(id).map(|live| live.seat.clone())
    }

    /// Returns a debate by its id or the beginning of its id, to be read.
    #[boxed]
    pub async fn look(&self, id: &str) -> Result<DebateSnapshot, EngineError> {
        self.look_to(id, Operation::Read).await
    }

    /// Returns a debate that the caller may do this with.
    #[boxed]
    pub async fn look_to(
        &self,
        id: &str,
        operation: Operation,
    ) -> Result<DebateSnapshot, EngineError> {
        let store = self.store_of(id).await?.reaching(self.config().caller.reach(operation));
        let row = store.find(id).await?;
        self.note_reading(&store, &row).await?;
        // This comes before reading the log. The log then holds every event
        // reported so far, and a debate that has just come to rest is not mistaken
        // for one that was cut off.
        let attended = self.attended(&store, &row.id).await?;
        let ListedDebate { id, created, updated, owner, shared, last_seq, .. } = row;
        let is_at_rest = attended == RunsWhere::Nowhere;
        let (debate, seq) = match is_at_rest.then(|| self.inner.rested.take(&id, last_seq)) {
            Some(Some(debate)) => (debate, last_seq),
            _ => {
                let (_, log) = list::log(&store, &id).await?;
                let seq = log.last().map_or(0, |recorded| recorded.seq);
                (Debate::replay(log.into_iter().map(|recorded| recorded.event))?, seq)
            }
        };
        Ok(DebateSnapshot { id, debate, created, updated, attended, seq, owner, shared })
    }

    pub(super) async fn attended(&self, store: &Store, id: &str) -> Result<RunsWhere, EngineError> {
        let here = self.running().get(id).map(|live| {
            let progress = live.progress.borrow();
            (progress.phase, progress.paused.is_some())
        });
        Ok(match here {
            Some((DebatePhase::Queued, _)) => RunsWhere::Queued,
            Some((DebatePhase::Running, false)) => RunsWhere::Here,
            Some((DebatePhase::Running, true)) => RunsWhere::Draining,
            Some((DebatePhase::AtRest, _)) => RunsWhere::Nowhere,
            None if run::is_attended(store, id).await? => RunsWhere::Elsewhere,
            None => RunsWhere::Nowhere,
        })
    }

    /// Pauses every debate of this process and waits at most this long for the
    /// answers in flight. An answer that is not in by then may be billed, and is
    /// asked for again when the debate is resumed.
    #[boxed]
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

    async fn launch(
        &self,
        opened: OpenedDebate,
        seat: ClientSeat,
        (cap, permit): (Option<MicroUsd>, StartPermit),
    ) -> Result<StartOrigin, EngineError> {
        let watchers = Watchers::default();
        let feed = broadcast::Sender::new(MOST_NEWS);
        let readers = feed.clone();
        let news = watchers.watch_with(move || readers.receiver_count() > 0);
        let interrupt = self.inner.leaving.child_token();
        let room = opened.debate.room();
        let watched = (watchers, interrupt);
        // Debates run for the program itself, whoever started or resumed them.
        let store = opened.store.reaching(Reach::default());
        let mut runner = money::runner(self.config(), &room.brief, &opened.table, &store, watched)?;
        // One mailbox serves all debates of the process.
        runner.mailbox =
            self.inner.mailbox.get_or_init(async || Mailbox::open(&store)).await.clone();
        runner.throttle = self.inner.throttle.clone();
        runner.serves = self.inner.serves;
        // Callers from elsewhere may not lift the operator's limit.
        let ceiling = money::ceiling(self.config());
        runner.caps.debate = money::lower(cap.or(runner.caps.debate), ceiling);
        // The debate is about to continue, so its pause reason no longer applies.
        let progress =
            watch::Sender::new(DebateProgress { paused: None, ..DebateProgress::of(room) });
        let place = Arc::clone(&self.inner.admission.places).try_acquire_owned().ok();
        if place.is_some() {
            progress.send_modify(|progress| progress.phase = DebatePhase::Running);
        }
        {
            let mut running = self.running();
            if running.contains_key(&opened.id) {
                return Ok(StartOrigin::Running);
            }
            let live = RunningDebate { progress: progress.clone(), seat, news: feed.clone() };
            running.insert(opened.id.clone(), live);
            self.inner.busy.send_modify(|busy| *busy += 1);
        }
        let observed = (
            ObservedDebate::of(&opened.id, opened.debate.room()),
            Arc::clone(&self.inner.observers),
        );
        let updates = run::spawn(tell(news, progress.clone(), feed, observed));
        let mut begins = place.is_some().then(|| progress.subscribe());
        let host = self.clone();
        let OpenedDebate { id, debate, seq, .. } = opened;
        run::spawn(async move {
            let ended = match host.place(place).await {
                Some(_place) => Box::pin(host.run(runner, &id, debate, seq, &progress)).await,
                None => {
                    // It holds the sender of the news.
                    drop(runner);
                    Ok(())
                }
            };
            // The last news is applied before the end.
            let _ = updates.await;
            host.running().remove(&id);
            host.inner.observers.iter().for_each(|one| one.left(&id));
            progress.send_modify(|progress| progress.end(ended.err().map(|e| e.to_string())));
            host.inner.busy.send_modify(|busy| *busy -= 1);
            drop(permit);
        });
        // When this returns, every process sees the debate as running.
        if let Some(begins) = &mut begins {
            let begun = |now: &DebateProgress| now.told > 0 || now.phase == DebatePhase::AtRest;
            let _ = timeout(BEGINS, begins.wait_for(begun)).await;
        }
        Ok(StartOrigin::New)
    }

    /// Waits for a free slot; `None` if the process exits before there is one.
    async fn place(&self, taken: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        if taken.is_some() {
            return taken;
        }
        tokio::select! {
            () = self.inner.leaving.cancelled() => None,
            place = Arc::clone(&self.inner.admission.places).acquire_owned() => place.ok(),
        }
    }

    async fn run(
        &self,
        runner: run::Runner,
        id: &str,
        debate: Debate,
        seq: u64,
        progress: &watch::Sender<DebateProgress>,
    ) -> Result<(), RunError> {
        progress.send_modify(|progress| progress.phase = DebatePhase::Running);
        match runner.run_to_rest(id, debate, seq).await {
            // Another node was faster, or took it up while this one stood still.
            Err(RunError::Store(StoreError::Taken { .. } | StoreError::NotRunner { .. }))
                if runner.store.is_shared() =>
            {
                tracing::info!(debate = %id, "another node runs this debate");
                self.inner.observers.iter().for_each(|one| one.lost());
                Ok(())
            }
            ended => {
                let run::RestedRun { debate, seq, .. } = ended?;
                self.inner.rested.keep(id, seq, debate);
                Ok(())
            }
        }
    }

    pub(super) fn running(&self) -> MutexGuard<'_, HashMap<String, RunningDebate>> {
        self.inner.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(id: &str) -> StoreError {
    StoreError::Unknown { asked: id.into(), recent: Vec::new() }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
