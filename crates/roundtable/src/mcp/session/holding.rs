//! Leads from a debate that was started, continued or asked for to its result:
//! waits as long as allowed, gets what the debate needs from the client, then shows
//! it.

use rmcp::model::{InputRequests, InputRequiredResult, Resource};

use super::asking::{self, Told};
use super::logging::CallLog;
use super::seal::State;
use super::waiting::{self, Waited};
use super::{sampling, tasks};
use crate::mcp::call::{Brought, Call, Era, Reply, Shown};
use crate::mcp::result::shapes::{DebateResult, Format, StatusWord};
use crate::mcp::result::shaping::{self, Analysis};
use engine::background::host::{ClientSeat, DebateSnapshot};
use engine::error::EngineError;

/// The caller's wishes about the answer.
pub struct Wish {
    pub wait_seconds: Option<u64>,
    pub format: Format,
    pub analysis: Analysis,
    pub notices: Vec<String>,
    pub kind: Kind,
    /// The number of the last log entry before this call; later entries go into the
    /// client's log. `None` if there is no log yet.
    pub before: Option<u64>,
}

/// The purpose of the call: to run the debate or only to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It may be answered with a task, and may ask the client's user.
    Holds,
    /// As [`Kind::Holds`], and returns at once.
    Background,
    Looks,
}

/// Waits for a debate and shows it.
pub async fn show(call: &Call, id: &str, wish: Wish) -> Result<Reply, EngineError> {
    if wish.kind != Kind::Looks {
        call.server.watched().holds(id);
    }
    if wish.kind == Kind::Holds && call.has_tasks() && call.brought.is_none() {
        let seen = call.host().look(id).await?;
        return Ok(Reply::Task(tasks::begun(&call.server, &seen, wish.format)));
    }
    // A caller that only looks gets no more than it asks for.
    if wish.kind != Kind::Looks || call.server.log().is_wanted() {
        call.server.log().follow(call, id, wish.before);
    }
    let mut log = CallLog::of(call, id, wish.before);
    let seconds = match wish.kind {
        Kind::Background => 0,
        Kind::Holds | Kind::Looks => waiting::allowed(call, wish.wait_seconds),
    };
    let mut asked = false;
    loop {
        if seconds > 0
            && let Waited::Wanted(wanted) = waiting::wait(call, id, seconds, log.as_mut()).await?
        {
            return Ok(ask(call, id, sampling::requests(&wanted)));
        }
        let seen = call.host().look(id).await?;
        let requests = shaping::required_requests(seen.debate.room());
        let may_ask = wish.kind == Kind::Holds && !asked && call.can_elicit();
        if requests.is_empty() || !may_ask || shaping::status(&seen) != StatusWord::NeedsContext {
            return Ok(shown(&seen, &wish).into());
        }
        match call.era() {
            // A client whose user did not answer is not asked again.
            Era::Modern if was_asked(call) => return Ok(shown(&seen, &wish).into()),
            Era::Modern => return Ok(ask(call, id, asking::context_requests(&requests))),
            Era::Legacy => {
                asked = true;
                let told = asking::context_now(call, &requests).await;
                if told.is_empty() {
                    return Ok(shown(&seen, &wish).into());
                }
                answer(call, id, told).await?;
            }
        }
    }
}

fn was_asked(call: &Call) -> bool {
    call.brought.as_ref().is_some_and(|brought| asking::was_asked(&brought.responses))
}

/// Applies what a client brings for a debate that waits for it.
pub async fn take_in(call: &Call, id: &str, brought: &Brought) -> Result<(), EngineError> {
    if let Some(seat) = call.host().client_seat(id) {
        sampling::bring(&seat, &brought.responses);
    }
    let told = asking::context_answers(&brought.responses);
    if told.is_empty() { Ok(()) } else { answer(call, id, told).await }
}

/// Answers context requests, and resumes the debate when none is open.
pub async fn answer(call: &Call, id: &str, told: Vec<Told>) -> Result<(), EngineError> {
    super::context::answer(call.host(), id, told).await?;
    let seen = call.host().look(id).await?;
    if shaping::status(&seen) == StatusWord::Paused {
        call.host().resume(id, None, ClientSeat::default()).await?;
    }
    Ok(())
}

fn ask(call: &Call, id: &str, requests: InputRequests) -> Reply {
    let state = call.server.seal().close(&State::Debate { id: id.into() }, &call.digest);
    Reply::Ask(InputRequiredResult::new(Some(requests), Some(state)))
}

fn shown(seen: &DebateSnapshot, wish: &Wish) -> Shown {
    result(&shaping::debate(seen, wish.format, wish.analysis, &wish.notices))
}

/// A debate's result, with the transcript to follow.
pub fn result(result: &DebateResult) -> Shown {
    Shown::of(result).with_links(vec![transcript(&result.session_id)])
}

pub fn transcript(id: &str) -> Resource {
    Resource::new(shaping::transcript_uri(id), "transcript.md")
        .with_title("Transcript")
        .with_description("Everything that was said in this debate, as Markdown.")
        .with_mime_type("text/markdown")
}
