//! The sources of a debate.

use debate::model::{Evidence, EvidenceKind, Room};
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::lookup::agent;
use crate::mcp::result::paging::{PageRequest, ResultPage};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::{seat_name, short};
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "get_citations",
    title: "List the sources",
    description: include_str!("../../words/get_citations.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<CitationsArguments>,
    output: schema::of_output::<CitationsPage>,
    call: |call, given| look(call, given).boxed(),
};

const USUAL: usize = 10;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CitationsArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Only sources of this agent, by name.
    #[schemars(length(min = 1, max = 200))]
    pub agent: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
    /// A nextCursor.
    #[schemars(length(max = 20))]
    pub cursor: Option<String>,
    /// detailed: longer extracts.
    pub response_format: Option<LengthWord>,
}

/// One entry per source, however often it was cited.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitationsPage {
    pub session_id: String,
    pub citations: Vec<CitationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Agents found and read these sources; check them before relying on them.
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitationView {
    /// E1, E2, …
    pub id: String,
    /// citation, tool_output or calculation.
    pub kind: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it says, in short.
    pub gist: String,
    /// Ids of the claims it is cited for.
    pub supports: Vec<String>,
    /// Who cited it, and in which round.
    pub cited_by: Vec<String>,
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: CitationsArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let room = seen.debate.room();
    let by = agent(room, args.agent.as_deref())?;
    let gist = match args.response_format.unwrap_or_default() {
        LengthWord::Concise => 160,
        LengthWord::Detailed => 1000,
    };
    let cites = |source: &&Evidence| {
        by.is_none_or(|seat| source.cited_by.iter().any(|cited| cited.seat == seat))
    };
    let all = room.ledger.evidence.iter().filter(cites).map(|one| view(room, one, gist));
    let wanted = PageRequest { cursor: args.cursor.as_deref(), limit: args.limit, usual: USUAL };
    let ResultPage { items: citations, next_cursor, note } = wanted.page(all)?;
    Ok(ShownResult::of(&CitationsPage {
        session_id: seen.id.clone(),
        citations,
        next_cursor,
        note,
    })
    .into())
}

fn view(room: &Room, source: &Evidence, gist: usize) -> CitationView {
    let cited = source.cited_by.iter();
    CitationView {
        id: source.id.to_string(),
        kind: match source.kind {
            EvidenceKind::Citation => "citation",
            EvidenceKind::ToolOutput => "tool_output",
            EvidenceKind::Calculation => "calculation",
        }
        .into(),
        title: short(&source.title, 200),
        url: source.url.as_deref().map(|url| short(url, 300)),
        gist: short(&source.gist, gist),
        supports: source.supports.iter().map(ToString::to_string).collect(),
        cited_by: cited
            .map(|one| format!("{}, round {}", seat_name(room, one.seat), one.round))
            .collect(),
    }
}
