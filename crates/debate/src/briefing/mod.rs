//! The view of each speaker: the state of the debate and the last rounds, within
//! budgets that hold for any number of rounds, agents and words. It never shows
//! what the mode hides, and it says what it left out.

mod anonymity;
mod answers;
mod attachments;
mod budget;
mod for_clerk;
mod given;
mod ids;
mod state;
mod statistics;
mod summary;
mod view_text;
mod wave_parts;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use crate::model::{
    ClaimId, EarlierRounds, Fence, KnownLines, ModePlan, Room, Round, RoundRecord, Seat, SeatId,
    ThisRound, Turn, ViewContents, clip, tokens,
};

use anonymity::SeatNames;
use answers::RoundBlock;
use budget::ViewBudget;
use view_text::ViewText;

pub use for_clerk::{ClerkMaterial, for_clerk};
pub use summary::summarise;
pub use wave_parts::SharedParts;

/// The seat that is about to speak, with the round and the wave.
#[derive(Debug, Clone, Copy)]
pub struct ViewReader<'a> {
    pub room: &'a Room,
    pub plan: &'a ModePlan,
    pub seat: SeatId,
    pub round: Round,
    pub wave: usize,
    pub fence: &'a Fence,
    /// What was made for other readers of the same wave.
    pub shared: &'a SharedParts,
}

/// The view that a speaker is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub text: String,
    /// The lines of the text that were counted for it.
    pub known: Vec<KnownLines>,
    /// The caller's files, each fenced; empty if there are none.
    pub attachments: String,
    pub shown: ViewContents,
}

/// The view of one speaker at one moment: the same in every replay.
pub fn view(reader: &ViewReader<'_>) -> View {
    let desk = ViewInputs::of(reader);
    let mut shown = ViewContents::default();
    let mut text = ViewText::new(reader.fence);

    let budget = desk.budget;
    desk.write_state(&mut text, &mut shown);
    let after_state = text.len();
    text.push_str(&given::written(&desk, &mut shown));
    let after_given = text.len();
    desk.write_summaries(&mut text, &mut shown);
    let after_summaries = text.len();
    shown.tokens.state = text.tokens(0..after_state);
    shown.tokens.context = text.tokens(after_state..after_given);
    shown.tokens.summaries = text.tokens(after_given..after_summaries);

    // The parts so far are fixed; the answers share the rest.
    let used = shown.tokens.state + shown.tokens.context + shown.tokens.summaries + budget.note;
    let blocks = desk.blocks();
    let needs: Vec<usize> = blocks.iter().map(|block| block.need()).collect();
    let caps: Vec<usize> = needs.iter().map(|need| (*need).min(budget.round)).collect();
    let shares = budget::share(&caps, budget.view.saturating_sub(used));
    let mut start = after_summaries;
    for (block, share) in blocks.iter().zip(shares) {
        block.write(&desk, share, &mut text, &mut shown);
        let size = text.tokens_from(start);
        if block.round() == desk.round {
            shown.tokens.this_round = size;
        } else {
            shown.tokens.previous_round = size;
        }
        start = text.len();
    }

    let attachments = attachments::write(&desk, &mut shown);
    write_left_out(&desk, &mut text, &shown);
    shown.tokens.attachments = tokens(&attachments);
    shown.tokens.view = shown.tokens.state
        + shown.tokens.context
        + shown.tokens.summaries
        + shown.tokens.previous_round
        + shown.tokens.this_round
        + text.tokens_from(start);
    let (text, known) = text.into_parts();
    View { text, known, attachments, shown }
}

/// The cost of a fence with a short label.
fn fence_cost(fence: &Fence) -> usize {
    2 * tokens(fence.mark()) + 16
}

fn write_left_out(desk: &ViewInputs<'_>, text: &mut ViewText<'_>, shown: &ViewContents) {
    if shown.left_out.is_empty() {
        return;
    }
    let mut note = String::from("\nLeft out: ");
    for (place, what) in shown.left_out.iter().enumerate() {
        note.push_str(if place == 0 { "" } else { "; " });
        note.push_str(what);
    }
    note.push_str(".\n");
    text.push_str(&clip(&note, desk.budget.note));
    if !text.as_str().ends_with('\n') {
        text.push_str("\n");
    }
}

/// A reader with everything that each part of the view needs.
struct ViewInputs<'a> {
    room: &'a Room,
    plan: &'a ModePlan,
    seat: SeatId,
    round: Round,
    fence: &'a Fence,
    shared: &'a SharedParts,
    names: SeatNames<'a>,
    budget: ViewBudget,
    /// The cost of a fence with a short label.
    fence_cost: usize,
    /// Seats of earlier waves of this round whose answers the reader may see, in
    /// order.
    heard: Vec<SeatId>,
}

