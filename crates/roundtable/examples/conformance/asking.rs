//! Fixtures that ask the client for something and go on when it answers: the
//! multi-round form of 2026-07-28.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, InputRequests, InputRequiredResult, InputResponses,
    RequestStateCodec,
};
use serde_json::{Value, json};

use super::server::{said, value};

pub struct Retry<'a> {
    pub responses: Option<&'a InputResponses>,
    pub state: Option<&'a str>,
    pub can: Option<ClientCapabilities>,
}

pub fn elicit(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "mode": "form",
        "requestedSchema": {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}}})
}

fn sample(text: &str, most: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {"maxTokens": most,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// What a tool asks for, by name; `None` for tools that ask nothing.
fn wanted(name: &str, can: Option<&ClientCapabilities>) -> Option<Value> {
    Some(match name {
        "test_input_required_result_elicitation"
        | "test_streaming_elicitation"
        | "test_tool_with_task" => {
            json!({"user_name": elicit("What is your name?", "name", "string")})
        }
        "test_input_required_result_sampling" => {
            json!({"capital_question": sample("What is the capital of France?", 100)})
        }
        "test_input_required_result_list_roots" => json!({"client_roots": roots()}),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            json!({"confirm": elicit("Please confirm", "ok", "boolean")})
        }
        "test_input_required_result_multiple_inputs" => json!({
            "user_name": elicit("What is your name?", "name", "string"),
            "greeting": sample("Generate a greeting", 50),
            "client_roots": roots(),
        }),
        "test_input_required_result_multi_round" => {
            json!({"step1": elicit("Step 1: What is your name?", "name", "string")})
        }
        "test_input_required_result_capabilities" => {
            let mut asked = json!({});
            if can.is_some_and(|can| can.sampling.is_some()) {
                asked["greeting"] = sample("Generate a greeting", 50);
            }
            if can.is_some_and(|can| can.elicitation.is_some()) {
                asked["user_name"] = elicit("What is your name?", "name", "string");
            }
            asked
        }
        _ => return None,
    })
}

/// What stands between two rounds, sealed so that a client cannot change it.
#[derive(serde::Serialize, serde::Deserialize)]
struct Between {
    tool: String,
    round: u32,
}

/// The answer of a tool that asks first; `None` for the others, and for one
/// that has what it asked for and does something with it elsewhere.
pub fn answer(
    name: &str,
    retry: &Retry<'_>,
    seal: &RequestStateCodec,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let wanted = wanted(name, retry.can.as_ref())?;
    let round = match retry.state {
        None => 0,
        Some(sealed) => match seal.open_json::<Between>(sealed) {
            Ok(between) if between.tool == name => between.round,
            _ => {
                let why = "the request state was changed on the way";
                return Some(Err(ErrorData::invalid_params(why, None)));
            }
        },
    };
    let keeps_state = matches!(
        name,
        "test_input_required_result_request_state"
            | "test_input_required_result_multiple_inputs"
            | "test_input_required_result_multi_round"
            | "test_input_required_result_tampered_state"
    );
    let ask = |wanted: &Value, round: u32| {
        let requests: InputRequests = value(wanted);
        let between = Between { tool: name.into(), round };
        let state = keeps_state.then(|| seal.seal_json(&between).expect("it can be written"));
        Some(Ok(CallToolResponse::InputRequired(InputRequiredResult::new(Some(requests), state))))
    };
    let given = |key: &str| retry.responses.and_then(|all| all.get(key));
    if name == "test_input_required_result_multi_round" && round == 1 {
        let second =
            json!({"step2": elicit("Step 2: What is your favorite color?", "color", "string")});
        return match given("step2") {
            Some(_) => Some(Ok(said("Thank you, that was all."))),
            None => ask(&second, 1),
        };
    }
    let asked = wanted.as_object().expect("a map");
    let complete = asked.keys().all(|key| given(key).is_some_and(is_answer));
    match (complete && !asked.is_empty(), name) {
        (false, _) => ask(&wanted, 0),
        (true, "test_input_required_result_multi_round") => {
            let second =
                json!({"step2": elicit("Step 2: What is your favorite color?", "color", "string")});
            ask(&second, 1)
        }
        // It goes on as a task.
        (true, "test_tool_with_task") => None,
        (true, "test_input_required_result_elicitation") => {
            let name = given("user_name").and_then(|answer| answer["content"]["name"].as_str());
            Some(Ok(said(&format!("Hello, {}!", name.unwrap_or("you")))))
        }
        (true, "test_input_required_result_request_state") => Some(Ok(said("state-ok"))),
        (true, _) => {
            let all: Vec<String> =
                asked.keys().filter_map(|key| given(key)).map(Value::to_string).collect();
            Some(Ok(said(&format!("Given: {}", all.join(" ")))))
        }
    }
}

/// Whether a client's response has the form of one.
fn is_answer(response: &Value) -> bool {
    ["action", "role", "roots"].iter().any(|key| response.get(key).is_some())
}

/// What a prompt asks for before it can be given.
pub fn prompt(responses: Option<&InputResponses>) -> Result<String, InputRequiredResult> {
    let context = responses.and_then(|all| all.get("user_context"));
    match context.and_then(|answer| answer["content"]["context"].as_str()) {
        Some(context) => Ok(format!("Use this context: {context}")),
        None => {
            let wanted = json!({"user_context":
                elicit("What context should the prompt use?", "context", "string")});
            Err(InputRequiredResult::new(Some(value(&wanted)), None))
        }
    }
}
