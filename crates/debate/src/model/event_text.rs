//! An event read from its text, straight into the fields of its kind. The derived form would first
//! take the whole event into a form of its own to find out the kind: that costs twice as much, and
//! everything that is in an event would be in the program a second time, to be read from that form.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::{
    AskId, Bill, Brief, ChosenDepth, Citation, ClerkConsensus, ContextId, ContextRequest,
    ConversationStep, CountedField, DroppedSeat, Event, Exit, Gap, GivenContext, Intent, MicroUsd,
    OutcomeForm, PauseReason, Perspective, RefusedText, Remark, RemoteAnswer, Reply, Round,
    RoundAnalysis, RoundKind, RoundSummary, SafetyTrigger, SafetyVerdict, SafetyWatch, Seat,
    SeatId, Synthesis, ToolCall, Turn, Verdict, WantedContext,
};

#[cfg(test)]
#[path = "event_text_tests.rs"]
mod tests;

/// Makes the reader of all kinds of events. What a field has of serde's attributes for reading in
/// the event, it has here too; a field whose members stand among those of the event follows `with`.
macro_rules! kinds {
    ($($Kind:ident {
        $($(#[$attribute:meta])* $field:ident: $Field:ty),*
    } $(with $among:ident: $Among:ty)?),+ $(,)?) => {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        enum Kind {
            $($Kind),+
        }

        fn of_kind(kind: Kind, json: &str) -> serde_json::Result<Event> {
            match kind {
                $(Kind::$Kind => {
                    #[derive(Deserialize)]
                    #[serde(rename_all = "camelCase")]
                    struct Fields {
                        // The derived form refuses a second kind too.
                        #[serde(rename = "type")]
                        _kind: IgnoredAny,
                        $($(#[$attribute])* $field: $Field),*
                    }
                    $(let $among: $Among = serde_json::from_str(json)?;)?
                    let Fields { _kind: _, $($field),* } = serde_json::from_str(json)?;
                    Ok(Event::$Kind { $($among,)? $($field),* })
                })+
            }
        }

        /// Does not compile while a kind of event is missing.
        const _: fn(&Event) -> Kind = |event| match event {
            $(Event::$Kind { .. } => Kind::$Kind),+
        };
    };
}

kinds! {
    Opened { version: u32, brief: Box<Brief>, seats: Vec<Seat> },
    Started {},
    PerspectivesNamed { seats: Vec<Option<Perspective>>, bill: Bill },
    ClerkFailed { ask: AskId, why: String, bill: Bill },
    DepthChosen {
        seats: Vec<Seat>,
        #[serde(default)] bill: Option<Bill>
    } with chosen: ChosenDepth,
    DomainNamed { domain: String, seats: Vec<Seat>, bill: Bill },
    SafetyTriggered { triggers: Vec<SafetyTrigger>, watch: SafetyWatch },
    Held {
        ask: AskId,
        turn: Box<Turn>,
        #[serde(default)] blocked: Vec<String>,
        #[serde(default)] suspect: Vec<String>
    },
    Judged {
        verdict: SafetyVerdict,
        #[serde(default)] bill: Option<Bill>,
        #[serde(default)] ask: Option<AskId>
    },
    TextRefused { refused: RefusedText },
    SafetyRelaxed { round: Round },
    RoundOpened { round: Round, kind: RoundKind, waves: Vec<Vec<SeatId>> },
    Asked { intents: Vec<Intent> },
    Kept { ask: AskId, kept: RemoteAnswer },
    Stepped { ask: AskId, step: Box<ConversationStep> },
    Reserved {
        ask: AskId,
        reserved: MicroUsd,
        used: MicroUsd,
        #[serde(default)] rests: bool
    },
    Delayed { ask: AskId, why: String, wait_ms: u64 },
    Ambiguous { intents: Vec<Intent> },
    Worked { ask: AskId, reply: Box<Reply> },
    Unreadable {
        ask: AskId,
        problem: String,
        raw: String,
        #[serde(default)] working: String,
        #[serde(default)] missing: Vec<CountedField>,
        #[serde(default)] model: String,
        bill: Bill,
        #[serde(default)] requests: Vec<WantedContext>,
        #[serde(default)] tool_calls: Vec<ToolCall>,
        #[serde(default)] sources: Vec<Citation>,
        #[serde(default)] searches: u32
    },
    Unfinished {
        ask: AskId,
        wanted: Vec<WantedContext>,
        #[serde(default)] raw: String,
        #[serde(default)] model: String,
        #[serde(default)] tool_calls: Vec<ToolCall>,
        #[serde(default)] searches: u32,
        bill: Bill
    },
    ContextAsked { requests: Vec<ContextRequest> },
    ContextGiven { requests: Vec<ContextId>, given: GivenContext },
    Answered { ask: AskId, turn: Box<Turn> },
    Missed { ask: AskId, gap: Gap },
    Summarised { summary: RoundSummary, bill: Option<Bill> },
    StandsRead { round: Round, stands: Box<ClerkConsensus>, bill: Bill },
    Analysed { round: Round, analysis: Box<RoundAnalysis> },
    RoundClosed { round: Round },
    Remarked { remark: Remark },
    Focused { round: Round, focus: String },
    Dropped { dropped: DroppedSeat },
    Paused { reason: PauseReason },
    Ended { exit: Exit, verdict: Box<Verdict> },
    Synthesised {
        synthesis: Box<Synthesis>,
        bill: Bill,
        #[serde(default)] ask: Option<AskId>
    },
    OutcomeDrafted { ask: AskId, draft: Box<OutcomeForm>, bill: Bill },
}

impl Event {
    /// Reads an event as the log has it. Members that are unknown are passed over: a later version
    /// may have written them.
    pub fn read(json: &str) -> serde_json::Result<Event> {
        match first(json) {
            Some(kind) => of_kind(kind, json),
            None => {
                let Kinded { kind } = serde_json::from_str(json)?;
                of_kind(kind, json)
            }
        }
    }

    /// Writes an event as the log has it. All that an event can hold is written from here, so that
    /// the code for it is in the program once.
    pub fn written(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// The kind of an event that names it first, as every event does that was written here.
fn first(json: &str) -> Option<Kind> {
    let word = json.strip_prefix(r#"{"type":""#)?.split('"').next()?;
    let word: StrDeserializer<'_, Error> = word.into_deserializer();
    Kind::deserialize(word).ok()
}

/// An event of which nothing but its kind is read, wherever it stands.
#[derive(Deserialize)]
struct Kinded {
    #[serde(rename = "type")]
    kind: Kind,
}
