//! The conversation between one model and its tools, until there is an answer.
//! It is bounded in steps, calls and time; a model that goes round in circles is
//! asked to answer with what it has. It decides nothing about the debate.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use debate::model::{
    Ask, AskHistory, ConversationStep, Failure, FailureClass, RemoteAnswer, Reply, ToolCall,
    WantedContext, clip, counted,
};
use futures::future::join_all;
use tokio::time::{Instant, timeout, timeout_at};

use super::loop_state::{CallDecision, LoopState, Offer};
use super::notes::{RecordedUse, StepNote, ToolReport};
use crate::conversation::{
    Converse, Exchange, Prompt, StepEnd, ToolOutcome, ToolResult, WantedCall, WantedCalls,
};
use crate::http::silence::MOST_SILENCES;
use crate::tools::{
    ResultOrigin as Came, SUBMIT, SearchWeb, Tool, ToolContext, ToolError, ToolOutput, ToolSpec,
    submitted,
};
use crate::{CancellationToken, FetchEnd, SpeechDelta, StepPermit, Watch, cancelled};

/// Steps of the model in one turn; in the last it is offered no tools.
pub const MOST_STEPS: usize = 8;
/// For one call; never more than half of what is left of the turn.
const CALL_TIME: Duration = Duration::from_secs(30);
/// The time a step has beyond the deadline to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// The tokens of a result that the record keeps.
const RECORDED_TOKENS: usize = 300;

const DEMAND: &str = include_str!("demand.md");

pub struct ToolLoop<'a> {
    pub model: &'a dyn Converse,
    pub tools: &'a [Arc<dyn Tool>],
    pub context: &'a ToolContext,
}

/// The end of one step of the model.
enum StepTaken {
    Calls(WantedCalls),
    Reply(Reply),
    /// An answer, but without the tools it had to use: it is asked once more.
    TooLittle,
    Gone,
}

/// The result of one call.
struct MadeCall {
    result: ToolResult,
    /// Only of calls that were really made.
    record: Option<ToolCall>,
    /// Its request to the caller.
    request: Option<WantedContext>,
    stop: Option<ToolError>,
}

