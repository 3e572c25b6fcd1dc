//! What comes in: replies, failures, vectors, and a person's commands.

use serde::{Deserialize, Serialize};

use super::{
    AskId, Bill, Citation, ContextId, ContextRequest, GivenContext, MicroUsd, Round, WantedContext,
};

/// Something the machine is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Round 1 may begin, or a paused debate may go on.
    Go,
    /// These asks are about to be sent; what each may cost at most.
    Sending(Vec<Intent>),
    /// Nobody waits any more for what was sent and not heard of since: the
    /// process that sent it is gone, or has waited long enough.
    /// What a provider keeps is still to be had and is not meant.
    Abandoned,
    /// As [`Input::Abandoned`], and what providers keep is not fetched either.
    Forsaken,
    /// The provider keeps the answer to this ask.
    Kept {
        ask: AskId,
        kept: RemoteAnswer,
    },
    /// A conversation with tools has come this far.
    Stepped {
        ask: AskId,
        step: Box<ConversationStep>,
    },
    /// What the provider kept cannot be had any more.
    Lost {
        ask: AskId,
    },
    /// The call is held up for so long, and why.
    Delayed {
        ask: AskId,
        why: String,
        wait_ms: u64,
    },
    Replied {
        ask: AskId,
        reply: Box<Reply>,
    },
    Failed {
        ask: AskId,
        failure: Failure,
    },
    Compared(TextSimilarities),
    /// The embedder could not be used; the metrics stay absent, with the reason.
    NotCompared {
        reason: String,
    },
    Pause(PauseReason),
    Stop,
    /// A person's remark, or a new focus question, for the views to come.
    Remark(String),
    Focus(String),
    /// The caller answered or declined what an agent asked for.
    ContextGiven {
        request: ContextId,
        given: GivenContext,
    },
}

/// An ask that is about to be sent, with the worst it can cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    pub ask: AskId,
    /// `None` where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<MicroUsd>,
}

/// Where an answer can be fetched once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteAnswer {
    pub provider: String,
    pub model: String,
    /// The provider's own name for it.
    pub id: String,
}

/// A finished step of a conversation with tools. Whoever takes over goes on
/// behind it and does not pay for it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationStep {
    pub next: NextWord,
    /// What the model's part of it cost; the answer's bill will hold it too.
    #[serde(default)]
    pub bill: Bill,
    /// What whoever speaks with the model needs in order to go on.
    #[serde(default)]
    pub state: serde_json::Value,
}

/// Who has the word after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NextWord {
    /// It is asked again at once, so this may have been billed.
    Model,
    Tools,
    /// The conversation rests here.
    Nobody,
}

/// What is known of an ask from before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskHistory {
    /// Steps of its conversation, oldest first.
    pub steps: Vec<ConversationStep>,
    /// Where the answer to the step after them can be fetched.
    pub kept: Option<RemoteAnswer>,
    /// What was set aside for it.
    pub reserved: Option<MicroUsd>,
}

impl AskHistory {
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.kept.is_none()
    }
}

/// A finished answer as the provider sent it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reply {
    pub text: String,
    /// The words that came before `text`, where `text` is a record handed in by
    /// a call of `submit_response`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub working: String,
    /// The model that really answered, as the provider names it.
    pub model: String,
    /// Sources a provider's own search returned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Citation>,
    /// How often the provider's own search was used.
    pub searches: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it asked of the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<WantedContext>,
    pub bill: Bill,
    pub finish: Finish,
    /// Tries it took, the one that worked included.
    pub tries: u32,
    /// Whether another model answered than the one that was seated.
    pub fallback: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Finish {
    #[default]
    Complete,
    /// The output limit cut it off.
    CutOff,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    pub tool: String,
    pub arguments: serde_json::Value,
    pub result: String,
    pub duration_ms: u64,
    /// Whether an earlier call of the debate had already brought the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

/// Why an ask got no answer, named by what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub class: FailureClass,
    /// What happened, to what, and what to do next, in one or two lines.
    pub message: String,
    pub tries: u32,
    #[serde(default)]
    pub bill: Bill,
}

impl Failure {
    /// Something came back, but it was no answer.
    pub fn unusable(message: &str) -> Failure {
        Failure {
            class: FailureClass::Unusable,
            message: message.into(),
            tries: 1,
            bill: Bill::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Asked too often; waiting helped too little.
    RateLimited,
    /// The provider is overloaded or failing on its side.
    Overloaded,
    /// No answer in time.
    TimedOut,
    /// The connection could not be made or broke.
    Unreachable,
    /// The key is missing, wrong or not allowed.
    Unauthorised,
    /// The account has no money or quota left.
    OutOfCredit,
    /// The request was refused as malformed, or the model does not exist.
    BadRequest,
    /// The prompt does not fit the model.
    TooLong,
    /// The model declined or a filter blocked it.
    Declined,
    /// What came back was empty or no answer at all.
    Unusable,
    /// The output limit cut the answer off before anything could be used.
    CutOff,
    /// This program's own rules stopped it.
    Blocked,
}

impl FailureClass {
    pub fn word(self) -> &'static str {
        match self {
            FailureClass::RateLimited => "rate limited",
            FailureClass::Overloaded => "overloaded",
            FailureClass::TimedOut => "timed out",
            FailureClass::Unreachable => "unreachable",
            FailureClass::Unauthorised => "unauthorised",
            FailureClass::OutOfCredit => "out of credit",
            FailureClass::BadRequest => "bad request",
            FailureClass::TooLong => "too long",
            FailureClass::Declined => "declined",
            FailureClass::Unusable => "unusable",
            FailureClass::CutOff => "cut off",
            FailureClass::Blocked => "blocked",
        }
    }
}

/// How alike the texts of a [`super::Step::Embed`] are, in the order they were
/// given. Only the figures enter the debate; vectors stay where they were made.
#[derive(Debug, Clone, PartialEq)]
pub struct TextSimilarities {
    pub embedder: String,
    /// `similarities[i][j]`, calibrated, 0 to 1; `None` where a text had no vector.
    pub similarities: Vec<Vec<Option<f64>>>,
}

/// Why a debate is not running, in a form a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum PauseReason {
    /// A person paused it.
    Asked,
    /// The process was interrupted.
    Interrupted,
    /// Fewer than two agents answered in a round.
    QuorumLost { round: Round, answered: usize, seats: usize, why: String },
    /// The next call would pass the budget.
    Budget { why: String },
    /// Something a person can fix: no credit, bad key, disk full.
    Trouble { why: String },
    /// Agents need something that only the caller has; what they need.
    NeedsContext { requests: Vec<ContextRequest> },
}

impl PauseReason {
    /// One line for a person.
    pub fn sentence(&self) -> String {
        match self {
            PauseReason::Asked => "paused by a person".into(),
            PauseReason::Interrupted => "interrupted".into(),
            PauseReason::QuorumLost { round, answered, seats, why } => format!(
                "round {round} has {answered} of {seats} answers and needs at least 2: {why}"
            ),
            PauseReason::Budget { why } | PauseReason::Trouble { why } => why.clone(),
            PauseReason::NeedsContext { requests } => {
                let asked: Vec<String> = requests.iter().map(ContextRequest::sentence).collect();
                format!("it needs something only you can say. {}", asked.join("; "))
            }
        }
    }
}

/// Why the machine has nothing to ask right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwaitReason {
    /// It was opened and waits for [`Input::Go`].
    NotStarted,
    Paused(PauseReason),
    /// Something this program cannot go on with, such as a template that fails.
    Broken(String),
}
