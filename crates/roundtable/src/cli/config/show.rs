//! `roundtable config show`: every setting with its value.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::page::DIM;
use crate::terminal::pager;
use engine::config::Config;
use engine::machine::settings::{self, SettingValue};

/// Show every setting.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config show
  roundtable config show --sources --json")]
pub struct ConfigShowArgs {
    /// Say where each value came from.
    #[arg(long)]
    sources: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub async fn show(config: &Config, args: ConfigShowArgs) -> CommandEnd {
    let all = settings::all(config)?;
    let text = if args.json { pretty(&json!(all)) } else { table(&all, args.sources) };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn table(all: &[SettingValue], with_sources: bool) -> String {
    let mut out = String::new();
    for setting in all {
        let value = match (&setting.value, setting.usual) {
            (_, Some(usual)) => usual.to_string(),
            (Value::String(text), None) => clean_line(text),
            (Value::Array(items), None) => {
                let items =
                    items.iter().map(|item| item.as_str().map_or(item.to_string(), clean_line));
                items.collect::<Vec<_>>().join(", ")
            }
            (other, None) => other.to_string(),
        };
        let source = if with_sources {
            format!("  {DIM}from {}{DIM:#}", setting.source)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "{DIM}# {}{DIM:#}\n{:<36} {value:<16}{source}",
            setting.help, setting.key
        );
    }
    out
}
