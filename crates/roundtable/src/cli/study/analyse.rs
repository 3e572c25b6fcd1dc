//! What can be done with a debate that is over: analyse it anew, sum it up.

use serde_json::json;

use crate::cli::args::{AnalyseArgs, SynthesiseArgs};
use crate::cli::{Exit, Stop};
use crate::terminal as render;
use crate::terminal::{clean, out, pager};
use engine::config::Config;
use engine::sessions::analyse::{self, Other};
use engine::sessions::synthesise;

pub async fn analyse(config: &Config, args: AnalyseArgs) -> Result<Exit, Stop> {
    let other = Other { algorithm: args.algorithm, thresholds: args.threshold, flags: args.flag };
    let analysed = analyse::analyse(config, &args.id, &other).await?;
    let text = match args.json {
        true => {
            let (rounds, verdict) = (&analysed.anew.rounds, &analysed.anew.verdict);
            let would_end = analysed.anew.would_end.as_ref().map(|(round, exit)| {
                json!({ "round": round, "rule": exit.rule, "details": exit.details })
            });
            let id = &analysed.id;
            let value =
                json!({ "id": id, "rounds": rounds, "wouldEnd": would_end, "verdict": verdict });
            clean::json(&format!("{value:#}\n")).into_owned()
        }
        false => render::analysed(out::page(), &analysed.id, &analysed.debate, &analysed.anew),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn synthesise(config: &Config, args: SynthesiseArgs) -> Result<Exit, Stop> {
    let (id, synthesis) = synthesise::synthesise(config, &args.id, args.script.as_deref()).await?;
    let text = match args.json {
        true => {
            let value = json!({ "id": id, "synthesis": synthesis });
            clean::json(&format!("{value:#}\n")).into_owned()
        }
        false => render::synthesis(out::page(), &synthesis),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}
