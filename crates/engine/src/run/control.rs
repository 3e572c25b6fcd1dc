//! Control from any process. A command is left in the store for the process that
//! runs the debate; if no process runs it, this one carries it out. Either way the
//! command is carried out once, or refused with the commands that the debate's
//! status allows.

use std::time::Duration;

use async_recursion::async_recursion as boxed;
use debate::model::{Event, Input, PauseReason};
use debate::{Debate, LifecycleCommand, RefusedCommand};
use store::{CommandFate, Lease, Store, StoreError};
use tokio::time::Instant;

use crate::clock;
use crate::run::{LEASE_MS, RunError, lease};

/// Interval at which the sender checks whether the command was carried out.
const LOOK: Duration = Duration::from_millis(50);
/// Interval at which the sender checks whether the runner is still alive.
const RETRY: Duration = Duration::from_millis(500);
/// A live runner answers well within this time.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// The process that carried out a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandResult {
    /// The process that runs the debate.
    ByRunner,
    /// This process, because none runs the debate.
    Here,
}

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("refused: {0:?}")]
    Refused(Box<RefusedCommand>),
    /// By a process of another version, in its words.
    #[error("{0}")]
    RefusedByOther(String),
    #[error("the process that runs this debate has not answered")]
    NoAnswer,
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<StoreError> for ControlError {
    fn from(error: StoreError) -> ControlError {
        ControlError::Run(error.into())
    }
}

/// Returns the permission a command needs, and its input to the machine.
pub(super) fn meaning(command: store::DebateCommand) -> (LifecycleCommand, Input) {
    match command {
        store::DebateCommand::Pause => (LifecycleCommand::Pause, Input::Pause(PauseReason::Asked)),
        store::DebateCommand::Resume => (LifecycleCommand::Go, Input::Go),
        store::DebateCommand::Stop => (LifecycleCommand::Stop, Input::Stop),
        store::DebateCommand::Remark(text) => (LifecycleCommand::Remark, Input::Remark(text)),
        store::DebateCommand::Focus(text) => (LifecycleCommand::Remark, Input::Focus(text)),
        store::DebateCommand::Drop(seat) => (LifecycleCommand::Remark, Input::Drop(seat)),
        store::DebateCommand::Context { request, given } => {
            (LifecycleCommand::Answer, Input::ContextGiven { request, given })
        }
    }
}

/// Has a command carried out, by the process that runs the debate or else by this
/// one. When it returns, the store records the command as carried out or refused.
#[boxed]
pub async fn control(
    store: &Store,
    id: &str,
    command: store::DebateCommand,
) -> Result<CommandResult, ControlError> {
    let number = store.send(id, clock::now_ms(), command).await?;
    let started = Instant::now();
    let mut next_try = started;
    let mut here = CommandResult::ByRunner;
    while started.elapsed() < PATIENCE {
        match store.fate(id, number).await? {
            CommandFate::Obeyed => return Ok(here),
            CommandFate::Refused(why) => return Err(read_refusal(why)),
            CommandFate::Waiting => {}
        }
        if Instant::now() >= next_try {
            match lease::claim(store, id, LEASE_MS).await {
                Ok(claim) => {
                    here = CommandResult::Here;
                    let obeyed = obey_all(store, &claim).await;
                    store.release_run(&claim).await?;
                    obeyed?;
                    continue;
                }
                Err(StoreError::Taken { .. }) => next_try = Instant::now() + RETRY,
                Err(error) => return Err(error.into()),
            }
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(ControlError::NoAnswer)
}

/// A refusal as the mailbox keeps it for the process that sent the command.
pub(super) fn written(refused: &RefusedCommand) -> String {
    serde_json::to_string(refused).unwrap_or_default()
}

fn read_refusal(why: String) -> ControlError {
    match serde_json::from_str(&why) {
        Ok(refused) => ControlError::Refused(Box::new(refused)),
        Err(_) => ControlError::RefusedByOther(why),
    }
}

/// Makes sure that no process runs a debate. A dead runner's lease is taken over; a
/// live runner's lease is an error.
#[boxed]
pub async fn ensure_not_running(store: &Store, id: &str) -> Result<(), StoreError> {
    let claim = lease::claim(store, id, LEASE_MS).await?;
    store.release_run(&claim).await
}

/// Gives one input to a debate that no process runs, and stores the events that
/// follow.
#[boxed]
pub async fn tell(store: &Store, id: &str, heard: Input) -> Result<Vec<Event>, RunError> {
    let claim = lease::claim(store, id, LEASE_MS).await?;
    let stored = async {
        let (mut debate, seq) = load(store, id).await?;
        let events = debate.hear(heard);
        if !events.is_empty() {
            store.append(&claim, seq, clock::now_ms(), &events).await?;
        }
        Ok(events)
    }
    .await;
    store.release_run(&claim).await?;
    stored
}

/// Carries out every pending command of a debate that no process runs.
pub(super) async fn obey_all(store: &Store, claim: &Lease) -> Result<(), RunError> {
    let (mut debate, mut seq) = load(store, &claim.id).await?;
    // The process that made these calls is gone.
    let lost = debate.hear(Input::GaveUp { fetch_kept: true });
    if !lost.is_empty() {
        seq = store.append(claim, seq, clock::now_ms(), &lost).await?;
    }
    for sent in store.pending(&claim.id).await? {
        let (right, heard) = meaning(sent.command);
        match debate.may(right) {
            Ok(()) => {
                // A debate that is over fetches no answers.
                let gave_up = Input::GaveUp { fetch_kept: heard != Input::Stop };
                let mut events = debate.hear(gave_up);
                events.extend(debate.hear(heard));
                let at = clock::now_ms();
                seq = store.append_handled(claim, seq, at, &events, sent.number).await?;
            }
            Err(refused) => store.refuse(claim, sent.number, &written(&refused)).await?,
        }
    }
    Ok(())
}

/// Replays a debate from its log; also returns the number of the last entry.
pub(super) async fn load(store: &Store, id: &str) -> Result<(Debate, u64), RunError> {
    let log = store.log(id).await?;
    let seq = log.last().map_or(0, |recorded| recorded.seq);
    let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))
        .map_err(|error| RunError::Broken(error.to_string()))?;
    Ok((debate, seq))
}
