//! Answers that a provider keeps: fetched by their id instead of asked for, and
//! paid for, again. What is not there any more is said to be gone; nothing here
//! ever asks anew.

use std::time::Duration;

use debate::model::{Failure, FailureClass, RemoteAnswer};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::dialects::Outcome;
use crate::remote::{Course, Remote, offered};
use crate::retry::Next;
use crate::tooling::{Prompt, Said};
use crate::trouble::{Again, Trouble};
use crate::{CancellationToken, cancelled};

/// How often an answer that is still being written is looked at.
const LOOK: Duration = Duration::from_millis(500);

impl Remote {
    /// Where an answer of this model lies.
    pub(crate) fn kept(&self, id: &str) -> RemoteAnswer {
        RemoteAnswer {
            provider: self.target.provider.name.into(),
            model: self.target.model.clone(),
            id: id.into(),
        }
    }

    pub(crate) fn keeps(&self, kept: &RemoteAnswer) -> bool {
        self.target.provider.name == kept.provider && self.target.model == kept.model
    }

    /// The end of a step that this model began; `None` where it is gone.
    pub(crate) async fn fetch_kept(
        &self,
        prompt: Prompt<'_>,
        kept: &RemoteAnswer,
        cancel: &CancellationToken,
    ) -> Option<Result<Said, Failure>> {
        if !self.keeps(kept) {
            return None;
        }
        let mut course = Course::new(prompt.ask);
        loop {
            course.requests += 1;
            let collected = tokio::select! {
                biased;
                () = cancel.cancelled() => return Some(Err(cancelled(course.requests))),
                collected = self.collected(kept, course.deadline) => collected?,
            };
            let trouble = match collected {
                Ok(Outcome::Answer(reply)) => {
                    return Some(Ok(Said::Answer(self.answered(*reply, course))));
                }
                Ok(Outcome::Calls(calls)) if offered(&calls, prompt).is_ok() => {
                    return Some(Ok(Said::Calls(self.called(calls, course))));
                }
                // No answer to what is asked now: ask again.
                Ok(Outcome::Calls(_) | Outcome::Paused(_)) => return None,
                Err(trouble) => trouble,
            };
            course.failed += 1;
            match (self.http.retry.next(&trouble, course.so_far()), trouble.class) {
                (Next::TryAfter(wait), FailureClass::Unreachable | FailureClass::RateLimited) => {
                    sleep(wait).await;
                }
                // It failed there, and may not if it is asked again.
                (Next::TryAfter(_), _) => return None,
                _ => return Some(Err(self.failed(trouble, &course))),
            }
        }
    }

    /// The answer that lies there, once it is finished; `None` where there is none.
    pub(crate) async fn collected(
        &self,
        kept: &RemoteAnswer,
        deadline: Instant,
    ) -> Option<Result<Outcome, Trouble>> {
        let row = self.target.provider.dialect.kept?;
        let path = (row.path)(&percent(&kept.id));
        loop {
            let body = match self.http.fetch(&self.target, &path).await {
                Ok(body) => body?,
                Err(trouble) => return Some(Err(trouble)),
            };
            let pending = serde_json::from_slice::<Value>(&body);
            if !pending.is_ok_and(|answer| (row.is_pending)(&answer)) {
                let mut decoder = (self.target.provider.dialect.decoder)();
                return Some(decoder.push(&body).and_then(|_| decoder.finish()));
            }
            if Instant::now() + LOOK >= deadline {
                let what = "the answer it keeps is still not finished";
                let trouble = Trouble::new(FailureClass::TimedOut, what);
                return Some(Err(trouble.again(Again::Never)));
            }
            sleep(LOOK).await;
        }
    }
}

/// An id comes from a server: it must not lead to another path.
fn percent(id: &str) -> String {
    let mut safe = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => safe.push(char::from(byte)),
            other => safe.push_str(&format!("%{other:02X}")),
        }
    }
    safe
}
