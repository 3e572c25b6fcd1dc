//! The calls of a run. Each call is announced and reserved from the budget before a
//! byte is sent, watched while it is in flight, and stored when it comes back.

use agents::{FetchEnd, RequestCost, SpeechDelta, StepPermit, Watch};
use debate::model::*;
use futures::future::BoxFuture;
use store::{SpendingCaps, StoreError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::run::reserving::{CallMoney, WaitingRequest};
use crate::run::throttle::WorkGuard;
use crate::run::{ActiveRun, AppendMode, FailPoint, FailPoints, RunError, Watchers};

/// A call that came back. It counts as work until it is stored and its consequences
/// have begun.
pub(super) struct FinishedCall {
    ask: AskId,
    end: CallEnd,
    /// The cost of its requests, as far as it is known.
    known: MicroUsd,
    work: WorkGuard,
}

/// The end of a call.
enum CallEnd {
    Replied(Box<Reply>),
    Failed(Failure),
    /// The provider no longer has the answer that was to be fetched.
    Gone,
}

impl CallEnd {
    /// Raises the cost to that of all requests of the call: some of them may belong
    /// to a part of the answer that was lost.
    fn at_least(&mut self, known: MicroUsd) {
        let bill = match self {
            CallEnd::Replied(reply) => &mut reply.bill,
            CallEnd::Failed(failure) => &mut failure.bill,
            CallEnd::Gone => return,
        };
        bill.cost = bill.cost.map(|cost| cost.max(known));
    }
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

/// News from a call in flight that belongs in the log.
pub(super) enum CallNews {
    Kept {
        ask: AskId,
        kept: RemoteAnswer,
    },
    /// The call waits for permission before it continues.
    Stepped {
        ask: AskId,
        step: ConversationStep,
        permit: oneshot::Sender<StepPermit>,
    },
    Delayed {
        ask: AskId,
        why: String,
        wait_ms: u64,
    },
    /// The call waits for money before its next request.
    Reserving(WaitingRequest),
}

/// The end of an attempt to announce asks.
enum Announced {
    Stored,
    /// A budget does not allow it.
    Refused(StoreError),
}

impl ActiveRun<'_> {
    /// Stores events. If they lead straight to further calls, the same commit
    /// announces those, so that only one write is awaited instead of two.
    pub(super) async fn go_on(&mut self, mut events: Vec<Event>) -> Result<(), RunError> {
        if let Some(texts) = self.comparable_at_once() {
            let heard = self.compare(texts).await;
            events.extend(self.debate.hear(heard));
        }
        match self.wanted() {
            Some(asks) => self.start_calls(events, asks).await,
            None => self.store(&events, AppendMode::Plain).await,
        }
    }

    /// Returns the texts to compare now, if no answer is awaited and comparing
    /// needs no network. Otherwise paid answers are stored first.
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

    /// Returns whether new calls may start.
    pub(super) fn may_ask(&self) -> bool {
        self.after_drain.is_none() && !self.runner.interrupt.is_cancelled()
    }

    /// Returns whether new calls may start now: none waits for money.
    pub(super) fn may_start_calls(&self) -> bool {
        self.may_ask() && self.shortage.look_again.is_none()
    }

    /// Returns the asks that are due and not yet in flight.
    fn wanted(&self) -> Option<Vec<Ask>> {
        let awaited = self.debate.awaited();
        let fresh = awaited.iter().any(|ask| !self.in_flight.contains(ask));
        if !fresh || !self.may_start_calls() {
            return None;
        }
        let Step::Ask(mut asks) = self.debate.next_step() else { return None };
        asks.retain(|ask| !self.in_flight.contains(&ask.id));
        Some(asks)
    }

    /// Starts these asks. An answer kept by its provider is fetched, a resting
    /// conversation is resumed, and every other ask is sent.
    pub(super) async fn start_calls(
        &mut self,
        before: Vec<Event>,
        asks: Vec<Ask>,
    ) -> Result<(), RunError> {
        let (begun, fresh): (Vec<Ask>, Vec<Ask>) =
            asks.into_iter().partition(|ask| self.debate.can_go_on(&ask.id));
        if fresh.is_empty() {
            self.store(&before, AppendMode::Plain).await?
        } else {
            self.send(before, fresh).await?
        }
        if let Some(toolbox) = self.runner.toolbox.as_ref().filter(|_| !begun.is_empty()) {
            toolbox.tell(self.debate.room());
        }
        // These were announced already, and reserve their further requests themselves.
        begun.into_iter().for_each(|ask| self.speak_anew(ask));
        Ok(())
    }

    /// Announces these asks and sends them: all of them or, if that would pass a
    /// budget, as many as fit. The others wait for money, or the debate pauses.
    async fn send(&mut self, before: Vec<Event>, asks: Vec<Ask>) -> Result<(), RunError> {
        self.runner.fail.hit(FailPoint::BeforeT1);
        let mut refused = match self.announce(before, &asks).await? {
            Announced::Stored => {
                asks.into_iter().for_each(|ask| self.speak_anew(ask));
                return Ok(());
            }
            Announced::Refused(why) => why,
        };
        if asks.len() > 1 {
            for ask in asks {
                match self.announce(Vec::new(), std::slice::from_ref(&ask)).await? {
                    Announced::Stored => self.speak_anew(ask),
                    Announced::Refused(why) => {
                        refused = why;
                        break;
                    }
                }
            }
        }
        self.wait_or_pause(refused).await
    }

    /// Stores that these asks are about to be sent and the most that their first
    /// requests can cost, after the events that led to them. If that would pass a
    /// budget, only the earlier events are stored, and the refusal is returned.
    async fn announce(&mut self, before: Vec<Event>, asks: &[Ask]) -> Result<Announced, RunError> {
        let intent = |ask: &Ask| {
            let used = self.debate.used(&ask.id);
            Intent { ask: ask.id, reserved: self.worst(ask).map(|worst| worst + used) }
        };
        let sending = Input::Sending(asks.iter().map(intent).collect());
        let mut events = before;
        let earlier = events.len();
        events.extend(self.debate.preview(sending.clone()));
        match self.store(&events, AppendMode::Reserves(self.caps())).await {
            Err(RunError::Store(
                why @ (StoreError::Budget { .. } | StoreError::Unpriced { .. }),
            )) => {
                events.truncate(earlier);
                self.store(&events, AppendMode::Plain).await?;
                return Ok(Announced::Refused(why));
            }
            stored => stored?,
        }
        self.debate.hear(sending);
        self.runner.fail.hit(FailPoint::AfterT1);
        if let Some(toolbox) = &self.runner.toolbox {
            toolbox.tell(self.debate.room());
        }
        Ok(Announced::Stored)
    }

    fn speak_anew(&mut self, ask: Ask) {
        let past = self.debate.past(&ask.id);
        self.speak(ask, past);
    }

    /// Starts an announced call, continuing from what is known of it.
    fn speak(&mut self, ask: Ask, past: AskHistory) {
        self.in_flight.insert(ask.id);
        let speaker = self.runner.panel.speaker(&ask);
        let watch = self.watched(&past);
        let (cancel, throttle) = (self.cancel.clone(), self.runner.throttle.clone());
        let asked = ask.id;
        let call = self.calls.spawn(async move {
            let begun = Instant::now();
            let end = match speaker {
                Some(speaker) if past.is_empty() => {
                    watch.fail.sent(speaker.speak(&ask, &watch, cancel)).await.into()
                }
                Some(speaker) => {
                    watch.fail.sent(speaker.resume(&ask, &past, &watch, cancel)).await.into()
                }
                None => CallEnd::Failed(Failure::unusable("no speaker is set up for this seat")),
            };
            if let CallEnd::Replied(_) = end {
                throttle.answered(begun.elapsed());
            }
            watch.fail.hit(FailPoint::AfterTerminal);
            FinishedCall { ask: ask.id, end, known: watch.money.known(), work: throttle.work() }
        });
        self.aborts.insert(asked, call);
    }

    fn watched(&self, past: &AskHistory) -> CallWatch {
        CallWatch {
            money: CallMoney::of(past),
            watchers: self.runner.watchers.clone(),
            fail: self.runner.fail.clone(),
            news: self.news.0.clone(),
        }
    }

    /// Stores the news from calls in flight.
    pub(super) async fn note(&mut self, first: CallNews) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut waiting = Vec::new();
        let mut requests = Vec::new();
        let mut next = Some(first);
        while let Some(one) = next {
            events.extend(match one {
                CallNews::Reserving(request) => {
                    requests.push(request);
                    Vec::new()
                }
                CallNews::Kept { ask, kept } => self.debate.hear(Input::Kept { ask, kept }),
                CallNews::Delayed { ask, why, wait_ms } => {
                    self.debate.hear(Input::Delayed { ask, why, wait_ms })
                }
                CallNews::Stepped { ask, step, permit } => {
                    let (further, stepped) = self.stepped(ask, step);
                    waiting.push((permit, further));
                    stepped
                }
            });
            next = self.news.1.try_recv().ok();
        }
        // Until the provider's name for an answer is stored, a kill costs one call.
        // A power cut would cost one too, so this write need not wait for the disk.
        let only_kept = events.iter().all(|event| matches!(event, Event::Kept { .. }));
        self.store(&events, if only_kept { AppendMode::Soon } else { AppendMode::Plain }).await?;
        for (permit, further) in waiting {
            // A cancelled call no longer waits.
            let _ = permit.send(further);
        }
        let has = |which: fn(&Event) -> bool| events.iter().any(which);
        if has(|event| matches!(event, Event::Kept { .. })) {
            self.runner.fail.hit(FailPoint::AfterId);
        }
        if has(|event| matches!(event, Event::Stepped { .. })) {
            self.runner.fail.hit(FailPoint::AfterStep);
        }
        for request in requests {
            self.reserve(request).await?;
        }
        Ok(())
    }

    /// Records a step of a conversation with tools. If no new request may be made,
    /// the conversation rests here with nothing in flight.
    fn stepped(&mut self, ask: AskId, mut step: ConversationStep) -> (StepPermit, Vec<Event>) {
        let further = if self.may_ask() { StepPermit::GoOn } else { StepPermit::Rest };
        if further == StepPermit::Rest && step.next == NextWord::Model {
            step.next = NextWord::Nobody;
        }
        let events = self.debate.hear(Input::Stepped { ask, step: Box::new(step) });
        // A call whose answer is no longer awaited makes no further request.
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

    pub(super) fn caps(&self) -> SpendingCaps {
        let caps = self.runner.caps;
        SpendingCaps { debate: caps.debate.or(self.debate.room().brief.budget), ..caps }
    }

    pub(super) async fn settle(&mut self, ended: Vec<FinishedCall>) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut working = Vec::with_capacity(ended.len());
        self.shortage.look_now();
        for FinishedCall { ask, mut end, known, work } in ended {
            working.push(work);
            self.in_flight.remove(&ask);
            self.aborts.remove(&ask);
            end.at_least(known);
            let heard = match end {
                // The conversation rests, and continues when calls may be made
                // again.
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

    /// Records calls as lost whose task panicked. A broken task reports nothing, so
    /// this waits until all other calls are in.
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

/// Passes deltas on to the watchers and news for the log to the run, with a fail
/// point for tests.
struct CallWatch {
    money: CallMoney,
    watchers: Watchers,
    fail: FailPoints,
    news: UnboundedSender<CallNews>,
}

impl Watch for CallWatch {
    fn delta(&self, ask: &AskId, delta: SpeechDelta) {
        match &delta {
            SpeechDelta::Text(_) => self.fail.hit(FailPoint::MidStream),
            SpeechDelta::Waiting { why, seconds } => {
                let wait_ms = (seconds * 1000.0) as u64;
                // A run that has ended stores nothing more.
                let _ = self.news.send(CallNews::Delayed { ask: *ask, why: why.clone(), wait_ms });
            }
            SpeechDelta::Thinking | SpeechDelta::Searching(_) => {}
        }
        self.watchers.delta(ask, delta);
    }

    fn kept(&self, ask: &AskId, kept: RemoteAnswer) {
        let _ = self.news.send(CallNews::Kept { ask: *ask, kept });
    }

    fn stepped<'a>(&'a self, ask: &'a AskId, step: ConversationStep) -> BoxFuture<'a, StepPermit> {
        let (permit, permitted) = oneshot::channel();
        let _ = self.news.send(CallNews::Stepped { ask: *ask, step, permit });
        // A run that has ended lets no call continue.
        Box::pin(async move { permitted.await.unwrap_or(StepPermit::Rest) })
    }

    fn requesting<'a>(
        &'a self,
        ask: &'a AskId,
        worst: Option<MicroUsd>,
    ) -> BoxFuture<'a, StepPermit> {
        let Some((reserved, used)) = self.money.announced(worst) else {
            return Box::pin(async { StepPermit::GoOn });
        };
        let (permit, permitted) = oneshot::channel();
        let request = WaitingRequest { ask: *ask, reserved, used, permit };
        let _ = self.news.send(CallNews::Reserving(request));
        Box::pin(async move {
            let permit = permitted.await.unwrap_or(StepPermit::Rest);
            if permit == StepPermit::GoOn {
                self.money.raise(reserved);
            }
            permit
        })
    }

    fn requested(&self, _: &AskId, cost: RequestCost) {
        self.money.pay(cost);
    }
}
