//! The connections that are open. A socket that says nothing costs little and is closed
//! soon; when too many strangers are connected the oldest makes room, so that sockets
//! which only wait lock nobody out. A connection that has shown the token is no stranger
//! any more and is never closed for another one.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use engine::nouns::CancellationToken;
use engine::run::spawn;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tower_service::Service as _;

use super::approach::{self, Approach};

/// The time a client has to send the head of a request, also of the next one.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The longest head of a request.
const LARGEST_HEAD: usize = 64 * 1024;
/// Connections that have not shown the token yet.
const MOST_STRANGERS: usize = 256;
/// Connections that have.
const MOST_KNOWN: usize = 512;
/// The pause after an error that no connection caused, such as too many open files.
const BREATH: Duration = Duration::from_millis(20);

#[derive(Default)]
struct OpenConnections {
    next: u64,
    strangers: BTreeMap<u64, CancellationToken>,
    known: usize,
    most_known: usize,
}

type Shared = Arc<Mutex<OpenConnections>>;

/// One connection, as requests that come over it see it.
#[derive(Clone)]
pub struct OpenConnection {
    number: u64,
    all: Shared,
}

impl OpenConnection {
    /// Notes that a request over this connection was let in; `false` if there are too
    /// many such connections.
    pub fn recognise(&self) -> bool {
        let mut all = lock(&self.all);
        if !all.strangers.contains_key(&self.number) {
            return true;
        }
        if all.known >= all.most_known {
            return false;
        }
        all.strangers.remove(&self.number);
        all.known += 1;
        true
    }
}

fn lock(all: &Shared) -> MutexGuard<'_, OpenConnections> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Accepts connections for ever. Those that are open end by themselves when `leaving`
/// is cancelled.
pub async fn accept(
    listener: TcpListener,
    app: Router,
    leaving: CancellationToken,
    approach: Approach,
) {
    let files = engine::machine::process::raise_open_files().unwrap_or(u64::MAX);
    // Half of the files are for debates and their calls.
    let most_known = usize::try_from(files / 2).unwrap_or(usize::MAX);
    let most_known = most_known.saturating_sub(MOST_STRANGERS).clamp(16, MOST_KNOWN);
    let all = Shared::new(Mutex::new(OpenConnections { most_known, ..Default::default() }));
    loop {
        let (stream, peer) = tokio::select! {
            () = leaving.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            },
        };
        // Small answers are not held back.
        let _ = stream.set_nodelay(true);
        let (connection, evicted) = enter(&all);
        let (app, approach) = (app.clone(), approach.clone());
        let ends = (connection, evicted, leaving.clone());
        spawn(async move {
            let Some(tls) = approach.tls.clone() else {
                return serve(stream, peer, (app, approach), ends).await;
            };
            let greeted = tokio::select! {
                () = ends.1.cancelled() => return leave(&ends.0, &ends.1),
                greeted = timeout(HEAD_TIME, tls.accept(stream)) => greeted,
            };
            match greeted {
                Ok(Ok(stream)) => serve(stream, peer, (app, approach), ends).await,
                _ => leave(&ends.0, &ends.1),
            }
        });
    }
}

/// Enters a new connection; the oldest stranger leaves if there are too many.
fn enter(all: &Shared) -> (OpenConnection, CancellationToken) {
    let evicted = CancellationToken::new();
    let mut open = lock(all);
    open.next += 1;
    let number = open.next;
    open.strangers.insert(number, evicted.clone());
    if open.strangers.len() > MOST_STRANGERS
        && let Some((_, oldest)) = open.strangers.pop_first()
    {
        oldest.cancel();
    }
    drop(open);
    (OpenConnection { number, all: Arc::clone(all) }, evicted)
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: SocketAddr,
    (app, approach): (Router, Approach),
    (connection, evicted, leaving): (OpenConnection, CancellationToken, CancellationToken),
) {
    let own = connection.clone();
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        answer((app.clone(), approach.clone()), request, peer, own.clone())
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        _ = serving.as_mut() => true,
        () = evicted.cancelled() => true,
        () = leaving.cancelled() => false,
    };
    if !ended {
        // The answer to a call in flight is still written.
        serving.as_mut().graceful_shutdown();
        let _ = serving.await;
    }
    leave(&connection, &evicted);
}

fn leave(connection: &OpenConnection, evicted: &CancellationToken) {
    let mut open = lock(&connection.all);
    // One that was evicted is in neither place.
    if open.strangers.remove(&connection.number).is_none() && !evicted.is_cancelled() {
        open.known = open.known.saturating_sub(1);
    }
}

async fn answer(
    (mut app, approach): (Router, Approach),
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    connection: OpenConnection,
) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    let (caller, is_secure) = approach.caller(peer, request.headers_mut());
    request.extensions_mut().insert(ConnectInfo(caller));
    request.extensions_mut().insert(connection);
    let mut response = app.call(request).await?;
    if is_secure {
        approach::secure_cookies(&mut response);
    }
    Ok(response)
}
