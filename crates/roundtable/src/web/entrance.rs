//! The checks at the entrance of the page: the host that was called, the sign-in, and
//! the origin of everything that changes something; and the headers of every answer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use askama::Template;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use engine::clock;
use engine::error::EngineError;
use engine::nouns::TokenHash;
use engine::people::caller::Caller;
use engine::people::oidc::SignInStart;

use super::WebState;
use super::fields::{FormFields, cookie, encoded};
use super::frame::{self, LonePage};
use super::sign_in::{PageKey, PageSession, SESSION_MS};

const COOKIE: &str = "roundtable-session";
/// A sign-in with the OpenID provider that was begun.
const BEGUN: &str = "roundtable-sign-in";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";
/// Names under which this machine may be called.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Used links that are remembered at once; older ones have expired anyway.
const MOST_LINKS: usize = 1_000;

/// The browsers that are let in.
pub struct WebAccess {
    /// `None`: no sign-in is wanted.
    key: Option<PageKey>,
    /// Names under which the server may be called; empty: any.
    hosts: Vec<String>,
    used: Mutex<HashMap<String, i64>>,
}

impl WebAccess {
    /// `hosts`: further names; `any_host`: the names of this machine are not known, and
    /// a foreign page that was led here has no cookie.
    pub fn new(token: Option<&str>, hosts: &[String], any_host: bool) -> WebAccess {
        let own = LOOPBACK.iter().map(ToString::to_string);
        let hosts = if any_host { Vec::new() } else { own.chain(hosts.iter().cloned()).collect() };
        WebAccess { key: token.map(PageKey::new), hosts, used: Mutex::default() }
    }

    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let name = host.map(without_port).unwrap_or_default();
        self.hosts.is_empty() || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns true if a request came to a name of this server, and from no page of another.
    pub fn knows_place(&self, headers: &HeaderMap) -> bool {
        let foreign = headers.contains_key(header::ORIGIN) && !is_own_origin(headers);
        self.knows_host(headers) && !foreign
    }

    /// Returns true if the browser has a cookie of this server.
    pub fn is_signed_in(&self, headers: &HeaderMap) -> bool {
        self.session_of(headers).is_some()
    }

    fn session_of(&self, headers: &HeaderMap) -> Option<PageSession> {
        let Some(key) = &self.key else { return Some(PageSession::Machine) };
        key.session_of(&cookie(headers, COOKIE)?, clock::now_ms())
    }

    /// Uses a link up. Returns false if it is unknown, has expired or was used.
    fn uses_link(&self, code: &str) -> bool {
        let Some(key) = &self.key else { return true };
        let now = clock::now_ms();
        let Some((nonce, until)) = key.check_link(code, now) else { return false };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MOST_LINKS {
            used.retain(|_, until| *until > now);
        }
        used.insert(nonce, until).is_none()
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Returns true if a change was sent by a page of this server. Browsers say where a
/// form comes from; a program that says nothing has no cookie to misuse.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    match headers.get("sec-fetch-site").and_then(|value| value.to_str().ok()) {
        Some("same-origin") => return true,
        Some(_) => return false,
        None => {}
    }
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, place)| place.eq_ignore_ascii_case(host))
}

/// The one for whom a page is drawn, and the token that let them in.
#[derive(Debug, Clone, Default)]
pub struct Visit {
    pub caller: Caller,
    session: Option<PageSession>,
}

impl WebState {
    /// Returns the one behind a cookie; `None` if there is no cookie, or the token that it
    /// came with is no longer known.
    async fn visit_of(&self, session: PageSession) -> Result<Option<Visit>, EngineError> {
        let caller = match &session {
            PageSession::Machine => return Ok(Some(Visit::default())),
            PageSession::Person(token) => self.host.caller_of(*token).await?,
            PageSession::Named(name) => self.host.caller_named(std::slice::from_ref(name)).await?,
        };
        Ok(caller.map(|caller| Visit { caller, session: Some(session) }))
    }

