//! The tools, one file each and one row each, in the order clients see them.

mod continue_roundtable;
mod control_session;
mod get_agents;
mod get_consensus;
mod list_sessions;
mod start_roundtable;
mod start_settings;

/// Tools that read more of a debate than its result.
mod reading {
    pub mod export_session;
    pub mod get_citations;
    pub mod get_response_detail;
    pub mod get_round_details;
    pub mod get_thoughts;
}

/// Tools for debates that are over: what they came to, and how that turned out.
mod afterwards {
    pub mod get_learning;
    pub mod record_outcome;
    pub mod synthesize_debate;
}

use std::sync::LazyLock;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::call::{ToolHints, ToolRow};
use super::result::schema;
use super::words::app;

pub const ROWS: &[&ToolRow] = &[
    &start_roundtable::ROW,
    &continue_roundtable::ROW,
    &get_consensus::ROW,
    &control_session::ROW,
    &list_sessions::ROW,
    &get_agents::ROW,
    &reading::get_round_details::ROW,
    &reading::get_response_detail::ROW,
    &reading::get_thoughts::ROW,
    &reading::get_citations::ROW,
    &afterwards::synthesize_debate::ROW,
    &reading::export_session::ROW,
    &afterwards::record_outcome::ROW,
    &afterwards::get_learning::ROW,
];

/// Tools a client should have at hand without searching for them first.
const AT_HAND: [&str; 2] = ["start_roundtable", "get_consensus"];
/// Tools whose result the table draws.
const DRAWN: [&str; 3] = ["start_roundtable", "continue_roundtable", "get_consensus"];

pub fn find(name: &str) -> Option<&'static ToolRow> {
    ROWS.iter().find(|row| row.name == name).copied()
}

/// Made once: clients ask for it often, and it never changes.
static LISTED: LazyLock<Vec<Tool>> = LazyLock::new(|| ROWS.iter().map(|row| tool(row)).collect());

pub fn listed() -> &'static [Tool] {
    &LISTED
}

fn tool(row: &ToolRow) -> Tool {
    let annotations = annotations(row.hints);
    let mut meta = json!({});
    if AT_HAND.contains(&row.name) {
        meta["anthropic/alwaysLoad"] = true.into();
    }
    if DRAWN.contains(&row.name) {
        meta["ui"] = json!({ "resourceUri": app::URI });
    }
    let tool = Tool::new(row.name, row.description, schema::for_model((row.input)()))
        .with_title(row.title)
        .with_raw_output_schema(std::sync::Arc::new((row.output)()))
        .with_annotations(annotations);
    match meta {
        Value::Object(map) if !map.is_empty() => tool.with_meta(MetaObject::from(map)),
        _ => tool,
    }
}

fn annotations(hints: ToolHints) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(hints == ToolHints::Reads)
        .destructive(hints == ToolHints::Steers)
        .idempotent(hints != ToolHints::Asks)
        .open_world(hints == ToolHints::Asks)
}
