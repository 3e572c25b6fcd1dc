//! The room: everything that is known about a debate at one moment. It is the
//! fold of the log, and what views, analysis and exports read.

use serde::{Deserialize, Serialize};

use super::{
    Agent, Brief, ChosenDepth, ClaimId, ClerkConsensus, ContextRequest, EvidenceId, Gap, Ledger,
    PauseReason, Round, RoundAnalysis, SafetyRecord, Searches, Seat, SeatId, Synthesis, Tally,
    TouchedClaims, Turn, Verdict,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Room {
    /// The brief as given; with automatic depth, also the depth and the rounds
    /// that were chosen.
    pub brief: Brief,
    pub seats: Vec<Seat>,
    pub status: Status,
    pub rounds: Vec<RoundRecord>,
    pub ledger: Ledger,
    /// Remarks a person made while it ran, with the round they came in.
    pub remarks: Vec<Remark>,
    /// Seats that a person dropped, in the order of dropping.
    pub dropped: Vec<DroppedSeat>,
    /// The requests of agents to the caller, with their answers, oldest first.
    pub context: Vec<ContextRequest>,
    pub searches: Searches,
    /// The focus question that holds now.
    pub focus: Option<String>,
    pub spent: Tally,
    pub verdict: Option<Verdict>,
    /// The depth that was chosen automatically, if it was.
    pub depth: Option<ChosenDepth>,
    pub safety: SafetyRecord,
    /// Written after the end, on request.
    pub synthesis: Option<Synthesis>,
}

impl Room {
    pub fn seat(&self, id: SeatId) -> &Seat {
        &self.seats[id.index()]
    }

    pub fn round(&self, number: Round) -> Option<&RoundRecord> {
        self.rounds.get((number as usize).checked_sub(1)?)
    }

    pub fn current(&self) -> Option<&RoundRecord> {
        self.rounds.last()
    }

    /// The last answer a seat gave before a round.
    pub fn previous_turn(&self, seat: SeatId, before: Round) -> Option<&Turn> {
        let earlier = (before as usize).saturating_sub(1).min(self.rounds.len());
        self.rounds[..earlier].iter().rev().find_map(|round| round.turn(seat))
    }

    /// The rounds of sealed first answers, where the effort asks for such.
    pub fn sample_rounds(&self) -> impl DoubleEndedIterator<Item = &RoundRecord> {
        self.rounds.iter().filter(|round| round.kind == RoundKind::Sample)
    }

    /// Returns true if a person holds this seat.
    pub fn is_person(&self, seat: SeatId) -> bool {
        let agent = self.seats.get(seat.index()).and_then(|seat| self.brief.agents.get(seat.agent));
        agent.is_some_and(Agent::is_person)
    }

    pub fn is_dropped(&self, seat: SeatId) -> bool {
        self.dropped.iter().any(|one| one.seat == seat)
    }

    pub fn closed_rounds(&self) -> impl Iterator<Item = &RoundRecord> {
        self.rounds.iter().filter(|round| round.closed)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "status")]
pub enum Status {
    Created,
    Active,
    Paused { reason: PauseReason },
    Completed { exit: Exit },
    Error { cause: String },
}

impl Status {
    pub fn word(&self) -> &'static str {
        match self {
            Status::Created => "created",
            Status::Active => "active",
            Status::Paused { .. } => "paused",
            Status::Completed { .. } => "completed",
            Status::Error { .. } => "error",
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self, Status::Completed { .. } | Status::Error { .. })
    }
}

/// The reason a debate ended, with the figures behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exit {
    /// A stable name: `rounds`, `stopped`, `consensus`, `convergence`, …
    pub rule: String,
    /// The rule in words with its figures.
    pub details: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remark {
    pub round: Round,
    pub text: String,
}

/// A seat that is asked no more, with the round in which a person dropped it; 0 before
/// the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DroppedSeat {
    pub seat: SeatId,
    pub agent: String,
    pub round: Round,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RoundRecord {
    pub number: Round,
    pub kind: RoundKind,
    pub waves: Vec<Vec<SeatId>>,
    /// The turns by seat index; `None` while a seat is awaited or if it left a
    /// gap.
    pub turns: Vec<Option<Turn>>,
    pub gaps: Vec<Gap>,
    /// By seat index, filled when the seat's wave closes.
    pub touched: Vec<TouchedClaims>,
    pub new_claims: Vec<ClaimId>,
    pub new_evidence: Vec<EvidenceId>,
    /// Claims that were contested when the round closed.
    pub contested: Vec<ClaimId>,
    pub summary: Option<RoundSummary>,
    /// The clerk's reading of the side each seat takes, or the reason why there
    /// is none, once known.
    pub stands: Option<Result<ClerkConsensus, String>>,
    pub analysis: Option<RoundAnalysis>,
    pub closed: bool,
}

impl RoundRecord {
    pub fn turn(&self, seat: SeatId) -> Option<&Turn> {
        self.turns.get(seat.index())?.as_ref()
    }

    pub fn gap(&self, seat: SeatId) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.seat == seat)
    }

    /// Answers in seat order.
    pub fn answered(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().flatten()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RoundKind {
    Planned,
    /// Sealed first answers: nobody is shown anything, as in a first round.
    Sample,
    /// Forced by suspected groupthink: counter-arguments and alternatives.
    CriticalObjection,
}

/// A finished round in 150 to 300 tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundSummary {
    pub round: Round,
    /// The author of the summary.
    pub by: SummaryBy,
    /// The change this round brought, in at most 35 tokens.
    pub one_liner: String,
    pub new_claims: Vec<ClaimId>,
    pub new_evidence: Vec<EvidenceId>,
    #[serde(default)]
    pub decisions: Vec<String>,
    pub by_agent: Vec<AgentMoves>,
    pub contested: Vec<ContestedClaim>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SummaryBy {
    /// Taken from the structured fields, no model involved.
    Extraction,
    Clerk,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentMoves {
    pub seat: SeatId,
    pub stance: Option<super::Stance>,
    pub confidence: Option<f64>,
    pub confidence_delta: Option<f64>,
    pub vote: Option<super::Ballot>,
    pub key_moves: Vec<KeyMove>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyMove {
    /// `claim`, `support`, `oppose`, `retract`, `gap`.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimId>,
    /// At most 20 tokens.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContestedClaim {
    pub claim: ClaimId,
    /// At most 25 tokens each.
    pub best_pro: String,
    pub best_con: String,
}
