//! Turns each message into the one event that records it. A paid answer is
//! recorded whenever it arrives; an answer that is not awaited changes nothing.

use super::{Debate, LifecycleCommand};
use crate::model::*;
use crate::prompts::RoundPhase;
use crate::reading::{self, ExpectedAnswer, Reading, RepairChance};

/// The number of times an ask that may have been billed already is asked again.
pub(super) const MOST_AMBIGUOUS_RETRIES: u32 = 2;

impl Debate {
    pub(super) fn digest(&self, heard: Input) -> Option<Event> {
        match heard {
            Input::Go => self.may(LifecycleCommand::Go).ok().map(|()| Event::Started),
            Input::Pause(reason) => {
                self.may(LifecycleCommand::Pause).ok().map(|()| Event::Paused { reason })
            }
            Input::Stop => {
                self.may(LifecycleCommand::Stop).ok()?;
                Some(self.ending(Exit {
                    rule: "stopped".into(),
                    details: "a person stopped the debate".into(),
                }))
            }
            Input::Remark(text) => {
                self.may(LifecycleCommand::Remark).ok()?;
                if let Some(refused) = self.refused("remark", &text) {
                    return Some(refused);
                }
                Some(Event::Remarked { remark: Remark { round: self.round_now(), text } })
            }
            Input::Focus(focus) => {
                self.may(LifecycleCommand::Remark).ok()?;
                if let Some(refused) = self.refused("focus", &focus) {
                    return Some(refused);
                }
                Some(Event::Focused { round: self.round_now(), focus })
            }
            Input::Drop(seat) => self.dropping(seat),
            Input::ContextGiven { request, given } => {
                self.may(LifecycleCommand::Answer).ok()?;
                self.context_given(request, given)
            }
            Input::Sending(intents) => {
                let intents: Vec<Intent> =
                    intents.into_iter().filter(|intent| self.awaits(&intent.ask)).collect();
                (!intents.is_empty()).then_some(Event::Asked { intents })
            }
            Input::GaveUp { fetch_kept } => {
                self.given_over(|ask| !fetch_kept || !self.can_go_on(ask))
            }
            Input::Lost { ask } => self.given_over(|sent| *sent == ask),
            Input::Kept { ask, kept } => {
                let news = self.desk.kept.get(&ask) != Some(&kept);
                (news && self.desk.sent.contains_key(&ask)).then_some(Event::Kept { ask, kept })
            }
            Input::Stepped { ask, step } => {
                self.desk.sent.contains_key(&ask).then_some(Event::Stepped { ask, step })
            }
            Input::Reserving { ask, reserved, used, rests } => {
                let on_its_way = self.desk.sent.contains_key(&ask);
                on_its_way.then_some(Event::Reserved { ask, reserved, used, rests })
            }
            Input::Delayed { ask, why, wait_ms } => {
                let on_its_way = self.desk.sent.contains_key(&ask);
                on_its_way.then_some(Event::Delayed { ask, why, wait_ms })
            }
            Input::Replied { ask, reply } => {
                self.awaits(&ask).then(|| self.replied(ask, *reply)).flatten()
            }
            Input::Failed { ask, failure } => {
                self.awaits(&ask).then(|| self.failed(ask, failure)).flatten()
            }
            Input::Compared(compared) => self.compared(Ok(compared)),
            Input::NotCompared { reason } => self.compared(Err(reason)),
        }
    }

    /// Gives up calls on their way that are no longer awaited. After the end this
    /// can only be a call for the synthesis.
    fn given_over(&self, which: impl Fn(&AskId) -> bool) -> Option<Event> {
        let sent = self.desk.sent.iter().filter(|(ask, _)| which(ask));
        let sent = sent.filter(|(ask, _)| !self.room.status.is_over() || self.awaits(ask));
        let intents: Vec<Intent> = sent.map(|(ask, _)| self.unsettled(ask)).collect();
        (!intents.is_empty()).then_some(Event::Ambiguous { intents })
    }

    /// Returns a call on its way with the most it may have cost beyond its
    /// finished steps, which the answer's bill will include.
    fn unsettled(&self, ask: &AskId) -> Intent {
        let steps = self.desk.steps.get(ask).into_iter().flatten();
        let paid: MicroUsd = steps.filter_map(|step| step.bill.cost).sum();
        let reserved = self.desk.sent.get(ask).copied().flatten();
        let reserved = reserved.map(|all| MicroUsd(all.0.saturating_sub(paid.0)));
        Intent { ask: *ask, reserved }
    }

    /// Returns the event that would record this input. Nothing changes until the
    /// machine hears it.
    pub fn preview(&self, input: Input) -> Option<Event> {
        self.digest(input)
    }

