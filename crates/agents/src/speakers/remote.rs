//! A model at a provider: one ask becomes as many tries as it takes and the
//! policy allows, and ends in one reply or one failure. What a server refuses
//! to be asked is learnt once and remembered.

mod attempts;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use debate::model::{
    Ask, Bill, Citation, Failure, FailureClass, MicroUsd, RemoteAnswer, Reply, ReplyForm, Usage,
};
use futures::future::BoxFuture;
use tokio::time::{Instant, sleep};

use self::attempts::Attempts;
use super::kept_answers;
use crate::catalogue::prices::Prices;
use crate::conversation::{Converse, Exchange, Prompt, StepEnd, ToolSpec, WantedCalls};
use crate::http::Http;
use crate::http::breaker::{BreakerKey, BreakerPermit, TryHealth};
use crate::http::failure::redact;
use crate::http::retry::{RetryStep, chance};
use crate::http::silence::Patience;
use crate::tools::submit_spec;
use crate::wire::try_error::TryError;
use crate::wire::{AnswerFormat, NativeSearch, ServerLimits, Target, WireOutcome};
use crate::{CancellationToken, RequestCost, SpeechDelta, StepPermit, Watch, cancelled};

/// More refusals than there are manners to change would be a circle.
const MOST_ADAPTATIONS: u32 = 6;
/// Searches of the provider's own that one step may make.
pub const MOST_SEARCHES: u32 = 10;
/// Over how long those who waited for a rested model come back.
const SPREAD: Duration = Duration::from_secs(2);

/// Failures after which a provider has sent nothing that it could bill.
const NEVER_BILLED: [FailureClass; 6] = [
    FailureClass::RateLimited,
    FailureClass::Overloaded,
    FailureClass::Unauthorised,
    FailureClass::OutOfCredit,
    FailureClass::BadRequest,
    FailureClass::TooLong,
];

/// A note for a model whose prompt speaks of tools that its server then refused.
const NO_TOOLS: &str = include_str!("remote/no_tools.md");

pub struct Remote {
    http: Http,
    prices: Prices,
    target: Target,
    line: BreakerKey,
    when_rested: WhenRested,
    manners: Mutex<ServerLimits>,
}

/// The reaction to a model that is rested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhenRested {
    Queue,
    Fail,
}

/// Checks that only offered tools are called. A call of any other tool is chance or
/// confusion, and no answer.
fn offered(calls: &WantedCalls, prompt: Prompt<'_>) -> Result<(), TryError> {
    let known = |name: &str| prompt.tools.iter().any(|tool| tool.name == name);
    if calls.wanted.iter().any(|call| known(&call.name)) {
        Ok(())
    } else {
        let what = "it called a tool that was not offered";
        Err(TryError::new(FailureClass::Unusable, what).used(calls.bill.usage))
    }
}

/// The tools of a request: those of the step and, where words are followed by
/// the record and the server takes tools, the one that hands the record in.
fn with_record(prompt: Prompt<'_>, manners: ServerLimits) -> Vec<ToolSpec> {
    let mut tools = prompt.tools.to_vec();
    if prompt.ask.form == ReplyForm::WordsThenRecord && manners.tools {
        tools.push(submit_spec(&prompt.ask.schema));
    }
    tools
}

/// All sources, each once, numbered anew.
fn merged(before: Vec<Citation>, after: Vec<Citation>) -> Vec<Citation> {
    let mut all: Vec<Citation> = Vec::new();
    for source in before.into_iter().chain(after) {
        if !all.iter().any(|known| known.url == source.url) {
            let number = u32::try_from(all.len() + 1).unwrap_or(u32::MAX);
            all.push(Citation { number, ..source });
        }
    }
    all
}

impl Remote {
    pub fn new(http: Http, prices: Prices, target: Target) -> Remote {
        let manners = Mutex::new(ServerLimits::towards(&target));
        let line = BreakerKey::of(&target);
        Remote { http, prices, target, line, when_rested: WhenRested::Queue, manners }
    }

