//! The loop that runs a debate. It performs each step the state machine asks for,
//! stores every event before anything builds on it, and then tells the watchers. It
//! decides nothing about the debate.
//!
//! Each call is written down twice: before a byte is sent, with the most it may
//! cost (T1), and when its answer has arrived, with its real cost (T2). A call that
//! has a T1 and no T2 when a run begins was cut off: it is possibly billed. Its
//! answer is fetched if the provider kept it; otherwise the call is made again.

mod appending;
mod calls;
mod control;
mod fail_points;
mod lease;
mod mailbox;
mod many;
mod one_call;
mod owner;
mod pricing;
mod reserving;
mod spawning;
mod throttle;
mod watchers;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use agents::embed::Embedder;
use agents::tools::Toolbox;
use agents::{CancellationToken, Panel};
use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::*;
use store::{PendingCommand, SpendingCaps, Store, StoreError};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

pub use control::{CommandResult, ControlError, PATIENCE, control, ensure_not_running, tell};
pub use fail_points::{FailPoint, FailPoints};
pub use lease::{LeftDebates, is_attended, left_by_server, unattended};
pub use mailbox::Mailbox;
pub use many::RunnerPool;
pub use one_call::{SingleCall, ask_alone};
pub use pricing::{FlatPrice, OwnPrices, PriceTable, Pricing};
pub use spawning::spawn;
pub use throttle::Throttle;
pub use watchers::{RunNews, Watchers};

use appending::{AppendMode, LeaseHold};
use calls::{CallNews, FinishedCall};
use reserving::MoneyShortage;
use throttle::WorkGuard;

/// After an interruption, the runner waits this long for answers in flight, because
/// they are already paid for.
const DRAIN: Duration = Duration::from_secs(10);
/// Another process may take over a debate whose runner has not renewed its lease
/// for this long.
pub(crate) const LEASE_MS: i64 = 30_000;
const RENEW: Duration = Duration::from_secs(10);
/// The delay before a write to a full disk or a locked file is tried again.
const RETRY: Duration = Duration::from_millis(500);

pub struct Runner {
    pub store: Store,
    pub panel: Panel,
    pub embedder: Option<Arc<dyn Embedder>>,
    pub watchers: Watchers,
    /// Cancelled when the process is asked to exit.
    pub interrupt: CancellationToken,
    pub mailbox: Mailbox,
    pub throttle: Throttle,
    pub pricing: Arc<dyn Pricing>,
    /// If these set no limit for the debate, the limit in its brief applies.
    pub caps: SpendingCaps,
    pub fail: FailPoints,
    /// The tools of this debate. Before each call they are given the current state
    /// of the debate.
    pub toolbox: Option<Arc<Toolbox>>,
    /// True in a server, which goes on with its debates after a restart.
    pub serves: bool,
}

/// The end of a run. The debate itself is in the store.
#[derive(Debug)]
pub enum RunEnd {
    Done(Box<Verdict>),
    Paused(PauseReason),
}

/// A run that has ended, with its debate as it was stored last.
#[derive(Debug)]
pub struct RestedRun {
    pub end: RunEnd,
    pub debate: Debate,
    /// The number of the last entry of its log.
    pub seq: u64,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the debate cannot go on: {0}")]
    Broken(String),
}

impl Runner {
    /// Runs a stored debate until it is done or paused. `debate` must be the replay
    /// of the log up to `seq`.
    #[boxed]
    pub async fn run(&self, id: &str, debate: Debate, seq: u64) -> Result<RunEnd, RunError> {
        self.run_to_rest(id, debate, seq).await.map(|rested| rested.end)
    }

    /// Runs a debate as [`Runner::run`] does, and hands it back as its log has it.
    #[boxed]
    pub async fn run_to_rest(
        &self,
        id: &str,
        debate: Debate,
        seq: u64,
    ) -> Result<RestedRun, RunError> {
        let beginning = self.throttle.turn().await;
        // What is written down from here on is either seen below or signalled.
        let signal = self.mailbox.subscribe(id);
        let rested = self.run_signalled(id, (debate, seq), &signal, beginning).await;
        self.mailbox.unsubscribe(id);
        rested
    }

