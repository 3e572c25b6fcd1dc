//! The state of one turn with tools: steps, calls, costs, and whether the model may
//! still be offered tools.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use debate::model::{
    Ask, Bill, Citation, Failure, FailureClass, MicroUsd, Priority, Reply, ReplyForm, ToolCall,
    ToolLevel, ToolPolicy, Usage, WantedContext, counted,
};
use debate::sorting::SortRows;
use serde_json::Value;
use tokio::time::Instant;

use crate::conversation::{Exchange, ToolOutcome, WantedCall, WantedCalls};
use crate::http::silence::MOST_SILENCES;
use crate::tools::{Tool, TurnSources, check};

/// Calls in one turn, whatever the policy says.
pub const MOST_CALLS: u32 = 24;
/// The same call for the third time is a circle.
pub const SAME_CALL: u32 = 3;

/// The tools the model is offered in the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    Tools,
    /// Tools, and the demand to use one.
    Demanded,
    /// It must answer.
    Nothing,
}

/// The decision on one call.
pub(super) enum CallDecision<'t> {
    Run {
        tool: &'t dyn Tool,
        advice: String,
    },
    /// Nothing is done; the model is told why.
    Say(String),
}

pub(super) struct LoopState {
    started: Instant,
    pub deadline: Instant,
    pub steps: usize,
    pub offer: Offer,
    pub so_far: Vec<Exchange>,
    /// The sources that the provider's own search found on the way.
    natives: Vec<Citation>,
    records: Vec<ToolCall>,
    /// The requests to the caller.
    pub requests: Vec<WantedContext>,
    /// Calls that were made, and those of them that worked.
    done: u32,
    pub worked: u32,
    demanded: bool,
    seen: HashMap<String, u32>,
    pub tries: u32,
    searches: u32,
    usage: Usage,
    /// Unknown as soon as one step that used something had no price.
    cost: Option<MicroUsd>,
    priced: bool,
    fallback: bool,
    /// True if words are followed by a record.
    asks_record: bool,
}

impl LoopState {
    pub(super) fn new(ask: &Ask) -> LoopState {
        let started = Instant::now();
        LoopState {
            started,
            // Each step may be silent for as long as the ask allows; all of them
            // together have a generous end.
            deadline: started + Duration::from_secs(u64::from(ask.timeout_seconds)) * MOST_SILENCES,
            steps: 0,
            offer: Offer::Tools,
            so_far: Vec::new(),
            natives: Vec::new(),
            records: Vec::new(),
            requests: Vec::new(),
            done: 0,
            worked: 0,
            demanded: false,
            seen: HashMap::new(),
            tries: 0,
            searches: 0,
            usage: Usage::default(),
            cost: Some(MicroUsd::ZERO),
            priced: false,
            fallback: false,
            asks_record: ask.form == ReplyForm::WordsThenRecord,
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Adds what a step cost.
    pub(super) fn heard(&mut self, bill: &Bill, tries: u32, searches: u32) {
        self.usage = self.usage.plus(bill.usage);
        let cost = match (bill.cost, bill.usage.total()) {
            (None, None) => Some(MicroUsd::ZERO),
            (cost, _) => cost,
        };
        self.cost = self.cost.zip(cost).map(|(so_far, step)| so_far + step);
        self.priced |= bill.cost.is_some();
        self.tries = self.tries.saturating_add(tries);
        self.searches = self.searches.saturating_add(searches);
    }

    /// True where too few tools were used and more are demanded. It is true once.
    pub(super) fn must_be_asked_again(&mut self, ask: &Ask) -> bool {
        let wanting = ask.tools.level == ToolLevel::Strict && self.worked < ask.tools.min_calls;
        wanting && !std::mem::replace(&mut self.demanded, true)
    }

    pub(super) fn verdict<'t>(
        &mut self,
        call: &WantedCall,
        tools: &'t [Arc<dyn Tool>],
        policy: ToolPolicy,
    ) -> CallDecision<'t> {
        let times = self.seen.entry(fingerprint(call)).or_default();
        *times += 1;
        if *times >= SAME_CALL {
            self.offer = Offer::Nothing;
            return CallDecision::Say(
                "You have made this very call before and got its result. Answer now with what you \
                 have."
                    .into(),
            );
        }
        let tool = match objection(call, tools) {
            Ok(tool) => tool,
            Err(wrong) => return CallDecision::Say(wrong),
        };
        match over_limit(policy.level, self.done, policy.max_calls) {
            Ok(advice) => {
                self.done += 1;
                CallDecision::Run { tool, advice }
            }
            Err(refused) => {
                self.offer = Offer::Nothing;
                CallDecision::Say(refused)
            }
        }
    }

