//! The record of a finished debate: positions and their evidence in every round,
//! the metrics, the outcome and the cost. It is made from the log and adds nothing
//! to it.

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{
    AnalysedBy, Claim, ClaimStatus, ConsensusLevel, ConvergenceStatus, Event, EvidenceType, Label,
    LearningUsed, PostMortem, ProgressEntry, Room, RoundRecord, SeatId, Turn, Usage, Verdict,
};
use debate::sorting::SortRows;
use serde::Serialize;
use store::LogEntry;

use crate::config::Config;
use crate::error::{AfterDebate, EngineError, Refusal, SessionProblem, existing};
use crate::outcomes::track::gathered;
use crate::sessions::list;

const MOST_SUPPORT: usize = 12;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DebateRecord {
    pub session_id: String,
    pub project_name: Option<String>,
    pub domain: Option<String>,
    pub topic: String,
    pub mode: String,
    pub timestamp_start: String,
    pub timestamp_end: String,
    pub rounds: Vec<RoundEntry>,
    pub final_consensus: FinalConsensus,
    pub token_efficiency: TokenEfficiency,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons_used: Option<LearningUsed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implementation_tracking: Vec<ProgressEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_mortem_assessment: Option<PostMortem>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundEntry {
    pub round_number: u32,
    pub timestamp: String,
    pub duration_seconds: f64,
    pub agent_positions: Vec<AgentPosition>,
    /// Agents that gave no answer, and the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    pub metrics: RoundMetrics,
    pub user_input: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentPosition {
    pub agent: String,
    pub model: String,
    /// The viewpoint from which it spoke, else its role.
    pub panel: String,
    pub position: String,
    pub evidence_types: Vec<EvidenceType>,
    pub evidence_citations: Vec<String>,
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated_confidence: Option<f64>,
    pub tokens_used: Option<u64>,
}

#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundMetrics {
    pub semantic_similarity: Option<f64>,
    pub evidence_convergence: Option<f64>,
    /// Absent in the first round.
    pub position_shift: Option<f64>,
    pub agreement: Option<f64>,
    pub status: Option<ConvergenceStatus>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalConsensus {
    pub decision: String,
    pub rationale: String,
    /// The probability of the leading answer by the weighed vote.
    pub confidence: Option<f64>,
    pub agreement: Option<f64>,
    pub supporting_evidence: Vec<SupportingEvidence>,
    pub dissenting_opinions: Vec<RecordedDissent>,
    /// True if it was handed to a person.
    pub escalation: bool,
    /// The decision of a person who did not follow the answer; false if it was
    /// followed.
    pub human_override: HumanOverride,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum HumanOverride {
    No(bool),
    Decided(String),
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SupportingEvidence {
    #[serde(rename = "type")]
    pub evidence_type: EvidenceType,
    pub claim: String,
    pub citation: String,
    /// The weight of that type in this debate.
    pub weight: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedDissent {
    pub agents: Vec<String>,
    pub position: String,
    pub weight: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenEfficiency {
    pub total_tokens: Option<u64>,
    pub rounds: usize,
    pub avg_tokens_per_round: Option<u64>,
    pub consensus_reached: bool,
    pub cost_usd: f64,
}

#[boxed]
pub async fn record(config: &Config, id: &str) -> Result<DebateRecord, EngineError> {
    let store = existing(config.read_store().await, id)?;
    let (id, log) = list::log(&store, id).await?;
    let debate = Debate::replay(log.iter().map(|recorded| recorded.event.clone()))?;
    let room = debate.room();
    let Some(verdict) = &room.verdict else {
        let (status, wanted) = (room.status.clone(), AfterDebate::Record);
        return Err(Refusal::session(&id, SessionProblem::NotFinished { status, wanted }).into());
    };
    let book = gathered(store.outcomes(Some(&id)).await?).remove(&id).unwrap_or_default();
    let post = book.assessed.map(|assessed| assessed.post_mortem);
    Ok(DebateRecord {
        project_name: room.brief.project.clone(),
        domain: room.brief.domain.clone(),
        topic: room.brief.topic.clone(),
        mode: room.brief.mode.clone(),
        timestamp_start: time(log.first()),
        timestamp_end: time(log.iter().find(|one| matches!(one.event, Event::Ended { .. }))),
        rounds: room.rounds.iter().map(|round| round_entry(room, round, &log)).collect(),
        final_consensus: consensus(room, verdict, post.as_ref()),
        token_efficiency: efficiency(room, verdict),
        lessons_used: verdict.metadata.learning.clone(),
        implementation_tracking: book.entries.into_iter().map(|one| one.entry).collect(),
        post_mortem_assessment: post,
        session_id: id,
    })
}

fn time(recorded: Option<&LogEntry>) -> String {
    let stamp = recorded.and_then(|one| jiff::Timestamp::from_millisecond(one.at).ok());
    stamp.map(|stamp| stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}

fn round_entry(room: &Room, round: &RoundRecord, log: &[LogEntry]) -> RoundEntry {
    let number = round.number;
    let opened = log
        .iter()
        .find(|one| matches!(&one.event, Event::RoundOpened { round, .. } if *round == number));
    let ends = |event: &Event| match event {
        Event::RoundClosed { round } => *round == number,
        Event::Ended { .. } => true,
        _ => false,
    };
    let closed = log.iter().find(|one| ends(&one.event) && opened.is_some_and(|o| one.seq > o.seq));
    let lasted = opened.zip(closed).map_or(0, |(opened, closed)| closed.at - opened.at);
    let found = round.analysis.as_ref();
    let convergence = found.map(|found| &found.convergence);
    let remarks: Vec<&str> = room
        .remarks
        .iter()
        .filter(|remark| remark.round == number)
        .map(|remark| remark.text.as_str())
        .collect();
    RoundEntry {
        round_number: number,
        timestamp: time(opened),
        duration_seconds: lasted.max(0) as f64 / 1000.0,
        agent_positions: round.answered().map(|turn| position(room, turn)).collect(),
        missing: round
            .gaps
            .iter()
            .map(|gap| format!("{}: {}", gap.agent, gap.class.word()))
            .collect(),
        metrics: RoundMetrics {
            semantic_similarity: convergence.and_then(|c| c.similarity),
            evidence_convergence: convergence.and_then(|c| c.evidence),
            position_shift: convergence.and_then(|c| c.shift),
            agreement: found.and_then(|found| found.consensus.agreement_level),
            status: convergence.and_then(|c| c.status),
        },
        user_input: (!remarks.is_empty()).then(|| remarks.join("\n")),
    }
}

fn position(room: &Room, turn: &Turn) -> AgentPosition {
    let mut evidence_types: Vec<EvidenceType> =
        turn.answer.claims.iter().map(|claim| claim.evidence_type).collect();
    evidence_types.sort_unstable();
    evidence_types.dedup();
    let citation =
        |cited: &debate::model::Citation| match cited.url.as_ref().or(cited.source.as_ref()) {
            Some(place) => format!("{} ({place})", cited.title),
            None => cited.title.clone(),
        };
    let agent = room.seats.get(turn.seat.index()).and_then(|s| room.brief.agents.get(s.agent));
    let line = agent.and_then(|agent| room.brief.learned()?.calibration.get(&agent.name));
    AgentPosition {
        agent: turn.agent.clone(),
        model: turn.model.clone(),
        panel: turn.perspective.clone().unwrap_or_else(|| turn.role.clone()),
        position: turn.answer.position.clone(),
        evidence_types,
        evidence_citations: turn.answer.citations.iter().map(citation).collect(),
        confidence: turn.answer.confidence,
        calibrated_confidence: line.zip(turn.answer.confidence).map(|(l, c)| l.calibrated(c)),
        tokens_used: tokens(&turn.whole_bill().usage),
    }
}

fn tokens(usage: &Usage) -> Option<u64> {
    usage.total()
}

fn consensus(room: &Room, verdict: &Verdict, post: Option<&PostMortem>) -> FinalConsensus {
    let weighing = &verdict.evidence.weighing;
    let leading: &[SeatId] = weighing.answers.first().map_or(&[], |answer| &answer.seats);
    let name = |seat: &SeatId| room.seats.get(seat.index()).map(|seat| seat.name.clone());
    let dissent = weighing.answers.iter().skip(1).filter(|answer| !answer.seats.is_empty());
    let overridden = post.and_then(|post| post.human_override.clone());
    FinalConsensus {
        decision: verdict.decision.answer.clone(),
        rationale: rationale(room, verdict),
        confidence: verdict.decision.probability,
        agreement: verdict.decision.agreement_score,
        supporting_evidence: supporting(room, leading),
        dissenting_opinions: dissent
            .map(|answer| RecordedDissent {
                agents: answer.seats.iter().filter_map(name).collect(),
                position: answer.answer.clone(),
                weight: answer.share,
            })
            .collect(),
        escalation: escalated(room),
        human_override: overridden.map_or(HumanOverride::No(false), HumanOverride::Decided),
    }
}

/// Returns the clerk's summary if there is one, and the reason to act on the
/// decision or not.
fn rationale(room: &Room, verdict: &Verdict) -> String {
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let by_clerk = last.is_some_and(|found| found.consensus.by == AnalysedBy::Clerk);
    let summary = Some(verdict.evidence.consensus_summary.trim())
        .filter(|summary| by_clerk && !summary.is_empty());
    let reason = verdict.decision.reason.trim();
    match summary {
        Some(summary) => format!("{summary} {reason}"),
        None => reason.to_owned(),
    }
}

/// Returns the strongest undisputed claims of the seats that hold the decision.
fn supporting(room: &Room, leading: &[SeatId]) -> Vec<SupportingEvidence> {
    let weights = room.brief.evidence_weights();
    let carries = |claim: &&Claim| {
        claim.status != ClaimStatus::Retracted
            && claim.label != Label::Open
            && claim.holders.iter().any(|seat| leading.contains(seat))
    };
    let mut claims: Vec<&Claim> = room.ledger.claims.iter().filter(carries).collect();
    claims.sort_rows_by(|a, b| b.strength.total_cmp(&a.strength).then(a.id.cmp(&b.id)));
    let one = |claim: &Claim| {
        let sources = claim.support.iter().filter_map(|id| room.ledger.source(*id));
        let titles: Vec<&str> = sources.map(|source| source.title.as_str()).collect();
        SupportingEvidence {
            evidence_type: claim.evidence_type,
            claim: claim.text.clone(),
            citation: titles.join("; "),
            weight: weights.of(claim.evidence_type),
        }
    };
    claims.into_iter().take(MOST_SUPPORT).map(one).collect()
}

fn escalated(room: &Room) -> bool {
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    last.is_some_and(|found| {
        found.groupthink.escalate
            || found.convergence.status == Some(ConvergenceStatus::DiminishingReturns)
    })
}

fn efficiency(room: &Room, verdict: &Verdict) -> TokenEfficiency {
    let spent = &verdict.metadata.spent;
    let (total, rounds) = (tokens(&spent.usage), room.rounds.len());
    TokenEfficiency {
        total_tokens: total,
        rounds,
        avg_tokens_per_round: total.map(|total| total / (rounds.max(1) as u64)),
        consensus_reached: verdict.decision.consensus_level == ConsensusLevel::High,
        cost_usd: spent.cost.0 as f64 / 1e6,
    }
}
