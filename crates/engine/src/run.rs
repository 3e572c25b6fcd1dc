//! The loop that waits. It performs what the machine asks for, stores every
//! event before anything is built on it, and tells whoever watches. It decides
//! nothing about the debate.
//!
//! Each call is written down twice: before a byte is sent, with the worst it
//! may cost (T1), and when its answer is here, with what it did cost (T2). What
//! has a T1 and no T2 when a run begins was cut off: it is possibly billed, and
//! is fetched where the provider kept it, and else asked again.

mod calls;
mod control;
mod fail_points;
mod lease;
mod mailbox;
mod many;
mod one_call;
mod pricing;
mod throttle;
mod watchers;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use agents::embed::Embedder;
use agents::tools::Toolbox;
use agents::{CancellationToken, Panel};
use debate::Debate;
use debate::model::*;
use store::{Caps, Recorded, Sent, Store, StoreError};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

pub use control::{CommandResult, ControlError, control, let_go, tell};
pub use fail_points::{FailPoint, FailPoints};
pub use lease::{is_attended, unattended};
pub use mailbox::Mailbox;
pub use many::RunnerPool;
pub use one_call::{SingleCall, ask_alone};
pub use pricing::{FlatPrice, OwnPrices, PriceTable, Pricing};
pub use throttle::Throttle;
pub use watchers::{RunNews, Watchers};

use crate::clock;
use calls::{CallNews, FinishedCall};
use throttle::WorkGuard;

/// How long answers in flight are waited for after an interruption: they are
/// already paid for.
const DRAIN: Duration = Duration::from_secs(10);
/// A runner that is silent for this long may lose its debate to another.
const LEASE_MS: i64 = 30_000;
const RENEW: Duration = Duration::from_secs(10);
/// How long to wait before a disk that is full, or a file that is locked, is
/// tried again.
const RETRY: Duration = Duration::from_millis(500);

pub struct Runner {
    pub store: Store,
    pub panel: Panel,
    pub embedder: Option<Arc<dyn Embedder>>,
    pub bus: Watchers,
    /// Fires when the process is asked to end.
    pub interrupt: CancellationToken,
    pub post: Mailbox,
    pub pace: Throttle,
    pub pricing: Arc<dyn Pricing>,
    /// Where it has no limit for the debate, the brief's own holds.
    pub caps: Caps,
    pub fail: FailPoints,
    /// The tools of this debate; before each call they are told how it stands.
    pub toolbox: Option<Arc<Toolbox>>,
}

/// How a run ended. The debate itself is in the store.
#[derive(Debug)]
pub enum RunEnd {
    Done(Box<Verdict>),
    Paused(PauseReason),
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the debate cannot go on: {0}")]
    Broken(String),
}

impl Runner {
    /// Runs a stored debate until it is done or paused. `debate` must be the
    /// fold of the log up to `seq`.
    pub async fn run(&self, id: &str, debate: Debate, seq: u64) -> Result<RunEnd, RunError> {
        let beginning = self.pace.turn().await;
        let claim = lease::claim(&self.store, id, LEASE_MS).await?;
        let bell = self.post.subscribe(id);
        let (sender, asides) = unbounded_channel();
        let mut run = ActiveRun {
            runner: self,
            claim,
            debate,
            seq,
            in_flight: HashSet::new(),
            calls: JoinSet::new(),
            asides: (sender, asides),
            cancel: CancellationToken::new(),
            after_drain: None,
        };
        let outcome = run.drive(&bell, beginning).await;
        run.cancel.cancel();
        self.post.unsubscribe(id);
        // A claim that was lost to another runner is not ours to give back.
        let _ = self.store.release_run(&run.claim).await;
        outcome
    }
}

struct ActiveRun<'a> {
    runner: &'a Runner,
    claim: store::Claim,
    debate: Debate,
    seq: u64,
    in_flight: HashSet<AskId>,
    calls: JoinSet<FinishedCall>,
    /// What calls on their way have to say before they end.
    asides: (UnboundedSender<CallNews>, UnboundedReceiver<CallNews>),
    cancel: CancellationToken,
    /// Set once no new call may start.
    after_drain: Option<AfterDrain>,
}

