//! The state of an answer as it arrives over any wire, and the one rule for its
//! outcome. An answer counts only with a known ending; silence, an unknown reason
//! or a blank is never an answer.

use debate::model::{Bill, Citation, FailureClass, Finish, MicroUsd, Reply, Usage};
use serde_json::Value;

use crate::SpeechDelta;
use crate::conversation::{RawTurn, SUBMIT, WantedCall, WantedCalls};
use crate::wire::try_error::{TryError, quoted};

/// Counts above this are a server's mistake, not a count.
const MOST_TOKENS: u64 = 1_000_000_000;
/// More searches than this in one answer are a server's mistake too.
const MOST_SEARCHES: u64 = 10_000;

/// A provider's own figure for a cost, in dollars. Money back for an answer is a
/// server's mistake, and the price table knows better.
pub fn believable_cost(usd: Option<f64>) -> Option<MicroUsd> {
    usd.filter(|usd| usd.is_finite() && *usd >= 0.0).map(MicroUsd::from_usd)
}

/// The beginning of ids made up for calls that came without one.
pub const MADE_UP: &str = "call-";

/// The end of a request that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub enum WireOutcome {
    Answer(Box<Reply>),
    Calls(WantedCalls),
    /// The provider broke its own work off and wants to be asked to go on.
    Paused(WantedCalls),
}

/// The meaning of a reason for ending.
#[derive(Debug, Clone, Copy)]
pub enum EndReason {
    Finished(Finish),
    Failed(FailureClass, &'static str),
    /// It wants tools called.
    Calls,
    Paused,
}

pub type EndReasons = &'static [(&'static str, EndReason)];

