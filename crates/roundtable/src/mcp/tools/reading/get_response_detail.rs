//! One answer, whole.

use debate::model::Turn;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::lookup::{record, seat};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::{AgentWords, LengthWord};
use crate::mcp::result::shaping::{self, rounded, short};
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "get_response_detail",
    title: "Read one answer",
    description: include_str!("../../words/get_response_detail.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<ResponseArguments>,
    output: schema::of_output::<ResponseView>,
    call: |call, given| look(call, given).boxed(),
};

/// The argument where the result is concise, in characters; the rest of the
/// answer is short by itself.
const CONCISE: usize = 2_000;
const DETAILED: usize = 40_000;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResponseArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// The agent's name.
    #[schemars(length(min = 1, max = 200))]
    pub agent: String,
    /// Default its last answer.
    #[schemars(range(min = 1, max = 21))]
    pub round: Option<u32>,
    /// detailed: uncut, with tool results.
    pub response_format: Option<LengthWord>,
}

/// One answer with all that belongs to it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseView {
    pub session_id: String,
    #[serde(flatten)]
    pub said: AgentWords,
    pub reasoning: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
    /// Each with its label, kind of evidence and citation numbers.
    pub claims: Vec<String>,
    pub critiques: Vec<String>,
    /// Numbers are local to this answer.
    pub citations: Vec<String>,
    pub tool_calls: Vec<String>,
    /// What was mended or found wanting when the answer was read.
    pub remarks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    pub seconds: f64,
    pub has_more_details: bool,
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: ResponseArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let room = seen.debate.room();
    let seat = seat(room, &args.agent)?;
    let turn =
        match args.round {
            Some(_) => {
                let record = record(room, args.round)?;
                record.turn(seat.id).ok_or_else(|| {
                    let why = record.gap(seat.id).map(|gap| short(&gap.message, 200));
                    let why = why.unwrap_or_else(|| "it is still awaited".into());
                    EngineError::input(format!(
                        "{} has no answer in round {}: {why}",
                        short(&seat.name, 60),
                        record.number
                    ))
                })?
            }
            None => room.rounds.iter().rev().find_map(|record| record.turn(seat.id)).ok_or_else(
                || EngineError::input(format!("{} has not answered yet", short(&seat.name, 60))),
            )?,
        };
    let format = args.response_format.unwrap_or_default();
    Ok(ShownResult::of(&response(&seen.id, turn, format)).into())
}

fn response(id: &str, turn: &Turn, format: LengthWord) -> ResponseView {
    let said = &turn.answer;
    let bill = turn.whole_bill();
    let most = if format == LengthWord::Concise { CONCISE } else { DETAILED };
    let (entries, line) = if format == LengthWord::Concise { (5, 160) } else { (60, 1000) };
    let claim = |claim: &debate::model::ClaimMade| {
        let cited: String = claim.citations.iter().map(|number| format!("[{number}]")).collect();
        let (label, kind) = (claim.label.word(), claim.evidence_type.word());
        format!("[{label}, {kind}]{cited} {}", short(&claim.text, line))
    };
    let critique =
        |one: &debate::model::Critique| format!("on {}: {}", one.claim, short(&one.text, line));
    let citation = |one: &debate::model::Citation| {
        let place = one.url.as_deref().or(one.source.as_deref()).unwrap_or_default();
        format!("[{}] {} {}", one.number, short(&one.title, line), short(place, line))
    };
    let tool = |one: &debate::model::ToolCall| {
        let arguments = short(&one.arguments.to_string(), 200);
        match format {
            LengthWord::Concise => format!("{} {arguments}", one.tool),
            LengthWord::Detailed => {
                format!("{} {arguments} → {}", one.tool, short(&one.result, 1000))
            }
        }
    };
    ResponseView {
        session_id: id.into(),
        said: shaping::said(&shaping::last_word(turn), most / 4, [entries, line]),
        reasoning: short(&said.reasoning, most),
        confidence_reason: said.confidence_reason.as_deref().map(|why| short(why, line)),
        vote: said.vote.as_ref().map(|vote| {
            let objection =
                vote.objection.as_deref().map(|text| format!(": {}", short(text, line)));
            format!("{}{}", vote.ballot.word(), objection.unwrap_or_default())
        }),
        claims: said.claims.iter().take(entries).map(claim).collect(),
        critiques: said.critiques.iter().take(entries).map(critique).collect(),
        citations: said.citations.iter().take(entries).map(citation).collect(),
        tool_calls: turn.tool_calls.iter().take(entries).map(tool).collect(),
        remarks: turn.notes.iter().take(entries).map(|note| short(&note.text, 200)).collect(),
        cost_usd: bill.cost.map(|cost| cost.usd()),
        tokens: bill.usage.total(),
        seconds: rounded(bill.latency_ms as f64 / 1000.0),
        has_more_details: format == LengthWord::Concise
            && (said.reasoning.chars().count() > most
                || said.claims.len() > entries
                || !turn.tool_calls.is_empty()),
    }
}
