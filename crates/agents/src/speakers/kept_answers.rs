//! Answers that a provider keeps: fetched by their id instead of asked for, and
//! paid for, again. An answer that is not there any more is gone; nothing here
//! ever asks anew.

use std::time::Duration;

use debate::model::{FailureClass, RemoteAnswer};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::http::Http;
use crate::wire::dialect::Target;
use crate::wire::outcome::WireOutcome;
use crate::wire::try_error::{RetryChance, TryError};

/// The time between two looks at an answer that is still being written.
const LOOK: Duration = Duration::from_millis(500);

/// The name under which a target keeps the answer with this id.
pub(super) fn name(target: &Target, id: &str) -> RemoteAnswer {
    RemoteAnswer {
        provider: target.provider.name.into(),
        model: target.model.clone(),
        id: id.into(),
    }
}

/// True where the answer was given by this target's model.
pub(super) fn is_of(target: &Target, kept: &RemoteAnswer) -> bool {
    target.provider.name == kept.provider && target.model == kept.model
}

/// Fetches a kept answer once it is finished; `None` where the provider has none.
pub(super) async fn collected(
    http: &Http,
    target: &Target,
    kept: &RemoteAnswer,
    deadline: Instant,
) -> Option<Result<WireOutcome, TryError>> {
    let row = target.provider.dialect.kept?;
    let path = (row.path)(&percent(&kept.id));
    loop {
        let body = match http.fetch(target, &path).await {
            Ok(body) => body?,
            Err(trouble) => return Some(Err(trouble)),
        };
        let pending = serde_json::from_slice::<Value>(&body);
        if !pending.is_ok_and(|answer| (row.is_pending)(&answer)) {
            let mut decoder = (target.provider.dialect.decoder)();
            return Some(decoder.push(&body).and_then(|_| decoder.finish()));
        }
        if Instant::now() + LOOK >= deadline {
            let what = "the answer it keeps is still not finished";
            let trouble = TryError::new(FailureClass::TimedOut, what);
            return Some(Err(trouble.again(RetryChance::Never)));
        }
        sleep(LOOK).await;
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
