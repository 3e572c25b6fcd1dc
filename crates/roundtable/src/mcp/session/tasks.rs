//! Debates as tasks, for clients that declare them. A task has no state of its own.
//! Its name is the debate's, with the moment it began, the caller's wishes about
//! the answer and the caller's mark; its state is read from the debate's log each
//! time. So it outlives this process, and a task that was ended by a pause stays
//! ended when the debate is resumed: that is another task. Debates are kept until a
//! user deletes them, and so are tasks, so no time to live is named.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, GetTaskResult, InputResponses, Task,
    TaskPayload, TaskStatus, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use debate::Debate;
use debate::model::{Event, PauseReason, Status};
use engine::nouns::DebateCommand;

use super::connection::Connection;
use super::seal::{SealedState, TaskName};
use super::{context, elicitation, pause_facts, sampling};
use crate::mcp::call::{BroughtAnswers, Call};
use crate::mcp::result::shapes::{LengthWord, StatusWord};
use crate::mcp::result::shaping::{self, AnalysisWish, ShapeWish, short};
use crate::mcp::result::shown::ShownResult;
use crate::mcp::wording::refused;
use engine::background::host::{DebateProgress, DebateSnapshot, RunsWhere};
use engine::sessions::control;

const POLL_MS: u64 = 3_000;

/// The task that a debate is, as it begins.
pub fn begun(
    connection: &Connection,
    seen: &DebateSnapshot,
    format: LengthWord,
) -> CreateTaskResult {
    let name = TaskName { session: seen.id.clone(), since: seen.seq, format };
    CreateTaskResult::new(task(connection.seal().task_id(&name), seen))
}

fn task(name: String, seen: &DebateSnapshot) -> Task {
    let line = DebateProgress::of(seen.debate.room()).stage();
    Task::new(name, TaskStatus::Working, moment(seen.created), moment(seen.updated))
        .with_status_message(short(&line, 200))
        .with_poll_interval_ms(POLL_MS)
}

fn moment(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|at| at.to_string()).unwrap_or_default()
}

fn unknown(task: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task {task:?}"), None)
}

/// A task as it was found.
struct FoundTask {
    /// The debate as it was when the task ended, else as it is.
    seen: DebateSnapshot,
    format: LengthWord,
    state: TaskState,
}

/// The state of a task: still open, or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskState {
    Open,
    Ended,
}

async fn find(connection: &Connection, task: &str) -> Result<FoundTask, ErrorData> {
    let name = connection.seal().read_task(task).ok_or_else(|| unknown(task))?;
    let host = connection.host();
    let now = host.look(&name.session).await.map_err(|_| unknown(task))?;
    let store = host.store_of(&now.id).await.map_err(|_| unknown(task))?;
    let since = store.log_after(&now.id, name.since).await.map_err(|_| unknown(task))?;
    let Some(end) = since.iter().find(|recorded| ends(&recorded.event)) else {
        return Ok(FoundTask { seen: now, format: name.format, state: TaskState::Open });
    };
    let mut log = store.log(&now.id).await.map_err(|_| unknown(task))?;
    log.retain(|recorded| recorded.seq <= end.seq);
    let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event));
    let debate = debate.map_err(|_| unknown(task))?;
    let (updated, seq) = (end.at, end.seq);
    let seen = DebateSnapshot { debate, updated, seq, attended: RunsWhere::Nowhere, ..now };
    Ok(FoundTask { seen, format: name.format, state: TaskState::Ended })
}

/// Returns whether an event ends a task. A debate that waits for its caller
/// continues with the answer, within the same task.
fn ends(event: &Event) -> bool {
    match event {
        Event::Ended { .. } => true,
        Event::Paused { reason } => !matches!(reason, PauseReason::NeedsContext { .. }),
        _ => false,
    }
}

fn call(connection: &Connection, context: RequestContext<RoleServer>) -> Call {
    Call::new(connection.clone(), context, String::new(), None)
}

