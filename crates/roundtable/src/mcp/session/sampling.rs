//! The client's own model at the table. Clients of the older era are asked while
//! the call runs; the others are sent to ask it and call again with what it said.
// The protocol has deprecated lending a model and keeps it until July 2027 at least.
#![allow(deprecated)]

use debate::model::{Bill, Failure, FailureClass, Finish, Reply};
use rmcp::model::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, InputRequest,
    InputRequests, InputResponses, SamplingMessage,
};
use rmcp::service::{Peer, RoleServer};

use engine::background::host::{ClientAsk, ClientSeat};

/// Marks what belongs here among the things a client brings.
const MARK: &str = "sample:";

/// Asks the client now, and hands on what its model says.
pub async fn ask_now(peer: &Peer<RoleServer>, seat: &ClientSeat, wanted: ClientAsk) {
    let answer = match peer.create_message(params(&wanted)).await {
        Ok(result) => read(result),
        Err(error) => Err(client_failed(&format!("the client's model was not lent: {error}"))),
    };
    seat.bring(&wanted.key, answer);
}

/// Returns the requests that the client is asked to pass to its model.
pub fn requests(wanted: &[ClientAsk]) -> InputRequests {
    wanted
        .iter()
        .map(|one| {
            let request = CreateMessageRequest::new(params(one));
            (format!("{MARK}{}", one.key), InputRequest::CreateMessage(request))
        })
        .collect()
}

/// Hands on what the client brought back.
pub fn bring(seat: &ClientSeat, responses: &InputResponses) {
    for (key, value) in responses {
        let Some(key) = key.strip_prefix(MARK) else { continue };
        let answer = match serde_json::from_value::<CreateMessageResult>(value.clone()) {
            Ok(result) => read(result),
            Err(_) => Err(client_failed("the client brought no answer of its model")),
        };
        seat.bring(key, answer);
    }
}

fn params(wanted: &ClientAsk) -> CreateMessageRequestParams {
    let messages = vec![SamplingMessage::user_text(wanted.user.clone())];
    CreateMessageRequestParams::new(messages, wanted.max_output_tokens)
        .with_system_prompt(wanted.system.clone())
        .with_temperature(wanted.temperature as f32)
}

fn read(result: CreateMessageResult) -> Result<Reply, Failure> {
    let parts = result.message.content.iter();
    let text: Vec<&str> =
        parts.filter_map(|part| part.as_text()).map(|part| part.text.as_str()).collect();
    if text.iter().all(|part| part.trim().is_empty()) {
        return Err(client_failed("the client's model said nothing"));
    }
    let cut = result.stop_reason.as_deref() == Some(CreateMessageResult::STOP_REASON_END_MAX_TOKEN);
    Ok(Reply {
        text: text.concat(),
        model: result.model,
        // The client's user pays for the call, and its price is not reported.
        bill: Bill::default(),
        finish: if cut { Finish::CutOff } else { Finish::Complete },
        tries: 1,
        ..Reply::default()
    })
}

/// A failure of the caller's own model.
fn client_failed(message: &str) -> Failure {
    Failure {
        class: FailureClass::Declined,
        message: message.into(),
        tries: 1,
        bill: Bill::default(),
    }
}
