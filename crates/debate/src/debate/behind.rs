//! A round that the clerk still reads while the next one is held. The machine keeps
//! the debate as it stood when the round's last answer was in; the clerk's asks, its
//! readings and the round's analysis are made from that, so that the order in which
//! the clerk and the next round answer changes nothing.

use std::sync::Arc;

use super::Debate;
use super::follow::QUORUM;
use crate::analysis;
use crate::model::*;

impl Debate {
    /// Returns true if the next round opens before the clerk has read this one: no
    /// exit, no round of objections and no view of the next round depends on it.
    pub(super) fn goes_on_beside(&self, record: &RoundRecord) -> bool {
        let brief = &self.room.brief;
        let asks_clerk = self.wants_summary(record) || self.wants_stands(record);
        asks_clerk
            && self.desk.behind.is_none()
            && record.kind == RoundKind::Planned
            && record.number < self.planned_rounds()
            && record.answered().count() >= QUORUM
            && brief.effort != DebateEffort::Vote
            && self.room.sample_rounds().next().is_none()
            && self.room.safety.watch == SafetyWatch::Off
            && !self.plan.view.statistics
            && self.plan.extended.is_none()
            && !brief.flags.exit_criteria.enabled
            && !analysis::may_call_for_objections(&self.room, self.plan, record.number)
    }

    /// Keeps the debate as it stands if its last round is not closed yet. Views show
    /// which claims were contested at the end of a round, so that is settled now.
    pub(super) fn leave_behind(&mut self) {
        if self.room.current().is_none_or(|record| record.closed) {
            return;
        }
        let behind = self.clone();
        if let Some(record) = self.room.rounds.last_mut() {
            record.contested = self
                .room
                .ledger
                .with_status(ClaimStatus::Contested)
                .map(|claim| claim.id)
                .collect();
        }
        self.desk.behind = Some(Arc::new(behind));
    }

    /// Takes an event about the round behind in, and forgets that round when it is
    /// closed. Events about the round that is held now are none of its business.
    pub(super) fn tell_behind(&mut self, event: &Event) {
        let about = match event {
            Event::StandsRead { round, .. }
            | Event::Analysed { round, .. }
            | Event::RoundClosed { round } => *round,
            Event::Summarised { summary, .. } => summary.round,
            Event::ClerkFailed { ask, .. } => ask.round,
            _ => return,
        };
        let Some(behind) = self.desk.behind.as_mut().filter(|one| one.round_now() == about) else {
            return;
        };
        if let Event::RoundClosed { .. } = event {
            self.desk.behind = None;
            return;
        }
        // An event that does not fit is refused by the debate itself.
        let _ = Arc::make_mut(behind).apply(event.clone());
    }

    /// Returns the state that an ask about a round is made from and read with.
    pub(super) fn as_of(&self, ask: &AskId) -> &Debate {
        let reads = matches!(ask.task, Task::Summary | Task::Consensus);
        match self.desk.behind.as_deref() {
            Some(behind) if reads && behind.round_now() == ask.round => behind,
            _ => self,
        }
    }

    /// Returns the oldest state with a round that is not closed.
    pub(super) fn oldest_open(&self) -> &Debate {
        self.desk.behind.as_deref().unwrap_or(self)
    }

    /// Returns the room for a verdict. A round that the clerk was still reading counts
    /// without its reading.
    pub(super) fn judged_room(&self) -> Option<Room> {
        let behind = self.desk.behind.as_deref()?;
        let record = behind.room.current()?;
        let unread = Err("the debate ended before the texts were compared".to_owned());
        let found = behind.analysis_of(record, unread);
        let mut room = self.room.clone();
        room.rounds.get_mut(record.number as usize - 1)?.analysis = Some(found);
        Some(room)
    }
}
