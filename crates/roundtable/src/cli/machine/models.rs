//! The commands on models: list them, fetch the weights of one.

use serde_json::json;

use crate::cli::args::{ModelsArgs, ModelsCommand};
use crate::cli::{Exit, Stop};
use crate::terminal as render;
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::machine::models as known;
use engine::table::seats;

pub async fn models(config: &Config, args: &ModelsArgs) -> Result<Exit, Stop> {
    if let Some(ModelsCommand::Fetch { name, from }) = &args.command {
        return fetch(config, name, from.as_deref()).await;
    }
    let outside = seats::outside(config)?;
    let known = known::known(&outside.settings, &outside.prices);
    let text = match args.json {
        true => format!("{:#}\n", json!(known)),
        false => render::models::models(&known),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

async fn fetch(config: &Config, name: &str, from: Option<&str>) -> Result<Exit, Stop> {
    let tell = |tenths: u64| out::note(&format!("{name}: {} %", tenths * 10));
    let path = known::fetch(config, name, from, &tell).await?;
    out::print(&format!("{}\n", path.display()))?;
    out::note(&format!("Seat it with --agents local/{name}"));
    Ok(Exit::Done)
}