pub async fn get(
    connection: &Connection,
    name: &str,
    context: RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let FoundTask { seen, format, .. } = find(connection, name).await?;
    let call = call(connection, context);
    let task = task(name.into(), &seen);
    let payload = payload(&call, &seen, format).await;
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

async fn payload(call: &Call, seen: &DebateSnapshot, format: LengthWord) -> TaskPayload {
    let room = seen.debate.room();
    let status = shaping::status(seen);
    match status {
        StatusWord::Queued | StatusWord::Running => {
            let seat = call.host().client_seat(&seen.id).filter(|_| call.can_sample());
            let wanted = seat.map(|seat| seat.wanted()).unwrap_or_default();
            if wanted.is_empty() {
                TaskPayload::Working
            } else {
                TaskPayload::InputRequired { input_requests: sampling::requests(&wanted) }
            }
        }
        StatusWord::NeedsContext if may_ask(call, seen) => {
            let required = shaping::required_requests(room);
            TaskPayload::InputRequired { input_requests: elicitation::context_requests(&required) }
        }
        // Cancelling a task pauses the debate.
        StatusWord::Paused if room.status == (Status::Paused { reason: PauseReason::Asked }) => {
            TaskPayload::Cancelled
        }
        _ => {
            let facts = pause_facts::of(call.host(), seen).await;
            let (analysis, notices) = (AnalysisWish::None, Vec::new());
            let wish = ShapeWish { format, analysis, notices, facts };
            let shown = shaping::debate(seen, &wish);
            completed(&ShownResult::of_debate(&shown).result())
        }
    }
}

/// A client whose user would not answer is not asked again: it would follow the
/// task for ever.
fn may_ask(call: &Call, seen: &DebateSnapshot) -> bool {
    let required = shaping::required_requests(seen.debate.room());
    let refused = |request: &str| call.connection.refused_questions().is_refused(&seen.id, request);
    call.can_elicit() && !required.iter().any(|one| refused(&one.request_id))
}

fn completed(result: &CallToolResult) -> TaskPayload {
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => TaskPayload::Completed { result },
        _ => TaskPayload::Working,
    }
}

/// Applies what the client brings for a debate that waits for it.
pub async fn update(
    connection: &Connection,
    request: UpdateTaskParams,
    context: RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let FoundTask { seen, state, .. } = find(connection, &request.task_id).await?;
    if state == TaskState::Ended {
        return Ok(());
    }
    let call = call(connection, context);
    let state = SealedState::Debate { id: seen.id.clone(), progress: 0.0 };
    for refused in open_refusals(&seen, &request.input_responses) {
        connection.refused_questions().refuse(&seen.id, refused);
    }
    let brought = BroughtAnswers { state, responses: request.input_responses };
    match context::take_in(&call, &seen.id, &brought).await {
        Ok(()) => Ok(()),
        Err(trouble) => {
            let said = refused(&trouble);
            let text = said.content.first().and_then(|block| block.as_text());
            let text = text.map_or_else(String::new, |text| text.text.clone());
            Err(ErrorData::invalid_params(text, None))
        }
    }
}

/// Returns the open requests that the user refused; unknown names are ignored.
fn open_refusals<'r>(seen: &DebateSnapshot, responses: &'r InputResponses) -> Vec<&'r str> {
    let open = shaping::required_requests(seen.debate.room());
    let mut refused = elicitation::context_refusals(responses);
    refused.retain(|name| open.iter().any(|one| one.request_id == *name));
    refused
}

/// Pauses the debate: nothing that was answered is lost, and it can go on.
pub async fn cancel(connection: &Connection, name: &str) -> Result<(), ErrorData> {
    let FoundTask { seen, state, .. } = find(connection, name).await?;
    // An ended task no longer belongs to this caller: another may have resumed the
    // debate.
    if state == TaskState::Open && !seen.debate.room().status.is_over() {
        // One that is paused already stays so.
        let _ = control::control(connection.host().config(), &seen.id, DebateCommand::Pause).await;
    }
    Ok(())
}
