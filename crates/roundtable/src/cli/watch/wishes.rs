//! Carries out what a person wants of a debate that is watched, the way it is done from any
//! other process: through the store.

use debate::model::GivenContext;
use engine::config::Config;
use engine::error::EngineError;
use engine::nouns::DebateCommand;
use engine::sessions::list;

use super::steering::Wish;

/// Answers what an agent waits for; after the last such request it goes on. Returns what an
/// agent still waits for.
pub async fn answer(
    config: &Config,
    id: &str,
    given: GivenContext,
) -> Result<Option<String>, EngineError> {
    let asked = engine::sessions::context::asked(config, id).await?;
    let Some(first) = asked.open.iter().find(|request| request.is_required()) else {
        return Err(EngineError::input("no agent waits for an answer"));
    };
    let name = first.id.to_string();
    let settled = engine::sessions::context::give(config, id, Some(&name), given).await?;
    let next = settled.asked.open.iter().find(|request| request.is_required());
    if next.is_none() {
        engine::sessions::control::control(config, id, DebateCommand::Resume).await?;
    }
    Ok(next.map(|request| request.question.clone()))
}

/// What to say when it is done; what the debate itself shows needs no words.
pub async fn steer(
    config: &Config,
    id: &str,
    wish: Wish,
) -> Result<Option<&'static str>, EngineError> {
    let (command, done) = match wish {
        Wish::Pause => (DebateCommand::Pause, None),
        Wish::Resume => (DebateCommand::Resume, None),
        Wish::Stop => {
            let done = "Stopping: answers already asked for are still stored.";
            (DebateCommand::Stop, Some(done))
        }
        Wish::Remark(text) => {
            let done = "Added: every agent sees it from now on.";
            (DebateCommand::Remark(text), Some(done))
        }
        Wish::Focus(text) => {
            let done = "Set: every answer from now on must address it.";
            (DebateCommand::Focus(text), Some(done))
        }
        Wish::Drop(name) => {
            let session = list::show(config, id).await?;
            let seat = list::seat(session.debate.room(), &name)?.id;
            (DebateCommand::Drop(seat), Some("Dropped: it is asked no more."))
        }
        Wish::Context(_) | Wish::Pass | Wish::Hurry | Wish::Leave | Wish::Interrupt => {
            return Ok(None);
        }
    };
    engine::sessions::control::control(config, id, command).await?;
    Ok(done)
}
