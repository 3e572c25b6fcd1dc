//! Replaying a recorded debate: its brief comes from the recording, and no model is
//! asked.

use std::path::Path;
use std::sync::Arc;

use agents::recorded::{Recording, Tape};
use debate::Debate;
use debate::model::{Brief, Question};

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, Remedy, SettingName};
use crate::recording::{self, LABEL};
use crate::table::notice::TableNotice;
use crate::table::order::Order;
use crate::table::prepare::PreparedDebate;
use crate::table::seats::{self, Table};
use crate::table::{brief, embedder};

/// Prepares the debate of a recording once more. The order overrides what was recorded,
/// so that the effect of a change can be seen.
pub fn prepare_replay(
    config: &Config,
    order: &Order,
    path: &Path,
) -> Result<PreparedDebate, EngineError> {
    if !order.agents.is_empty() || order.script.is_some() || order.clerk.is_some() {
        let others = vec![SettingName::Agents, SettingName::Script, SettingName::Clerk];
        let problem = Problem::Excludes { others: others.clone() };
        return Err(Refusal::new(At::Setting(SettingName::Replay), problem)
            .help(Remedy::LeaveOut { settings: others })
            .into());
    }
    let from = Arc::new(Recording::load(path)?);
    let pace = recording::pace(order.replay_speed.as_deref())?;
    let label = match from.labels().as_slice() {
        [only] => (*only).to_owned(),
        _ => LABEL.to_owned(),
    };
    let brief = changed(config, order, from.brief(&label)?)?;
    let tape = Tape::Replaying { from, label, pace };
    let (agents, clerk) = (brief.agents.clone(), brief.clerk.clone());
    let mut outside = seats::outside(config)?;
    outside.tape = tape;
    let notices = vec![TableNotice::Replayed { file: path.into() }];
    let table = Table { agents, clerk, outside, notices, own_topic: None };
    let (debate, opening) = Debate::open(brief)?;
    Ok(PreparedDebate { debate, opening, table, ask_on: None })
}

/// Returns the recorded brief with the changes in the order.
fn changed(config: &Config, order: &Order, recorded: &Brief) -> Result<Brief, EngineError> {
    let topic = order.topic.clone().unwrap_or_else(|| recorded.topic.clone());
    let given = brief::brief(config, order, topic)?;
    let mut brief = recording::again(recorded, &given.fence_key);
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
