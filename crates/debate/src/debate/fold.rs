//! The fold: the change that each event makes to the room. Nothing here decides
//! anything.

use super::heard::MOST_AMBIGUOUS_RETRIES;
use super::{Debate, UnreadableAnswer, no_prompts};
use crate::ledger;
use crate::model::*;
use crate::sorting::SortRows;

/// An event that does not fit the state it met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventMisfit;

impl Debate {
    pub(super) fn apply(&mut self, event: Event) -> Result<(), EventMisfit> {
        let mut given_up = false;
        if let Some((ask, _)) = event.ends() {
            let was_sent = self.desk.sent.remove(&ask).is_some();
            self.desk.kept.remove(&ask);
            self.desk.steps.remove(&ask);
            self.desk.used.remove(&ask);
            self.desk.resting.remove(&ask);
            let times = self.desk.abandoned.remove(&ask);
            given_up = !was_sent && times.is_some_and(|times| times > MOST_AMBIGUOUS_RETRIES);
        }
        self.tell_behind(&event);
        self.fold(event)?;
        if given_up {
            // No call was made: each one before it is counted already.
            self.room.spent.calls = self.room.spent.calls.saturating_sub(1);
        }
        Ok(())
    }

    /// The verdict with its card, which logs of earlier versions lack.
    fn carded(&self, mut verdict: Verdict) -> Verdict {
        if verdict.card.decision.is_empty() {
            verdict.card = crate::analysis::card(&self.room, self.plan, &verdict);
        }
        verdict
    }

    fn fold(&mut self, event: Event) -> Result<(), EventMisfit> {
        match event {
            Event::Opened { .. } => return Err(EventMisfit),
            Event::Started => self.start(),
            Event::PerspectivesNamed { seats, bill } => {
                for (seat, perspective) in self.room.seats.iter_mut().zip(seats) {
                    seat.perspective = perspective;
                }
                self.desk.perspectives_settled = true;
                self.prompts = no_prompts(self.room.seats.len());
                self.room.spent.add(&bill);
            }
            Event::ClerkFailed { ask, why, bill } => self.clerk_failed(ask, why, &bill)?,
            Event::DepthChosen { chosen, seats, bill } => self.set_depth(chosen, seats, bill)?,
            Event::DomainNamed { domain, seats, bill } => self.set_domain(domain, seats, &bill)?,
            event @ (Event::SafetyTriggered { .. }
            | Event::Held { .. }
            | Event::Judged { .. }
            | Event::TextRefused { .. }
            | Event::SafetyRelaxed { .. }) => return self.apply_safety(event),
            Event::RoundOpened { round, kind, waves } => self.open_round(round, kind, waves)?,
            event @ (Event::Asked { .. }
            | Event::Kept { .. }
            | Event::Stepped { .. }
            | Event::Reserved { .. }
            | Event::Delayed { .. }
            | Event::Ambiguous { .. }) => self.on_its_way(event),
            event @ (Event::Unfinished { .. }
            | Event::ContextAsked { .. }
            | Event::ContextGiven { .. }) => return self.apply_context(event),
            Event::Worked { ask, reply } => self.worked_once(ask, *reply)?,
            event @ Event::Unreadable { .. } => self.unreadable(event)?,
            Event::Answered { ask, turn } => self.answered(ask, *turn)?,
            Event::Missed { ask, gap } => self.missed(ask, gap)?,
            Event::StandsRead { round, stands, bill } => {
                self.room.spent.add(&bill);
                self.record(round)?.stands = Some(Ok(*stands));
            }
            Event::Summarised { summary, bill } => {
                if let Some(bill) = bill {
                    self.room.spent.add(&bill);
                }
                let round = summary.round;
                self.record(round)?.summary = Some(summary);
            }
            Event::Analysed { round, analysis } => {
                self.record(round)?.analysis = Some(*analysis);
            }
            Event::RoundClosed { round } => self.close_round(round)?,
            Event::Remarked { remark } => {
                ledger::decide(&mut self.room.ledger, remark.round, &remark.text);
                let due = crate::safety::remark_triggers(&remark.text, remark.round);
                self.desk.due.extend(due);
                self.room.remarks.push(remark);
            }
            Event::Focused { focus, round } => {
                self.desk.due.extend(crate::safety::remark_triggers(&focus, round));
                self.room.focus = Some(focus);
            }
            Event::Dropped { dropped } => self.drop_seat(dropped)?,
            Event::Paused { reason } => self.room.status = Status::Paused { reason },
            Event::Ended { exit, verdict } => {
                self.room.status = Status::Completed { exit };
                self.room.verdict = Some(self.carded(*verdict));
            }
            Event::Synthesised { synthesis, bill, .. } => {
                self.room.spent.add(&bill);
                self.room.synthesis = Some(*synthesis);
            }
            Event::OutcomeDrafted { bill, .. } => self.drafted_once_more(&bill),
        }
        Ok(())
    }

