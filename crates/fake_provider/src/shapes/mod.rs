//! The format of an answer on each wire. A shape decides only how things are
//! written, never what is said.

pub mod chat;
pub mod gemini;
pub mod messages;
pub mod responses;

use serde_json::{Value, json};

use crate::wire::FakeRequest;

/// A wire format, identified by the path of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Chat,
    Messages,
    Responses,
    /// Perplexity's flavour of the Responses wire.
    Agent,
    Gemini,
}

impl Wire {
    pub const ALL: [Wire; 5] =
        [Wire::Chat, Wire::Messages, Wire::Responses, Wire::Agent, Wire::Gemini];

    pub fn of(path: &str) -> Wire {
        let path = path.split('?').next().unwrap_or(path);
        match path {
            _ if path.contains(":streamGenerateContent") => Wire::Gemini,
            _ if path.ends_with("/messages") => Wire::Messages,
            _ if path.ends_with("/responses") => Wire::Responses,
            _ if path.ends_with("/agent") => Wire::Agent,
            _ => Wire::Chat,
        }
    }

    pub fn shape(self) -> &'static WireShape {
        match self {
            Wire::Chat => &chat::SHAPE,
            Wire::Messages => &messages::SHAPE,
            Wire::Responses => &responses::OPENAI,
            Wire::Agent => &responses::AGENT,
            Wire::Gemini => &gemini::SHAPE,
        }
    }
}

/// The model a request is for: in the body, or in the path.
pub fn model(request: &FakeRequest) -> String {
    if let Some(model) = request.body.get("model").and_then(Value::as_str) {
        return model.to_owned();
    }
    let named = request.path.rsplit_once("/models/").map(|(_, rest)| rest);
    let named = named.and_then(|rest| rest.split_once(":streamGenerateContent"));
    named.map(|(model, _)| model.to_owned()).unwrap_or_default()
}

/// Everything that can be in one answer.
#[derive(Debug, Clone)]
pub struct FakeAnswer {
    /// The server's id for it, if the wire has one.
    pub id: String,
    pub model: String,
    pub text: String,
    /// The number of pieces in which it is streamed.
    pub pieces: usize,
    pub thoughts: Vec<&'static str>,
    pub refusal: Option<&'static str>,
    pub calls: Vec<FakeCall>,
    pub search: Option<FakeSearch>,
    pub usage: FakeUsage,
    pub end: FakeFinish,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FakeCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// One search by the provider itself, with its result.
#[derive(Debug, Clone, Copy)]
pub struct FakeSearch {
    pub query: &'static str,
    pub url: &'static str,
    pub title: &'static str,
    pub quote: &'static str,
}

pub const SEARCH: FakeSearch = FakeSearch {
    query: "tea in britain",
    url: "https://tea.example/history",
    title: "A history of tea",
    quote: "Tea came to Britain in the seventeenth century.",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeUsage {
    /// 100 in (40 of them cached), 20 out (5 of them thought).
    Good,
    Absent,
    /// Impossible numbers.
    Mad,
    /// As many in, all of them fresh, and as many out.
    Sized(u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeFinish {
    Stop,
    Length,
    Filter,
    Unknown,
    Pause,
}

pub struct WireShape {
    /// Before the words: the opening, thoughts and searches.
    pub open: fn(&FakeAnswer) -> Vec<String>,
    /// One piece of the words.
    pub words: fn(&FakeAnswer, &str) -> String,
    /// After the words: calls, the reason, the counts, the last word.
    pub close: fn(&FakeAnswer) -> Vec<String>,
    /// The number of closing events that a client can do without.
    pub spare: usize,
    /// The answer in one piece.
    pub whole: fn(&FakeAnswer) -> String,
    /// An error after a good beginning.
    pub error_event: &'static str,
    /// The last event without a reason, if the wire has one.
    pub bare_end: Option<&'static str>,
}

impl FakeAnswer {
    pub fn new(model: &str, text: &str) -> FakeAnswer {
        FakeAnswer {
            id: "resp_fake".into(),
            model: model.to_owned(),
            text: text.to_owned(),
            pieces: 4,
            thoughts: Vec::new(),
            refusal: None,
            calls: Vec::new(),
            search: None,
            usage: FakeUsage::Good,
            end: FakeFinish::Stop,
        }
    }

    fn parts(&self) -> Vec<String> {
        let letters: Vec<char> = self.text.chars().collect();
        let size = letters.len().div_ceil(self.pieces.max(1)).max(1);
        letters.chunks(size).map(|part| part.iter().collect()).collect()
    }
}

impl WireShape {
    pub fn events(&self, answer: &FakeAnswer) -> Vec<String> {
        let mut events = (self.open)(answer);
        events.extend(answer.parts().iter().map(|part| (self.words)(answer, part)));
        events.extend((self.close)(answer));
        events
    }
}

/// An event with only data.
pub fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event whose kind is also in its data.
pub fn named(value: &Value) -> String {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {kind}\ndata: {value}\n\n")
}

/// Removes the counts from a value if there are none.
fn counted(mut value: Value, key: &str, usage: Option<Value>) -> Value {
    if let (Some(fields), Some(usage)) = (value.as_object_mut(), usage) {
        fields.insert(key.to_owned(), usage);
    }
    value
}

/// A number that cannot be a count of tokens.
fn mad() -> (Value, Value) {
    (json!(-4), json!(9_000_000_000_000_000_000u64))
}
