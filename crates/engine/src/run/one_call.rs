//! One call for a debate that no process runs, such as the synthesis of a finished
//! one. Like every call it is written down twice: announced with its maximum cost
//! before a byte is sent, and stored with its real cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agents::{CancellationToken, RequestCost, Speaker, SpeechDelta, StepPermit, Watch};
use debate::Debate;
use debate::model::{Ask, AskHistory, AskId, Event, Input, Intent, MicroUsd};
use futures::future::BoxFuture;
use store::{Lease, SpendingCaps, Store};
use tokio::time::{MissedTickBehavior, interval};

use crate::clock;
use crate::run::reserving::CallMoney;
use crate::run::{LEASE_MS, Pricing, RENEW, RunError, control, lease};

/// The speaker to ask, and the limits on the cost.
pub struct SingleCall {
    pub speaker: Arc<dyn Speaker>,
    pub pricing: Arc<dyn Pricing>,
    pub caps: SpendingCaps,
}

/// Makes the call that `wanted` names, if it still names one, and returns the
/// events that follow. Refused while a process runs the debate.
pub async fn ask_alone(
    store: &Store,
    id: &str,
    alone: &SingleCall,
    wanted: impl Fn(&Debate) -> Option<Ask>,
) -> Result<Vec<Event>, RunError> {
    let claim = lease::claim(store, id, LEASE_MS).await?;
    let asked = ask(store, &claim, alone, wanted).await;
    // The store refuses to release a lease that another runner has taken over; that
    // is fine.
    let _ = store.release_run(&claim).await;
    asked
}

async fn ask(
    store: &Store,
    claim: &Lease,
    alone: &SingleCall,
    wanted: impl Fn(&Debate) -> Option<Ask>,
) -> Result<Vec<Event>, RunError> {
    let (mut debate, mut seq) = control::load(store, &claim.id).await?;
    // A call that an earlier process made and whose answer it never stored.
    let lost = debate.hear(Input::GaveUp { fetch_kept: false });
    if !lost.is_empty() {
        seq = store.append(claim, seq, clock::now_ms(), &lost).await?;
    }
    let Some(ask) = wanted(&debate) else { return Ok(Vec::new()) };
    let brief = &debate.room().brief;
    let agent = match ask.agent {
        Some(index) => brief.agents.get(index),
        None => brief.clerk.as_ref(),
    };
    let reserved = agent.and_then(|agent| alone.pricing.worst(agent, &ask));
    let announced = debate.hear(Input::Sending(vec![Intent { ask: ask.id, reserved }]));
    seq = store.append_reserving(claim, seq, clock::now_ms(), &announced, alone.caps).await?;
    let watch = OneReservation::of(reserved);
    let events = debate.hear(answer(store, claim, alone, &ask, &watch).await?);
    store.append(claim, seq, clock::now_ms(), &events).await?;
    Ok(events)
}

/// Waits for the answer, or the failure, and renews the lease meanwhile.
async fn answer(
    store: &Store,
    claim: &Lease,
    alone: &SingleCall,
    ask: &Ask,
    watch: &dyn Watch,
) -> Result<Input, RunError> {
    let answer = alone.speaker.speak(ask, watch, CancellationToken::new());
    tokio::pin!(answer);
    let mut renew = interval(RENEW);
    renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            answer = &mut answer => return Ok(match answer {
                Ok(reply) => Input::Replied { ask: ask.id, reply: Box::new(reply) },
                Err(failure) => Input::Failed { ask: ask.id, failure },
            }),
            _ = renew.tick() => store.renew_run(claim, lease::term(LEASE_MS)).await?,
        }
    }
}

/// Lets a call try again only within what was reserved for it.
struct OneReservation {
    money: CallMoney,
    begun: AtomicBool,
}

impl OneReservation {
    fn of(reserved: Option<MicroUsd>) -> OneReservation {
        let past = AskHistory { reserved, ..AskHistory::default() };
        OneReservation { money: CallMoney::of(&past), begun: AtomicBool::new(false) }
    }
}

impl Watch for OneReservation {
    fn delta(&self, _: &AskId, _: SpeechDelta) {}

    fn requesting<'a>(
        &'a self,
        _: &'a AskId,
        worst: Option<MicroUsd>,
    ) -> BoxFuture<'a, StepPermit> {
        let first = !self.begun.swap(true, Ordering::Relaxed);
        let fits = self.money.announced(worst).is_none();
        Box::pin(async move { if first || fits { StepPermit::GoOn } else { StepPermit::Rest } })
    }

    fn requested(&self, _: &AskId, cost: RequestCost) {
        self.money.pay(cost);
    }
}
