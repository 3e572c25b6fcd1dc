//! A model at a provider: one ask becomes as many tries as it takes and the
//! policy allows, and ends in one reply or one failure. What a server refuses
//! to be asked is learnt once and remembered.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use debate::model::{
    Ask, Bill, Citation, Failure, FailureClass, MicroUsd, RemoteAnswer, Reply, Usage,
};
use futures::future::BoxFuture;
use tokio::time::{Instant, sleep, timeout_at};

use crate::breaker::{Leave, Line, Went};
use crate::dialects::{Manners, Outcome, Search, Sent, Target};
use crate::http::Http;
use crate::retry::{Next, SoFar, chance};
use crate::tooling::{Calls, Converse, Exchange, Prompt, Said};
use crate::trouble::{Again, Trouble};
use crate::{CancellationToken, Delta, Watch, cancelled};

/// More refusals than there are manners to change would be a circle.
const MOST_ADAPTATIONS: u32 = 6;
/// Searches of the provider's own that one step may make.
pub const MOST_SEARCHES: u32 = 10;
/// Over how long those who waited for a rested model come back.
const SPREAD: Duration = Duration::from_secs(2);
/// How often a provider may break its own work off and be asked to go on.
const MOST_PAUSES: usize = 5;

/// What a model reads whose prompt speaks of tools that its server then refused.
const NO_TOOLS: &str = include_str!("remote/no_tools.md");

pub struct Remote {
    pub(crate) http: Http,
    pub(crate) target: Target,
    line: Line,
    when_rested: WhenRested,
    manners: Mutex<Manners>,
}

/// What to do while the model is rested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhenRested {
    Queue,
    Fail,
}

/// What one ask has cost so far, over all its tries.
pub(crate) struct Course {
    started: Instant,
    pub(crate) deadline: Instant,
    pub(crate) requests: u32,
    adapted: u32,
    pub(crate) failed: u32,
    waited: Duration,
    spent: Usage,
    pauses: usize,
    /// Of the provider's own search, before it broke off.
    searches: u32,
    sources: Vec<Citation>,
}