impl<'a> ViewInputs<'a> {
    fn of(reader: &ViewReader<'a>) -> ViewInputs<'a> {
        let room = reader.room;
        let agent = room.seats.get(reader.seat.index()).map(|seat| seat.agent);
        let window =
            agent.and_then(|agent| room.brief.agents.get(agent)).and_then(|it| it.context_window);
        let mut desk = ViewInputs {
            room,
            plan: reader.plan,
            seat: reader.seat,
            round: reader.round,
            fence: reader.fence,
            shared: reader.shared,
            names: SeatNames::of(reader),
            budget: ViewBudget::for_window(window),
            fence_cost: fence_cost(reader.fence),
            heard: Vec::new(),
        };
        if let Some(record) = room.round(reader.round) {
            let earlier = record.waves.iter().take(reader.wave).flatten().copied();
            desk.heard = earlier.filter(|seat| desk.hears(*seat)).collect();
        }
        desk
    }

    /// Returns the round `back` rounds ago, if there was one.
    fn back(&self, back: Round) -> Option<&'a RoundRecord> {
        self.room.round(self.round.checked_sub(back)?)
    }

    fn seat_of(&self, id: SeatId) -> Option<&'a Seat> {
        self.room.seats.get(id.index())
    }

    /// Returns true if two seats are of one team; without teams this is never so.
    fn team_mates(&self, one: SeatId, other: SeatId) -> bool {
        let team = |id| self.seat_of(id).and_then(|seat| seat.team.as_deref());
        team(one).is_some() && team(one) == team(other)
    }

    /// Returns true if the reader may see what a seat said earlier in this round.
    fn hears(&self, seat: SeatId) -> bool {
        match self.plan.view.this_round {
            ThisRound::Nothing => false,
            ThisRound::SoFar => true,
            ThisRound::OwnTeamSoFar => seat == self.seat || self.team_mates(seat, self.seat),
        }
    }

    /// Returns true if the reader may see what a seat said in earlier rounds.
    fn sees(&self, seat: SeatId) -> bool {
        match self.plan.view.earlier {
            EarlierRounds::Everyone => true,
            EarlierRounds::OtherTeams => seat == self.seat || !self.team_mates(seat, self.seat),
        }
    }

    /// Returns true if an answer of that round may be shown with a claim's id.
    /// New ids are dealt in seat order, so in an anonymous view they would reveal
    /// the seat; there they stand in the state alone.
    fn tells(&self, record: &RoundRecord, id: ClaimId) -> bool {
        !self.names.anonymous() || !record.new_claims.contains(&id)
    }

    /// The newest answer of a seat that the reader may see, from the last rounds.
    fn latest(&self, seat: SeatId) -> Option<(Round, &'a Turn)> {
        let now = self.room.round(self.round).filter(|_| self.heard.contains(&seat));
        let earlier = (1..=3).filter_map(|back| self.back(back)).filter(|_| self.sees(seat));
        now.into_iter().chain(earlier).find_map(|record| Some((record.number, record.turn(seat)?)))
    }

    fn write_summaries(&self, out: &mut ViewText<'_>, shown: &mut ViewContents) {
        if self.round > 4 {
            let last = self.round - 4;
            shown.left_out.push(match last {
                1 => "round 1 stands only in the state".to_owned(),
                _ => format!("rounds 1 to {last} stand only in the state"),
            });
        }
        for back in [3, 2] {
            if let Some(record) = self.back(back) {
                summary::write(self, record, out, shown);
            }
        }
    }

    /// The answers to be shown: of the previous round, then of this one.
    fn blocks(&self) -> Vec<RoundBlock<'a>> {
        let mut blocks = Vec::with_capacity(2);
        let mut rebut = self.rebutted();
        if let Some(record) = self.back(1) {
            let mut seats: Vec<SeatId> =
                record.waves.iter().flatten().copied().filter(|seat| self.sees(*seat)).collect();
            self.names.arrange(record.number, &mut seats);
            let before = rebut.filter(|(round, _)| *round == record.number);
            blocks.push(RoundBlock::prepare(self, record, &seats, before.map(|(_, seat)| seat)));
        }
        if let Some(record) = self.room.round(self.round).filter(|_| !self.heard.is_empty()) {
            let mut seats = self.heard.clone();
            self.names.arrange(record.number, &mut seats);
            rebut = rebut.filter(|(round, _)| *round == record.number);
            blocks.push(RoundBlock::prepare(self, record, &seats, rebut.map(|(_, seat)| seat)));
        }
        blocks
    }

    /// Returns the answer that came just before and is the one to rebut.
    fn rebutted(&self) -> Option<(Round, SeatId)> {
        if !self.plan.view.rebut_previous {
            return None;
        }
        let now = self.room.round(self.round);
        let heard = self.heard.iter().rev().copied();
        if let Some(seat) =
            heard.into_iter().find(|seat| now.is_some_and(|r| r.turn(*seat).is_some()))
        {
            return Some((self.round, seat));
        }
        let before = self.back(1)?;
        let spoke = |seat: &SeatId| before.turn(*seat).is_some() && self.sees(*seat);
        let last = before.waves.iter().flatten().copied().rfind(spoke)?;
        (last != self.seat).then_some((before.number, last))
    }

    fn write_state(&self, out: &mut ViewText<'_>, shown: &mut ViewContents) {
        let _ = writeln!(out, "# State of the debate before round {}", self.round);
        state::write(self, out, shown);
    }
}
