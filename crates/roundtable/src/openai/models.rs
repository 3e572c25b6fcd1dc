//! The models of the API: the table as it is, the two kinds of effort, and every profile
//! and preset.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debate::model::DebateEffort;
use engine::background::host::Host;
use engine::config::Config;
use engine::error::EngineError;
use engine::table::order::{Order, preset};
use serde_json::{Value, json};

use super::refused::ApiRefusal;

/// The table that sits down if nothing else is named, and the beginning of all names.
const TABLE: &str = "roundtable";
/// Kinds of effort that are models of their own.
const EFFORTS: [DebateEffort; 2] = [DebateEffort::Vote, DebateEffort::Debate];

/// Returns the order that a model stands for.
pub fn order(config: &Config, model: &str) -> Result<Order, ApiRefusal> {
    let unknown = || ApiRefusal {
        status: StatusCode::NOT_FOUND,
        ..ApiRefusal::bad(
            "model",
            "model_not_found",
            format!("The model `{model}` does not exist. /v1/models lists those there are."),
        )
    };
    if model == TABLE {
        return Ok(Order::default());
    }
    let name = model.strip_prefix(TABLE).and_then(|rest| rest.strip_prefix('/'));
    let name = name.ok_or_else(unknown)?;
    if let Some(effort) = EFFORTS.iter().find(|effort| effort.word() == name) {
        return Ok(Order { effort: Some(effort.word().into()), ..Order::default() });
    }
    if config.file.profiles.contains_key(name) {
        return Ok(Order { profile: Some(name.into()), ..Order::default() });
    }
    if preset::all(config)?.contains_key(name) {
        return Ok(Order { preset: Some(name.into()), ..Order::default() });
    }
    Err(unknown())
}

fn names(config: &Config) -> Result<Vec<String>, EngineError> {
    let efforts = EFFORTS.iter().map(|effort| effort.word().to_owned());
    let profiles = config.file.profiles.keys().cloned();
    let mut names: Vec<String> = efforts.chain(profiles).collect();
    for name in preset::all(config)?.into_keys() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let full = names.into_iter().map(|name| format!("{TABLE}/{name}"));
    Ok(std::iter::once(TABLE.to_owned()).chain(full).collect())
}

fn shown(name: &str) -> Value {
    json!({ "id": name, "object": "model", "created": 0, "owned_by": TABLE })
}

pub async fn all(State(host): State<Host>) -> Response {
    match names(host.config()) {
        Ok(names) => {
            let data: Vec<Value> = names.iter().map(|name| shown(name)).collect();
            Json(json!({ "object": "list", "data": data })).into_response()
        }
        Err(error) => ApiRefusal::from(error).into_response(),
    }
}

pub async fn one(State(host): State<Host>, Path(name): Path<String>) -> Response {
    match order(host.config(), &name) {
        Ok(_) => Json(shown(&name)).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}
