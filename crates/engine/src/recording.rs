//! Recording the calls of a debate, and replaying a recorded debate. A replay asks
//! no model. If it needs an answer that the recording does not contain, it ends and
//! reports the difference.

use std::path::Path;
use std::sync::Arc;

use agents::Outside;
use agents::recorded::{self, Recorder, Recording, ReplaySpeed, Secrets, Tape, TapeError};
use debate::Debate;
use debate::model::{Agent, Brief, Question, counted};

use crate::config::Config;
use crate::error::EngineError;
use crate::sessions::start::{self, OpenedDebate};
use crate::table::embedder;
use crate::table::order::{self, Order};
use crate::table::seats::{self, Table};

impl From<TapeError> for EngineError {
    fn from(error: TapeError) -> EngineError {
        EngineError::input(error.to_string())
    }
}

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
        EngineError::input(format!(
            "--replay-speed: {text:?} cannot be read; allowed: max (at once), 1 (as recorded), or \
             how many times as fast"
        ))
    })
}

/// Opens the debate of a recording again. The order overrides what was recorded, so
/// that the effect of a change can be seen.
pub async fn start(
    config: &Config,
    order: &Order,
    path: &Path,
) -> Result<OpenedDebate, EngineError> {
    if !order.agents.is_empty() || order.script.is_some() || order.clerk.is_some() {
        return Err(EngineError::input(
            "--replay: the recording brings its own agents and clerk; leave out --agents, --script \
             and --clerk",
        ));
    }
    let from = Arc::new(Recording::load(path)?);
    let pace = pace(order.replay_speed.as_deref())?;
    let label = match from.labels().as_slice() {
        [only] => (*only).to_owned(),
        _ => start::LABEL.to_owned(),
    };
    let brief = changed(config, order, from.brief(&label)?)?;
    let tape = Tape::Replaying { from, label, pace };
    let (agents, clerk) = (brief.agents.clone(), brief.clerk.clone());
    let mut outside = seats::outside(config)?;
    outside.tape = tape;
    let notices = vec![format!("Replayed from {}: no model is asked.", path.display())];
    let table = Table { agents, clerk, outside, notices, own_topic: None };
    let (debate, opening) = Debate::open(brief)?;
    start::open(config, debate, opening, table).await
}

/// Returns the recorded brief with the changes in the order.
fn changed(config: &Config, order: &Order, recorded: &Brief) -> Result<Brief, EngineError> {
    let topic = order.topic.clone().unwrap_or_else(|| recorded.topic.clone());
    let given = order::brief(config, order, topic)?;
    let mut brief = again(recorded, &given.fence_key);
    brief.embedder = Some(embedder::embedder(config)?.name().to_string());
    brief.topic = given.topic;
    if order.mode.is_some() {
        brief.mode = given.mode;
    }
    if order.rounds.is_some() {
        brief.rounds = given.rounds;
    }
    if order.seed.is_some() {
        brief.seed = given.seed;
    }
    if order.algorithm.is_some() {
        brief.algorithm = given.algorithm;
    }
    if order.focus.is_some() {
        brief.focus = given.focus;
    }
    if order.question != Question::Open {
        brief.question = given.question;
        brief.number = given.number;
    }
    if order.effort.is_some() || order.question != Question::Open {
        brief.effort = given.effort;
        brief.samples = given.samples;
    }
    if !order.flags.is_empty() {
        brief.flags = given.flags;
    }
    if !order.thresholds.is_empty() {
        brief.thresholds = given.thresholds;
    }
    if !order.context.is_empty() {
        brief.attachments = given.attachments;
    }
    Ok(brief)
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
