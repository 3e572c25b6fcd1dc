//! `roundtable presets`.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::page::{DIM, NAME, Page, count};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::table::order::preset::{self, Preset};

/// List the presets: ways of putting a kind of question, and when to use each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable presets
  roundtable debate --preset pre-mortem \"We move to the new office in May.\"

A preset of your own is a file NAME.toml in the folder presets beside the config file; it may say \
about, when, topic, needs_context, form, mode, rounds, effort, perspectives, questions and stakes.")]
pub struct PresetsArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn presets(config: &Config, args: PresetsArgs) -> CommandEnd {
    let presets = preset::all(config)?;
    let text = if args.json {
        let rows: Vec<_> = presets
            .iter()
            .map(|(name, preset)| {
                let mut row = json!(preset);
                row["name"] = json!(name);
                row
            })
            .collect();
        pretty(&json!(rows))
    } else {
        let page = out::page();
        presets.iter().map(|(name, preset)| shown(page, name, preset)).collect()
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn shown(page: Page, name: &str, preset: &Preset) -> String {
    let mut out = String::new();
    let about = clean_line(&preset.about);
    let _ = writeln!(out, "{NAME}{}{NAME:#}  {DIM}{about}{DIM:#}", clean_line(name));
    page.paragraph(&mut out, "    ", &clean_line(&preset.when));
    let mode = preset.mode.as_deref().unwrap_or("the usual mode");
    let mut facts = vec![mode.to_owned()];
    facts.extend(preset.rounds.map(|rounds| count(rounds as usize, "round")));
    facts.push(count(preset.questions.len(), "question"));
    facts.extend(preset.needs_context.then(|| "needs --context".into()));
    facts.extend(preset.file.as_ref().map(|file| clean_line(file)));
    page.paragraph(&mut out, "    ", &facts.join(" · "));
    out
}
