//! Outgoing requests. An ask is one complete request to one model; the sender has
//! nothing left to decide.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::{
    AskId, AwaitReason, EvidenceId, ReplyForm, Round, SeatId, TokenCounted, Verdict,
};

/// The next step the machine wants done. Asking for it twice is harmless.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send these; any of them may already be in flight.
    Ask(Vec<Ask>),
    /// Turn these texts into vectors.
    Embed(Vec<EmbedText>),
    /// The debate cannot go on until a person or a client acts.
    Await(AwaitReason),
    Done(Box<Verdict>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub id: AskId,
    /// The agent that answers, as an index into the brief's agents; `None` for
    /// the clerk.
    pub agent: Option<usize>,
    /// The name to show while waiting.
    pub speaker: String,
    /// The four layers; the same text for every round of a kind, so that
    /// providers can cache it.
    pub system: Arc<TokenCounted<String>>,
    pub user: TokenCounted<String>,
    /// The JSON schema the answer must fit, where one is asked for.
    pub schema: Arc<TokenCounted<serde_json::Value>>,
    /// Whether words, JSON or both are asked for.
    pub form: ReplyForm,
    pub max_output_tokens: u32,
    pub temperature: f64,
    pub timeout_seconds: u32,
    pub tools: ToolPolicy,
    /// The contents of the view in `user`, for the walk, the display and the
    /// tests.
    pub shown: ViewContents,
}

/// The number of tool calls an agent may and must make in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolPolicy {
    pub level: crate::model::ToolLevel,
    pub min_calls: u32,
    pub max_calls: u32,
}

impl ToolPolicy {
    pub const NONE: ToolPolicy =
        ToolPolicy { level: crate::model::ToolLevel::Relaxed, min_calls: 0, max_calls: 0 };
}

/// A text to embed: the position of a seat in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedText {
    pub round: Round,
    pub seat: SeatId,
    pub text: String,
}

/// The contents of a view, and the parts that had to be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewContents {
    /// Answers shown in full (or shortened to fit).
    pub answers: Vec<ShownAnswer>,
    /// Rounds shown as a summary.
    pub summaries: Vec<Round>,
    /// Claims in the state.
    pub claims: Vec<crate::model::ClaimId>,
    /// Sources in the state.
    pub evidence: Vec<EvidenceId>,
    /// The questions put to the caller, with the answers.
    pub context: Vec<crate::model::ContextId>,
    /// Estimated tokens: state, rounds, attachments, the whole view.
    pub tokens: ViewTokens,
    /// One sentence per thing left out.
    pub left_out: Vec<String>,
    /// The bytes at the beginning of the message that are the same in every round, where
    /// they hold the caller's files: a provider that is told can keep them.
    #[serde(skip)]
    pub same_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownAnswer {
    pub round: Round,
    pub seat: SeatId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewTokens {
    pub state: usize,
    /// The questions put to the caller, with the answers.
    pub context: usize,
    pub previous_round: usize,
    pub summaries: usize,
    pub this_round: usize,
    pub instructions: usize,
    pub attachments: usize,
    /// Everything but the attachments, which have a budget of their own.
    pub view: usize,
}
