//! Messages that cannot be understood are answered all the same: a client that gets no
//! answer waits for ever. The number of the request is recovered if it can be, so that
//! the client knows which of its calls failed.

use rmcp::model::{ErrorCode, ErrorData, NumberOrString, RequestId};
use serde_json::Value;

/// The longest tail of a message in which its number is looked for.
const TAIL: usize = 512;
/// The longest number or name of a request that is repeated.
const LONGEST_ID: usize = 256;

/// The fault of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageFault {
    pub id: Option<RequestId>,
    pub code: ErrorCode,
    pub message: String,
}

impl MessageFault {
    fn new(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> MessageFault {
        MessageFault { id, code, message: message.into() }
    }

    /// The fault of a message of which only the beginning and the end were kept.
    pub fn too_long(head: &[u8], tail: &[u8], most: usize) -> MessageFault {
        let id = id_in_head(head).or_else(|| id_in_tail(tail));
        let message = format!("Parse error: a message may have at most {most} bytes");
        MessageFault::new(id, ErrorCode::PARSE_ERROR, message)
    }

    pub fn error(&self) -> ErrorData {
        ErrorData::new(self.code, self.message.clone(), None)
    }
}

/// Checks that a message is JSON and has the form of the protocol, and returns its number.
pub fn check(message: &[u8]) -> Result<Option<RequestId>, MessageFault> {
    let message = message.strip_prefix("\u{feff}".as_bytes()).unwrap_or(message);
    let value: Value = match serde_json::from_slice(message) {
        Ok(value) => value,
        Err(error) => {
            let id = id_in_head(message).or_else(|| id_in_tail(message));
            let why = format!("Parse error: {error}");
            return Err(MessageFault::new(id, ErrorCode::PARSE_ERROR, why));
        }
    };
    let invalid = |why: &str| {
        let id = value.get("id").and_then(request_id);
        let why = format!("Invalid request: {why}");
        Err(MessageFault::new(id, ErrorCode::INVALID_REQUEST, why))
    };
    let is_a = |name: &str, fits: fn(&Value) -> bool| value.get(name).is_none_or(fits);
    if !value.is_object() {
        return invalid("a message is one JSON object");
    }
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("\"jsonrpc\" must be \"2.0\"");
    }
    if !is_a("method", Value::is_string) {
        return invalid("\"method\" must be a string");
    }
    if !is_a("params", |params| params.is_object() || params.is_null()) {
        return invalid("\"params\" must be an object");
    }
    if !["method", "result", "error"].iter().any(|name| value.get(name).is_some()) {
        return invalid("it has neither a method nor a result");
    }
    if value.get("method").is_some()
        && ["result", "error"].iter().any(|name| value.get(name).is_some())
    {
        return invalid("it is a request and an answer at once");
    }
    if value.get("method").is_some() && !is_a("id", |id| request_id(id).is_some()) {
        return invalid("\"id\" must be a string or a whole number");
    }
    Ok(value.get("id").and_then(request_id))
}

fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(name) if name.len() <= LONGEST_ID => {
            Some(NumberOrString::String(name.as_str().into()))
        }
        Value::Number(number) => number.as_i64().map(NumberOrString::Number),
        _ => None,
    }
}

/// Finds the number in the beginning of a message, which may be cut or broken later.
fn id_in_head(head: &[u8]) -> Option<RequestId> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = head.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(head, at)?;
                let after = head.get(end..).map(<[u8]>::trim_ascii_start).unwrap_or_default();
                if depth == 1
                    && head.get(at..end) == Some(b"\"id\"")
                    && let Some(value) = after.strip_prefix(b":")
                {
                    let mut values =
                        serde_json::Deserializer::from_slice(value).into_iter::<Value>();
                    return request_id(&values.next()?.ok()?);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the place after the string that begins here.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Finds the number among the last members of a message.
fn id_in_tail(tail: &[u8]) -> Option<RequestId> {
    let tail = tail.get(tail.len().saturating_sub(TAIL)..).unwrap_or(tail).trim_ascii_end();
    let key = b"\"id\"";
    let starts = (0..tail.len()).rev().filter(|at| tail.get(*at..*at + key.len()) == Some(key));
    // What follows must be the rest of the whole message, and nothing inside of it.
    let members = starts.filter_map(|at| {
        let rest = [b"{", tail.get(at..).unwrap_or_default()].concat();
        serde_json::from_slice::<Value>(&rest).ok()
    });
    members.into_iter().find_map(|rest| request_id(rest.get("id")?))
}

#[cfg(test)]
#[path = "bad_message_tests.rs"]
mod tests;