/// What to say when the table is quiet, and how long to wait for that.
struct AfterDrain {
    say: Option<Input>,
    until: Instant,
}

/// What an append does or minds besides.
enum AppendMode {
    Nothing,
    /// It obeys this command.
    Obeys(u64),
    /// It announces calls that must keep within these.
    Reserves(Caps),
    /// It must outlive a kill, and need not outlive a power cut.
    Hurries,
}

impl ActiveRun<'_> {
    async fn drive(&mut self, bell: &Notify, beginning: WorkGuard) -> Result<RunEnd, RunError> {
        if !self.runner.store.pending(&self.claim.id).await?.is_empty() {
            // Left by somebody who did not wait: from before this run.
            control::obey_all(&self.runner.store, &self.claim).await?;
            (self.debate, self.seq) = control::load(&self.runner.store, &self.claim.id).await?;
        }
        // What an earlier process sent and did not hear of.
        let mut events = self.debate.hear(Input::GaveUp { fetch_kept: true });
        events.extend(self.debate.hear(Input::Go));
        self.go_on(events).await?;
        drop(beginning);
        // The claim is fresh; to renew it at once would keep what calls say waiting.
        let mut renew = interval_at(Instant::now() + RENEW, RENEW);
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.may_ask()
                && let Some(outcome) = self.advance().await?
            {
                return Ok(outcome);
            }
            if self.in_flight.is_empty()
                && let Some(mut after) = self.after_drain.take()
            {
                if let Some(heard) = after.say.take() {
                    // Conversations that rest are not gone on with after the end.
                    self.commit(Input::GaveUp { fetch_kept: false }).await?;
                    self.commit(heard).await?;
                }
                return self.quiet();
            }
            let deadline = self.after_drain.as_ref().map(|after| after.until);
            let interrupt = &self.runner.interrupt;
            tokio::select! {
                biased;
                () = interrupt.cancelled(), if self.after_drain.is_none() => {
                    // Paused at once; answers in flight are waited for and kept.
                    self.commit(Input::Pause(PauseReason::Interrupted)).await?;
                    self.drain(None);
                }
                () = bell.notified() => match self.obey().await {
                    // A full disk or a locked file passes; the command waits.
                    Err(RunError::Store(StoreError::Full | StoreError::Locked)) => bell.notify_one(),
                    obeyed => obeyed?,
                },
                Some(aside) = self.asides.1.recv() => self.note(aside).await?,
                Some(joined) = self.calls.join_next(), if !self.calls.is_empty() => {
                    let mut all = vec![joined];
                    // What came in meanwhile goes into the same commit.
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
                    // Too long: what is still in flight may be billed and is asked again.
                    self.calls.abort_all();
                    self.calls = JoinSet::new();
                    self.in_flight.clear();
                    let stops = self.after_drain.as_ref().is_some_and(|after| after.say.is_some());
                    // A debate that is over fetches nothing.
                    let left = Input::GaveUp { fetch_kept: !stops };
                    self.commit(left).await?;
                }
                _ = renew.tick() => self.renew().await?,
            }
        }
    }

    /// Keeps the right to run. A full disk or a locked file passes; until then
    /// the lease that was got last holds.
    async fn renew(&self) -> Result<(), RunError> {
        match self.runner.store.renew_run(&self.claim, LEASE_MS, clock::now_ms()).await {
            Err(StoreError::Full | StoreError::Locked) => Ok(()),
            renewed => Ok(renewed?),
        }
    }

    /// Starts whatever is wanted and not yet in flight. Returns the outcome when
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
            return Input::NotCompared { reason: "no embedder is at hand".into() };
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
                    self.runner.store.refuse(&self.claim, number, &refused.to_string()).await?;
                }
            }
        }
        Ok(())
    }

    async fn carry_out(&mut self, sent: Sent) -> Result<(), RunError> {
        let obeys = AppendMode::Obeys(sent.number);
        let (_, heard) = control::meaning(sent.command);
        match heard {
            Input::Pause(_) => {
                self.hear(heard, obeys).await?;
                self.drain(None);
            }
            // Paused on the disk until the answers in flight are in: whoever was
            // told that it stops must not find it running after a crash.
            Input::Stop => {
                self.hear(Input::Pause(PauseReason::Asked), obeys).await?;
                self.drain(Some(Input::Stop));
            }
            Input::Go => {
                self.hear(heard, obeys).await?;
                self.after_drain = None;
            }
            other => self.hear(other, obeys).await?,
        }
        Ok(())
    }

    /// No new calls; what is in flight is waited for, then `say` is said.
    fn drain(&mut self, say: Option<Input>) {
        let until = self.after_drain.as_ref().map(|after| after.until);
        self.after_drain =
            Some(AfterDrain { say, until: until.unwrap_or_else(|| Instant::now() + DRAIN) });
    }

    async fn commit(&mut self, heard: Input) -> Result<(), RunError> {
        self.hear(heard, AppendMode::Nothing).await
    }

    async fn hear(&mut self, heard: Input, beside: AppendMode) -> Result<(), RunError> {
        let events = self.debate.hear(heard);
        self.store(&events, beside).await
    }

    /// Stores events, then tells the watchers. What was paid for is held on to
    /// while the disk is full: nothing is asked until there is room again.
    async fn store(&mut self, events: &[Event], beside: AppendMode) -> Result<(), RunError> {
        if events.is_empty() && !matches!(beside, AppendMode::Obeys(_)) {
            return Ok(());
        }
        let at = clock::now_ms();
        let wanted = self.seq + events.len() as u64;
        let mut held_up: Option<Instant> = None;
        let last = loop {
            match self.append(at, events, &beside).await {
                Ok(last) => break last,
                // A try that was said to have failed had reached the disk after all.
                Err(StoreError::Conflict { found, .. }) if held_up.is_some() && found == wanted => {
                    break found;
                }
                Err(error @ (StoreError::Full | StoreError::Locked)) => {
                    let since = *held_up.get_or_insert_with(|| {
                        self.runner.bus.publish(RunNews::HeldUp(error.clone()));
                        Instant::now()
                    });
                    let leaving = self.runner.interrupt.is_cancelled();
                    if leaving && since.elapsed() > DRAIN {
                        return Err(error.into());
                    }
                    tokio::time::sleep(RETRY).await;
                    // However long it takes, the debate stays ours.
                    self.renew().await?;
                }
                Err(error) => return Err(error.into()),
            }
        };
        // A watched debate's events are copied for those who watch.
        let told = if self.runner.bus.is_watched() { events } else { &[] };
        for (event, seq) in told.iter().zip(self.seq + 1..) {
            let recorded = Recorded { seq, at, event: event.clone() };
            self.runner.bus.publish(RunNews::Event(Arc::new(recorded)));
        }
        self.seq = last;
        Ok(())
    }

    async fn append(
        &self,
        at: i64,
        events: &[Event],
        beside: &AppendMode,
    ) -> Result<u64, StoreError> {
        let store = &self.runner.store;
        match beside {
            AppendMode::Nothing => store.append(&self.claim, self.seq, at, events).await,
            AppendMode::Obeys(number) => {
                store.append_handled(&self.claim, self.seq, at, events, *number).await
            }
            AppendMode::Hurries => store.append_soon(&self.claim, self.seq, at, events).await,
            AppendMode::Reserves(caps) => {
                store.append_reserving(&self.claim, self.seq, at, events, *caps).await
            }
        }
    }

    /// How things stand when nothing is asked and nothing is in flight.
    fn quiet(&self) -> Result<RunEnd, RunError> {
        match &self.debate.room().status {
            Status::Paused { reason } => Ok(RunEnd::Paused(reason.clone())),
            Status::Completed { .. } => match &self.debate.room().verdict {
                Some(verdict) => Ok(RunEnd::Done(Box::new(verdict.clone()))),
                None => Err(RunError::Broken("it ended without a verdict".into())),
            },
            other => Err(RunError::Broken(format!("it is {} and asks for nothing", other.word()))),
        }
    }
}
