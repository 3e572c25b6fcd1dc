//! One debate: the live table while it is not over, the designed document afterwards,
//! and its exports.

use askama::Template;
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use engine::background::host::DebateSnapshot;
use engine::error::EngineError;
use engine::export;
use engine::outcomes::{linked, track};

use super::WebState;
use super::fields::{FailedForm, FormFields, ShareForm, encoded};
use super::frame::{self, PageTab};
use super::{live, wording};
use crate::document::Labels;
use crate::document::escape::clean_line;
use crate::document::words;
use crate::report::debate::ReportedDebate;
use crate::report::formats::{ExportFormat, FORMATS};
use crate::report::sheet::Sheet;

/// Titles of windows are short.
const TITLE: usize = 80;

/// The end of the document on the page: exports, follow-up and outcome.
#[derive(Template)]
#[template(path = "web_after.html", whitespace = "preserve")]
struct AfterView {
    id: String,
    formats: Vec<(&'static str, &'static str)>,
    judged: String,
    /// The linked debate whose judgement is filled in; empty if there is none.
    offered: String,
    /// The question, for an address.
    topic: String,
    /// The rounds after which a branch can begin.
    rounds: usize,
    said: String,
    /// The form that failed, empty where none did.
    failed: FailedForm,
    /// True if the reader may steer it.
    steers: bool,
    share: String,
}

/// A title for a window.
pub fn title(text: &str) -> String {
    let line = clean_line(text);
    let short: String = line.chars().take(TITLE).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

pub async fn one(
    web: WebState,
    headers: HeaderMap,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let seen = match web.host.look(&id).await {
        Ok(seen) => seen,
        Err(error) => return wording::refused(&headers, &error),
    };
    // The whole id stands in the address, so that it can be kept.
    if seen.id != id {
        return Redirect::to(&format!("/debates/{}", seen.id)).into_response();
    }
    let query = FormFields::parse(&query.unwrap_or_default());
    let shown = shown(&web, &headers, seen, query.get("said"), None).await;
    shown.unwrap_or_else(|error| wording::refused(&headers, &error))
}

/// The page of a debate with a form that failed; nothing where the debate has no such
/// form now.
pub async fn again(
    web: &WebState,
    headers: &HeaderMap,
    id: &str,
    failed: FailedForm,
) -> Option<Response> {
    let seen = web.host.look(id).await.ok()?;
    let over = seen.debate.room().verdict.is_some();
    if over != (failed.action == "outcome") {
        return None;
    }
    let mut response = shown(web, headers, seen, "", Some(failed)).await.ok()?;
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Some(response)
}

async fn shown(
    web: &WebState,
    headers: &HeaderMap,
    seen: DebateSnapshot,
    said: &str,
    failed: Option<FailedForm>,
) -> Result<Response, EngineError> {
    let room = seen.debate.room();
    if room.verdict.is_some() {
        return finished(web, headers, &seen, said, failed.unwrap_or_default()).await;
    }
    let topic = title(&room.brief.topic);
    // A page that a person types in does not reload by itself.
    let still = room.open_requests().next().is_some() || failed.is_some();
    let labels = Labels::of(&room.brief);
    let view = live::page(web, seen, said, failed).await?;
    let mut page = frame::page(headers, topic, PageTab::Debates, Box::new(view));
    page.refresh = !still;
    page.labels = labels;
    Ok(page.answer(StatusCode::OK))
}

async fn finished(
    web: &WebState,
    headers: &HeaderMap,
    seen: &DebateSnapshot,
    said: &str,
    failed: FailedForm,
) -> Result<Response, EngineError> {
    let (config, id) = (web.host.config(), seen.id.as_str());
    let exported = export::export(config, id).await?;
    let judged = track::books(config).await?.remove(id).and_then(|book| book.assessed);
    let view = ReportedDebate::of(&exported);
    let mut failed = failed;
    let mut offered = String::new();
    if judged.is_none() && failed.fault.is_empty() {
        let store = web.host.store_of(id).await?;
        if let Some((linked, known)) = linked::judged(config, &store, id, view.room).await? {
            failed.accuracy = nearest(known.post_mortem.decision_accuracy).into();
            failed.typed = known.post_mortem.summary;
            offered = linked;
        }
    }
    let after = AfterView {
        offered,
        topic: encoded(&view.room.brief.topic),
        rounds: view.room.closed_rounds().count(),
        id: id.into(),
        formats: FORMATS.iter().map(|format| (format.name, format.help)).collect(),
        judged: judged.map(|one| format!("Judged on {}.", one.judged.on)).unwrap_or_default(),
        said: said.into(),
        failed,
        steers: web.host.steerable(id).await.is_ok(),
        share: ShareForm::of(&web.host, seen).await,
    };
    let sheet = Sheet::new(&view, true).draw(Box::new(after));
    let topic = title(&view.room.brief.topic);
    let mut page = frame::page(headers, topic, PageTab::Debates, Box::new(sheet));
    page.labels = Labels::of(&view.room.brief);
    Ok(page.answer(StatusCode::OK))
}

/// The choice of the form that an accuracy comes nearest to.
fn nearest(accuracy: f64) -> &'static str {
    match accuracy {
        high if high > 0.85 => "1",
        good if good > 0.5 => "0.7",
        poor if poor > 0.15 => "0.3",
        _ => "0",
    }
}

pub async fn export(
    web: WebState,
    headers: HeaderMap,
    Path((id, format)): Path<(String, String)>,
) -> Response {
    let written = async {
        let format = ExportFormat::named(&format)?;
        let id = web.host.look(&id).await?.id;
        let exported = export::export(web.host.config(), &id).await?;
        Ok::<_, EngineError>((format, (format.write)(&exported), exported.id))
    };
    match written.await {
        Ok((format, text, id)) => {
            let short = words::short_id(&id);
            let name = format!("attachment; filename=\"roundtable-{short}.{}\"", format.ending);
            let kind = format!("{}; charset=utf-8", format.mime);
            let mut response = text.into_response();
            for (header, value) in
                [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)]
            {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    response.headers_mut().insert(header, value);
                }
            }
            response
        }
        Err(error) => wording::refused(&headers, &error),
    }
}
