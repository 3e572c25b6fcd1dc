//! Incoming messages: replies, failures, similarities, and a person's commands.

use serde::{Deserialize, Serialize};

use crate::model::{
    AskId, Bill, Citation, ContextId, ContextRequest, GivenContext, MicroUsd, Round, SeatId,
    WantedContext,
};

/// A message to the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Round 1 may begin, or a paused debate may go on.
    Go,
    /// These asks are about to be sent, each with the most it may cost.
    Sending(Vec<Intent>),
    /// The runner has given up waiting for the asks that were sent and not
    /// answered: the process that sent them is gone, or has waited long enough.
    GaveUp {
        /// If true, answers that a provider stores are not given up and can still
        /// be fetched.
        fetch_kept: bool,
    },
    /// The provider stores the answer to this ask.
    Kept {
        ask: AskId,
        kept: RemoteAnswer,
    },
    /// A step of a conversation with tools is finished.
    Stepped {
        ask: AskId,
        step: Box<ConversationStep>,
    },
    /// A further request of this call needs money; see [`crate::model::Event::Reserved`].
    Reserving {
        ask: AskId,
        reserved: MicroUsd,
        used: MicroUsd,
        rests: bool,
    },
    /// The stored answer can no longer be fetched from the provider.
    Lost {
        ask: AskId,
    },
    /// The call is delayed for this long, for this reason.
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
    /// The embedder failed; the figures that need it stay absent, with the
    /// reason.
    NotCompared {
        reason: String,
    },
    Pause(PauseReason),
    Stop,
    /// A person's remark, or a new focus question, for the views to come.
    Remark(String),
    Focus(String),
    /// A person drops a seat: it is asked no more.
    Drop(SeatId),
    /// The caller answered or declined what an agent asked for.
    ContextGiven {
        request: ContextId,
        given: GivenContext,
    },
}

/// An ask that is about to be sent, with the most it can cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    pub ask: AskId,
    /// `None` where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<MicroUsd>,
}

/// The place from which an answer can be fetched again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteAnswer {
    pub provider: String,
    pub model: String,
    /// The provider's own id for it.
    pub id: String,
}

/// A finished step of a conversation with tools. A runner that takes over
/// continues after it and does not pay for it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationStep {
    pub next: NextWord,
    /// The cost of the model's part of this step; the answer's bill includes it.
    #[serde(default)]
    pub bill: Bill,
    /// The data that the caller of the model needs in order to continue.
    #[serde(default)]
    pub state: serde_json::Value,
}

/// The party that speaks after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NextWord {
    /// It is asked again at once, so this may have been billed.
    Model,
    Tools,
    /// No party: the conversation rests here.
    Nobody,
}

/// The known history of an ask.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskHistory {
    /// Steps of its conversation, oldest first.
    pub steps: Vec<ConversationStep>,
    /// The place from which the answer to the next step can be fetched.
    pub kept: Option<RemoteAnswer>,
    /// The amount reserved for it.
    pub reserved: Option<MicroUsd>,
    /// The part of it that earlier requests took.
    pub used: MicroUsd,
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
    /// The number of searches the provider itself made.
    pub searches: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The questions it put to the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<WantedContext>,
    pub bill: Bill,
    pub finish: Finish,
    /// Tries it took, the one that worked included.
    pub tries: u32,
    /// True if another model answered than the one that was seated.
    pub fallback: bool,
}

impl Reply {
    /// Reads a reply. What other crates read is read by this too, so that the code for it is in the
    /// program once.
    pub fn read(json: &str) -> serde_json::Result<Reply> {
        serde_json::from_str(json)
    }
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
    /// True if an earlier call of the debate had already fetched the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

/// The reason an ask got no answer, classified by the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub class: FailureClass,
    /// The failure in one or two lines: what happened, to what, and what to do
    /// next.
    pub message: String,
    pub tries: u32,
    #[serde(default)]
    pub bill: Bill,
}

impl Failure {
    /// Returns the failure of a reply that was no answer.
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
    /// Too many requests, even after waiting.
    RateLimited,
    /// The provider is overloaded or has failed.
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
    /// The reply was empty or was no answer at all.
    Unusable,
    /// The output limit cut the answer off before anything could be used.
    CutOff,
    /// This program's own rules stopped it.
    Blocked,
    /// The call was cancelled before an answer arrived. Logs of earlier versions say
    /// `blocked` here.
    Cancelled,
    /// A person passed.
    Passed,
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
            FailureClass::Cancelled => "cancelled",
            FailureClass::Passed => "passed",
        }
    }
}

/// The similarities of the texts of a [`crate::model::Step::Embed`], in the order
/// they were given. Only these figures enter the debate; the vectors stay where
/// they were computed.
#[derive(Debug, Clone, PartialEq)]
pub struct TextSimilarities {
    pub embedder: String,
    /// `similarities[i][j]`, calibrated, 0 to 1; `None` where a text had no vector.
    pub similarities: Vec<Vec<Option<f64>>>,
}

/// The reason a debate is not running, in a form a person can act on.
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
    Budget {
        why: String,
        /// The limit that was met; earlier versions did not record it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<BudgetLimit>,
    },
    /// Something a person can fix: no credit, bad key, disk full.
    Trouble { why: String },
    /// Agents need something that only the caller has; these are their requests.
    NeedsContext { requests: Vec<ContextRequest> },
}

/// A limit on spending that a debate met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum BudgetLimit {
    /// The debate's own budget; with `needs` the next call fits.
    Debate { needs: MicroUsd },
    /// The budget of the day for all debates; with `needs` the next call fits.
    Day { needs: MicroUsd },
    /// There is a budget, and the price of the next call is not known.
    UnknownPrice,
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
            PauseReason::Budget { why, .. } | PauseReason::Trouble { why } => why.clone(),
            PauseReason::NeedsContext { requests } if requests.iter().all(|it| it.is_turn) => {
                let waits: Vec<String> =
                    requests.iter().map(|it| format!("{}: {}", it.agent, it.question)).collect();
                format!("it waits for a person's answer. {}", waits.join("; "))
            }
            PauseReason::NeedsContext { requests } => {
                let asked: Vec<String> = requests.iter().map(ContextRequest::sentence).collect();
                format!("it needs an answer that only you can give. {}", asked.join("; "))
            }
        }
    }
}

/// The reason the machine has nothing to ask right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwaitReason {
    /// It was opened and waits for [`Input::Go`].
    NotStarted,
    Paused(PauseReason),
    /// Something this program cannot go on with, such as a template that fails.
    Broken(String),
}
