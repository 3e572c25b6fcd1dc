//! The calls of a run: announced and paid for from the budget before a byte is
//! sent, watched while they are on their way, stored when they come back.

use agents::{Delta, Fetched, Watch};
use debate::model::*;
use store::{Caps, StoreError};
use tokio::sync::mpsc::UnboundedSender;

use super::pace::{Pace, Work};
use super::{Beside, Bus, FailPoints, Point, Run, RunError, control};

/// A call that came back. It is work until it is stored and led somewhere.
pub(super) struct Ended {
    ask: AskId,
    came: Came,
    work: Work,
}

impl Ended {
    fn now(ask: AskId, came: impl Into<Came>, pace: &Pace) -> Ended {
        Ended { ask, came: came.into(), work: pace.work() }
    }
}

/// How a call came back.
enum Came {
    Replied(Box<Reply>),
    Failed(Failure),
    /// What was to be fetched is not there any more.
    Gone,
}

impl From<Result<Reply, Failure>> for Came {
    fn from(outcome: Result<Reply, Failure>) -> Came {
        match outcome {
            Ok(reply) => Came::Replied(Box::new(reply)),
            Err(failure) => Came::Failed(failure),
        }
    }
}

impl From<Fetched> for Came {
    fn from(fetched: Fetched) -> Came {
        match fetched {
            Fetched::Answer(reply) => Came::Replied(reply),
            Fetched::Failed(failure) => Came::Failed(failure),
            Fetched::Gone => Came::Gone,
        }
    }
}

/// What a call has to say before it ends, and belongs in the log.
pub(super) enum Aside {
    Kept { ask: AskId, kept: Kept },
    Delayed { ask: AskId, why: String, wait_ms: u64 },
}

impl Run<'_> {
    /// Stores events and, where they lead straight to the next calls, announces
    /// those in the same commit: the disk is waited for once and not twice.
    pub(super) async fn go_on(&mut self, mut events: Vec<Event>) -> Result<(), RunError> {
        if let Some(texts) = self.comparable_at_once() {
            let heard = self.compare(texts).await;
            events.extend(self.debate.hear(heard));
        }
        match self.wanted() {
            Some(asks) => self.start_calls(events, asks).await,
            None => self.store(&events, Beside::Nothing).await,
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

    /// Of what is wanted, what a provider keeps is fetched; the rest is sent.
    pub(super) async fn start_calls(
        &mut self,
        before: Vec<Event>,
        asks: Vec<Ask>,
    ) -> Result<(), RunError> {
        let (kept, fresh): (Vec<Ask>, Vec<Ask>) =
            asks.into_iter().partition(|ask| self.debate.kept(&ask.id).is_some());
        match fresh.is_empty() {
            true => self.store(&before, Beside::Nothing).await?,
            false => self.send(before, fresh).await?,
        }
        for ask in kept {
            self.fetch(ask);
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
        fail.hit(Point::BeforeT1);
        let mut events = before;
        let earlier = events.len();
        events.extend(self.debate.hear(Heard::Sending(intents)));
        match self.store(&events, Beside::Reserves(self.caps())).await {
            Err(RunError::Store(
                why @ (StoreError::Budget { .. } | StoreError::Unpriced { .. }),
            )) => {
                events.truncate(earlier);
                self.store(&events, Beside::Nothing).await?;
                return self.pause_for_budget(&why).await;
            }
            stored => stored?,
        }
        fail.hit(Point::AfterT1);
        if let Some(toolbox) = &self.runner.toolbox {
            toolbox.tell(self.debate.room());
        }
        for ask in asks {
            self.in_flight.insert(ask.id);
            let speaker = self.runner.panel.speaker(&ask);
            let watch = self.watched();
            let (cancel, pace) = (self.cancel.clone(), self.runner.pace.clone());
            self.calls.spawn(async move {
                let outcome = match speaker {
                    Some(speaker) => watch.fail.sent(speaker.speak(&ask, &watch, cancel)).await,
                    None => Err(Failure::unusable("nobody speaks for this seat")),
                };
                watch.fail.hit(Point::AfterTerminal);
                Ended::now(ask.id, outcome, &pace)
            });
        }
        Ok(())
    }

    /// Fetches what an earlier process asked for and the provider kept. It was
    /// announced and set aside for then; nothing is sent that could be billed.
    fn fetch(&mut self, ask: Ask) {
        let Some(kept) = self.debate.kept(&ask.id).cloned() else { return };
        self.in_flight.insert(ask.id);
        let speaker = self.runner.panel.speaker(&ask);
        let (cancel, pace) = (self.cancel.clone(), self.runner.pace.clone());
        self.calls.spawn(async move {
            let fetched = match speaker {
                Some(speaker) => speaker.fetch(&ask, &kept, cancel).await,
                None => Fetched::Gone,
            };
            Ended::now(ask.id, fetched, &pace)
        });
    }

    fn watched(&self) -> Watched {
        Watched {
            bus: self.runner.bus.clone(),
            fail: self.runner.fail.clone(),
            asides: self.asides.0.clone(),
        }
    }

    /// Stores what calls on their way have said.
    pub(super) async fn note(&mut self, first: Aside) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut next = Some(first);
        while let Some(aside) = next {
            events.extend(self.debate.hear(match aside {
                Aside::Kept { ask, kept } => Heard::Kept { ask, kept },
                Aside::Delayed { ask, why, wait_ms } => Heard::Delayed { ask, why, wait_ms },
            }));
            next = self.asides.1.try_recv().ok();
        }
        self.store(&events, Beside::Nothing).await?;
        if events.iter().any(|event| matches!(event, Event::Kept { .. })) {
            self.runner.fail.hit(Point::AfterId);
        }
        Ok(())
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
        self.commit(Heard::Pause(PauseReason::Budget { why: why.to_string() })).await?;
        self.drain(None);
        Ok(())
    }

    pub(super) async fn settle(&mut self, ended: Vec<Ended>) -> Result<(), RunError> {
        let mut events = Vec::new();
        let mut working = Vec::with_capacity(ended.len());
        for Ended { ask, came, work } in ended {
            working.push(work);
            self.in_flight.remove(&ask);
            let heard = match came {
                Came::Replied(reply) => Heard::Replied { ask, reply },
                Came::Failed(failure) => Heard::Failed { ask, failure },
                Came::Gone => Heard::Lost { ask },
            };
            events.extend(self.debate.hear(heard));
        }
        self.runner.fail.hit(Point::BeforeT2);
        self.go_on(events).await?;
        drop(working);
        self.runner.fail.hit(Point::AfterT2);
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
            self.commit(Heard::Failed { ask, failure }).await?;
        }
        Ok(())
    }
}

/// The bus, with the fail point on the way; what belongs in the log goes to the
/// run as well.
struct Watched {
    bus: Bus,
    fail: FailPoints,
    asides: UnboundedSender<Aside>,
}

impl Watch for Watched {
    fn delta(&self, ask: &AskId, delta: Delta) {
        match &delta {
            Delta::Text(_) => self.fail.hit(Point::MidStream),
            Delta::Waiting { why, seconds } => {
                let wait_ms = (seconds * 1000.0) as u64;
                // A run that has ended stores nothing more.
                let _ = self.asides.send(Aside::Delayed { ask: *ask, why: why.clone(), wait_ms });
            }
            Delta::Thinking | Delta::Searching(_) => {}
        }
        self.bus.delta(ask, delta);
    }

    fn kept(&self, ask: &AskId, kept: Kept) {
        let _ = self.asides.send(Aside::Kept { ask: *ask, kept });
    }
}
