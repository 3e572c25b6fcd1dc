//! Settings on the command line: show, set, unset, profiles.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::args::ListingArgs;
use crate::cli::machine::modes::pretty;
use crate::cli::{Stop, out};
use crate::terminal as render;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::settings;

pub fn show(config: &Config, sources: bool, as_json: bool) -> Result<String, Stop> {
    let all = settings::all(config)?;
    if as_json {
        return Ok(pretty(&json!(all)));
    }
    let shown =
        if sources { render::settings::With::Sources } else { render::settings::With::Values };
    Ok(render::settings::settings(&all, shown))
}

pub fn set(config: &Config, key: &str, value: &str) -> Result<String, EngineError> {
    settings::set(config, key, value)?;
    out::note(&format!("Set {key} in {}.", config.paths.config_file.display()));
    Ok(String::new())
}

pub fn unset(config: &Config, key: &str) -> Result<String, EngineError> {
    settings::unset(config, key)?;
    out::note(&format!("Removed {key} from {}.", config.paths.config_file.display()));
    Ok(String::new())
}

pub fn profiles(config: &Config, args: &ListingArgs) -> String {
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
        return pretty(&json!(rows));
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
        text.push_str(&render::settings::profile(out::page(), name, profile));
    }
    text
}
