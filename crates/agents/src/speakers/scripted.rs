//! Agents that say what a file says: for tests, for trying a mode, and for a
//! first look with no model at hand. A script is played, never added to: what
//! it does not hold is a failure that says so, not an invented answer.

pub mod example;
mod script;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use debate::model::{Agent, Ask, AskId, Bill, Failure, FailureClass, MicroUsd, Reply, Task, Usage};
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::{Instant, sleep};

pub use script::{AgentScript, CueFailure, ScriptCue, ScriptError, ScriptPart, SeenState, Sign};

use crate::{CancellationToken, Speaker, SpeechDelta, Watch, cancelled};

/// Under such a label and a number the clerk is shown an answer.
const LABEL: &str = "Participant ";

/// The pace at which a script is played: how many times as long its delays take. It can be
/// changed while the script is played; clones share it.
#[derive(Debug, Clone)]
pub struct ScriptPace {
    times: Arc<AtomicU32>,
}

impl Default for ScriptPace {
    fn default() -> ScriptPace {
        ScriptPace { times: Arc::new(AtomicU32::new(1)) }
    }
}

/// A long delay is waited for in steps, so that a change of pace is noticed.
const PACE_STEP_MS: u64 = 20;

impl ScriptPace {
    /// Sets how many times as long delays take; 0 does without them.
    pub fn set(&self, times: u32) {
        self.times.store(times, Ordering::Relaxed);
    }

    async fn rest(&self, ms: u64) {
        let mut left = ms;
        while left > 0 {
            let times = u64::from(self.times.load(Ordering::Relaxed));
            let step = if times > 1 { left.min(PACE_STEP_MS) } else { left };
            sleep(Duration::from_millis(step * times)).await;
            left -= step;
        }
    }
}

/// One agent, or the clerk, of a script.
pub struct ScriptedSpeaker {
    script: Arc<AgentScript>,
    part: PartOf,
    /// The model's name as replies report it.
    model: String,
    /// The failures of each ask so far, for cues that fail a few times.
    failed: Mutex<HashMap<AskId, u32>>,
    pace: ScriptPace,
}

enum PartOf {
    Agent(usize),
    Clerk,
}

impl ScriptedSpeaker {
    /// The speaker for an agent that the script has, by its name or its model.
    pub fn seat(script: &Arc<AgentScript>, agent: &Agent) -> Option<ScriptedSpeaker> {
        let part = script.position(&agent.name).or_else(|| script.position(&agent.model));
        Some(ScriptedSpeaker::new(script, PartOf::Agent(part?), agent.model.clone()))
    }

    pub fn clerk(script: &Arc<AgentScript>) -> ScriptedSpeaker {
        ScriptedSpeaker::new(script, PartOf::Clerk, "script".into())
    }

    fn new(script: &Arc<AgentScript>, part: PartOf, model: String) -> ScriptedSpeaker {
        let (failed, pace) = (Mutex::default(), ScriptPace::default());
        ScriptedSpeaker { script: Arc::clone(script), part, model, failed, pace }
    }

    /// The same speaker at another pace.
    #[must_use]
    pub fn paced(self, pace: &ScriptPace) -> ScriptedSpeaker {
        ScriptedSpeaker { pace: pace.clone(), ..self }
    }

    fn part(&self) -> Option<&ScriptPart> {
        match self.part {
            PartOf::Agent(index) => self.script.agents.get(index),
            PartOf::Clerk => Some(&self.script.clerk),
        }
    }

    async fn play(&self, ask: &Ask, watch: &dyn Watch) -> Result<Reply, Failure> {
        let started = Instant::now();
        let Some((part, cue)) = self.part().and_then(|part| Some((part, part.cue(ask.id)?))) else {
            return Err(self.nothing_for(ask));
        };
        self.pace.rest(cue.delay_ms).await;
        for sign in &cue.signs {
            watch.delta(&ask.id, sign.show.delta());
            self.pace.rest(sign.for_ms).await;
        }
        if let Some(failure) = self.due_failure(ask.id, cue) {
            return Err(Failure {
                class: failure.class,
                message: failure.message.clone(),
                tries: cue.tries,
                bill: bill(cue, started),
            });
        }
        let text = match self.part {
            PartOf::Clerk => self.under_labels(part, cue, ask),
            PartOf::Agent(_) => spoken(part, cue, &ask.schema),
        };
        for chunk in chunks(&text, cue.chunks) {
            watch.delta(&ask.id, SpeechDelta::Text(chunk.to_owned()));
            self.pace.rest(cue.chunk_delay_ms).await;
        }
        Ok(Reply {
            text,
            model: self.model.clone(),
            bill: bill(cue, started),
            finish: cue.finish,
            tries: cue.tries,
            requests: cue.requests.clone(),
            ..Reply::default()
        })
    }