    /// Tells whether the one who watches is still let in.
    pub async fn is_still_let_in(&self) -> bool {
        match &self.visit.session {
            Some(session) => matches!(self.visit_of(session.clone()).await, Ok(Some(_))),
            None => true,
        }
    }
}

/// Everything that a page needs, for the one who asks for it.
impl FromRequestParts<WebState> for WebState {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, web: &WebState) -> Result<Self, StatusCode> {
        let visit = parts.extensions.get::<Visit>().cloned().ok_or(StatusCode::UNAUTHORIZED)?;
        Ok(WebState { host: web.host.for_caller(&visit.caller), visit, ..web.clone() })
    }
}

pub async fn guard(State(web): State<WebState>, mut request: Request, next: Next) -> Response {
    let access = &web.access;
    let visit = match access.session_of(request.headers()) {
        Some(session) => web.visit_of(session).await,
        None => Ok(None),
    };
    let Ok(visit) = visit else {
        let text = "The database does not answer. Try again in a moment.\n";
        return with_headers((StatusCode::SERVICE_UNAVAILABLE, text).into_response());
    };
    let is_signed_in = visit.is_some();
    if let Some(visit) = visit {
        request.extensions_mut().insert(visit);
    }
    let headers = request.headers();
    let path = request.uri().path().to_owned();
    let open = path.starts_with("/assets/") || path.starts_with("/sign-in");
    let response = if !access.knows_host(headers) {
        let text = "This server is not called by that name. Use --allow-host to add one.\n";
        (StatusCode::MISDIRECTED_REQUEST, text).into_response()
    } else if request.method() != Method::GET
        && request.method() != Method::HEAD
        && !is_own_origin(headers)
    {
        let page = frame::problem(
            "This form was not sent from this page",
            "A change is accepted only from a page of this server. Reload the page and try again.",
        );
        page.answer(StatusCode::FORBIDDEN)
    } else if open || is_signed_in {
        next.run(request).await
    } else if request.method() == Method::GET && !path.ends_with("/events") {
        let to = format!("/sign-in?to={}", encoded(&path));
        Redirect::to(&to).into_response()
    } else {
        (StatusCode::UNAUTHORIZED, "Sign in first.\n").into_response()
    };
    with_headers(response)
}

