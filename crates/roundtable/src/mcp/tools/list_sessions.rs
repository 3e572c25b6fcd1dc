//! Lists the debates.

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::words::when;
use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::shapes::{LengthWord, StatusWord};
use crate::mcp::result::shaping::short;
use crate::mcp::result::shown::ShownResult;
use crate::mcp::result::{listing, schema};
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "list_sessions",
    title: "List debates",
    description: include_str!("../words/list_sessions.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<ListArguments>,
    output: schema::of_output::<SessionsPage>,
    call: |call, given| list(call, given).boxed(),
};

const USUAL: u32 = 10;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListArguments {
    /// Only these debates.
    pub status: Option<StatusWord>,
    /// Text in topic or agents' names.
    #[schemars(length(max = 200))]
    pub search: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
    /// A nextCursor.
    #[schemars(length(max = 200))]
    pub cursor: Option<String>,
    /// detailed: agents and costs too.
    pub response_format: Option<LengthWord>,
}

/// Debates, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsPage {
    pub sessions: Vec<SessionRow>,
    /// Pass it as cursor for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub session_id: String,
    pub topic: String,
    pub mode: String,
    /// As in get_consensus.
    pub status: StatusWord,
    /// Rounds held, of how many were planned.
    pub rounds: String,
    /// In UTC.
    pub created: String,
    /// The debate it comes after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

async fn list(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ListArguments = arguments(given)?;
    let limit = args.limit.unwrap_or(USUAL);
    let page =
        listing::page(call.host(), args.search.clone(), args.status, args.cursor.as_deref(), limit)
            .await?;
    let (rows, next_cursor) = (page.rows, page.next_cursor);
    let format = args.response_format.unwrap_or_default();
    let note = match (rows.is_empty(), next_cursor.is_some()) {
        (true, _) if args.cursor.is_some() => "There are no more.".into(),
        (true, _) if args.search.is_some() || args.status.is_some() => "No debate matches.".into(),
        (true, _) => "No debate has been held yet; start_roundtable holds one.".into(),
        (false, true) => "There are more: pass nextCursor as cursor.".into(),
        (false, false) => format!("{} shown; there are no more.", rows.len()),
    };
    let sessions = rows.iter().map(|row| session(row, format)).collect();
    Ok(ShownResult::of(&SessionsPage { sessions, next_cursor, note }).into())
}

fn session(
    listing::DebateRow { listed: row, status }: &listing::DebateRow,
    format: LengthWord,
) -> SessionRow {
    let detailed = format == LengthWord::Detailed;
    SessionRow {
        session_id: row.id.clone(),
        topic: short(&row.topic, if detailed { 1000 } else { 140 }),
        mode: row.mode.clone(),
        status: *status,
        rounds: format!("{} of {}", row.rounds_done, row.rounds),
        created: when(row.created),
        after: row.after.clone(),
        agents: detailed.then(|| row.agents.iter().map(|name| short(name, 60)).collect()),
        cost_usd: detailed.then_some(row.cost_micro as f64 / 1e6),
    }
}
