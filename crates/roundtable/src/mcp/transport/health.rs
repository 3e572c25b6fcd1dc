//! Two addresses for whatever watches over the server: `/healthz` says that the process
//! answers, and `/readyz` that it takes debates. They need no token and tell nothing else.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use engine::background::host::Host;

pub fn routes(host: Host) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(host)
}

/// A server that is about to leave, or whose database cannot be read, takes no debates.
async fn ready(State(host): State<Host>) -> (StatusCode, &'static str) {
    if host.leaving().is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "leaving\n");
    }
    if host.is_database_up().await {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the database cannot be read\n")
    }
}
