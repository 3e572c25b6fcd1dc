//! Steering a debate from any process: pausing, stopping, adding a remark, setting
//! the focus, dropping a seat, and deleting it.

use async_recursion::async_recursion as boxed;
use debate::model::{SeatId, Status};
use store::{DebateCommand, ListedDebate};

use crate::clock;
use crate::config::Config;
use crate::error::{
    At, EngineError, LengthUnit, Problem, Refusal, SessionProblem, SettingName, existing,
};
use crate::people::caller::Operation;
use crate::people::touch;
use crate::run::{self, CommandResult, ControlError};
use crate::sessions::list;

/// The longest remark or focus question, in characters.
const LONGEST_REMARK: usize = 10_000;

/// The result of a command, for a person.
pub struct ControlResult {
    pub id: String,
    pub obeyed: CommandResult,
    /// The debate's status after the command.
    pub status: String,
}

#[boxed]
pub async fn control(
    config: &Config,
    id: &str,
    command: DebateCommand,
) -> Result<ControlResult, EngineError> {
    if let DebateCommand::Remark(text) | DebateCommand::Focus(text) = &command {
        let length = text.trim().chars().count();
        if length == 0 || length > LONGEST_REMARK {
            let allowed = "1 to 10,000".into();
            let problem = Problem::Length { found: length, unit: LengthUnit::Characters, allowed };
            return Err(Refusal::new(At::Setting(SettingName::Remark), problem).into());
        }
    }
    let (store, row) =
        touch::steered(config, id, &format!("steered a debate: {}", command.kind())).await?;
    let id = row.id;
    if let DebateCommand::Drop(seat) = &command {
        droppable(config, &id, *seat).await?;
    }
    let obeyed = run::control(&store, &id, command).await?;
    let status = store.get(&id).await?.status;
    store.close().await;
    Ok(ControlResult { id, obeyed, status })
}

/// Refuses to drop a seat that is not there, or the last but one.
async fn droppable(config: &Config, id: &str, seat: SeatId) -> Result<(), EngineError> {
    let session = list::show(config, id).await?;
    let Err(fault) = session.debate.may_drop(seat) else { return Ok(()) };
    let known = session.debate.room().seats.get(seat.index());
    let name = known.map_or_else(|| (seat.index() + 1).to_string(), |one| one.name.clone());
    let problem = Problem::Session(SessionProblem::CannotDrop { fault });
    Err(Refusal::new(At::Agent(name), problem).into())
}

/// Returns the debate that would be deleted.
#[boxed]
pub async fn look_up(config: &Config, id: &str) -> Result<ListedDebate, EngineError> {
    let store = existing(config.existing_store(Operation::Steer).await, id)?;
    let found = store.find(id).await?;
    store.close().await;
    Ok(found)
}

/// Deletes a debate and everything said in it; its cost stays on record.
#[boxed]
pub async fn delete(config: &Config, id: &str) -> Result<String, EngineError> {
    let (store, row) = touch::steered(config, id, "deleted a debate").await?;
    let id = row.id;
    // Taking the lease first means that a dead runner's lease need not expire.
    run::ensure_not_running(&store, &id).await?;
    store.delete(&id, clock::now_ms()).await?;
    store.close().await;
    Ok(id)
}

impl ControlResult {
    /// Returns whether answers in flight are still awaited.
    pub fn is_draining(&self) -> bool {
        self.obeyed == CommandResult::ByRunner && self.status != Status::Active.word()
    }
}

impl From<ControlError> for EngineError {
    fn from(error: ControlError) -> EngineError {
        let order = |problem| Refusal::new(At::Order, Problem::Session(problem)).into();
        match error {
            ControlError::Refused(refused) => EngineError::from(*refused),
            ControlError::RefusedByOther(why) => order(SessionProblem::RunnerRefused { why }),
            ControlError::NoAnswer => {
                order(SessionProblem::RunnerSilent { seconds: run::PATIENCE.as_secs() })
            }
            ControlError::Run(error) => error.into(),
        }
    }
}
