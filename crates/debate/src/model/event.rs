//! The log. Everything that happens is one of these events, appended before the
//! program acts on it. Old events must stay readable for ever: fields may be
//! added with a default, never renamed or removed.

use serde::{Deserialize, Serialize};

use super::{
    AskId, Bill, Brief, ChosenDepth, Citation, ClerkConsensus, ContextId, ContextRequest,
    ConversationStep, CountedField, DroppedSeat, Exit, Gap, GivenContext, Intent, MicroUsd,
    OutcomeForm, Party, PauseReason, Perspective, RefusedText, Remark, RemoteAnswer, Reply, Round,
    RoundAnalysis, RoundKind, RoundSummary, SafetyTrigger, SafetyVerdict, SafetyWatch, Seat,
    SeatId, Synthesis, Task, ToolCall, Turn, Verdict, WantedContext,
};

/// The version of the log that this program writes.
pub const LOG_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
pub enum Event {
    Opened {
        version: u32,
        brief: Box<Brief>,
        seats: Vec<Seat>,
    },
    /// The debate runs (again).
    Started,
    /// Perspectives the clerk named before round 1, by seat.
    PerspectivesNamed {
        seats: Vec<Option<Perspective>>,
        bill: Bill,
    },
    /// A clerk's task failed; the stated fallback is used.
    ClerkFailed {
        ask: AskId,
        why: String,
        bill: Bill,
    },
    /// The depth was chosen automatically; the table is set again for it.
    DepthChosen {
        #[serde(flatten)]
        chosen: ChosenDepth,
        seats: Vec<Seat>,
        /// The bill of the clerk's rating, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bill: Option<Bill>,
    },
    /// The clerk named the domain, and with it the lessons the debate starts with.
    DomainNamed {
        domain: String,
        seats: Vec<Seat>,
        bill: Bill,
    },
    /// A reason to judge answers before they enter the debate was found.
    SafetyTriggered {
        triggers: Vec<SafetyTrigger>,
        watch: SafetyWatch,
    },
    /// An answer waits for its judgement. It is not part of the debate yet; the
    /// event that settles it (answered, missed, unreadable) carries its bill.
    Held {
        ask: AskId,
        turn: Box<Turn>,
        /// Findings of the quick checks that block it outright.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocked: Vec<String>,
        /// Findings of the quick checks that call for a closer look.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suspect: Vec<String>,
    },
    Judged {
        verdict: SafetyVerdict,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bill: Option<Bill>,
        /// The call that judged it, if a call did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<AskId>,
    },
    /// A person's text was refused.
    TextRefused {
        refused: RefusedText,
    },
    /// The evaluator switched itself off after two clean rounds.
    SafetyRelaxed {
        round: Round,
    },
    RoundOpened {
        round: Round,
        kind: RoundKind,
        waves: Vec<Vec<SeatId>>,
    },
    /// Calls are about to be sent, each with the most it may cost.
    Asked {
        intents: Vec<Intent>,
    },
    /// The provider stores the answer to this call under an id: a process that
    /// takes over fetches it instead of asking again.
    Kept {
        ask: AskId,
        kept: RemoteAnswer,
    },
    /// A step of a conversation with tools is finished: a process that takes over
    /// continues after it.
    Stepped {
        ask: AskId,
        step: Box<ConversationStep>,
    },
    /// A further request of a call is about to be sent, or waits for money.
    Reserved {
        ask: AskId,
        /// The most that the call costs when that request has ended.
        reserved: MicroUsd,
        /// The part of it that the requests before took.
        used: MicroUsd,
        /// True if nothing is on its way: the call waits until there is money.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        rests: bool,
    },
    /// A call was delayed: a try failed, the provider is paused, or another model
    /// takes over. The answer or the gap that ends it comes later.
    Delayed {
        ask: AskId,
        why: String,
        /// The wait before the call goes on.
        wait_ms: u64,
    },
    /// Calls were sent by a process that ended before their answers were stored:
    /// possibly billed, and asked again.
    Ambiguous {
        intents: Vec<Intent>,
    },
    /// The working of a turn, whose record is yet to be asked for. A process that
    /// takes over asks for the record only.
    Worked {
        ask: AskId,
        reply: Box<Reply>,
    },
    /// An answer could not be used as it was; a repair is asked for.
    Unreadable {
        ask: AskId,
        problem: String,
        raw: String,
        /// The free words that came before `raw`; empty in one-part answers.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        working: String,
        /// The only fields the repair asks for; empty: the whole answer again.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        missing: Vec<CountedField>,
        #[serde(default)]
        model: String,
        bill: Bill,
        /// The questions it put to the caller beside it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        requests: Vec<WantedContext>,
        /// The tool calls made on the way to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<Citation>,
        #[serde(default, skip_serializing_if = "is_zero")]
        searches: u32,
    },
    /// A turn stopped for something only the caller has. It is not an answer and
    /// is not shown as one; the seat is asked again when the caller has answered.
    Unfinished {
        ask: AskId,
        wanted: Vec<WantedContext>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        raw: String,
        #[serde(default)]
        model: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        #[serde(default, skip_serializing_if = "is_zero")]
        searches: u32,
        bill: Bill,
    },
    /// Requests were put before the caller.
    ContextAsked {
        requests: Vec<ContextRequest>,
    },
    /// The caller answered or declined these requests.
    ContextGiven {
        requests: Vec<ContextId>,
        given: GivenContext,
    },
    Answered {
        ask: AskId,
        turn: Box<Turn>,
    },
    Missed {
        ask: AskId,
        gap: Gap,
    },
    Summarised {
        summary: RoundSummary,
        bill: Option<Bill>,
    },
    /// The clerk's table of the side each seat takes.
    StandsRead {
        round: Round,
        stands: Box<ClerkConsensus>,
        bill: Bill,
    },
    Analysed {
        round: Round,
        analysis: Box<RoundAnalysis>,
    },
    RoundClosed {
        round: Round,
    },
    Remarked {
        remark: Remark,
    },
    Focused {
        round: Round,
        focus: String,
    },
    /// A person dropped a seat; it is asked no more.
    Dropped {
        dropped: DroppedSeat,
    },
    Paused {
        reason: PauseReason,
    },
    Ended {
        exit: Exit,
        verdict: Box<Verdict>,
    },
    /// Written after the end; the verdict stays as it was.
    Synthesised {
        synthesis: Box<Synthesis>,
        bill: Bill,
        /// The call that wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<AskId>,
    },
    /// The clerk drafted an account of the outcome; nothing is learned from it
    /// until a person has corrected it.
    OutcomeDrafted {
        ask: AskId,
        draft: Box<OutcomeForm>,
        bill: Bill,
    },
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Event {
    /// Returns the call that this event ends, with its cost.
    pub fn ends(&self) -> Option<(AskId, &Bill)> {
        let clerk = |round, task| AskId { round, wave: 0, party: Party::Clerk, task, about: None };
        match self {
            Event::Worked { ask, reply } => Some((*ask, &reply.bill)),
            Event::Unreadable { ask, bill, .. }
            | Event::Unfinished { ask, bill, .. }
            | Event::ClerkFailed { ask, bill, .. }
            | Event::OutcomeDrafted { ask, bill, .. } => Some((*ask, bill)),
            // A held answer is paid for; the event that settles it later carries
            // the same bill.
            Event::Held { ask, turn, .. } | Event::Answered { ask, turn } => {
                Some((*ask, &turn.bill))
            }
            Event::Judged { ask: Some(ask), bill: Some(bill), .. } => Some((*ask, bill)),
            // Old logs do not name the call that wrote it.
            Event::Synthesised { bill, ask, .. } => {
                Some((ask.unwrap_or_else(|| clerk(0, Task::Synthesis)), bill))
            }
            Event::DepthChosen { bill: Some(bill), .. } => Some((clerk(0, Task::Complexity), bill)),
            Event::DomainNamed { bill, .. } => Some((clerk(0, Task::Domain), bill)),
            Event::Missed { ask, gap } => Some((*ask, &gap.bill)),
            // Perspectives are named before the rounds, which are counted from 1.
            Event::PerspectivesNamed { bill, .. } => Some((clerk(0, Task::Perspectives), bill)),
            Event::StandsRead { round, bill, .. } => Some((clerk(*round, Task::Consensus), bill)),
            Event::Summarised { summary, bill: Some(bill) } => {
                Some((clerk(summary.round, Task::Summary), bill))
            }
            _ => None,
        }
    }

    /// The event's name as it stands in the log.
    pub fn word(&self) -> &'static str {
        match self {
            Event::Opened { .. } => "opened",
            Event::Started => "started",
            Event::PerspectivesNamed { .. } => "perspectivesNamed",
            Event::ClerkFailed { .. } => "clerkFailed",
            Event::DepthChosen { .. } => "depthChosen",
            Event::DomainNamed { .. } => "domainNamed",
            Event::SafetyTriggered { .. } => "safetyTriggered",
            Event::Held { .. } => "held",
            Event::Judged { .. } => "judged",
            Event::TextRefused { .. } => "textRefused",
            Event::SafetyRelaxed { .. } => "safetyRelaxed",
            Event::RoundOpened { .. } => "roundOpened",
            Event::Asked { .. } => "asked",
            Event::Kept { .. } => "kept",
            Event::Stepped { .. } => "stepped",
            Event::Reserved { .. } => "reserved",
            Event::Delayed { .. } => "delayed",
            Event::Ambiguous { .. } => "ambiguous",
            Event::Worked { .. } => "worked",
            Event::Unreadable { .. } => "unreadable",
            Event::Unfinished { .. } => "unfinished",
            Event::ContextAsked { .. } => "contextAsked",
            Event::ContextGiven { .. } => "contextGiven",
            Event::Answered { .. } => "answered",
            Event::Missed { .. } => "missed",
            Event::Summarised { .. } => "summarised",
            Event::StandsRead { .. } => "standsRead",
            Event::Analysed { .. } => "analysed",
            Event::RoundClosed { .. } => "roundClosed",
            Event::Remarked { .. } => "remarked",
            Event::Focused { .. } => "focused",
            Event::Dropped { .. } => "dropped",
            Event::Paused { .. } => "paused",
            Event::Ended { .. } => "ended",
            Event::Synthesised { .. } => "synthesised",
            Event::OutcomeDrafted { .. } => "outcomeDrafted",
        }
    }
}
