//! Reads a body, streamed or whole, for any dialect: it tells the two apart,
//! keeps to the size limits, and turns bytes into JSON. What the JSON means is
//! the dialect's own affair.

use debate::model::{FailureClass, Usage};
use serde_json::Value;

use super::dialect::{BODY_CAP, Decode};
use super::error_body;
use super::outcome::WireOutcome;
use super::sse::{EventReader, SseEvent};
use crate::SpeechDelta;
use crate::wire::try_error::{RetryChance, TryError, quoted};

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;

/// One dialect's way of understanding what was read.
pub trait Listener: Send + Default {
    /// One event of a stream.
    fn event(
        &mut self,
        kind: &str,
        data: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError>;
    /// Takes in an event of the kinds that come by the hundred, without building a tree of
    /// it. False where it is any other event, or looks in any way unusual: nothing was
    /// taken in then. It must come to the same as [`Listener::event`].
    fn frequent(&mut self, _kind: &str, _data: &str, _deltas: &mut Vec<SpeechDelta>) -> bool {
        false
    }
    /// A body that came in one piece.
    fn whole(&mut self, answer: Value) -> Result<(), TryError>;
    /// `[DONE]` was read.
    fn marked_done(&mut self);
    fn is_done(&self) -> bool;
    fn used(&self) -> Usage;
    fn outcome(self) -> Result<WireOutcome, TryError>;
    /// See [`Decode::id`].
    fn id(&self) -> Option<&str> {
        None
    }
}

#[derive(Debug, Default)]
pub struct BodyReader<L> {
    body: BodyForm,
    read: usize,
    events: EventReader,
    listener: L,
}

/// The form of the body, told by its first character: servers' content types are
/// not to be relied on.
#[derive(Debug, Default)]
enum BodyForm {
    #[default]
    Unknown,
    Stream,
    Whole(Vec<u8>),
}

impl<L: Listener> Decode for BodyReader<L> {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<SpeechDelta>, TryError> {
        self.read = self.read.saturating_add(bytes.len());
        if self.read > BODY_CAP {
            return Err(too_large("it sent more than 8 MiB"));
        }
        if let BodyForm::Unknown = self.body {
            let first = bytes.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            self.body = match first {
                None => BodyForm::Unknown,
                Some(b'{' | b'[' | b'<' | b'"') => BodyForm::Whole(Vec::new()),
                Some(_) => BodyForm::Stream,
            };
        }
        match &mut self.body {
            BodyForm::Unknown => Ok(Vec::new()),
            BodyForm::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Vec::new())
            }
            BodyForm::Stream => {
                let fits = self.events.check(bytes);
                fits.map_err(|_| too_large("it sent a line over 1 MiB"))?;
                let (mut deltas, mut rest) = (Vec::new(), bytes);
                while let Some(event) = self.events.next(&mut rest) {
                    self.event(&event, &mut deltas)?;
                }
                Ok(deltas)
            }
        }
    }

    fn is_done(&self) -> bool {
        self.listener.is_done()
    }

    fn finish(&mut self) -> Result<WireOutcome, TryError> {
        match std::mem::take(&mut self.body) {
            BodyForm::Unknown => {
                return Err(TryError::new(FailureClass::Unusable, "it sent an empty answer"));
            }
            BodyForm::Whole(body) => self.whole(&body)?,
            BodyForm::Stream => {
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

impl<L: Listener> BodyReader<L> {
    fn event(
        &mut self,
        event: &SseEvent<'_>,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.listener.marked_done();
            return Ok(());
        }
        if self.listener.is_done() || data.is_empty() {
            return Ok(());
        }
        if self.listener.frequent(&event.kind, data, deltas) {
            return Ok(());
        }
        let json: Value = serde_json::from_str(data).map_err(|_| {
            let what = format!("it sent an event that is not JSON: {}", quoted(data));
            TryError::new(FailureClass::Unusable, what).used(self.listener.used())
        })?;
        error_in(&json, &event.kind, self.listener.used())?;
        self.listener.event(&event.kind, json, deltas)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), TryError> {
        let text = String::from_utf8_lossy(body);
        if text.trim_start().starts_with('<') {
            let what = "it sent an HTML page in place of an answer";
            return Err(TryError::new(FailureClass::Unusable, what)
                .advice("Check that the base URL points to the API and not to a web page"));
        }
        let answer: Value = serde_json::from_str(&text).map_err(|error| {
            if error.is_eof() {
                TryError::new(FailureClass::Unreachable, "the answer broke off in the middle")
            } else {
                TryError::new(FailureClass::Unusable, "it sent an answer that is not JSON")
            }
        })?;
        // Some servers wrap a lone error into a list.
        let first = answer.as_array().and_then(|list| list.first());
        error_in(first.unwrap_or(&answer), "", Usage::default())?;
        self.listener.whole(answer)
    }
}

/// An error where an answer should be, in any of the shapes servers use.
fn error_in(json: &Value, kind: &str, used: Usage) -> Result<(), TryError> {
    let is_error = |key: &str| json.get(key).and_then(Value::as_str) == Some("error");
    let error = match json.get("error").filter(|error| !error.is_null()) {
        Some(error) => error,
        None if kind == "error" || is_error("object") || is_error("type") => json,
        None => return Ok(()),
    };
    Err(error_body::of_error(error).used(used))
}

fn too_large(what: &'static str) -> TryError {
    TryError::new(FailureClass::Unusable, what).again(RetryChance::Never)
}
