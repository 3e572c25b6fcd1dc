//! Recording the calls of a debate, and the notice at the end of a recording or a
//! replay. A replay that needs an answer which the recording does not contain ends and
//! reports the difference.

use std::path::Path;
use std::sync::Arc;

use agents::Outside;
use agents::recorded::{self, Recorder, ReplaySpeed, Secrets, Tape};
use debate::Debate;
use debate::model::{Agent, Brief, counted};

use crate::error::{EngineError, Problem, Refusal, SettingName};

/// The label of a debate that is alone in its recording.
pub const LABEL: &str = "debate";

/// Begins a recording with this debate in it.
pub fn record(
    path: &Path,
    outside: &Outside,
    label: &str,
    debate: &Debate,
) -> Result<Tape, EngineError> {
    let by = Arc::new(Recorder::create(path, secrets(outside), env!("CARGO_PKG_VERSION"))?);
    by.begin(label, &debate.room().brief);
    Ok(Tape::Recording { by, label: label.into() })
}

/// Returns every key and header that this process sends, so that none is recorded.
pub fn secrets(outside: &Outside) -> Secrets {
    let own = outside.settings.values();
    Secrets::known(own.flat_map(|set| {
        set.key.iter().cloned().chain(set.headers.iter().map(|(_, value)| value.clone()))
    }))
}

/// Parses the speed of a replay; the default is no delay.
pub fn pace(given: Option<&str>) -> Result<ReplaySpeed, EngineError> {
    let Some(text) = given else { return Ok(ReplaySpeed::AtOnce) };
    ReplaySpeed::parse(text).ok_or_else(|| {
        let problem =
            Problem::malformed("max (at once), 1 (as recorded), or how many times as fast");
        Refusal::setting(SettingName::ReplaySpeed, text, problem).into()
    })
}

/// Returns a recorded brief for a replay, with everything removed that would be
/// asked live.
pub fn again(recorded: &Brief, fence_key: &str) -> Brief {
    let silent = |agent: &Agent| Agent {
        provider: recorded::PROVIDER.into(),
        fallback: None,
        ..agent.clone()
    };
    Brief {
        agents: recorded.agents.iter().map(silent).collect(),
        clerk: recorded.clerk.as_ref().map(silent),
        fence_key: fence_key.into(),
        budget: None,
        ..recorded.clone()
    }
}

/// Returns the closing notice for a debate with this tape.
pub fn ended(tape: &Tape) -> Result<Option<String>, EngineError> {
    match tape {
        Tape::Off => Ok(None),
        Tape::Recording { by, .. } => match by.ended() {
            Ok(calls) => {
                let calls = counted(calls, "call");
                Ok(Some(format!("Recorded {calls} in {}.", by.path().display())))
            }
            Err(error) => Err(EngineError::Tape(error.to_string())),
        },
        Tape::Replaying { from, .. } => {
            let differences = from.differences();
            let Some(first) = differences.first() else { return Ok(None) };
            let mut text = first.to_string();
            if differences.len() > 1 {
                let more = counted(differences.len() - 1, "more ask");
                text.push_str(&format!("… and {more} like it.\n"));
            }
            text.push_str("Record the debate anew, or ask what was recorded.");
            Err(EngineError::Tape(text))
        }
    }
}
