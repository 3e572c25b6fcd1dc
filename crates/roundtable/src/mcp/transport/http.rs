//! The server over HTTP, at `/mcp` and beside the page. It listens on loopback by
//! default, and on other addresses only with a token. Requests that a browser could be tricked into
//! sending are refused: foreign host names, foreign origins, bodies that are not
//! JSON, too much, too often.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use engine::nouns::CancellationToken;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::SessionStore;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::approach::Approach;
use super::carried_sessions::CarriedSessions;
use super::connections;
use super::door::{self, Door, LARGEST_BODY};
use super::health;
use super::pages::PageRoutes;
use crate::mcp::server::Server;
use crate::mcp::session::waiting;
use crate::operation;
use engine::background::host::Host;
use engine::error::EngineError;

/// As long as the command line waits for answers that are paid for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time after which a silent session of the older era ends: longer than any
/// call may wait in silence, and longer than a person pauses between two calls.
const SESSION: Duration = Duration::from_secs(30 * 60);
/// Names under which this machine may be called.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The names again, as the origin of a page has them.
const LOOPBACK_ORIGINS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The address to listen on, and the callers that are let in.
#[derive(Clone)]
pub struct Listen {
    pub address: SocketAddr,
    pub token: Option<String>,
    /// Further names under which clients may call.
    pub hosts: Vec<String>,
    pub approach: Approach,
}

/// Serves until cancelled, with the page's routes beside `/mcp`. `ready` is called with
/// the address.
pub async fn serve(
    host: Host,
    listen: Listen,
    pages: PageRoutes,
    ready: impl FnOnce(SocketAddr),
    told_to_go: impl Future<Output = ()> + Send + 'static,
) -> Result<(), EngineError> {
    waiting::most(host.config())?;
    if !listen.address.ip().is_loopback() && listen.token.is_none() {
        return Err(EngineError::input(format!(
            "{} can be reached from other machines: set ROUNDTABLE_TOKEN (or --token) to a secret \
             that clients must send, or listen on 127.0.0.1",
            listen.address
        )));
    }
    if listen.token.as_ref().is_some_and(|token| token.trim().chars().count() < 16) {
        return Err(EngineError::input(
            "the token is too short to be a secret; use 16 characters or more",
        ));
    }
    let cannot = |error: std::io::Error| {
        EngineError::input(format!("cannot listen on {}: {error}", listen.address))
    };
    let listener = TcpListener::bind(listen.address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let scheme = host.config().file.server.scheme();
    host.trust_provider(&format!("{scheme}://{address}"))?;
    ready(address);
    host.go_on_with_left()?;
    let ended = CancellationToken::new();
    let meters = Arc::clone(&pages.meters);
    let app = router(&host, &listen, ended.clone())
        .merge(pages.guarded(listen.token.as_deref(), &host))
        .merge(health::routes(host.clone()))
        .layer(from_fn_with_state(meters, operation::count));
    tokio::select! {
        () = connections::accept(listener, app, host.leaving(), listen.approach.clone()) => {}
        () = told_to_go => {}
    }
    host.leave(PATIENCE).await;
    ended.cancel();
    Ok(())
}

fn router(host: &Host, listen: &Listen, ended: CancellationToken) -> Router {
    let server = Server::new(host.clone(), listen.token.as_deref());
    stack(move || server.for_connection(), listen, Some(host.clone()), ended)
}

/// The same stack on loopback, around another server.
pub fn serving<H: ServerHandler>(make: impl Fn() -> H + Send + Sync + 'static) -> Router {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let approach = Approach::default();
    let listen = Listen { address, token: None, hosts: Vec::new(), approach };
    stack(make, &listen, None, CancellationToken::new()).fallback(nothing_here)
}

fn stack<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    listen: &Listen,
    people: Option<Host>,
    ended: CancellationToken,
) -> Router {
    let names = LOOPBACK.iter().map(ToString::to_string).chain(listen.hosts.iter().cloned());
    let schemes = ["http", "https"];
    let origin = |scheme| LOOPBACK_ORIGINS.iter().map(move |name| format!("{scheme}://{name}:*"));
    let origins = schemes.into_iter().flat_map(origin);
    let own = listen
        .hosts
        .iter()
        .flat_map(|name| [format!("http://{name}:*"), format!("https://{name}:*")]);
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(names)
        .with_allowed_origins(origins.chain(own))
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST_BODY)
        .with_cancellation_token(ended);
    // Off loopback, the machine's names are not known, and a page that was led here
    // has no token.
    if !listen.address.ip().is_loopback() && listen.hosts.is_empty() {
        config = config.disable_allowed_hosts();
    }
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION);
    let sessions = Arc::new(sessions);
    let token = listen.token.as_deref();
    let shared = people.as_ref().is_some_and(Host::is_shared);
    let carried = token.filter(|_| shared).map(CarriedSessions::new).map(Arc::new);
    config.session_store = carried.clone().map(|carried| carried as Arc<dyn SessionStore>);
    let service = StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config);
    let door = Arc::new(Door::new(token, people, sessions, carried));
    Router::new().route_service(door::PATH, service).layer(from_fn_with_state(door, door::guard))
}

async fn nothing_here() -> Response {
    (StatusCode::NOT_FOUND, "The protocol is served at /mcp.\n").into_response()
}
