//! The calls of a run: announced and paid for from the budget before a byte is
//! sent, watched while they are on their way, stored when they come back.

use agents::{Delta, FetchEnd, StepPermit, Watch};
use debate::model::*;
use futures::future::BoxFuture;
use store::{Caps, StoreError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::run::throttle::{Throttle, WorkGuard};
use crate::run::{ActiveRun, AppendMode, FailPoint, FailPoints, RunError, Watchers, control};

/// A call that came back. It is work until it is stored and led somewhere.
pub(super) struct FinishedCall {
    ask: AskId,
    came: CallEnd,
    work: WorkGuard,
}

impl FinishedCall {
    fn now(ask: AskId, came: impl Into<CallEnd>, pace: &Throttle) -> FinishedCall {
        FinishedCall { ask, came: came.into(), work: pace.work() }
    }
}

/// How a call came back.
enum CallEnd {
    Replied(Box<Reply>),
    Failed(Failure),
    /// What was to be fetched is not there any more.
    Gone,
}

impl From<Result<Reply, Failure>> for CallEnd {
    fn from(outcome: Result<Reply, Failure>) -> CallEnd {
        match outcome {
            Ok(reply) => CallEnd::Replied(Box::new(reply)),
            Err(failure) => CallEnd::Failed(failure),
        }
    }
}

impl From<FetchEnd> for CallEnd {
    fn from(fetched: FetchEnd) -> CallEnd {
        match fetched {
            FetchEnd::Answer(reply) => CallEnd::Replied(reply),
            FetchEnd::Failed(failure) => CallEnd::Failed(failure),
            FetchEnd::Gone => CallEnd::Gone,
        }
    }
}

/// What a call has to say before it ends, and belongs in the log.
pub(super) enum CallNews {
    Kept {
        ask: AskId,
        kept: RemoteAnswer,
    },
    /// Whoever says this waits for leave to go on.
    Stepped {
        ask: AskId,
        step: ConversationStep,
        leave: oneshot::Sender<StepPermit>,
    },
    Delayed {
        ask: AskId,
        why: String,
        wait_ms: u64,
    },
}

impl ActiveRun<'_> {
    /// Stores events and, where they lead straight to the next calls, announces
    /// those in the same commit: the disk is waited for once and not twice.
    pub(super) async fn go_on(&mut self, mut events: Vec<Event>) -> Result<(), RunError> {
        if let Some(texts) = self.comparable_at_once() {
            let heard = self.compare(texts).await;
            events.extend(self.debate.hear(heard));
        }
        match self.wanted() {
            Some(asks) => self.start_calls(events, asks).await,
            None => self.store(&events, AppendMode::Nothing).await,
        }
    }

    /// What is to be compared now, where nobody is waited for: answers that were
    /// paid for are on the disk before anything else is waited for.
    fn comparable_at_once(&self) -> Option<Vec<EmbedText>> {
        let at_hand = self.runner.embedder.as_ref().is_none_or(|one| one.is_at_hand());
        if !at_hand || !self.may_ask() || !self.debate.awaited().is_empty() {
            return None;
        }
        match self.debate.next_step() {
            Step::Embed(texts) => Some(texts),
            _ => None,
        }
    }

    /// Whether new calls may start.
    pub(super) fn may_ask(&self) -> bool {
        self.after_drain.is_none() && !self.runner.interrupt.is_cancelled()
    }

    /// What is to be asked now and is not on its way yet.
    fn wanted(&self) -> Option<Vec<Ask>> {
        let awaited = self.debate.awaited();
        let fresh = awaited.iter().any(|ask| !self.in_flight.contains(ask));
        if !fresh || !self.may_ask() {
            return None;
        }
        let Step::Ask(mut asks) = self.debate.next_step() else { return None };
        asks.retain(|ask| !self.in_flight.contains(&ask.id));
        Some(asks)
    }

    /// Of what is wanted, what a provider keeps is fetched and conversations that
    /// rest are gone on with; the rest is sent.
    pub(super) async fn start_calls(
        &mut self,
        before: Vec<Event>,
        asks: Vec<Ask>,
    ) -> Result<(), RunError> {
        let (begun, fresh): (Vec<Ask>, Vec<Ask>) =
            asks.into_iter().partition(|ask| self.debate.can_go_on(&ask.id));
        match fresh.is_empty() {
            true => self.store(&before, AppendMode::Nothing).await?,
            false => self.send(before, fresh).await?,
        }
        if let Some(toolbox) = self.runner.toolbox.as_ref().filter(|_| !begun.is_empty()) {
            toolbox.tell(self.debate.room());
        }
        for mut ask in begun {
            // It was announced and set aside for then.
            let past = self.debate.past(&ask.id);
            ask.cap = past.reserved;
            self.speak(ask, past);
        }
        Ok(())
    }

    /// Writes down that these are about to be sent and what they may cost, after
    /// what came before them, then sends them. Where that would pass a budget,
    /// nothing is sent.
    async fn send(&mut self, before: Vec<Event>, asks: Vec<Ask>) -> Result<(), RunError> {
        let fail = &self.runner.fail;
        let mut asks = asks;
        asks.iter_mut().for_each(|ask| ask.cap = self.worst(ask));
        let intents = asks.iter().map(|ask| Intent { ask: ask.id, reserved: ask.cap }).collect();
        fail.hit(FailPoint::BeforeT1);
        let mut events = before;
        let earlier = events.len();
        events.extend(self.debate.hear(Input::Sending(intents)));
        match self.store(&events, AppendMode::Reserves(self.caps())).await {
            Err(RunError::Store(
                why @ (StoreError::Budget { .. } | StoreError::Unpriced { .. }),
            )) => {
                events.truncate(earlier);
                self.store(&events, AppendMode::Nothing).await?;
                return self.pause_for_budget(&why).await;
            }
            stored => stored?,
        }
        fail.hit(FailPoint::AfterT1);
        if let Some(toolbox) = &self.runner.toolbox {
            toolbox.tell(self.debate.room());
        }
        for ask in asks {
            let past = self.debate.past(&ask.id);
            self.speak(ask, past);
        }
        Ok(())
    }

    /// Has an ask answered that was announced, behind what is known of it.
    fn speak(&mut self, ask: Ask, past: AskHistory) {
        self.in_flight.insert(ask.id);
        let speaker = self.runner.panel.speaker(&ask);
        let watch = self.watched();
        let (cancel, pace) = (self.cancel.clone(), self.runner.pace.clone());
        self.calls.spawn(async move {
            let came = match speaker {
                Some(speaker) if past.is_empty() => {
                    watch.fail.sent(speaker.speak(&ask, &watch, cancel)).await.into()
                }
                Some(speaker) => {
                    watch.fail.sent(speaker.resume(&ask, &past, &watch, cancel)).await.into()
                }
                None => CallEnd::Failed(Failure::unusable("nobody speaks for this seat")),
            };
            watch.fail.hit(FailPoint::AfterTerminal);
            FinishedCall::now(ask.id, came, &pace)
        });
    }

    fn watched(&self) -> CallWatch {
        CallWatch {
            bus: self.runner.bus.clone(),
            fail: self.runner.fail.clone(),
            asides: self.asides.0.clone(),
        }
    }

    /// Stores what calls on their way have said.
    pub(super) async fn note(&mut self, first: CallNews) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut waiting = Vec::new();
        let mut next = Some(first);
        while let Some(aside) = next {
            events.extend(match aside {
                CallNews::Kept { ask, kept } => self.debate.hear(Input::Kept { ask, kept }),
                CallNews::Delayed { ask, why, wait_ms } => {
                    self.debate.hear(Input::Delayed { ask, why, wait_ms })
                }
                CallNews::Stepped { ask, step, leave } => {
                    let (further, stepped) = self.stepped(ask, step);
                    waiting.push((leave, further));
                    stepped
                }
            });
            next = self.asides.1.try_recv().ok();
        }
        // Each moment that a name is not written down, a kill costs a call. To lose
        // it in a power cut costs one too, and no more.
        let hurries = events.iter().all(|event| matches!(event, Event::Kept { .. }));
        self.store(&events, if hurries { AppendMode::Hurries } else { AppendMode::Nothing })
            .await?;
        for (leave, further) in waiting {
            // A call that was called off does not wait any more.
            let _ = leave.send(further);
        }
        let has = |which: fn(&Event) -> bool| events.iter().any(which);
        if has(|event| matches!(event, Event::Kept { .. })) {
            self.runner.fail.hit(FailPoint::AfterId);
        }
        if has(|event| matches!(event, Event::Stepped { .. })) {
            self.runner.fail.hit(FailPoint::AfterStep);
        }
        Ok(())
    }

    /// A conversation has come so far. Where no new request may be made it rests
    /// there, with nothing on its way.
    fn stepped(&mut self, ask: AskId, mut step: ConversationStep) -> (StepPermit, Vec<Event>) {
        let further = if self.may_ask() { StepPermit::GoOn } else { StepPermit::Rest };
        if further == StepPermit::Rest && step.next == NextWord::Model {
            step.next = NextWord::Nobody;
        }
        let events = self.debate.hear(Input::Stepped { ask, step: Box::new(step) });
        // Of a call that nobody waits for nothing more is asked.
        (if events.is_empty() { StepPermit::Rest } else { further }, events)
    }

    fn worst(&self, ask: &Ask) -> Option<MicroUsd> {
        let brief = &self.debate.room().brief;
        let agent = match ask.agent {
            Some(index) => brief.agents.get(index),
            None => brief.clerk.as_ref(),
        };
        self.runner.pricing.worst(agent?, ask)
    }

    fn caps(&self) -> Caps {
        let caps = self.runner.caps;
        Caps { debate: caps.debate.or(self.debate.room().brief.budget), ..caps }
    }

    async fn pause_for_budget(&mut self, why: &StoreError) -> Result<(), RunError> {
        // The machine has heard of calls that were not announced after all; the
        // log has not.
        (self.debate, self.seq) = control::load(&self.runner.store, &self.claim.id).await?;
        self.commit(Input::Pause(PauseReason::Budget { why: why.to_string() })).await?;
        self.drain(None);
        Ok(())
    }

    pub(super) async fn settle(&mut self, ended: Vec<FinishedCall>) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut working = Vec::with_capacity(ended.len());
        for FinishedCall { ask, came, work } in ended {
            working.push(work);
            self.in_flight.remove(&ask);
            let heard = match came {
                // It rests, and is gone on with when calls may be made again.
                CallEnd::Failed(failure)
                    if failure.class == FailureClass::Cancelled && self.debate.can_go_on(&ask) =>
                {
                    continue;
                }
                CallEnd::Replied(reply) => Input::Replied { ask, reply },
                CallEnd::Failed(failure) => Input::Failed { ask, failure },
                CallEnd::Gone => Input::Lost { ask },
            };
            events.extend(self.debate.hear(heard));
        }
        self.runner.fail.hit(FailPoint::BeforeT2);
        self.go_on(events).await?;
        drop(working);
        self.runner.fail.hit(FailPoint::AfterT2);
        Ok(())
    }

    /// A call whose task broke says nothing more. When all others are in, what
    /// is still awaited was lost with it, and is recorded as such.
    pub(super) async fn give_up_lost_calls(&mut self) -> Result<(), RunError> {
        if !self.calls.is_empty() {
            return Ok(());
        }
        for ask in std::mem::take(&mut self.in_flight) {
            let failure = Failure::unusable("the call broke inside this program");
            self.commit(Input::Failed { ask, failure }).await?;
        }
        Ok(())
    }
}

