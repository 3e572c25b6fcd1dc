//! Where a measured debate is held. Agents that cost nothing debate in memory;
//! live agents debate in the database like any other debate, so that nothing
//! that was paid for is lost and every budget holds.

use std::time::Instant;

use agents::embed::{self, Embedder};
use agents::recorded::Tape;
use agents::{CancellationToken, NoWatch, Panel};
use debate::Debate;
use debate::model::{AwaitReason, Input, MicroUsd, Step, TextSimilarities};
use futures::future::join_all;

use engine::config::Config;
use engine::error::EngineError;
use engine::run::{RunEnd, Watchers};
use engine::sessions::start::OpenedDebate;
use engine::table::money;

/// A live debate that has come to an end or to a halt.
pub struct Ran {
    pub id: String,
    pub outcome: RunEnd,
    pub wall_ms: u64,
}

/// Runs a live debate in the database. `left`: the most it may cost.
pub async fn run(
    config: &Config,
    opened: OpenedDebate,
    left: Option<MicroUsd>,
    tape: Tape,
    cancel: &CancellationToken,
) -> Result<Ran, EngineError> {
    let OpenedDebate { id, debate, mut table, store, seq, .. } = opened;
    if let Tape::Recording { by, label } = &tape {
        by.begin(label, &debate.room().brief);
    }
    table.outside.tape = tape;
    let brief = debate.room().brief.clone();
    let watched = (Watchers::default(), cancel.clone());
    let mut runner = money::runner(config, &brief, &table, &store, watched)?;
    runner.caps.debate = match (left, brief.budget) {
        (Some(left), Some(own)) => Some(left.min(own)),
        (left, own) => left.or(own),
    };
    let started = Instant::now();
    let outcome = runner.run(&id, debate, seq).await;
    let wall_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    drop(runner);
    store.close().await;
    Ok(Ran { id, outcome: outcome?, wall_ms })
}

/// Holds a debate in memory until it has a verdict. What stops it is said in
/// words.
pub async fn hold(
    mut debate: Debate,
    panel: &Panel,
    embedder: Option<&dyn Embedder>,
    cancel: &CancellationToken,
) -> Result<Debate, String> {
    debate.hear(Input::Go);
    loop {
        match debate.next_step() {
            Step::Ask(asks) => {
                let calls = asks.into_iter().map(|ask| {
                    let speaker = panel.speaker(&ask);
                    let cancel = cancel.clone();
                    async move {
                        let said = match speaker {
                            Some(speaker) => speaker.speak(&ask, &NoWatch, cancel).await,
                            None => {
                                Err(debate::model::Failure::unusable("nobody speaks for this seat"))
                            }
                        };
                        (ask.id, said)
                    }
                });
                for (ask, said) in join_all(calls).await {
                    if cancel.is_cancelled() {
                        return Err("interrupted".into());
                    }
                    debate.hear(match said {
                        Ok(reply) => Input::Replied { ask, reply: Box::new(reply) },
                        Err(failure) => Input::Failed { ask, failure },
                    });
                }
            }
            Step::Embed(texts) => {
                let texts: Vec<String> = texts.into_iter().map(|text| text.text).collect();
                let heard = compared(embedder, &texts).await;
                debate.hear(heard);
            }
            Step::Await(AwaitReason::Paused(reason)) => return Err(reason.sentence()),
            Step::Await(AwaitReason::Broken(why)) => return Err(why),
            Step::Await(AwaitReason::NotStarted) => return Err("it could not be started".into()),
            Step::Done(_) => return Ok(debate),
        }
    }
}

async fn compared(embedder: Option<&dyn Embedder>, texts: &[String]) -> Input {
    let Some(embedder) = embedder else {
        return Input::NotCompared { reason: "no embedder is used here".into() };
    };
    match embed::compare(embedder, texts).await {
        Ok(similarities) => {
            Input::Compared(TextSimilarities { embedder: embedder.name().into(), similarities })
        }
        Err(error) => Input::NotCompared { reason: error.to_string() },
    }
}
