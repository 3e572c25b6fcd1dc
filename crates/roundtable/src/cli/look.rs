//! Commands that only look: sessions, modes, agents, settings.

use debate::model::Status;
use serde_json::json;
use store::ListFilter;

use super::args::{ConfigCommand, ListingArgs, ModesArgs, SessionsListArgs, SessionsShowArgs};
use super::{Exit, Stop, settings};
use crate::config::{self, Config};
use crate::operations::{self, Trouble, found, seating};
use crate::render::{self, out, pager};

/// The words a debate's status can be.
const STATUSES: [&str; 5] = ["created", "active", "paused", "completed", "error"];

pub async fn sessions(config: &Config, args: SessionsListArgs) -> Result<Exit, Stop> {
    if let Some(status) = args.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let hint = config::did_you_mean(status, &STATUSES);
        return Err(Trouble::input(format!("--status: {status:?} is unknown; {hint}")).into());
    }
    let filtered = args.status.is_some() || args.search.is_some();
    let filter = ListFilter {
        status: args.status,
        text: args.search,
        limit: Some(args.limit),
        ..ListFilter::default()
    };
    let listed = operations::sessions::list(config, &filter).await?;
    let cut_off = operations::sessions::unattended(config).await?;
    let text = match args.json {
        false if listed.is_empty() && filtered => "No debate matches.\n".into(),
        false => render::listing::sessions(out::page(), &listed, &cut_off),
        true => {
            let row = |row| render::listing::session_json(row, &cut_off);
            let rows: Vec<_> = listed.iter().map(row).collect();
            pretty(&json!(rows))
        }
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn session(config: &Config, args: SessionsShowArgs) -> Result<Exit, Stop> {
    let session = operations::sessions::show(config, &args.id).await?;
    let room = session.debate.room();
    let page = out::page();
    let record = match args.round {
        None => None,
        Some(number) => Some(room.round(number).ok_or_else(|| {
            Trouble::input(format!(
                "--round: there is no round {number}; this debate has held {}",
                room.rounds.len()
            ))
        })?),
    };
    let cut_off = operations::sessions::unattended(config).await?.contains(&session.id);
    let text = match (args.json, record) {
        (false, None) => {
            let attended = match (&room.status, cut_off) {
                (Status::Active, true) => render::listing::nobody_runs(&session.id) + "\n",
                (Status::Active, false) => "It is being run now.\n".into(),
                _ => String::new(),
            };
            render::session(page, &session.id, &session.debate) + &attended
        }
        (false, Some(record)) => render::round(page, room, record),
        (true, None) => pretty(&json!({
            "id": session.id,
            "status": room.status.word(),
            "pausedFor": render::listing::pause_json(&room.status),
            "contextRequests": room.context,
            "searches": room.searches,
            "cutOff": cut_off,
            "brief": room.brief,
            "seats": room.seats,
            "state": room.ledger,
            "rounds": room.rounds.iter().map(render::listing::round_json).collect::<Vec<_>>(),
            "verdict": room.verdict,
            "synthesis": room.synthesis,
        })),
        (true, Some(record)) => pretty(&render::listing::round_json(record)),
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub fn modes(config: &Config, args: &ModesArgs) -> Result<Exit, Stop> {
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
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
}

pub async fn agents(config: &Config, args: &ListingArgs) -> Result<Exit, Stop> {
    let outside = seating::outside(config)?;
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
            return super::secrets::set(config, &provider, &keyring);
        }
        ConfigCommand::RemoveKey { provider } => return super::secrets::remove(config, &provider),
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
            format!("{}\n", operations::embedding::calibrate(config).await?)
        }
        ConfigCommand::Words { folder } => words(&folder)?,
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(Exit::Done)
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

pub fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
