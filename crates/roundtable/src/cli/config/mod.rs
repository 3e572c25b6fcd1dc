//! `roundtable config`: the settings, one file per command.

mod calibrate;
mod path;
mod profiles;
mod remove_key;
mod set;
mod set_algorithm;
pub mod set_key;
mod show;
mod unset;
mod words;

use super::command::CommandRow;

/// The commands below `roundtable config`.
pub fn commands() -> Vec<CommandRow> {
    vec![
        CommandRow::of("show", show::show),
        CommandRow::of("set", set::set),
        CommandRow::of("unset", unset::unset),
        CommandRow::of("set-algorithm", set_algorithm::set_algorithm),
        CommandRow::of("profiles", profiles::profiles),
        CommandRow::of("path", path::path),
        CommandRow::of("calibrate", calibrate::calibrate),
        CommandRow::of("set-key", set_key::set_key),
        CommandRow::of("remove-key", remove_key::remove_key),
        CommandRow::of("words", words::words),
    ]
}
