//! Reads a body, streamed or whole, for any dialect: it tells the two apart,
//! keeps to the size limits, and turns bytes into JSON. What the JSON means is
//! the dialect's own affair.

use debate::model::{FailureClass, Usage};
use serde_json::Value;

use super::dialect::{BODY_CAP, Decode};
use super::error_body;
use super::outcome::Outcome;
use super::sse::{EventReader, SseEvent};
use crate::Delta;
use crate::wire::try_error::{Again, Trouble, quoted};

/// One dialect's way of understanding what was read.
pub trait Listener: Send + Default {
    /// One event of a stream.
    fn event(&mut self, kind: &str, data: &Value, deltas: &mut Vec<Delta>) -> Result<(), Trouble>;
    /// A body that came in one piece.
    fn whole(&mut self, answer: &Value) -> Result<(), Trouble>;
    /// `[DONE]` was read.
    fn marked_done(&mut self);
    fn is_done(&self) -> bool;
    fn used(&self) -> Usage;
    fn outcome(self) -> Result<Outcome, Trouble>;
    /// See [`Decode::id`].
    fn id(&self) -> Option<&str> {
        None
    }
}

#[derive(Debug, Default)]
pub struct Reader<L> {
    body: Body,
    read: usize,
    events: EventReader,
    listener: L,
}

/// The form of the body, told by its first character: servers' content types are
/// not to be relied on.
#[derive(Debug, Default)]
enum Body {
    #[default]
    Unknown,
    Stream,
    Whole(Vec<u8>),
}

impl<L: Listener> Decode for Reader<L> {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, Trouble> {
        self.read = self.read.saturating_add(bytes.len());
        if self.read > BODY_CAP {
            return Err(too_large("it sent more than 8 MiB"));
        }
        if let Body::Unknown = self.body {
            let first = bytes.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            self.body = match first {
                None => Body::Unknown,
                Some(b'{' | b'[' | b'<' | b'"') => Body::Whole(Vec::new()),
                Some(_) => Body::Stream,
            };
        }
        match &mut self.body {
            Body::Unknown => Ok(Vec::new()),
            Body::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Vec::new())
            }
            Body::Stream => {
                let events =
                    self.events.push(bytes).map_err(|_| too_large("it sent a line over 1 MiB"))?;
                let mut deltas = Vec::new();
                for event in events {
                    self.event(&event, &mut deltas)?;
                }
                Ok(deltas)
            }
        }
    }

    fn is_done(&self) -> bool {
        self.listener.is_done()
    }

    fn finish(&mut self) -> Result<Outcome, Trouble> {
        match std::mem::take(&mut self.body) {
            Body::Unknown => {
                return Err(Trouble::new(FailureClass::Unusable, "it sent an empty answer"));
            }
            Body::Whole(body) => self.whole(&body)?,
            Body::Stream => {
                // A last event without its blank line counts if it is whole.
                if let Some(event) = self.events.finish() {
                    match self.event(&event, &mut Vec::new()) {
                        Err(trouble) if trouble.class != FailureClass::Unusable => {
                            return Err(trouble);
                        }
                        _ => {}
                    }
                }
            }
        }
        std::mem::take(&mut self.listener).outcome()
    }

    fn id(&self) -> Option<&str> {
        self.listener.id()
    }
}

impl<L: Listener> Reader<L> {
    fn event(&mut self, event: &SseEvent, deltas: &mut Vec<Delta>) -> Result<(), Trouble> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.listener.marked_done();
            return Ok(());
        }
        if self.listener.is_done() || data.is_empty() {
            return Ok(());
        }
        let json: Value = serde_json::from_str(data).map_err(|_| {
            let what = format!("it sent an event that is not JSON: {}", quoted(data));
            Trouble::new(FailureClass::Unusable, what).used(self.listener.used())
        })?;
        error_in(&json, &event.kind, self.listener.used())?;
        self.listener.event(&event.kind, &json, deltas)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(body);
        if text.trim_start().starts_with('<') {
            let what = "it sent an HTML page in place of an answer";
            return Err(Trouble::new(FailureClass::Unusable, what)
                .advice("Check that the base URL points to the API and not to a web page"));
        }
        let answer: Value = serde_json::from_str(&text).map_err(|error| {
            if error.is_eof() {
                Trouble::new(FailureClass::Unreachable, "the answer broke off in the middle")
            } else {
                Trouble::new(FailureClass::Unusable, "it sent an answer that is not JSON")
            }
        })?;
        // Some servers wrap a lone error into a list.
        let first = answer.as_array().and_then(|list| list.first());
        error_in(first.unwrap_or(&answer), "", Usage::default())?;
        self.listener.whole(&answer)
    }
}

/// An error where an answer should be, in any of the shapes servers use.
fn error_in(json: &Value, kind: &str, used: Usage) -> Result<(), Trouble> {
    let is_error = |key: &str| json.get(key) == Some(&"error".into());
    let error = match json.get("error").filter(|error| !error.is_null()) {
        Some(error) => error,
        None if kind == "error" || is_error("object") || is_error("type") => json,
        None => return Ok(()),
    };
    Err(error_body::of_error(error).used(used))
}

fn too_large(what: &'static str) -> Trouble {
    Trouble::new(FailureClass::Unusable, what).again(Again::Never)
}
