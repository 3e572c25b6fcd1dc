//! Commands that only look: modes, agents, settings.

use serde_json::json;

use crate::cli::args::{ListingArgs, ModesArgs};
use crate::cli::config_args::ConfigCommand;
use crate::cli::{Exit, Stop};
use crate::cli::config::show as settings;
use crate::terminal as render;
use crate::terminal::{out, pager};
use engine::config::{self, Config};
use engine::error::EngineError;
use engine::machine::found;
use engine::table::seats;

pub fn modes(config: &Config, args: &ModesArgs) -> Result<Exit, Stop> {
    let all = debate::modes::all();
    let chosen = match &args.mode {
        None => None,
        Some(name) => Some(debate::modes::find(name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|plan| plan.name).collect();
            let hint = config::did_you_mean(name, &known);
            EngineError::input(format!("there is no mode {name:?}; {hint}"))
        })?),
    };
    let text = match (args.json, chosen) {
        (true, chosen) => {
            let plans = all.iter().filter(|plan| chosen.is_none_or(|one| one.name == plan.name));
            let rows: Vec<_> = plans.map(|plan| render::mode_json(plan)).collect();
            pretty(&json!(rows))
        }
        (false, Some(plan)) => render::mode(out::page(), plan),
        (false, None) => render::modes(out::page(), all),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn agents(config: &Config, args: &ListingArgs) -> Result<Exit, Stop> {
    let outside = seats::outside(config)?;
    let lines = found::overview(&outside).await;
    let text = match args.json {
        true => pretty(&json!(lines)),
        false => render::listing::agents(out::page(), &lines),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn config(config: &Config, command: ConfigCommand) -> Result<Exit, Stop> {
    let text = match command {
        ConfigCommand::SetKey { provider, keyring } => {
            return crate::cli::config::set_key::set(config, &provider, &keyring);
        }
        ConfigCommand::RemoveKey { provider } => return crate::cli::config::set_key::remove(config, &provider),
        ConfigCommand::Path => format!(
            "config file  {}\ntemplates    {}\nkeys         {}\ndatabase     {}\n",
            config.paths.config_file.display(),
            config.paths.words.display(),
            config.paths.keys.display(),
            config.paths.database.display()
        ),
        ConfigCommand::Show { sources, json } => settings::show(config, sources, json)?,
        ConfigCommand::Set { key, value } => settings::set(config, &key, &value)?,
        ConfigCommand::Unset { key } => settings::unset(config, &key)?,
        ConfigCommand::SetAlgorithm { name } => settings::set(config, "algorithm", &name)?,
        ConfigCommand::Profiles(args) => settings::profiles(config, &args),
        ConfigCommand::Calibrate => {
            format!("{}\n", engine::table::embedder::calibrate(config).await?)
        }
        ConfigCommand::Words { folder } => words(&folder)?,
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

/// Writes the built-in templates, refusing to overwrite any.
fn words(folder: &std::path::Path) -> Result<String, EngineError> {
    let cannot = |error: std::io::Error| {
        EngineError::input(format!("cannot write to {}: {error}", folder.display()))
    };
    let taken: Vec<String> = debate::prompts::templates()
        .iter()
        .map(|template| folder.join(&template.name))
        .filter(|path| path.exists())
        .map(|path| format!("{} exists already; nothing was written", path.display()))
        .collect();
    if !taken.is_empty() {
        return Err(EngineError::Input(taken));
    }
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut text = String::new();
    for template in debate::prompts::templates() {
        std::fs::write(folder.join(&template.name), template.text).map_err(cannot)?;
        text.push_str(&format!("{:<28} {}\n", template.name, template.purpose));
    }
    Ok(text)
}

pub fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