impl ToolLoop<'_> {
    /// Until there is an answer, or a request without which there cannot be one:
    /// then the reply has no text, and the turn is taken anew later.
    pub async fn run(
        &self,
        ask: &Ask,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<Reply, Failure> {
        let reply = self.converse(ask, &AskHistory::default(), watch, cancel).await?;
        // Nothing was there to be lost.
        reply.ok_or_else(|| Failure::unusable("The conversation was lost."))
    }

    /// The same, behind the steps that were taken before: they are neither made
    /// nor paid for again.
    pub async fn go_on(
        &self,
        ask: &Ask,
        past: &AskHistory,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> FetchEnd {
        match self.converse(ask, past, watch, cancel).await {
            Ok(Some(reply)) => FetchEnd::Answer(Box::new(reply)),
            Ok(None) => FetchEnd::Gone,
            Err(failure) => FetchEnd::Failed(failure),
        }
    }

    /// `None` where what a step came to is not there any more.
    async fn converse(
        &self,
        ask: &Ask,
        past: &AskHistory,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<Option<Reply>, Failure> {
        let specs: Vec<ToolSpec> = self.tools.iter().map(|tool| tool.spec().clone()).collect();
        let mut course = LoopState::new(ask);
        let mut unheeded = self.restore(&mut course, ask, &past.steps);
        let mut kept = past.kept.as_ref().filter(|_| unheeded.is_none());
        loop {
            let calls = match unheeded.take() {
                Some(calls) => calls,
                None => {
                    let step = self.next_step(&mut course, ask, &specs, kept.take(), watch, cancel);
                    match step.await? {
                        StepTaken::Calls(calls) => calls,
                        StepTaken::Reply(reply) => {
                            return Ok(Some(course.answered(reply, &self.context.sources)));
                        }
                        StepTaken::TooLittle => continue,
                        StepTaken::Gone => return Ok(None),
                    }
                }
            };
            let model = calls.model.clone();
            let told = self.heed(&mut course, ask, calls, watch, cancel).await?;
            if !course.may_go_on() {
                let stopped = Reply { model, ..Reply::default() };
                return Ok(Some(course.answered(stopped, &self.context.sources)));
            }
            self.note(&mut course, ask, told, watch).await?;
        }
    }

    /// Has the model speak once, or hears what it said before this began.
    async fn next_step(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        specs: &[ToolSpec],
        kept: Option<&RemoteAnswer>,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<StepTaken, Failure> {
        course.steps += 1;
        let last = course.steps >= MOST_STEPS || course.offer == Offer::Nothing;
        let offered: &[ToolSpec] = if last { &[] } else { specs };
        let prompt = Prompt { ask, tools: offered, so_far: &course.so_far };
        let said = match kept {
            None => self.step(course, ask, offered, watch, cancel).await?,
            Some(kept) => match self.model.fetch_step(prompt, kept, cancel).await {
                None => return Ok(StepTaken::Gone),
                Some(said) => said.map_err(|failure| course.charged(failure))?,
            },
        };
        let (reply, answered) = match said {
            StepEnd::Answer(reply) => {
                course.heard(&reply.bill, reply.tries, reply.searches);
                let answered = StepNote::answered(&reply);
                (reply, answered)
            }
            StepEnd::Calls(calls) => {
                course.heard(&calls.bill, calls.tries, calls.searches);
                self.note_natives(course, &calls);
                let Some(Ok(text)) = submitted(&calls.wanted, &ask.schema) else {
                    if last {
                        let what = "it kept calling tools and gave no answer";
                        return Err(course.failed(ask, FailureClass::Unusable, what));
                    }
                    self.note(course, ask, StepNote::Called(calls.clone()), watch).await?;
                    return Ok(StepTaken::Calls(calls));
                };
                let answered = StepNote::handed_in(&calls);
                (
                    Reply { text, working: calls.text, model: calls.model, ..Reply::default() },
                    answered,
                )
            }
        };
        let more = !offered.is_empty() && self.model.takes_tools();
        if more && course.must_be_asked_again(ask) {
            course.offer = Offer::Demanded;
            self.note(course, ask, answered, watch).await?;
            return Ok(StepTaken::TooLittle);
        }
        Ok(StepTaken::Reply(reply))
    }

    /// Has what was reached written down before anything is built on it.
    async fn note(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        note: StepNote,
        watch: &dyn Watch,
    ) -> Result<(), Failure> {
        match watch.stepped(&ask.id, note.stepped()).await {
            StepPermit::GoOn => Ok(()),
            StepPermit::Rest => Err(course.charged(cancelled(0))),
        }
    }

    /// Takes up what was written down. Returns the calls whose tools are yet to
    /// be used. What cannot be read any more ends it: from there on it is asked.
    fn restore(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        steps: &[ConversationStep],
    ) -> Option<WantedCalls> {
        let mut unheeded: Option<WantedCalls> = None;
        for note in steps.iter().map_while(StepNote::of) {
            match (note, unheeded.take()) {
                (StepNote::Called(calls), None) => {
                    course.steps += 1;
                    course.heard(&calls.bill, calls.tries, calls.searches);
                    self.note_natives(course, &calls);
                    unheeded = Some(calls);
                }
                (StepNote::Told(told), Some(calls)) => {
                    // What was allowed then still counts.
                    self.plans(course, ask, &calls);
                    for source in told.shown {
                        let url = source.url.as_deref().unwrap_or_default();
                        self.context.pages.add(url, &source.title);
                        self.context.sources.cite(source);
                    }
                    told.records.into_iter().for_each(|it| course.recorded(it.call, it.outcome));
                    course.requests.extend(told.requests);
                    course.so_far.push(Exchange { calls, results: told.results });
                }
                (StepNote::Answered(step), None) => {
                    course.steps += 1;
                    course.heard(&step.bill, step.tries, step.searches);
                    course.must_be_asked_again(ask);
                    course.offer = Offer::Demanded;
                }
                // Steps that do not follow one another are no conversation.
                (_, earlier) => return earlier,
            }
        }
        unheeded
    }

    /// Allows citing and reading the pages that the provider's own search found.
    fn note_natives(&self, course: &mut LoopState, calls: &WantedCalls) {
        course.noted(calls);
        for source in &calls.sources {
            self.context.pages.add(source.url.as_deref().unwrap_or_default(), &source.title);
        }
    }

    async fn step(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        offered: &[ToolSpec],
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<StepEnd, Failure> {
        let left = course.left();
        let late = || {
            let most = ask.timeout_seconds.saturating_mul(MOST_SILENCES);
            let what = format!("it gave no finished answer within {most} s");
            course.failed(ask, FailureClass::TimedOut, &what)
        };
        if left.is_zero() {
            return Err(late());
        }
        // An ask is long and seldom changes from step to step.
        let mut ask_now = Cow::Borrowed(ask);
        // The step's own deadline comes first: it can say what it has used.
        let left = u32::try_from(left.as_secs().max(1)).unwrap_or(u32::MAX);
        if left < ask.timeout_seconds {
            ask_now.to_mut().timeout_seconds = left;
        }
        if course.offer == Offer::Demanded && course.worked < ask.tools.min_calls {
            let demand = DEMAND.replace("{least}", &counted(ask.tools.min_calls as usize, "use"));
            ask_now.to_mut().user.push_str(&demand.replace("{made}", &course.worked.to_string()));
        }
        let prompt = Prompt { ask: &ask_now, tools: offered, so_far: &course.so_far };
        let latest = course.deadline + GRACE;
        let said = timeout_at(latest, self.model.step(prompt, watch, cancel)).await;
        match said {
            Ok(Ok(said)) => Ok(said),
            Ok(Err(failure)) => Err(course.charged(failure)),
            Err(_) => Err(late()),
        }
    }

    /// Decides on each call of a step.
    fn plans(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        calls: &WantedCalls,
    ) -> Vec<CallDecision<'_>> {
        let handed_in = submitted(&calls.wanted, &ask.schema);
        let plan = |call: &WantedCall| match (&handed_in, call.name == SUBMIT) {
            (Some(Err(wrong)), true) => CallDecision::Say(format!(
                "The answer does not fit yet:\n{wrong}\nHand it in again."
            )),
            _ => course.verdict(call, self.tools, ask.tools),
        };
        calls.wanted.iter().map(plan).collect()
    }

    /// Does what a step asked for.
    async fn heed(
        &self,
        course: &mut LoopState,
        ask: &Ask,
        calls: WantedCalls,
        watch: &dyn Watch,
        cancel: &CancellationToken,
    ) -> Result<StepNote, Failure> {
        let plans = self.plans(course, ask, &calls);
        let limit = CALL_TIME.min(course.left() / 2);
        let all = join_all(calls.wanted.iter().zip(plans).map(|(call, plan)| {
            if call.name == SearchWeb::NAME && matches!(plan, CallDecision::Run { .. }) {
                let query = call.arguments.get("query").and_then(|query| query.as_str());
                watch.delta(&ask.id, SpeechDelta::Searching(query.unwrap_or_default().to_owned()));
            }
            self.make(call, plan, limit)
        }));
        let made = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(course.charged(cancelled(0))),
            made = all => made,
        };
        let mut told = ToolReport::default();
        for made in made {
            if let Some(record) = made.record {
                course.recorded(record.clone(), made.result.outcome);
                told.records.push(RecordedUse { call: record, outcome: made.result.outcome });
            }
            told.results.push(made.result);
            told.requests.extend(made.request);
            match made.stop {
                Some(ToolError::NeedsContext(request)) => told.requests.push(request),
                Some(ToolError::Fatal(what)) => {
                    return Err(course.failed(ask, FailureClass::Blocked, &what));
                }
                Some(ToolError::Tell(_)) | None => {}
            }
        }
        told.shown = self.context.sources.shown();
        course.requests.extend(told.requests.iter().cloned());
        course.so_far.push(Exchange { calls, results: told.results.clone() });
        Ok(StepNote::Told(told))
    }

    async fn make(&self, call: &WantedCall, plan: CallDecision<'_>, limit: Duration) -> MadeCall {
        let started = Instant::now();
        let (tool, advice) = match plan {
            CallDecision::Say(text) => {
                let result = told(call, text, ToolOutcome::Failed);
                return MadeCall { result, record: None, request: None, stop: None };
            }
            CallDecision::Run { tool, advice } => (tool, advice),
        };
        let run = timeout(limit, tool.call(&call.arguments, self.context)).await;
        let too_long = || Err(ToolError::Tell("It took too long. Go on without it.".into()));
        let (text, outcome, done, stop) = match run.unwrap_or_else(|_| too_long()) {
            Ok(done) => {
                let text = format!("{}{advice}", done.text);
                (text, ToolOutcome::Worked, done, None)
            }
            Err(error) => {
                (error.to_string(), ToolOutcome::Failed, ToolOutput::default(), Some(error))
            }
        };
        let record = ToolCall {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            result: clip(&text, RECORDED_TOKENS).into_owned(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            shared: done.made == Some(Came::Before),
        };
        let request = done.request;
        MadeCall { result: told(call, text, outcome), record: Some(record), request, stop }
    }
}

fn told(call: &WantedCall, text: String, outcome: ToolOutcome) -> ToolResult {
    ToolResult { id: call.id.clone(), name: call.name.clone(), text, outcome }
}
