//! Requests that agents make of the people who called a debate: listing, answering
//! and declining them. An unknown name is refused with the names of the open
//! requests.

use debate::Debate;
use debate::model::{ContextId, ContextRequest, GivenContext, PauseReason, Status};
use store::{DebateCommand, Store, StoreError};

use crate::config::Config;
use crate::error::EngineError;
use crate::run;
use crate::sessions::list;

/// The longest answer, in characters.
const LONGEST_ANSWER: usize = 20_000;

/// The requests of a debate, and its status.
#[derive(Debug)]
pub struct OpenContextRequests {
    pub id: String,
    /// Requests that are neither answered nor declined.
    pub open: Vec<ContextRequest>,
    /// True if the debate paused for required requests and all of them are settled.
    pub ready: bool,
}

impl OpenContextRequests {
    fn of(id: String, debate: &Debate) -> OpenContextRequests {
        let room = debate.room();
        let paused =
            matches!(room.status, Status::Paused { reason: PauseReason::NeedsContext { .. } });
        let ready = paused && room.required_requests().next().is_none();
        OpenContextRequests { id, open: room.open_requests().cloned().collect(), ready }
    }
}

/// The result of an answer.
#[derive(Debug)]
pub struct ContextAnswered {
    /// All requests that asked the same and are settled by this answer.
    pub settled: Vec<ContextId>,
    pub asked: OpenContextRequests,
}

/// Returns the requests of a debate.
pub async fn asked(config: &Config, id: &str) -> Result<OpenContextRequests, EngineError> {
    let session = list::show(config, id).await?;
    Ok(OpenContextRequests::of(session.id, &session.debate))
}

/// Answers or declines a request; without a name, the only open one.
pub async fn give(
    config: &Config,
    id: &str,
    name: Option<&str>,
    given: GivenContext,
) -> Result<ContextAnswered, EngineError> {
    let given = checked(given)?;
    let session = list::show(config, id).await?;
    session.debate.may(debate::LifecycleCommand::Answer)?;
    let before = OpenContextRequests::of(session.id, &session.debate);
    let request = chosen(name, &session.debate, &before.open)?;
    let store = match Store::open_existing(&config.paths.database).await {
        Err(StoreError::Missing { .. }) => {
            return Err(EngineError::input(format!("there is no debate {id:?}")));
        }
        opened => opened?,
    };
    let done = run::control(&store, &before.id, DebateCommand::Context { request, given }).await;
    store.close().await;
    done?;
    let session = list::show(config, &before.id).await?;
    let asked = OpenContextRequests::of(session.id, &session.debate);
    let is_open = |id: ContextId| asked.open.iter().any(|it| it.id == id);
    if is_open(request) {
        let refused = session.debate.room().safety.refused.last();
        let why = refused.map_or_else(String::new, |it| format!(": {}", it.reasons.join("; ")));
        return Err(EngineError::input(format!("the answer to {request} was not let in{why}")));
    }
    let settled = before.open.iter().map(|it| it.id).filter(|id| !is_open(*id)).collect();
    Ok(ContextAnswered { settled, asked })
}

fn checked(given: GivenContext) -> Result<GivenContext, EngineError> {
    let GivenContext::Answered { text } = given else { return Ok(given) };
    let text = text.trim().to_owned();
    match text.chars().count() {
        0 => Err(EngineError::input("the answer is empty; say something, or use --decline")),
        length if length > LONGEST_ANSWER => Err(EngineError::input(format!(
            "the answer has {length} characters; allowed: 1 to 20,000"
        ))),
        _ => Ok(GivenContext::Answered { text }),
    }
}

/// Finds the request that is meant among the open ones.
fn chosen(
    name: Option<&str>,
    debate: &Debate,
    open: &[ContextRequest],
) -> Result<ContextId, EngineError> {
    let refused = |what: String| {
        let mut lines = vec![what];
        match open {
            [] => lines.push("Nothing is open: no agent waits for an answer.".into()),
            open => {
                lines.push("Open are:".into());
                lines.extend(open.iter().map(|request| format!("  {}", request.sentence())));
            }
        }
        EngineError::Input(lines)
    };
    let Some(name) = name else {
        return match open {
            [only] => Ok(only.id),
            [] => Err(refused("there is nothing to answer.".into())),
            _ => Err(refused("say which request you answer: ID REQUEST TEXT.".into())),
        };
    };
    let id = read_name(name).ok_or_else(|| {
        refused(format!("{name:?} names no request; requests are called c1, c2 and so on."))
    })?;
    if open.iter().any(|request| request.id == id) {
        return Ok(id);
    }
    Err(refused(match debate.room().context.iter().find(|request| request.id == id) {
        Some(request) => match &request.given {
            Some(GivenContext::Declined) => format!("{id} was declined already."),
            _ => format!("{id} was answered already."),
        },
        None => format!("nobody asked {id}."),
    }))
}

/// Parses a request's name as people type it.
pub fn read_name(text: &str) -> Option<ContextId> {
    text.trim().to_lowercase().parse().ok()
}
