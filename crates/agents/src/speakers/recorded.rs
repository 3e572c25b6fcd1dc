//! Requests and answers, kept in a file and replayed. Any speaker can be recorded,
//! and a recording can replace every one of them. A recording answers only the
//! requests it contains; any other request is a failure that says what differs. No
//! key, secret or fence mark is ever written.

mod difference;
mod file;
mod player;
mod recorder;
mod request;
mod secrets;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use debate::model::{Ask, AskHistory, Failure, FailureClass, Reply};
use futures::future::BoxFuture;
use tokio::time::Instant;

pub use difference::Difference;
pub use file::{TapeError, VERSION};
pub(crate) use player::Player;
pub use player::Recording;
pub use recorder::Recorder;
pub use secrets::Secrets;

use crate::{CancellationToken, FetchEnd, Speaker, Watch};

/// The provider name of agents that speak from a recording, so that a debate
/// that was replayed is never taken up again with live models by mistake.
pub const PROVIDER: &str = "recorded";

/// The recording of a table: made, played, or neither.
#[derive(Clone, Default)]
pub enum Tape {
    #[default]
    Off,
    /// Everything said goes to the recorder, under this debate's label.
    Recording { by: Arc<Recorder>, label: String },
    /// Everything said comes from the recording of this debate.
    Replaying { from: Arc<Recording>, label: String, pace: ReplaySpeed },
}

/// The speed of a replayed answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReplaySpeed {
    AtOnce,
    /// As recorded, so many times as fast; 1 is the recorded time.
    Times(f64),
}

impl ReplaySpeed {
    /// `max` for at once, else a factor above zero. `None` where it is neither.
    pub fn parse(text: &str) -> Option<ReplaySpeed> {
        match text.trim() {
            "max" => Some(ReplaySpeed::AtOnce),
            other => {
                let times = other.trim_end_matches('x').parse::<f64>().ok()?;
                (times.is_finite() && times > 0.0).then_some(ReplaySpeed::Times(times))
            }
        }
    }

    fn of(self, took: Duration) -> Duration {
        match self {
            ReplaySpeed::AtOnce => Duration::ZERO,
            ReplaySpeed::Times(times) => took.div_f64(times.max(1e-6)),
        }
    }
}

/// A speaker that is listened to.
pub(crate) struct ListeningSpeaker {
    pub inner: Arc<dyn Speaker>,
    pub by: Arc<Recorder>,
    pub label: String,
}

impl ListeningSpeaker {
    /// Records what was said. A cancelled call says nothing about the agent.
    fn heard(&self, ask: &Ask, said: &Result<Reply, Failure>, started: Instant) {
        let is_cancelled = said.as_ref().is_err_and(|it| it.class == FailureClass::Cancelled);
        if !is_cancelled {
            self.by.take_down(&self.label, ask, said, started.elapsed());
        }
    }
}

impl Speaker for ListeningSpeaker {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let started = Instant::now();
            let said = self.inner.speak(ask, watch, cancel).await;
            self.heard(ask, &said, started);
            said
        })
    }

    fn resume<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a AskHistory,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, FetchEnd> {
        Box::pin(async move {
            let started = Instant::now();
            let fetched = self.inner.resume(ask, past, watch, cancel).await;
            match &fetched {
                FetchEnd::Answer(reply) => self.heard(ask, &Ok(Reply::clone(reply)), started),
                FetchEnd::Failed(failure) => self.heard(ask, &Err(failure.clone()), started),
                FetchEnd::Gone => {}
            }
            fetched
        })
    }
}
