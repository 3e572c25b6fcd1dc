//! Addresses that need no token: `/healthz` says that the process answers, `/readyz` that it
//! takes debates, and the description of the protocol's resource where its clients get a token.
//! They tell nothing else.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use engine::background::host::Host;
use serde_json::json;

pub fn routes(host: Host) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/.well-known/oauth-protected-resource", get(resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .with_state(host)
}

/// Tells clients of the protocol where people get a token for it.
async fn resource(State(host): State<Host>) -> Response {
    let Some(provider) = host.provider() else { return StatusCode::NOT_FOUND.into_response() };
    let said = json!({
        "resource": provider.resource(),
        "resource_name": "Roundtable",
        "authorization_servers": [provider.issuer()],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["openid", "email"],
    });
    Json(said).into_response()
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
