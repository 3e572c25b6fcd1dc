//! The card: what a person reads first of a result. It is computed once, with the
//! verdict, so that every face shows the same words and figures.

use serde::{Deserialize, Serialize};

use crate::model::{
    Action, ClaimId, ConsensusLevel, EvidenceId, MicroUsd, OpenConflict, RiskEntry, Round,
};

/// The first screen of a result. Every text in it is complete; a face shortens
/// what does not fit its width.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecisionCard {
    pub kind: CardKind,
    /// The decision in words, without ids or codes.
    pub decision: String,
    /// The agents who decided, where not every seat has a vote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<String>,
    pub action: Action,
    /// How sure the table is, in parts to be joined by a dot: "3 of 3 agree",
    /// "86 % weighed", "1 point disputed".
    pub sure: Vec<String>,
    /// The figures behind `sure`.
    pub figures: CardFigures,
    /// What to do or know before acting, in one or two plain sentences.
    pub reason: String,
    /// Who stands where at the end, most votes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<CardSide>,
    /// Claims that are disputed, those the decision rests on first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settle: Vec<OpenConflict>,
    /// Reasons for caution, gravest first, each a short clause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beware: Vec<String>,
    /// Changes of mind, in the order in which they happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<CardMove>,
    /// The strongest undisputed claims of those who hold the decision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<CardReason>,
    /// Attacks and their answers, strongest open one first, where no vote is taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<RiskEntry>,
    /// The last words of seats that argued and had no vote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<CaseHeard>,
    /// The clerk's two sentences; empty without a usable clerk.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    pub totals: CardTotals,
}

/// The kind of result a card leads with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CardKind {
    /// The answer that the votes weigh heaviest.
    Decided,
    /// The answer of the seats that judged two sides.
    Judged,
    /// The last ruling of the one seat that decides, word for word.
    Ruled,
    /// A combined figure with its range.
    Estimated,
    /// Two or more answers are level.
    Split,
    /// Answers in different words that nobody read for their meaning.
    Unread,
    /// A risk register; no vote is taken.
    Risks,
    /// No seat with a vote gave an answer.
    #[default]
    NoAnswer,
}

impl DecisionCard {
    /// The heading of the card.
    pub fn title(&self) -> &'static str {
        match (self.kind, self.action) {
            // What leads without a majority, or among answers that nobody read.
            (CardKind::Decided | CardKind::Judged, Action::QueryDetail) => "Leading answer",
            (CardKind::Decided | CardKind::Judged, Action::Proceed | Action::Verify) => "Decision",
            (CardKind::Ruled, _) => "Ruling",
            (CardKind::Estimated, _) => "Estimate",
            (CardKind::Split | CardKind::NoAnswer, _) => "No decision",
            (CardKind::Unread, _) => "Answers",
            (CardKind::Risks, _) => "Risks",
        }
    }
}

impl CardKind {
    /// Returns true if there is one decision that an outcome can be compared with.
    pub fn is_decision(self) -> bool {
        match self {
            CardKind::Decided | CardKind::Judged | CardKind::Ruled | CardKind::Estimated => true,
            CardKind::Split | CardKind::Unread | CardKind::Risks | CardKind::NoAnswer => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CardFigures {
    /// Votes for what leads, all votes, and those who could have voted.
    pub holding: usize,
    pub votes: usize,
    pub voters: usize,
    /// Voting seats whose last answer is that they cannot say.
    pub abstained: usize,
    /// The weighed probability of the leading answer, 0 to 1; absent for ties,
    /// estimates, rulings and risks.
    pub probability: Option<f64>,
    /// Agreement, 0 to 1; never to be read as confidence in the answer.
    pub agreement: Option<f64>,
    pub level: ConsensusLevel,
    /// Claims that are disputed at the end.
    pub disputed: usize,
    /// Attacks that are left open, where no vote is taken.
    pub open_risks: usize,
}

/// One answer and the agents who hold it at the end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CardSide {
    pub answer: String,
    pub agents: Vec<String>,
    pub votes: usize,
}

/// One change of mind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CardMove {
    pub agent: String,
    pub from: String,
    pub to: String,
    pub round: Round,
    /// What moved it: "by Ada's source E6", "without a new source".
    pub by: String,
}

/// A claim the decision rests on, with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardReason {
    pub claim: ClaimId,
    pub text: String,
    pub sources: Vec<EvidenceId>,
}

/// The last words of a seat that argued a side it was given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CaseHeard {
    pub agent: String,
    pub role: String,
    pub round: Round,
    pub words: String,
}

/// The size and the price of the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CardTotals {
    pub agents: usize,
    pub rounds: u32,
    pub calls: u32,
    /// The time the rounds took: the slowest answer of each wave, added up.
    pub latency_ms: u64,
    pub cost: MicroUsd,
    /// Calls whose price is not known; they are not in `cost`.
    pub unpriced_calls: u32,
}
