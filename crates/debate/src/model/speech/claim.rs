//! The ledger: every claim of the debate with an id, the seats that hold or
//! oppose it, and its strength. `crate::ledger` enters turns into it.

use serde::{Deserialize, Serialize};

use crate::model::{ClaimId, DecisionId, Evidence, EvidenceId, EvidenceType, Label, Round, SeatId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimStatus {
    /// Two or more seats hold it and no seat opposes it.
    Accepted,
    /// Held and opposed.
    Contested,
    /// Its author withdrew it.
    Retracted,
    /// All else.
    Open,
}

impl ClaimStatus {
    pub fn word(self) -> &'static str {
        match self {
            ClaimStatus::Accepted => "accepted",
            ClaimStatus::Contested => "contested",
            ClaimStatus::Retracted => "retracted",
            ClaimStatus::Open => "open",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    pub id: ClaimId,
    pub text: String,
    pub label: Label,
    pub evidence_type: EvidenceType,
    pub status: ClaimStatus,
    pub author: SeatId,
    pub introduced_round: Round,
    pub last_updated_round: Round,
    /// Seats that hold it now, in seat order.
    pub holders: Vec<SeatId>,
    /// Seats that oppose it now, in seat order.
    pub opposers: Vec<SeatId>,
    /// Evidence cited for it.
    pub support: Vec<EvidenceId>,
    /// Claims made in support of it.
    pub supported_by: Vec<ClaimId>,
    /// Claims made against it.
    pub opposition: Vec<ClaimId>,
    /// 0 to 1, by DF-QuAD over the support and attack graph.
    pub strength: f64,
}

/// A decision that holds for the rest of the debate: a user's remark, an answer
/// to a context request, a moderator's ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub id: DecisionId,
    pub text: String,
    pub round: Round,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    pub claims: Vec<Claim>,
    pub evidence: Vec<Evidence>,
    pub decisions: Vec<Decision>,
}

impl Ledger {
    pub fn claim(&self, id: ClaimId) -> Option<&Claim> {
        self.claims.get(id.index())
    }

    pub fn source(&self, id: EvidenceId) -> Option<&Evidence> {
        self.evidence.get(id.index())
    }

    pub fn with_status(&self, status: ClaimStatus) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(move |claim| claim.status == status)
    }
}