    /// Returns the end of an ask that was given up too often: each time it may
    /// have been paid for, so it is not repeated for ever.
    pub(super) fn given_up(&self) -> Option<Event> {
        let ask = self.open_asks().into_iter().find(|ask| {
            self.desk.abandoned.get(ask).is_some_and(|times| *times > MOST_AMBIGUOUS_RETRIES)
        })?;
        let tries = MOST_AMBIGUOUS_RETRIES + 1;
        self.failed(
            ask,
            Failure {
                class: FailureClass::Unreachable,
                message: format!(
                    "the program ended {tries} times while this call was in flight; each time it \
                     may have been billed, so it is not made again"
                ),
                tries,
                // The amount it may have cost is recorded as possibly billed.
                bill: Bill { cost: Some(MicroUsd::ZERO), ..Bill::default() },
            },
        )
    }

    pub(super) fn round_now(&self) -> Round {
        self.room.current().map_or(1, |record| record.number)
    }

    /// Returns true if the debate waits for this ask.
    fn awaits(&self, ask: &AskId) -> bool {
        if self.room.status.is_over() {
            [self.synthesis_id(), self.draft_id()].contains(&Some(*ask))
        } else {
            self.open_asks().contains(ask)
        }
    }

    fn compared(&self, compared: Result<TextSimilarities, String>) -> Option<Event> {
        let oldest = self.oldest_open();
        let record = oldest.room.current()?;
        let waiting = !self.room.status.is_over()
            && oldest.wants_similarities(record)
            && oldest.outstanding_wave(record).is_none()
            && !record.closed
            && record.analysis.is_none()
            && record.summary.is_some();
        waiting.then(|| oldest.analysed(record, compared))
    }

    fn replied(&self, ask: AskId, reply: Reply) -> Option<Event> {
        if let Some(unfinished) = self.unfinished(ask, &reply) {
            return Some(unfinished);
        }
        match ask.task {
            Task::Speak => Some(self.guarded(self.spoken(ask, reply))),
            Task::Record => Some(self.guarded(self.recorded(ask, reply))),
            Task::Repair => Some(self.guarded(self.mended(ask, reply))),
            Task::Perspectives => Some(self.perspectives_named(ask, &reply)),
            Task::Summary => Some(self.as_of(&ask).summed_up(ask, &reply)),
            Task::Consensus => Some(self.as_of(&ask).stands_read(ask, &reply)),
            Task::Complexity => Some(self.rated(ask, &reply)),
            Task::Domain => Some(self.domain_named(ask, &reply)),
            Task::Safety | Task::Recheck => Some(self.judged(ask, &reply)),
            Task::Synthesis => Some(self.synthesised(ask, &reply)),
            Task::Draft => Some(self.drafted(ask, &reply)),
        }
    }

    fn spoken(&self, ask: AskId, reply: Reply) -> Event {
        if self.style_of(&ask).parts != AnswerParts::Form {
            return self.worked(ask, reply);
        }
        let reading = self.read(&ask, &reply.text, &reply.sources, RepairChance::First);
        match reading.problem {
            Some(problem) => Event::Unreadable {
                ask,
                problem: problem.text,
                requests: self.asked_beside(&ask, &reply),
                raw: reply.text,
                working: String::new(),
                missing: Vec::new(),
                model: reply.model,
                bill: reply.bill,
                tool_calls: reply.tool_calls,
                sources: reply.sources,
                searches: reply.searches,
            },
            None => self.turn(ask, reading, reply, false),
        }
    }

    fn mended(&self, ask: AskId, reply: Reply) -> Event {
        let reply = self.with_first(&ask, reply);
        let first = ask.party.seat().and_then(|seat| self.desk.unreadable.get(&seat));
        if let Some(first) = first.filter(|_| self.style_of(&ask).parts != AnswerParts::Form)
            && !reading::is_blank(&reply.text)
        {
            return self.completed(ask, reply, first);
        }
        if !reading::is_blank(&reply.text) {
            let reading = self.read(&ask, &reply.text, &reply.sources, RepairChance::Last);
            return self.turn(ask, reading, reply, true);
        }
        let failure = Failure {
            class: FailureClass::Unusable,
            message: "the repaired answer came back empty".into(),
            tries: reply.tries,
            bill: reply.bill,
        };
        self.fall_back(ask, failure)
    }

    /// Returns the repair together with the sources of its first answer. If both
    /// gave a number to a source, the repair's counts.
    fn with_first(&self, ask: &AskId, mut reply: Reply) -> Reply {
        let first = ask.party.seat().and_then(|seat| self.desk.unreadable.get(&seat));
        let Some(first) = first else { return reply };
        reply.tool_calls.splice(0..0, first.tool_calls.iter().cloned());
        let taken: Vec<u32> = reply.sources.iter().map(|source| source.number).collect();
        let free = first.sources.iter().filter(|source| !taken.contains(&source.number));
        reply.sources.extend(free.cloned());
        reply
    }

