//! A second model that takes over a seat when the first one cannot answer. It is
//! another speaker and is marked as one; it never passes for the first.

use debate::model::{Bill, Failure, FailureClass, RemoteAnswer, Reply};
use futures::future::BoxFuture;

use crate::conversation::{Converse, Exchange, Prompt, StepEnd, WantedCalls};
use crate::speakers::remote::Remote;
use crate::{CancellationToken, SpeechDelta, Watch};

/// Failures another model may not share. A wrong key, an empty account or a
/// question that does not fit is for a person to mend, not to work around.
const WORTH_ANOTHER: &[FailureClass] = &[
    FailureClass::RateLimited,
    FailureClass::Overloaded,
    FailureClass::TimedOut,
    FailureClass::Unreachable,
    FailureClass::Declined,
    FailureClass::Unusable,
];

pub struct WithFallback {
    first: Remote,
    second: Remote,
}

impl WithFallback {
    /// The first does not wait out a rest: that is what the second is for.
    pub fn new(first: Remote, second: Remote) -> WithFallback {
        WithFallback { first: first.impatient(), second }
    }

    async fn converse(
        &self,
        prompt: Prompt<'_>,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<StepEnd, Failure> {
        // The model that took a turn over finishes it.
        if prompt.so_far.iter().any(|exchange| exchange.calls.fallback) {
            return self.second.step(prompt, watch, cancel).await.map(marked);
        }
        let failure = match self.first.step(prompt, watch, cancel).await {
            Ok(said) => return Ok(said),
            Err(failure) if !WORTH_ANOTHER.contains(&failure.class) => return Err(failure),
            Err(failure) => failure,
        };
        let why = format!("{} {} takes over.", failure.message, self.second.name());
        watch.delta(&prompt.ask.id, SpeechDelta::Waiting { why, seconds: 0.0 });
        // What one model signed another cannot read.
        let so_far: Vec<Exchange> = prompt.so_far.iter().map(unsigned).collect();
        match self.second.step(Prompt { so_far: &so_far, ..prompt }, watch, cancel).await {
            Ok(said) => Ok(with_bill(marked(said), &failure)),
            Err(second) => Err(Failure {
                class: second.class,
                message: format!("{} The fallback failed too: {}", failure.message, second.message),
                tries: failure.tries.saturating_add(second.tries),
                bill: sum(&failure.bill, &second.bill),
            }),
        }
    }
}

fn unsigned(exchange: &Exchange) -> Exchange {
    let calls = WantedCalls { raw: None, ..exchange.calls.clone() };
    Exchange { calls, results: exchange.results.clone() }
}

fn marked(said: StepEnd) -> StepEnd {
    match said {
        StepEnd::Answer(reply) => StepEnd::Answer(Reply { fallback: true, ..reply }),
        StepEnd::Calls(calls) => StepEnd::Calls(WantedCalls { fallback: true, ..calls }),
    }
}

fn with_bill(said: StepEnd, lost: &Failure) -> StepEnd {
    match said {
        StepEnd::Answer(reply) => {
            let bill = sum(&lost.bill, &reply.bill);
            let tries = lost.tries.saturating_add(reply.tries);
            StepEnd::Answer(Reply { bill, tries, ..reply })
        }
        StepEnd::Calls(calls) => {
            let bill = sum(&lost.bill, &calls.bill);
            let tries = lost.tries.saturating_add(calls.tries);
            StepEnd::Calls(WantedCalls { bill, tries, ..calls })
        }
    }
}

/// Both bills as one. A lost try that used nothing costs nothing; one that used
/// something at an unknown price makes the sum unknown.
pub fn sum(a: &Bill, b: &Bill) -> Bill {
    let cost = |bill: &Bill| match (bill.cost, bill.usage.total()) {
        (None, None) => Some(debate::model::MicroUsd::ZERO),
        (cost, _) => cost,
    };
    let both = cost(a).zip(cost(b)).map(|(a, b)| a + b);
    let cost = if a.cost.is_none() && b.cost.is_none() { None } else { both };
    Bill {
        usage: a.usage.plus(b.usage),
        cost,
        latency_ms: a.latency_ms.saturating_add(b.latency_ms),
    }
}

impl Converse for WithFallback {
    fn step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<StepEnd, Failure>> {
        Box::pin(self.converse(prompt, watch, cancel))
    }

    /// The second is asked now and then; what is expected is what the first can do.
    fn takes_tools(&self) -> bool {
        self.first.takes_tools()
    }

    fn fetch_step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        kept: &'a RemoteAnswer,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Result<StepEnd, Failure>>> {
        Box::pin(async move {
            if self.first.keeps(kept) {
                return self.first.fetch_step(prompt, kept, cancel).await;
            }
            let said = self.second.fetch_step(prompt, kept, cancel).await;
            said.map(|said| said.map(marked))
        })
    }
}