    async fn run_signalled(
        &self,
        id: &str,
        (mut debate, mut seq): (Debate, u64),
        signal: &Notify,
        beginning: WorkGuard,
    ) -> Result<RestedRun, RunError> {
        let standing = self.store.standing(id).await?;
        if standing.last_seq > seq {
            // While it waited for its turn, the debate may have been stopped, or run by another
            // process.
            (debate, seq) = control::load(&self.store, id).await?;
            if let Some(end) = end_of_resting(&debate) {
                return Ok(RestedRun { end, debate, seq });
            }
        }
        let claim = lease::next_lease(standing.lease, id, self.serves)?;
        let (sender, news) = unbounded_channel();
        let mut run = ActiveRun {
            runner: self,
            claim,
            hold: LeaseHold::Intended,
            debate,
            seq,
            in_flight: HashSet::new(),
            aborts: HashMap::new(),
            calls: JoinSet::new(),
            news: (sender, news),
            cancel: CancellationToken::new(),
            after_drain: None,
            shortage: MoneyShortage::default(),
        };
        let outcome = run.drive(signal, beginning, standing.is_commanded).await;
        run.cancel.cancel();
        if run.hold == LeaseHold::Held {
            // The store refuses to release a lease that another runner has taken over;
            // that is fine.
            let _ = self.store.release_run(&run.claim).await;
        }
        Ok(RestedRun { end: outcome?, debate: run.debate, seq: run.seq })
    }
}

struct ActiveRun<'a> {
    runner: &'a Runner,
    claim: store::Lease,
    hold: LeaseHold,
    debate: Debate,
    seq: u64,
    in_flight: HashSet<AskId>,
    /// The way to end each call in flight.
    aborts: HashMap<AskId, AbortHandle>,
    calls: JoinSet<FinishedCall>,
    /// News from calls in flight.
    news: (UnboundedSender<CallNews>, UnboundedReceiver<CallNews>),
    cancel: CancellationToken,
    /// Set once no new call may start.
    after_drain: Option<AfterDrain>,
    /// Requests that wait for money.
    shortage: MoneyShortage,
}

/// The input to give the machine once no call is in flight, and the time limit for
/// that.
struct AfterDrain {
    say: Option<Input>,
    until: Instant,
}

