//! Everything that changes a debate: pause, go on, stop, a remark, a focus, the answer to
//! an agent's question, dropping an agent, and how a decision turned out. Each is a form that is posted and
//! comes back to the debate.

use ::debate::model::{
    ContextRequest, GivenContext, MicroUsd, OutcomeForm, PauseReason, SeatId, Status, counted,
};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use engine::background::host::{ClientSeat, RunsWhere};
use engine::error::EngineError;
use engine::nouns::{DebateCommand, StoreError};
use engine::outcomes::post_mortem::{self, RepeatPolicy};
use engine::outcomes::track::{self, EntryForm};
use engine::people::touch;
use engine::sessions::follow_up::{self, ForkWish};
use engine::sessions::{context, control};
use engine::table::money;

use super::WebState;
use super::debate;
use super::fields::{FailedForm, FormFields, encoded};
use super::new_debate::CALLER;
use super::wording;

pub async fn steer(
    web: WebState,
    headers: HeaderMap,
    Path((id, action)): Path<(String, String)>,
    body: Bytes,
) -> Response {
    let form = FormFields::of_body(&body);
    let result = carry_out(&web, &id, &action, &form).await;
    done(&web, &headers, &id, &FailedForm::new(&id, &action, &form), result).await
}

/// Says what was done, to the script or by going back to the debate. A form that failed
/// comes back with the fault and what was typed.
async fn done(
    web: &WebState,
    headers: &HeaderMap,
    id: &str,
    form: &FailedForm,
    result: Result<String, EngineError>,
) -> Response {
    match result {
        // A debate that the reader may not steer is answered as one that is not there.
        Err(error) if wording::by_script(headers) || is_unknown(&error) => {
            wording::refused(headers, &error)
        }
        Err(error) => {
            let mut failed = form.clone();
            failed.fault = wording::lines(&error).join(" ");
            match debate::again(web, headers, id, failed).await {
                Some(page) => page,
                None => wording::refused(headers, &error),
            }
        }
        Ok(said) if wording::by_script(headers) => {
            let body = serde_json::json!({ "message": said }).to_string();
            (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Ok(said) => Redirect::to(&format!("/debates/{id}?said={}", encoded(&said))).into_response(),
    }
}

fn is_unknown(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Unknown { .. }))
}

async fn carry_out(
    web: &WebState,
    id: &str,
    action: &str,
    form: &FormFields,
) -> Result<String, EngineError> {
    let config = web.host.config();
    let text = form.get("text").trim().to_owned();
    let command = match action {
        "pause" => DebateCommand::Pause,
        "stop" => DebateCommand::Stop,
        "remark" => DebateCommand::Remark(text),
        "focus" => DebateCommand::Focus(text),
        "drop" => DebateCommand::Drop(seat(form)?),
        "share" | "unshare" => return share(web, id, action == "share").await,
        "go-on" => return go_on(web, id, form).await,
        "answer" | "skip" => return answer(web, id, action, form).await,
        other => return Err(EngineError::input(format!("the page cannot do {other:?}"))),
    };
    let said = match &command {
        DebateCommand::Pause => "Paused. Answers on their way are still kept.",
        DebateCommand::Stop => "Stopped. Answers so far are kept.",
        DebateCommand::Remark(_) => "Remark sent. All agents see it in the next round.",
        _ => "Focus set for the next round.",
    };
    let dropped = match &command {
        DebateCommand::Drop(seat) => Some(*seat),
        _ => None,
    };
    control::control(config, id, command).await?;
    match dropped {
        Some(seat) => after_drop(web, id, seat).await,
        None => Ok(said.into()),
    }
}

/// The seat that a form names, counted from 1.
fn seat(form: &FormFields) -> Result<SeatId, EngineError> {
    let number = form.get("seat").parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.map(SeatId).ok_or_else(|| EngineError::input("choose the agent to drop"))
}

/// Says who left. A debate that only waited for lack of answers goes on without it.
async fn after_drop(web: &WebState, id: &str, seat: SeatId) -> Result<String, EngineError> {
    let seen = web.host.look(id).await?;
    let room = seen.debate.room();
    let name = room.seats.get(seat.index()).map_or_else(String::new, |one| one.name.clone());
    let waited = matches!(room.status, Status::Paused { reason: PauseReason::QuorumLost { .. } });
    if waited && seen.attended == RunsWhere::Nowhere {
        web.host.resume(id, None, ClientSeat::default()).await?;
    }
    Ok(format!("{name} is dropped and asked no more. Its answers so far are kept."))
}

