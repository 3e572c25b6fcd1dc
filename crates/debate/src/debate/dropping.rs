//! A seat that a person drops from a running debate. It is asked no more; its answers
//! so far stay, and a turn that was still awaited becomes a gap.

use serde::{Deserialize, Serialize};

use super::fold::EventMisfit;
use super::{Debate, LifecycleCommand};
use crate::model::*;
use crate::sorting::SortRows;

/// The seats that must remain when one is dropped: a round needs as many answers.
const FEWEST: usize = 2;

/// The reasons why a seat cannot be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DropFault {
    NoSuchSeat,
    /// It was dropped before.
    Gone,
    /// Fewer than two seats would remain.
    TooFew,
}

impl Debate {
    /// Returns whether a seat can be dropped, apart from the debate's status.
    pub fn may_drop(&self, seat: SeatId) -> Result<(), DropFault> {
        if seat.index() >= self.room.seats.len() {
            return Err(DropFault::NoSuchSeat);
        }
        if self.room.is_dropped(seat) {
            return Err(DropFault::Gone);
        }
        let left = self.room.seats.len() - self.room.dropped.len();
        if left > FEWEST { Ok(()) } else { Err(DropFault::TooFew) }
    }

    /// The calls on their way that are made for a seat: its own, and those that judge it.
    pub fn sent_for(&self, seat: SeatId) -> Vec<AskId> {
        let about = |ask: &&AskId| ask.party.seat() == Some(seat) || ask.about == Some(seat);
        self.desk.sent.keys().filter(about).copied().collect()
    }

    pub(super) fn dropping(&self, seat: SeatId) -> Option<Event> {
        self.may(LifecycleCommand::Remark).ok()?;
        self.may_drop(seat).ok()?;
        let agent = self.room.seats.get(seat.index())?.name.clone();
        let round = self.room.current().map_or(0, |record| record.number);
        Some(Event::Dropped { dropped: DroppedSeat { seat, agent, round } })
    }

    pub(super) fn drop_seat(&mut self, dropped: DroppedSeat) -> Result<(), EventMisfit> {
        let seat = dropped.seat;
        self.may_drop(seat).map_err(|_| EventMisfit)?;
        self.desk.unreadable.remove(&seat);
        self.desk.workings.remove(&seat);
        self.desk.paid_before.remove(&seat);
        self.desk.held.remove(&seat);
        self.desk.abandoned.retain(|ask, _| ask.party.seat() != Some(seat));
        self.desk.requests.forget(seat);
        for request in self.room.context.iter_mut().filter(|one| one.seat == seat && one.is_open())
        {
            request.given = Some(GivenContext::Declined);
        }
        if let Some(record) = self.room.rounds.last_mut().filter(|record| !record.closed)
            && let Some(wave) = record.waves.iter().position(|wave| wave.contains(&seat))
            && record.turn(seat).is_none()
            && record.gap(seat).is_none()
        {
            record.gaps.push(Gap {
                seat,
                agent: dropped.agent.clone(),
                round: record.number,
                wave: u32::try_from(wave).unwrap_or(u32::MAX).saturating_add(1),
                class: FailureClass::Cancelled,
                message: "it was dropped from the debate".into(),
                tries: 0,
                // Nothing was asked; what was on its way is counted as possibly billed.
                bill: Bill { cost: Some(MicroUsd::ZERO), ..Bill::default() },
            });
            record.gaps.sort_rows_by_key(|gap| gap.seat);
        }
        self.room.dropped.push(dropped);
        self.enter_settled_waves();
        Ok(())
    }

    /// The waves of a new round without the seats that were dropped.
    pub(super) fn without_dropped(&self, mut waves: Vec<Vec<SeatId>>) -> Vec<Vec<SeatId>> {
        if self.room.dropped.is_empty() {
            return waves;
        }
        for wave in &mut waves {
            wave.retain(|seat| !self.room.is_dropped(*seat));
        }
        waves.retain(|wave| !wave.is_empty());
        waves
    }
}
