//! Agents and settings: what was found on this machine, what answers, what is missing
//! and how to add it, and the value and source of every setting.

use askama::Template;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate::sorting::SortRows;
use engine::error::EngineError;
use engine::machine::models::{self, ModelOverview};
use engine::machine::{found, settings};
use engine::people::caller::Operation;
use engine::table::seats;

use super::WebState;
use super::frame::{self, PageTab};
use super::wording;

#[derive(Template)]
#[template(path = "web_agents.html", whitespace = "preserve")]
struct AgentsPage {
    rows: Vec<ProviderRow>,
    settings: Vec<SettingLine>,
    file: String,
    /// True if the reader looks after people.
    operator: bool,
}

struct ProviderRow {
    name: String,
    title: String,
    models: String,
    price: String,
    note: String,
    ready: bool,
    set_up: bool,
}

struct SettingLine {
    key: String,
    value: String,
    source: String,
    help: &'static str,
}

pub async fn agents(web: WebState, headers: HeaderMap) -> Response {
    match view(&web).await {
        Ok(view) => {
            let tab = PageTab::Agents;
            frame::page(&headers, "Agents and settings", tab, Box::new(view)).answer(StatusCode::OK)
        }
        Err(error) => wording::refused(&headers, &error),
    }
}

async fn view(web: &WebState) -> Result<AgentsPage, EngineError> {
    let config = web.host.config();
    let outside = seats::outside(config)?;
    let known = models::known(&outside.settings, &outside.prices);
    let mut lines = found::overview(&outside).await;
    // What answers first, then what should, then what could be added.
    lines.sort_rows_by_key(|line| (!line.ready, !line.set_up));
    let row = |line: found::FoundProvider| ProviderRow {
        price: price(&known, &line.provider),
        name: line.provider,
        title: line.title,
        models: line.models.join(", "),
        note: line.note,
        ready: line.ready,
        set_up: line.set_up,
    };
    let setting = |one: settings::SettingValue| SettingLine {
        key: one.key,
        value: match (&one.value, one.usual) {
            (serde_json::Value::Null, usual) => usual.unwrap_or("–").into(),
            (serde_json::Value::String(text), _) => text.clone(),
            (value, _) => value.to_string(),
        },
        source: one.source,
        help: one.help,
    };
    Ok(AgentsPage {
        rows: lines.into_iter().map(row).collect(),
        settings: settings::all(config)?.into_iter().map(setting).collect(),
        file: config.paths.config_file.display().to_string(),
        operator: config.caller.may(Operation::People),
    })
}

/// The price of the model that the provider's name alone seats, per million tokens.
fn price(known: &ModelOverview, provider: &str) -> String {
    let of_provider = || known.models.iter().filter(|model| model.provider == provider);
    let usual = of_provider().find(|model| model.tiers.contains(&"heavy"));
    let Some(model) = usual.or_else(|| of_provider().next()) else { return "–".into() };
    match (model.input_usd, model.output_usd) {
        (Some(0.0), Some(0.0)) => "free".into(),
        (Some(input), Some(output)) => format!("${input:.2} in · ${output:.2} out"),
        _ => "not known".into(),
    }
}