/// A call whose arguments may still be arriving.
#[derive(Debug, Default, Clone)]
pub struct OpenCall {
    /// The wire's own way of telling calls apart.
    pub key: String,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

#[derive(Debug, Default)]
pub struct PartialAnswer {
    pub model: String,
    pub text: String,
    pub refusal: String,
    /// The first reason stands; one that is repeated changes nothing.
    pub reason: Option<String>,
    pub usage: Usage,
    pub sources: Vec<Citation>,
    pub searches: u32,
    /// The provider's own charge, where it says one.
    pub cost: Option<MicroUsd>,
    pub calls: Vec<OpenCall>,
    /// The provider's own parts, for sending them back.
    pub parts: Vec<Value>,
    thinking: bool,
    /// True once the protocol's last word was read.
    pub done: bool,
    /// True once anything of the protocol was read.
    pub anything: bool,
}

/// The value at a path of plain names such as `/usage/output_tokens`, or of places in a
/// list. [`Value::pointer`] copies every name to look for escapes.
pub fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('/').skip(1).try_fold(value, |value, name| match value {
        Value::Object(members) => members.get(name),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A count as a server gave it, where it can be one.
pub fn count(usage: &Value, path: &str) -> Option<u64> {
    at(usage, path).and_then(Value::as_u64).filter(|count| *count <= MOST_TOKENS)
}

impl PartialAnswer {
    pub fn named(&mut self, model: Option<&Value>) {
        self.named_as(model.and_then(Value::as_str).unwrap_or_default());
    }

    /// The same; many servers name the model in every piece of its answer.
    pub fn named_as(&mut self, model: &str) {
        if !model.is_empty() && self.model != model {
            self.model = model.to_owned();
        }
    }

    pub fn words(&mut self, text: &str, deltas: &mut Vec<SpeechDelta>) {
        if !text.is_empty() {
            self.thinking = false;
            self.text.push_str(text);
            deltas.push(SpeechDelta::Text(text.to_owned()));
        }
    }

    /// Told once per stretch: what is thought is not part of the answer.
    pub fn thinks(&mut self, deltas: &mut Vec<SpeechDelta>) {
        if !self.thinking {
            deltas.push(SpeechDelta::Thinking);
        }
        self.thinking = true;
    }

    pub fn searched(&mut self, query: &str, deltas: &mut Vec<SpeechDelta>) {
        self.searches = self.searches.saturating_add(1);
        deltas.push(SpeechDelta::Searching(query.to_owned()));
    }

    /// The provider's own count of searches, which beats ours.
    pub fn searches_said(&mut self, said: Option<u64>) {
        if let Some(said) = said.filter(|said| *said <= MOST_SEARCHES) {
            self.searches = u32::try_from(said).unwrap_or(u32::MAX);
        }
    }

    /// Enters a source once, whichever way it is cited; a quoted span is kept
    /// where the first mention had none.
    pub fn source(&mut self, url: Option<&str>, title: Option<&str>, span: Option<&str>) {
        let Some(url) = url.filter(|url| !url.is_empty()) else { return };
        let span = span.map(str::trim).filter(|span| !span.is_empty()).map(str::to_owned);
        let known = self.sources.iter_mut().find(|source| source.url.as_deref() == Some(url));
        if let Some(known) = known {
            known.snippet = known.snippet.take().or(span);
            if let (Some(title), true) = (title, known.title == url) {
                known.title = title.to_owned();
            }
            return;
        }
        self.sources.push(Citation {
            number: u32::try_from(self.sources.len() + 1).unwrap_or(u32::MAX),
            title: title.filter(|title| !title.is_empty()).unwrap_or(url).to_owned(),
            url: Some(url.to_owned()),
            source: None,
            snippet: span,
        });
    }

    /// The call of that key, begun if it is new.
    pub fn call(&mut self, key: &str) -> &mut OpenCall {
        let at = match self.calls.iter().position(|call| call.key == key) {
            Some(at) => at,
            None => {
                self.calls.push(OpenCall { key: key.to_owned(), ..OpenCall::default() });
                self.calls.len() - 1
            }
        };
        // The position was found or made just above.
        #[allow(clippy::indexing_slicing)]
        &mut self.calls[at]
    }

    pub fn ended(&mut self, reason: Option<&str>) {
        if let (None, Some(reason)) = (&self.reason, reason) {
            self.reason = Some(reason.to_owned());
        }
    }

    fn fail<T>(&self, class: FailureClass, what: &str) -> Result<T, TryError> {
        Err(TryError::new(class, what).used(self.usage))
    }

    /// Returns the outcome of all that was read.
    pub fn outcome(
        mut self,
        dialect: &'static str,
        endings: EndReasons,
    ) -> Result<WireOutcome, TryError> {
        let Some(reason) = self.reason.clone() else { return self.without_reason() };
        let ending = endings.iter().find(|(name, _)| *name == reason).map(|(_, ending)| *ending);
        let Some(ending) = ending else {
            let what = format!("it ended for an unknown reason: {}", quoted(&reason));
            return self.fail(FailureClass::Unusable, &what);
        };
        if !self.refusal.trim().is_empty() {
            let what = format!("the model declined: {}", quoted(&self.refusal));
            return self.fail(FailureClass::Declined, &what);
        }
        let finish = match ending {
            EndReason::Failed(class, what) => return self.fail(class, what),
            EndReason::Paused => return Ok(WireOutcome::Paused(self.into_calls(dialect))),
            EndReason::Calls => Finish::Complete,
            EndReason::Finished(finish) => finish,
        };
        // An answer handed in by tool is an answer.
        let mut working = String::new();
        if let Some(at) = self.calls.iter().position(|call| call.name == SUBMIT) {
            working = std::mem::replace(&mut self.text, self.calls.swap_remove(at).arguments);
            self.calls.clear();
        }
        match (self.calls.is_empty(), self.text.trim().is_empty(), finish) {
            // Half a call is no call.
            (false, _, Finish::Complete) => Ok(WireOutcome::Calls(self.into_calls(dialect))),
            (_, true, Finish::CutOff) => self.fail(
                FailureClass::CutOff,
                "the output limit was used up before a word of the answer came",
            ),
            (_, true, Finish::Complete) => {
                self.fail(FailureClass::Unusable, "it answered with nothing")
            }
            (_, false, finish) => Ok(WireOutcome::Answer(Box::new(Reply {
                text: self.text,
                working,
                model: self.model,
                sources: self.sources,
                searches: self.searches,
                bill: Bill { usage: self.usage, cost: self.cost, ..Bill::default() },
                finish,
                ..Reply::default()
            }))),
        }
    }

    fn without_reason(&self) -> Result<WireOutcome, TryError> {
        match (self.done, self.anything) {
            (true, _) => {
                self.fail(FailureClass::Unusable, "it ended its answer without saying why")
            }
            (false, true) => self.fail(
                FailureClass::Unreachable,
                "the connection closed before the answer was finished",
            ),
            (false, false) => {
                self.fail(FailureClass::Unusable, "it sent something that is no answer")
            }
        }
    }

    fn into_calls(self, dialect: &'static str) -> WantedCalls {
        let wanted = self.calls.into_iter().enumerate().map(|(at, call)| WantedCall {
            id: if call.id.is_empty() { format!("{MADE_UP}{}", at + 1) } else { call.id },
            name: call.name,
            arguments: match call.arguments.trim() {
                "" => Value::Object(serde_json::Map::new()),
                text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into())),
            },
        });
        let raw = if self.parts.is_empty() {
            None
        } else {
            Some(RawTurn { dialect: dialect.into(), parts: Value::Array(self.parts) })
        };
        WantedCalls {
            wanted: wanted.collect(),
            text: self.text,
            raw,
            model: self.model,
            sources: self.sources,
            searches: self.searches,
            bill: Bill { usage: self.usage, cost: self.cost, ..Bill::default() },
            tries: 1,
            fallback: false,
        }
    }
}
