//! The seat of the caller's own model. Its speaker cannot reach the model: it
//! leaves the ask for the connected client to pick up, and waits for the answer. If
//! none comes in time, the seat misses its turn like any other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::{CancellationToken, Speaker, Watch};
use async_recursion::async_recursion as boxed;
use debate::model::{Ask, Failure, FailureClass, Reply, ReplyForm};
use futures::future::BoxFuture;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

/// Cheap to clone; all clones are one seat.
#[derive(Clone, Default)]
pub struct ClientSeat {
    inner: Arc<ClientSeatState>,
}

#[derive(Default)]
struct ClientSeatState {
    waiting: Mutex<Vec<WaitingAsk>>,
    signal: Notify,
}

struct WaitingAsk {
    wanted: ClientAsk,
    answer: Option<oneshot::Sender<Result<Reply, Failure>>>,
    /// True once a client has gone to ask its model.
    taken: bool,
}

/// A request to the caller's model.
#[derive(Debug, Clone)]
pub struct ClientAsk {
    /// The key of the ask; the answer is delivered under it.
    pub key: String,
    pub system: String,
    pub user: String,
    pub max_output_tokens: u32,
    pub temperature: f64,
}

impl ClientSeat {
    pub fn speaker(&self) -> Arc<dyn Speaker> {
        Arc::new(self.clone())
    }

    /// Waits until there is an ask that no client has taken. It takes nothing, so
    /// giving up the wait loses nothing.
    #[boxed]
    pub async fn wants(&self) {
        loop {
            let signal = self.inner.signal.notified();
            if self.lock().iter().any(|one| !one.taken) {
                return;
            }
            signal.await;
        }
    }

    /// Takes all asks that no client has taken yet.
    pub fn take_now(&self) -> Vec<ClientAsk> {
        let mut waiting = self.lock();
        let free = waiting.iter_mut().filter(|one| !one.taken);
        free.map(|one| {
            one.taken = true;
            one.wanted.clone()
        })
        .collect()
    }

    /// Returns all open asks, taken or not.
    pub fn wanted(&self) -> Vec<ClientAsk> {
        self.lock().iter().map(|one| one.wanted.clone()).collect()
    }

    /// Lets asks be taken again that were taken and not answered.
    pub fn give_back(&self) {
        self.lock().iter_mut().for_each(|one| one.taken = false);
        self.inner.signal.notify_waiters();
    }

    /// Delivers an answer; returns `false` if it is no longer awaited.
    pub fn bring(&self, key: &str, answer: Result<Reply, Failure>) -> bool {
        let mut waiting = self.lock();
        let asked = waiting.iter_mut().find(|one| one.wanted.key == key);
        let Some(sender) = asked.and_then(|one| one.answer.take()) else { return false };
        sender.send(answer).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WaitingAsk>> {
        self.inner.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Speaker for ClientSeat {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            let key = ask.id.to_string();
            let wanted = ClientAsk {
                key: key.clone(),
                system: with_schema(ask),
                user: ask.user.to_string(),
                max_output_tokens: ask.max_output_tokens,
                temperature: ask.temperature,
            };
            self.lock().push(WaitingAsk { wanted, answer: Some(sender), taken: false });
            self.inner.signal.notify_waiters();
            let patience = Duration::from_secs(u64::from(ask.timeout_seconds));
            let answer = tokio::select! {
                () = cancel.cancelled() => Err(agents::cancelled(1)),
                answer = timeout(patience, receiver) => match answer {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) | Err(_) => Err(no_answer_came(ask)),
                },
            };
            self.lock().retain(|one| one.wanted.key != key);
            answer
        })
    }
}

/// Clients have no field for a schema, so the prompt describes it in words.
fn with_schema(ask: &Ask) -> String {
    if ask.form != ReplyForm::Json {
        return ask.system.to_string();
    }
    format!(
        "{}\n\nAnswer with one JSON object that fits this schema, and nothing else:\n{}",
        ask.system, ask.schema
    )
}

fn no_answer_came(ask: &Ask) -> Failure {
    Failure {
        class: FailureClass::TimedOut,
        message: format!(
            "The client did not bring its model's answer within {} s. Call get_consensus with \
             waitSeconds while the debate runs, so that it can be asked.",
            ask.timeout_seconds
        ),
        tries: 1,
        bill: debate::model::Bill::default(),
    }
}
