//! Answers as they come: who answered what while the debate runs, as reasoning, and then
//! the answer in parts that add up to the whole.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::response::sse::{Event as SentEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use engine::background::host::{DebatePhase, Host};
use engine::run::spawn;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::answer::{self, TableAnswer};
use super::refused::ApiRefusal;
use super::request::{AskedTable, WireShape};
use super::{chat, responses};

/// A sign of life, for proxies that end silent connections.
const ALIVE: Duration = Duration::from_secs(10);

/// Streams the debate; it goes on when the caller goes away. `delivered` is called when the
/// whole answer was taken.
pub async fn stream(
    host: &Host,
    asked: AskedTable,
    id: String,
    delivered: impl Fn() + Send + 'static,
) -> Result<Response, ApiRefusal> {
    let (sender, receiver) = unbounded_channel();
    let host = host.clone();
    let whole = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&whole);
    spawn(async move {
        let mut sent = SentStream { asked, id, sender, number: 0, reasoning: String::new() };
        match sent.all(&host).await {
            Ok(()) => ended.store(true, Ordering::Release),
            Err(refusal) => sent.send("error", refusal.body()),
        }
        if sent.asked.shape == WireShape::Chat {
            let _ = sent.sender.send(SentEvent::default().data("[DONE]"));
        }
    });
    let parts = (receiver, delivered);
    let events = futures::stream::unfold(parts, move |(mut receiver, delivered)| {
        let whole = Arc::clone(&whole);
        async move {
            let event = receiver.recv().await;
            // The end is asked for when everything before it was taken.
            if event.is_none() && whole.load(Ordering::Acquire) {
                delivered();
            }
            Some((Ok::<_, Infallible>(event?), (receiver, delivered)))
        }
    });
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(events.boxed()).keep_alive(alive).into_response())
}

struct SentStream {
    asked: AskedTable,
    id: String,
    sender: UnboundedSender<SentEvent>,
    /// The number of the next event of a response.
    number: u64,
    reasoning: String,
}

impl SentStream {
    async fn all(&mut self, host: &Host) -> Result<(), ApiRefusal> {
        self.begin();
        let mut progress = host.follow(&self.id).await?;
        let mut seq = 0;
        loop {
            let rests = progress.borrow_and_update().phase == DebatePhase::AtRest;
            for entry in host.log_after(&self.id, seq).await? {
                seq = entry.seq;
                if let Some(line) = answer::reasoning(&entry.event) {
                    self.reason(&line);
                }
            }
            // Nobody reads any more; the debate needs no reader.
            if self.sender.is_closed() {
                return Ok(());
            }
            if rests || progress.changed().await.is_err() {
                break;
            }
        }
        let answer = answer::at_rest(host, &self.asked, &self.id).await?;
        self.end(&answer);
        Ok(())
    }

    /// Sends one event; a response numbers and names its own.
    fn send(&mut self, kind: &str, mut body: Value) {
        let event = match self.asked.shape {
            WireShape::Chat => SentEvent::default(),
            WireShape::Responses => {
                body["type"] = kind.into();
                body["sequence_number"] = self.number.into();
                self.number += 1;
                SentEvent::default().event(kind)
            }
        };
        let _ = self.sender.send(event.data(body.to_string()));
    }

    fn begin(&mut self) {
        match self.asked.shape {
            WireShape::Chat => {
                let first = json!({ "role": "assistant", "content": "" });
                let first = chat::delta(&self.asked, &self.id, first);
                self.send("", first);
            }
            WireShape::Responses => {
                let now = engine::clock::now_ms() / 1000;
                let begun = responses::response(&self.asked, &self.id, now, None);
                for kind in ["response.created", "response.in_progress"] {
                    self.send(kind, json!({ "response": begun }));
                }
                let item = responses::reasoning_item(&self.id, None);
                self.send("response.output_item.added", json!({ "output_index": 0, "item": item }));
                let part = responses::summary_part("");
                self.of_item("response.reasoning_summary_part.added", 0, json!({ "part": part }));
            }
        }
    }

    /// An event about the reasoning (0) or the message (1).
    fn of_item(&mut self, kind: &str, index: u64, mut body: Value) {
        let (prefix, part) =
            if index == 0 { ("rs", "summary_index") } else { ("msg", "content_index") };
        body["item_id"] = format!("{prefix}_{}", self.id).into();
        body["output_index"] = index.into();
        body[part] = 0.into();
        self.send(kind, body);
    }

    fn reason(&mut self, line: &str) {
        self.reasoning.push_str(line);
        match self.asked.shape {
            WireShape::Chat => {
                let delta = json!({ "reasoning_content": line });
                let delta = chat::delta(&self.asked, &self.id, delta);
                self.send("", delta);
            }
            WireShape::Responses => {
                let kind = "response.reasoning_summary_text.delta";
                self.of_item(kind, 0, json!({ "delta": line }));
            }
        }
    }

    fn end(&mut self, answer: &TableAnswer) {
        if self.asked.shape == WireShape::Chat {
            for part in answer.text.split_inclusive('\n') {
                let part = chat::delta(&self.asked, &self.id, json!({ "content": part }));
                self.send("", part);
            }
            for last in chat::ending(&self.asked, answer) {
                self.send("", last);
            }
            return;
        }
        let (id, thought) = (self.id.clone(), self.reasoning.clone());
        let part = responses::summary_part(&thought);
        self.of_item("response.reasoning_summary_text.done", 0, json!({ "text": thought }));
        self.of_item("response.reasoning_summary_part.done", 0, json!({ "part": part }));
        let item = responses::reasoning_item(&id, Some(&thought));
        self.send("response.output_item.done", json!({ "output_index": 0, "item": item }));
        let item = responses::message_item(&id, None);
        self.send("response.output_item.added", json!({ "output_index": 1, "item": item }));
        let part = responses::text_part("");
        self.of_item("response.content_part.added", 1, json!({ "part": part }));
        for part in answer.text.split_inclusive('\n') {
            let delta = json!({ "delta": part, "logprobs": [] });
            self.of_item("response.output_text.delta", 1, delta);
        }
        let done = json!({ "text": answer.text, "logprobs": [] });
        self.of_item("response.output_text.done", 1, done);
        let part = responses::text_part(&answer.text);
        self.of_item("response.content_part.done", 1, json!({ "part": part }));
        let item = responses::message_item(&id, Some(&answer.text));
        self.send("response.output_item.done", json!({ "output_index": 1, "item": item }));
        let whole = responses::response(&self.asked, &id, answer.created, Some((answer, &thought)));
        self.send("response.completed", json!({ "response": whole }));
    }
}
