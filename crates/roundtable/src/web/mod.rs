//! The face that people use in a browser. Pages are drawn on the server and read without
//! scripts; one small script adds words as they stream in. Every request is checked at
//! the entrance, every change is a form that is posted from this very page, and nothing
//! is asked of another host. A page makes calls into the engine and decides nothing.

mod agents;
mod assets;
mod compare;
mod debate;
mod debates;
mod entrance;
mod fields;
mod frame;
mod learning;
mod live;
mod new_debate;
mod people;
pub mod sign_in;
mod steer;
#[cfg(test)]
mod tests;
pub mod wording;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use engine::background::host::Host;

use entrance::Visit;
pub use entrance::WebAccess;
pub use wording::lines as problem_lines;

/// The largest form: a question with its texts.
const LARGEST_FORM: usize = 4 * 1024 * 1024;

/// Everything that a page needs. Cheap to clone.
#[derive(Clone)]
struct WebState {
    host: Host,
    hubs: live::LiveHubs,
    decisions: debates::DecisionCache,
    access: Arc<WebAccess>,
    /// The one for whom a page is drawn.
    visit: Visit,
}

/// The routes of the page.
pub fn router(host: Host, access: Arc<WebAccess>) -> Router {
    let state = WebState {
        hubs: live::LiveHubs::default(),
        decisions: debates::DecisionCache::default(),
        access,
        visit: Visit::default(),
        host,
    };
    Router::new()
        .route("/", get(debates::all))
        .route("/new", get(new_debate::form).post(new_debate::start))
        .route("/new/estimate", post(new_debate::estimate))
        .route("/debates/{id}", get(debate::one))
        .route("/debates/{id}/events", get(live::events))
        .route("/debates/{id}/export/{format}", get(debate::export))
        .route("/debates/{id}/outcome", post(steer::outcome))
        .route("/debates/{id}/fork", post(steer::fork))
        .route("/debates/{id}/{action}", post(steer::steer))
        .route("/compare", get(compare::compare))
        .route("/learning", get(learning::learning))
        .route("/agents", get(agents::agents))
        .route("/people", get(people::people).post(people::add))
        .route("/people/{name}/{action}", post(people::change))
        .route("/theme/{name}", get(frame::theme))
        .route("/keys", get(frame::keys))
        .route("/sign-in", get(entrance::ask).post(entrance::enter))
        .route("/sign-in/provider", get(entrance::go_to_provider))
        .route("/sign-in/back", get(entrance::back))
        .route("/sign-in/{code}", get(entrance::follow))
        .route("/sign-out", post(entrance::leave))
        .route("/assets/{name}", get(assets::asset))
        .fallback(frame::nothing_here)
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .layer(from_fn_with_state(state.clone(), entrance::guard))
        .with_state(state)
}
