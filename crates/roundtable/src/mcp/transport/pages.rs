//! The page beside the protocol. It has its own way to sign in; here its callers are
//! counted, and the connection of a browser that is signed in is kept.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use super::connections::OpenConnection;
use super::door::{self, CallRates, Door, KNOWN_RATE, RefusalForm, STRANGER_RATE};
use crate::operation::Meters;
use engine::background::host::Host;

/// Tells whether a request comes from a browser that is signed in.
type KnownBrowser = dyn Fn(&HeaderMap) -> bool + Send + Sync;

/// The routes of the page.
pub struct PageRoutes {
    pub routes: Router,
    pub knows: Arc<KnownBrowser>,
    /// Routes for programs that send the token, and the form of their refusals.
    pub api: Router,
    pub api_refusal: RefusalForm,
    /// Counts the requests of all routes.
    pub meters: Arc<Meters>,
}

struct PageDoor {
    knows: Arc<KnownBrowser>,
    known: CallRates,
    strangers: CallRates,
}

impl PageRoutes {
    /// The routes behind their doors: the token for programs, a sign-in for browsers.
    pub fn guarded(self, token: Option<&str>, people: &Host) -> Router {
        let api = Arc::new(Door::of_api(token, people, self.api_refusal));
        let api = self.api.layer(from_fn_with_state(api, door::guard));
        let door = PageDoor {
            knows: self.knows,
            known: CallRates::new(KNOWN_RATE),
            strangers: CallRates::new(STRANGER_RATE),
        };
        self.routes.layer(from_fn_with_state(Arc::new(door), guard)).merge(api)
    }
}

async fn guard(
    State(door): State<Arc<PageDoor>>,
    ConnectInfo(caller): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let known = (door.knows)(request.headers());
    let rates = if known { &door.known } else { &door.strangers };
    if !rates.admits(caller.ip()) {
        return put_off(StatusCode::TOO_MANY_REQUESTS, "1", "Too many requests.\n");
    }
    let connection = request.extensions().get::<OpenConnection>();
    if connection.is_some_and(|open| known && !open.recognise()) {
        return put_off(StatusCode::SERVICE_UNAVAILABLE, "5", "Too many connections.\n");
    }
    next.run(request).await
}

fn put_off(status: StatusCode, seconds: &'static str, text: &'static str) -> Response {
    (status, [(header::RETRY_AFTER, seconds)], text).into_response()
}
