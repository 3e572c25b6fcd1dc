//! Whose answers count, and how many votes each answer has. A seat that argues a
//! side it was given, or whose role does not vote in its mode, is left out; so is
//! an answer that says "cannot say".

use std::borrow::Cow;

use crate::model::{Agent, Brief, ModePlan, Room, RoundKind, RoundRecord, SeatId, Stance, Turn};

/// A confidence up to this is an abstention.
const CANNOT_SAY: f64 = 0.05;

/// Returns whether an answer is no vote: the seat cannot say.
pub fn abstains(brief: &Brief, turn: &Turn) -> bool {
    let unsure = turn.answer.confidence.is_some_and(|stated| stated <= CANNOT_SAY + 1e-9);
    unsure || (brief.question.is_closed() && turn.answer.answer.is_none())
}

/// Returns whether a seat's answers are votes at all.
pub fn is_voter(room: &Room, plan: &ModePlan, seat: SeatId) -> bool {
    room.seats.get(seat.index()).is_some_and(|seat| {
        plan.votes(&seat.role) && !matches!(seat.stance, Some(Stance::Yes | Stance::No))
    })
}

pub fn voting_seats(room: &Room, plan: &ModePlan) -> Vec<SeatId> {
    let all = (0..room.seats.len()).map(SeatId);
    all.filter(|seat| is_voter(room, plan, *seat)).collect()
}

/// The room with the answers that count and no others. It is the room itself
/// where every answer counts.
pub fn counted<'a>(room: &'a Room, plan: &ModePlan) -> Cow<'a, Room> {
    let counts = |turn: &Turn| is_voter(room, plan, turn.seat) && !abstains(&room.brief, turn);
    if room.rounds.iter().flat_map(RoundRecord::answered).all(counts) {
        return Cow::Borrowed(room);
    }
    let mut filtered = room.clone();
    for round in &mut filtered.rounds {
        for slot in &mut round.turns {
            if slot.as_ref().is_some_and(|turn| !counts(turn)) {
                *slot = None;
            }
        }
    }
    Cow::Owned(filtered)
}

/// The voting seats that answered in a round and could not say.
pub fn abstainers(room: &Room, plan: &ModePlan, round: &RoundRecord) -> Vec<SeatId> {
    let turns = round.answered().filter(|turn| is_voter(room, plan, turn.seat));
    turns.filter(|turn| abstains(&room.brief, turn)).map(|turn| turn.seat).collect()
}

/// The votes a round stands for: its own answers, or in a round of sealed first
/// answers all of them so far. `room` holds counted answers only.
pub fn votes_of<'a>(room: &'a Room, round: &'a RoundRecord) -> Vec<&'a Turn> {
    if round.kind != RoundKind::Sample {
        return round.answered().collect();
    }
    let so_far = room.sample_rounds().filter(|sealed| sealed.number <= round.number);
    so_far.flat_map(RoundRecord::answered).collect()
}

/// The share of pairs of votes that are equal, from how many votes each answer
/// has. Absent with fewer than two votes.
pub fn equal_pairs(counts: &[usize]) -> Option<f64> {
    let pairs = |votes: usize| (votes * votes.saturating_sub(1) / 2) as f64;
    let all: usize = counts.iter().sum();
    (all >= 2).then(|| counts.iter().map(|votes| pairs(*votes)).sum::<f64>() / pairs(all))
}

/// The agent that sits on a seat.
pub fn agent_of(room: &Room, seat: SeatId) -> Option<&Agent> {
    room.seats.get(seat.index()).and_then(|seat| room.brief.agents.get(seat.agent))
}

/// The family of an agent; a model that names none is a family of its own.
pub fn family_name(agent: &Agent) -> String {
    agent.family.clone().unwrap_or_else(|| agent.model.clone())
}

pub fn same_model(one: &Agent, other: &Agent) -> bool {
    one.model.eq_ignore_ascii_case(&other.model)
}

pub fn same_family(one: &Agent, other: &Agent) -> bool {
    match (&one.family, &other.family) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}