    /// Notes news about calls that have not ended yet.
    fn on_its_way(&mut self, event: Event) {
        match event {
            Event::Asked { intents } => {
                let sent = intents.into_iter().map(|intent| (intent.ask, intent.reserved));
                self.desk.sent.extend(sent);
            }
            Event::Kept { ask, kept } => {
                self.desk.kept.insert(ask, kept);
            }
            Event::Stepped { ask, step } => {
                // The stored answer was the answer to this step, which is here
                // now.
                self.desk.kept.remove(&ask);
                self.desk.steps.entry(ask).or_default().push(*step);
            }
            Event::Reserved { ask, reserved, used, rests } => {
                self.desk.sent.insert(ask, Some(reserved));
                self.desk.used.insert(ask, used);
                if rests {
                    self.desk.resting.insert(ask);
                } else {
                    self.desk.resting.remove(&ask);
                }
            }
            Event::Ambiguous { intents } => self.abandon(intents),
            // A delay is only shown; no other state depends on it.
            _ => {}
        }
    }

    fn close_round(&mut self, round: Round) -> Result<(), EventMisfit> {
        if self.round_now() == round {
            let contested = self.room.ledger.with_status(ClaimStatus::Contested);
            let contested = contested.map(|claim| claim.id).collect();
            self.record(round)?.contested = contested;
        }
        self.record(round)?.closed = true;
        self.count_clean(round);
        // The rounds before a fork were paid for by the debate it left.
        let earlier = self.room.brief.after.as_ref();
        if earlier.and_then(|it| it.shared_rounds()) == Some(round) {
            self.room.spent = Tally::default();
        }
        Ok(())
    }

    fn drafted_once_more(&mut self, bill: &Bill) {
        self.room.spent.add(bill);
        self.desk.drafts += 1;
    }

    fn start(&mut self) {
        // A round that failed for lack of answers is asked again from where it
        // failed.
        let lost =
            matches!(self.room.status, Status::Paused { reason: PauseReason::QuorumLost { .. } });
        if lost && let Some(record) = self.room.rounds.last_mut() {
            // A seat that was dropped is asked no more.
            record.gaps.retain(|gap| self.room.dropped.iter().any(|one| one.seat == gap.seat));
            let settled = |s: &SeatId| record.turn(*s).is_some() || record.gap(*s).is_some();
            let answered = |wave: &&Vec<SeatId>| wave.iter().all(settled);
            self.desk.waves_entered = record.waves.iter().take_while(answered).count();
        }
        if lost {
            self.desk.abandoned.clear();
        }
        self.room.status = Status::Active;
    }

    fn unreadable(&mut self, event: Event) -> Result<(), EventMisfit> {
        let Event::Unreadable {
            ask,
            problem,
            raw,
            working,
            missing,
            model,
            bill,
            requests,
            tool_calls,
            sources,
            searches,
        } = event
        else {
            return Err(EventMisfit);
        };
        let seat = ask.party.seat().ok_or(EventMisfit)?;
        let usable_as_is = !self.pay(seat, &bill);
        self.desk.paid_before.entry(seat).or_default().push(bill);
        // The tool calls of the working were counted with it.
        let before = self.desk.workings.remove(&seat).map_or(0, |first| first.tool_calls.len());
        self.room.searches.add(tool_calls.get(before..).unwrap_or(&[]), searches);
        let first = UnreadableAnswer {
            raw,
            working,
            missing,
            problem,
            model,
            tool_calls,
            sources,
            usable_as_is,
        };
        self.desk.unreadable.insert(seat, first);
        self.note_wanted(ask, requests);
        Ok(())
    }