/// The bus, with the fail point on the way; what belongs in the log goes to the
/// run as well.
struct CallWatch {
    bus: Watchers,
    fail: FailPoints,
    asides: UnboundedSender<CallNews>,
}

impl Watch for CallWatch {
    fn delta(&self, ask: &AskId, delta: Delta) {
        match &delta {
            Delta::Text(_) => self.fail.hit(FailPoint::MidStream),
            Delta::Waiting { why, seconds } => {
                let wait_ms = (seconds * 1000.0) as u64;
                // A run that has ended stores nothing more.
                let _ =
                    self.asides.send(CallNews::Delayed { ask: *ask, why: why.clone(), wait_ms });
            }
            Delta::Thinking | Delta::Searching(_) => {}
        }
        self.bus.delta(ask, delta);
    }

    fn kept(&self, ask: &AskId, kept: RemoteAnswer) {
        let _ = self.asides.send(CallNews::Kept { ask: *ask, kept });
    }

    fn stepped<'a>(&'a self, ask: &'a AskId, step: ConversationStep) -> BoxFuture<'a, StepPermit> {
        let (leave, told) = oneshot::channel();
        let _ = self.asides.send(CallNews::Stepped { ask: *ask, step, leave });
        // A run that has ended lets nobody go on.
        Box::pin(async move { told.await.unwrap_or(StepPermit::Rest) })
    }
}
