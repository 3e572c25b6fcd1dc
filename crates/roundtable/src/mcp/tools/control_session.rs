//! Steering a debate.

use engine::nouns::DebateCommand;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mcp::call::{Call, Hints, Reply, Row, Shown, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{Next, StatusWord};
use crate::mcp::result::shaping::{self, next};
use engine::background::host::{ClientSeat, DebateSnapshot};
use engine::error::EngineError;
use engine::sessions::control;

pub const ROW: Row = Row {
    name: "control_session",
    title: "Pause, resume or stop a debate",
    description: include_str!("../words/control_session.md"),
    hints: Hints::Steers,
    input: schema::of_input::<Args>,
    output: schema::of_output::<Done>,
    call: |call, given| steer(call, given).boxed(),
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// The debate, by its id or enough of it to be unique.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// pause: no new calls, answers on their way are kept. resume: go on in the background. stop: end it for good with a verdict on what has been said. remark: tell everyone something. focus: set the question every answer must address.
    pub action: Action,
    /// What to say, for remark and focus.
    #[schemars(length(min = 1, max = 10000))]
    pub text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Pause,
    Resume,
    Stop,
    Remark,
    Focus,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    pub session_id: String,
    pub action: Action,
    /// How the debate stands now.
    pub status: StatusWord,
    pub message: String,
    /// What to call next.
    pub next: Vec<Next>,
}

async fn steer(call: Call, given: Value) -> Result<Reply, EngineError> {
    let args: Args = arguments(given)?;
    let text = match (args.action, args.text) {
        (Action::Remark | Action::Focus, None) => {
            return Err(EngineError::input("text is required for remark and focus"));
        }
        (Action::Remark | Action::Focus, Some(text)) => text,
        (_, Some(_)) => {
            return Err(EngineError::input("text goes with remark and focus only; leave it out"));
        }
        (_, None) => String::new(),
    };
    let command = match args.action {
        Action::Pause => Some(DebateCommand::Pause),
        Action::Stop => Some(DebateCommand::Stop),
        Action::Remark => Some(DebateCommand::Remark(text)),
        Action::Focus => Some(DebateCommand::Focus(text)),
        Action::Resume => None,
    };
    // An id that is not known is said in the words of the store.
    let DebateSnapshot { id, seq, .. } = call.host().look(&args.session_id).await?;
    let message = match command {
        Some(command) => {
            let done = control::control(call.host().config(), &id, command).await?;
            match done.is_draining() {
                true => "Done. Answers that were on their way are still waited for and kept.",
                false => "Done.",
            }
        }
        None => {
            call.host().resume(&id, None, ClientSeat::default()).await?;
            call.server.log().follow(&call, &id, Some(seq));
            "It goes on in the background."
        }
    };
    let seen = call.host().look(&id).await?;
    let status = shaping::status(&seen);
    let following = match status {
        StatusWord::Paused | StatusWord::NeedsContext => {
            next("continue_roundtable", json!({ "sessionId": id }), "goes on where it stopped")
        }
        _ => next("get_consensus", json!({ "sessionId": id }), "shows how it stands"),
    };
    let done = Done {
        session_id: id,
        action: args.action,
        status,
        message: message.into(),
        next: vec![following],
    };
    Ok(Shown::of(&done).into())
}
