//! Plain JSON requests that are no conversation, such as embeddings: one try,
//! bounded in time and size. The bytes are sent by [`crate::http`]'s client.
#![allow(clippy::disallowed_methods, reason = "this is part of the door")]

use debate::model::{Bill, Failure, FailureClass};
use futures::future::BoxFuture;
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::time::timeout;

use crate::embed::{Post, Posting};
use crate::http::Http;

/// No list of vectors is longer than this.
const LARGEST: usize = 32 * 1024 * 1024;

impl Post for Http {
    fn post<'a>(&'a self, posting: Posting<'a>) -> BoxFuture<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let limit = posting.timeout;
            let late = |_| failure(FailureClass::TimedOut, "it took too long");
            timeout(limit, send(self, posting)).await.map_err(late)?
        })
    }
}

async fn send(http: &Http, posting: Posting<'_>) -> Result<Value, Failure> {
    let mut request = http.client().post(posting.url).json(&posting.body);
    if let Some(key) = posting.key {
        request = request.bearer_auth(key.expose_secret());
    }
    let unreachable = |_| failure(FailureClass::Unreachable, "no connection could be made");
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    if !status.is_success() {
        let class = match status.as_u16() {
            401 | 403 => FailureClass::Unauthorised,
            402 => FailureClass::OutOfCredit,
            429 => FailureClass::RateLimited,
            500.. => FailureClass::Overloaded,
            _ => FailureClass::BadRequest,
        };
        return Err(failure(class, &format!("it answered {status}")));
    }
    let broken = |_| failure(FailureClass::Unreachable, "the connection broke");
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(broken)? {
        body.extend_from_slice(&bytes);
        if body.len() > LARGEST {
            return Err(failure(FailureClass::Unusable, "it answered with far too much"));
        }
    }
    serde_json::from_slice(&body)
        .map_err(|_| failure(FailureClass::Unusable, "it answered with no JSON"))
}

fn failure(class: FailureClass, message: &str) -> Failure {
    Failure { class, message: message.into(), tries: 1, bill: Bill::default() }
}
