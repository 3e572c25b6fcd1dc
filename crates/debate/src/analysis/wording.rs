//! Names and figures as a person reads them.

use crate::model::{Room, SeatId};

/// The seat's name at the table.
pub fn seat_name(room: &Room, seat: SeatId) -> &str {
    room.seats.get(seat.index()).map_or("an unknown seat", |seat| seat.name.as_str())
}

pub fn seat_names(room: &Room, seats: &[SeatId]) -> String {
    let names: Vec<&str> = seats.iter().map(|seat| seat_name(room, *seat)).collect();
    listed(&names)
}

/// "A", "A and B", "A, B and C".
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [init @ .., last] => {
            let init: Vec<&str> = init.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", init.join(", "), last.as_ref())
        }
    }
}

pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
