//! The synthesis of a finished debate, written by its clerk, stored with it.

use std::path::Path;

use agents::{CancellationToken, Panel, Unwatched};
use debate::model::{Event, Heard, Synthesis};
use store::Store;

use super::{Trouble, seating, sessions};
use crate::config::Config;
use crate::runner;

pub async fn synthesise(
    config: &Config,
    id: &str,
    script: Option<&Path>,
) -> Result<(String, Synthesis), Trouble> {
    let session = sessions::show(config, id).await?;
    let room = session.debate.room();
    if let Some(synthesis) = &room.synthesis {
        return Ok((session.id, synthesis.clone()));
    }
    let Some(ask) = session.debate.synthesis_ask() else {
        return Err(Trouble::input(match (&room.brief.clerk, room.status.is_over()) {
            (None, _) => "this debate has no clerk to write a synthesis; hold it with --clerk",
            (Some(_), false) => "this debate is not over; resume it first",
            (Some(_), true) => "nobody answered in this debate; there is nothing to sum up",
        }));
    };
    let mut outside = seating::outside(config)?;
    outside.script = script.map(seating::script).transpose()?;
    let panel = Panel::open(&[], room.brief.clerk.as_ref(), &outside)
        .map_err(|error| Trouble::input(error.to_string()))?;
    let Some(speaker) = panel.speaker(&ask) else {
        return Err(Trouble::input("nobody speaks for this debate's clerk"));
    };
    // Somebody who runs it would refuse the answer after it was paid for.
    let store = Store::open_existing(&config.paths.database).await?;
    runner::let_go(&store, &session.id).await?;
    let heard = match speaker.speak(&ask, &Unwatched, CancellationToken::new()).await {
        Ok(reply) => Heard::Replied { ask: ask.id, reply: Box::new(reply) },
        Err(failure) => Heard::Failed { ask: ask.id, failure },
    };
    let events = runner::tell(&store, &session.id, heard).await?;
    store.close().await;
    for event in events {
        match event {
            Event::Synthesised { synthesis, .. } => return Ok((session.id, *synthesis)),
            Event::ClerkFailed { why, .. } => {
                return Err(Trouble::Clerk { why });
            }
            _ => {}
        }
    }
    Err(Trouble::Clerk { why: "its answer came too late".into() })
}
