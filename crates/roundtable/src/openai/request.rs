//! A request of either shape: which table is asked, what, and what was said before.

use axum::http::{HeaderMap, header};
use debate::model::Attachment;
use engine::config::Config;
use engine::table::order::{CallerContext, Order};
use serde_json::Value;

use super::deliveries::Deliveries;
use super::models;
use super::refused::ApiRefusal;

/// The two shapes of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireShape {
    Chat,
    Responses,
}

/// A question to a table.
pub struct AskedTable {
    pub model: String,
    pub order: Order,
    /// Equal keys lead to the same debate.
    pub key: String,
    /// True if the client says that it asked this before and tries again.
    tries_again: bool,
    pub stream: bool,
    /// True if a stream of chat chunks ends with the usage.
    pub wants_usage: bool,
    pub shape: WireShape,
    /// The address of the page, as the caller knows this server.
    pub page: String,
}

/// Parameters that ask for something no table does, with the values that ask for nothing.
const UNSUPPORTED: [(&str, &[&str]); 8] = [
    ("tools", &["null", "[]"]),
    ("functions", &["null", "[]"]),
    ("tool_choice", &["null", "\"none\"", "\"auto\""]),
    ("n", &["null", "1"]),
    ("response_format", &["null", "{\"type\":\"text\"}"]),
    ("audio", &["null"]),
    ("background", &["null", "false"]),
    ("conversation", &["null"]),
];
/// The part of an answer that leads to its debate.
pub const PAGE_PATH: &str = "/debates/";
/// The beginning of the ids of responses.
pub const RESPONSE_ID: &str = "resp_";

impl AskedTable {
    pub fn read(
        config: &Config,
        headers: &HeaderMap,
        body: &[u8],
        shape: WireShape,
    ) -> Result<AskedTable, ApiRefusal> {
        let given: Value = serde_json::from_slice(body).map_err(|error| {
            ApiRefusal::bad("", "invalid_json", format!("The body is not JSON: {error}."))
        })?;
        for (name, nothing) in UNSUPPORTED {
            let value = given.get(name).map_or_else(|| "null".into(), Value::to_string);
            if !nothing.contains(&value.as_str()) {
                let text =
                    format!("'{name}' is not supported with this model: a table answers in words.");
                return Err(ApiRefusal::bad(name, "unsupported_parameter", text));
            }
        }
        let Some(model) = given["model"].as_str() else {
            return Err(ApiRefusal::bad("model", "missing_required_parameter", "Name a model."));
        };
        let said = said(&given, shape)?;
        let mut order = models::order(config, model)?;
        fill(&mut order, &given, said)?;
        let own = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
        let key = key(shape, &given, own);
        order.caller.start_key = Some(key.clone());
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
        // The way in has set this for requests with TLS alone.
        let scheme = headers.get(crate::mcp::FORWARDED_PROTO).map_or("http", |_| "https");
        Ok(AskedTable {
            model: model.to_owned(),
            order,
            key,
            tries_again: own.is_some() || is_retry(headers),
            stream: given["stream"] == true,
            wants_usage: given["stream_options"]["include_usage"] == true,
            shape,
            page: format!("{scheme}://{}", host.unwrap_or("127.0.0.1")),
        })
    }
}

impl AskedTable {
    /// Tells this request from equal ones that were answered whole before. Returns its key
    /// among them and its number.
    pub fn count(&mut self, sent: &Deliveries) -> (String, u32) {
        let (first, number) = (self.key.clone(), sent.number(&self.key, self.tries_again));
        if number > 0 {
            self.key = blake3::hash(format!("{first}\n{number}").as_bytes()).to_hex().to_string();
            self.order.caller.start_key = Some(self.key.clone());
        }
        (first, number)
    }
}

/// The official clients count the tries of a request.
fn is_retry(headers: &HeaderMap) -> bool {
    let tries = headers.get("x-stainless-retry-count").and_then(|value| value.to_str().ok());
    tries.and_then(|tries| tries.parse::<u32>().ok()).is_some_and(|tries| tries > 0)
}

/// One message of a conversation.
struct SaidMessage {
    role: String,
    text: String,
}

