//! Names and figures as a person reads them.

pub use crate::model::listed;
use crate::model::{Room, SeatId};

/// The seat's name at the table.
pub fn seat_name(room: &Room, seat: SeatId) -> &str {
    room.seats.get(seat.index()).map_or("an unknown seat", |seat| seat.name.as_str())
}

pub fn seat_names(room: &Room, seats: &[SeatId]) -> String {
    let names: Vec<&str> = seats.iter().map(|seat| seat_name(room, *seat)).collect();
    listed(&names)
}

pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
