//! Shows the state of a debate, or its result.

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{DebateResult, LengthWord};
use crate::mcp::result::shaping::AnalysisWish;
use crate::mcp::session::context;
use crate::mcp::session::delivery::{self, CallPurpose, ResultWish};
use crate::mcp::session::seal::SealedState;
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "get_consensus",
    title: "See how a debate stands",
    description: include_str!("../words/get_consensus.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<ConsensusArguments>,
    output: schema::of_output::<DebateResult>,
    call: |call, given| look(call, given).boxed(),
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsensusArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Round to analyse. Default the last.
    #[schemars(range(min = 1, max = 21))]
    pub round: Option<u32>,
    /// Default 45; 0 returns at once.
    #[schemars(range(min = 0, max = 600))]
    pub wait_seconds: Option<u64>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ConsensusArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let id = seen.id;
    if let Some(brought) = &call.brought
        && let SealedState::Debate { id, .. } = &brought.state
    {
        context::take_in(&call, id, brought).await?;
    }
    let held = seen.debate.room().rounds.len() as u32;
    if let Some(round) = args.round.filter(|round| *round > held) {
        return Err(EngineError::input(format!(
            "round: there is no round {round} yet; rounds held so far: {held}"
        )));
    }
    let wish = ResultWish {
        wait_seconds: args.wait_seconds,
        format: args.response_format.unwrap_or_default(),
        analysis: args.round.map_or(AnalysisWish::Latest, AnalysisWish::OfRound),
        notices: Vec::new(),
        kind: CallPurpose::Looks,
        before: Some(seen.seq),
    };
    delivery::show(&call, &id, wish).await
}
