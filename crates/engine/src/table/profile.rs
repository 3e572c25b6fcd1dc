//! Profiles. An order that names one is filled in from it before any check; the
//! order's own options stay.

use crate::config::Config;
use crate::error::{EngineError, Problem, Refusal, Remedy, SettingName};
use crate::table::order::Order;

pub fn fill(config: &Config, order: &Order) -> Result<Order, EngineError> {
    let file = &config.file;
    let Some(name) = order.profile.as_ref().or(file.profile.as_ref()) else {
        return Ok(order.clone());
    };
    let Some(profile) = file.profiles.get(name) else {
        let known: Vec<&str> = file.profiles.keys().map(String::as_str).collect();
        let problem = Problem::unknown(name, &known);
        let refusal = Refusal::setting(SettingName::Profile, name, problem);
        if !known.is_empty() {
            return Err(refusal.into());
        }
        let file = config.paths.config_file.clone();
        return Err(refusal.help(Remedy::AddProfile { name: name.clone(), file }).into());
    };
    let mut order = order.clone();
    if order.agents.is_empty() {
        order.agents.clone_from(&profile.agents);
    }
    let text = |given: Option<u32>| given.map(|number| number.to_string());
    let decimal = |given: Option<f64>| given.map(|number| number.to_string());
    let fields = [
        (&mut order.clerk, profile.clerk.clone()),
        (&mut order.mode, profile.mode.clone()),
        (&mut order.rounds, text(profile.rounds)),
        (&mut order.max_output_tokens, text(profile.max_output_tokens)),
        (&mut order.temperature, decimal(profile.temperature)),
        (&mut order.timeout_seconds, text(profile.timeout_seconds)),
        (&mut order.budget, decimal(profile.budget)),
        (&mut order.algorithm, profile.algorithm.clone()),
        (&mut order.search, profile.search.clone()),
    ];
    for (field, own) in fields {
        if field.is_none() {
            *field = own;
        }
    }
    // A caller from elsewhere may lower the profile's budget, never lift it.
    if let Some(own) = profile.budget.filter(|own| order.caller.is_remote && *own > 0.0) {
        let given = order.budget.as_ref().and_then(|text| text.parse::<f64>().ok());
        if given.is_none_or(|given| given <= 0.0 || given > own) {
            order.budget = Some(own.to_string());
        }
    }
    // Of two equal flags the last wins, which is the order's own.
    let mut flags = flatten(&profile.flags, "");
    flags.append(&mut order.flags);
    order.flags = flags;
    Ok(order)
}

/// Returns a table of flags as `name=value` lines.
fn flatten(table: &toml::Table, prefix: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            toml::Value::Table(inner) => lines.extend(flatten(inner, &key)),
            toml::Value::String(text) => lines.push(format!("{key}={text}")),
            other => lines.push(format!("{key}={other}")),
        }
    }
    lines
}
