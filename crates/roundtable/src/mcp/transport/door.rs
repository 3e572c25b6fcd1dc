//! The checks at the entrance: the token first, and then how often a caller comes, how
//! many sessions are open and whether the body is a message. Requests without the token
//! cost their senders alone. Whatever is refused is answered in the protocol's own form,
//! with the time after which to try again.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ErrorCode, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;
use subtle::ConstantTimeEq as _;
use tokio::time::{Instant, timeout};

use super::bad_message;
use super::carried_sessions::CarriedSessions;
use super::connections::OpenConnection;
use super::open_sessions::{
    OpenSessions, SESSION_HEADER, UNKNOWN, name_session, opens_session, session_of,
};
use engine::background::host::Host;
use engine::error::EngineError;
use engine::people::caller::Caller;

/// The largest request; a context of 4 MB would not fit any model anyway.
pub const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// The time a client has to send it.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Requests per second and address, and a first burst: with the token, and without.
pub const KNOWN_RATE: (f64, f64) = (50.0, 500.0);
pub const STRANGER_RATE: (f64, f64) = (5.0, 50.0);
/// Addresses remembered at once.
const MOST_ADDRESSES: usize = 10_000;
/// The largest text of an error that is put into the protocol's form.
const LARGEST_ERROR: usize = 16 * 1024;
/// The path of the protocol.
pub const PATH: &str = "/mcp";
/// The protocol leaves these codes to servers.
const REFUSED: ErrorCode = ErrorCode(-32000);
const NOT_FOUND: ErrorCode = ErrorCode(-32001);
const TOO_MANY_SESSIONS: &str = "Too many sessions are open. End those that are no longer used.";

pub struct Door {
    token: Option<blake3::Hash>,
    /// Knows the people who have tokens of their own; `None`: only the one token is known.
    people: Option<Host>,
    known: CallRates,
    strangers: CallRates,
    sessions: OpenSessions,
    /// Set where other nodes may go on with a session.
    carried: Option<Arc<CarriedSessions>>,
    refusal: RefusalForm,
}

/// The form of what the door itself refuses.
pub type RefusalForm = fn(StatusCode, &str) -> Response;

/// The sender of a request, by the token it sent.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenSent {
    Right(Caller),
    Wrong,
    None,
}

impl Door {
    pub fn new(
        token: Option<&str>,
        people: Option<Host>,
        sessions: Arc<LocalSessionManager>,
        carried: Option<Arc<CarriedSessions>>,
    ) -> Door {
        Door {
            people,
            carried,
            token: token.map(|token| blake3::hash(token.trim().as_bytes())),
            known: CallRates::new(KNOWN_RATE),
            strangers: CallRates::new(STRANGER_RATE),
            sessions: OpenSessions::new(sessions),
            refusal: |status, text| refusal(status, REFUSED, text, None),
        }
    }

    /// The door of an API beside the protocol, which has no sessions.
    pub fn of_api(token: Option<&str>, people: &Host, refusal: RefusalForm) -> Door {
        let sessions = Arc::new(LocalSessionManager::default());
        Door { refusal, ..Door::new(token, Some(people.clone()), sessions, None) }
    }

    /// Puts the id of a session for the name that its client carries. Returns false if this node
    /// would have to take it up and has no room.
    async fn find_session(&self, headers: &mut HeaderMap, who: &str) -> bool {
        let name = session_of(headers).filter(|name| name.contains('.')).map(str::to_owned);
        let Some((carried, name)) = self.carried.as_ref().zip(name) else { return true };
        let Some((id, begun)) = carried.read(&name, who) else {
            name_session(headers, UNKNOWN);
            return true;
        };
        if !self.sessions.is_open(id).await {
            if !self.sessions.make_room().await {
                return false;
            }
            carried.bring(id, begun);
            self.sessions.opened(id, who);
        }
        name_session(headers, id);
        true
    }

    /// Refuses a request for now.
    fn put_off(&self, status: StatusCode, seconds: u32, text: &str) -> Response {
        let text = format!("{text} Try again in {seconds} s.");
        let mut response = (self.refusal)(status, &text);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        response
    }

    fn unauthorised(&self, challenge: &'static str) -> Response {
        let text = "Send the server's token as `Authorization: Bearer TOKEN`.";
        let mut response = (self.refusal)(StatusCode::UNAUTHORIZED, text);
        let provider = self.people.as_ref().and_then(Host::provider);
        let where_to = provider.map(|one| format!(", resource_metadata=\"{}\"", one.metadata()));
        let challenge = format!("{challenge}{}", where_to.unwrap_or_default());
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }

    /// Takes the same time for any input, because hashes are compared instead of texts.
    async fn token_of(&self, headers: &HeaderMap) -> Result<TokenSent, EngineError> {
        let Some(wanted) = &self.token else { return Ok(TokenSent::Right(Caller::Machine)) };
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(sent) = sent else { return Ok(TokenSent::None) };
        let token =
            sent.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let token = token.map_or("", |(_, token)| token.trim());
        let given = blake3::hash(token.as_bytes());
        if bool::from(given.as_bytes().ct_eq(wanted.as_bytes())) {
            return Ok(TokenSent::Right(Caller::Machine));
        }
        let person = match &self.people {
            Some(host) => host.caller_of_bearer(token).await?,
            None => None,
        };
        Ok(person.map_or(TokenSent::Wrong, TokenSent::Right))
    }
}

