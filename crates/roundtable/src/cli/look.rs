//! Commands that only look: modes, agents, settings.

use serde_json::json;

use super::args::{ConfigCommand, ListingArgs, ModesArgs};
use super::{Exit, Stop};
use crate::config::{self, Config, FLAG_ROWS};
use crate::operations::{self, Trouble, found, seating};
use crate::render::{self, out};

pub fn modes(args: &ModesArgs) -> Result<Exit, Stop> {
    let all = debate::modes::all();
    let chosen = match &args.mode {
        None => None,
        Some(name) => Some(debate::modes::find(name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|plan| plan.name).collect();
            let hint = config::did_you_mean(name, &known);
            Trouble::input(format!("there is no mode {name:?}; {hint}"))
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
    out::print(&text)?;
    Ok(Exit::Done)
}

pub async fn agents(config: &Config, args: &ListingArgs) -> Result<Exit, Stop> {
    let outside = seating::outside(config)?;
    let lines = found::overview(&outside).await;
    let text = match args.json {
        true => pretty(&json!(lines)),
        false => render::listing::agents(out::page(), &lines),
    };
    out::print(&text)?;
    Ok(Exit::Done)
}

pub async fn config(config: &Config, command: ConfigCommand) -> Result<Exit, Stop> {
    let text = match command {
        ConfigCommand::Path => format!(
            "config file  {}\ntemplates    {}\ndatabase     {}\n",
            config.paths.config_file.display(),
            config.paths.words.display(),
            config.paths.database.display()
        ),
        ConfigCommand::Show { sources, json } => settings(config, sources, json)?,
        ConfigCommand::Calibrate => {
            format!("{}\n", operations::embedding::calibrate(config).await?)
        }
        ConfigCommand::Words { folder } => words(&folder)?,
    };
    out::print(&text)?;
    Ok(Exit::Done)
}

fn settings(config: &Config, sources: bool, as_json: bool) -> Result<String, Stop> {
    let resolved = config.flags(&[])?;
    let values = serde_json::to_value(&resolved.flags).unwrap_or_default();
    let rows = FLAG_ROWS.iter().map(|row| {
        let value = values.pointer(&format!("/{}", row.key.replace('.', "/")));
        let source = resolved.sources.get(row.key).map(ToString::to_string).unwrap_or_default();
        (row, value.cloned().unwrap_or_default(), source)
    });
    if as_json {
        let rows: Vec<_> = rows
            .map(|(row, value, source)| json!({"key": row.key, "value": value, "source": source}))
            .collect();
        return Ok(pretty(&json!(rows)));
    }
    let mut text = String::new();
    for (row, value, source) in rows {
        let value = match value {
            serde_json::Value::Null => "the mode's own".to_string(),
            other => other.to_string(),
        };
        let source = if sources { format!("  from {source}") } else { String::new() };
        text.push_str(&format!("# {}\n{:<36} {value:<16}{source}\n", row.help, row.key));
    }
    Ok(text)
}

/// Writes the built-in templates, refusing to overwrite any.
fn words(folder: &std::path::Path) -> Result<String, Trouble> {
    let cannot = |error: std::io::Error| {
        Trouble::input(format!("cannot write to {}: {error}", folder.display()))
    };
    let taken: Vec<String> = debate::prompts::templates()
        .iter()
        .map(|template| folder.join(&template.name))
        .filter(|path| path.exists())
        .map(|path| format!("{} exists already; nothing was written", path.display()))
        .collect();
    if !taken.is_empty() {
        return Err(Trouble::Input(taken));
    }
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut text = String::new();
    for template in debate::prompts::templates() {
        std::fs::write(folder.join(&template.name), template.text).map_err(cannot)?;
        text.push_str(&format!("{:<28} {}\n", template.name, template.purpose));
    }
    Ok(text)
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