async fn share(web: &WebState, id: &str, shared: bool) -> Result<String, EngineError> {
    touch::share(web.host.config(), id, shared).await?;
    Ok(if shared { "Shared with the team." } else { "Private again." }.into())
}

/// Goes on with a debate that is paused or was cut off, with a new limit where one is
/// given.
async fn go_on(web: &WebState, id: &str, form: &FormFields) -> Result<String, EngineError> {
    let cap: Option<MicroUsd> = money::raised(form.some("budget").as_deref())?;
    web.host.resume(id, cap, ClientSeat::default()).await?;
    Ok("The debate goes on.".into())
}

async fn answer(
    web: &WebState,
    id: &str,
    action: &str,
    form: &FormFields,
) -> Result<String, EngineError> {
    let is_turn = form.some("turn").is_some();
    let given = match action {
        "skip" => GivenContext::Declined,
        _ if is_turn => {
            // An empty answer is refused as such, not for the figure below it.
            let text = ContextRequest::turn_text(form.get("text"), sure(form)?);
            let is_empty = form.some("text").is_none();
            GivenContext::Answered { text: if is_empty { String::new() } else { text } }
        }
        _ => GivenContext::Answered { text: form.get("text").into() },
    };
    let skipped = given == GivenContext::Declined;
    let request = form.some("request");
    let answered = context::give(web.host.config(), id, request.as_deref(), given).await?;
    // The debate was waiting for this answer only.
    if answered.asked.ready {
        web.host.resume(id, None, ClientSeat::default()).await?;
    }
    Ok(match (is_turn, skipped) {
        (true, true) => "You passed.",
        (true, false) => "Your answer is in. The others see it after this round.",
        (false, true) => "Question skipped.",
        (false, false) => "Answer sent to all agents.",
    }
    .into())
}

/// How sure a person is of their answer, in per cent.
fn sure(form: &FormFields) -> Result<Option<u8>, EngineError> {
    let Some(typed) = form.some("confidence") else { return Ok(None) };
    let percent = typed.trim_end_matches('%').trim().parse().ok();
    let percent = percent.filter(|percent: &u8| *percent <= 100);
    let fault = "How sure are you: give a whole number from 0 to 100, or leave it empty";
    percent.map(Some).ok_or_else(|| EngineError::input(fault))
}

pub async fn outcome(
    web: WebState,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let form = FormFields::of_body(&body);
    let result = record(&web, &id, &form).await;
    done(&web, &headers, &id, &FailedForm::new(&id, "outcome", &form), result).await
}

/// Branches off a debate and leads to the branch.
pub async fn fork(
    web: WebState,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let form = FormFields::of_body(&body);
    match branch(&web, &id, &form).await {
        Ok(branch) => Redirect::to(&format!("/debates/{branch}")).into_response(),
        Err(error) => wording::refused(&headers, &error),
    }
}

async fn branch(web: &WebState, id: &str, form: &FormFields) -> Result<String, EngineError> {
    let round = form.get("round").parse();
    let round = round.map_err(|_| EngineError::input("choose the round to branch off after"))?;
    let wish = ForkWish { round, focus: form.some("focus"), ..ForkWish::default() };
    web.host.admit(CALLER)?;
    let branch = follow_up::fork(web.host.config(), id, &wish).await?;
    Ok(web.host.resume(&branch, None, ClientSeat::default()).await?.id)
}

async fn record(web: &WebState, id: &str, form: &FormFields) -> Result<String, EngineError> {
    let config = web.host.config();
    if form.some("later").is_some() {
        let day = later()?;
        let entry = EntryForm { ask_on: Some(day.clone()), ..EntryForm::default() };
        track::track(config, id, &entry).await?;
        return Ok(format!("You will be asked on {day}."));
    }
    let accuracy = form.get("accuracy").parse::<f64>().ok();
    let accuracy = accuracy.ok_or_else(|| EngineError::input("choose how it turned out"))?;
    let judged = OutcomeForm {
        decision_accuracy: Some(accuracy),
        summary: form.get("summary").trim().into(),
        ..OutcomeForm::default()
    };
    let report = post_mortem::assess(config, id, &judged, RepeatPolicy::Replace, None).await?;
    let moved = report.changes.len();
    Ok(format!("Outcome recorded. {} changed.", counted(moved, "estimate")))
}

/// The day in three months.
fn later() -> Result<String, EngineError> {
    let cannot = |_| EngineError::input("the date cannot be computed");
    let today: jiff::civil::Date = engine::clock::today().parse().map_err(cannot)?;
    let day = today.checked_add(jiff::Span::new().months(3)).map_err(cannot)?;
    Ok(day.to_string())
}