    /// Handles a repair that brought nothing. The first answer was paid for, so
    /// its readable part is kept; if it was empty too, the seat leaves a gap.
    fn fall_back(&self, ask: AskId, failure: Failure) -> Event {
        let first = ask.party.seat().and_then(|seat| self.desk.unreadable.get(&seat));
        if let Some(first) = first.filter(|first| !first.usable_as_is) {
            let message = format!("{} No better answer came.", first.problem);
            return self.gap(ask, Failure { class: FailureClass::Blocked, message, ..failure });
        }
        if let Some(first) = first.filter(|first| !reading::is_blank(&first.working)) {
            let reply =
                Reply { model: first.model.clone(), bill: failure.bill, ..Reply::default() };
            return self.completed(ask, self.with_first(&ask, reply), first);
        }
        match first.filter(|first| !reading::is_blank(&first.raw)) {
            Some(first) => {
                let reply = Reply {
                    text: first.raw.clone(),
                    model: first.model.clone(),
                    bill: failure.bill,
                    ..Reply::default()
                };
                let reply = self.with_first(&ask, reply);
                let reading = self.read(&ask, &reply.text, &reply.sources, RepairChance::Last);
                self.turn(ask, reading, reply, false)
            }
            None => self.gap(ask, failure),
        }
    }

    fn failed(&self, ask: AskId, failure: Failure) -> Option<Event> {
        Some(match (ask.party, ask.task) {
            (Party::Clerk, _) => {
                Event::ClerkFailed { ask, why: failure.message, bill: failure.bill }
            }
            (Party::Seat(_), Task::Repair) => self.guarded(self.fall_back(ask, failure)),
            (Party::Seat(_), Task::Record) => self.guarded(self.unrecorded(ask, failure)),
            (Party::Seat(_), _) => self.gap(ask, failure),
        })
    }

    fn read(&self, ask: &AskId, raw: &str, sources: &[Citation], chance: RepairChance) -> Reading {
        reading::read(raw, &self.expected(ask, sources), chance)
    }

    pub(super) fn expected<'a>(
        &'a self,
        ask: &AskId,
        sources: &'a [Citation],
    ) -> ExpectedAnswer<'a> {
        let seat = ask.party.seat().and_then(|seat| self.room.seats.get(seat.index()));
        let later = self.phase(ask.round) != RoundPhase::First;
        ExpectedAnswer {
            round: ask.round,
            stance: seat.and_then(|seat| seat.stance),
            vote: later,
            critiques: later && self.plan.critiques,
            ruling: seat.is_some_and(|seat| self.plan.decides(&seat.role)),
            question: &self.room.brief.question,
            evidence: self.room.brief.needs_evidence(),
            known_claims: self.room.ledger.claims.len(),
            sources,
        }
    }

    pub(super) fn turn(&self, ask: AskId, reading: Reading, reply: Reply, repaired: bool) -> Event {
        let Some(seat) = ask.party.seat().and_then(|seat| self.room.seats.get(seat.index())) else {
            return self.gap(ask, Failure::unusable("an answer for a seat that does not exist"));
        };
        // A sealed answer follows on nothing, not even on the seat's own before.
        let first = self.phase(ask.round) == RoundPhase::First;
        let previous = self.room.previous_turn(seat.id, ask.round).filter(|_| !first);
        let confidence_change = previous.and_then(|previous| {
            Some(ConfidenceChange {
                delta: reading.answer.confidence? - previous.answer.confidence?,
                previous_round: previous.round,
                reason: reading.answer.confidence_reason.clone(),
            })
        });
        let requests = self.asked_beside(&ask, &reply);
        let perspective = seat.perspective.as_ref().map(|p| p.name.clone());
        let alignment =
            seat.team.clone().or_else(|| perspective.clone()).unwrap_or_else(|| seat.role.clone());
        let raw = if reading.answer.unstructured { String::new() } else { reply.text };
        let mut notes = reading.notes;
        if reply.fallback {
            // Another model is another speaker, and readers must see that.
            let text = format!("{} answered in place of the seated model.", reply.model);
            notes.push(TurnNote { check: "model".into(), text });
        }
        let turn = Turn {
            seat: seat.id,
            agent: seat.name.clone(),
            model: reply.model,
            round: ask.round,
            wave: ask.wave,
            role: seat.role.clone(),
            perspective,
            anchor: seat.anchor,
            debate_alignment: alignment,
            answer: reading.answer,
            confidence_change,
            tool_calls: reply.tool_calls,
            sources: reply.sources,
            searches: reply.searches,
            requests,
            bill: reply.bill,
            earlier: Vec::new(),
            notes,
            repaired,
            stance_forced: reading.stance_forced,
            cut_off: reply.finish == Finish::CutOff,
            raw,
        };
        Event::Answered { ask, turn: Box::new(turn) }
    }

    pub(super) fn gap(&self, ask: AskId, failure: Failure) -> Event {
        let seat = ask.party.seat().unwrap_or(SeatId(0));
        let agent = self.room.seats.get(seat.index()).map_or_else(String::new, |s| s.name.clone());
        let gap = Gap {
            seat,
            agent,
            round: ask.round,
            wave: ask.wave,
            class: failure.class,
            message: failure.message,
            tries: failure.tries,
            bill: failure.bill,
        };
        Event::Missed { ask, gap }
    }
}
