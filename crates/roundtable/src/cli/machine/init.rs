//! `roundtable init`: a few questions, then a commented config file.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;

use super::agents::found_agents;
use super::first_model;
use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::init::{self, InitAnswers, MachineSurvey};

/// Find what is here, ask a few questions, write a commented config file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable init --yes --dry-run
  roundtable init --yes

Keys are asked for too; they are kept in a file of their own that only you can read.")]
pub struct InitArgs {
    /// Take every suggestion without asking.
    #[arg(short, long)]
    yes: bool,
    /// Print the file instead of writing it.
    #[arg(long)]
    dry_run: bool,
    /// Replace a config file that is there; the old one is kept beside it.
    #[arg(long)]
    force: bool,
}

pub async fn init(config: &Config, args: InitArgs) -> CommandEnd {
    let path = &config.paths.config_file;
    if path.exists() && !args.force && !args.dry_run {
        return Err(EngineError::input(format!(
            "{} exists already; change it with `roundtable config set`, or replace it with --force \
             (the old file is kept)",
            path.display()
        ))
        .into());
    }
    if !args.yes && !std::io::stdin().is_terminal() {
        return Err(EngineError::input(
            "there is no terminal to ask on; --yes takes every suggestion, --dry-run shows the file",
        )
        .into());
    }
    let mut survey = init::survey(config).await?;
    let answers = if args.yes {
        suggestions(&survey)
    } else {
        out::note(&found_agents(out::page(), &survey.lines));
        if first_model::keys(config)? {
            survey = init::survey(&Config::load(config.environment.clone())?).await?;
        }
        let suggested = suggestions(&survey);
        asked(&survey, suggested)?
    };
    if args.dry_run {
        out::print(&init::text(&answers))?;
        return Ok(ExitStatus::Done);
    }
    let written = init::write(config, &answers)?;
    out::note(&format!("Wrote {}.", written.path.display()));
    if let Some(before) = written.before {
        out::note(&format!("The old file is kept as {}.", before.display()));
    }
    out::note("Check everything with: roundtable doctor");
    out::note("Hold a debate with:    roundtable \"YOUR QUESTION\"");
    Ok(ExitStatus::Done)
}

fn suggestions(survey: &MachineSurvey) -> InitAnswers {
    InitAnswers { agents: survey.agents.clone(), daily_budget: None, search: None }
}

fn asked(survey: &MachineSurvey, suggested: InitAnswers) -> Result<InitAnswers, EngineError> {
    let found = suggested.agents.join(",");
    let agents = ask(
        "Who debates? PROVIDER/MODEL, separated by commas; nothing means every model that is found",
        &found,
    )?;
    let daily_budget = loop {
        let text = ask("The most a day may cost, in USD; 0 is no limit", "50")?;
        match text.trim_start_matches('$').parse::<f64>() {
            Ok(usd) if usd.is_finite() && usd >= 0.0 => break usd,
            _ => out::note(&format!("{text:?} is not an amount; write a number such as 20")),
        }
    };
    let engine = match survey.engine {
        Some(engine) => format!("{engine} is set up for those that cannot search themselves"),
        None => "no search API is set up".into(),
    };
    let search =
        ask(&format!("Who searches the web: auto, native, api or off ({engine})"), "auto")?;
    let agents = agents.split(',').map(str::trim).filter(|spec| !spec.is_empty());
    Ok(InitAnswers {
        agents: agents.map(str::to_owned).collect(),
        daily_budget: Some(daily_budget),
        search: Some(search),
    })
}

/// One question with a suggestion that an empty line takes.
fn ask(question: &str, suggestion: &str) -> Result<String, EngineError> {
    let shown = if suggestion.is_empty() { "not set" } else { suggestion };
    out::note(&format!("{question}\n  [{shown}]"));
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) => Err(EngineError::input("nothing was written: the questions were not answered")),
        Ok(_) if line.trim().is_empty() => Ok(suggestion.into()),
        Ok(_) => Ok(line.trim().into()),
        Err(error) => Err(EngineError::input(format!("cannot read an answer: {error}"))),
    }
}
