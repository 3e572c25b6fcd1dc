//! One call of a tool: its caller, the caller's abilities, and the result. A tool
//! that cannot do what was asked answers with words the model can act on; only
//! mistakes in the protocol itself are protocol errors.

use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, CreateTaskResult, InputRequiredResult, InputResponses,
    JsonObject,
};
use rmcp::service::RequestContext;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use super::era::ProtocolEra;
use super::result::schema;
use super::result::shown::ShownResult;
use super::session::connection::Connection;
use super::session::progress::ProgressSent;
use super::session::seal::SealedState;
use engine::background::host::Host;
use engine::error::EngineError;

/// A call of a tool by a client.
pub struct Call {
    pub connection: Connection,
    pub context: RequestContext<RoleServer>,
    /// A digest of the name and the arguments, to recognise a repeated call.
    pub digest: String,
    /// The answers that the client brings when it calls again because it was asked to.
    pub brought: Option<BroughtAnswers>,
    /// The progress that it has been sent.
    pub progress: Mutex<ProgressSent>,
}

pub struct BroughtAnswers {
    pub state: SealedState,
    pub responses: InputResponses,
}

impl Call {
    pub fn new(
        connection: Connection,
        context: RequestContext<RoleServer>,
        digest: String,
        brought: Option<BroughtAnswers>,
    ) -> Call {
        let before = brought.as_ref().and_then(|brought| match brought.state {
            SealedState::Debate { progress, .. } => Some(progress),
            SealedState::Confirm => None,
        });
        let progress = Mutex::new(ProgressSent::new(&context, before));
        Call { connection, context, digest, brought, progress }
    }

    pub fn host(&self) -> &Host {
        self.connection.host()
    }

    pub fn era(&self) -> ProtocolEra {
        ProtocolEra::of(&self.context)
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.context.client_capabilities().unwrap_or_default()
    }

    /// Returns whether the client can show a form to its user.
    pub fn can_elicit(&self) -> bool {
        // A client that names no way of asking means the form.
        self.capabilities().elicitation.is_some_and(|way| way.form.is_some() || way.url.is_none())
    }

    /// Returns whether the client lends its model.
    pub fn can_sample(&self) -> bool {
        self.capabilities().sampling.is_some()
    }

    /// Returns whether the client supports tasks in the form this server has them.
    pub fn has_tasks(&self) -> bool {
        self.era() == ProtocolEra::Modern && self.capabilities().supports_tasks()
    }

    /// Returns whether the client no longer waits, for any reason.
    pub fn is_given_up(&self) -> bool {
        self.context.ct.is_cancelled()
    }
}

/// The result of a call.
pub enum ToolReply {
    Shown(ShownResult),
    /// The client is asked, and calls again.
    Ask(InputRequiredResult),
    Task(CreateTaskResult),
}

impl From<ShownResult> for ToolReply {
    fn from(shown: ShownResult) -> ToolReply {
        ToolReply::Shown(shown)
    }
}

impl From<ToolReply> for CallToolResponse {
    fn from(reply: ToolReply) -> CallToolResponse {
        match reply {
            ToolReply::Shown(shown) => shown.result().into(),
            ToolReply::Ask(asked) => asked.into(),
            ToolReply::Task(task) => task.into(),
        }
    }
}

/// Parses the arguments of a call; the error lists everything that is wrong with
/// them.
pub fn arguments<T: JsonSchema + DeserializeOwned + 'static>(
    given: Value,
) -> Result<T, EngineError> {
    let given = schema::without_nulls(given);
    let faults = schema::faults(&schema::kept_of_input::<T>(), &given);
    if !faults.is_empty() {
        return Err(EngineError::Face(faults));
    }
    serde_json::from_value(given).map_err(|error| EngineError::input(error.to_string()))
}

/// A tool: its description for clients, and its function.
pub struct ToolRow {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub hints: ToolHints,
    pub input: fn() -> JsonObject,
    pub output: fn() -> JsonObject,
    pub call: fn(Call, Value) -> BoxFuture<'static, Result<ToolReply, EngineError>>,
}

/// The effects of a tool, in the four hints of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolHints {
    /// Reads what is stored.
    Reads,
    /// Asks models, which costs money, and adds to what is stored.
    Asks,
    /// Changes a debate in a way that may not be undone.
    Steers,
    /// Adds a note that can be undone.
    Notes,
}
