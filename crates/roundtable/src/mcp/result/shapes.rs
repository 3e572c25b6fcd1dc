//! The result of a tool that runs or reads a debate: four layers, the decision
//! first. The model that gets the result reads each doc comment.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A debate in four layers: decision, agentResponses, evidence, metadata.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebateResult {
    pub session_id: String,
    pub status: StatusWord,
    /// How it stands, until there is a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The result in a few sentences, for clients that show text.
    #[serde(skip)]
    pub text: String,
    /// Absent until the debate is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionView>,
    /// The last word of each agent.
    pub agent_responses: Vec<AgentResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceView>,
    pub metadata: MetadataView,
    /// Present while the debate is not over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
    /// Questions that only you or the user can answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_requests: Vec<ContextRequestView>,
    /// Of one round, in get_consensus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<AnalysisView>,
    /// What a person must do before going on can help. Tell the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<String>,
    /// Calls that bring it on, the most useful first.
    pub next: Vec<NextCall>,
    /// What agents were not shown, what was refused, and how it was set up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

// queued and running: call get_consensus later. needs_context: answer through
// continue_roundtable. completed, error: over. damaged: it cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    Queued,
    #[default]
    Running,
    NeedsContext,
    Paused,
    Completed,
    Error,
    Damaged,
}

impl StatusWord {
    pub fn word(self) -> &'static str {
        match self {
            StatusWord::Queued => "queued",
            StatusWord::Running => "running",
            StatusWord::NeedsContext => "needs_context",
            StatusWord::Paused => "paused",
            StatusWord::Completed => "completed",
            StatusWord::Error => "error",
            StatusWord::Damaged => "damaged",
        }
    }
}

/// Layer 1: what to do.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// The position most of the table ended on, or that it is split.
    pub answer: String,
    pub consensus_level: AgreementLevel,
    /// How far the agents agree, 0 to 1. It is not confidence in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement_score: Option<f64>,
    /// How probable the answer is by the weighed vote, 0 to 1. It is not agreement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    pub action_recommendation: RecommendationView,
    /// The same in words: votes, weighed probability, disputed points.
    pub sure: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgreementLevel {
    High,
    Medium,
    Low,
    Unknown,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecommendationView {
    /// proceed: rely on it. verify: check what the reason names first. query_detail: look into it with the detail tools.
    #[serde(rename = "type")]
    pub kind: ActionWord,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionWord {
    Proceed,
    Verify,
    QueryDetail,
}

/// What one agent said in one round.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentWords {
    /// The agent's name, by which other tools know it.
    pub agent: String,
    pub model: String,
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perspective: Option<String>,
    pub round: u32,
    pub position: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_points: Vec<String>,
    /// The agent's own, 0 to 1; absent where it stated none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The option, number or probability it chose, where the question asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// Layer 2: one agent's last word.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentResponse {
    #[serde(flatten)]
    pub said: AgentWords,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_change: Option<ConfidenceView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<String>,
    pub evidence_used: EvidenceUsed,
}

/// A change of confidence since an earlier answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceView {
    pub delta: f64,
    pub previous_round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What an agent based its answers on, over all rounds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceUsed {
    pub searches: u32,
    pub citations: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Kinds of evidence behind its claims, strongest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// Layer 3: what it rests on.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceView {
    pub total_citations: usize,
    pub citations: Vec<SourceView>,
    /// Points still contested at the end.
    pub conflicts: Vec<ConflictView>,
    pub consensus_summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groupthink: Option<GroupthinkView>,
    /// What each answered before anybody had seen the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_vote: Vec<VoteView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub final_vote: Vec<VoteView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes_of_mind: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub minority_reports: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// E1, E2, … in the debate's register.
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub cited_by: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictView {
    /// A claim of the ledger begins with its number, such as C4.
    pub issue: String,
    pub positions: Vec<ConflictPosition>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictPosition {
    pub agent: String,
    pub stance: String,
}

/// Signs that the agents agreed too easily, and what to do about it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupthinkView {
    pub signs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteView {
    pub answer: String,
    pub agents: Vec<String>,
}

/// Layer 4: how it went and where there is more.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetadataView {
    pub topic: String,
    pub mode: String,
    /// Rounds that are over.
    pub rounds_held: u32,
    /// Why it ended or stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitView>,
    /// Agents that answered in the last round, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    /// clerk: a light model read who stands where. basic: positions were compared word by word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysed_by: Option<String>,
    /// Turns that are missing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// null: not known.
    pub cost_usd: Option<f64>,
    /// Calls whose price is not known and not in costUsd.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_calls: u32,
    /// The most that calls of unknown fate can have cost on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possibly_billed_usd: Option<f64>,
    pub calls: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// What to check before relying on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification_hints: Vec<HintView>,
    pub has_more_details: bool,
    /// The call that gives the details.
    pub detail_reference: NextCall,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExitView {
    /// A stable name: rounds, consensus, stopped, budget, asked, …
    pub code: String,
    pub reason: String,
}

/// One thing to check.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HintView {
    pub what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The tool that shows more of it.
    pub how: String,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    pub round: u32,
    pub rounds: u32,
    /// Turns that are over, of how many there are to be.
    pub turns: usize,
    pub turns_expected: usize,
    pub percent: u32,
    /// After the last round that was analysed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    pub poll_after_seconds: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextRequestView {
    /// c1, c2, …: give it back as requestId.
    pub request_id: String,
    pub agent: String,
    pub question: String,
    pub why: String,
    /// required: the debate waits for it. optional: it goes on without.
    pub priority: String,
}

/// A call worth making.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextCall {
    pub tool: String,
    pub arguments: Map<String, Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What the analysis of a round found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisView {
    pub round: u32,
    /// 0 to 1; absent with fewer than two answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement_level: Option<f64>,
    pub analysed_by: String,
    /// Agents that say the same.
    pub clusters: Vec<ClusterView>,
    pub common_ground: Vec<String>,
    pub disagreements: Vec<String>,
    /// Partial agreements, conditions and uncertainties, as the clerk read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nuances: Vec<String>,
    /// Mean similarity of the positions, 0 to 1. Negations can be similar: it is not agreement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Mean change of position since the round before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// Share of the cited sources that all who cite share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_evidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convergence: Option<String>,
    pub votes: VoteTally,
    /// Signs of groupthink, in words with figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groupthink: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    pub theme: String,
    pub agents: Vec<String>,
    pub summary: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteTally {
    pub accept: usize,
    pub minor: usize,
    pub blocker: usize,
    /// What those who did not accept object to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<String>,
}

/// How much a result says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LengthWord {
    #[default]
    Concise,
    Detailed,
}