/// The requests of each address, limited to a rate after a first burst.
pub struct CallRates {
    rate: f64,
    burst: f64,
    callers: Mutex<HashMap<IpAddr, CallBucket>>,
}

#[derive(Debug, Clone, Copy)]
struct CallBucket {
    left: f64,
    at: Instant,
}

impl CallRates {
    pub fn new((rate, burst): (f64, f64)) -> CallRates {
        CallRates { rate, burst, callers: Mutex::default() }
    }

    /// Returns whether the address may send one more request now.
    pub fn admits(&self, address: IpAddr) -> bool {
        let now = Instant::now();
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() > MOST_ADDRESSES {
            callers.retain(|_, bucket| now - bucket.at < Duration::from_secs(60));
        }
        let bucket = callers.entry(address).or_insert(CallBucket { left: self.burst, at: now });
        let earned = (now - bucket.at).as_secs_f64() * self.rate;
        *bucket = CallBucket { left: (bucket.left + earned).min(self.burst), at: now };
        let admitted = bucket.left >= 1.0;
        if admitted {
            bucket.left -= 1.0;
        }
        admitted
    }
}

/// Lets a request in or answers it here.
pub async fn guard(
    State(door): State<Arc<Door>>,
    ConnectInfo(caller): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let Ok(sent) = door.token_of(request.headers()).await else {
        return door.put_off(StatusCode::SERVICE_UNAVAILABLE, 5, "The database does not answer.");
    };
    let is_known = matches!(sent, TokenSent::Right(_));
    let rates = if is_known { &door.known } else { &door.strangers };
    if !rates.admits(caller.ip()) {
        return door.put_off(StatusCode::TOO_MANY_REQUESTS, 1, "Too many requests.");
    }
    let who = match sent {
        TokenSent::Right(caller) => caller,
        TokenSent::None => return door.unauthorised("Bearer realm=\"roundtable\""),
        TokenSent::Wrong => {
            return door.unauthorised("Bearer realm=\"roundtable\", error=\"invalid_token\"");
        }
    };
    if request.extensions().get::<OpenConnection>().is_some_and(|open| !open.recognise()) {
        let mut full = door.put_off(StatusCode::SERVICE_UNAVAILABLE, 5, "Too many connections.");
        full.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return full;
    }
    if !door.find_session(request.headers_mut(), who.name()).await {
        return door.put_off(StatusCode::SERVICE_UNAVAILABLE, 60, TOO_MANY_SESSIONS);
    }
    let is_others = |session: &str| door.sessions.is_others(session, who.name());
    if session_of(request.headers()).is_some_and(is_others) {
        name_session(request.headers_mut(), UNKNOWN);
    }
    request.extensions_mut().insert(who);
    if request.uri().path() != PATH {
        return next.run(request).await;
    }
    match *request.method() {
        Method::POST if is_json(request.headers()) => posted(&door, request, next).await,
        Method::DELETE => ended(in_form(next.run(request).await, None).await),
        _ => in_form(next.run(request).await, None).await,
    }
}

/// Passes on a message, if the body is one.
async fn posted(door: &Door, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let bytes = match timeout(BODY_TIME, to_bytes(body, LARGEST_BODY)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            let text = format!("A request may have at most {LARGEST_BODY} bytes.");
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, &text, None);
        }
        Err(_) => {
            let text = format!("The body did not come within {} seconds.", BODY_TIME.as_secs());
            return refusal(StatusCode::REQUEST_TIMEOUT, REFUSED, &text, None);
        }
    };
    let id = match bad_message::check(&bytes) {
        Ok(id) => id,
        Err(fault) => {
            return refusal(StatusCode::BAD_REQUEST, fault.code, &fault.message, fault.id.as_ref());
        }
    };
    let opens = opens_session(&head.headers);
    if opens && !door.sessions.make_room().await {
        return door.put_off(StatusCode::SERVICE_UNAVAILABLE, 60, TOO_MANY_SESSIONS);
    }
    if let Some(session) = session_of(&head.headers) {
        door.sessions.used(session);
    }
    let who = head.extensions.get::<Caller>().cloned().unwrap_or_default();
    let request = Request::from_parts(head, Body::from(bytes));
    let mut response = in_form(next.run(request).await, id.as_ref()).await;
    if opens && let Some(session) = session_of(response.headers()) {
        door.sessions.opened(session, who.name());
        let name = door.carried.as_ref().and_then(|carried| carried.name(session, who.name()));
        if let Some(name) = name {
            response.headers_mut().insert(SESSION_HEADER, name);
        }
    }
    response
}

/// A session that was ended is answered as gone; clients take 202 for a failure.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Puts an error that is plain text into the protocol's form.
async fn in_form(response: Response, id: Option<&RequestId>) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || is_json(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = to_bytes(body, LARGEST_ERROR).await.unwrap_or_else(|_| Bytes::new());
    let text = String::from_utf8_lossy(&text);
    let text = if text.trim().is_empty() { status.to_string() } else { text.trim().to_owned() };
    let code = if status == StatusCode::NOT_FOUND { NOT_FOUND } else { REFUSED };
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(head, Body::from(error_body(code, &text, id)))
}

fn error_body(code: ErrorCode, text: &str, id: Option<&RequestId>) -> String {
    let error = json!({ "code": code.0, "message": text });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

fn refusal(status: StatusCode, code: ErrorCode, text: &str, id: Option<&RequestId>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, error_body(code, text, id)).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"))
}
