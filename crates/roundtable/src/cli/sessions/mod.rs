//! `roundtable sessions`: stored debates, one file per command.

mod answer;
mod delete;
pub mod export;
mod focus;
mod import;
mod interject;
pub mod list;
mod pause;
mod record;
mod replay;
pub mod resume;
pub mod show;
mod stop;

use super::command::CommandRow;

/// The commands below `roundtable sessions`.
pub fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::of("list", list::list),
        CommandRow::of("show", show::show),
        CommandRow::of("record", record::record),
        CommandRow::of("resume", resume::resume),
        CommandRow::of("replay", replay::replay),
        CommandRow::of("pause", pause::pause),
        CommandRow::of("stop", stop::stop),
        CommandRow::of("interject", interject::interject),
        CommandRow::of("focus", focus::focus),
        CommandRow::of("answer", answer::answer),
        CommandRow::of("delete", delete::delete),
        CommandRow::of("export", export::export),
        CommandRow::of("import", import::run),
    ]
}
