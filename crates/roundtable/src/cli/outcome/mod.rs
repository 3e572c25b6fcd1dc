//! `roundtable outcome`: notes on how a decision turns out, and its judgement.

mod assess;
mod due;
mod interview;
mod list;
mod show;
mod track;
mod undo;

use serde_json::Value;

use super::ExitStatus;
use super::arguments::pretty;
use super::command::{CommandEnd, CommandRow};
use crate::document::Document;
use crate::terminal::document::text as document_text;
use crate::terminal::out;

/// The commands below `roundtable outcome`.
pub fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::of("track", track::track),
        CommandRow::of("assess", assess::assess),
        CommandRow::of("due", due::due),
        CommandRow::of("list", list::list),
        CommandRow::of("show", show::show),
        CommandRow::of("undo", undo::undo),
    ]
}

fn print(document: &Document, value: &Value, as_json: bool) -> CommandEnd {
    out::print(&if as_json { pretty(value) } else { document_text(out::page(), document) })?;
    Ok(ExitStatus::Done)
}