    /// The same, failing at once while the model is rested.
    #[must_use]
    pub(crate) fn impatient(mut self) -> Remote {
        self.when_rested = WhenRested::Fail;
        self
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.target.provider.name, self.target.model)
    }

    fn manners(&self) -> ServerLimits {
        *self.manners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn converse(
        &self,
        prompt: Prompt<'_>,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<StepEnd, Failure> {
        let ask = prompt.ask;
        let mut course = Attempts::new(ask);
        let mut so_far = prompt.so_far.to_vec();
        loop {
            self.wait_for_leave(ask, &course, watch, cancel).await?;
            let manners = self.manners();
            let worst = self.worst(Prompt { so_far: &so_far, ..prompt }, manners);
            if watch.requesting(&ask.id, worst).await == StepPermit::Rest {
                self.http.breakers.abandoned(&self.line);
                return Err(cancelled(course.requests));
            }
            // Waiting for money is not the model's silence.
            course.patience.heard();
            course.requests += 1;
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.http.breakers.abandoned(&self.line);
                    return Err(cancelled(course.requests));
                }
                outcome = self.attempt(Prompt { so_far: &so_far, ..prompt }, manners, watch, &course.patience) => outcome,
            };
            self.judge(&outcome);
            self.http.accounts.judge(&self.line, &outcome);
            watch.requested(&ask.id, self.cost(&outcome));
            let trouble = match outcome {
                Ok(WireOutcome::Answer(reply)) => {
                    return Ok(StepEnd::Answer(self.answered(*reply, course)));
                }
                Ok(WireOutcome::Calls(calls)) => match offered(&calls, prompt) {
                    Ok(()) => return Ok(StepEnd::Calls(self.called(calls, course))),
                    Err(trouble) => trouble,
                },
                Ok(WireOutcome::Paused(calls)) => match course.pause(&calls) {
                    Ok(()) => {
                        so_far.push(Exchange { calls, results: Vec::new() });
                        continue;
                    }
                    Err(trouble) => trouble,
                },
                Err(trouble) => trouble,
            };
            course.spent = course.spent.plus(*trouble.usage);
            if course.adapted < MOST_ADAPTATIONS && self.adapt(manners, &trouble) {
                course.adapted += 1;
                continue;
            }
            course.failed += 1;
            match self.http.retry.next(&trouble, course.so_far()) {
                RetryStep::GiveUp => return Err(self.failed(trouble, &course)),
                RetryStep::TooLongToWait(asked) => {
                    let what = format!("{}; it asks to wait {} s", trouble.what, asked.as_secs());
                    return Err(self.failed(TryError { what, ..trouble }, &course));
                }
                RetryStep::TryAfter(wait) => {
                    let why = self.why(&trouble);
                    watch.delta(&ask.id, SpeechDelta::Waiting { why, seconds: wait.as_secs_f64() });
                    tracing::debug!(ask = %ask.id, class = trouble.class.word(), ?wait, "trying again");
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(cancelled(course.requests)),
                        () = sleep(wait) => course.waited += wait,
                    }
                }
            }
        }
    }

    /// The most that one request can cost: its input as counted, its output at the
    /// limit.
    fn worst(&self, prompt: Prompt<'_>, manners: ServerLimits) -> Option<MicroUsd> {
        let target = &self.target;
        let tools = with_record(prompt, manners);
        let searches = if target.search == NativeSearch::Native { MOST_SEARCHES } else { 0 };
        self.prices.request(
            (target.provider.name, &target.model),
            Prompt { tools: &tools, ..prompt }.tokens(),
            prompt.ask.max_output_tokens,
            searches,
        )
    }

    /// The cost of a request that has ended.
    fn cost(&self, outcome: &Result<WireOutcome, TryError>) -> RequestCost {
        let (bill, searches) = match outcome {
            Ok(WireOutcome::Answer(reply)) => (reply.bill, reply.searches),
            Ok(WireOutcome::Calls(calls) | WireOutcome::Paused(calls)) => {
                (calls.bill, calls.searches)
            }
            Err(trouble) => (Bill { usage: *trouble.usage, ..Bill::default() }, 0),
        };
        let refused = matches!(outcome, Err(trouble) if NEVER_BILLED.contains(&trouble.class));
        if refused && bill.usage.total().is_none() {
            return RequestCost::Known(MicroUsd::ZERO);
        }
        let target = &self.target;
        let priced =
            || self.prices.price(target.provider.name, &target.model, &bill.usage, searches);
        bill.cost.or_else(priced).map_or(RequestCost::Unknown, RequestCost::Known)
    }

    /// Waits for the first request to this account, and while the model is rested.
    /// Debates queue here; they fail only if the account refuses everything.
    async fn wait_for_leave(
        &self,
        ask: &Ask,
        course: &Attempts,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<(), Failure> {
        let entered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled(course.requests)),
            entered = self.http.accounts.enter(&self.line, self.target.key.is_some()) => entered,
        };
        entered.map_err(|refusal| self.failed(*refusal, course))?;
        let mut told = false;
        loop {
            let BreakerPermit::Wait(wait) = self.http.breakers.leave(&self.line) else {
                return Ok(());
            };
            let too_long = Instant::now() + wait >= course.patience.until();
            if too_long || self.when_rested == WhenRested::Fail {
                let what = "it kept failing, so calls to it are paused";
                let trouble = TryError::new(FailureClass::Overloaded, what);
                return Err(self.failed(trouble, course));
            }
            if !told {
                let why = format!("{} kept failing, so calls to it are paused", self.name());
                let seconds = wait.as_secs_f64();
                watch.delta(&ask.id, SpeechDelta::Waiting { why, seconds });
                told = true;
            }
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(cancelled(course.requests)),
                // All who waited for the same moment must not come at that moment.
                () = sleep(wait + SPREAD.mul_f64(chance())) => {}
            }
        }
    }

    fn judge(&self, outcome: &Result<WireOutcome, TryError>) {
        let went = match outcome {
            Ok(_) => Some(TryHealth::Well),
            Err(trouble) => TryHealth::judged(trouble.class),
        };
        match went {
            Some(went) => self.http.breakers.went(&self.line, went),
            None => self.http.breakers.abandoned(&self.line),
        }
    }

    async fn attempt(
        &self,
        prompt: Prompt<'_>,
        manners: ServerLimits,
        watch: &dyn Watch,
        patience: &Patience,
    ) -> Result<WireOutcome, TryError> {
        let ask = prompt.ask;
        let refused = !manners.tools && !prompt.tools.is_empty();
        let told = || Ask { user: format!("{}{NO_TOOLS}", ask.user).into(), ..ask.clone() };
        let told = refused.then(told);
        let prompt = match &told {
            Some(told) => Prompt { ask: told, tools: &[], ..prompt },
            None => prompt,
        };
        let with_record = with_record(prompt, manners);
        let prompt = Prompt { tools: &with_record, ..prompt };
        let asked = match ask.form {
            ReplyForm::Json => manners,
            ReplyForm::Words | ReplyForm::WordsThenRecord => {
                ServerLimits { format: AnswerFormat::Free, ..manners }
            }
        };
        let body = (self.target.provider.dialect.request)(&prompt, &self.target, asked);
        let body = body.to_bytes();
        let hear = |delta: SpeechDelta| {
            patience.heard();
            watch.delta(&ask.id, delta);
        };
        let keeps = self.target.keeps(manners);
        let kept = Mutex::new(None);
        let named = |id: &str| {
            if keeps.is_some() {
                let found = kept_answers::name(&self.target, id);
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
                watch.kept(&ask.id, found);
            }
        };
        let silence = Duration::from_secs(u64::from(ask.timeout_seconds));
        let said = self.http.attempt(&self.target, (body, silence), &hear, &named);
        let outcome = tokio::select! {
            biased;
            outcome = said => Ok(outcome),
            () = patience.run_out() => Err(()),
        };
        let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (outcome, kept) {
            // It is written on without us: asking again would pay twice.
            (Ok(Err(trouble)), Some(kept)) if trouble.class == FailureClass::Unreachable => {
                kept_answers::collected(&self.http, &self.target, &kept, patience.until())
                    .await
                    .unwrap_or(Err(trouble))
            }
            (Ok(outcome), _) => outcome,
            (Err(()), _) => {
                let what = format!("nothing came from it for {} s", ask.timeout_seconds);
                Err(TryError::new(FailureClass::TimedOut, what))
            }
        }
    }

    pub(crate) fn keeps(&self, kept: &RemoteAnswer) -> bool {
        kept_answers::is_of(&self.target, kept)
    }

    /// The end of a step that this model began; `None` where it is gone.
    async fn fetch_kept(
        &self,
        prompt: Prompt<'_>,
        kept: &RemoteAnswer,
        cancel: &CancellationToken,
    ) -> Option<Result<StepEnd, Failure>> {
        if !self.keeps(kept) {
            return None;
        }
        let mut course = Attempts::new(prompt.ask);
        loop {
            course.requests += 1;
            let collected = tokio::select! {
                biased;
                () = cancel.cancelled() => return Some(Err(cancelled(course.requests))),
                collected = kept_answers::collected(&self.http, &self.target, kept, course.patience.until()) => collected?,
            };
            let trouble = match collected {
                Ok(WireOutcome::Answer(reply)) => {
                    return Some(Ok(StepEnd::Answer(self.answered(*reply, course))));
                }
                Ok(WireOutcome::Calls(calls)) if offered(&calls, prompt).is_ok() => {
                    return Some(Ok(StepEnd::Calls(self.called(calls, course))));
                }
                // No answer to what is asked now: ask again.
                Ok(WireOutcome::Calls(_) | WireOutcome::Paused(_)) => return None,
                Err(trouble) => trouble,
            };
            course.failed += 1;
            match (self.http.retry.next(&trouble, course.so_far()), trouble.class) {
                (
                    RetryStep::TryAfter(wait),
                    FailureClass::Unreachable | FailureClass::RateLimited,
                ) => {
                    sleep(wait).await;
                }
                // It failed there, and may not if it is asked again.
                (RetryStep::TryAfter(_), _) => return None,
                _ => return Some(Err(self.failed(trouble, &course))),
            }
        }
    }

    /// Learns from a refusal. True where the next try will be asked differently.
    fn adapt(&self, used: ServerLimits, trouble: &TryError) -> bool {
        let better =
            match (trouble.class, (self.target.provider.dialect.adapt)(used, &trouble.said)) {
                (FailureClass::BadRequest, Some(better)) => better,
                // Some servers that take no tools call that a failure of their own.
                (FailureClass::Overloaded, Some(better)) if better.tools != used.tools => better,
                _ => return false,
            };
        let mut manners = self.manners.lock().unwrap_or_else(PoisonError::into_inner);
        // Another call may have learnt the same meanwhile.
        if *manners == used {
            *manners = better;
        }
        true
    }

    fn answered(&self, reply: Reply, course: Attempts) -> Reply {
        let searches = reply.searches.saturating_add(course.searches);
        let bill = self.bill(&course, &reply.bill, searches);
        let sources = merged(course.sources, reply.sources);
        let model = self.model_or(reply.model);
        Reply { model, bill, sources, searches, tries: course.requests, ..reply }
    }

    fn called(&self, calls: WantedCalls, course: Attempts) -> WantedCalls {
        let searches = calls.searches.saturating_add(course.searches);
        let bill = self.bill(&course, &calls.bill, searches);
        let sources = merged(course.sources, calls.sources);
        let model = self.model_or(calls.model);
        WantedCalls { model, bill, sources, searches, tries: course.requests, ..calls }
    }

    fn model_or(&self, said: String) -> String {
        if said.is_empty() { self.target.model.clone() } else { said }
    }

    fn failed(&self, trouble: TryError, course: &Attempts) -> Failure {
        let bill = self.bill(course, &Bill::default(), course.searches);
        trouble.into_failure(&self.target, course.requests, bill)
    }

    /// The cost of the last try and all lost ones together. A provider's own figure for the
    /// last try is believed; the lost ones are priced by the table.
    fn bill(&self, course: &Attempts, last: &Bill, searches: u32) -> Bill {
        let usage = last.usage.plus(course.spent);
        let priced = |usage: &Usage, searches| {
            self.prices.price(self.target.provider.name, &self.target.model, usage, searches)
        };
        let cost = match (last.cost, course.spent.total()) {
            (Some(said), None) => Some(said),
            (Some(said), Some(_)) => priced(&course.spent, course.searches).map(|lost| said + lost),
            (None, _) => priced(&usage, searches),
        };
        Bill { usage, cost, latency_ms: course.latency_ms() }
    }

    fn why(&self, trouble: &TryError) -> String {
        let why = format!("{}: {}", self.target.provider.name, trouble.what);
        redact(&why, &self.target)
    }
}

impl Converse for Remote {
    fn step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<StepEnd, Failure>> {
        Box::pin(self.converse(prompt, watch, cancel))
    }

    fn takes_tools(&self) -> bool {
        self.manners().tools
    }

    fn fetch_step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        kept: &'a RemoteAnswer,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Result<StepEnd, Failure>>> {
        Box::pin(self.fetch_kept(prompt, kept, cancel))
    }
}
