//! One call of a tool: its caller, the caller's abilities, and the result. A tool
//! that cannot do what was asked answers with words the model can act on; only
//! mistakes in the protocol itself are protocol errors.

use debate::model::{Bill, Failure, FailureClass};
use engine::nouns::StoreError;
use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
    InputRequiredResult, InputResponses, JsonObject, ProtocolVersion, Resource,
};
use rmcp::service::RequestContext;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use super::result::outline::outline;
use super::result::schema;
use super::server::Server;
use super::session::seal::State;
use super::session::told::Told;
use super::wording;
use crate::terminal::clean::clean;
use engine::background::host::Host;
use engine::error::EngineError;

pub struct Call {
    pub server: Server,
    pub context: RequestContext<RoleServer>,
    /// A digest of the name and the arguments, to recognise a repeated call.
    pub digest: String,
    /// The answers that the client brings when it calls again because it was asked to.
    pub brought: Option<Brought>,
    /// The progress that it has been sent.
    pub told: Mutex<Told>,
}

pub struct Brought {
    pub state: State,
    pub responses: InputResponses,
}

/// The era of the protocol that the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With `initialize`; the server may ask the client while a call runs.
    Legacy,
    /// Every request stands alone; a question to the client is part of the result,
    /// and the client calls again with the answer.
    Modern,
}

impl Era {
    pub fn of(context: &RequestContext<RoleServer>) -> Era {
        match context.protocol_version() {
            Some(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => {
                Era::Modern
            }
            _ => Era::Legacy,
        }
    }
}

impl Call {
    pub fn new(
        server: Server,
        context: RequestContext<RoleServer>,
        digest: String,
        brought: Option<Brought>,
    ) -> Call {
        let told = Mutex::new(Told::new(&context));
        Call { server, context, digest, brought, told }
    }

    pub fn host(&self) -> &Host {
        self.server.host()
    }

    pub fn era(&self) -> Era {
        Era::of(&self.context)
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
        self.era() == Era::Modern && self.capabilities().supports_tasks()
    }

    /// Returns whether the client no longer waits, for any reason.
    pub fn is_given_up(&self) -> bool {
        self.context.ct.is_cancelled()
    }
}

/// The result of a call.
pub enum Reply {
    Shown(Shown),
    /// The client is asked, and calls again.
    Ask(InputRequiredResult),
    Task(CreateTaskResult),
}

/// A complete result, as data and in words.
#[derive(Debug, Clone)]
pub struct Shown {
    pub structured: Value,
    pub text: String,
    pub links: Vec<Resource>,
}

impl Shown {
    pub fn of<T: Serialize>(value: &T) -> Shown {
        let structured = cleaned(serde_json::to_value(value).unwrap_or_default());
        let text = outline(&structured);
        Shown { structured, text, links: Vec::new() }
    }

    pub fn with_links(mut self, links: Vec<Resource>) -> Shown {
        self.links = links;
        self
    }

    pub fn result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text)];
        content.extend(self.links.into_iter().map(ContentBlock::resource_link));
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(self.structured);
        result
    }
}

impl From<Shown> for Reply {
    fn from(shown: Shown) -> Reply {
        Reply::Shown(shown)
    }
}

impl From<Reply> for CallToolResponse {
    fn from(reply: Reply) -> CallToolResponse {
        match reply {
            Reply::Shown(shown) => shown.result().into(),
            Reply::Ask(asked) => asked.into(),
            Reply::Task(task) => task.into(),
        }
    }
}

/// Text of models may contain anything; results for clients contain no control
/// characters.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => clean(&text).into_owned().into(),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(k, v)| (k, cleaned(v))).collect())
        }
        other => other,
    }
}

/// The result of a call that could not be carried out.
pub fn refused(trouble: &EngineError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(wording::text(trouble))])
}

/// Parses the arguments of a call; the error lists everything that is wrong with
/// them.
pub fn arguments<T: JsonSchema + DeserializeOwned>(given: Value) -> Result<T, EngineError> {
    let given = schema::without_nulls(given);
    let faults = schema::faults(&schema::of_input::<T>(), &given);
    if !faults.is_empty() {
        return Err(EngineError::Face(faults));
    }
    serde_json::from_value(given).map_err(|error| EngineError::input(error.to_string()))
}

/// A tool: its description for clients, and its function.
pub struct Row {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub hints: Hints,
    pub input: fn() -> JsonObject,
    pub output: fn() -> JsonObject,
    pub call: fn(Call, Value) -> BoxFuture<'static, Result<Reply, EngineError>>,
}

/// The effects of a tool, in the four hints of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// Reads what is stored.
    Reads,
    /// Asks models, which costs money, and adds to what is stored.
    Asks,
    /// Changes a debate in a way that may not be undone.
    Steers,
    /// Adds a note that can be undone.
    Notes,
}

/// A failure of the caller's own model.
pub fn client_failed(message: &str) -> Failure {
    Failure {
        class: FailureClass::Declined,
        message: message.into(),
        tries: 1,
        bill: Bill::default(),
    }
}
