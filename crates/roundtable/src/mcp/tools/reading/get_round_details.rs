//! Shows the answers of one round.

use debate::model::{Room, RoundRecord, Turn};
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::lookup::record;
use crate::mcp::result::paging::PageRequest;
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::{choice, names, rounded, short};
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;

pub const ROW: ToolRow = ToolRow {
    name: "get_round_details",
    title: "Read one round",
    description: include_str!("../../words/get_round_details.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<RoundArguments>,
    output: schema::of_output::<RoundView>,
    call: |call, given| look(call, given).boxed(),
};

const USUAL: usize = 5;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Default the last.
    #[schemars(range(min = 1, max = 21))]
    pub round: Option<u32>,
    /// Answers; default 5.
    #[schemars(range(min = 1, max = 10))]
    pub limit: Option<usize>,
    /// A nextCursor.
    #[schemars(length(max = 20))]
    pub cursor: Option<String>,
    /// Default concise.
    pub response_format: Option<LengthWord>,
}

/// One round: the answers in seat order, and what they did to the claims.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundView {
    pub session_id: String,
    pub round: u32,
    pub rounds_held: u32,
    /// planned, or criticalObjection: forced because the agents agreed too easily.
    pub kind: String,
    pub answers: Vec<AnswerView>,
    /// Who gave no answer, and why.
    pub gaps: Vec<String>,
    /// Claims first made in this round.
    pub new_claims: Vec<ClaimView>,
    /// Claims that were contested when it ended.
    pub contested: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub note: String,
}

/// One agent's answer in one round.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerView {
    pub agent: String,
    pub role: String,
    pub position: String,
    /// The argument; its beginning where the result is concise.
    pub reasoning: String,
    pub key_points: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// Ids of claims it made, took up and attacked.
    pub introduced: Vec<String>,
    pub reinforced: Vec<String>,
    pub challenged: Vec<String>,
    /// Whose claims it answered.
    pub replies_to: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimView {
    pub id: String,
    pub text: String,
    /// FACT, INFER, ASSUME or OPEN.
    pub label: String,
    /// accepted, contested, retracted or open, as it stands now.
    pub status: String,
    /// 0 to 1, from its evidence and from what supports and attacks it.
    pub strength: f64,
}

/// Lengths that keep a page of five answers under 2,000 tokens.
#[derive(Debug, Clone, Copy)]
struct AnswerLengths {
    position: usize,
    reasoning: usize,
    points: usize,
    claims: usize,
}

fn lengths(format: LengthWord) -> AnswerLengths {
    match format {
        LengthWord::Concise => {
            AnswerLengths { position: 260, reasoning: 260, points: 2, claims: 6 }
        }
        LengthWord::Detailed => {
            AnswerLengths { position: 2000, reasoning: 6000, points: 5, claims: 60 }
        }
    }
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: RoundArguments = arguments(given)?;
    let seen = call.host().look(&args.session_id).await?;
    let room = seen.debate.room();
    let record = record(room, args.round)?;
    let lengths = lengths(args.response_format.unwrap_or_default());
    let wanted = PageRequest { cursor: args.cursor.as_deref(), limit: args.limit, usual: USUAL };
    let page = wanted.page(record.answered().map(|turn| answer(room, record, turn, lengths)))?;
    let claims = record.new_claims.iter().filter_map(|id| room.ledger.claim(*id));
    let round = RoundView {
        session_id: seen.id.clone(),
        round: record.number,
        rounds_held: room.closed_rounds().count() as u32,
        kind: match record.kind {
            debate::model::RoundKind::Planned => "planned".into(),
            debate::model::RoundKind::Sample => "sample".into(),
            debate::model::RoundKind::CriticalObjection => "criticalObjection".into(),
        },
        note: format!("{} get_response_detail gives one answer whole.", page.note),
        answers: page.items,
        next_cursor: page.next_cursor,
        gaps: record
            .gaps
            .iter()
            .map(|gap| {
                let why = short(&gap.message, 160);
                format!("{}: {} ({why})", short(&gap.agent, 60), gap.class.word())
            })
            .collect(),
        new_claims: claims
            .take(lengths.claims)
            .map(|claim| ClaimView {
                id: claim.id.to_string(),
                text: short(&claim.text, 200),
                label: claim.label.word().into(),
                status: claim.status.word().into(),
                strength: rounded(claim.strength),
            })
            .collect(),
        contested: record.contested.iter().map(ToString::to_string).collect(),
        summary: record.summary.as_ref().map(|summary| short(&summary.one_liner, 300)),
        agreement: record
            .analysis
            .as_ref()
            .and_then(|analysis| analysis.consensus.agreement_level)
            .map(rounded),
    };
    Ok(ShownResult::of(&round).into())
}

fn answer(room: &Room, record: &RoundRecord, turn: &Turn, lengths: AnswerLengths) -> AnswerView {
    let said = &turn.answer;
    let touched = record.touched.get(turn.seat.index());
    let ids = |pick: fn(&debate::model::TouchedClaims) -> &Vec<debate::model::ClaimId>| {
        touched.map(|touched| pick(touched).iter().map(ToString::to_string).collect())
    };
    let points = said.key_points.iter().take(lengths.points);
    AnswerView {
        agent: short(&turn.agent, 60),
        role: turn.role.clone(),
        position: short(&said.position, lengths.position),
        reasoning: short(&said.reasoning, lengths.reasoning),
        key_points: points.map(|point| short(point, 160)).collect(),
        confidence: said.confidence.map(rounded),
        vote: said.vote.as_ref().map(|vote| vote.ballot.word().into()),
        objection: said
            .vote
            .as_ref()
            .and_then(|vote| vote.objection.as_deref())
            .map(|text| short(text, 200)),
        stance: said.stance.map(|stance| stance.word().into()),
        choice: said.answer.as_ref().map(choice),
        introduced: ids(|touched| &touched.introduced).unwrap_or_default(),
        reinforced: ids(|touched| &touched.reinforced).unwrap_or_default(),
        challenged: ids(|touched| &touched.challenged).unwrap_or_default(),
        replies_to: touched.map(|touched| names(room, &touched.replies_to)).unwrap_or_default(),
    }
}
