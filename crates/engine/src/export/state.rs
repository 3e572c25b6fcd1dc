//! The state of a debate as it is exported: claims, evidence, decisions and each
//! agent's position, and for each round the effect of its answers. Exports and
//! other programs read this, never the room itself.

use debate::model::*;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedState {
    pub topic: String,
    pub round: Round,
    pub participants: Vec<String>,
    pub claims: Vec<StateClaim>,
    pub evidence: Vec<StateEvidence>,
    pub decisions: Vec<Decision>,
    pub agent_status: Vec<AgentStatus>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateClaim {
    pub id: ClaimId,
    pub text: String,
    pub label: Label,
    pub status: ClaimStatus,
    pub introduced_round: Round,
    pub last_updated_round: Round,
    /// Sources cited for it, then claims made in its support.
    pub support: Vec<String>,
    /// Claims made against it.
    pub opposition: Vec<ClaimId>,
    pub evidence_type: EvidenceType,
    pub author: String,
    pub held_by: Vec<String>,
    pub opposed_by: Vec<String>,
    pub strength: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateEvidence {
    pub id: EvidenceId,
    pub kind: EvidenceKind,
    pub title: String,
    pub url: Option<String>,
    pub supports: Vec<ClaimId>,
    pub gist: String,
    pub added_round: Round,
    pub cited_by: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatus {
    pub agent: String,
    pub stance: Option<Stance>,
    pub confidence: Option<f64>,
    pub confidence_delta: Option<f64>,
    pub vote: Option<Ballot>,
    /// The round of the answer that this was read from, if there is one.
    pub round: Option<Round>,
}

/// One round as it is exported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundState {
    pub round: Round,
    pub kind: RoundKind,
    pub waves: Vec<Vec<String>>,
    pub agent_responses: Vec<ResponseState>,
    pub gaps: Vec<Gap>,
    pub new_claims: Vec<ClaimId>,
    pub new_evidence: Vec<EvidenceId>,
    pub contested: Vec<ClaimId>,
    pub summary: Option<RoundSummary>,
    pub analysis: Option<RoundAnalysis>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseState {
    pub agent: String,
    pub stance: Option<Stance>,
    pub vote: Option<Ballot>,
    pub confidence: Option<f64>,
    pub confidence_delta: Option<f64>,
    pub claims_touched: ClaimsTouched,
    pub citations_used: Vec<EvidenceId>,
    pub direct_replies_to: Vec<String>,
    /// The answer with everything that belongs to it.
    pub turn: Turn,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimsTouched {
    pub introduced: Vec<ClaimId>,
    pub reinforced: Vec<ClaimId>,
    pub challenged: Vec<ClaimId>,
}

pub fn state(room: &Room) -> ExportedState {
    ExportedState {
        topic: room.brief.topic.clone(),
        round: room.current().map_or(0, |record| record.number),
        participants: room.seats.iter().map(|seat| seat.name.clone()).collect(),
        claims: room.ledger.claims.iter().map(|claim| claim_of(room, claim)).collect(),
        evidence: room.ledger.evidence.iter().map(|source| source_of(room, source)).collect(),
        decisions: room.ledger.decisions.clone(),
        agent_status: room.seats.iter().map(|seat| status(room, seat)).collect(),
    }
}

pub fn round(room: &Room, record: &RoundRecord) -> RoundState {
    RoundState {
        round: record.number,
        kind: record.kind,
        waves: record.waves.iter().map(|wave| names(room, wave)).collect(),
        agent_responses: record.answered().map(|turn| response(room, record, turn)).collect(),
        gaps: record.gaps.clone(),
        new_claims: record.new_claims.clone(),
        new_evidence: record.new_evidence.clone(),
        contested: record.contested.clone(),
        summary: record.summary.clone(),
        analysis: record.analysis.clone(),
    }
}

fn response(room: &Room, record: &RoundRecord, turn: &Turn) -> ResponseState {
    let touched = record.touched.get(turn.seat.index()).cloned().unwrap_or_default();
    ResponseState {
        agent: turn.agent.clone(),
        stance: turn.answer.stance,
        vote: turn.answer.vote.as_ref().map(|vote| vote.ballot),
        confidence: turn.answer.confidence,
        confidence_delta: turn.confidence_change.as_ref().map(|change| change.delta),
        claims_touched: ClaimsTouched {
            introduced: touched.introduced,
            reinforced: touched.reinforced,
            challenged: touched.challenged,
        },
        citations_used: touched.citations_used,
        direct_replies_to: names(room, &touched.replies_to),
        turn: turn.clone(),
    }
}

fn status(room: &Room, seat: &Seat) -> AgentStatus {
    let last = room.rounds.iter().rev().find_map(|record| record.turn(seat.id));
    AgentStatus {
        agent: seat.name.clone(),
        stance: last.and_then(|turn| turn.answer.stance),
        confidence: last.and_then(|turn| turn.answer.confidence),
        confidence_delta: last
            .and_then(|turn| turn.confidence_change.as_ref())
            .map(|change| change.delta),
        vote: last.and_then(|turn| turn.answer.vote.as_ref()).map(|vote| vote.ballot),
        round: last.map(|turn| turn.round),
    }
}

fn claim_of(room: &Room, claim: &Claim) -> StateClaim {
    let sources = claim.support.iter().map(ToString::to_string);
    let claims = claim.supported_by.iter().map(ToString::to_string);
    StateClaim {
        id: claim.id,
        text: claim.text.clone(),
        label: claim.label,
        status: claim.status,
        introduced_round: claim.introduced_round,
        last_updated_round: claim.last_updated_round,
        support: sources.chain(claims).collect(),
        opposition: claim.opposition.clone(),
        evidence_type: claim.evidence_type,
        author: names(room, &[claim.author]).concat(),
        held_by: names(room, &claim.holders),
        opposed_by: names(room, &claim.opposers),
        strength: claim.strength,
    }
}

fn source_of(room: &Room, source: &Evidence) -> StateEvidence {
    let mut seats: Vec<SeatId> = source.cited_by.iter().map(|cited| cited.seat).collect();
    seats.sort();
    seats.dedup();
    StateEvidence {
        id: source.id,
        kind: source.kind,
        title: source.title.clone(),
        url: source.url.clone(),
        supports: source.supports.clone(),
        gist: source.gist.clone(),
        added_round: source.added_round,
        cited_by: names(room, &seats),
    }
}

/// Returns the names of seats in the given order.
pub fn names(room: &Room, seats: &[SeatId]) -> Vec<String> {
    seats.iter().filter_map(|id| room.seats.get(id.index())).map(|seat| seat.name.clone()).collect()
}
