//! Counts ballots and finds the objections that still stand.

use crate::model::{Ballot, Objection, Room, Round, RoundRecord, SeatId, VoteCount};

pub fn count(round: &RoundRecord) -> VoteCount {
    let mut votes = VoteCount::default();
    for turn in round.answered() {
        let Some(vote) = &turn.answer.vote else {
            votes.none += 1;
            continue;
        };
        match vote.ballot {
            Ballot::Accept => votes.accept += 1,
            Ballot::Minor => votes.minor += 1,
            Ballot::Blocker => votes.blocker += 1,
        }
        if vote.ballot != Ballot::Accept {
            let text = vote.objection.clone().unwrap_or_default();
            votes.objections.push(Objection { seat: turn.seat, ballot: vote.ballot, text });
        }
    }
    votes
}

/// BLOCKERs that still stand: those of each seat's last vote up to a round. A
/// seat that misses a round does not withdraw its objection by that.
pub fn standing_blockers(room: &Room, up_to: Round) -> Vec<Objection> {
    let mut standing = Vec::new();
    for seat in (0..room.seats.len()).map(SeatId) {
        let last = rounds_up_to(room, up_to)
            .rev()
            .find_map(|round| round.turn(seat)?.answer.vote.as_ref());
        if let Some(vote) = last.filter(|vote| vote.ballot == Ballot::Blocker) {
            let text = vote.objection.clone().unwrap_or_default();
            standing.push(Objection { seat, ballot: Ballot::Blocker, text });
        }
    }
    standing
}

pub fn rounds_up_to(room: &Room, up_to: Round) -> impl DoubleEndedIterator<Item = &RoundRecord> {
    room.rounds.iter().filter(move |round| round.number <= up_to)
}
