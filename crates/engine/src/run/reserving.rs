//! Money for the requests of calls. A call reserves one request at a time: the
//! first when it is announced, each further one (a step with tools, a continuation,
//! another try, a fallback) when it comes to it. A request that does not fit waits
//! while other requests on their way may turn out cheaper than reserved; if none
//! can, the debate pauses.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::{RequestCost, StepPermit};
use debate::model::{AskHistory, AskId, BudgetLimit, Input, MicroUsd, PauseReason};
use store::{SpendingLimit, StoreError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::clock;
use crate::run::{ActiveRun, AppendMode, RunError, RunNews};

/// Interval at which a run that waits for money looks whether there is some.
const LOOK: Duration = Duration::from_millis(250);

/// The reservation of one call and what its requests took of it.
pub(super) struct CallMoney(Mutex<CallAmounts>);

struct CallAmounts {
    reserved: Option<MicroUsd>,
    /// Requests of unknown cost count at their worst.
    used: MicroUsd,
    known: MicroUsd,
    /// The most that the request on its way can cost.
    on_its_way: MicroUsd,
}

impl CallMoney {
    pub(super) fn of(past: &AskHistory) -> CallMoney {
        CallMoney(Mutex::new(CallAmounts {
            reserved: past.reserved,
            used: past.used,
            known: past.used,
            on_its_way: MicroUsd::ZERO,
        }))
    }

    fn amounts(&self) -> MutexGuard<'_, CallAmounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request that is about to be sent. Returns the reservation it needs
    /// and the amount used so far, if it does not fit what is reserved.
    pub(super) fn announced(&self, worst: Option<MicroUsd>) -> Option<(MicroUsd, MicroUsd)> {
        let mut amounts = self.amounts();
        amounts.on_its_way = worst.unwrap_or_default();
        let needed = amounts.used + worst?;
        (needed > amounts.reserved.unwrap_or_default()).then_some((needed, amounts.used))
    }

    pub(super) fn raise(&self, reserved: MicroUsd) {
        self.amounts().reserved = Some(reserved);
    }

    pub(super) fn pay(&self, cost: RequestCost) {
        let mut amounts = self.amounts();
        match cost {
            RequestCost::Known(cost) => {
                amounts.used += cost;
                amounts.known += cost;
            }
            RequestCost::Unknown => {
                let worst = amounts.on_its_way;
                amounts.used += worst;
            }
        }
    }

    pub(super) fn known(&self) -> MicroUsd {
        self.amounts().known
    }
}

/// A request that may be sent once its money is reserved.
pub(super) struct WaitingRequest {
    pub ask: AskId,
    /// The reservation of the whole call that it needs.
    pub reserved: MicroUsd,
    pub used: MicroUsd,
    pub permit: oneshot::Sender<StepPermit>,
}

/// The answer to a call that wants to send a further request.
enum Extension {
    Granted,
    /// No new request may start, or its answer is no longer awaited.
    NotNow,
    Refused(StoreError),
}

/// The requests of a run that wait for money.
#[derive(Default)]
pub(super) struct MoneyShortage {
    waiting: Vec<WaitingRequest>,
    /// The moment at which to look for money again, if something waits for it.
    pub look_again: Option<Instant>,
    is_told: bool,
}

impl MoneyShortage {
    /// Looks for money at once, if something waits for it: a call has ended.
    pub(super) fn look_now(&mut self) {
        self.look_again = self.look_again.map(|_| Instant::now());
    }

    /// Ends all calls that wait. The log says already that they rest.
    pub(super) fn rest_all(&mut self) {
        self.look_again = None;
        for request in self.waiting.drain(..) {
            // A cancelled call no longer waits.
            let _ = request.permit.send(StepPermit::Rest);
        }
    }
}

impl ActiveRun<'_> {
    /// Reserves the money for a further request, or has its call rest until there
    /// is some.
    pub(super) async fn reserve(&mut self, request: WaitingRequest) -> Result<(), RunError> {
        let WaitingRequest { ask, used, .. } = request;
        let refused = match self.extend(&request).await? {
            Extension::Granted => {
                let _ = request.permit.send(StepPermit::GoOn);
                return Ok(());
            }
            Extension::NotNow => None,
            Extension::Refused(why) => Some(why),
        };
        // What the request before did not use is free for others meanwhile.
        self.commit(Input::Reserving { ask, reserved: used, used, rests: true }).await?;
        let Some(why) = refused else {
            let _ = request.permit.send(StepPermit::Rest);
            return Ok(());
        };
        self.shortage.waiting.push(request);
        self.wait_or_pause(why).await
    }

    /// Writes down a further request of a call, if it may be sent.
    async fn extend(&mut self, request: &WaitingRequest) -> Result<Extension, RunError> {
        let WaitingRequest { ask, reserved, used, .. } = *request;
        let input = Input::Reserving { ask, reserved, used, rests: false };
        let Some(event) = self.debate.preview(input.clone()).filter(|_| self.may_ask()) else {
            return Ok(Extension::NotNow);
        };
        match self.store(&[event], AppendMode::Reserves(self.caps())).await {
            Err(RunError::Store(why @ StoreError::Budget { .. })) => {
                return Ok(Extension::Refused(why));
            }
            stored => stored?,
        }
        self.debate.hear(input);
        Ok(Extension::Granted)
    }

    /// Tries again what waited for money.
    pub(super) async fn look_for_money(&mut self) -> Result<(), RunError> {
        self.shortage.look_again = None;
        while let Some(request) = self.shortage.waiting.pop() {
            match self.extend(&request).await? {
                Extension::Granted => {
                    let _ = request.permit.send(StepPermit::GoOn);
                }
                Extension::NotNow => {
                    let _ = request.permit.send(StepPermit::Rest);
                }
                Extension::Refused(why) => {
                    self.shortage.waiting.push(request);
                    return self.wait_or_pause(why).await;
                }
            }
        }
        Ok(())
    }

    /// Waits if requests on their way may leave enough money; otherwise pauses the
    /// debate.
    pub(super) async fn wait_or_pause(&mut self, why: StoreError) -> Result<(), RunError> {
        if !self.may_ask() {
            return Ok(());
        }
        if self.may_become_free(&why).await? {
            self.shortage.look_again = Some(Instant::now() + LOOK);
            if !std::mem::replace(&mut self.shortage.is_told, true) {
                self.runner.watchers.publish(RunNews::HeldUp(why));
            }
            return Ok(());
        }
        let limit = limit_met(&why);
        self.commit(Input::Pause(PauseReason::Budget { why: why.to_string(), limit })).await?;
        self.drain(None);
        Ok(())
    }

    /// Tells whether the refused request would fit if every request on its way cost
    /// nothing.
    async fn may_become_free(&self, why: &StoreError) -> Result<bool, RunError> {
        let StoreError::Budget { which, cap, wanted, .. } = why else { return Ok(false) };
        let least = self.runner.store.least_spending(&self.claim.id, clock::now_ms()).await?;
        let spent = match which {
            SpendingLimit::Debate => least.debate,
            SpendingLimit::Day => least.day,
            SpendingLimit::OwnerDay => least.owner_day,
            SpendingLimit::OwnerMonth => least.owner_month,
        };
        Ok(spent + *wanted <= *cap)
    }
}

/// The limit behind a refusal, for the person who is to raise it.
fn limit_met(why: &StoreError) -> Option<BudgetLimit> {
    match why {
        StoreError::Budget { which: SpendingLimit::Debate, bound, wanted, .. } => {
            Some(BudgetLimit::Debate { needs: *bound + *wanted })
        }
        StoreError::Budget { which: SpendingLimit::Day, bound, wanted, .. } => {
            Some(BudgetLimit::Day { needs: *bound + *wanted })
        }
        StoreError::Unpriced { .. } => Some(BudgetLimit::UnknownPrice),
        _ => None,
    }
}