    /// Keeps the working of a turn until its record comes.
    fn worked_once(&mut self, ask: AskId, reply: Reply) -> Result<(), EventMisfit> {
        let seat = ask.party.seat().ok_or(EventMisfit)?;
        let wanted = self.asked_beside(&ask, &reply);
        self.room.spent.add(&reply.bill);
        self.room.searches.add(&reply.tool_calls, reply.searches);
        self.desk.paid_before.entry(seat).or_default().push(reply.bill);
        self.desk.workings.insert(seat, reply);
        self.note_wanted(ask, wanted);
        Ok(())
    }

    fn abandon(&mut self, intents: Vec<Intent>) {
        for intent in intents {
            self.desk.sent.remove(&intent.ask);
            self.desk.kept.remove(&intent.ask);
            self.desk.used.remove(&intent.ask);
            self.desk.resting.remove(&intent.ask);
            // A call that costs nothing may be made as often as it takes.
            if intent.reserved != Some(MicroUsd::ZERO) {
                *self.desk.abandoned.entry(intent.ask).or_default() += 1;
            }
            self.room.spent.calls += 1;
            self.room.spent.ambiguous_calls += 1;
            self.room.spent.possibly_billed += intent.reserved.unwrap_or_default();
        }
    }

    fn clerk_failed(&mut self, ask: AskId, why: String, bill: &Bill) -> Result<(), EventMisfit> {
        self.room.spent.add(bill);
        match ask.task {
            Task::Perspectives => self.desk.perspectives_settled = true,
            Task::Consensus => self.record(ask.round)?.stands = Some(Err(why)),
            Task::Summary => {
                // Of a round behind, the state that was kept of it is told.
                self.desk.summary_failed |= self.round_now() == ask.round;
            }
            Task::Complexity => self.desk.rating_settled = true,
            Task::Domain => self.desk.domain_settled = true,
            Task::Safety | Task::Recheck => {
                let seat = ask.about.ok_or(EventMisfit)?;
                self.desk.held.get_mut(&seat).ok_or(EventMisfit)?.given_up = true;
                let unjudged = &mut self.room.safety.unjudged;
                unjudged.push(UnjudgedAnswer { round: ask.round, seat, why });
                unjudged.sort_rows_by_key(|one| (one.round, one.seat));
            }
            Task::Draft => self.desk.drafts += 1,
            Task::Speak | Task::Record | Task::Repair | Task::Synthesis => {}
        }
        Ok(())
    }

    /// Sets the table again with the chosen depth, so only before any seat has
    /// spoken.
    fn set_depth(
        &mut self,
        chosen: ChosenDepth,
        seats: Vec<Seat>,
        bill: Option<Bill>,
    ) -> Result<(), EventMisfit> {
        self.seats_fit(&seats)?;
        if let Some(bill) = bill {
            self.room.spent.add(&bill);
        }
        self.room.brief.depth = chosen.depth;
        self.room.brief.rounds = chosen.rounds;
        self.prompts = no_prompts(seats.len());
        self.room.seats = seats;
        self.room.depth = Some(chosen);
        Ok(())
    }

    /// Checks that the table can be set again: only before the first round.
    fn seats_fit(&self, seats: &[Seat]) -> Result<(), EventMisfit> {
        let fits = seats.iter().enumerate().all(|(place, seat)| {
            seat.id.index() == place && seat.agent < self.room.brief.agents.len()
        });
        if self.room.rounds.is_empty() && fits { Ok(()) } else { Err(EventMisfit) }
    }

    fn set_domain(
        &mut self,
        domain: String,
        seats: Vec<Seat>,
        bill: &Bill,
    ) -> Result<(), EventMisfit> {
        self.seats_fit(&seats)?;
        self.room.spent.add(bill);
        self.room.brief = self.room.brief.clone().in_domain(domain);
        self.prompts = no_prompts(seats.len());
        self.room.seats = seats;
        Ok(())
    }

    /// Counts what an answer cost, and returns whether it was held back before:
    /// then its cost was counted when it came in.
    fn pay(&mut self, seat: SeatId, bill: &Bill) -> bool {
        let was_held = self.desk.held.remove(&seat).is_some();
        // Nobody is billed for what a person says.
        if !was_held && !self.room.is_person(seat) {
            self.room.spent.add(bill);
        }
        was_held
    }

