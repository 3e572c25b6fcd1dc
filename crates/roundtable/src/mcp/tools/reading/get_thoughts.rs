//! Shows an agent's path through the rounds.

use debate::model::Turn;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::lookup::agent;
use crate::mcp::result::paging::{PageRequest, ResultPage};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::{rounded, short};
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "get_thoughts",
    title: "Follow an agent through the rounds",
    description: include_str!("../../words/get_thoughts.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<ThoughtsArguments>,
    output: schema::of_output::<ThoughtsPage>,
    call: |call, given| look(call, given).boxed(),
};

const USUAL: usize = 6;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThoughtsArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// The agent's name. Default all.
    #[schemars(length(min = 1, max = 200))]
    pub agent: Option<String>,
    /// Entries; default 6.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
    /// A nextCursor.
    #[schemars(length(max = 20))]
    pub cursor: Option<String>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

/// Answers by agent, then by round.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThoughtsPage {
    pub session_id: String,
    pub thoughts: Vec<ThoughtView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThoughtView {
    pub agent: String,
    pub round: u32,
    pub position: String,
    pub reasoning: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Since its answer before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_change: Option<f64>,
    /// Why the confidence changed, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ThoughtsArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let room = seen.debate.room();
    let (position, reasoning) = match args.response_format.unwrap_or_default() {
        LengthWord::Concise => (260, 420),
        LengthWord::Detailed => (2000, 6000),
    };
    let thought = |turn: &Turn| ThoughtView {
        agent: short(&turn.agent, 60),
        round: turn.round,
        position: short(&turn.answer.position, position),
        reasoning: short(&turn.answer.reasoning, reasoning),
        confidence: turn.answer.confidence.map(rounded),
        confidence_change: turn.confidence_change.as_ref().map(|change| rounded(change.delta)),
        reason: turn.answer.confidence_reason.as_deref().map(|why| short(why, 200)),
        vote: turn.answer.vote.as_ref().map(|vote| vote.ballot.word().into()),
    };
    let by = agent(room, args.agent.as_deref())?;
    let seats = room.seats.iter().map(|seat| seat.id).filter(|id| by.is_none_or(|by| by == *id));
    let all = seats
        .flat_map(|seat| room.rounds.iter().filter_map(move |record| record.turn(seat)))
        .map(thought);
    let wanted = PageRequest { cursor: args.cursor.as_deref(), limit: args.limit, usual: USUAL };
    let ResultPage { items: thoughts, next_cursor, note } = wanted.page(all)?;
    Ok(ShownResult::of(&ThoughtsPage { session_id: seen.id.clone(), thoughts, next_cursor, note })
        .into())
}
