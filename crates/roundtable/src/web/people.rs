//! The people of the team, for operators: roles, budgets, tokens, and the log of what operators
//! did. For everybody else there is no such page.

use askama::Template;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use engine::error::EngineError;
use engine::people::caller::Operation;
use engine::people::manage::{self, AuditLine, PersonForm, PersonLine};

use super::WebState;
use super::fields::FormFields;
use super::frame::{self, PageTab};
use super::wording;

/// Entries of the audit log that the page shows.
const MOST_AUDIT: u32 = 100;

#[derive(Template)]
#[template(path = "web_people.html", whitespace = "preserve")]
struct PeopleView {
    people: Vec<PersonLine>,
    audit: Vec<AuditLine>,
    /// A token that was made just now, and whose it is.
    made: Option<(String, String)>,
    faults: Vec<String>,
}

pub async fn people(web: WebState, headers: HeaderMap) -> Response {
    shown(&web, &headers, None, Vec::new()).await
}

async fn shown(
    web: &WebState,
    headers: &HeaderMap,
    made: Option<(String, String)>,
    faults: Vec<String>,
) -> Response {
    let config = web.host.config();
    if !config.caller.may(Operation::People) {
        return frame::nothing_here().await;
    }
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let read = async {
        let people = manage::list(config).await?;
        Ok::<_, EngineError>((people, manage::audit(config, MOST_AUDIT).await?))
    };
    match read.await {
        Ok((people, audit)) => {
            let view = PeopleView { people, audit, made, faults };
            frame::page(headers, "People", PageTab::None, Box::new(view)).answer(status)
        }
        Err(error) => wording::refused(headers, &error),
    }
}

pub async fn add(web: WebState, headers: HeaderMap, body: Bytes) -> Response {
    let form = FormFields::of_body(&body);
    let wish = wish(&form);
    let done = manage::add(web.host.config(), form.get("name"), &wish).await.map(|()| None);
    answered(&web, &headers, done).await
}

/// The fields of a person that were filled in.
fn wish(form: &FormFields) -> PersonForm {
    PersonForm { role: form.some("role"), daily: form.some("daily"), monthly: form.some("monthly") }
}

/// Changes one person.
pub async fn change(
    web: WebState,
    headers: HeaderMap,
    Path((name, action)): Path<(String, String)>,
    body: Bytes,
) -> Response {
    let form = FormFields::of_body(&body);
    let config = web.host.config();
    let token = form.get("token");
    let done = match action.as_str() {
        "role" => manage::set_role(config, &name, form.get("role")).await.map(|()| None),
        "budget" => manage::set_budget(config, &name, &wish(&form)).await.map(|()| None),
        "token" => {
            let made =
                manage::add_token(config, &name, token, form.some("expires").as_deref()).await;
            made.map(|secret| Some((name, secret)))
        }
        "revoke" => manage::revoke_token(config, &name, token).await.map(|()| None),
        "remove" => manage::remove(config, &name).await.map(|()| None),
        _ => return frame::nothing_here().await,
    };
    answered(&web, &headers, done).await
}

/// The page again, with a token that was made or with what was wrong.
async fn answered(
    web: &WebState,
    headers: &HeaderMap,
    done: Result<Option<(String, String)>, EngineError>,
) -> Response {
    match done {
        Ok(None) => Redirect::to("/people").into_response(),
        Ok(made) => shown(web, headers, made, Vec::new()).await,
        Err(error) => shown(web, headers, None, wording::lines(&error)).await,
    }
}
