//! The synthesis of a finished debate, written by its clerk and stored with it. The
//! call is reserved, announced and kept within the budget like any other.

use std::path::Path;

use agents::Panel;
use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{Event, Room, Synthesis};

use crate::config::Config;
use crate::error::{AfterDebate, EngineError, Refusal, Remedy, SessionProblem};
use crate::people::touch;
use crate::run::{self, SingleCall};
use crate::sessions::list;
use crate::table::{money, seats};

#[boxed]
pub async fn synthesise(
    config: &Config,
    id: &str,
    script: Option<&Path>,
) -> Result<(String, Synthesis), EngineError> {
    let session = list::show(config, id).await?;
    let room = session.debate.room();
    if let Some(synthesis) = &room.synthesis {
        return Ok((session.id, synthesis.clone()));
    }
    let Some(ask) = session.debate.synthesis_ask() else {
        return Err(cannot(&session.id, room));
    };
    let mut outside = seats::outside(config)?;
    outside.script = script.map(seats::script).transpose()?;
    let panel = Panel::open(&[], room.brief.clerk.as_ref(), &outside)?;
    let Some(speaker) = panel.speaker(&ask) else {
        return Err(Refusal::session(id, SessionProblem::ClerkSilent).into());
    };
    let alone = SingleCall {
        speaker,
        pricing: money::pricing(&room.brief, &outside),
        caps: money::caps(config, &room.brief)?,
    };
    let (store, _) = touch::steered(config, &session.id, "wrote a synthesis").await?;
    let asked = run::ask_alone(&store, &session.id, &alone, Debate::synthesis_ask).await;
    store.close().await;
    for event in asked? {
        match event {
            Event::Synthesised { synthesis, .. } => return Ok((session.id, *synthesis)),
            Event::ClerkFailed { why, .. } => {
                return Err(EngineError::Clerk { why });
            }
            _ => {}
        }
    }
    Err(EngineError::Clerk { why: "its answer came too late".into() })
}

fn cannot(id: &str, room: &Room) -> EngineError {
    let wanted = AfterDebate::Synthesis;
    let refusal = match (&room.brief.clerk, room.status.is_over()) {
        (None, _) => {
            Refusal::session(id, SessionProblem::NoClerk { wanted }).help(Remedy::HoldWithClerk)
        }
        (Some(_), false) => {
            let status = room.status.clone();
            Refusal::session(id, SessionProblem::NotFinished { status, wanted })
                .help(Remedy::Resume { id: id.into() })
        }
        (Some(_), true) => Refusal::session(id, SessionProblem::NobodyAnswered),
    };
    refusal.into()
}
