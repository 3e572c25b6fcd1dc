//! The server over HTTP, at `/mcp` and beside the page. It listens on loopback by default, and on other
//! addresses only with a token. Requests that a browser could be tricked into
//! sending are refused: foreign host names, foreign origins, bodies that are not
//! JSON, too much, too often.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use engine::nouns::CancellationToken;
use rmcp::ServerHandler;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;
use serde_json::json;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::mcp::server::Server;
use crate::mcp::session::waiting;
use engine::background::host::Host;
use engine::error::EngineError;

/// The largest request; a context of 4 MB would not fit any model anyway.
const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// Requests per second and address, after a first burst.
const RATE: f64 = 50.0;
const BURST: f64 = 500.0;
/// Addresses remembered at once.
const MOST_ADDRESSES: usize = 10_000;
/// As long as the command line waits for answers that are paid for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time after which a silent session of the older era ends: longer than any
/// call may wait in silence, and longer than a person pauses between two calls.
const SESSION: Duration = Duration::from_secs(30 * 60);
/// The number of sessions that may be open at once. Each takes memory until it has
/// been silent that long, and every permitted caller can open one.
const MOST_SESSIONS: usize = 400;
/// Names under which this machine may be called.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The names again, as origins of a page.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// The address to listen on, and the callers that are let in.
#[derive(Debug, Clone)]
pub struct Listen {
    pub address: SocketAddr,
    pub token: Option<String>,
    /// Further names under which clients may call.
    pub hosts: Vec<String>,
}

/// Serves until cancelled, with the page's routes beside `/mcp`. `ready` is called with
/// the address.
pub async fn serve(
    host: Host,
    listen: Listen,
    pages: Router,
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
    ready(listener.local_addr().map_err(cannot)?);
    let ended = CancellationToken::new();
    let app = router(&host, &listen, ended.clone()).merge(pages);
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let leaving = host.leaving();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        leaving.cancelled().await;
    });
    tokio::select! {
        served = serving.into_future() => served.map_err(cannot)?,
        () = told_to_go => {}
    }
    host.leave(PATIENCE).await;
    ended.cancel();
    Ok(())
}

fn router(host: &Host, listen: &Listen, ended: CancellationToken) -> Router {
    // Callers with the same token are one principal, because they cannot be told
    // apart.
    let principal = listen.token.as_deref().unwrap_or("local");
    let server = Server::new(host.clone(), principal);
    stack(move || server.for_connection(), listen, ended)
}

/// The same stack on loopback, around another server.
pub fn serving<H: ServerHandler>(make: impl Fn() -> H + Send + Sync + 'static) -> Router {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let listen = Listen { address, token: None, hosts: Vec::new() };
    stack(make, &listen, CancellationToken::new()).fallback(nothing_here)
}

fn stack<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    listen: &Listen,
    ended: CancellationToken,
) -> Router {
    let names = LOOPBACK.iter().map(ToString::to_string).chain(listen.hosts.iter().cloned());
    let origins = LOOPBACK_ORIGINS.iter().map(ToString::to_string);
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
    let service = StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config);
    let door = Arc::new(Door {
        token: listen.token.as_deref().map(|token| blake3::hash(token.trim().as_bytes())),
        callers: Mutex::default(),
        sessions,
    });
    Router::new().route_service("/mcp", service).layer(from_fn_with_state(door, guard))
}

async fn nothing_here() -> Response {
    (StatusCode::NOT_FOUND, "The protocol is served at /mcp.\n").into_response()
}

/// The checks at the entrance.
struct Door {
    token: Option<blake3::Hash>,
    callers: Mutex<HashMap<IpAddr, Bucket>>,
    sessions: Arc<LocalSessionManager>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Door {
    /// Returns whether the address may send one more request now.
    fn admits(&self, address: IpAddr) -> bool {
        let now = Instant::now();
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() > MOST_ADDRESSES {
            callers.retain(|_, bucket| now - bucket.at < Duration::from_secs(60));
        }
        let bucket = callers.entry(address).or_insert(Bucket { left: BURST, at: now });
        let earned = (now - bucket.at).as_secs_f64() * RATE;
        *bucket = Bucket { left: (bucket.left + earned).min(BURST), at: now };
        let admitted = bucket.left >= 1.0;
        if admitted {
            bucket.left -= 1.0;
        }
        admitted
    }

    /// Takes the same time for any input, because two hashes are compared instead
    /// of two texts.
    fn knows(&self, headers: &HeaderMap) -> Known {
        let Some(wanted) = &self.token else { return Known::Yes };
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(sent) = sent else { return Known::SaidNothing };
        let token =
            sent.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let given = blake3::hash(token.map_or("", |(_, token)| token.trim()).as_bytes());
        match bool::from(given.as_bytes().ct_eq(wanted.as_bytes())) {
            true => Known::Yes,
            false => Known::No,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Yes,
    No,
    SaidNothing,
}

async fn guard(
    State(door): State<Arc<Door>>,
    ConnectInfo(caller): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    if !door.admits(caller.ip()) {
        let wait = [(header::RETRY_AFTER, "1")];
        return (StatusCode::TOO_MANY_REQUESTS, wait, "Too many requests.\n").into_response();
    }
    match door.knows(request.headers()) {
        Known::Yes => {}
        Known::SaidNothing => return unauthorised("Bearer realm=\"roundtable\""),
        Known::No => {
            return unauthorised("Bearer realm=\"roundtable\", error=\"invalid_token\"");
        }
    }
    if opens_session(&request) && door.sessions.sessions.read().await.len() >= MOST_SESSIONS {
        let wait = [(header::RETRY_AFTER, "60")];
        let text = "Too many sessions are open. End those that are no longer used.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, wait, text).into_response();
    }
    match *request.method() {
        Method::POST if is_json(request.headers()) => read_json(request, next).await,
        Method::DELETE => ended(next.run(request).await),
        _ => next.run(request).await,
    }
}

/// Returns whether a request may begin a session: it names none, and is not of the
/// era without sessions.
fn opens_session(request: &Request) -> bool {
    let headers = request.headers();
    let version = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    let stateless = ProtocolVersion::V_2026_07_28;
    request.method() == Method::POST
        && !headers.contains_key("mcp-session-id")
        && version.is_none_or(|version| version < stateless.as_str())
}

/// A session that was ended is answered as gone; clients take 202 for a failure.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn unauthorised(challenge: &'static str) -> Response {
    let text = "Send the server's token as `Authorization: Bearer TOKEN`.\n";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)], text).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"))
}

/// Answers a body that is not JSON as the protocol requires.
async fn read_json(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LARGEST_BODY).await else {
        let text = format!("A request may have at most {LARGEST_BODY} bytes.\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
    };
    if serde_json::from_slice::<IgnoredAny>(&bytes).is_err() {
        let error = json!({ "code": -32700, "message": "Parse error: the body is not JSON" });
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        let kind = [(header::CONTENT_TYPE, "application/json")];
        return (StatusCode::BAD_REQUEST, kind, body).into_response();
    }
    next.run(Request::from_parts(head, Body::from(bytes))).await
}
