//! `roundtable models`: the models that are known, and the weights of small ones.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::machine::models::{self as known, KnownWeights, ModelOverview};
use engine::table::seats;

/// List the models that are known, what they can do and what they cost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable models
  roundtable models --json")]
pub struct ModelsArgs {
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Download the weights of a small model that runs in this process.
    #[command(after_help = "\
Examples:
  roundtable models fetch smollm2-135m")]
    Fetch {
        /// As `roundtable models` lists it under local, e.g. smollm2-135m.
        name: String,
        /// Another address of the same file.
        #[arg(long, value_name = "URL")]
        from: Option<String>,
    },
}

pub async fn models(config: &Config, args: ModelsArgs) -> CommandEnd {
    if let Some(ModelsCommand::Fetch { name, from }) = &args.command {
        return fetch(config, name, from.as_deref()).await;
    }
    let outside = seats::outside(config)?;
    let known = known::known(&outside.settings, &outside.prices);
    let text = if args.json { pretty(&json!(known)) } else { table(&known) };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

async fn fetch(config: &Config, name: &str, from: Option<&str>) -> CommandEnd {
    let tell = |tenths: u64| out::note(&format!("{name}: {} %", tenths * 10));
    let path = known::fetch(config, name, from, &tell).await?;
    out::print(&format!("{}\n", path.display()))?;
    out::note(&format!("Seat it with --agents local/{name}"));
    Ok(ExitStatus::Done)
}

fn table(known: &ModelOverview) -> String {
    let mut out = String::new();
    let name = |row: &KnownWeights| clean_line(&format!("{}/{}", row.provider, row.model));
    let width = known.models.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    for row in &known.models {
        let context =
            row.context.map_or_else(|| "-".into(), |tokens| format!("{}k", tokens / 1000));
        let usd = |price: Option<f64>| price.map_or_else(|| "?".into(), |usd| format!("{usd:.2}"));
        let price = format!("{} / {}", usd(row.input_usd), usd(row.output_usd));
        let _ = writeln!(
            out,
            "{:<width$}  {:<12} {context:>6}  {price:>15}  {}",
            name(row),
            row.tiers.join(", "),
            row.can.join(", ")
        );
    }
    let _ = writeln!(
        out,
        "\nName, tier, context, USD for a million tokens in / out, abilities. As of {}.\nA provider's \
         name alone stands for its heavy model. Models that are not listed work too.",
        known.date
    );
    out
}
