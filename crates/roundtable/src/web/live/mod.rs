//! The live table: a debate that is not over, as its events are committed. The log is the
//! truth: a browser that comes back says which entry it saw last and gets what changed
//! since. Words on their way are shown and never numbered.

mod hub;
mod seats;
mod stand;
mod view;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use engine::background::host::DebateSnapshot;
use engine::error::EngineError;
use engine::nouns::CancellationToken;
use engine::people::caller::Caller;
use engine::run::spawn;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::WebState;
use super::fields::{FailedForm, FormFields, ShareForm};
use super::wording;
use hub::{LiveHub, LiveJoin};

/// The interval of a comment in a stream in which nothing happens, so that no proxy ends
/// it.
const BREATH: Duration = Duration::from_secs(15);

/// The hubs of all debates that are watched, by their ids.
#[derive(Clone, Default)]
pub struct LiveHubs {
    hubs: Arc<Mutex<HashMap<String, Arc<LiveHub>>>>,
}

impl LiveHubs {
    /// Joins the watchers of a debate. `id` must be complete.
    async fn join(&self, web: &WebState, id: &str, after: u64) -> Result<LiveJoin, EngineError> {
        web.host.readable(id).await?;
        if let Some(join) = self.known(id).and_then(|hub| hub.join(after)) {
            return Ok(join);
        }
        let hub = Arc::new(LiveHub::open(&web.host, id).await?);
        let hub = {
            let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
            // Another watcher may have opened one meanwhile.
            match hubs.get(id).filter(|other| !other.is_closed()) {
                Some(other) => Arc::clone(other),
                None => {
                    hubs.retain(|_, other| !other.is_closed());
                    hubs.insert(id.to_owned(), Arc::clone(&hub));
                    // It serves all watchers, whatever becomes of the first.
                    let host = web.host.for_caller(&Caller::Machine);
                    spawn(hub::follow(host, Arc::clone(&hub)));
                    hub
                }
            }
        };
        let closed = || EngineError::input("the debate came to its end; reload the page");
        hub.join(after).ok_or_else(closed)
    }

    fn known(&self, id: &str) -> Option<Arc<LiveHub>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

/// The whole live page, drawn from the log.
#[derive(Template)]
#[template(path = "live_page.html", whitespace = "preserve")]
pub struct LivePage {
    id: String,
    seq: u64,
    head: String,
    asks: String,
    seats: Vec<(String, String)>,
    stand: String,
    rounds: Vec<(String, String)>,
    controls: String,
    said: String,
    failed: Option<FailedForm>,
    /// True if the reader may steer it.
    steers: bool,
    share: String,
}

pub async fn page(
    web: &WebState,
    seen: DebateSnapshot,
    said: &str,
    failed: Option<FailedForm>,
) -> Result<LivePage, EngineError> {
    let join = web.hubs.join(web, &seen.id, 0).await?;
    let share = ShareForm::of(&web.host, &seen).await;
    let mut page = LivePage {
        steers: web.host.steerable(&seen.id).await.is_ok(),
        share,
        id: seen.id,
        seq: join.seq,
        head: String::new(),
        asks: String::new(),
        seats: Vec::new(),
        stand: String::new(),
        rounds: Vec::new(),
        controls: String::new(),
        said: said.into(),
        failed,
    };
    for (name, html) in join.parts {
        match name.as_str() {
            "live-head" => page.head = html,
            "live-asks" => page.asks = html,
            "live-stand" => page.stand = html,
            "live-controls" => page.controls = html,
            name if name.starts_with("seat-") => page.seats.push((name.into(), html)),
            name => page.rounds.push((name.into(), html)),
        }
    }
    Ok(page)
}

/// The stream of one browser.
pub async fn events(
    web: WebState,
    headers: HeaderMap,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = FormFields::parse(&query.unwrap_or_default());
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = last.unwrap_or_else(|| query.get("after")).parse().unwrap_or(0);
    match web.hubs.join(&web, &id, after).await {
        Ok(join) => stream(web, id, join),
        Err(error) => wording::refused(&headers, &error),
    }
}

fn stream(web: WebState, id: String, join: LiveJoin) -> Response {
    let first = join.frames;
    let state = (web.clone(), id, join.receiver, web.host.leaving());
    let later = futures::stream::unfold(state, |(web, id, mut receiver, leaving)| async move {
        let bytes = next(&web, &id, &mut receiver, &leaving).await?;
        Some((bytes, (web, id, receiver, leaving)))
    });
    let first = futures::stream::iter(first);
    let all = futures::StreamExt::chain(first, later);
    let body = Body::from_stream(futures::StreamExt::map(all, Ok::<Bytes, Infallible>));
    let mut response = Response::new(body);
    let rows = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in rows {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The next bytes of a stream; `None` when it is over.
async fn next(
    web: &WebState,
    id: &str,
    receiver: &mut Receiver<Bytes>,
    leaving: &CancellationToken,
) -> Option<Bytes> {
    let received = tokio::select! {
        () = leaving.cancelled() => return None,
        received = timeout(BREATH, receiver.recv()) => received,
    };
    if !web.is_still_let_in().await || web.host.readable(id).await.is_err() {
        return None;
    }
    match received {
        Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        Ok(Ok(bytes)) => Some(bytes),
        // It fell behind: everything is sent anew.
        Ok(Err(RecvError::Lagged(_))) => {
            let join = web.hubs.join(web, id, 0).await.ok()?;
            *receiver = join.receiver;
            Some(join.frames.concat().into())
        }
        Ok(Err(RecvError::Closed)) => None,
    }
}
