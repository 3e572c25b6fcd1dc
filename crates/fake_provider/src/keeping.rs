//! Stored answers. An answer asked for in the background is written even if the
//! client leaves, and can be fetched by its id. A model called `breaks:…` loses
//! its connection right after it has sent the id.

use std::io::Result;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::shapes::{Wire, WireShape, model};
use crate::wire::{self, AfterAnswer, FakeRequest, WriteResult};
use crate::{ServerShared, answers};

pub(crate) struct KeptAnswer {
    ready: Instant,
    body: String,
}

/// Returns true if a request wants its answer stored.
pub(crate) fn wanted(request: &FakeRequest) -> bool {
    let wire = Wire::of(&request.path);
    matches!(wire, Wire::Responses | Wire::Agent) && request.body["background"] == true
}

/// Streams an answer and stores it. The id comes first, before any thinking.
pub(crate) async fn stream(
    socket: &mut TcpStream,
    request: &FakeRequest,
    number: usize,
    shared: &ServerShared,
) -> Result<WriteResult> {
    let options = &shared.options;
    let shape: &WireShape = Wire::of(&request.path).shape();
    let mut answer = answers::answer(request, Wire::of(&request.path), options);
    answer.id = format!("resp_{number}");
    let events = shape.events(&answer);
    let pieces = u32::try_from(events.len()).unwrap_or(u32::MAX);
    let kept = KeptAnswer {
        ready: Instant::now() + options.latency + options.pace * pieces,
        body: (shape.whole)(&answer),
    };
    shared.state().kept.insert(answer.id.clone(), kept);
    wire::open_stream(socket, "text/event-stream", AfterAnswer::KeepAlive).await?;
    let mut events = events.into_iter();
    if let Some(created) = events.next() {
        wire::piece(socket, created.as_bytes()).await?;
    }
    if model(request).starts_with("breaks:") {
        // Time enough for the client to read the id.
        sleep(Duration::from_millis(50)).await;
        return wire::reset(socket);
    }
    sleep(options.latency).await;
    for event in events {
        wire::piece(socket, event.as_bytes()).await?;
        wire::pause(options.pace).await;
    }
    wire::end_stream(socket).await
}

/// Returns the stored answer at the path of a request; `None` if the path is not
/// an answer's.
pub(crate) fn fetched(request: &FakeRequest, shared: &ServerShared) -> Option<(u16, String)> {
    let path = request.path.split('?').next().unwrap_or_default();
    let id = path.rsplit_once("/responses/").or_else(|| path.rsplit_once("/agent/"))?.1;
    let state = shared.state();
    let Some(kept) = state.kept.get(id) else {
        let error = json!({"message": format!("Response with id '{id}' not found."), "type": "invalid_request_error"});
        return Some((404, json!({ "error": error }).to_string()));
    };
    if Instant::now() >= kept.ready {
        return Some((200, kept.body.clone()));
    }
    let mut unfinished: Value = serde_json::from_str(&kept.body).unwrap_or_default();
    unfinished["status"] = json!("in_progress");
    unfinished["output"] = json!([]);
    Some((200, unfinished.to_string()))
}
