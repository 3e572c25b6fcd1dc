//! Questions to the client's user: confirming the cost of a debate, and what the
//! agents need to know. A client that cannot ask, or a user who does not answer, is
//! normal; the result of the call then says what is needed.

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputResponses,
};
use serde_json::{Value, json};

use super::waiting;
use crate::mcp::call::Call;
use crate::mcp::result::shapes::ContextRequestView;
use crate::mcp::result::shaping::short;
use debate::model::MicroUsd;

const CONFIRM: &str = "confirm";
/// Marks what belongs to a context request among the things a client brings.
const CONTEXT: &str = "context:";

/// The user's reaction to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    Yes,
    /// The user said no.
    No,
    /// No answer: the form was dismissed, or there is no user to ask.
    Nobody,
}

/// The user's answer to a context request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextAnswer {
    pub request: String,
    /// `None`: declined.
    pub content: Option<String>,
}

fn form(message: String, schema: Value) -> Option<ElicitRequestParams> {
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

fn cost_form(worst: MicroUsd) -> Option<ElicitRequestParams> {
    form(
        format!("This debate may cost up to about {worst}. Hold it?"),
        json!({
            "type": "object",
            "properties": {
                "proceed": {
                    "type": "boolean",
                    "title": "Hold the debate",
                    "description": "Models are asked and paid for. It can be paused at any time.",
                    "default": true
                }
            },
            "required": ["proceed"]
        }),
    )
}

fn context_form(request: &ContextRequestView) -> Option<ElicitRequestParams> {
    let question = short(&request.question, 1500);
    form(
        format!("{} asks: {question}\n\nWhy: {}", request.agent, short(&request.why, 500)),
        json!({
            "type": "object",
            "properties": {
                "answer": {
                    "type": "string",
                    "title": "Your answer",
                    "description": "All agents of the debate, and the providers of their models, will read it."
                }
            },
            "required": ["answer"]
        }),
    )
}

/// Sends a client of the stateless era to ask whether it may cost that much.
pub fn cost_requests(worst: MicroUsd) -> InputRequests {
    let request = cost_form(worst).map(|form| InputRequest::Elicitation(ElicitRequest::new(form)));
    request.map(|request| (CONFIRM.to_owned(), request)).into_iter().collect()
}

/// Returns the client's answer; `None` if it brought none.
pub fn cost_answer(responses: &InputResponses) -> Option<Confirmation> {
    let brought = responses.get(CONFIRM)?;
    Some(elicited(brought).map_or(Confirmation::Nobody, |result| proceed(&result)))
}

/// Asks a client of the older era, while the call runs.
pub async fn confirm_now(call: &Call, worst: MicroUsd) -> Confirmation {
    let Some(form) = cost_form(worst) else { return Confirmation::Nobody };
    ask_now(call, form).await.map_or(Confirmation::Nobody, |result| proceed(&result))
}

/// Returns `None` if the client cannot ask, or if the answer is no longer awaited.
async fn ask_now(call: &Call, form: ElicitRequestParams) -> Option<ElicitResult> {
    let asking = call.context.peer.create_elicitation(form);
    waiting::meanwhile(call, "waiting for the user's answer", asking).await?.ok()
}

fn proceed(result: &ElicitResult) -> Confirmation {
    let said = result.content.as_ref().and_then(|content| content.get("proceed"));
    match (&result.action, said.and_then(Value::as_bool)) {
        (ElicitationAction::Accept, Some(true) | None) => Confirmation::Yes,
        (ElicitationAction::Accept, Some(false)) | (ElicitationAction::Decline, _) => {
            Confirmation::No
        }
        _ => Confirmation::Nobody,
    }
}

/// Sends a client of the stateless era to ask its user what the agents need.
pub fn context_requests(requests: &[ContextRequestView]) -> InputRequests {
    requests
        .iter()
        .filter_map(|request| {
            let form = context_form(request)?;
            let key = format!("{CONTEXT}{}", request.request_id);
            Some((key, InputRequest::Elicitation(ElicitRequest::new(form))))
        })
        .collect()
}

/// Returns the answers that the client brought. A dismissed form leaves its request
/// open.
pub fn context_answers(responses: &InputResponses) -> Vec<ContextAnswer> {
    responses
        .iter()
        .filter_map(|(key, value)| {
            let request = key.strip_prefix(CONTEXT)?.to_owned();
            told(request, &elicited(value)?)
        })
        .collect()
}

/// The context requests it was asked and brought no answer to.
pub fn context_refusals(responses: &InputResponses) -> Vec<&str> {
    let told = context_answers(responses);
    let asked = responses.keys().filter_map(|key| key.strip_prefix(CONTEXT));
    asked.filter(|request| told.iter().all(|one| one.request != *request)).collect()
}

/// Returns whether the client brought anything for a context request, including a
/// refusal.
pub fn was_asked(responses: &InputResponses) -> bool {
    responses.keys().any(|key| key.starts_with(CONTEXT))
}

/// Asks a client of the older era, one request after the other.
pub async fn context_now(call: &Call, requests: &[ContextRequestView]) -> Vec<ContextAnswer> {
    let mut answers = Vec::new();
    for request in requests {
        let Some(form) = context_form(request) else { continue };
        let Some(result) = ask_now(call, form).await else { break };
        match told(request.request_id.clone(), &result) {
            Some(told) => answers.push(told),
            // Dismissed: there may be no user, and the other requests would be
            // dismissed too.
            None => break,
        }
    }
    answers
}

fn told(request: String, result: &ElicitResult) -> Option<ContextAnswer> {
    let said = result.content.as_ref().and_then(|content| content.get("answer"));
    let said = said.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    match result.action {
        ElicitationAction::Accept => {
            said.map(|text| ContextAnswer { request, content: Some(text.to_owned()) })
        }
        // Clients without a user decline by themselves, so that is no answer:
        // the request stays open for continue_roundtable.
        _ => None,
    }
}

fn elicited(value: &Value) -> Option<ElicitResult> {
    serde_json::from_value(value.clone()).ok()
}
