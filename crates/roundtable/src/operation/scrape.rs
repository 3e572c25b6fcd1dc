//! `/metrics` in the text format of Prometheus, and the count of requests.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use engine::background::host::Host;
use engine::people::caller::{Caller, Operation};

use super::Meters;

/// The format and its version, as Prometheus asks for it.
const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The door before these checks the token and says whose it is.
pub fn routes(host: Host, meters: Arc<Meters>) -> Router {
    Router::new().route("/metrics", get(metrics)).with_state((host, meters))
}

async fn metrics(
    State((host, meters)): State<(Host, Arc<Meters>)>,
    Extension(caller): Extension<Caller>,
) -> Response {
    if !caller.may(Operation::People) {
        return (StatusCode::FORBIDDEN, "Figures are for operators.\n").into_response();
    }
    let text = meters.text(host.load(), host.is_database_up().await);
    ([(header::CONTENT_TYPE, FORMAT)], text).into_response()
}

/// Counts a request once it is answered.
pub async fn count(State(meters): State<Arc<Meters>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    meters.answered(&path, response.status().as_u16());
    response
}
