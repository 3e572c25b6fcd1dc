//! An event read from its text. The kinds that make up most of a log are read straight into their
//! fields; any other is read by its derived form, which first takes the whole event into a form of
//! its own to find out the kind, and costs twice as much.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{
    AskId, Bill, Brief, ClerkConsensus, Event, Exit, Round, RoundAnalysis, RoundSummary, Seat,
    Turn, Verdict,
};

#[cfg(test)]
#[path = "event_text_tests.rs"]
mod tests;

/// Reads the kinds that are listed straight into their fields. A field that has attributes of serde
/// in the event has them here too.
macro_rules! straight {
    ($json:expr, $($word:literal => $Kind:ident {
        $($(#[$attribute:meta])* $field:ident: $Field:ty),+
    }),+) => {
        match kind($json) {
            $(Some($word) => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Fields {
                    // The derived form refuses a second kind too.
                    #[serde(rename = "type")]
                    _kind: IgnoredAny,
                    $($(#[$attribute])* $field: $Field),+
                }
                let Fields { _kind: _, $($field),+ } = serde_json::from_str($json)?;
                Ok(Event::$Kind { $($field),+ })
            })+
            _ => serde_json::from_str($json),
        }
    };
}

impl Event {
    /// Reads an event as the log has it. Members that are unknown are passed over: a later version
    /// may have written them.
    pub fn read(json: &str) -> serde_json::Result<Event> {
        straight!(json,
            "opened" => Opened { version: u32, brief: Box<Brief>, seats: Vec<Seat> },
            "answered" => Answered { ask: AskId, turn: Box<Turn> },
            "summarised" => Summarised { summary: RoundSummary, bill: Option<Bill> },
            "standsRead" => StandsRead { round: Round, stands: Box<ClerkConsensus>, bill: Bill },
            "analysed" => Analysed { round: Round, analysis: Box<RoundAnalysis> },
            "ended" => Ended { exit: Exit, verdict: Box<Verdict> }
        )
    }
}

/// The kind of an event that names it first, as every event does that was written here.
fn kind(json: &str) -> Option<&str> {
    json.strip_prefix(r#"{"type":""#)?.split('"').next()
}
