//! The engine's errors as sentences for a person in front of the page: no flags, no
//! commands of a terminal where the page has a button.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::error::EngineError;
use engine::nouns::StoreError;

use super::frame;

/// Phrases of the command line and what the page says instead.
const INSTEAD: [(&str, &str); 8] = [
    ("; name their file with --script", "; it can only go on where it was begun"),
    ("--budget:", "budget:"),
    ("say --replace to put this in its place", "it was judged before"),
    ("say something, or use --decline", "write something, or skip the question"),
    ("Add others with --agents.", "Add others."),
    ("start a follow-up with `roundtable ask`", "ask a follow-up instead"),
    ("--agents", "agents"),
    ("--", ""),
];

/// The lines of an error in the page's words.
pub fn lines(error: &EngineError) -> Vec<String> {
    let text = error.to_string();
    let said = INSTEAD.iter().fold(text, |text, (from, to)| text.replace(from, to));
    said.lines().map(str::to_owned).collect()
}

fn status(error: &EngineError) -> StatusCode {
    match error {
        EngineError::Store(StoreError::Unknown { .. } | StoreError::Missing { .. }) => {
            StatusCode::NOT_FOUND
        }
        other if other.is_input() => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns true if a script asked, which shows the words itself.
pub fn by_script(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("application/json"))
}

/// The answer to a request that failed.
pub fn refused(headers: &HeaderMap, error: &EngineError) -> Response {
    let (status, lines) = (status(error), lines(error));
    if by_script(headers) {
        let body = serde_json::json!({ "message": lines.join(" ") }).to_string();
        return (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
    }
    let title = match status {
        StatusCode::NOT_FOUND => "There is no such debate",
        StatusCode::UNPROCESSABLE_ENTITY => "This cannot be done now",
        _ => "Roundtable could not do this",
    };
    frame::problem(title, lines.join("\n")).answer(status)
}
