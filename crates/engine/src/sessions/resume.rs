//! Resuming a debate that was paused or cut off. Nothing that was answered is asked
//! again.

use std::path::Path;
use std::sync::Arc;

use agents::{SCRIPT_PROVIDER, Speaker};
use async_recursion::async_recursion as boxed;
use debate::model::Status;
use debate::{Debate, LifecycleCommand, RefusedCommand};
use store::Store;

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, Remedy, SessionProblem};
use crate::people::touch;
use crate::sessions::start::OpenedDebate;
use crate::sessions::{backup, list};
use crate::table::notice::TableNotice;
use crate::table::seats::{self, Table};
use crate::table::tools;

#[boxed]
pub async fn resume(
    config: &Config,
    id: &str,
    script: Option<&Path>,
) -> Result<OpenedDebate, EngineError> {
    let (store, _) = touch::steered(config, id, "resumed a debate").await?;
    backup::check_structure(&store).await?;
    resume_in(config, store, id, &OtherSpeakers { script, client: None }).await
}

/// Speakers other than providers.
pub struct OtherSpeakers<'a> {
    pub script: Option<&'a Path>,
    /// The model of a connected client.
    pub client: Option<Arc<dyn Speaker>>,
}

#[boxed]
pub async fn resume_in(
    config: &Config,
    store: Store,
    id: &str,
    voices: &OtherSpeakers<'_>,
) -> Result<OpenedDebate, EngineError> {
    let script = voices.script;
    let (id, mut log) = list::log(&store, id).await?;
    let seq = log.last().map_or(0, |recorded| recorded.seq);
    let opening = log.remove(0).event;
    let rest = log.into_iter().map(|recorded| recorded.event);
    let debate = Debate::replay(std::iter::once(opening.clone()).chain(rest))?;
    // A debate whose process died is still active; it picks up where it left off.
    if debate.room().status != Status::Active {
        debate.may(LifecycleCommand::Go).map_err(|refused| waits_for(&debate, refused))?;
    }
    let brief = &debate.room().brief;
    let scripted = brief.agents.iter().any(|agent| agent.provider == SCRIPT_PROVIDER);
    if scripted && script.is_none() {
        return Err(Refusal::session(id, SessionProblem::NeedsScript)
            .help(Remedy::NameScript)
            .into());
    }
    let mut outside = seats::outside(config)?;
    outside.script = script.map(seats::script).transpose()?;
    outside.machine.client.clone_from(&voices.client);
    // Refuses if the debate had a tool that this process lacks, such as a search
    // engine.
    let toolbox = tools::open(config, brief, &outside)?.toolbox;
    let left_out = toolbox.map(|toolbox| toolbox.left_out.clone()).unwrap_or_default();
    let notices = left_out.into_iter().map(|why| TableNotice::NoTool { why }).collect();
    let table = Table {
        agents: brief.agents.clone(),
        clerk: brief.clerk.clone(),
        outside,
        notices,
        own_topic: None,
    };
    table.panel()?;
    Ok(OpenedDebate { id, debate, opening, table, store, seq })
}

/// The error for a debate that cannot continue, with what it waits for.
fn waits_for(debate: &Debate, refused: RefusedCommand) -> EngineError {
    let over = refused.status.is_over();
    let waits_for = debate.room().required_requests().cloned().collect();
    let problem = SessionProblem::NotNow { refused: Box::new(refused), waits_for };
    let refusal = Refusal::new(At::Order, Problem::Session(problem));
    if over { refusal.help(Remedy::ReadOrFollowUp).into() } else { refusal.into() }
}
