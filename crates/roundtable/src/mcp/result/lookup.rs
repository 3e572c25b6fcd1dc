//! Finds the agent and the round that a caller names, in a debate, and names agents.

use debate::model::{Room, RoundRecord, Seat, SeatId};

use super::shortening::short;
use engine::error::EngineError;
use engine::spelling::did_you_mean;

/// The round that was asked for, else the last.
pub fn record(room: &Room, round: Option<u32>) -> Result<&RoundRecord, EngineError> {
    let held = room.rounds.len();
    let found = match round {
        Some(number) => room.round(number),
        None => room.rounds.last(),
    };
    found.ok_or_else(|| match round {
        Some(number) => EngineError::input(format!(
            "round: there is no round {number}; rounds held so far: {held}"
        )),
        None => EngineError::input("no round has begun yet; call get_consensus with waitSeconds"),
    })
}

/// The seat of an agent named by its name or as `s0`.
pub fn seat<'a>(room: &'a Room, wanted: &str) -> Result<&'a Seat, EngineError> {
    let wanted = wanted.trim();
    let number = wanted.strip_prefix(['s', 'S']).and_then(|digits| digits.parse::<usize>().ok());
    let by_name = room.seats.iter().find(|seat| seat.name.eq_ignore_ascii_case(wanted));
    by_name.or_else(|| room.seats.get(number?)).ok_or_else(|| {
        let names: Vec<&str> = room.seats.iter().map(|seat| seat.name.as_str()).collect();
        let hint = did_you_mean(wanted, &names);
        EngineError::input(format!("agent: nobody here is called {wanted:?}; {hint}"))
    })
}

/// Finds the agent that is asked for; `None` means all agents.
pub fn agent(room: &Room, name: Option<&str>) -> Result<Option<SeatId>, EngineError> {
    name.map(|name| seat(room, name).map(|seat| seat.id)).transpose()
}

/// The name of a seat, short enough to be shown.
pub fn seat_name(room: &Room, seat: SeatId) -> String {
    let name = room.seats.get(seat.index()).map_or("?", |seat| seat.name.as_str());
    short(name, 60)
}

pub fn names(room: &Room, seats: &[SeatId]) -> Vec<String> {
    seats.iter().map(|seat| seat_name(room, *seat)).collect()
}
