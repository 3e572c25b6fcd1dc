//! What was spent, on the command line.

use serde_json::json;

use crate::cli::args::CostsArgs;
use crate::cli::{Exit, Stop};
use crate::terminal as render;
use crate::terminal::{out, pager};
use engine::config::{self, Config};
use engine::error::EngineError;
use engine::sessions::costs;

const WAYS: [&str; 4] = ["day", "provider", "model", "debate"];

pub async fn costs(config: &Config, args: CostsArgs) -> Result<Exit, Stop> {
    if let Some(by) = args.by.as_deref().filter(|by| !WAYS.contains(by)) {
        let hint = config::did_you_mean(by, &WAYS);
        return Err(EngineError::input(format!("--by: {by:?} is unknown; {hint}")).into());
    }
    let overview = costs::overview(config).await?;
    let ways = WAYS.into_iter().zip([
        &overview.by_day,
        &overview.by_provider,
        &overview.by_model,
        &overview.by_debate,
    ]);
    let chosen = ways.filter(|(way, _)| args.by.as_deref().is_none_or(|by| by == *way));
    let text = match (args.json, args.by.is_some()) {
        (false, _) => {
            chosen.map(|(way, lines)| render::costs(out::page(), way, lines)).collect::<String>()
        }
        (true, false) => format!("{:#}\n", json!(overview)),
        (true, true) => {
            let lines: Vec<_> = chosen.flat_map(|(_, lines)| lines).collect();
            format!("{:#}\n", json!(lines))
        }
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}