fn said(given: &Value, shape: WireShape) -> Result<Vec<SaidMessage>, ApiRefusal> {
    let (param, messages) = match shape {
        WireShape::Chat => ("messages", &given["messages"]),
        WireShape::Responses => ("input", &given["input"]),
    };
    if let (WireShape::Responses, Some(text)) = (shape, messages.as_str()) {
        return Ok(vec![SaidMessage { role: "user".into(), text: text.into() }]);
    }
    let Some(list) = messages.as_array() else {
        let text = format!("'{param}' is missing, or is not a list of messages.");
        return Err(ApiRefusal::bad(param, "missing_required_parameter", text));
    };
    // A client that keeps its own history sends the reasoning of earlier answers back.
    let list = list.iter().filter(|one| one["type"] != "reasoning");
    list.map(|one| {
        let role = one["role"].as_str().unwrap_or_default().to_owned();
        let text = text(&one["content"], param)?;
        Ok(SaidMessage { role, text })
    })
    .collect()
}

/// The words of a message; a picture or a sound is refused.
fn text(content: &Value, param: &str) -> Result<String, ApiRefusal> {
    if let Some(text) = content.as_str() {
        return Ok(text.to_owned());
    }
    let mut all = Vec::new();
    for part in content.as_array().into_iter().flatten() {
        match (part["type"].as_str().unwrap_or_default(), part["text"].as_str()) {
            ("text" | "input_text" | "output_text", Some(text)) => all.push(text),
            ("refusal", _) => {}
            (kind, _) => {
                let text =
                    format!("Content of type '{kind}' is not supported: a table reads text.");
                return Err(ApiRefusal::bad(param, "invalid_value", text));
            }
        }
    }
    Ok(all.join("\n"))
}

/// The last message of the user is the question; what was said before is its context,
/// or the debate that it follows.
fn fill(order: &mut Order, given: &Value, mut said: Vec<SaidMessage>) -> Result<(), ApiRefusal> {
    let last = said.iter().rposition(|one| one.role == "user");
    let topic = last.map(|at| said.split_off(at).swap_remove(0).text).unwrap_or_default();
    if topic.trim().is_empty() {
        let text = "There is no message of the user to answer.";
        return Err(ApiRefusal::bad("messages", "invalid_value", text));
    }
    order.topic = Some(topic);
    let follows = given["previous_response_id"].as_str();
    let follows = follows.map(|id| id.trim_start_matches(RESPONSE_ID).to_owned());
    let answers = said.iter().rev().filter(|one| one.role == "assistant");
    order.after = follows.or_else(|| answers.take(1).find_map(|one| debate_of(&one.text)));
    let mut attachments = Vec::new();
    if let Some(text) = given["instructions"].as_str().filter(|text| !text.trim().is_empty()) {
        attachments.push(Attachment { name: "instructions".into(), text: text.into() });
    }
    // A follow-up begins with what the earlier debate came to; only what the client itself
    // instructs stands beside it.
    let told = |one: &&SaidMessage| {
        order.after.is_none() || ["system", "developer"].contains(&one.role.as_str())
    };
    let lines: Vec<String> = said
        .iter()
        .filter(told)
        .filter(|one| !one.text.trim().is_empty())
        .map(|one| format!("{}: {}", one.role, one.text))
        .collect();
    if !lines.is_empty() {
        let text = lines.join("\n\n");
        attachments.push(Attachment { name: "conversation so far".into(), text });
    }
    // Nobody waits behind this API who could answer an agent's question.
    order.context_requests = Some(false);
    order.caller = CallerContext { attachments, is_remote: true, ..CallerContext::default() };
    Ok(())
}

/// The debate that an earlier answer of ours links to.
fn debate_of(answer: &str) -> Option<String> {
    let (_, rest) = answer.rsplit_once(PAGE_PATH)?;
    let id: String = rest
        .chars()
        .take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
        .collect();
    (id.len() >= 8).then_some(id)
}

/// Everything that makes a question: not how its answer is sent.
fn key(shape: WireShape, given: &Value, own: Option<&str>) -> String {
    let mut given = given.clone();
    if let Some(map) = given.as_object_mut() {
        for name in ["stream", "stream_options", "user", "metadata", "store"] {
            map.remove(name);
        }
    }
    let text = format!("{shape:?}\n{}\n{given}", own.unwrap_or_default());
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
