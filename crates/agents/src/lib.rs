//! The room that speaks to models. It turns one [`Ask`] into one [`Reply`] or
//! one [`Failure`], and lets whoever watches see the words as they arrive.
//!
//! It knows providers, dialects and scripts; it knows no debate, keeps no
//! record and reads no environment: keys and addresses come in as data. It
//! never writes a word in an agent's name that the agent did not send.

pub mod agent_spec;
#[cfg(test)]
mod agent_spec_tests;
pub mod breaker;
pub mod command;
pub mod dialects;
pub mod discovery;
pub mod embed;
mod fallback;
pub mod fetch;
mod fetching;
pub mod http;
mod http_post;
#[cfg(feature = "local")]
pub mod local;
pub mod models;
mod panel;
pub mod prices;
pub mod providers;
pub mod read_page;
pub mod recorded;
mod remote;
pub mod retry;
#[cfg(test)]
mod retry_tests;
pub mod scripted;
pub mod search_engines;
pub mod simulated;
pub mod tool_loop;
pub mod tooling;
mod toolless;
pub mod tools;
pub mod trouble;

use debate::model::{
    Ask, AskHistory, AskId, Bill, ConversationStep, Failure, FailureClass, RemoteAnswer, Reply,
};
use futures::future::BoxFuture;

pub use dialects::{Effort, Keep, Search};
pub use fallback::WithFallback;
pub use http::{Http, HttpSettings, Timeouts};
pub use panel::{
    Machine, Outside, Panel, PanelError, SCRIPT_PROVIDER, converser, measure, searches_natively,
    takes_tools,
};
pub use remote::{MOST_SEARCHES, Remote};
pub use retry::RetryPolicy;
pub use tokio_util::sync::CancellationToken;
pub use tooling::{
    Calls, Converse, Exchange, Prompt, Said, ToolOutcome, ToolResult, ToolSpec, WantedCall,
};

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

    /// Fetches an answer that was asked for before and that the provider kept.
    /// Whoever can keep none has none.
    fn fetch<'a>(
        &'a self,
        _: &'a Ask,
        _: &'a RemoteAnswer,
        _: CancellationToken,
    ) -> BoxFuture<'a, Fetched> {
        Box::pin(async { Fetched::Gone })
    }

    /// Goes on with an ask of which something is known from before. Whoever
    /// holds no conversations asks anew where nothing can be fetched.
    fn resume<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a AskHistory,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Fetched> {
        Box::pin(async move {
            match &past.kept {
                Some(kept) => self.fetch(ask, kept, cancel).await,
                None => self.speak(ask, watch, cancel).await.into(),
            }
        })
    }
}

/// What became of an answer that a provider kept, or of a conversation that was
/// gone on with.
#[derive(Debug, Clone, PartialEq)]
pub enum Fetched {
    Answer(Box<Reply>),
    /// It is there, and it is no answer.
    Failed(Failure),
    /// It is not there any more: only asking again can help.
    Gone,
}

impl From<Result<Reply, Failure>> for Fetched {
    fn from(outcome: Result<Reply, Failure>) -> Fetched {
        match outcome {
            Ok(reply) => Fetched::Answer(Box::new(reply)),
            Err(failure) => Fetched::Failed(failure),
        }
    }
}

/// Whether a conversation may take its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Further {
    GoOn,
    /// It rests here and ends as [`cancelled`]; what it came to is written down.
    Rest,
}

/// What can be seen while an answer is on its way. Shown, never stored, and
/// never put before another agent: an unfinished answer is not an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The model thinks without showing it.
    Thinking,
    /// The model searches; for what, where it says so.
    Searching(String),
    /// The next words of the answer.
    Text(String),
    /// A try failed and its words are void; the next one starts after a wait.
    Waiting { why: String, seconds: f64 },
}

/// Whoever wants to see deltas. Called from the task that reads the answer, so
/// it must not block.
pub trait Watch: Send + Sync {
    fn delta(&self, ask: &AskId, delta: Delta);

    /// The provider keeps the answer that is on its way under this name.
    fn kept(&self, _: &AskId, _: RemoteAnswer) {}

    /// A conversation has come this far. Nothing further is asked of anybody
    /// before this returns.
    fn stepped<'a>(&'a self, _: &'a AskId, _: ConversationStep) -> BoxFuture<'a, Further> {
        Box::pin(async { Further::GoOn })
    }
}

impl<F: Fn(&AskId, Delta) + Send + Sync> Watch for F {
    fn delta(&self, ask: &AskId, delta: Delta) {
        self(ask, delta);
    }
}

/// For calls that nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn delta(&self, _: &AskId, _: Delta) {}
}

const CALLED_OFF: &str = "The call was called off before an answer arrived; resume to ask again.";

/// Whether a failure is no fault of the agent's: see [`cancelled`].
pub fn was_called_off(failure: &Failure) -> bool {
    failure.message == CALLED_OFF
}

/// The failure of a call that was called off. Whoever cancelled knows that it
/// did and should not record it as the agent's fault.
pub fn cancelled(tries: u32) -> Failure {
    Failure {
        class: FailureClass::Blocked,
        message: CALLED_OFF.into(),
        tries,
        bill: Bill::default(),
    }
}
