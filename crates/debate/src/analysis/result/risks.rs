//! The risk register of a debate in which no vote is taken: each attack, what the
//! defenders answered, and what is left of it, strongest open attack first.

use crate::model::{
    Ballot, Claim, ClaimId, ClaimStatus, Critique, CritiqueOutcome, Label, ModePlan, RiskAnswer,
    RiskEntry, RiskState, Room, RoundRecord, SeatId, VoterPlan,
};
use crate::sorting::SortRows;

use crate::analysis::wording::seat_name;

/// The strength of an objection that makes no claim, by how grave it was called.
const BLOCKER_STRENGTH: f64 = 0.5;
const MINOR_STRENGTH: f64 = 0.25;

/// Returns the register; empty in a mode that takes a vote.
pub fn risks(room: &Room, plan: &ModePlan) -> Vec<RiskEntry> {
    let VoterPlan::NoSeat { leads } = plan.voters else {
        return Vec::new();
    };
    let table = Teams { room, leads };
    let mut found: Vec<RiskEntry> = room
        .ledger
        .claims
        .iter()
        .filter(|claim| table.attacks(claim))
        .map(|c| table.entry(c))
        .collect();
    if found.is_empty() {
        found = table.objections();
    }
    found.sort_rows_by(|a, b| {
        let open = b.state.is_open().cmp(&a.state.is_open());
        open.then(b.strength.total_cmp(&a.strength)).then(a.claim.cmp(&b.claim))
    });
    found
}

struct Teams<'a> {
    room: &'a Room,
    /// The role that defends.
    leads: &'a str,
}

impl Teams<'_> {
    fn defends(&self, seat: SeatId) -> bool {
        self.room.seats.get(seat.index()).is_some_and(|seat| seat.role == self.leads)
    }

    /// A standing claim of an attacker that was not made to help a defender.
    fn attacks(&self, claim: &Claim) -> bool {
        let helps =
            |other: &&Claim| self.defends(other.author) && other.supported_by.contains(&claim.id);
        !self.defends(claim.author)
            && claim.status != ClaimStatus::Retracted
            && claim.label != Label::Open
            && !self.room.ledger.claims.iter().any(|other| helps(&other))
    }

    fn entry(&self, claim: &Claim) -> RiskEntry {
        let mut answers = Vec::new();
        let mut conceded = claim.holders.iter().any(|seat| self.defends(*seat));
        let mut disputed = false;
        for id in &claim.opposition {
            let Some(against) = self.standing(*id).filter(|one| self.defends(one.author)) else {
                continue;
            };
            disputed |= against.opposers.iter().any(|seat| !self.defends(*seat));
            answers.push(self.answer(against.author, &against.text));
        }
        for (seat, critique) in self.defenders_critiques(claim.id) {
            let says = [critique.text.as_str(), critique.counter_evidence.as_deref().unwrap_or("")];
            let said = says.into_iter().find(|text| !text.trim().is_empty());
            match critique.outcome {
                CritiqueOutcome::Concession => conceded = true,
                CritiqueOutcome::Alternative | CritiqueOutcome::Synthesis => {
                    answers.extend(said.map(|text| self.answer(seat, text)));
                }
            }
        }
        let state = match (answers.is_empty(), conceded, disputed) {
            (true, true, _) => RiskState::Conceded,
            (true, false, _) => RiskState::Unanswered,
            (false, _, true) => RiskState::Disputed,
            (false, _, false) => RiskState::Answered,
        };
        let holders = claim.holders.iter().filter(|seat| !self.defends(**seat));
        RiskEntry {
            claim: Some(claim.id),
            attack: claim.text.clone(),
            by: holders.map(|seat| seat_name(self.room, *seat).to_owned()).collect(),
            answers,
            state,
            strength: claim.strength,
        }
    }

    fn standing(&self, id: ClaimId) -> Option<&Claim> {
        self.room.ledger.claim(id).filter(|claim| claim.status != ClaimStatus::Retracted)
    }

    fn answer(&self, seat: SeatId, text: &str) -> RiskAnswer {
        RiskAnswer { agent: seat_name(self.room, seat).to_owned(), text: text.trim().to_owned() }
    }

    /// The latest critique of a claim by each defender.
    fn defenders_critiques(&self, claim: ClaimId) -> Vec<(SeatId, &Critique)> {
        let mut latest: Vec<(SeatId, &Critique)> = Vec::new();
        for turn in self.room.rounds.iter().flat_map(RoundRecord::answered) {
            let named = turn.answer.critiques.iter().rfind(|critique| critique.claim == claim);
            if let Some(critique) = named.filter(|_| self.defends(turn.seat)) {
                latest.retain(|(seat, _)| *seat != turn.seat);
                latest.push((turn.seat, critique));
            }
        }
        latest
    }

    /// The last objections of the attackers, or else their last key points, where
    /// no attacker made a claim.
    fn objections(&self) -> Vec<RiskEntry> {
        let mut found = Vec::new();
        for seat in (0..self.room.seats.len()).map(SeatId).filter(|seat| !self.defends(*seat)) {
            let turns = || self.room.rounds.iter().rev().filter_map(|round| round.turn(seat));
            let vote = turns().find_map(|turn| turn.answer.vote.as_ref());
            let objection = vote.and_then(|vote| Some((vote.ballot, vote.objection.as_ref()?)));
            let points = turns().next().map(|turn| turn.answer.key_points.as_slice());
            let texts: Vec<(f64, &String)> = match objection {
                Some((Ballot::Blocker, text)) => vec![(BLOCKER_STRENGTH, text)],
                Some((Ballot::Minor, text)) => vec![(MINOR_STRENGTH, text)],
                Some((Ballot::Accept, _)) | None => {
                    points.unwrap_or_default().iter().map(|text| (MINOR_STRENGTH, text)).collect()
                }
            };
            for (strength, text) in texts {
                found.push(RiskEntry {
                    claim: None,
                    attack: text.trim().to_owned(),
                    by: vec![seat_name(self.room, seat).to_owned()],
                    answers: Vec::new(),
                    state: RiskState::Unanswered,
                    strength,
                });
            }
        }
        found
    }
}
