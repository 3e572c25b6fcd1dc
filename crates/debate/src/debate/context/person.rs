//! The seat of a person. They are asked by a request to the caller, before anybody else of
//! their wave is, so that they are sealed like every seat; what they write becomes an answer
//! like any other. They may pass.

use crate::debate::Debate;
use crate::model::*;
use crate::reading;

/// A person is not billed.
const FREE: Bill = Bill {
    usage: Usage { input: None, cached: None, written: None, output: None, reasoning: None },
    cost: Some(MicroUsd::ZERO),
    latency_ms: 0,
};

impl Debate {
    /// Returns the person's seat that the current wave still waits for. Nobody else is asked
    /// until they have answered or passed.
    pub(in crate::debate) fn person_awaited(&self) -> Option<SeatId> {
        let record = self.room.current().filter(|record| !record.closed)?;
        let wave = record.waves.get(self.outstanding_wave(record)?)?;
        let waits = |seat: &&SeatId| {
            self.room.is_person(**seat)
                && record.turn(**seat).is_none()
                && record.gap(**seat).is_none()
        };
        wave.iter().find(waits).copied()
    }

    /// Returns the request to a person whose turn it is and who was not asked yet.
    pub(in crate::debate) fn turn_of_person(&self) -> Option<Event> {
        let seat = self.person_awaited().filter(|seat| !self.waits(*seat))?;
        let (place, round) = (self.room.seat(seat), self.round_now());
        let total = self.planned_rounds().max(round);
        let wanted = match &self.room.brief.question {
            Question::Open => "What is your answer, and why?".to_owned(),
            Question::YesNo => "Is it yes or no, and why?".into(),
            Question::Options { options } => {
                format!("Which of these is it, and why: {}?", options.join(", "))
            }
            Question::Number { unit: Some(unit) } => format!("Which number of {unit}, and why?"),
            Question::Number { unit: None } => "Which number, and why?".into(),
            Question::Probability => "How probable is it, in per cent, and why?".into(),
        };
        let role = match &place.perspective {
            Some(perspective) => &perspective.name,
            None => &place.role,
        };
        let roles = self.room.seats.iter().any(|other| other.role != place.role);
        let given_role = (roles || place.perspective.is_some())
            .then(|| format!(" You sit here as: {}.", role.replace(['-', '_'], " ")));
        let request = ContextRequest {
            id: ContextId::from_index(self.room.context.len()),
            round,
            seat,
            agent: place.name.clone(),
            question: format!(
                "It is your turn in round {round} of {total}.{} {wanted}",
                given_role.unwrap_or_default()
            ),
            why: "The others answer after you, without seeing your answer before they have \
                  given theirs."
                .into(),
            priority: Priority::Required,
            is_turn: true,
            given: None,
        };
        Some(Event::ContextAsked { requests: vec![request] })
    }

    /// Returns the answer of a person, or the gap of one who passes.
    pub(in crate::debate) fn person_spoke(
        &self,
        asked: &ContextRequest,
        given: &GivenContext,
    ) -> Event {
        let (round, seat) = (asked.round, asked.seat);
        let waves = self.room.round(round).map(|record| &record.waves);
        let wave = waves.and_then(|waves| waves.iter().position(|wave| wave.contains(&seat)));
        let wave = wave.unwrap_or_default() as u32 + 1;
        let ask = AskId { round, wave, party: Party::Seat(seat), task: Task::Speak, about: None };
        match given {
            GivenContext::Answered { text } => {
                let reading = reading::read_person(text, &self.expected(&ask, &[]));
                let model = PERSON_MODEL.to_owned();
                let reply = Reply { text: text.clone(), model, bill: FREE, ..Reply::default() };
                self.turn(ask, reading, reply, false)
            }
            GivenContext::Declined => {
                let message = "no answer in this round".into();
                let class = FailureClass::Passed;
                self.gap(ask, Failure { class, message, tries: 0, bill: FREE })
            }
        }
    }

    /// Returns true if a person's answer can be counted: an open question takes any words.
    pub fn is_countable(&self, asked: &ContextRequest, text: &str) -> bool {
        let Event::Answered { turn, .. } =
            self.person_spoke(asked, &GivenContext::Answered { text: text.into() })
        else {
            return false;
        };
        let answer = &turn.answer;
        !self.room.brief.question.is_closed()
            || answer.answer.is_some()
            || answer.cannot_say.is_some()
    }

    /// Closes the request of a person's turn that has been answered or passed.
    pub(in crate::debate) fn settle_turn(
        &mut self,
        seat: SeatId,
        given: impl Fn() -> GivenContext,
    ) {
        let open = |it: &&mut ContextRequest| it.seat == seat && it.is_turn && it.is_open();
        self.room.context.iter_mut().filter(open).for_each(|it| it.given = Some(given()));
    }
}
