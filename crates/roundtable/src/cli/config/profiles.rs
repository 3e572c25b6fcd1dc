//! `roundtable config profiles`.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::page::{DIM, NAME, Page, count};
use crate::terminal::{out, pager};
use engine::config::{Config, Profile};

/// List the profiles: named panels of agents with their settings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config profiles")]
pub struct ConfigProfilesArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn profiles(config: &Config, args: ConfigProfilesArgs) -> CommandEnd {
    let profiles = &config.file.profiles;
    if args.json {
        let rows: Vec<_> = profiles
            .iter()
            .map(|(name, profile)| {
                json!({
                    "name": name, "about": profile.about, "agents": profile.agents,
                    "clerk": profile.clerk, "mode": profile.mode, "rounds": profile.rounds,
                    "isDefault": config.file.profile.as_ref() == Some(name),
                })
            })
            .collect();
        return shown(config, &pretty(&json!(rows)));
    }
    let mut text = String::new();
    if profiles.is_empty() {
        let _ = writeln!(
            text,
            "No profiles yet. Make one with:\n  roundtable config set profiles.review.agents \
             anthropic,openai\n  roundtable config set profiles.review.mode red-team-blue-team\n\
             and use it with: roundtable debate --profile review \"YOUR QUESTION\""
        );
    }
    for (name, profile) in profiles {
        text.push_str(&profile_text(out::page(), name, profile));
    }
    shown(config, &text)
}

fn shown(config: &Config, text: &str) -> CommandEnd {
    pager::show(config.environment.pager().as_ref(), text)?;
    Ok(ExitStatus::Done)
}

fn profile_text(page: Page, name: &str, profile: &Profile) -> String {
    let mut out = String::new();
    let about = profile.about.as_deref().map(clean_line).unwrap_or_default();
    let _ = writeln!(out, "{NAME}{}{NAME:#}  {DIM}{about}{DIM:#}", clean_line(name));
    let agents = if profile.agents.is_empty() {
        "every model that is found".to_string()
    } else {
        profile.agents.join(", ")
    };
    let mode = profile.mode.as_deref().unwrap_or("the usual mode");
    let rounds = profile.rounds.map(|rounds| format!(", {}", count(rounds as usize, "round")));
    let rounds = rounds.unwrap_or_default();
    page.paragraph(&mut out, "    ", &format!("{agents} · {mode}{rounds}"));
    out
}
