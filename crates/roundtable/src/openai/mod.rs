//! The table as a model: OpenAI's `/v1/models`, `/v1/chat/completions` and
//! `/v1/responses`, so that a program that can ask a model can ask a table. The last
//! message of the user is the question, and a debate lives on when its caller goes away:
//! until its answer was sent whole, the same request leads to it. What a table cannot do is refused in the
//! API's own form.

mod answer;
mod chat;
mod deliveries;
mod held;
mod models;
mod refused;
mod request;
mod responses;
mod stream;

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use engine::background::host::Host;
use engine::people::caller::Caller;

use deliveries::Deliveries;
use refused::ApiRefusal;
pub use refused::refusal;
use request::{AskedTable, WireShape};

/// The largest request: a conversation with its texts.
const LARGEST_BODY: usize = 4 * 1024 * 1024;

/// Tells whether a request came to a name of this server and from no foreign page.
pub type KnownPlace = dyn Fn(&HeaderMap) -> bool + Send + Sync;

/// The routes of the API. The caller checks the token.
pub fn router(host: Host, place: Arc<KnownPlace>) -> Router {
    Router::new()
        .route("/v1/models", get(models::all))
        .route("/v1/models/{*name}", get(models::one))
        .route("/v1/chat/completions", post(chat_completions))
        .route("/v1/responses", post(new_response))
        .route("/v1/{*rest}", get(nothing).post(nothing))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(place, check_place))
        .layer(Extension(Arc::new(Deliveries::default())))
        .with_state(host)
}

async fn check_place(
    State(place): State<Arc<KnownPlace>>,
    request: Request,
    next: Next,
) -> Response {
    if place(request.headers()) {
        return next.run(request).await;
    }
    let text = "This server is not called by that name, or not from that page.";
    refusal(StatusCode::FORBIDDEN, text)
}

async fn nothing(Path(rest): Path<String>) -> Response {
    let text = format!(
        "There is no /v1/{rest} here: a table answers /v1/models, \
                        /v1/chat/completions and /v1/responses."
    );
    refusal(StatusCode::NOT_FOUND, &text)
}

/// The host for the one who asks; the door has said who that is.
struct AskedHost(Host);

impl FromRequestParts<Host> for AskedHost {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, host: &Host) -> Result<Self, Infallible> {
        let caller = parts.extensions.get::<Caller>().cloned().unwrap_or_else(Caller::nobody);
        Ok(AskedHost(host.for_caller(&caller)))
    }
}

/// The answers that were sent, for every request.
type Sent = Extension<Arc<Deliveries>>;

async fn chat_completions(
    AskedHost(host): AskedHost,
    sent: Sent,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    asked(&host, sent, &headers, &body, WireShape::Chat).await
}

async fn new_response(
    AskedHost(host): AskedHost,
    sent: Sent,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    asked(&host, sent, &headers, &body, WireShape::Responses).await
}

async fn asked(
    host: &Host,
    Extension(sent): Sent,
    headers: &HeaderMap,
    body: &[u8],
    shape: WireShape,
) -> Response {
    let answered = async {
        let mut asked = AskedTable::read(host.config(), headers, body, shape)?;
        let (key, number) = asked.count(&sent);
        let delivered = move || sent.delivered(&key, number);
        let id = held::held(host, &asked).await?;
        if asked.stream {
            return stream::stream(host, asked, id, delivered).await;
        }
        // A caller who goes away meanwhile ends this here.
        let answer = answer::when_at_rest(host, &asked, &id).await?;
        delivered();
        Ok::<_, ApiRefusal>(match shape {
            WireShape::Chat => chat::whole(&asked, &answer),
            WireShape::Responses => responses::whole(&asked, &answer),
        })
    };
    answered.await.unwrap_or_else(IntoResponse::into_response)
}