/// Whether only tools that were offered are called. A call nobody offered is
/// chance or confusion, and no answer.
pub(crate) fn offered(calls: &Calls, prompt: Prompt<'_>) -> Result<(), Trouble> {
    let known = |name: &str| prompt.tools.iter().any(|tool| tool.name == name);
    match calls.wanted.iter().any(|call| known(&call.name)) {
        true => Ok(()),
        false => {
            let what = "it called a tool that was not offered";
            Err(Trouble::new(FailureClass::Unusable, what).used(calls.bill.usage))
        }
    }
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
    pub fn new(http: Http, target: Target) -> Remote {
        let manners = Mutex::new(Manners::towards(&target));
        let line = Line::of(&target);
        Remote { http, target, line, when_rested: WhenRested::Queue, manners }
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

    fn manners(&self) -> Manners {
        *self.manners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn converse(
        &self,
        prompt: Prompt<'_>,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<Said, Failure> {
        let ask = prompt.ask;
        let mut course = Course::new(ask);
        let mut so_far = prompt.so_far.to_vec();
        loop {
            self.wait_for_leave(ask, &course, watch, cancel).await?;
            course.requests += 1;
            let manners = self.manners();
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.http.breakers.abandoned(&self.line);
                    return Err(cancelled(course.requests));
                }
                outcome = self.attempt(Prompt { so_far: &so_far, ..prompt }, manners, watch, course.deadline) => outcome,
            };
            self.judge(&outcome);
            let trouble = match outcome {
                Ok(Outcome::Answer(reply)) => {
                    return Ok(Said::Answer(self.answered(*reply, course)));
                }
                Ok(Outcome::Calls(calls)) => match offered(&calls, prompt) {
                    Ok(()) => return Ok(Said::Calls(self.called(calls, course))),
                    Err(trouble) => trouble,
                },
                Ok(Outcome::Paused(calls)) => match course.pause(&calls) {
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
                Next::GiveUp => return Err(self.failed(trouble, &course)),
                Next::TooLongToWait(asked) => {
                    let what = format!("{}; it asks to wait {} s", trouble.what, asked.as_secs());
                    return Err(self.failed(Trouble { what, ..trouble }, &course));
                }
                Next::TryAfter(wait) => {
                    let why = self.why(&trouble);
                    watch.delta(&ask.id, Delta::Waiting { why, seconds: wait.as_secs_f64() });
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

    /// Waits while the model is rested. Debates queue here; they do not fail.
    async fn wait_for_leave(
        &self,
        ask: &Ask,
        course: &Course,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<(), Failure> {
        let mut told = false;
        loop {
            let Leave::Wait(wait) = self.http.breakers.leave(&self.line) else { return Ok(()) };
            let too_long = Instant::now() + wait >= course.deadline;
            if too_long || self.when_rested == WhenRested::Fail {
                let what = "it kept failing and is being rested";
                let trouble = Trouble::new(FailureClass::Overloaded, what);
                return Err(self.failed(trouble, course));
            }
            if !told {
                let why = format!("{} kept failing and is being rested", self.name());
                let seconds = wait.as_secs_f64();
                watch.delta(&ask.id, Delta::Waiting { why, seconds });
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

    fn judge(&self, outcome: &Result<Outcome, Trouble>) {
        let went = match outcome {
            Ok(_) => Some(Went::Well),
            Err(trouble) => Went::judged(trouble.class),
        };
        match went {
            Some(went) => self.http.breakers.went(&self.line, went),
            None => self.http.breakers.abandoned(&self.line),
        }
    }

    async fn attempt(
        &self,
        prompt: Prompt<'_>,
        manners: Manners,
        watch: &dyn Watch,
        deadline: Instant,
    ) -> Result<Outcome, Trouble> {
        let ask = prompt.ask;
        let refused = manners.tools == Sent::No && !prompt.tools.is_empty();
        let told = refused.then(|| Ask { user: format!("{}{NO_TOOLS}", ask.user), ..ask.clone() });
        let prompt = match &told {
            Some(told) => Prompt { ask: told, tools: &[], ..prompt },
            None => prompt,
        };
        let body = (self.target.provider.dialect.request)(&prompt, &self.target, manners);
        let hear = |delta: Delta| watch.delta(&ask.id, delta);
        let keeps = self.target.keeps(manners);
        let kept = Mutex::new(None);
        let named = |id: &str| {
            if keeps.is_some() {
                let found = self.kept(id);
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
                watch.kept(&ask.id, found);
            }
        };
        let said = self.http.attempt(&self.target, &body, &hear, &named);
        let outcome = timeout_at(deadline, said).await;
        let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (outcome, kept) {
            // It is written on without us: asking again would pay twice.
            (Ok(Err(trouble)), Some(kept)) if trouble.class == FailureClass::Unreachable => {
                self.collected(&kept, deadline).await.unwrap_or(Err(trouble))
            }
            (Ok(outcome), _) => outcome,
            (Err(_), _) => {
                let what = format!("it gave no finished answer within {} s", ask.timeout_seconds);
                Err(Trouble::new(FailureClass::TimedOut, what))
            }
        }
    }

    /// Learns from a refusal. True where the next try will be asked differently.
    fn adapt(&self, used: Manners, trouble: &Trouble) -> bool {
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

    pub(crate) fn answered(&self, reply: Reply, course: Course) -> Reply {
        let searches = reply.searches.saturating_add(course.searches);
        let bill = self.bill(&course, &reply.bill, searches);
        let sources = merged(course.sources, reply.sources);
        let model = self.model_or(reply.model);
        Reply { model, bill, sources, searches, tries: course.requests, ..reply }
    }

    pub(crate) fn called(&self, calls: Calls, course: Course) -> Calls {
        let searches = calls.searches.saturating_add(course.searches);
        let bill = self.bill(&course, &calls.bill, searches);
        let sources = merged(course.sources, calls.sources);
        let model = self.model_or(calls.model);
        Calls { model, bill, sources, searches, tries: course.requests, ..calls }
    }

    fn model_or(&self, said: String) -> String {
        if said.is_empty() { self.target.model.clone() } else { said }
    }

    pub(crate) fn failed(&self, trouble: Trouble, course: &Course) -> Failure {
        let bill = self.bill(course, &Bill::default(), course.searches);
        trouble.into_failure(&self.target, course.requests, bill)
    }

    /// What the last try and all lost ones cost together. A provider's own word
    /// on the last try is believed; what it lost before is counted by the table.
    fn bill(&self, course: &Course, last: &Bill, searches: u32) -> Bill {
        let usage = last.usage.plus(course.spent);
        let priced = |usage: &Usage, searches| {
            self.http.prices.price(self.target.provider.name, &self.target.model, usage, searches)
        };
        let cost = match (last.cost, course.spent.total()) {
            (Some(said), None) => Some(said),
            (Some(said), Some(_)) => priced(&course.spent, course.searches).map(|lost| said + lost),
            (None, _) => priced(&usage, searches),
        };
        Bill { usage, cost, latency_ms: course.latency_ms() }
    }

    fn why(&self, trouble: &Trouble) -> String {
        let why = format!("{}: {}", self.target.provider.name, trouble.what);
        crate::trouble::redact(&why, &self.target)
    }
}

impl Course {
    pub(crate) fn new(ask: &Ask) -> Course {
        let started = Instant::now();
        Course {
            started,
            deadline: started + Duration::from_secs(u64::from(ask.timeout_seconds)),
            requests: 0,
            adapted: 0,
            failed: 0,
            waited: Duration::ZERO,
            spent: Usage::default(),
            pauses: 0,
            searches: 0,
            sources: Vec::new(),
        }
    }

    /// Notes a turn that the provider wants continued.
    fn pause(&mut self, calls: &Calls) -> Result<(), Trouble> {
        self.pauses += 1;
        if self.pauses > MOST_PAUSES {
            let what = "it broke its work off again and again";
            let trouble = Trouble::new(FailureClass::Unusable, what).again(Again::Never);
            return Err(trouble.used(calls.bill.usage));
        }
        self.spent = self.spent.plus(calls.bill.usage);
        self.searches = self.searches.saturating_add(calls.searches);
        self.sources.extend(calls.sources.iter().cloned());
        Ok(())
    }

    pub(crate) fn so_far(&self) -> SoFar {
        let left = self.deadline.saturating_duration_since(Instant::now());
        SoFar { failed: self.failed, waited: self.waited, left }
    }

    fn latency_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Converse for Remote {
    fn step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Said, Failure>> {
        Box::pin(self.converse(prompt, watch, cancel))
    }

    fn takes_tools(&self) -> bool {
        self.manners().tools == Sent::Yes
    }

    fn fetch_step<'a>(
        &'a self,
        prompt: Prompt<'a>,
        kept: &'a RemoteAnswer,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Result<Said, Failure>>> {
        Box::pin(self.fetch_kept(prompt, kept, cancel))
    }

    fn worst(&self, prompt: Prompt<'_>, more: u64) -> Option<MicroUsd> {
        let target = &self.target;
        let searches = if target.search == Search::Native { MOST_SEARCHES } else { 0 };
        self.http.prices.step(
            (target.provider.name, &target.model),
            prompt.tokens().saturating_add(more),
            prompt.ask.max_output_tokens,
            searches,
            self.http.retry.tries,
        )
    }
}