    /// The words of the clerk. A script names the agents; the clerk knows them only by
    /// the labels of their answers.
    fn under_labels(&self, part: &ScriptPart, cue: &ScriptCue, ask: &Ask) -> String {
        let text = spoken(part, cue, &ask.schema);
        if cue.answer.is_none() || ask.id.task != Task::Consensus {
            return text;
        }
        let labels = self.script.agents.iter().filter_map(|agent| {
            let label = label_above(&ask.user, agent.first_point(ask.id.round)?)?;
            Some((Value::from(agent.name.as_str()).to_string(), Value::from(label).to_string()))
        });
        labels.fold(text, |text, (name, label)| text.replace(&name, &label))
    }

    /// The cue's failure, unless it has already failed as often as it should.
    fn due_failure<'a>(&self, ask: AskId, cue: &'a ScriptCue) -> Option<&'a CueFailure> {
        let failure = cue.fail.as_ref()?;
        let Some(times) = failure.times else { return Some(failure) };
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = failed.entry(ask).or_default();
        if *so_far >= times {
            return None;
        }
        *so_far += 1;
        Some(failure)
    }

    fn nothing_for(&self, ask: &Ask) -> Failure {
        Failure {
            class: FailureClass::Unusable,
            message: format!(
                "The script holds nothing for {} in round {} ({}). Add a turn for it, or a turn \
                 without a round as its default.",
                ask.speaker,
                ask.id.round,
                ask.id.task.word()
            ),
            tries: 1,
            bill: paid(None, Usage::default(), 0),
        }
    }
}

impl Speaker for ScriptedSpeaker {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let limit = Duration::from_secs(u64::from(ask.timeout_seconds));
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled(1)),
                () = sleep(limit) => Err(Failure {
                    class: FailureClass::TimedOut,
                    message: format!(
                        "{} (scripted) gave no answer within {} s. Allow more time or shorten the \
                         script's delay.",
                        ask.speaker, ask.timeout_seconds
                    ),
                    tries: 1,
                    bill: paid(None, Usage::default(), 0),
                }),
                outcome = self.play(ask, watch) => outcome,
            }
        })
    }
}

fn bill(cue: &ScriptCue, started: Instant) -> Bill {
    let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    paid(cue.cost, cue.usage, latency_ms)
}

/// Reading a script out costs nothing, unless the script says so.
fn paid(cost: Option<MicroUsd>, usage: Usage, latency_ms: u64) -> Bill {
    Bill { usage, cost: Some(cost.unwrap_or_default()), latency_ms }
}

/// The words of a cue: raw text as it stands, a table as JSON in the shape the
/// ask wants.
fn spoken(part: &ScriptPart, cue: &ScriptCue, schema: &Value) -> String {
    if let Some(text) = &cue.text {
        return text.clone();
    }
    let mut answer = cue.answer.clone().unwrap_or_default();
    if let Some(wanted) = schema.get("properties").and_then(Value::as_object) {
        if let (Some(stance), true) = (part.stance, wanted.contains_key("stance")) {
            answer.entry("stance").or_insert_with(|| stance.word().into());
        }
        // A server with structured output cannot send what the schema forbids.
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            answer.retain(|field, _| wanted.contains_key(field));
        }
    }
    Value::Object(answer).to_string()
}

/// The label of the answer that holds a text: `Participant 2`.
fn label_above(material: &str, text: &str) -> Option<String> {
    let before = material.get(..material.find(text)?)?;
    let label = before.get(before.rfind(LABEL)?..)?;
    let digits: String = label.chars().skip(LABEL.len()).take_while(char::is_ascii_digit).collect();
    Some(format!("{LABEL}{digits}"))
}

/// The text in about `count` pieces of whole characters.
fn chunks(text: &str, count: usize) -> Vec<&str> {
    let size = text.len().div_ceil(count.max(1)).max(1);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let cut = (size.min(rest.len())..=rest.len()).find(|at| rest.is_char_boundary(*at));
        let (piece, after) = rest.split_at(cut.unwrap_or(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
