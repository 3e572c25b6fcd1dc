//! Answers to what agents asked for. All of them are checked before the first
//! is given, so that a wrong name leaves nothing half done.

use debate::model::GivenContext;

use super::elicitation::{self, ContextAnswer};
use super::sampling;
use crate::mcp::call::{BroughtAnswers, Call};
use crate::mcp::result::shapes::StatusWord;
use crate::mcp::result::shaping;
use engine::background::host::{ClientSeat, Host};
use engine::error::EngineError;
use engine::sessions::context;

pub async fn answer(host: &Host, id: &str, told: Vec<ContextAnswer>) -> Result<(), EngineError> {
    let asked = context::asked(host.config(), id).await?;
    let is_open = |name: &str| {
        let wanted = context::read_name(name);
        wanted.is_some_and(|wanted| asked.open.iter().any(|request| request.id == wanted))
    };
    let strangers: Vec<&str> =
        told.iter().map(|one| one.request.as_str()).filter(|name| !is_open(name)).collect();
    if !strangers.is_empty() {
        let open: Vec<String> = asked.open.iter().map(|request| request.sentence()).collect();
        let open = if open.is_empty() {
            "nothing is open; call continue_roundtable without contextResults".into()
        } else {
            format!("open are: {}", open.join("; "))
        };
        return Err(EngineError::input(format!(
            "contextResults: no agent waits for {}; {open}",
            strangers.join(", ")
        )));
    }
    let mut settled = Vec::new();
    for one in told {
        // An answer settles all requests that ask the same.
        if context::read_name(&one.request).is_some_and(|name| settled.contains(&name)) {
            continue;
        }
        let given = match one.content {
            Some(text) => GivenContext::Answered { text },
            None => GivenContext::Declined,
        };
        settled.extend(context::give(host.config(), id, Some(&one.request), given).await?.settled);
    }
    Ok(())
}

/// Applies what a client brings for a debate that waits for it.
pub async fn take_in(call: &Call, id: &str, brought: &BroughtAnswers) -> Result<(), EngineError> {
    if let Some(seat) = call.host().client_seat(id) {
        sampling::bring(&seat, &brought.responses);
    }
    let told = elicitation::context_answers(&brought.responses);
    if told.is_empty() { Ok(()) } else { answer_and_resume(call, id, told).await }
}

/// Answers context requests, and resumes the debate when none is open.
pub async fn answer_and_resume(
    call: &Call,
    id: &str,
    told: Vec<ContextAnswer>,
) -> Result<(), EngineError> {
    answer(call.host(), id, told).await?;
    let seen = call.host().look(id).await?;
    if shaping::status(&seen) == StatusWord::Paused {
        call.host().resume(id, None, ClientSeat::default()).await?;
    }
    Ok(())
}
