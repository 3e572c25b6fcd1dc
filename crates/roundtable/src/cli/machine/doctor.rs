//! `roundtable doctor`: findings, each with its fix.

use serde_json::json;

use crate::cli::args::ListingArgs;
use super::modes::pretty;
use crate::cli::{Exit, Stop, out};
use crate::terminal as render;
use engine::config::{Config, ConfigError};
use engine::machine::doctor;

pub async fn doctor(
    config: &Result<Config, ConfigError>,
    args: &ListingArgs,
) -> Result<Exit, Stop> {
    let findings = doctor::examine(config).await;
    let text = match args.json {
        true => pretty(&json!(findings)),
        false => render::settings::findings(out::page(), &findings),
    };
    out::print(&text)?;
    Ok(if doctor::is_well(&findings) { Exit::Done } else { Exit::Failed })
}