fn with_headers(mut response: Response) -> Response {
    let rows = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    let headers = response.headers_mut();
    for (name, value) in rows {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

#[derive(Template)]
#[template(path = "web_sign_in.html", whitespace = "preserve")]
struct SignInView {
    fault: &'static str,
    to: String,
    /// The OpenID provider; empty if there is none.
    provider: String,
}

fn sign_in_page(web: &WebState, fault: &'static str, to: String) -> LonePage {
    let provider = web.host.provider().map(|one| one.issuer().to_owned()).unwrap_or_default();
    frame::lone("Sign in", Box::new(SignInView { fault, to, provider }))
}

/// A place on this page; anything else leads to its beginning.
pub(super) fn own_place(to: &str) -> &str {
    let own = to.starts_with('/') && !to.starts_with("//") && !to.contains(['\\', '\n', '\r']);
    if own { to } else { "/" }
}

pub async fn ask(State(web): State<WebState>, request: Request) -> Response {
    let query = FormFields::parse(request.uri().query().unwrap_or_default());
    sign_in_page(&web, "", query.get("to").into()).answer(StatusCode::OK)
}

/// Signs in by the server's token, or by a person's own.
pub async fn enter(State(web): State<WebState>, body: Bytes) -> Response {
    let form = FormFields::of_body(&body);
    let to = form.get("to");
    let Some(key) = &web.access.key else { return Redirect::to(own_place(to)).into_response() };
    let token = form.get("token");
    if key.knows_token(token) {
        return signed_in(key, own_place(to), &PageSession::Machine);
    }
    let hash = TokenHash::of(token);
    match web.host.caller_of(hash).await {
        Ok(Some(_)) => signed_in(key, own_place(to), &PageSession::Person(hash)),
        _ => {
            let fault = "That token is not known here, or has expired.";
            sign_in_page(&web, fault, to.into()).answer(StatusCode::UNAUTHORIZED)
        }
    }
}

/// Signs in by a link that works once.
pub async fn follow(State(web): State<WebState>, Path(code): Path<String>) -> Response {
    match (&web.access.key, web.access.uses_link(&code)) {
        (Some(key), true) => signed_in(key, "/", &PageSession::Machine),
        (None, _) => Redirect::to("/").into_response(),
        (Some(_), false) => {
            let fault = "That link was used or has expired. Run `roundtable open` for a new one.";
            sign_in_page(&web, fault, String::new()).answer(StatusCode::UNAUTHORIZED)
        }
    }
}

fn signed_in(key: &PageKey, to: &str, of: &PageSession) -> Response {
    ([(header::SET_COOKIE, session_cookie(key, of))], Redirect::to(to)).into_response()
}

/// The cookie of whoever signed in.
fn session_cookie(key: &PageKey, of: &PageSession) -> String {
    let value = key.session(clock::now_ms(), &clock::new_secret(), of);
    let age = SESSION_MS / 1000;
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}")
}

/// Sends the browser to the OpenID provider.
pub async fn go_to_provider(State(web): State<WebState>) -> Response {
    let Some(provider) = web.host.provider() else { return frame::nothing_here().await };
    match provider.begin().await {
        Ok(begun) => {
            let SignInStart { address, state, nonce, verifier } = begun;
            // The browser comes back from another site, so this one may be sent along.
            let kept = format!(
                "{BEGUN}={state}.{nonce}.{verifier}; Path=/sign-in; HttpOnly; SameSite=Lax; \
                 Max-Age=600"
            );
            ([(header::SET_COOKIE, kept)], Redirect::to(&address)).into_response()
        }
        Err(error) => {
            tracing::warn!(%error, "the OpenID provider does not answer");
            let fault = "The provider does not answer. Try again in a moment.";
            sign_in_page(&web, fault, String::new()).answer(StatusCode::BAD_GATEWAY)
        }
    }
}

/// Signs in somebody who comes back from the OpenID provider.
pub async fn back(State(web): State<WebState>, request: Request) -> Response {
    let query = FormFields::parse(request.uri().query().unwrap_or_default());
    let begun = cookie(request.headers(), BEGUN).unwrap_or_default();
    let parts: Vec<&str> = begun.split('.').collect();
    let refused = |fault| sign_in_page(&web, fault, String::new()).answer(StatusCode::UNAUTHORIZED);
    let ([state, nonce, verifier], Some(key), Some(provider)) =
        (parts.as_slice(), &web.access.key, web.host.provider())
    else {
        return refused("That sign-in was not begun in this browser. Begin again.");
    };
    if *state != query.get("state") {
        return refused("That sign-in was not begun in this browser. Begin again.");
    }
    let person = async {
        match provider.end(query.get("code"), nonce, verifier).await? {
            Some(names) => web.host.caller_named(&names).await,
            None => Ok(None),
        }
    };
    let Ok(Some(person)) = person.await else {
        return refused("The provider let you in, but nobody of that name was added here.");
    };
    let session = PageSession::Named(person.name().to_owned());
    // A browser that was led here from another site sends no strict cookie along; one that
    // goes on from here does.
    let page = frame::lone("Signed in", Box::new(SignedInView {}));
    let cookie = [(header::SET_COOKIE, session_cookie(key, &session))];
    (cookie, page.answer(StatusCode::OK)).into_response()
}

#[derive(Template)]
#[template(path = "web_signed_in.html", whitespace = "preserve")]
struct SignedInView {}

pub async fn leave() -> Response {
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    ([(header::SET_COOKIE, cookie)], Redirect::to("/sign-in")).into_response()
}