impl ActiveRun<'_> {
    /// Carries out what was commanded before the run, and takes it up.
    async fn begin(&mut self, is_commanded: bool) -> Result<(), RunError> {
        if is_commanded {
            // Commands that were left in the store before this run began.
            self.take_lease().await?;
            control::obey_all(&self.runner.store, &self.claim).await?;
            (self.debate, self.seq) = control::load(&self.runner.store, &self.claim.id).await?;
        }
        // Calls that an earlier process sent and whose answers it never stored.
        let mut events = self.debate.hear(Input::GaveUp { fetch_kept: true });
        events.extend(self.debate.hear(Input::Go));
        self.go_on(events).await?;
        if self.hold == LeaseHold::Intended {
            self.take_lease().await?;
        }
        Ok(())
    }

    async fn drive(
        &mut self,
        signal: &Notify,
        beginning: WorkGuard,
        is_commanded: bool,
    ) -> Result<RunEnd, RunError> {
        self.begin(is_commanded).await?;
        drop(beginning);
        // The lease is fresh. Renewing it now would only delay the first news from
        // calls.
        let mut renew = interval_at(Instant::now() + RENEW, RENEW);
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.may_start_calls()
                && let Some(outcome) = self.advance().await?
            {
                return Ok(outcome);
            }
            if self.in_flight.is_empty()
                && let Some(mut after) = self.after_drain.take()
            {
                if let Some(heard) = after.say.take() {
                    // Once the debate has ended, its resting conversations are not
                    // resumed.
                    self.commit(Input::GaveUp { fetch_kept: false }).await?;
                    self.commit(heard).await?;
                }
                return self.quiet();
            }
            if !self.may_ask() {
                self.shortage.rest_all();
            }
            let deadline = self.after_drain.as_ref().map(|after| after.until);
            let look = self.shortage.look_again;
            let interrupt = &self.runner.interrupt;
            tokio::select! {
                biased;
                () = interrupt.cancelled(), if self.after_drain.is_none() => {
                    // The answers in flight are awaited and stored. The debate pauses at
                    // once, unless another node goes on with it.
                    if !self.is_handed_over() {
                        self.commit(Input::Pause(PauseReason::Interrupted)).await?;
                    }
                    self.drain(None);
                }
                () = signal.notified() => match self.obey().await {
                    // It is temporary, so the command stays pending.
                    Err(RunError::Store(error)) if error.is_passing() => signal.notify_one(),
                    obeyed => obeyed?,
                },
                Some(one) = self.news.1.recv() => self.note(one).await?,
                Some(joined) = self.calls.join_next(), if !self.calls.is_empty() => {
                    let mut all = vec![joined];
                    // Answers that arrived meanwhile go into the same commit.
                    while let Some(joined) = self.calls.try_join_next() {
                        all.push(joined);
                    }
                    let lost = all.iter().any(Result::is_err);
                    self.settle(all.into_iter().flatten().collect()).await?;
                    if lost {
                        self.give_up_lost_calls().await?;
                    }
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    self.give_up_calls().await?;
                }
                () = sleep_until(look.unwrap_or_else(Instant::now)), if look.is_some() => {
                    self.look_for_money().await?;
                }
                _ = renew.tick() => self.renew().await?,
            }
        }
    }

    /// Gives up the calls in flight, because the time for them is up. They may be
    /// billed and will be made again.
    async fn give_up_calls(&mut self) -> Result<(), RunError> {
        self.calls.abort_all();
        self.calls = JoinSet::new();
        self.in_flight.clear();
        self.aborts.clear();
        let stops = self.after_drain.as_ref().is_some_and(|after| after.say.is_some());
        // A debate that is over fetches no answers.
        self.commit(Input::GaveUp { fetch_kept: !stops }).await
    }

    /// Starts every wanted call that is not yet in flight. Returns the outcome when
    /// the machine has nothing more to ask.
    async fn advance(&mut self) -> Result<Option<RunEnd>, RunError> {
        loop {
            let awaited = self.debate.awaited();
            if !awaited.is_empty() && awaited.iter().all(|ask| self.in_flight.contains(ask)) {
                return Ok(None);
            }
            match self.debate.next_step() {
                Step::Ask(asks) => {
                    let fresh: Vec<Ask> =
                        asks.into_iter().filter(|ask| !self.in_flight.contains(&ask.id)).collect();
                    self.start_calls(Vec::new(), fresh).await?;
                    return Ok(None);
                }
                Step::Embed(texts) => {
                    let heard = self.compare(texts).await;
                    let events = self.debate.hear(heard);
                    self.go_on(events).await?;
                }
                Step::Await(AwaitReason::Paused(_) | AwaitReason::NotStarted) => {
                    return self.quiet().map(Some);
                }
                Step::Await(AwaitReason::Broken(why)) => return Err(RunError::Broken(why)),
                Step::Done(verdict) => return Ok(Some(RunEnd::Done(verdict))),
            }
        }
    }

    async fn compare(&self, texts: Vec<EmbedText>) -> Input {
        let Some(embedder) = &self.runner.embedder else {
            return Input::NotCompared { reason: "no embedder is available".into() };
        };
        let words: Vec<String> = texts.into_iter().map(|text| text.text).collect();
        match agents::embed::compare(embedder.as_ref(), &words).await {
            Ok(similarities) => {
                Input::Compared(TextSimilarities { embedder: embedder.name().into(), similarities })
            }
            Err(error) => Input::NotCompared { reason: error.to_string() },
        }
    }

    /// Carries out commands that another process left in the store.
    async fn obey(&mut self) -> Result<(), RunError> {
        for sent in self.runner.store.pending(&self.claim.id).await? {
            let number = sent.number;
            let (right, _) = control::meaning(sent.command.clone());
            match self.debate.may(right) {
                Ok(()) => self.carry_out(sent).await?,
                Err(refused) => {
                    let why = control::written(&refused);
                    self.runner.store.refuse(&self.claim, number, &why).await?;
                }
            }
        }
        Ok(())
    }

    async fn carry_out(&mut self, sent: PendingCommand) -> Result<(), RunError> {
        let mode = AppendMode::HandlesCommand(sent.number);
        let (_, heard) = control::meaning(sent.command);
        match heard {
            Input::Pause(_) => {
                self.hear(heard, mode).await?;
                self.drain(None);
            }
            // The debate counts as paused until the answers in flight are stored.
            // The sender was told that the debate stops, so it must not be found
            // running after a crash.
            Input::Stop => {
                self.hear(Input::Pause(PauseReason::Asked), mode).await?;
                self.drain(Some(Input::Stop));
            }
            Input::Go => {
                self.hear(heard, mode).await?;
                self.after_drain = None;
            }
            Input::Drop(seat) => self.drop_seat(seat, mode).await?,
            other => self.hear(other, mode).await?,
        }
        Ok(())
    }

    /// Ends the calls that are made for a seat, which may be billed, and drops it.
    async fn drop_seat(&mut self, seat: SeatId, mode: AppendMode) -> Result<(), RunError> {
        let mut events = Vec::new();
        if self.debate.may_drop(seat).is_ok() {
            for ask in self.debate.sent_for(seat) {
                self.in_flight.remove(&ask);
                if let Some(call) = self.aborts.remove(&ask) {
                    call.abort();
                }
                events.extend(self.debate.hear(Input::Lost { ask }));
            }
        }
        events.extend(self.debate.hear(Input::Drop(seat)));
        self.store(&events, mode).await
    }

    /// Starts no new calls, waits for those in flight, then gives `say` to the
    /// machine.
    fn drain(&mut self, say: Option<Input>) {
        let until = self.after_drain.as_ref().map(|after| after.until);
        self.after_drain =
            Some(AfterDrain { say, until: until.unwrap_or_else(|| Instant::now() + DRAIN) });
    }

    async fn commit(&mut self, heard: Input) -> Result<(), RunError> {
        self.hear(heard, AppendMode::Plain).await
    }

    async fn hear(&mut self, heard: Input, mode: AppendMode) -> Result<(), RunError> {
        let events = self.debate.hear(heard);
        self.store(&events, mode).await
    }

    /// Tells whether this node is about to go and leaves the debate to others, which take up
    /// what is given back in the middle.
    fn is_handed_over(&self) -> bool {
        let runner = self.runner;
        runner.serves && runner.store.is_shared() && runner.interrupt.is_cancelled()
    }

    /// Returns the end of a run that has nothing to ask and nothing in flight.
    fn quiet(&self) -> Result<RunEnd, RunError> {
        let status = &self.debate.room().status;
        if matches!(status, Status::Active) && self.is_handed_over() {
            return Ok(RunEnd::Paused(PauseReason::Interrupted));
        }
        end_of_resting(&self.debate).ok_or_else(|| {
            let why = match status {
                Status::Completed { .. } => "it ended without a verdict".into(),
                other => format!("it is {} and asks for nothing", other.word()),
            };
            RunError::Broken(why)
        })
    }
}

/// Returns the end of the last run of a debate that is at rest; `None` if it is not, or has ended
/// without a verdict.
fn end_of_resting(debate: &Debate) -> Option<RunEnd> {
    let room = debate.room();
    match &room.status {
        Status::Paused { reason } => Some(RunEnd::Paused(reason.clone())),
        Status::Completed { .. } => room.verdict.clone().map(|one| RunEnd::Done(Box::new(one))),
        _ => None,
    }
}
