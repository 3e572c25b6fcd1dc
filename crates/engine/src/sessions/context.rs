//! Requests that agents make of the people who called a debate: listing, answering
//! and declining them. An unknown name is refused with the names of the open
//! requests.

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{ContextId, ContextRequest, GivenContext, PauseReason, Question, Status};
use store::DebateCommand;

use crate::config::Config;
use crate::error::{
    At, EngineError, LengthUnit, Problem, Refusal, Remedy, RequestFault, SessionProblem,
    SettingName,
};
use crate::people::touch;
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
#[boxed]
pub async fn asked(config: &Config, id: &str) -> Result<OpenContextRequests, EngineError> {
    let session = list::show(config, id).await?;
    Ok(OpenContextRequests::of(session.id, &session.debate))
}

/// Answers or declines a request; without a name, the only open one.
#[boxed]
pub async fn give(
    config: &Config,
    id: &str,
    name: Option<&str>,
    given: GivenContext,
) -> Result<ContextAnswered, EngineError> {
    let given = checked(given)?;
    let (store, row) = touch::steered(config, id, "answered a question").await?;
    let session = list::show(config, &row.id).await?;
    session.debate.may(debate::LifecycleCommand::Answer)?;
    let before = OpenContextRequests::of(session.id, &session.debate);
    let request = chosen(name, &session.debate, &before.open)?;
    check_turn(&session.debate, request, &given)?;
    let done = run::control(&store, &before.id, DebateCommand::Context { request, given }).await;
    store.close().await;
    done?;
    let session = list::show(config, &before.id).await?;
    let asked = OpenContextRequests::of(session.id, &session.debate);
    let is_open = |id: ContextId| asked.open.iter().any(|it| it.id == id);
    if is_open(request) {
        let refused = session.debate.room().safety.refused.last();
        let reasons = refused.map(|it| it.reasons.iter().map(ToString::to_string).collect());
        let problem = SessionProblem::AnswerBlocked { reasons: reasons.unwrap_or_default() };
        let at = At::Request(request.to_string());
        return Err(Refusal::new(at, Problem::Session(problem)).into());
    }
    let settled = before.open.iter().map(|it| it.id).filter(|id| !is_open(*id)).collect();
    Ok(ContextAnswered { settled, asked })
}

fn checked(given: GivenContext) -> Result<GivenContext, EngineError> {
    let GivenContext::Answered { text } = given else { return Ok(given) };
    let text = text.trim().to_owned();
    let answer = At::Setting(SettingName::Answer);
    match text.chars().count() {
        0 => {
            let problem = Problem::Missing { expected: "a text".into() };
            Err(Refusal::new(answer, problem).help(Remedy::Decline).into())
        }
        found if found > LONGEST_ANSWER => {
            let allowed = "1 to 20,000".into();
            let problem = Problem::Length { found, unit: LengthUnit::Characters, allowed };
            Err(Refusal::new(answer, problem).into())
        }
        _ => Ok(GivenContext::Answered { text }),
    }
}

/// Refuses the answer of a person to a closed question that says neither of its answers.
fn check_turn(
    debate: &Debate,
    request: ContextId,
    given: &GivenContext,
) -> Result<(), EngineError> {
    let GivenContext::Answered { text } = given else { return Ok(()) };
    let asked = debate.room().open_requests().find(|it| it.id == request && it.is_turn);
    if asked.is_none_or(|asked| debate.is_countable(asked, text)) {
        return Ok(());
    }
    let allowed = match &debate.room().brief.question {
        Question::Open | Question::YesNo => "yes or no first, then why".to_owned(),
        Question::Options { options } => format!("{} first, then why", options.join(" or ")),
        Question::Number { .. } => "a number first, then why".into(),
        Question::Probability => "a percentage first, then why".into(),
    };
    let at = At::Setting(SettingName::Answer);
    Err(Refusal::new(at, Problem::out_of_range(allowed)).given(text).into())
}

/// Finds the request that is meant among the open ones.
fn chosen(
    name: Option<&str>,
    debate: &Debate,
    open: &[ContextRequest],
) -> Result<ContextId, EngineError> {
    let refused = |fault: RequestFault| -> EngineError {
        let at = At::Request(name.unwrap_or_default().to_owned());
        let problem = SessionProblem::NoSuchRequest { fault, open: open.to_vec() };
        Refusal::new(at, Problem::Session(problem)).into()
    };
    let Some(name) = name else {
        return match open {
            [only] => Ok(only.id),
            [] => Err(refused(RequestFault::NothingOpen)),
            _ => Err(refused(RequestFault::NotNamed)),
        };
    };
    let id = read_name(name).ok_or_else(|| refused(RequestFault::NoName))?;
    if open.iter().any(|request| request.id == id) {
        return Ok(id);
    }
    Err(refused(match debate.room().context.iter().find(|request| request.id == id) {
        Some(request) => match &request.given {
            Some(GivenContext::Declined) => RequestFault::Declined,
            _ => RequestFault::Answered,
        },
        None => RequestFault::NotAsked,
    }))
}

/// Parses a request's name as people type it.
pub fn read_name(text: &str) -> Option<ContextId> {
    text.trim().to_lowercase().parse().ok()
}
