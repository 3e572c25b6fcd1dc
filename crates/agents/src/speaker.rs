//! The promise of every speaker: one [`Ask`] becomes one [`Reply`] or one
//! [`Failure`], and a [`Watch`] sees the words as they arrive.

use debate::model::{
    Ask, AskHistory, AskId, Bill, ConversationStep, Failure, FailureClass, MicroUsd, RemoteAnswer,
    Reply,
};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// Anything that can answer an ask: a provider over HTTP, a script.
pub trait Speaker: Send + Sync {
    /// Answers once, retries included. Ends promptly when `cancel` fires, with
    /// the failure made by [`cancelled`].
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>>;

    /// Fetches an answer that was asked for before and that the provider kept. A
    /// speaker whose provider keeps none has none.
    fn fetch<'a>(
        &'a self,
        _: &'a Ask,
        _: &'a RemoteAnswer,
        _: CancellationToken,
    ) -> BoxFuture<'a, FetchEnd> {
        Box::pin(async { FetchEnd::Gone })
    }

    /// Resumes an ask of which something is known from before. A speaker that
    /// holds no conversations asks anew where nothing can be fetched.
    fn resume<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a AskHistory,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, FetchEnd> {
        Box::pin(async move {
            match &past.kept {
                Some(kept) => self.fetch(ask, kept, cancel).await,
                None => self.speak(ask, watch, cancel).await.into(),
            }
        })
    }
}

/// The result of fetching a kept answer or resuming a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum FetchEnd {
    Answer(Box<Reply>),
    /// It is there, and it is no answer.
    Failed(Failure),
    /// It is not there any more: only asking again can help.
    Gone,
}

impl From<Result<Reply, Failure>> for FetchEnd {
    fn from(outcome: Result<Reply, Failure>) -> FetchEnd {
        match outcome {
            Ok(reply) => FetchEnd::Answer(Box::new(reply)),
            Err(failure) => FetchEnd::Failed(failure),
        }
    }
}

/// The watcher's decision on a call's next step or request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepPermit {
    GoOn,
    /// It rests here and ends as [`cancelled`]; what it came to is written down.
    Rest,
}

/// The cost of one request of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestCost {
    Known(MicroUsd),
    /// It may have been billed, at most what was announced for it.
    Unknown,
}

/// A glimpse of an answer on its way. It is shown, never stored, and never put
/// before another agent: an unfinished answer is not an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechDelta {
    /// The model thinks without showing it.
    Thinking,
    /// The model searches; for what, where it says so.
    Searching(String),
    /// The next words of the answer.
    Text(String),
    /// A try failed and its words are void; the next one starts after a wait.
    Waiting { why: String, seconds: f64 },
}

/// A watcher of deltas. It is called from the task that reads the answer, so it
/// must not block.
pub trait Watch: Send + Sync {
    fn delta(&self, ask: &AskId, delta: SpeechDelta);

    /// The provider keeps the answer that is on its way under this name.
    fn kept(&self, _: &AskId, _: RemoteAnswer) {}

    /// A conversation has come this far. Nothing further is asked
    /// before this returns.
    fn stepped<'a>(&'a self, _: &'a AskId, _: ConversationStep) -> BoxFuture<'a, StepPermit> {
        Box::pin(async { StepPermit::GoOn })
    }

    /// A request of this call is about to be sent and can cost this much; `None`
    /// where its price is not known. Nothing is sent before this returns, and
    /// nothing at all if the call is to rest.
    fn requesting<'a>(&'a self, _: &'a AskId, _: Option<MicroUsd>) -> BoxFuture<'a, StepPermit> {
        Box::pin(async { StepPermit::GoOn })
    }

    /// The request that was announced last has ended.
    fn requested(&self, _: &AskId, _: RequestCost) {}
}

impl<F: Fn(&AskId, SpeechDelta) + Send + Sync> Watch for F {
    fn delta(&self, ask: &AskId, delta: SpeechDelta) {
        self(ask, delta);
    }
}

/// The watcher of calls that are not watched.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn delta(&self, _: &AskId, _: SpeechDelta) {}
}

/// The failure of a cancelled call. The caller that cancelled it should not record
/// it as the agent's fault.
pub fn cancelled(tries: u32) -> Failure {
    Failure {
        class: FailureClass::Cancelled,
        message: "The call was cancelled before an answer arrived; resume to ask again.".into(),
        tries,
        bill: Bill::default(),
    }
}
