//! A seat held by a model of this process. Asks wait in line for the one thread
//! that computes; the time an answer may take is counted from when its turn
//! comes, because waiting for other seats is no failure. Half an
//! answer is never an answer.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use debate::model::{Ask, Bill, Failure, FailureClass, Finish, MicroUsd, Reply, Usage};
use futures::future::BoxFuture;
use inference::{LocalWriter, TokenUsage, WritingEnd, WritingOrder};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::LocalModel;
use super::compact::{self, Claims};
use crate::{CancellationToken, Speaker, SpeechDelta, Watch, cancelled};

/// More than the compact schema can hold, unless the model writes letter by
/// letter.
const MOST_TOKENS: usize = 960;

pub struct LocalSpeaker {
    model: Arc<LocalModel>,
}

/// One ask on its way to the thread that computes.
pub(super) struct Job {
    ask: Ask,
    deltas: mpsc::UnboundedSender<SpeechDelta>,
    outcome: oneshot::Sender<Result<Reply, Failure>>,
    stop: CancellationToken,
    model: String,
}

impl LocalSpeaker {
    pub fn new(model: Arc<LocalModel>) -> LocalSpeaker {
        LocalSpeaker { model }
    }

    async fn ask(
        &self,
        ask: &Ask,
        watch: &dyn Watch,
        stop: CancellationToken,
    ) -> Result<Reply, Failure> {
        let gone = || failure(ask, FailureClass::Unusable, "its thread has ended", "Start again");
        let (deltas, mut heard) = mpsc::unbounded_channel();
        let (outcome, mut ended) = oneshot::channel();
        let model = self.model.name.clone();
        let job = Job { ask: ask.clone(), deltas, outcome, stop, model };
        self.model.jobs.send(job).await.map_err(|_| gone())?;
        loop {
            tokio::select! {
                biased;
                Some(delta) = heard.recv() => watch.delta(&ask.id, delta),
                outcome = &mut ended => return outcome.unwrap_or_else(|_| Err(gone())),
            }
        }
    }
}

impl Speaker for LocalSpeaker {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            // Also stops the writing when no caller waits for it any more.
            let stop = cancel.child_token();
            let _guard = stop.clone().drop_guard();
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled(1)),
                outcome = self.ask(ask, watch, stop) => outcome,
            }
        })
    }
}

/// The life of the thread that computes: one ask after the other, until no seat
/// is left.
pub(super) fn work(mut writer: LocalWriter, mut inbox: mpsc::Receiver<Job>) {
    while let Some(job) = inbox.blocking_recv() {
        if job.stop.is_cancelled() {
            let _ = job.outcome.send(Err(cancelled(1)));
            continue;
        }
        let outcome = answer(&mut writer, &job);
        // The caller may have left; then the outcome is dropped.
        let _ = job.outcome.send(outcome);
    }
}

fn answer(writer: &mut LocalWriter, job: &Job) -> Result<Reply, Failure> {
    let ask = &job.ask;
    let started = Instant::now();
    let claims = match ask.agent {
        Some(_) => Claims::Shown(&ask.shown.claims),
        None => Claims::Any,
    };
    let schema = compact::compact(&ask.schema, claims);
    let message = format!("{}{}", ask.user, compact::instruction(&ask.schema));
    let order = WritingOrder {
        system: &ask.system,
        message: &message,
        schema: &schema,
        most_tokens: MOST_TOKENS.min(ask.max_output_tokens as usize),
        temperature: ask.temperature as f32,
        seed: seed(ask),
        deadline: started + Duration::from_secs(ask.timeout_seconds.into()),
    };
    let _ = job.deltas.send(SpeechDelta::Thinking);
    let stop = || job.stop.is_cancelled();
    let mut say = |text: &str| {
        let _ = job.deltas.send(SpeechDelta::Text(text.to_owned()));
    };
    let (end, count) = writer.write(&order, &stop, &mut say);
    let bill = bill(count, started);
    let fail =
        |class, what: &str, advice| Err(Failure { bill, ..failure(ask, class, what, advice) });
    match end {
        WritingEnd::Whole(text) => match serde_json::from_str::<Value>(&text) {
            Ok(written) => Ok(Reply {
                text: compact::expand(&ask.schema, written).to_string(),
                model: job.model.clone(),
                bill,
                finish: Finish::Complete,
                tries: 1,
                ..Reply::default()
            }),
            Err(error) => {
                fail(FailureClass::Unusable, &format!("it wrote no JSON ({error})"), "Try again")
            }
        },
        WritingEnd::CutOff => fail(
            FailureClass::CutOff,
            &format!("its answer was not complete after {} tokens", count.written),
            "Raise the output limit or seat a larger model",
        ),
        WritingEnd::Late => fail(
            FailureClass::TimedOut,
            &format!("no complete answer came within {} s", ask.timeout_seconds),
            "Allow more time or take a smaller model",
        ),
        WritingEnd::CalledOff => Err(cancelled(1)),
        WritingEnd::TooLong { window } => fail(
            FailureClass::TooLong,
            &format!("the prompt of {} tokens does not fit its window of {window}", count.prompt),
            "Shorten the topic and the attachments, or seat a model with a larger window",
        ),
        WritingEnd::Broken(problem) => fail(FailureClass::Unusable, &problem, "Try again"),
    }
}

fn failure(ask: &Ask, class: FailureClass, what: &str, advice: &str) -> Failure {
    let message = format!("{} (a model in this process): {what}. {advice}.", ask.speaker);
    Failure { class, message, tries: 1, bill: Bill::default() }
}

fn bill(count: TokenUsage, started: Instant) -> Bill {
    let tokens = |number: usize| Some(number as u64);
    Bill {
        usage: Usage {
            input: tokens(count.prompt),
            cached: tokens(count.remembered),
            output: tokens(count.written),
            reasoning: None,
            written: None,
        },
        cost: Some(MicroUsd::ZERO),
        latency_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// The same ask draws the same answer; two seats with the same prompt do not.
fn seed(ask: &Ask) -> u64 {
    let mut hasher = DefaultHasher::new();
    ask.id.hash(&mut hasher);
    ask.speaker.hash(&mut hasher);
    ask.user.hash(&mut hasher);
    hasher.finish()
}