    fn open_round(
        &mut self,
        round: Round,
        kind: RoundKind,
        waves: Vec<Vec<SeatId>>,
    ) -> Result<(), EventMisfit> {
        if round as usize != self.room.rounds.len() + 1 {
            return Err(EventMisfit);
        }
        let seats = self.room.seats.len();
        if waves.iter().flatten().any(|seat| seat.index() >= seats) {
            return Err(EventMisfit);
        }
        self.leave_behind();
        self.room.rounds.push(RoundRecord {
            number: round,
            kind,
            waves,
            turns: vec![None; seats],
            gaps: Vec::new(),
            touched: vec![TouchedClaims::default(); seats],
            new_claims: Vec::new(),
            new_evidence: Vec::new(),
            contested: Vec::new(),
            summary: None,
            stands: None,
            analysis: None,
            closed: false,
        });
        self.desk.requests.new_round();
        self.desk.summary_failed = false;
        self.desk.waves_entered = 0;
        self.desk.watch = self.room.safety.watch;
        Ok(())
    }

    fn answered(&mut self, ask: AskId, mut turn: Turn) -> Result<(), EventMisfit> {
        let seat = ask.party.seat().ok_or(EventMisfit)?;
        turn.earlier = self.desk.paid_before.remove(&seat).unwrap_or_default();
        let first = self.desk.unreadable.remove(&seat).map(|first| first.tool_calls);
        let worked = self.desk.workings.remove(&seat).map(|first| first.tool_calls);
        self.pay(seat, &turn.bill);
        self.settle_turn(seat, || GivenContext::Answered { text: turn.raw.clone() });
        // A repaired turn shows the tool calls of its first answer, which are
        // counted already.
        let before = first.or(worked).map_or(0, |first| first.len()).min(turn.tool_calls.len());
        self.room.searches.add(&turn.tool_calls[before..], turn.searches);
        self.note_wanted(ask, turn.requests.clone());
        let record = self.record(ask.round)?;
        *record.turns.get_mut(seat.index()).ok_or(EventMisfit)? = Some(turn);
        self.enter_settled_waves();
        Ok(())
    }

    fn missed(&mut self, ask: AskId, gap: Gap) -> Result<(), EventMisfit> {
        self.desk.unreadable.remove(&gap.seat);
        self.desk.workings.remove(&gap.seat);
        self.desk.paid_before.remove(&gap.seat);
        self.pay(gap.seat, &gap.bill);
        self.settle_turn(gap.seat, || GivenContext::Declined);
        let record = self.record(ask.round)?;
        record.gaps.push(gap);
        record.gaps.sort_rows_by_key(|gap| gap.seat);
        self.enter_settled_waves();
        Ok(())
    }

    /// Enters the turns of every wave that has just been completed, in seat
    /// order, so that the order of arrival changes nothing.
    pub(super) fn enter_settled_waves(&mut self) {
        let Some(record) = self.room.rounds.last_mut() else { return };
        while let Some(wave) = record.waves.get(self.desk.waves_entered) {
            let settled =
                wave.iter().all(|seat| record.turn(*seat).is_some() || record.gap(*seat).is_some());
            if !settled {
                return;
            }
            for seat in wave.clone() {
                let fresh = record.touched[seat.index()] == TouchedClaims::default();
                let Some(turn) = record.turns[seat.index()].as_ref().filter(|_| fresh) else {
                    continue;
                };
                let entered = self.desk.index.enter(&mut self.room.ledger, turn);
                record.touched[seat.index()] = entered.touched;
                record.new_claims.extend(entered.new_claims);
                record.new_evidence.extend(entered.new_evidence);
            }
            let weights = self.room.brief.evidence_weights();
            ledger::weigh(&mut self.room.ledger, &|kind| weights.of(kind));
            self.desk.waves_entered += 1;
            self.desk.watch = self.room.safety.watch;
        }
    }

    fn record(&mut self, round: Round) -> Result<&mut RoundRecord, EventMisfit> {
        let index = (round as usize).checked_sub(1).ok_or(EventMisfit)?;
        self.room.rounds.get_mut(index).ok_or(EventMisfit)
    }
}
