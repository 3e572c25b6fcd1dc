//! Steering a debate.

use engine::nouns::DebateCommand;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{DecisionView, NextCall, StatusWord};
use crate::mcp::result::shaping;
use crate::mcp::result::shown::ShownResult;
use crate::mcp::result::steps::{NextSteps, steps};
use crate::mcp::session::{pause_facts, waiting};
use engine::background::host::{ClientSeat, DebateSnapshot};
use engine::error::EngineError;
use engine::people::caller::Operation;
use engine::people::touch;
use engine::sessions::control;

pub const ROW: ToolRow = ToolRow {
    name: "control_session",
    title: "Pause, resume or stop a debate",
    description: include_str!("../words/control_session.md"),
    hints: ToolHints::Steers,
    input: schema::of_input::<ControlArguments>,
    output: schema::of_output::<ControlView>,
    call: |call, given| steer(call, given).boxed(),
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// focus: a question for every answer.
    pub action: ControlAction,
    /// For remark and focus.
    #[schemars(length(min = 1, max = 10000))]
    pub text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ControlAction {
    Pause,
    Resume,
    Stop,
    Remark,
    Focus,
    Share,
    Unshare,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlView {
    pub session_id: String,
    pub action: ControlAction,
    /// How the debate stands now.
    pub status: StatusWord,
    pub message: String,
    /// Of a debate that is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionView>,
    /// What a person must do before going on can help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<String>,
    /// Calls that bring it on.
    pub next: Vec<NextCall>,
}

async fn steer(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ControlArguments = arguments(given)?;
    let text = match (args.action, args.text) {
        (ControlAction::Remark | ControlAction::Focus, None) => {
            return Err(EngineError::input("text is required for remark and focus"));
        }
        (ControlAction::Remark | ControlAction::Focus, Some(text)) => text,
        (_, Some(_)) => {
            return Err(EngineError::input("text goes with remark and focus only; leave it out"));
        }
        (_, None) => String::new(),
    };
    let command = match args.action {
        ControlAction::Pause => Some(DebateCommand::Pause),
        ControlAction::Stop => Some(DebateCommand::Stop),
        ControlAction::Remark => Some(DebateCommand::Remark(text)),
        ControlAction::Focus => Some(DebateCommand::Focus(text)),
        ControlAction::Resume | ControlAction::Share | ControlAction::Unshare => None,
    };
    // An id that is not known is said in the words of the store.
    let looked = call.host().look_to(&args.session_id, Operation::Steer);
    let DebateSnapshot { id, seq, .. } = looked.await?;
    let message = match command {
        Some(command) => {
            let done = control::control(call.host().config(), &id, command).await?;
            if args.action == ControlAction::Stop {
                "Stopped; answers that were on their way were kept."
            } else if done.is_draining() {
                "Done. Answers that were on their way are still waited for and kept."
            } else {
                "Done."
            }
        }
        None if args.action != ControlAction::Resume => {
            let shared = args.action == ControlAction::Share;
            touch::share(call.host().config(), &id, shared).await?;
            if shared { "The whole team can read it." } else { "It is private." }
        }
        None => {
            call.host().resume(&id, None, ClientSeat::default()).await?;
            call.connection.log().follow(call.host(), &call.context, &id, Some(seq));
            "It goes on in the background."
        }
    };
    // A stop waits for the answers on their way; its verdict is worth waiting for.
    if args.action == ControlAction::Stop {
        let seconds = waiting::allowed(&call, None);
        waiting::wait(&call, &id, seconds, None).await?;
    }
    let seen = call.host().look(&id).await?;
    let (status, facts) = (shaping::status(&seen), pause_facts::of(call.host(), &seen).await);
    let required = shaping::required_requests(seen.debate.room());
    let NextSteps { needs_person, calls } = steps(&seen, status, &required, facts);
    let done = ControlView {
        action: args.action,
        status,
        message: message.into(),
        decision: shaping::decision(&seen, facts),
        needs_person,
        next: calls,
        session_id: id,
    };
    Ok(ShownResult::of(&done).into())
}