    /// Notes what the provider did by itself in a step that ended in calls.
    pub(super) fn noted(&mut self, calls: &WantedCalls) {
        self.natives.extend(calls.sources.iter().cloned());
        self.fallback |= calls.fallback;
    }

    /// Notes a call that was made.
    pub(super) fn recorded(&mut self, record: ToolCall, outcome: ToolOutcome) {
        self.records.push(record);
        self.worked += u32::from(outcome == ToolOutcome::Worked);
    }

    /// True unless a question waits that the caller must answer first.
    pub(super) fn may_go_on(&self) -> bool {
        self.requests.iter().all(|it| it.priority == Priority::Optional)
    }

    pub(super) fn answered(self, mut reply: Reply, shown: &TurnSources) -> Reply {
        if self.asks_record && reply.working.trim().is_empty() {
            // A model may write its working before its last step.
            let earlier = self.so_far.iter().map(|exchange| exchange.calls.text.trim());
            reply.working =
                earlier.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        }
        let bill = self.bill();
        let sources = shown.with(reply.sources.into_iter().chain(self.natives));
        let tool_calls = reply.tool_calls.into_iter().chain(self.records).collect();
        let (searches, tries) = (self.searches, self.tries);
        let fallback = reply.fallback || self.fallback;
        let requests = self.requests;
        Reply { bill, sources, tool_calls, requests, searches, tries, fallback, ..reply }
    }

    pub(super) fn bill(&self) -> Bill {
        let latency_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let cost = self.cost.filter(|_| self.priced);
        Bill { usage: self.usage, cost, latency_ms }
    }

    pub(super) fn failed(&self, ask: &Ask, class: FailureClass, what: &str) -> Failure {
        let advice = match class {
            FailureClass::TimedOut => "Allow more time for an answer or fewer tool calls",
            _ => "Try again or seat another model",
        };
        let message = format!("{}: {what}. {advice}.", ask.speaker);
        Failure { class, message, tries: self.tries, bill: self.bill() }
    }

    /// A step's failure with what the steps before it cost.
    pub(super) fn charged(&mut self, failure: Failure) -> Failure {
        self.heard(&failure.bill, failure.tries, 0);
        Failure { tries: self.tries.max(1), bill: self.bill(), ..failure }
    }
}

/// A call without the accidents of how its arguments are ordered.
fn fingerprint(call: &WantedCall) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_rows_by_key(|(name, _)| *name);
                fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    format!("{} {}", call.name, sorted(&call.arguments))
}

/// Refuses a faulty call before anything is done, in words for the model.
fn objection<'t>(call: &WantedCall, tools: &'t [Arc<dyn Tool>]) -> Result<&'t dyn Tool, String> {
    let Some(tool) = tools.iter().find(|tool| tool.spec().name == call.name) else {
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.spec().name).collect();
        return Err(format!("There is no such tool. You have: {}.", names.join(", ")));
    };
    match check(&call.arguments, &tool.spec().schema) {
        Ok(()) => Ok(tool.as_ref()),
        Err(wrong) => Err(format!("The call was not made.\n{wrong}\nCorrect it and call again.")),
    }
}

/// Above the maximum: refused, or at the lowest level only advised against.
fn over_limit(level: ToolLevel, done: u32, most: u32) -> Result<String, String> {
    match level {
        _ if done >= MOST_CALLS => {
            Err(format!("Refused: {done} calls in one turn are enough. Answer now."))
        }
        _ if done < most => Ok(String::new()),
        ToolLevel::Strict | ToolLevel::Normal => Err(format!(
            "Refused: this turn allows {}, and you have made them. Answer now with what you have.",
            counted(most as usize, "call")
        )),
        ToolLevel::Relaxed => Ok(format!(
            "\nYou have now made {}; advised in one turn: {most}. Answer soon.",
            counted(done as usize + 1, "call")
        )),
    }
}
