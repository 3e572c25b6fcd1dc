//! The tools of agents: search, read a page, check a statement against the debate's
//! own record, ask the caller. Every tool only reads; none acts on the world, and
//! none sees a key.

mod cache;
mod check;
mod fact_check;
pub mod page;
mod pages;
mod read_page;
mod record;
mod request_context;
pub mod search_engines;
mod search_web;
mod sources;
mod submit_response;
#[cfg(test)]
mod tests;
mod toolbox;

use std::sync::Arc;

use debate::model::{Fence, WantedContext};
use futures::future::BoxFuture;
use serde_json::Value;

pub use crate::conversation::ToolSpec;
pub use cache::{OncePerKey, ResultOrigin, UseCount};
pub use check::check;
pub use fact_check::FactCheck;
pub use pages::KnownPages;
pub use read_page::ReadPage;
pub use record::{Record, RecordedSaying};
pub use request_context::RequestContext;
pub use search_web::SearchWeb;
pub use sources::{BESIDE_NATIVE_SEARCH, TurnSources};
pub(crate) use submit_response::submitted;
pub use submit_response::{SUBMIT, spec as submit_spec};
pub use toolbox::{NATIVE_SEARCH, Toolbox, ToolboxSettings};

/// Something a model can ask to be done.
pub trait Tool: Send + Sync {
    /// Its description, which is made once: every request carries it.
    fn spec(&self) -> &ToolSpec;

    /// Does it. The arguments have been checked against the spec's schema.
    fn call<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// The debate as a tool sees it: a snapshot, taken when the ask began.
#[derive(Clone)]
pub struct ToolContext {
    /// Foreign words reach a model only inside it.
    pub fence: Fence,
    pub record: Arc<Record>,
    /// Pages that may be read: the user's, and what searches found.
    pub pages: Arc<KnownPages>,
    /// The sources that can be cited in this turn; tools number what they show by it.
    pub sources: Arc<TurnSources>,
    /// True where this seat has stopped for the caller in this round before.
    pub held_up: bool,
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolOutput {
    /// For the model.
    pub text: String,
    /// Its request to the caller, who may answer later.
    pub request: Option<WantedContext>,
    /// The origin of the result, where it can be shared.
    pub made: Option<ResultOrigin>,
}

impl ToolOutput {
    fn of(text: String) -> ToolOutput {
        ToolOutput { text, ..ToolOutput::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Goes to the model, which can act on it.
    #[error("{0}")]
    Tell(String),
    /// Ends the turn: nothing the model does could help.
    #[error("{0}")]
    Fatal(String),
    /// The agent cannot go on without something that only the caller has.
    #[error("an agent needs something from the caller: {}", .0.question)]
    NeedsContext(WantedContext),
}

/// A tool's words for the model, from the file beside it.
fn described(name: &'static str, words: &'static str, schema: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: Arc::new(words.trim().into()),
        schema: Arc::new(schema.into()),
    }
}

/// A text argument; empty where it is missing, which the schema forbids where
/// it matters.
fn text_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}
