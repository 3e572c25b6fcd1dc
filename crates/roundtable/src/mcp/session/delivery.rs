//! Leads from a debate that was started, continued or asked for to its result:
//! waits as long as allowed, gets what the debate needs from the client, then shows
//! it.

use rmcp::model::{InputRequests, InputRequiredResult};

use super::elicitation;
use super::logging::CallLog;
use super::seal::SealedState;
use super::waiting::{self, WaitEnd};
use super::{context, pause_facts, sampling, tasks};
use crate::mcp::call::{Call, ToolReply};
use crate::mcp::era::ProtocolEra;
use crate::mcp::result::shapes::{LengthWord, StatusWord};
use crate::mcp::result::shaping::{self, AnalysisWish, ShapeWish};
use crate::mcp::result::shown::ShownResult;
use engine::background::host::DebateSnapshot;
use engine::error::EngineError;

/// The caller's wishes about the answer.
pub struct ResultWish {
    pub wait_seconds: Option<u64>,
    pub format: LengthWord,
    pub analysis: AnalysisWish,
    pub notices: Vec<String>,
    pub kind: CallPurpose,
    /// The number of the last log entry before this call; later entries go into the
    /// client's log. `None` if there is no log yet.
    pub before: Option<u64>,
}

/// The purpose of the call: to run the debate or only to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPurpose {
    /// It may be answered with a task, and may ask the client's user.
    Holds,
    /// As [`CallPurpose::Holds`], and returns at once.
    Background,
    Looks,
}

impl CallPurpose {
    /// The purpose of a call that starts or resumes a debate and waits so long.
    pub fn of_start(wait_seconds: Option<u64>) -> CallPurpose {
        if wait_seconds == Some(0) { CallPurpose::Background } else { CallPurpose::Holds }
    }
}

/// Waits for a debate and shows it.
pub async fn show(call: &Call, id: &str, wish: ResultWish) -> Result<ToolReply, EngineError> {
    if wish.kind != CallPurpose::Looks {
        call.connection.cancellations().holds(id);
    }
    if wish.kind == CallPurpose::Holds && call.has_tasks() && call.brought.is_none() {
        let seen = call.host().look(id).await?;
        return Ok(ToolReply::Task(tasks::begun(&call.connection, &seen, wish.format)));
    }
    // A caller that only looks gets no more than it asks for.
    if wish.kind != CallPurpose::Looks || call.connection.log().is_wanted() {
        call.connection.log().follow(call.host(), &call.context, id, wish.before);
    }
    let mut log = CallLog::of(call.host(), &call.context, id, wish.before);
    let seconds = match wish.kind {
        CallPurpose::Background => 0,
        CallPurpose::Holds | CallPurpose::Looks => waiting::allowed(call, wish.wait_seconds),
    };
    let mut asked = false;
    loop {
        if seconds > 0
            && let WaitEnd::Wanted(wanted) = waiting::wait(call, id, seconds, log.as_mut()).await?
        {
            return Ok(ask(call, id, sampling::requests(&wanted)).await);
        }
        let seen = call.host().look(id).await?;
        let requests = shaping::required_requests(seen.debate.room());
        let may_ask = wish.kind == CallPurpose::Holds && !asked && call.can_elicit();
        if requests.is_empty() || !may_ask || shaping::status(&seen) != StatusWord::NeedsContext {
            return Ok(shown(call, &seen, &wish).await.into());
        }
        match call.era() {
            // A client whose user did not answer is not asked again.
            ProtocolEra::Modern if was_asked(call) => {
                return Ok(shown(call, &seen, &wish).await.into());
            }
            ProtocolEra::Modern => {
                return Ok(ask(call, id, elicitation::context_requests(&requests)).await);
            }
            ProtocolEra::Legacy => {
                asked = true;
                let told = elicitation::context_now(call, &requests).await;
                if told.is_empty() {
                    return Ok(shown(call, &seen, &wish).await.into());
                }
                context::answer_and_resume(call, id, told).await?;
            }
        }
    }
}

fn was_asked(call: &Call) -> bool {
    call.brought.as_ref().is_some_and(|brought| elicitation::was_asked(&brought.responses))
}

async fn ask(call: &Call, id: &str, requests: InputRequests) -> ToolReply {
    let progress = call.progress.lock().await.sent();
    let state = SealedState::Debate { id: id.into(), progress };
    let state = call.connection.seal().close(&state, &call.digest);
    ToolReply::Ask(InputRequiredResult::new(Some(requests), Some(state)))
}

async fn shown(call: &Call, seen: &DebateSnapshot, wish: &ResultWish) -> ShownResult {
    let wish = ShapeWish {
        format: wish.format,
        analysis: wish.analysis,
        notices: wish.notices.clone(),
        facts: pause_facts::of(call.host(), seen).await,
    };
    ShownResult::of_debate(&shaping::debate(seen, &wish))
}
